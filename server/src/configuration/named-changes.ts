import { userNames } from '../access/index.ts'
import type { WorkspaceId } from '../core/ids.ts'
import type { Reader } from '../store/db.ts'

/** Changes with the names of those who made them. */
export async function withNamesOf<Change extends { changed_by: string }>(
  reader: Reader,
  workspace: WorkspaceId,
  changes: readonly Change[],
): Promise<(Change & { changed_by_name: string | null })[]> {
  const authors = changes.map((change) => change.changed_by)
  const names = await userNames(reader, workspace, authors)
  return changes.map((change) => ({
    ...change,
    changed_by_name: names.get(change.changed_by) ?? null,
  }))
}
