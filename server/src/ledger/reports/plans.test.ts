/**
 * The lane, the lists and the books of a past moment stay on their indexes, with a thousand rows
 * and with a hundred times as many (KONTOR_PLAN_ROWS for more): cost does not grow with history.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { systemClock } from '../../core/clock.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { page } from '../../http/index.ts'
import type { Reader } from '../../store/db.ts'
import { statement, sql, where } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { openPlannedReads } from '../../store/planned-reads.testing.ts'
import type { PlannedReads } from '../../store/planned-reads.testing.ts'
import { listBookings } from '../bookings.ts'
import { balancesAt, trialBalance } from './books.ts'
import { markBooks } from './marks.ts'
import { positionsBefore } from './day-positions.ts'
import { periodBalance } from './period-balance.ts'
import { statementOf } from './statement.ts'
import type { Change } from '../changes.ts'
import type { BookingType } from '../ledger.schema.ts'
import { laneStatements } from '../lane/reads.ts'

const workspace = newId<WorkspaceId>()
const books = (reader: Reader) => ({ reader, clock: systemClock, workspace })
const MARK_EVERY = 1000
/** One row per mark, or per mark, asset and type of account. */
const SMALL_TABLES: ReadonlySet<string> = new Set(['book_marks', 'trial_marks'])
const MANY = Number(process.env['KONTOR_PLAN_ROWS'] ?? 100_000)

describe('plans of the ledger', () => {
  let reads: PlannedReads
  let database: PlannedReads['database']
  let owner: PlannedReads['owner']
  let rowsRead: PlannedReads['rowsRead']
  before(async () => {
    reads = await openPlannedReads(SMALL_TABLES)
    database = reads.database
    owner = reads.owner
    rowsRead = reads.rowsRead
    // The accounts that the legs name.
    await owner.query(
      `
        insert into accounts (
          workspace, id, type, label, customer_id, system_created_at, system_updated_at
        )
        select $1, md5(n::text)::uuid, 'CUSTOMER', 'x', gen_random_uuid(), 0, 0
        from generate_series(0, 499) n`,
      [workspace],
    )
    await owner.query(
      `
        insert into balances (workspace, account_id, asset, total, held_withdrawal, held_trading)
        select $1, md5(n::text)::uuid, 'EUR', 0, 0, 0
        from generate_series(0, 499) n`,
      [workspace],
    )
    await owner.query(
      `
        insert into lanes (
          workspace, booking_sequence, event_sequence, batch_no, last_hash, committed_at
        )
        values ($1, 0, 0, 0, '', 0)`,
      [workspace],
    )
  })
  after(async () => {
    await reads.close()
  })

  const growAccounts = async (range: readonly unknown[]) => {
    await owner.query(
      `
        insert into accounts (
          workspace, id, type, label, customer_id, system_created_at, system_updated_at
        )
        select $1, gen_random_uuid(), 'CUSTOMER', 'x', gen_random_uuid(), 0, 0
        from generate_series($2::int, $3::int)`,
      [...range],
    )
    await owner.query(
      `
        insert into balances (
          workspace, account_id, asset, total, held_withdrawal, held_trading, floor
        )
        select workspace, id, 'EUR', 0, 0, 0, 0
        from accounts
        on conflict do nothing`,
    )
    await owner.query(
      `
        insert into idempotency_keys (workspace, key, request_hash, state)
        select $1, n::text, ''::bytea, 'DONE'
        from generate_series($2::int, $3::int) n`,
      [...range],
    )
    await owner.query(
      `
        insert into holds (
          workspace, id, kind, account_id, asset, quantity, captured, state, cause_type, cause_id,
          created_at
        )
        select $1, gen_random_uuid(), 'TRADING', gen_random_uuid(), 'EUR', 1, 1, 'ENDED', 'x',
          gen_random_uuid(), 0
        from generate_series($2::int, $3::int)`,
      [...range],
    )
  }

  const growBookings = async (range: readonly unknown[]) => {
    await owner.query(
      `
        insert into bookings (
          workspace, sequence, id, event_sequence, batch_no, type, asset, value_date, booked_at
        )
        select $1, n, gen_random_uuid(), n, n, 'MANUAL', 'EUR',
          case when n % 500 = 0 then n + 50 else 0 end, n
        from generate_series($2::int, $3::int) n`,
      [...range],
    )
    await owner.query(
      `
        insert into legs (
          workspace, booking_sequence, leg_no, account_id, type, quantity, balance_after,
          booking_type
        )
        select $1, n, l,
          case when l = 2 and n % 2 = 0 then md5('8') else md5((n % 500)::text) end::uuid,
          case l when 1 then 'DEBIT' else 'CREDIT' end, 1, 1, 'MANUAL'
        from generate_series($2::int, $3::int) n, generate_series(1, 2) l`,
      [...range],
    )
    await owner.query(
      `
        insert into batches (
          workspace, batch_no, first_sequence, last_sequence, previous_hash, hash, committed_at
        )
        select $1, n, n, n, '', '', n
        from generate_series($2::int, $3::int) n`,
      [...range],
    )
  }

  /** Rows from `from` to `to` of every table that grows with history. */
  const grow = async (from: number, to: number, analyze = true) => {
    await growAccounts([workspace, from, to])
    await growBookings([workspace, from, to])
    await owner.query('update lanes set booking_sequence = $2 where workspace = $1', [
      workspace,
      to,
    ])
    await markBooks({ db: database.db, clock: systemClock }, MARK_EVERY)
    if (analyze) await owner.query('vacuum analyze')
  }

  const change: Change = {
    workspace,
    class: 'command',
    by: 'test',
    idempotency: { key: 'k', request_hash: Buffer.from(''), reply: { data: null } },
    ledger: [
      {
        step: 'book',
        booking: {
          id: newId(),
          type: 'MANUAL',
          asset: 'EUR',
          legs: [
            { account_id: newId(), type: 'DEBIT', quantity: 1n },
            { account_id: newId(), type: 'CREDIT', quantity: 1n },
          ],
        },
      },
      { step: 'release', hold_id: newId() },
    ],
  }

  const planOf = async (query: Query): Promise<string> => {
    const { text } = statement(query)
    const { rows } = await owner.query<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${text}`)
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  }

  const assertIndexed = async (rows: string) => {
    const lists = await Promise.all(
      [
        {},
        { type: ['MANUAL' as const] },
        { account_id: newId() },
        { account_id: newId(), type: ['MANUAL' as const] },
        { reference_id: newId() },
        { from: 5, to: 9 },
      ].map((filter) => listBookings(database.db, workspace, filter)),
    )
    const pages = lists.map(
      (list) =>
        sql`
          ${list.select} ${where(list.conditions)}
          order by ${{ strings: [list.key.column], values: [] }} desc
          limit 101`,
    )
    for (const query of [...laneStatements(workspace, [change], systemClock.now()), ...pages]) {
      const plan = await planOf(query)
      assert.doesNotMatch(
        plan,
        /Seq Scan on (?!lanes)/,
        `${rows}: ${statement(query).text}\n${plan}`,
      )
      assert.doesNotMatch(plan, /Hash Join/, `${rows}: ${statement(query).text}\n${plan}`)
    }
  }

  /** The books of the middle of what there is, whose mark is half an interval behind. */
  const assertBooks = async (rows: string, booked: number) => {
    const at = booked / 2 + MARK_EVERY / 2
    const {
      rows: [account],
    } = await owner.query<{ id: string }>(`select md5('7')::uuid as id`)
    const id = account?.id ?? ''
    const reads: [string, number, (reader: Reader) => Promise<unknown>][] = [
      ['balances', 50, (reader) => balancesAt(books(reader), id, at)],
      ['trial balance', 5 * MARK_EVERY, (reader) => trialBalance(books(reader), at)],
      [
        'period',
        6 * MARK_EVERY,
        (reader) => periodBalance(reader, workspace, { upto: at, ends_at: at - 200 }),
      ],
      [
        // A page passes the many accounts that never held anything.
        'positions',
        50 * MARK_EVERY,
        async (reader) => {
          const list = await positionsBefore(books(reader), at, {})
          const key = { column: 'b.account_id', type: 'uuid', second: 'b.asset' } as const
          await page(reader, { ...list, key }, 100, undefined)
        },
      ],
      [
        'statement',
        500,
        async (reader) => {
          const list = await statementOf(books(reader), id, {
            from: at / 2,
            to: at,
          })
          await list.head?.()
          await list.tail?.()
          await reader.query(
            sql`
              ${list.select} ${where(list.conditions)}
              order by ${{ strings: [list.key.column], values: [] }}
              limit 101`,
          )
        },
      ],
    ]
    for (const [name, most, read] of reads) {
      const taken = await rowsRead(rows, read)
      assert.ok(taken > 0 && taken <= most, `${rows}: ${name} read ${taken} rows, ${most} at most`)
    }
  }

  it('uses indexes with a thousand rows', async () => {
    await grow(1, 1000)
    await assertIndexed('10³ rows')
  })

  it('reads the marks and what was booked after them, with four thousand rows', async () => {
    await grow(1001, 4000)
    await assertBooks('4000 rows', 4000)
  })

  it('also of bookings that the statistics do not know yet', async () => {
    await grow(4001, 5000, false)
    const taken = await rowsRead('5000 rows', (reader) => trialBalance(books(reader), 4990))
    assert.ok(taken > MARK_EVERY && taken <= 5 * MARK_EVERY, `it read ${taken} rows`)
  })

  it(`uses indexes with ${MANY} rows`, async () => {
    await grow(5001, MANY)
    await assertIndexed(`${MANY} rows`)
  })

  it(`reads no more of them with ${MANY} rows`, () => assertBooks(`${MANY} rows`, MANY))

  it('reads a page of an account that is in half of all bookings from its key on', async () => {
    const {
      rows: [busy],
    } = await owner.query<{ id: string }>(`select md5('8')::uuid as id`)
    const cursor = Buffer.from(String(MANY / 2)).toString('base64url')
    const taken = await rowsRead(`${MANY} rows`, async (reader) =>
      page(
        reader,
        await listBookings(reader, workspace, { account_id: busy?.id ?? '' }),
        100,
        cursor,
      ),
    )
    assert.ok(taken > 100 && taken <= 1000, `it read ${taken} rows`)
  })

  it('reads none of its legs where the account has no booking of the types', async () => {
    const {
      rows: [busy],
    } = await owner.query<{ id: string }>(`select md5('8')::uuid as id`)
    const filter = { account_id: busy?.id ?? '', type: ['DEPOSIT', 'OPENING'] as BookingType[] }
    const taken = await rowsRead(`${MANY} rows`, async (reader) =>
      page(reader, await listBookings(reader, workspace, filter), 100, undefined),
    )
    assert.equal(taken, 0)
  })
})
