/** What a service needs before it serves: its first user, and what a file declares. */
import { createFirstUser } from './access/index.ts'
import { WORKSPACE_TASKS } from './app.ts'
import type { App } from './app.ts'
import { applyConfig, readConfig, workspaceOf } from './configuration/index.ts'
import type { WorkspaceId } from './core/ids.ts'
import { openBooks } from './ledger/index.ts'
import { sql } from './store/sql.ts'

/**
 * On an empty database: the first workspace and its first user, who has every role. Opens books
 * that are missing.
 */
export async function firstStart(
  app: App,
  admin: { email: string; password?: string },
): Promise<{ email: string; password?: string } | undefined> {
  const first = await createFirstUser(app.db, app.clock, admin)
  await app.db.tx(async (tx) => {
    const missing = sql`
      select id
      from workspaces
      where not exists (select from lanes where lanes.workspace = workspaces.id)
      order by id`
    // A process that waited here for another one finds nothing missing when it asks again.
    await tx.query(sql`
      ${missing}
      for update`)
    for (const { id } of await tx.query<{ id: WorkspaceId }>(missing))
      await openBooks({ workspace: id, by: 'kontor' }, { tx, clock: app.clock })
  })
  if (!first.created) return undefined
  return {
    email: admin.email,
    ...(first.password === undefined ? {} : { password: first.password }),
  }
}

/**
 * Applies a configuration file to its workspace; nothing that is there already is applied twice.
 */
export async function configure(
  app: App,
  path: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const config = await readConfig(path, env)
  const workspace = await workspaceOf(app.db, config)
  await applyConfig({ ...app, workspace_tasks: WORKSPACE_TASKS }, workspace, config)
  // Another process may have to be asked, and may not be there yet.
  const followed = app.followPrices()
  if (app.lease.held) await followed
}
