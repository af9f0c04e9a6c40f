/** What a configuration file declares, applied at the start. */
import { WORKSPACE_TASKS } from './app.ts'
import type { App } from './app.ts'
import { applyConfig, invalidConfig, readConfig, workspaceOf } from './configuration/index.ts'
import type { Config } from './configuration/index.ts'
import { faultsHere } from './venues/index.ts'

type Env = Readonly<Record<string, string | undefined>>

/**
 * The file, with its venues as they are on this machine. `works`: this process may work with them.
 * Throws 3001 with every fault that can be known before a venue is asked.
 */
export async function checkedConfig(path: string, env: Env, works: boolean): Promise<Config> {
  const config = await readConfig(path, env)
  const faults = await Promise.all(
    (config.venues ?? []).map((venue, index) =>
      faultsHere(venue, { path: `venues[${index}]`, works }),
    ),
  )
  if (faults.flat().length > 0) throw invalidConfig(faults.flat())
  return config
}

/** Applies a configuration to its workspace; nothing that is there already is applied twice. */
export async function configure(app: App, config: Config): Promise<void> {
  const workspace = await workspaceOf(app.db, config)
  await applyConfig({ ...app, workspace_tasks: WORKSPACE_TASKS }, workspace, config)
  // Another process may have to be asked, and may not be there yet.
  const followed = app.followPrices()
  if (app.lease.held) await followed
}
