/** What stands beside records: their events, and what people noted on them. */
import type { WorkspaceId } from '../../core/ids.ts'
import { eraseEvents } from '../../ledger/index.ts'
import type { Tx } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import { eraseTexts, withIds } from './texts.ts'

/** All events of records that are a slice, and have few each, and the notes on them. */
export async function eraseBeside(
  tx: Tx,
  workspace: WorkspaceId,
  resource_ids: readonly string[],
): Promise<void> {
  let after: number | undefined = 0
  while (after !== undefined) after = await eraseEvents(tx, workspace, { resource_ids, after })
  await eraseNotes(tx, workspace, resource_ids)
}

/** Comments and files lose what stands in them; tags are taken off. */
export async function eraseNotes(
  tx: Tx,
  workspace: WorkspaceId,
  record_ids: readonly string[],
): Promise<void> {
  await tx.query(eraseTexts('comments', withIds(workspace, record_ids, 'record_id')))
  await tx.query(eraseTexts('attachments', withIds(workspace, record_ids, 'record_id')))
  await tx.query(sql`
    delete from record_tags
    where ${withIds(workspace, record_ids, 'record_id')}`)
}
