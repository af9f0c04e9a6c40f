import type { WorkspaceId } from '../core/ids.ts'
import { TRADES_TASK } from '../trading/index.ts'
import type { VenueRecord } from '../venues/index.ts'

/** By which the worker connects venues and reads them. */
export function tasksOfVenues(
  venues: readonly VenueRecord[],
  { workspace, due_at }: { workspace: WorkspaceId; due_at: number },
) {
  const trading = venues.flatMap((venue) =>
    venue.services.filter((service) => service.type === 'TOMS'),
  )
  const kindsOfVenue = ['connect_venue', 'snapshot_venue']
  return [
    ...venues.flatMap(({ id }) => kindsOfVenue.map((kind) => ({ kind, subject_id: id }))),
    ...trading.map(({ id }) => ({ kind: TRADES_TASK, subject_id: id })),
  ].map((task) => ({ ...task, workspace, due_at }))
}
