/**
 * Breaks: differences between a venue and the books that are nobody's timing. Told by events when
 * they open and close.
 */
import type { Clock } from '../../core/clock.ts'
import { notFound, refuse } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { BreakId, VenueId, WorkspaceId } from '../../core/ids.ts'
import type { ListQuery } from '../../http/index.ts'
import { lockLane, publishEvents } from '../../ledger/index.ts'
import type { EventDraft } from '../../ledger/index.ts'
import { only } from '../../store/db.ts'
import type { Reader, Tx } from '../../store/db.ts'
import { columnIn, raw, sql } from '../../store/sql.ts'
import type { Cause } from './break-causes.ts'
import type { Break, BreakCause, BreakState } from './reconciliation.schema.ts'

const BREAK_COLUMNS = raw(`
    id, workspace, state, venue_id, wallet, asset, ledger, venue, on_the_way, difference, cause,
      explanation, cause_resource_id, first_seen_at, last_seen_at, closed_at, closed_by,
      closed_reason, note, system_created_at, system_created_by, system_updated_at,
      system_updated_by, version`)

type BreakRow = Omit<Break, 'age_ms'>

export type BreakFigures = Pick<
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
        and state = 'OPEN'`,
  )
}

/** Answers the event that tells of it. */
export async function openBreak(
  tx: Tx,
  workspace: WorkspaceId,
  figures: BreakFigures,
  cause: Cause,
  first_seen_at: number,
  now: number,
): Promise<EventDraft> {
  const id = newId(now)
  await tx.query(sql`
    insert into breaks (
      workspace, id, state, venue_id, wallet, asset, ledger, venue, on_the_way, difference, cause,
      explanation, cause_resource_id, first_seen_at, last_seen_at, system_created_at,
      system_created_by, system_updated_at, system_updated_by
    )
    values (
      ${workspace}, ${id}, 'OPEN', ${figures.venue_id}, ${figures.wallet}, ${figures.asset},
      ${figures.ledger}, ${figures.venue}, ${figures.on_the_way}, ${figures.difference},
      ${cause.cause}, ${cause.explanation}, ${cause.cause_resource_id}, ${first_seen_at}, ${now},
      ${now}, ${WORKER}, ${now}, ${WORKER}
    )`)
  return { type: 'break.opened', resource_id: id, data: { ...figures, ...cause, first_seen_at } }
}

/** Still there: with the figures and the cause of now. */
export async function refreshBreak(
  tx: Tx,
  workspace: WorkspaceId,
  { id }: OpenBreak,
  figures: BreakFigures,
  cause: Cause,
  now: number,
): Promise<void> {
  await tx.query(sql`
    update breaks
    set ledger = ${figures.ledger}, venue = ${figures.venue}, on_the_way = ${figures.on_the_way},
      difference = ${figures.difference}, cause = ${cause.cause},
      explanation = ${cause.explanation}, cause_resource_id = ${cause.cause_resource_id},
      last_seen_at = ${now}, version = version + 1, system_updated_at = ${now},
      system_updated_by = ${WORKER}
    where workspace = ${workspace}
      and id = ${id}
      and state = 'OPEN'`)
}

/** Answers the event that tells of it. */
export async function closeVanishedBreak(
  tx: Tx,
  workspace: WorkspaceId,
  open: OpenBreak,
  now: number,
): Promise<EventDraft> {
  await tx.query(sql`
    update breaks
    set state = 'CLOSED', closed_at = ${now}, closed_by = ${WORKER}, closed_reason = 'RESOLVED',
      version = version + 1, system_updated_at = ${now}, system_updated_by = ${WORKER}
    where workspace = ${workspace}
      and id = ${open.id}
      and state = 'OPEN'`)
  return closedEvent(open, { closed_reason: 'RESOLVED', note: null, closed_by: WORKER })
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
 * Closes it over its difference: only another one opens a break again. Throws 4004, and 3001
 * STATE_NOT_ALLOWED for one that is closed.
 */
export async function closeBreak(
  tx: Tx,
  clock: Clock,
  workspace: WorkspaceId,
  id: BreakId,
  note: string,
  by: string,
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
  if (known.state !== 'OPEN')
    throw refuse('STATE_NOT_ALLOWED', 'break_id', `break ${id} is ${known.state}; this needs OPEN`)
  const now = clock.now()
  const [row] = await tx.query<BreakRow>(sql`
    update breaks
    set state = 'CLOSED', closed_at = ${now}, closed_by = ${by}, closed_reason = 'BY_HAND',
      note = ${note}, version = version + 1, system_updated_at = ${now}, system_updated_by = ${by}
    where workspace = ${workspace}
      and id = ${id}
    returning ${BREAK_COLUMNS}`)
  await tx.query(
    sql`
      update positions
      set accepted = ${known.difference}
      where workspace = ${workspace}
        and venue_id = ${known.venue_id}
        and asset = ${known.asset}
        and wallet = ${known.wallet ?? ''}`,
  )
  await publishEvents({ workspace, by }, { tx, clock }, [
    closedEvent(known, { closed_reason: 'BY_HAND', note, closed_by: by }),
  ])
  return withAge(row as BreakRow, now)
}

const withAge = (row: BreakRow, now: number): Break => ({
  ...row,
  age_ms: Math.max(0, (row.closed_at ?? now) - row.first_seen_at),
})

export type BreakFilter = {
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
