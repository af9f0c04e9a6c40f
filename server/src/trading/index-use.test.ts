/**
 * Open quotes, and the fills that a settlement may take, are found by their indexes, whatever the
 * history (KONTOR_PLAN_ROWS for more of it).
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { manualClock } from '../core/clock.ts'
import { newId } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { page } from '../http/index.ts'
import type { ListQuery } from '../http/index.ts'
import type { Reader } from '../store/db.ts'
import { openPlannedReads } from '../store/planned-reads.testing.ts'
import type { PlannedReads } from '../store/planned-reads.testing.ts'
import { sql } from '../store/sql.ts'
import { listServiceFills } from './account-trades/account-trades.http.ts'
import { listExecutions } from './executions/lists.ts'
import { listExecutionQuality } from './executions/quality.ts'
import { FILL_COLUMNS } from './executions/rows.ts'
import { hasQuotes, listQuotes } from './quotes/quotes.ts'
import { isClaimableBy } from './orders/unsettled-fills.ts'
import type { Fill } from './executions/fills.schema.ts'

const MANY = Number(process.env['KONTOR_PLAN_ROWS'] ?? 10_000)
/** Of quotes that can be accepted, and of fills that are not settled. */
const OPEN = 150
const NOW = 1_800_000_000_000
const MAXIMUM_READ = 1000
/** Where so many are looked up first. */
const MAXIMUM_LOOKED_UP = 4000

describe('index use of quotes and fills', () => {
  const [workspace, venue_id, settlement_id] = [newId<WorkspaceId>(), newId(), newId()]
  const [service_id, route_id, rare, busy] = [newId(), newId(), newId(), newId()]
  const clock = manualClock(NOW)
  let planned: PlannedReads
  let database: PlannedReads['database']
  let owner: PlannedReads['owner']
  before(async () => {
    planned = await openPlannedReads()
    database = planned.database
    owner = planned.owner
    // Rows are made wholesale; nothing is checked.
    await owner.query('set session_replication_role = replica')
    // Their ids tell no time.
    await owner.query(
      `do $$ begin
        execute format(
          'create table quotes_rest partition of quotes for values from (%L) to (maxvalue)',
          (select first_id_at(max(until)) from quote_partitions())
        );
      end $$`,
    )
    await owner.query(
      `insert into quotes (
        workspace, id, state, route_id, symbol, customer_id, firm, request_asset, request_quantity,
        risk_duration_ms, margin, risk, risk_source, taker_fee, created_at, expires_at, buy, sell,
        system_created_at, system_updated_at
      )
      select $1::uuid, md5('q' || n)::uuid,
        case when n <= $3::int then 'ACTIVE' when n % 2 = 0 then 'EXPIRED' else 'ACCEPTED' end,
        gen_random_uuid(), 'BTC/EUR', md5('c' || n % 3)::uuid, true, 'BTC', 1, 10000, 0, 0,
        'OBSERVED', 0, $4::bigint - n,
        $4::bigint - n + case when n <= $3::int then 10000 else 0 end, '{}', '{}', 0, 0
      from generate_series(1, $2::int) n`,
      [workspace, MANY, OPEN, NOW],
    )
    await owner.query(
      `insert into fills (
        workspace, id, service_id, venue_id, symbol, base_asset, quote_asset, side, price, quantity,
        volume, fee, fee_asset, liquidity, foreign_id, executed_at, settlement_id, settlement_state,
        system_created_at, system_updated_at, execution_id, order_id, hop_no
      )
      select $1::uuid, md5('f' || n)::uuid, $7, $5, 'BTC/EUR',
        case when n % 1000 = 0 then 'ETH' else 'BTC' end, 'EUR', 'BUY', 1, n, 1, 0, 'EUR', 'TAKER',
        n::text, $4::bigint - n,
        case when n > $3::int or n % 2 = 0 then $6::uuid end,
        case
          when n > $3::int then 'SETTLED'
          when n % 2 = 0 then 'IN_SETTLEMENT'
          else 'UNSETTLED'
        end, 0, 0, md5('e' || n)::uuid, gen_random_uuid(), 0
      from generate_series(1, $2::int) n`,
      [workspace, MANY, OPEN, NOW, venue_id, settlement_id, service_id],
    )
    await insertExecutions(owner, { workspace, venue_id, service_id, route_id, rare, busy })
    await owner.query('vacuum analyze')
  })
  after(async () => {
    await planned.close()
  })

  const settlement = { id: settlement_id, timerange_from: 0, timerange_to: NOW }
  const available: ListQuery<Fill> = {
    select: sql`
      select ${FILL_COLUMNS}
      from fills`,
    conditions: [
      sql`workspace = ${workspace}`,
      sql`venue_id = ${venue_id}`,
      ...isClaimableBy(settlement),
    ],
    key: { column: 'id', type: 'uuid' },
  }
  const executionsBy =
    (filter: Parameters<typeof listExecutions>[2]) =>
    async (reader: Reader): Promise<number> => {
      const list = await listExecutions(reader, workspace, filter, NOW)
      return (await page(reader, list, 100, undefined)).items.length
    }
  const fillsBy =
    (filter: Parameters<typeof listServiceFills>[3]) =>
    async (reader: Reader): Promise<number> => {
      const list = await listServiceFills(reader, workspace, service_id, filter)
      return (await page(reader, list, 100, undefined)).items.length
    }
  const customer = async (number: number) =>
    (await owner.query<{ id: string }>(`select md5($1)::uuid as id`, [`c${number}`])).rows[0]?.id ??
    ''
  const qualityRead = async (reader: Reader): Promise<number> => {
    const list = await listExecutionQuality(reader, workspace, {}, NOW)
    return (await page(reader, list, 100, undefined)).items.length
  }
  const reads: [string, (reader: Reader) => Promise<number | boolean>, number][] = [
    [
      'a page of quotes that can be accepted',
      async (reader) =>
        (await page(reader, listQuotes(workspace, NOW, undefined), 100, undefined)).items.length,
      100,
    ],
    [
      'a page of quotes of several states',
      async (reader) =>
        (await page(reader, listQuotes(workspace, NOW, ['ACCEPTED', 'EXPIRED']), 100, undefined))
          .items.length,
      100,
    ],
    [
      'whether a customer has some',
      async (reader) => hasQuotes(clock)(reader, workspace, await customer(1)),
      1,
    ],
    [
      'whether a customer without any has some',
      async (reader) => hasQuotes(clock)(reader, workspace, newId()),
      0,
    ],
    [
      'a page of the fills that a settlement may take',
      async (reader) => (await page(reader, available, 100, undefined)).items.length,
      100,
    ],
  ]
  const filtered: typeof reads = [
    ['executions of an asset that is rare', executionsBy({ asset: ['ETH'] }), MANY / 1000],
    ['a page of executions of an asset that is common', executionsBy({ asset: ['EUR'] }), 100],
    ['a page of what executions got', qualityRead, 100],
    ['executions of an amount', executionsBy({ amount_from: '7', amount_to: '9' }), 3],
    ['a page of executions of many amounts', executionsBy({ amount_from: '7' }), 100],
    ['trades of an asset that is rare', fillsBy({ asset: ['ETH'] }), MANY / 1000],
    ['a page of trades of an asset that is common', fillsBy({ asset: ['EUR'] }), 100],
    ['trades of a quantity', fillsBy({ quantity_from: '7', quantity_to: '9' }), 3],
    ['trades of a customer with few', fillsBy({ customer_id: rare }), 2],
    ['a page of trades of a customer with many', fillsBy({ customer_id: busy }), 100],
  ]
  for (const [some, most] of [
    [reads, MAXIMUM_READ],
    [filtered, MAXIMUM_LOOKED_UP],
  ] as const)
    for (const [name, read, found] of some)
      it(`${name}: few rows of ${MANY}`, async () => {
        assert.equal(Number(await read(database.db)), found)
        const taken = await planned.rowsRead(name, read)
        assert.ok(taken >= found && taken <= most, `${taken} rows`)
      })
})

/** Each has a fill, made before. Their customer is mostly the busy one. */
async function insertExecutions(
  owner: PlannedReads['owner'],
  of: Record<'workspace' | 'venue_id' | 'service_id' | 'route_id' | 'rare' | 'busy', string>,
): Promise<void> {
  const { workspace, venue_id, service_id, route_id, rare, busy } = of
  await owner.query(
    `insert into services (
      workspace, id, venue_id, type, state, system_created_at, system_updated_at
    ) values ($1, $2, $3, 'TOMS', 'RUNNING', 0, 0)`,
    [workspace, service_id, venue_id],
  )
  await owner.query(
    `insert into price_stream_routes (
      workspace, id, key, label, symbol, base_asset, quote_asset, hops, risk_quantile, active,
      min_amount, max_amount, amount_step, price_step, system_created_at, system_updated_at
    ) values ($1, $2, 'r', 'r', 'BTC/EUR', 'BTC', 'EUR', '[]', 0.5, true, 1, 1, 1, 1, 0, 0)`,
    [workspace, route_id],
  )
  await owner.query(
    `insert into executions (
      workspace, id, state, internal_ref, route_id, symbol, base_asset, quote_asset, side,
      execution_type, mode, amount, firm, taker_fee, hops, system_created_at,
      system_updated_at
    )
    select $1::uuid, md5('e' || n)::uuid, 'DONE', n::text, $3::uuid, 'BTC/EUR',
      case when n % 1000 = 0 then 'ETH' else 'BTC' end, 'EUR', 'BUY', 'MARKET', 'AMOUNT', n,
      false, 0, '[]', 0, 0
    from generate_series(1, $2::int) n`,
    [workspace, MANY, route_id],
  )
  await owner.query(
    `insert into execution_customers (
      workspace, execution_id, customer_no, customer_id, account_id, booking_schema, hold_id,
      amount, margin, risk
    )
    select $1::uuid, md5('e' || n)::uuid, 0, case when n <= 2 then $3::uuid else $4::uuid end,
      gen_random_uuid(), 'SIMPLE', gen_random_uuid(), 1, 0, 0
    from generate_series(1, $2::int) n`,
    [workspace, MANY, rare, busy],
  )
}
