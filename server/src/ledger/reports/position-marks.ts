/**
 * What the accounts of the house and of its venues held at the end of each quarter of an hour.
 * Written beside the bookings, never in their transaction; a picture of many days reads one row for
 * each account, asset and day, however much has been booked.
 */
import type { Clock } from '../../core/clock.ts'
import { decimal } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import type { AccountId, VenueId, WorkspaceId } from '../../core/ids.ts'
import { only } from '../../store/db.ts'
import type { Db } from '../../store/db.ts'
import { raw, sql } from '../../store/sql.ts'
import type { AccountType } from '../ledger.schema.ts'
import { firstUnbookedSequence } from './books.ts'
import type { BooksReader } from './books.ts'
import { houseAccountsOf } from './desk-feed.ts'
import { LEGS_OF_EACH, markBooks } from './marks.ts'

const QUARTER_MILLISECONDS = 900_000
const QUARTER = raw(`b.booked_at / ${QUARTER_MILLISECONDS}`)
const BOOKINGS_AT_ONCE = 20_000
/** After these the task pauses, so that what is behind is caught up beside the work of the day. */
const MOST_STEPS = 10

/** What the books are marked by for reports, beside whoever books. */
export async function keepMarks(app: { db: Db; clock: Clock }): Promise<void> {
  await markBooks(app)
  await markPositions(app)
}

/** Marks what was booked since it was last called. Safe in several processes. */
export async function markPositions(
  { db }: { db: Db },
  { steps = MOST_STEPS, at_once = BOOKINGS_AT_ONCE } = {},
): Promise<void> {
  for (let step = 0; step < steps; step += 1) {
    const due = await db.query<{ workspace: WorkspaceId }>(sql`
      select l.workspace
      from lanes l
      left join position_readings r on r.workspace = l.workspace
      where l.booking_sequence > coalesce(r.sequence, 0)`)
    if (due.length === 0) return
    for (const { workspace } of due) await markSome(db, workspace, at_once)
  }
}

function markSome(db: Db, workspace: WorkspaceId, at_once: number): Promise<void> {
  return db.tx(async (tx) => {
    await tx.query(sql`
      insert into position_readings (workspace, sequence)
      values (${workspace}, 0)
      on conflict do nothing`)
    const mine = only(
      await tx.query<{ last: number; upto: number }>(sql`
        select r.sequence as last, least(l.booking_sequence, r.sequence + ${at_once}) as upto
        from position_readings r
        join lanes l on l.workspace = r.workspace
        where r.workspace = ${workspace}
        for update of r skip locked`),
    )
    // Another process is at it.
    if (mine === undefined || mine.upto <= mine.last) return
    await tx.query(sql`
      insert into position_marks (workspace, account_id, asset, quarter, total)
      select distinct on (l.account_id, b.asset, ${QUARTER}) ${workspace}::uuid, l.account_id,
        b.asset, ${QUARTER}, l.balance_after
      from bookings b
      cross join lateral (${LEGS_OF_EACH}) l
      join accounts a on a.workspace = b.workspace
        and a.id = l.account_id
        and a.customer_id is null
      where b.workspace = ${workspace}
        and b.sequence > ${mine.last}
        and b.sequence <= ${mine.upto}
      order by l.account_id, b.asset, ${QUARTER}, l.booking_sequence desc, l.leg_no desc
      on conflict (workspace, account_id, asset, quarter)
        do update
        set total = excluded.total`)
    await tx.query(sql`
      update position_readings
      set sequence = ${mine.upto}
      where workspace = ${workspace}`)
  })
}

/** One account and asset; a total for each moment that was asked for, in the normal sign. */
export type PositionLine = {
  account_id: AccountId
  type: AccountType
  venue_id: VenueId | null
  label: string
  asset: string
  totals: (Decimal | null)[]
}

/**
 * What was booked before each of these moments on the accounts of the house and its venues. Each is
 * the end of a quarter of an hour, oldest first; `undefined` is now. Null for a moment whose
 * bookings are not all marked yet, which is for seconds.
 */
export async function positionsAt(
  books: BooksReader,
  moments: readonly (number | undefined)[],
): Promise<PositionLine[]> {
  const { reader, workspace } = books
  const known = await knownUntil(
    books,
    moments.filter((at) => at !== undefined),
  )
  const rows = await reader.query<
    Omit<PositionLine, 'totals'> & { total: string; marks: (string | null)[] }
  >(sql`
    select a.id as account_id, a.type, a.venue_id, a.label, b.asset, b.total,
      array(
        select (
          select m.total
          from position_marks m
          where m.workspace = ${workspace}
            and m.account_id = a.id
            and m.asset = b.asset
            and m.quarter < moment.quarter
          order by m.quarter desc
          limit 1
        )::text
        from unnest(${moments.map((at) => quarterOf(at))}::bigint[])
          with ordinality as moment (quarter, place)
        order by moment.place
      ) as marks
    from (${houseAccountsOf(workspace)}) a
    join balances b on b.workspace = ${workspace}
      and b.account_id = a.id
    order by a.type, a.label, a.id, b.asset`)
  return rows.map(({ marks, total, ...line }) => ({
    ...line,
    totals: moments.map((at, place) => {
      if (at === undefined) return decimal(total)
      return at <= known ? decimal(marks[place] ?? '0') : null
    }),
  }))
}

const quarterOf = (at: number | undefined): number => Math.floor((at ?? 0) / QUARTER_MILLISECONDS)

/** The newest of these moments before which everything is marked; -1 when there is none. */
async function knownUntil(books: BooksReader, moments: readonly number[]): Promise<number> {
  const { reader, workspace } = books
  const reading = only(
    await reader.query<{ sequence: number }>(sql`
      select sequence
      from position_readings
      where workspace = ${workspace}`),
  )
  const marked = reading?.sequence ?? 0
  for (const at of moments.toReversed())
    if ((await firstUnbookedSequence(books, at, 'day')) <= marked + 1) return at
  return -1
}
