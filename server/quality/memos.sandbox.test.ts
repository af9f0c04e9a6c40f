/** Coins of an account that many share: the memo says whose they are, from end to end. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openConfigurationWorld } from '../src/configuration/configuration.testing.ts'
import type { ConfigurationWorld } from '../src/configuration/configuration.testing.ts'
import { decimal, format } from '../src/core/decimal.ts'
import { ApiError } from '../src/core/errors.ts'
import type { TreasuryRouteId, WalletId } from '../src/core/ids.ts'
import { createCustomer } from '../src/customers/index.ts'
import { workerCaller } from '../src/http/index.ts'
import { balancesOf, venueAccounts, verifyBooks } from '../src/ledger/index.ts'
import { sql } from '../src/store/sql.ts'
import { createRoute } from '../src/treasury/index.ts'
import { createWallet } from '../src/treasury/wallets/wallets.ts'
import { createWithdrawal } from '../src/treasury/withdrawals/withdrawals.ts'

const PACE = 20
const HERE = ['fireblocks', 'kraken', 'bitstamp']

describe('a memo', () => {
  let world: ConfigurationWorld

  before(async () => {
    world = await openConfigurationWorld()
    await world.sandbox.control('POST', 'clock', { pace: PACE })
    const full = await world.config()
    await world.apply({
      ...full,
      venues: (full.venues ?? []).filter(({ key }) => HERE.includes(key)),
      wallets: (full.wallets ?? []).filter(({ venue }) => HERE.includes(venue)),
      routes: (full.routes ?? []).filter(({ key }) => key.endsWith('-xlm')),
      price_routes: [],
    })
    world.startTasks()
    await world.until('the routes are allowed', async () =>
      (await routes()).every(({ state }) => state === 'APPROVED' || state === 'NONE'),
    )
    await world.until('all venues are connected', async () =>
      (await world.venues()).every(({ state }) => state !== 'CONNECTING'),
    )
  })
  after(() => world?.close())

  const caller = () => workerCaller(world.workspace, 'test')

  type RouteRow = { id: TreasuryRouteId; key: string; state: string }
  const routes = () =>
    world.database.db.query<RouteRow>(sql`
      select id, key, case when key like 'vault-%' then allowlist_state else 'NONE' end as state
      from treasury_routes`)
  async function walletOf(id: string): Promise<{ id: WalletId; address: string; memo: string }> {
    const [row] = await world.database.db.query<{ id: WalletId; address: string; memo: string }>(
      sql`
        select id, address, coalesce(reference_text, '') as memo
        from wallets
        where state = 'ACTIVE'
          and (key = ${id} or id::text = ${id})`,
    )
    return row ?? { id: '' as WalletId, address: '', memo: '' }
  }
  async function booked(label: string): Promise<bigint> {
    const venue = await world.venue(label)
    const { VENUE } = await venueAccounts(world.database.db, world.workspace, venue.id)
    const balances = await balancesOf(world.database.db, world.workspace, VENUE)
    return balances.find(({ asset }) => asset === 'XLM')?.total ?? 0n
  }
  async function held(label: string): Promise<bigint> {
    const { id } = await world.venue(label)
    const { adapter } = await world.app.venues.connect(world.workspace, id)
    const balances = (await adapter.balances()).filter(({ asset }) => asset === 'XLM')
    return balances.reduce((sum, { total }) => sum + (total ?? 0n), 0n)
  }
  /** Sends over a route; answers the memos that the chain then shows. */
  async function pay(key: string, quantity: string): Promise<(string | null)[]> {
    const route = (await routes()).find((known) => known.key === key)
    assert.ok(route !== undefined)
    const body = { quantity, speed_level: 'DEFAULT' as const }
    const { id } = await createWithdrawal(caller(), world.app, route.id, body)
    world.wakeTasks()
    let hash = ''
    await world.until(`${quantity} has left`, async () => {
      const [row] = await world.database.db.query<{ state: string; hash: string }>(sql`
        select state, transaction_hash as hash
        from withdrawals
        where id = ${id}`)
      hash = row?.hash ?? ''
      return row?.state === 'SUCCESS'
    })
    const { outputs } = await world.sandbox.control<{ outputs: { tag: string | null }[] }>(
      'GET',
      `chain/transactions/${hash}`,
    )
    return outputs.map(({ tag }) => tag)
  }
  async function customerWithWallet(first_name: string) {
    const { db } = world.database
    const venue = await world.venue('Fireblocks')
    const customer = await db.tx((tx) =>
      createCustomer(caller(), tx, world.app.clock, {
        type: 'RETAIL',
        label: first_name,
        margin: 'DEFAULT',
        booking_schema: 'ADVANCED',
        ignore_balance_check: false,
        ignore_margin: false,
        first_name,
        last_name: 'Number',
      }),
    )
    const made = await db.tx((tx) =>
      createWallet(
        caller(),
        { tx, clock: world.app.clock },
        {
          type: 'CUSTOMER',
          asset: 'XLM',
          address: '',
          label: first_name,
          access_type: 'INTERNAL',
          venue_id: venue.id,
          service_id: venue.services.find(({ type }) => type === 'WOMS')?.id ?? '',
          account_id: customer.account_id,
          customer_id: customer.id,
          configuration: { create_external_wallet: true, protocol: 'XLM', vault_id: '0' },
        },
      ),
    )
    world.wakeTasks()
    await world.until('the wallet is made', async () => (await walletOf(made.id)).address !== '')
    return { account_id: customer.account_id, ...(await walletOf(made.id)) }
  }
  async function total(account_id: string): Promise<string> {
    const balances = await balancesOf(world.database.db, world.workspace, account_id as never)
    return format(balances.find(({ asset }) => asset === 'XLM')?.total ?? 0n)
  }

  it('goes with what we send, and the exchange credits us by it', async () => {
    for (const [key, label] of [
      ['kraken', 'Kraken'],
      ['bitstamp', 'Bitstamp'],
    ] as const) {
      const before = await booked(label)
      const { memo } = await walletOf(`${key}-xlm`)
      assert.deepEqual(await pay(`vault-${key}-xlm`, '25.0000001'), [memo])
      await world.until(`${label} has it, and the books`, async () => {
        const now = before + decimal('25.0000001')
        return (await held(label)) === now && (await booked(label)) === now
      })
    }
    assert.deepEqual(await pay('bitstamp-vault-xlm', '30.5'), ['0'])
    // The key that is registered at Kraken has none.
    assert.deepEqual(await pay('kraken-vault-xlm', '40.5'), [null])
    await world.until('books and vault agree', async () => {
      const expected = decimal('15000') + decimal('20.9999998') - decimal('0.00002')
      return (await booked('Fireblocks')) === expected && (await held('Fireblocks')) === expected
    })
    assert.deepEqual((await verifyBooks(world.database.db, world.workspace)).faults, [])
  })

  it('finds the customer among those who share the account; else a person must', async () => {
    const alice = await customerWithWallet('Alice')
    const bob = await customerWithWallet('Bob')
    assert.equal(alice.address, bob.address)
    assert.notEqual(alice.memo, bob.memo)
    for (const [quantity, tag] of [
      ['5.0000001', alice.memo],
      ['7', bob.memo],
      ['9', null],
      ['11', '424242'],
    ] as const)
      await world.sandbox.control('POST', 'chain/send', {
        asset: 'XLM',
        quantity,
        to_address: alice.address,
        tag,
      })
    const unassigned = async () => {
      const rows = await world.database.db.query<{ quantity: string }>(sql`
        select trim_scale(quantity)::text as quantity
        from deposits
        where asset = 'XLM'
          and state = 'UNASSIGNED'
        order by deposits.quantity`)
      return rows.map(({ quantity }) => quantity)
    }
    await world.until('all are booked', async () => (await unassigned()).length === 2)
    await world.until('the customers have theirs', async () => {
      const totals = [await total(alice.account_id), await total(bob.account_id)]
      return !totals.includes('0')
    })
    assert.deepEqual(
      [await total(alice.account_id), await total(bob.account_id), await unassigned()],
      ['5.0000001', '7', ['9', '11']],
    )
    assert.deepEqual((await verifyBooks(world.database.db, world.workspace)).faults, [])
  })

  it('is required of a route that needs one', async () => {
    for (const [from, to] of [
      ['vault-xlm', 'bitstamp-xlm'],
      ['vault-xlm', 'kraken-xlm'],
      ['bitstamp-xlm', 'vault-xlm'],
    ] as const) {
      const draft = {
        from_wallet_id: (await walletOf(from)).id,
        to_wallet_id: (await walletOf(to)).id,
        protocol: 'XLM',
        label: 'without',
      }
      await assert.rejects(
        createRoute(caller(), world.app, draft),
        (error) => error instanceof ApiError && error.details[0]?.code === 'TAG_REQUIRED',
        `${from} to ${to}`,
      )
    }
  })
})
