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
  const faults = await faultsOf(config, works)
  if (faults.length > 0) throw invalidConfig(faults)
  return config
}

/**
 * For a file that is applied from here and perhaps worked with elsewhere: what this machine lacks,
 * in sentences. Throws 3001 with what is wrong everywhere.
 */
export async function doubtsAbout(config: Config): Promise<string[]> {
  const faults = await faultsOf(config, true)
  const wrong = faults.filter(({ code }) => code !== 'NOT_FOUND')
  if (wrong.length > 0) throw invalidConfig(wrong)
  return faults.map(({ message }) => message)
}

const faultsOf = async ({ venues = [] }: Config, works: boolean) =>
  (
    await Promise.all(
      venues.map((venue, index) => faultsHere(venue, { path: `venues[${index}]`, works })),
    )
  ).flat()

/** Applies a configuration to its workspace; nothing that is there already is applied twice. */
export async function configure(app: App, config: Config): Promise<void> {
  const workspace = await workspaceOf(app.db, config)
  await applyConfig({ ...app, workspace_tasks: WORKSPACE_TASKS }, workspace, config)
  // Another process may have to be asked, and may not be there yet.
  const followed = app.followPrices()
  if (app.lease.held) await followed
}
