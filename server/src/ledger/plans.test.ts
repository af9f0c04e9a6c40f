/** The lane and the lists stay on their indexes, with a thousand rows and with a hundred times as many
 * (KONTOR_PLAN_ROWS for more): cost does not grow with history. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { newId } from '../core/ids.ts'
import { statement, sql, where } from '../store/sql.ts'
import type { Query } from '../store/sql.ts'
import { testDatabase } from '../store/testing.ts'
import type { TestDatabase } from '../store/testing.ts'
import { listBookings } from './bookings.ts'
import type { Change } from './fold.ts'
import { laneStatements } from './lane-reads.ts'

const workspace = newId()
const MANY = Number(process.env['KONTOR_PLAN_ROWS'] ?? 100_000)

describe('plans of the ledger', () => {
  let database: TestDatabase
  let owner: pg.Client
  before(async () => {
    database = await testDatabase()
    owner = new pg.Client({ connectionString: database.url })
    await owner.connect()
    await owner.query('set plan_cache_mode = force_generic_plan')
  })
  after(async () => {
    await owner.end()
    await database.drop()
  })

  /** Rows from `from` to `to` of every table that grows with history. */
  const grow = async (from: number, to: number) => {
    const range = [workspace, from, to]
    await owner.query(`insert into accounts (workspace, id, type, label, customer_id, system_created_at, system_updated_at) select $1, gen_random_uuid(), 'CUSTOMER', 'x', gen_random_uuid(), 0, 0 from generate_series($2::int, $3::int)`, range)
    await owner.query(`insert into balances (workspace, account_id, asset, total, held_withdrawal, held_trading, floor) select workspace, id, 'EUR', 0, 0, 0, 0 from accounts on conflict do nothing`)
    await owner.query(`insert into idempotency_keys (workspace, key, request_hash, state, created_at) select $1, n::text, ''::bytea, 'DONE', 0 from generate_series($2::int, $3::int) n`, range)
    await owner.query(`insert into holds (workspace, id, kind, account_id, asset, quantity, captured, state, cause_type, cause_id, created_at) select $1, gen_random_uuid(), 'TRADING', gen_random_uuid(), 'EUR', 1, 1, 'ENDED', 'x', gen_random_uuid(), 0 from generate_series($2::int, $3::int)`, range)
    await owner.query(`insert into bookings (workspace, sequence, id, event_sequence, batch_no, type, asset, value_date, booked_at) select $1, n, gen_random_uuid(), n, n, 'MANUAL', 'EUR', 0, n from generate_series($2::int, $3::int) n`, range)
    await owner.query(`insert into legs (workspace, booking_sequence, leg_no, account_id, type, quantity, balance_after) select $1, n, l, md5((n % 500)::text)::uuid, case l when 1 then 'DEBIT' else 'CREDIT' end, 1, 0 from generate_series($2::int, $3::int) n, generate_series(1, 2) l`, range)
    await owner.query(`insert into batches (workspace, batch_no, first_sequence, last_sequence, previous_hash, hash, committed_at) select $1, n, n, n, '', '', n from generate_series($2::int, $3::int) n`, range)
    await owner.query('vacuum analyze')
  }

  const change: Change = {
    workspace, class: 'command', by: 'test',
    idempotency: { key: 'k', request_hash: Buffer.from(''), reply: { data: null } },
    ledger: [
      { step: 'book', booking: { id: newId(), type: 'MANUAL', asset: 'EUR', legs: [{ account_id: newId(), type: 'DEBIT', quantity: 1n }, { account_id: newId(), type: 'CREDIT', quantity: 1n }] } },
      { step: 'release', hold_id: newId() },
    ],
  }

  const planOf = async (query: Query): Promise<string> => {
    const { text } = statement(query)
    const { rows } = await owner.query<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${text}`)
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  }

  const assertIndexed = async (rows: string) => {
    const lists = await Promise.all([{}, { type: ['MANUAL' as const] }, { account_id: newId() }, { reference_id: newId() }, { from: 5, to: 9 }].map((filter) => listBookings(database.db, workspace, filter)))
    const pages = lists.map((list) => sql`${list.select} ${where(list.conditions)} order by ${{ strings: [list.key.column], values: [] }} desc limit 101`)
    for (const query of [...laneStatements(workspace, [change]), ...pages]) {
      const plan = await planOf(query)
      assert.doesNotMatch(plan, /Seq Scan on (?!lanes)/, `${rows}: ${statement(query).text}\n${plan}`)
      assert.doesNotMatch(plan, /Hash Join/, `${rows}: ${statement(query).text}\n${plan}`)
    }
  }

  it('uses indexes with a thousand rows', async () => {
    await grow(1, 1000)
    await assertIndexed('10³ rows')
  })

  it(`uses indexes with ${MANY} rows`, async () => {
    await grow(1001, MANY)
    await assertIndexed(`${MANY} rows`)
  })
})
