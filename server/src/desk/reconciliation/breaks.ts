/**
 * Breaks: differences between a venue and the books that no timing explains. Events report when
 * they open and close.
 */
import type { Clock } from '../../core/clock.ts'
import { notFound, refuse } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { BreakId, VenueId, WorkspaceId } from '../../core/ids.ts'
import { moveFromAny } from '../../core/moves.ts'
import type { Caller, ListQuery } from '../../http/index.ts'
import { lockLane, publishEvents } from '../../ledger/index.ts'
import type { EventDraft } from '../../ledger/index.ts'
import { only } from '../../store/db.ts'
import type { Reader, Tx } from '../../store/db.ts'
import { allColumnsOf, insertRow, tableOf, updateRow } from '../../store/rows.ts'
import { columnIn, sql } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import type { Cause } from './break-causes.ts'
import { BREAK_MOVES, BreakRecord } from './reconciliation.schema.ts'
import type { Break, BreakCause, BreakState } from './reconciliation.schema.ts'

const BREAKS = tableOf('breaks', BreakRecord, { computed: ['age_ms'] })
const BREAK_COLUMNS = allColumnsOf(BREAKS)
const CLOSES = moveFromAny(BREAK_MOVES, 'CLOSED')

type BreakRow = Omit<Break, 'age_ms'>

type BreakFigures = Pick<
  Break,
  'venue_id' | 'wallet' | 'asset' | 'ledger' | 'venue' | 'on_the_way' | 'difference'
>

export type OpenBreak = Pick<
  Break,
  'id' | 'venue_id' | 'wallet' | 'asset' | 'difference' | 'cause' | 'first_seen_at'
>

const WORKER = 'desk'

export function openBreaks(
  reader: Reader,
  workspace: WorkspaceId,
  venue_id: VenueId,
): Promise<OpenBreak[]> {
  return reader.query<OpenBreak>(
    sql`
      select id, venue_id, wallet, asset, difference, cause, first_seen_at
      from breaks
      where workspace = ${workspace}
        and venue_id = ${venue_id}
        and ${stateIn(BREAK_MOVES, 'OPEN')}`,
  )
}

/** The transaction that compares a venue with the books. */
type ComparingTransaction = { tx: Tx; workspace: WorkspaceId; now: number }

/** Answers the event. */
export async function openBreak(
  { tx, workspace, now }: ComparingTransaction,
  figures: BreakFigures,
  cause: Cause,
  first_seen_at: number,
): Promise<EventDraft> {
  const id = newId(now)
  await tx.query(
    insertRow(
      BREAKS,
      { workspace, id, state: 'OPEN', ...figures, ...cause, first_seen_at, last_seen_at: now },
      { by: WORKER, now },
    ),
  )
  return { type: 'break.opened', resource_id: id, data: { ...figures, ...cause, first_seen_at } }
}

/** Stores the figures and the cause of now. */
export async function refreshBreak(
  { tx, workspace, now }: ComparingTransaction,
  { id }: OpenBreak,
  { ledger, venue, on_the_way, difference }: BreakFigures,
  cause: Cause,
): Promise<void> {
  await tx.query(
    updateRow(BREAKS, {
      where: { workspace, id, state: 'OPEN' },
      set: { ledger, venue, on_the_way, difference, ...cause, last_seen_at: now },
      by: WORKER,
      now,
    }),
  )
}

/** Answers the event. */
export async function closeVanishedBreak(
  { tx, workspace, now }: ComparingTransaction,
  open: OpenBreak,
): Promise<EventDraft> {
  const closed = { closed_by: WORKER, closed_reason: 'RESOLVED' } as const
  await tx.query(
    updateRow(BREAKS, {
      where: { workspace, id: open.id },
      move: CLOSES,
      set: { ...closed, closed_at: now },
      by: WORKER,
      now,
    }),
  )
  return closedEvent(open, { ...closed, note: null })
}

const closedEvent = (
  { id, venue_id, wallet, asset, difference, cause, first_seen_at }: OpenBreak,
  how: { closed_reason: string; note: string | null; closed_by: string },
): EventDraft => ({
  type: 'break.closed',
  resource_id: id,
  data: { venue_id, wallet, asset, difference, cause, first_seen_at, ...how },
})

/**
 * Closes a break and accepts its difference: only another one opens a break again. Throws 4004, and
 * 3001 STATE_NOT_ALLOWED for one that is closed.
 */
export async function closeBreak(
  { workspace, by }: Pick<Caller, 'workspace' | 'by'>,
  { tx, clock }: { tx: Tx; clock: Clock },
  id: BreakId,
  note: string,
): Promise<Break> {
  await lockLane(tx, workspace)
  const known = only(
    await tx.query<BreakRow>(
      sql`
        select ${BREAK_COLUMNS}
        from breaks
        where workspace = ${workspace}
          and id = ${id}`,
    ),
  )
  if (known === undefined) throw notFound('break', id, 'break_id')
  if (!CLOSES.from.includes(known.state))
    throw refuse(
      'STATE_NOT_ALLOWED',
      'break_id',
      `break ${id} is ${known.state}; this needs ${CLOSES.from.join(' or ')}`,
    )
  const now = clock.now()
  const closed = { closed_by: by, closed_reason: 'BY_HAND', note } as const
  const update = updateRow(BREAKS, {
    where: { workspace, id },
    move: CLOSES,
    set: { ...closed, closed_at: now },
    by,
    now,
  })
  const [row] = await tx.query<BreakRow>(sql`${update} returning ${BREAK_COLUMNS}`)
  await tx.query(
    sql`
      update positions
      set accepted = ${known.difference}
      where workspace = ${workspace}
        and venue_id = ${known.venue_id}
        and asset = ${known.asset}
        and wallet = ${known.wallet ?? ''}`,
  )
  await publishEvents({ workspace, by }, { tx, clock }, [closedEvent(known, closed)])
  return withAge(row as BreakRow, now)
}

const withAge = (row: BreakRow, now: number): Break => ({
  ...row,
  age_ms: Math.max(0, (row.closed_at ?? now) - row.first_seen_at),
})

/** Those with these ids, the first seen first. */
export async function breaksAmong(
  reader: Reader,
  workspace: WorkspaceId,
  ids: readonly string[],
  now: number,
): Promise<Break[]> {
  const rows = await reader.query<BreakRow>(sql`
    select ${BREAK_COLUMNS}
    from breaks
    where workspace = ${workspace}
      and id = any(${ids}::uuid[])
    order by first_seen_at, id`)
  return rows.map((row) => withAge(row, now))
}

type BreakFilter = {
  state?: BreakState[]
  venue_id?: VenueId
  asset?: string[]
  cause?: BreakCause[]
}

export function listBreaks(
  clock: Clock,
  workspace: WorkspaceId,
  filter: BreakFilter,
): ListQuery<Break> {
  return {
    select: sql`
      select ${BREAK_COLUMNS}
      from breaks`,
    conditions: [
      sql`workspace = ${workspace}`,
      ...(filter.state === undefined ? [] : [columnIn('state', filter.state)]),
      ...(filter.venue_id === undefined ? [] : [sql`venue_id = ${filter.venue_id}`]),
      ...(filter.asset === undefined ? [] : [sql`asset = any(${filter.asset})`]),
      ...(filter.cause === undefined ? [] : [sql`cause = any(${filter.cause})`]),
    ],
    key: { column: 'id', type: 'uuid' },
    item: (row: BreakRow) => withAge(row, clock.now()),
  }
}
