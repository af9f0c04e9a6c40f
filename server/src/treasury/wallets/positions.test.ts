import assert from 'node:assert/strict'
import { it } from 'node:test'
import pg from 'pg'
import { newId } from '../../core/ids.ts'
import { readMigrations } from '../../store/migrate.ts'
import { testDatabase } from '../../store/testing.ts'

async function insert(client: pg.Client, table: string, row: Record<string, unknown>) {
  const columns = Object.keys(row)
  const places = columns.map((_, index) => `$${index + 1}`)
  await client.query(
    `
    insert into ${table} (${columns.join(', ')})
    values (${places.join(', ')})`,
    Object.values(row),
  )
}

/** One in the wallet, and one that arrived in none. */
async function insertDeposits(client: pg.Client, common: object, wallet_id: string) {
  for (const [foreign_id, at] of [
    ['in a wallet', wallet_id],
    ['in none', null],
  ]) {
    await insert(client, 'deposits', {
      ...common,
      id: newId(),
      state: 'UNASSIGNED',
      wallet_id: at,
      asset: 'BTC',
      quantity: '1',
      assignable_quantity: '1',
      assigned_quantity: '0',
      foreign_id,
      occurred_at: 1,
    })
  }
}

/** A workspace of before: a wallet, two deposits, an opening, a position and a break. */
async function insertBooks(client: pg.Client): Promise<void> {
  const [workspace, venue_id, service_id, wallet_id] = [newId(), newId(), newId(), newId()]
  const common = { workspace, system_created_at: 1, system_updated_at: 1 }
  await insert(client, 'wallets', {
    ...common,
    id: wallet_id,
    type: 'VENUE',
    asset: 'BTC',
    address: 'a',
    label: 'w',
    service_id,
    venue_id,
    account_id: newId(),
    access_type: 'INTERNAL',
    state: 'ACTIVE',
    venue_wallet: '7',
  })
  await insertDeposits(client, { ...common, service_id, venue_id }, wallet_id)
  await insert(client, 'venue_openings', {
    workspace,
    venue_id,
    asset: 'BTC',
    quantity: '3',
    opened_at: 1,
  })
  await insert(client, 'positions', {
    workspace,
    venue_id,
    asset: 'BTC',
    ledger: '4',
    venue: '5',
    on_the_way: '0',
    difference: '1',
    wallets: '[{"wallet":"7","total":"5"}]',
    since: 1,
    compared_at: 2,
    accepted: '1',
  })
  await insert(client, 'breaks', {
    ...common,
    id: newId(),
    state: 'OPEN',
    venue_id,
    asset: 'BTC',
    ledger: '4',
    venue: '5',
    on_the_way: '0',
    difference: '1',
    cause: 'UNKNOWN',
    explanation: 'none',
    first_seen_at: 1,
    last_seen_at: 2,
  })
}

it('a database without wallet positions keeps its balances and places its deposits', async () => {
  const database = await testDatabase()
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  try {
    await client.query('drop schema public cascade; create schema public')
    const all = await readMigrations()
    const first = all.findIndex(({ name }) => name.startsWith('0210'))
    for (const { text } of all.slice(0, first)) await client.query(text)
    await insertBooks(client)
    for (const { text } of all.slice(first)) await client.query(text)
    const read = async (text: string) => (await client.query({ text, rowMode: 'array' })).rows
    assert.deepEqual(
      await read('select foreign_id, venue_wallet from deposits order by foreign_id'),
      [
        ['in a wallet', '7'],
        ['in none', null],
      ],
    )
    assert.deepEqual(await read('select wallet, difference::text, accepted::text from positions'), [
      ['', '1.000000000000000000', '1.000000000000000000'],
    ])
    assert.deepEqual(await read('select wallet, state from breaks'), [[null, 'OPEN']])
    assert.deepEqual(await read('select placed_at from venue_openings'), [[null]])
    assert.deepEqual(await read('select 1 from wallet_positions'), [])
  } finally {
    await client.end()
    await database.drop()
  }
})
