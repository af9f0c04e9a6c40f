import type { Clock } from '../core/clock.ts'
import { mustExist } from '../core/assert.ts'
import { refuse } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { closed, id, nullable, text, time, Type } from '../http/index.ts'
import type { Reader, Tx } from '../store/db.ts'
import { insertRow, tableOf } from '../store/rows.ts'
import { sql } from '../store/sql.ts'

export const WORKSPACES = tableOf(
  'workspaces',
  closed({
    id: id<WorkspaceId>(),
    name: text(),
    settings: Type.Object({}),
    system_created_at: time(),
    system_created_by: nullable(text()),
    system_updated_at: time(),
    system_updated_by: nullable(text()),
    version: Type.Integer(),
  }),
)

/**
 * A new tenant without users. Throws 3001 DUPLICATE when the name is taken, REQUIRED when it is
 * blank.
 */
export async function createWorkspace(
  tx: Tx,
  clock: Clock,
  { name }: { name: string },
): Promise<{ id: WorkspaceId }> {
  if (name.trim() === '') throw refuse('REQUIRED', 'name', 'name is required')
  const workspace = { id: newId<WorkspaceId>(), name: name.trim() }
  const inserted = await tx.query(sql`
    ${insertRow(WORKSPACES, workspace, { by: null, now: clock.now() })}
    on conflict (name) do nothing
    returning 1`)
  if (inserted.length === 0)
    throw refuse('DUPLICATE', 'name', `a workspace named ${workspace.name} exists`)
  return { id: workspace.id }
}

export async function workspaceName(reader: Reader, workspace: WorkspaceId): Promise<string> {
  const [row] = await reader.query<{ name: string }>(sql`
    select name
    from workspaces
    where id = ${workspace}`)
  return mustExist(row, `workspace ${workspace}`).name
}
