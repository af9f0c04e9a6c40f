/** Open quotes, and the fills that a settlement may take, are found by their indexes, whatever the history (KONTOR_PLAN_ROWS for more of it). */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { manualClock } from '../core/clock.ts'
import { newId } from '../core/ids.ts'
import { page } from '../http/index.ts'
import type { ListQuery } from '../http/index.ts'
import type { Reader } from '../store/db.ts'
import { sql, statement } from '../store/sql.ts'
import type { Query } from '../store/sql.ts'
import { testDatabase } from '../store/testing.ts'
import type { TestDatabase } from '../store/testing.ts'
import { FILL_COLUMNS } from './execution-rows.ts'
import { hasQuotes, listQuotes } from './quotes.ts'
import { availableTo } from './settling.ts'
import type { Fill } from './trading.schema.ts'

const MANY = Number(process.env['KONTOR_PLAN_ROWS'] ?? 10_000)
/** Of quotes that can be accepted, and of fills that are not settled. */
const OPEN = 150
const NOW = 1_800_000_000_000
const MAXIMUM_READ = 1000

type Plan = { 'Node Type': string; 'Actual Rows'?: number; 'Actual Loops'?: number; 'Rows Removed by Filter'?: number; Plans?: Plan[] }
const scansOf = (plan: Plan): Plan[] => [...(plan['Node Type'].includes('Scan') ? [plan] : []), ...(plan.Plans ?? []).flatMap(scansOf)]

describe('index use of quotes and fills', () => {
  const [workspace, venue_id, settlement_id] = [newId(), newId(), newId()]
  const clock = manualClock(NOW)
  let database: TestDatabase
  let owner: pg.Client
  before(async () => {
    database = await testDatabase()
    owner = new pg.Client({ connectionString: database.url })
    await owner.connect()
    await owner.query('set plan_cache_mode = force_generic_plan')
    // Rows are made wholesale; nothing is checked.
    await owner.query('set session_replication_role = replica')
    await owner.query(`insert into quotes (workspace, id, state, route_id, symbol, customer_id, firm, request_asset, request_quantity, risk_duration_ms, margin, risk, risk_source, taker_fee, created_at, expires_at, buy, sell, system_created_at, system_updated_at)
      select $1::uuid, md5('q' || n)::uuid, case when n <= $3::int then 'ACTIVE' when n % 2 = 0 then 'EXPIRED' else 'ACCEPTED' end, gen_random_uuid(), 'BTC/EUR', md5('c' || n % 3)::uuid, true, 'BTC', 1, 10000, 0, 0, 'OBSERVED', 0,
        $4::bigint - n, $4::bigint - n + case when n <= $3::int then 10000 else 0 end, '{}', '{}', 0, 0 from generate_series(1, $2::int) n`, [workspace, MANY, OPEN, NOW])
    await owner.query(`insert into fills (workspace, id, service_id, venue_id, symbol, base_asset, quote_asset, side, price, quantity, volume, fee, fee_asset, liquidity, foreign_id, executed_at, settlement_id, settlement_state, system_created_at, system_updated_at)
      select $1::uuid, md5('f' || n)::uuid, gen_random_uuid(), $5, 'BTC/EUR', 'BTC', 'EUR', 'BUY', 1, 1, 1, 0, 'EUR', 'TAKER', n::text, $4::bigint - n, case when n > $3::int or n % 2 = 0 then $6::uuid end,
        case when n > $3::int then 'SETTLED' when n % 2 = 0 then 'IN_SETTLEMENT' else 'UNSETTLED' end, 0, 0 from generate_series(1, $2::int) n`, [workspace, MANY, OPEN, NOW, venue_id, settlement_id])
    await owner.query('vacuum analyze')
  })
  after(async () => {
    await owner?.end()
    await database?.drop()
  })

  /** Rows that the statements of a read took, each planned without its values; none may go through a table. */
  const rowsRead = async (read: (reader: Reader) => Promise<unknown>): Promise<number> => {
    const asked: Query[] = []
    await read({ query: async <Row>(query: Query) => { asked.push(query); return database.db.query<Row>(query) } })
    let taken = 0
    for (const query of asked) {
      const { text, values } = statement(query)
      const { rows: [explained] } = await owner.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`explain (analyze, format json) ${text}`, values)
      for (const scan of scansOf((explained as { 'QUERY PLAN': [{ Plan: Plan }] })['QUERY PLAN'][0].Plan)) {
        assert.notEqual(scan['Node Type'], 'Seq Scan', `${text}\n${JSON.stringify(scan)}`)
        taken += ((scan['Actual Rows'] ?? 0) + (scan['Rows Removed by Filter'] ?? 0)) * (scan['Actual Loops'] ?? 0)
      }
    }
    return taken
  }

  const settlement = { id: settlement_id, timerange_from: 0, timerange_to: NOW }
  const available: ListQuery<Fill> = { select: sql`select ${FILL_COLUMNS} from fills`, conditions: [sql`workspace = ${workspace}`, sql`venue_id = ${venue_id}`, ...availableTo(settlement)], key: { column: 'id', type: 'uuid' } }
  const customer = async (number: number) => (await owner.query<{ id: string }>(`select md5($1)::uuid as id`, [`c${number}`])).rows[0]?.id ?? ''
  const reads: [string, (reader: Reader) => Promise<number | boolean>, number][] = [
    ['a page of quotes that can be accepted', async (reader) => (await page(reader, listQuotes(workspace, NOW, undefined), 100, undefined)).items.length, 100],
    ['whether a customer has some', async (reader) => hasQuotes(clock)(reader, workspace, await customer(1)), 1],
    ['whether a customer without any has some', async (reader) => hasQuotes(clock)(reader, workspace, newId()), 0],
    ['a page of the fills that a settlement may take', async (reader) => (await page(reader, available, 100, undefined)).items.length, 100],
  ]
  for (const [name, read, found] of reads) {
    it(`${name}: as few rows of ${MANY} as there are open ones`, async () => {
      assert.equal(Number(await read(database.db)), found)
      const taken = await rowsRead(read)
      assert.ok(taken >= found && taken <= MAXIMUM_READ, `${taken} rows`)
    })
  }
})
