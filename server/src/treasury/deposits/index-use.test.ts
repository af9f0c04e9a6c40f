/** The filters of movements read a page and not the history (KONTOR_PLAN_ROWS for more of it). */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { firstIdAt, newId } from '../../core/ids.ts'
import type { AccountId, WalletId, WorkspaceId } from '../../core/ids.ts'
import { page, totalsOf } from '../../http/index.ts'
import type { Reader } from '../../store/db.ts'
import { openPlannedReads } from '../../store/planned-reads.testing.ts'
import type { PlannedReads } from '../../store/planned-reads.testing.ts'
import { listOfWithdrawals, WITHDRAWAL_TOTALS } from '../withdrawals/list.ts'
import { DEPOSIT_TOTALS, listOfDeposits } from './list.ts'

const MANY = Number(process.env['KONTOR_PLAN_ROWS'] ?? 10_000)
const PAGE = 20
const MAXIMUM_READ = 250
/** One more than an id can carry. */
const LAST_TIME = 2 ** 48

describe('index use of the filters of movements', () => {
  const workspace = newId<WorkspaceId>()
  const idOf = (name: string) => `md5('${name}')::uuid`
  let planned: PlannedReads
  let ids: Record<'few' | 'many', string>

  const fill = async (table: string, columns: Record<string, string>) => {
    const common = { workspace: '$1', id: 'gen_random_uuid()' }
    const stamps = { system_created_at: '0', system_updated_at: '0' }
    const all = { ...common, ...stamps, ...columns }
    await planned.owner.query(
      `
        insert into ${table} (${Object.keys(all).join(', ')})
        select ${Object.values(all).join(', ')}
        from generate_series(1, $2::int) n`,
      [workspace, MANY],
    )
  }

  before(async () => {
    planned = await openPlannedReads()
    const { owner } = planned
    await owner.query('set session_replication_role = replica')
    // Three of a kind that is rare, all others of one that is not.
    const rare = (few: string, many: string) =>
      `case when n % ${MANY / 4} = 1 then ${few} else ${many} end`
    const movement = {
      service_id: idOf('service'),
      venue_id: idOf('venue'),
      asset: rare(`'BTC'`, `'EUR'`),
      protocol: `'SEPA'`,
      quantity: 'n',
    }
    const ofOne = rare(idOf('few'), idOf('many'))
    await fill('deposits', {
      ...movement,
      id: `md5('deposit' || n)::uuid`,
      state: `'UNASSIGNED'`,
      wallet_id: ofOne,
      assignable_quantity: 'n',
      assigned_quantity: '0',
      foreign_id: 'n::text',
      occurred_at: '0',
    })
    await fill('withdrawals', {
      policy_version: '0',
      ...movement,
      id: `md5('withdrawal' || n)::uuid`,
      state: `'SUCCESS'`,
      origin: `'MANUAL'`,
      from_wallet_id: ofOne,
      to_wallet_id: rare(idOf('many'), idOf('few')),
      fee_borne_by: `'HOUSE'`,
      speed_level: `'DEFAULT'`,
      destination_address: `'x'`,
      own_transfer: 'false',
      external_id: 'n::text',
      transfer: `'{}'`,
      // The time with which the id begins.
      system_created_at: `('x' || left(md5('withdrawal' || n), 12))::bit(48)::bigint`,
    })
    for (const [column, name] of [
      ['deposit_id', 'deposit'],
      ['withdrawal_id', 'withdrawal'],
    ] as const)
      await fill('assignments', {
        state: `'SUCCESSFUL'`,
        [column]: `md5('${name}' || n)::uuid`,
        account_id: ofOne,
        asset: `'EUR'`,
        quantity: '1',
        source: `'MANUAL'`,
      })
    for (const kind of ['deposit', 'withdrawal'])
      await fill('record_tags', {
        kind: `'${kind}'`,
        record_id: `md5('${kind}' || n)::uuid`,
        tag: rare(`'few'`, `'many'`),
      })
    await owner.query('vacuum analyze')
    const { rows } = await owner.query<Record<'few' | 'many', string>>(
      `select ${idOf('few')} as few, ${idOf('many')} as many`,
    )
    const [known] = rows
    assert.ok(known)
    ids = known
  })
  after(() => planned.close())

  it('reads no more than its page', async () => {
    const filters = (['few', 'many'] as const).flatMap((name) => [
      { account_id: ids[name] as AccountId },
      { wallet_id: ids[name] as WalletId },
      { asset: [name === 'few' ? 'BTC' : 'EUR'] },
      ...(name === 'few' ? [{ tag: name }] : []),
    ])
    const quantities = [
      { quantity_from: '7', quantity_to: '7' },
      { quantity_from: '7', quantity_to: '30' },
      { quantity_from: String(MANY - 5) },
    ]
    // The ids are spread over all times that they can carry.
    const [early, late] = [LAST_TIME / 8, (LAST_TIME / 8) * 7]
    const times = [
      { system_created_at_from: early, system_created_at_to: early + LAST_TIME / 64 },
      { system_created_at_to: early },
      { system_created_at_from: late },
      { system_created_at_from: early, system_created_at_to: late, asset: ['EUR'] },
      { system_created_at_to: early, account_id: ids.many as AccountId },
      { system_created_at_to: early, wallet_id: ids.many as WalletId },
    ]
    for (const filter of [...filters, ...quantities, ...times])
      for (const [name, list] of [
        ['deposits', (reader: Reader) => listOfDeposits(reader, workspace, filter)],
        ['withdrawals', (reader: Reader) => listOfWithdrawals(reader, workspace, filter, 0)],
      ] as const) {
        const shown = `${name} ${JSON.stringify(filter)}`
        let found = 0
        const read = await planned.rowsRead(shown, async (reader) => {
          const { items } = await page(reader, await list(reader), PAGE, undefined)
          found = items.length
        })
        assert.ok(found > 0, `${shown} found nothing`)
        assert.ok(read <= MAXIMUM_READ, `${shown}: ${read} rows for ${found}`)
      }
  })

  it('reads for totals what they are of, and no more', async () => {
    const bound = 50
    const totals = {
      deposits: async (reader: Reader, filter: Filter) =>
        totalsOf(reader, await listOfDeposits(reader, workspace, filter), DEPOSIT_TOTALS, bound),
      withdrawals: async (reader: Reader, filter: Filter) => {
        const list = await listOfWithdrawals(reader, workspace, filter, 0)
        return totalsOf(reader, list, WITHDRAWAL_TOTALS, bound)
      },
    }
    type Filter = { asset?: string[]; account_id?: AccountId }
    const filters = [{}, { asset: ['EUR'] }, { account_id: ids.many as AccountId }]
    for (const filter of filters)
      for (const [name, totalsOfThem] of Object.entries(totals)) {
        const shown = `totals of ${name} ${JSON.stringify(filter)}`
        const read = await planned.rowsRead(shown, async (reader) => {
          assert.equal((await totalsOfThem(reader, filter)).rows, bound)
        })
        assert.ok(read <= MAXIMUM_READ, `${shown}: ${read} rows`)
      }
  })

  it('reads no more of an owner with many on a later page', async () => {
    const read = await planned.rowsRead('a later page', async (reader) => {
      const list = await listOfDeposits(reader, workspace, { account_id: ids.many as AccountId })
      const { items } = await page(reader, list, PAGE, firstIdAt(LAST_TIME / 8))
      assert.equal(items.length, PAGE)
    })
    assert.ok(read <= MAXIMUM_READ, `${read} rows`)
  })

  it('walks along the list where a range holds many', async () => {
    const read = await planned.rowsRead('a wide range', async (reader) => {
      const list = await listOfDeposits(reader, workspace, { quantity_from: '1' })
      await page(reader, list, PAGE, undefined)
    })
    assert.ok(read <= 2_001 + MAXIMUM_READ, `${read} rows`)
  })
})
