/** What stands beside the chain, against how far it was walked: lane, events, balances, holds. */
import { decimal, format } from '../../core/decimal.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import type { Reader } from '../../store/db.ts'
import { raw, sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import { balanceKey } from '../changes.ts'
import { HOLD_MOVES } from '../ledger.schema.ts'
import type { Verifier } from './verifier.ts'

const EVENTS_AT_ONCE = 20_000
const NAMED_EVENTS = 5

/** The lane's row, and that nothing lies before or behind the chain. */
export async function checkLane(
  reader: Reader,
  workspace: WorkspaceId,
  { sequence, batch_no, event_sequence, hash, fault }: Verifier,
): Promise<void> {
  const [lane] = await reader.query<{
    booking_sequence: number
    batch_no: number
    event_sequence: number
    last_hash: Buffer
  }>(sql`
    select booking_sequence, batch_no, event_sequence, last_hash
    from lanes
    where workspace = ${workspace}`)
  if (lane === undefined) return fault('the workspace has no books')
  if (
    lane.booking_sequence !== sequence ||
    lane.batch_no !== batch_no ||
    !lane.last_hash.equals(hash)
  ) {
    fault(
      `the lane stands at booking ${lane.booking_sequence}, batch ${lane.batch_no}; ` +
        `the rows end at ${sequence}, ${batch_no}`,
    )
  }
  if (lane.event_sequence < event_sequence)
    fault(`the lane stands at event ${lane.event_sequence}; ${event_sequence} were verified`)
  const beyond = async (table: string, column: string, last: number) => {
    const count = (condition: Query) => sql`
      select count(*)
      from ${raw(table)}
      where workspace = ${workspace}
        and ${raw(column)} ${condition}`
    // Apart, as an index serves each side alone.
    const [found] = await reader.query<{ count: number }>(
      sql`select (${count(sql`> ${last}`)}) + (${count(sql`< 1`)}) as count`,
    )
    return found?.count ?? 0
  }
  const bookings = await beyond('bookings', 'sequence', sequence)
  if (bookings > 0) fault(`${bookings} bookings stand outside the chain`)
  const legs = await beyond('legs', 'booking_sequence', sequence)
  if (legs > 0) fault(`${legs} legs belong to no booking`)
  const events = await beyond('events', 'sequence', event_sequence)
  if (events > 0) fault(`${events} events stand outside the sequence`)
}

/** Events and bookings share one sequence: each number once, up to that of the lane. */
export async function checkEvents(
  reader: Reader,
  workspace: WorkspaceId,
  verifier: Verifier,
): Promise<void> {
  const [lane] = await reader.query<{ event_sequence: number }>(sql`
    select event_sequence
    from lanes
    where workspace = ${workspace}`)
  const end = lane?.event_sequence ?? 0
  while (verifier.event_sequence < end) {
    const first = verifier.event_sequence + 1
    const last = Math.min(verifier.event_sequence + EVENTS_AT_ONCE, end)
    for (const { sequence, count } of await eventsNotOnce(reader, workspace, first, last))
      verifier.fault(
        count === 0 ? `event ${sequence} is missing` : `event ${sequence} stands twice`,
      )
    verifier.event_sequence = last
  }
}

/** The first few of these numbers that are not exactly one event. */
function eventsNotOnce(
  reader: Reader,
  workspace: WorkspaceId,
  first: number,
  last: number,
): Promise<{ sequence: number; count: number }[]> {
  return reader.query(sql`
    select wanted.sequence, count(found.sequence) as count
    from generate_series(${first}::bigint, ${last}::bigint) as wanted (sequence)
    left join (
      select sequence
      from events
      where workspace = ${workspace}
        and sequence between ${first} and ${last}
      union all
      select event_sequence
      from bookings
      where workspace = ${workspace}
        and event_sequence between ${first} and ${last}
    ) as found on found.sequence = wanted.sequence
    group by wanted.sequence
    having count(found.sequence) <> 1
    order by wanted.sequence
    limit ${NAMED_EVENTS}`)
}

/** The balance rows and the open holds, against what the legs give. */
export async function checkBalances(
  reader: Reader,
  workspace: WorkspaceId,
  { totals: all, fault }: Verifier,
): Promise<void> {
  const totals = new Map(all)
  const rows = await reader.query<
    Record<
      | 'account_id'
      | 'asset'
      | 'total'
      | 'held_withdrawal'
      | 'held_trading'
      | 'unsettled'
      | 'open_withdrawal'
      | 'open_trading'
      | 'open_unsettled',
      string
    >
  >(sql`
    select b.account_id, b.asset, b.total, b.held_withdrawal, b.held_trading, b.unsettled,
      coalesce(
        sum(h.quantity - h.captured - h.released) filter (where h.kind = 'WITHDRAWAL'), 0
      ) as open_withdrawal,
      coalesce(
        sum(h.quantity - h.captured - h.released) filter (where h.kind = 'TRADING'), 0
      ) as open_trading,
      coalesce(
        sum(h.quantity - h.captured - h.released) filter (where h.kind = 'UNSETTLED'), 0
      ) as open_unsettled
    from balances b
    left join holds h on h.workspace = b.workspace
      and h.account_id = b.account_id
      and h.asset = b.asset
      and ${stateIn(HOLD_MOVES, 'OPEN', 'h.state')}
    where b.workspace = ${workspace}
    group by b.account_id, b.asset, b.total, b.held_withdrawal, b.held_trading, b.unsettled`)
  for (const row of rows) {
    const key = balanceKey(row.account_id, row.asset)
    const total = totals.get(key) ?? 0n
    totals.delete(key)
    const of = `account ${row.account_id} ${row.asset}`
    if (total !== decimal(row.total))
      fault(`${of}: balance ${row.total}, the legs give ${format(total)}`)
    if (row.held_withdrawal !== row.open_withdrawal)
      fault(`${of}: held for withdrawals ${row.held_withdrawal}, open holds ${row.open_withdrawal}`)
    if (row.held_trading !== row.open_trading)
      fault(`${of}: held for trading ${row.held_trading}, open holds ${row.open_trading}`)
    if (row.unsettled !== row.open_unsettled)
      fault(`${of}: unsettled ${row.unsettled}, open credits ${row.open_unsettled}`)
  }
  for (const [key, total] of totals) {
    if (total !== 0n) fault(`account ${key}: no balance row, the legs give ${format(total)}`)
  }
}
