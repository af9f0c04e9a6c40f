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
import { FILL_COLUMNS } from './executions/rows.ts'
import { hasQuotes, listQuotes } from './quotes/quotes.ts'
import { isClaimableBy } from './orders/unsettled-fills.ts'
import type { Fill } from './executions/fills.schema.ts'

const MANY = Number(process.env['KONTOR_PLAN_ROWS'] ?? 10_000)
/** Of quotes that can be accepted, and of fills that are not settled. */
const OPEN = 150
const NOW = 1_800_000_000_000
const MAXIMUM_READ = 1000

describe('index use of quotes and fills', () => {
  const [workspace, venue_id, settlement_id] = [newId<WorkspaceId>(), newId(), newId()]
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
        system_created_at, system_updated_at
      )
      select $1::uuid, md5('f' || n)::uuid, gen_random_uuid(), $5, 'BTC/EUR', 'BTC', 'EUR', 'BUY',
        1, 1, 1, 0, 'EUR', 'TAKER', n::text, $4::bigint - n,
        case when n > $3::int or n % 2 = 0 then $6::uuid end,
        case
          when n > $3::int then 'SETTLED'
          when n % 2 = 0 then 'IN_SETTLEMENT'
          else 'UNSETTLED'
        end, 0, 0
      from generate_series(1, $2::int) n`,
      [workspace, MANY, OPEN, NOW, venue_id, settlement_id],
    )
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
  const customer = async (number: number) =>
    (await owner.query<{ id: string }>(`select md5($1)::uuid as id`, [`c${number}`])).rows[0]?.id ??
    ''
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
  for (const [name, read, found] of reads) {
    it(`${name}: as few rows of ${MANY} as there are open ones`, async () => {
      assert.equal(Number(await read(database.db)), found)
      const taken = await planned.rowsRead(name, read)
      assert.ok(taken >= found && taken <= MAXIMUM_READ, `${taken} rows`)
    })
  }
})
