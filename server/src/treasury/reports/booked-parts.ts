/** Which accounts have a part of a movement, for papers. */
import type { WorkspaceId } from '../../core/ids.ts'
import type { Reader } from '../../store/db.ts'
import { assignmentsOf } from '../assignments/rows.ts'
import type { AssignmentRow } from '../assignments/rows.ts'

export type AssignedMovement = Parameters<typeof assignmentsOf>[2]

/** Its assignments that are booked and still hold, oldest first. */
export async function bookedParts(
  reader: Reader,
  workspace: WorkspaceId,
  of: AssignedMovement,
): Promise<AssignmentRow[]> {
  const assignments = await assignmentsOf(reader, workspace, of)
  return assignments.filter(
    ({ state, rectification_id }) => state === 'SUCCESSFUL' && rectification_id === null,
  )
}
