/**
 * Overview, search, timelines and suggestions read a bounded number of rows, whatever the history
 * (KONTOR_PLAN_ROWS for more of it).
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { manualClock } from '../../core/clock.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { page } from '../../http/index.ts'
import type { Endpoint } from '../../http/index.ts'
import type { Db, Reader } from '../../store/db.ts'
import { openPlannedReads } from '../../store/planned-reads.testing.ts'
import type { PlannedReads } from '../../store/planned-reads.testing.ts'
import { tradingEndpoints } from '../../trading/index.ts'
import { suggestionsFor, treasuryEndpoints } from '../../treasury/index.ts'
import { allDeskFeeds } from './desk-feed.ts'
import { overviewOf } from './overview.ts'
import { search } from './search.ts'
import { timelineOf } from './timeline.ts'
import type { Timeline } from './timeline.schema.ts'

const MANY = Number(process.env['KONTOR_PLAN_ROWS'] ?? 10_000)
const DAY = 86_400_000
const NOW = 20_000 * DAY + DAY / 2
const TODAY = 20
const workspace = newId<WorkspaceId>()
/** Of these there are few, here or everywhere: they may be read whole. */
const SMALL_TABLES: ReadonlySet<string> = new Set([
  'venues',
  'venue_snapshots',
  'venue_balances',
  'transfer_jobs',
  'job_schedules',
  'treasury_routes',
  'price_stream_routes',
  'matchings',
  'settlements',
  'breaks',
  'brakes',
  'users',
  'rectifications',
  'quotes',
  'assets',
])
/** So much a read may take from tables and indexes, however many rows there are. */
const MAXIMUM_READ = 6000
/** The same for a page of a hundred. */
const MAXIMUM_READ_FOR_PAGE = 1000

describe('plans of the desk', () => {
  let reads: PlannedReads
  let owner: PlannedReads['owner']
  let rowsRead: PlannedReads['rowsRead']
  const { searchables, needs, timelines } = allDeskFeeds([])
  const permissions = new Set(searchables.map((searchable) => searchable.permission))
  const permissionOf = new Map(
    searchables.map((searchable) => [searchable.kind, searchable.permission]),
  )
  const clock = manualClock(NOW)
  before(async () => {
    reads = await openPlannedReads(SMALL_TABLES)
    owner = reads.owner
    rowsRead = reads.rowsRead
    // Rows are made wholesale: their terms too, and nothing is checked.
    await owner.query('set session_replication_role = replica')
    await owner.query(
      `insert into assets (workspace, code, label, kind, scale) values ($1, 'EUR', 'Euro', 'FIAT', 2)`,
      [workspace],
    )
    await owner.query(
      `insert into accounts (workspace, id, type, label, system_created_at, system_updated_at) select $1, gen_random_uuid(), t, t, 0, 0 from unnest(array['HOUSE', 'SUSPENSE', 'TRANSIT', 'FEE']) t`,
      [workspace],
    )
    await owner.query(
      `insert into venues (workspace, id, key, label, kind, settlement, state, config, connected_at, system_created_at, system_updated_at) select $1, md5('v' || n)::uuid, n::text, 'Venue ' || n, 'BANK', 'PREFUNDED', 'CONNECTED', '{}', 0, 0, 0 from generate_series(1, 4) n`,
      [workspace],
    )
    await grow(1, MANY)
  })
  after(async () => {
    await reads.close()
  })

  /**
   * Rows from `from` to `to` of every table that grows with history; the first of them are of today
   * and open.
   */
  const grow = async (from: number, to: number) => {
    const range = [workspace, from, to]
    const key = (letter: string, number = 'n') => `md5('${letter}' || ${number})::uuid`
    const at = `case when n <= ${TODAY} then ${NOW}::bigint else n end`
    const insert = (table: string, columns: string, values: string) =>
      owner.query(
        `insert into ${table} (workspace, ${columns}) select $1::uuid, ${values} from generate_series($2::int, $3::int) n`,
        range,
      )
    await insert(
      'accounts',
      'id, type, label, customer_id, system_created_at, system_updated_at',
      `${key('a')}, 'CUSTOMER', 'Customer ' || n, ${key('c')}, 0, 0`,
    )
    await insert(
      'balances',
      'account_id, asset, total, held_withdrawal, held_trading, floor',
      `${key('a')}, 'EUR', 1, 0, 0, 0`,
    )
    await insert(
      'customers',
      'id, state, account_id, type, label, margin, booking_schema, ignore_balance_check, ignore_margin, investment_entity_ids, notification_recipients, system_created_at, system_updated_at',
      `${key('c')}, 'ACTIVE', ${key('a')}, 'RETAIL', 'Customer ' || n, 'DEFAULT', 'ADVANCED', false, false, '{}', '{}', 0, 0`,
    )
    await insert(
      'wallets',
      'id, type, asset, address, label, account_id, customer_id, access_type, state, system_created_at, system_updated_at',
      `${key('w')}, 'CUSTOMER', 'EUR', 'IBAN' || n, 'Wallet ' || n, ${key('a')}, ${key('c')}, 'EXTERNAL', 'ACTIVE', 0, 0`,
    )
    await insert(
      'deposits',
      'id, state, service_id, venue_id, asset, quantity, assignable_quantity, assigned_quantity, foreign_id, source_address, reference_text, final_at, occurred_at, system_created_at, system_updated_at',
      `${key('d')}, case when n <= ${TODAY} then 'UNASSIGNED' else 'ASSIGNED' end, ${key('s', '1')}, ${key('v', '1')}, 'EUR', 1, 1, 0, 'f' || n, 'IBAN' || n % 7, 'invoice ' || n, n, n, ${at}, 0`,
    )
    await insert(
      'assignments',
      'id, state, deposit_id, account_id, customer_id, asset, quantity, source, system_created_at, system_updated_at',
      `${key('g')}, case when n <= ${TODAY} then 'REJECTED' else 'SUCCESSFUL' end, ${key('d')}, ${key('a')}, ${key('c')}, 'EUR', 1, 'MANUAL', 0, 0`,
    )
    await insert(
      'withdrawals',
      'id, state, origin, service_id, venue_id, asset, protocol, quantity, fee_borne_by, speed_level, destination_address, own_transfer, external_id, transfer, system_created_at, system_updated_at',
      `${key('x')}, case when n <= ${TODAY} then 'UNKNOWN' else 'SUCCESS' end, 'EXTERNAL', ${key('s', '1')}, ${key('v', '1')}, 'EUR', 'SEPA', 1, 'HOUSE', 'DEFAULT', 'IBAN' || n % 7, false, 'e' || n, '{}', ${at}, 0`,
    )
    await insert(
      'executions',
      'id, state, internal_ref, route_id, symbol, base_asset, quote_asset, side, execution_type, mode, amount, client_ref, firm, taker_fee, filled_amount, system_created_at, system_updated_at',
      `${key('e')}, case when n <= ${TODAY} then 'UNKNOWN' else 'DONE' end, 'EX-' || n, ${key('r', '1')}, 'BTC/EUR', 'BTC', 'EUR', 'BUY', 'MARKET', 'AMOUNT', 1, 'Order-' || n, false, 0, 1, ${at}, 0`,
    )
    await insert(
      'execution_customers',
      'execution_id, customer_no, customer_id, account_id, booking_schema, hold_id, amount, margin, risk',
      `${key('e')}, 1, ${key('c', 'case n % 2 when 0 then 8 else n % 500 end')}, ${key('a', 'case n % 2 when 0 then 8 else n % 500 end')}, 'SIMPLE', ${key('h')}, 1, 0, 0`,
    )
    await insert(
      'execution_orders',
      'id, execution_id, hop_no, venue_id, service_id, symbol, base_asset, quote_asset, side, type, tif_mode, quantity, state, client_order_id, foreign_id, sent_at, system_created_at, system_updated_at',
      `${key('o')}, ${key('e')}, 1, ${key('v', '1')}, ${key('s', '1')}, 'BTC/EUR', 'BTC', 'EUR', 'BUY', 'MARKET', 'IOC', 1, 'FILLED', 'co' || n, 'fo' || n, n, 0, 0`,
    )
    await insert(
      'fills',
      'id, execution_id, order_id, hop_no, service_id, venue_id, symbol, base_asset, quote_asset, side, price, quantity, volume, fee, fee_asset, liquidity, foreign_id, executed_at, settlement_state, system_created_at, system_updated_at',
      `${key('f')}, ${key('e')}, ${key('o')}, 1, ${key('s', '1')}, ${key('v', '1')}, 'BTC/EUR', 'BTC', 'EUR', 'BUY', 1, 1, 1, 0, 'EUR', 'TAKER', 'ff' || n, n, 'SETTLED', 0, 0`,
    )
    await insert(
      'job_runs',
      'id, job_id, state, reason, explanation, scheduled_at, started_at, finished_at, asset, system_created_at, system_updated_at',
      `${key('j')}, ${key('t', '1')}, 'SKIPPED', 'BALANCE_NOT_DUE', 'x', 0, 0, 0, 'EUR', 0, 0`,
    )
    await insert(
      'events',
      'sequence, id, type, resource_id, occurred_at, data',
      `n * 2, gen_random_uuid(), 'deposit.received', ${key('d')}, n, '{}'`,
    )
    await insert(
      'bookings',
      'sequence, id, event_sequence, batch_no, type, asset, value_date, booked_at, reference_type, reference_id',
      `n, ${key('b')}, n * 2 - 1, n, 'DEPOSIT', 'EUR', n, n, 'deposit', ${key('d')}`,
    )
    await owner.query(
      `insert into legs (workspace, booking_sequence, leg_no, account_id, type, quantity, balance_after) select $1::uuid, n, l, ${key('a', 'n % 500')}, case l when 1 then 'DEBIT' else 'CREDIT' end, 1, 0 from generate_series($2::int, $3::int) n, generate_series(1, 2) l`,
      range,
    )
    await owner.query(
      `insert into search_terms (workspace, kind, term, id, field)
      select $1::uuid, t.kind, t.term, t.id, t.field from generate_series($2::int, $3::int) n cross join lateral (values
        ('customer', 'customer ' || n, ${key('c')}, 'label'), ('customer', n::text, ${key('c')}, 'label'), ('wallet', 'wallet ' || n, ${key('w')}, 'label'), ('wallet', 'iban' || n, ${key('w')}, 'address'),
        ('deposit', 'invoice ' || n, ${key('d')}, 'reference_text'), ('deposit', 'iban' || n % 7, ${key('d')}, 'source_address'), ('deposit', '=1;', ${key('d')}, 'quantity'), ('withdrawal', 'e' || n, ${key('x')}, 'external_id')
      ) t (kind, term, id, field)`,
      range,
    )
    await owner.query('vacuum analyze')
  }

  const principal = { workspace, permissions }
  const idOf = async (letter: string, number: number) =>
    (await owner.query<{ id: string }>(`select md5($1)::uuid as id`, [`${letter}${number}`]))
      .rows[0]?.id ?? ''
  const looks = [
    'customer 7',
    'customer',
    'wallet 55',
    'iban3',
    'invoice',
    'order-77',
    'order',
    'EX-9',
    '1',
    'co12',
    'fo12',
    'ff12',
    'e5',
    'nothing of the kind',
  ]

  const readAll = async (): Promise<[string, number][]> => {
    const reads: [string, (reader: Reader) => Promise<unknown>][] = [
      ['overview', (reader) => overviewOf({ db: reader as Db, clock }, needs, principal)],
    ]
    const id = await idOf('d', 7)
    for (const q of [...looks, id, id.slice(0, 10)].filter((look) => look.length > 1))
      reads.push([
        `search ${q}`,
        (reader) => search(reader, principal, searchables, { q, limit: 20 }),
      ])
    for (const [kind, letter] of [
      ['deposit', 'd'],
      ['withdrawal', 'x'],
      ['execution', 'e'],
      ['job_run', 'j'],
      ['assignment', 'g'],
      ['customer', 'c'],
    ] as const) {
      const of = await idOf(letter, 7)
      reads.push([
        `timeline ${kind}`,
        (reader) =>
          timelineOf(reader, { timelines, permissionOf }, principal, {
            kind: kind satisfies Timeline['kind'],
            id: of,
          }),
      ])
    }
    reads.push(['suggestions', (reader) => suggestionsFor(reader, workspace, id)])
    const counted: [string, number][] = []
    for (const [name, read] of reads) counted.push([name, await rowsRead(name, read)])
    return counted
  }

  it(`reads a bounded number of rows of ${MANY}, none by going through a table`, async () => {
    for (const [name, rows] of await readAll())
      assert.ok(rows <= MAXIMUM_READ, `${name} reads ${rows} rows of ${MANY}`)
  })

  /** A page of a list's middle, so that what stands before it may not be read. */
  const pageOf =
    (endpoints: (app: never) => Endpoint[], path: string, query: object) =>
    async (reader: Reader): Promise<void> => {
      const found = endpoints({ db: reader, clock } as never).find(
        (endpoint) => endpoint.path === path && endpoint.effect === 'list',
      )
      assert.ok(found?.effect === 'list', path)
      const list = await found.list({ query, principal } as never)
      const middle = Buffer.from('80000000-0000-0000-0000-000000000000').toString('base64url')
      const { items } = await page(reader, list, 100, middle)
      assert.ok(items.length > 40, `${path}: ${items.length}`)
    }

  it('reads a page far back of what many share, or of the few among many, from its key on', async () => {
    const customer_id = await idOf('c', 8)
    const rows = [workspace, 10 * MANY]
    await owner.query(
      `insert into price_stream_routes (workspace, id, key, label, symbol, base_asset, quote_asset, hops, risk_quantile, active, min_amount, max_amount, amount_step, price_step, system_created_at, system_updated_at)
      select $1, md5('r1')::uuid, 'r', 'r', 'BTC/EUR', 'BTC', 'EUR', '[]', 0.5, true, 1, 1, 1, 1, 0, 0`,
      [workspace],
    )
    await owner.query(
      `insert into transfer_jobs (workspace, id, state, route_id, condition_type, interval, speed_level, min_quantity, conditions, system_created_at, system_updated_at)
      select $1, md5('t' || n)::uuid, case n % 1000 when 0 then 'ACTIVE' else 'INACTIVE' end, md5('r1')::uuid, 'SWEEPING', 15, 'DEFAULT', 0, '[]', 0, 0 from generate_series(1, $2::int) n`,
      rows,
    )
    await owner.query(
      `insert into job_schedules (workspace, id, state, next_run_at, system_updated_at) select workspace, id, state, case state when 'ACTIVE' then 0 end, 0 from transfer_jobs`,
    )
    await owner.query('vacuum analyze')
    const pages: [string, (reader: Reader) => Promise<void>][] = [
      ["a customer's executions", pageOf(tradingEndpoints, '/executions', { customer_id })],
      ['active jobs', pageOf(treasuryEndpoints, '/treasury/jobs', { state: ['ACTIVE'] })],
    ]
    for (const [name, read] of pages) {
      const taken = await rowsRead(name, read)
      assert.ok(taken <= MAXIMUM_READ_FOR_PAGE, `${name}: ${taken} rows of ${MANY}`)
    }
  })
})
