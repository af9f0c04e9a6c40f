/** What the changes of a batch did for calls, as entries of the audit trail. */
import type { WorkspaceId } from '../../core/ids.ts'
import { effectEntries } from '../../store/calls.ts'
import type { RecordedEffect } from '../../store/calls.ts'
import type { Query } from '../../store/sql.ts'
import type { Change, Writes } from '../changes.ts'

export function recordStatements(
  workspace: WorkspaceId,
  at: number,
  { accepted, moves }: Pick<Writes, 'accepted' | 'moves'>,
): Query[] {
  const effects = accepted.flatMap((change) => effectsOf(change, moves))
  return effects.length === 0 ? [] : [effectEntries(workspace, at, effects)]
}

/**
 * One for each record that the change tells of: by its events, else by its bookings, else by the
 * rows that it moves.
 */
function effectsOf(change: Change, moves: Writes['moves']): RecordedEffect[] {
  const { call, events = [], ledger = [], guards = [] } = change
  if (call === undefined) return []
  const effect = (record_id: string | null, details: object = {}): RecordedEffect => ({
    call,
    record_id,
    details: { ...details, ...movedOf(change, record_id, moves) },
  })
  if (events.length > 0)
    return [...Map.groupBy(events, ({ resource_id }) => resource_id)].map(([record_id, told]) =>
      effect(record_id, { events: told.map(({ type }) => type) }),
    )
  const ids = ledger.flatMap((step) => (step.step === 'book' ? [step.booking.id] : []))
  if (ids.length === 0) ids.push(...guards.flatMap(({ id, kept }) => (kept === true ? [] : [id])))
  return ids.length === 0 ? [effect(call.record_id)] : ids.map((id) => effect(id))
}

/** The state of the record before and after, where it moved. */
function movedOf({ call, guards }: Change, record_id: string | null, moves: Writes['moves']) {
  if (guards === undefined) return {}
  const own = moves.find((move) => move.call === call && move.guard.id === record_id)
  const { guard, was } = own ?? {}
  if (guard?.to === undefined || guard.to === was) return {}
  return { changes: [{ id: guard.id, before: { state: was }, after: { state: guard.to } }] }
}
