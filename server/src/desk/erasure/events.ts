import type { WorkspaceId } from '../../core/ids.ts'
import { eraseEvents } from '../../ledger/index.ts'
import type { Tx } from '../../store/db.ts'

/** All events of records that are a slice, and have few each. */
export async function eraseRecordEvents(
  tx: Tx,
  workspace: WorkspaceId,
  resource_ids: readonly string[],
): Promise<void> {
  let after: number | undefined = 0
  while (after !== undefined) after = await eraseEvents(tx, workspace, { resource_ids, after })
}
