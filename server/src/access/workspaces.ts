import type { Clock } from '../core/clock.ts'
import { refuse } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'
import type { Tx } from '../store/db.ts'
import { sql } from '../store/sql.ts'

/** A new tenant without users. Throws 3001 DUPLICATE when the name is taken, REQUIRED when it is blank. */
export async function createWorkspace(
  tx: Tx,
  clock: Clock,
  { name }: { name: string },
): Promise<{ id: WorkspaceId }> {
  if (name.trim() === '') throw refuse('REQUIRED', 'name', 'name is required')
  const now = clock.now()
  const id = newId<WorkspaceId>()
  const made = await tx.query(sql`
    insert into workspaces (id, name, system_created_at, system_updated_at) values (${id}, ${name.trim()}, ${now}, ${now})
    on conflict (name) do nothing returning 1`)
  if (made.length === 0)
    throw refuse('DUPLICATE', 'name', `a workspace named ${name.trim()} exists`)
  return { id }
}
