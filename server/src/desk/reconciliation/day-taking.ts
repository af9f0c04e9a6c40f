/**
 * The days of a venue: what it held and what the books said when they were last compared on a day
 * (UTC). A day is taken by the first comparison after it, from the lines as that finds them, under
 * the lane's lock: so it is exactly the last comparison of the day, whoever makes the next one.
 */
import { DAY_MILLISECONDS, dayAt } from '../../core/days.ts'
import { withFailpoints } from '../../core/failpoint.ts'
import { newId } from '../../core/ids.ts'
import { lockLane } from '../../ledger/index.ts'
import { only } from '../../store/db.ts'
import type { Db, Reader, Tx } from '../../store/db.ts'
import { insertRow } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import type { VenueRecord } from '../../venues/index.ts'
import { DAYS } from './days.schema.ts'
import { BREAK_MOVES } from './reconciliation.schema.ts'

/** Of the days on which nothing was compared, the last ones: nobody signs off years of them. */
const MOST_DAYS = 31

const TAKER = 'desk'

type Venue = Pick<VenueRecord, 'workspace' | 'id'>

/** The midnight before it, UTC. */
export const startOf = (day: string): number => Date.parse(day)
export const endOf = (day: string): number => startOf(day) + DAY_MILLISECONDS

/**
 * A venue that does not answer is compared no more: its days are taken all the same. Called as
 * often as it is looked at, and works once a day.
 */
export async function takeMissedDays(db: Db, venue: Venue, now: number): Promise<void> {
  const last = await lastComparison(db, venue)
  if (last === undefined || dayAt(last) >= dayAt(now)) return
  const yesterday = dayAt(now - DAY_MILLISECONDS)
  const taken = await db.query(sql`
    select 1
    from reconciliation_days
    where workspace = ${venue.workspace}
      and venue_id = ${venue.id}
      and day = ${yesterday}`)
  if (taken.length > 0) return
  await db.tx(async (tx) => {
    await lockLane(tx, venue.workspace)
    await takeDays(tx, venue, now)
  })
}

/**
 * Under the lane's lock, before anything is compared: takes the day of the last comparison, and the
 * days since on which there was none. Nothing while that day lasts.
 */
export async function takeDays(tx: Tx, venue: Venue, now: number): Promise<void> {
  const last = await lastComparison(tx, venue)
  if (last === undefined || dayAt(last) >= dayAt(now)) return
  const id = await insertDay(tx, venue, { day: dayAt(last), compared_at: last, now })
  if (id !== undefined)
    await withFailpoints('reconciliation.day', venue.id, () => tx.query(insertLines(venue, id)))
  const today = startOf(dayAt(now))
  const first = Math.max(endOf(dayAt(last)), today - MOST_DAYS * DAY_MILLISECONDS)
  for (let at = first; at < today; at += DAY_MILLISECONDS)
    await insertDay(tx, venue, { day: dayAt(at), compared_at: null, now })
}

async function lastComparison(
  reader: Reader,
  { workspace, id }: Venue,
): Promise<number | undefined> {
  const row = only(
    await reader.query<{ last: number | null }>(sql`
      select max(compared_at) as last
      from positions
      where workspace = ${workspace}
        and venue_id = ${id}`),
  )
  return row?.last ?? undefined
}

/** Undefined for a day that was taken before. */
async function insertDay(
  tx: Tx,
  { workspace, id: venue_id }: Venue,
  { day, compared_at, now }: { day: string; compared_at: number | null; now: number },
): Promise<string | undefined> {
  const row = { workspace, id: newId(now), venue_id, day, ends_at: endOf(day) }
  const none = { line_count: 0, differing_count: 0 }
  const insert = insertRow(
    DAYS,
    { ...row, state: 'OPEN', compared_at, ...none },
    { by: TAKER, now },
  )
  const taken = await tx.query<{ id: string }>(sql`
    ${insert}
    on conflict (workspace, venue_id, day) do nothing
    returning id`)
  return only(taken)?.id
}

/**
 * As positions.ts reads them: what lies in no wallet is a line where there is something, or nothing
 * else; it has the time at which its asset was compared.
 */
export const insertLines = ({ workspace, id: venue_id }: Venue, day: string): Query => sql`
    with line as (
      insert into reconciliation_lines (
        workspace, day_id, line_no, asset, wallet, state, ledger, venue, on_the_way, difference,
        since, compared_at, break_id
      )
      select p.workspace, ${day}::uuid,
        row_number() over (order by p.asset, p.wallet = '', p.wallet), p.asset, p.wallet,
        case when o.id is not null then 'BREAK' when p.difference = 0 then 'BALANCED' when
          p.difference = p.accepted then 'ACCEPTED' else 'CHECKING' end,
        p.ledger, p.venue, p.on_the_way, p.difference, p.since, p.asset_compared_at,
        coalesce(o.id, a.id)
      from (
        select *, max(compared_at) over asset as asset_compared_at,
          count(*) over asset as lines_of_asset
        from positions
        where workspace = ${workspace}
          and venue_id = ${venue_id}
        window asset as (partition by asset)
      ) p
      left join breaks o on o.workspace = p.workspace
        and o.venue_id = p.venue_id
        and o.asset = p.asset
        and coalesce(o.wallet, '') = p.wallet
        and ${stateIn(BREAK_MOVES, 'OPEN', 'o.state')}
      left join lateral (${acceptedBy}) a on true
      where p.lines_of_asset = 1
        or p.wallet <> ''
        or p.ledger <> 0
        or p.venue <> 0
        or p.on_the_way <> 0
        or o.id is not null
      returning difference
    )
    update reconciliation_days
    set line_count = (
      select count(*)
      from line
    ),
      differing_count = (
        select count(*)
        from line
        where difference <> 0
      )
    where workspace = ${workspace}
      and id = ${day}`

/** The break that was closed over the difference of `positions p`. */
const acceptedBy = sql`
  select b.id
  from breaks b
  where p.difference <> 0
    and p.difference = p.accepted
    and b.workspace = p.workspace
    and b.venue_id = p.venue_id
    and b.asset = p.asset
    and coalesce(b.wallet, '') = p.wallet
    and b.difference = p.accepted
    and b.closed_reason = 'BY_HAND'
  order by b.closed_at desc
  limit 1`
