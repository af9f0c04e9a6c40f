/** What a configuration file declares, applied at the start. */
import { WORKSPACE_TASKS } from './app.ts'
import type { App } from './app.ts'
import { applyConfig, readConfig, workspaceOf } from './configuration/index.ts'

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
