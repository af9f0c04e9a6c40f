/** What a configuration file declares, applied at the start. */
import { WORKSPACE_TASKS } from './app.ts'
import type { App } from './app.ts'
import { applyConfig, readConfig, workspaceOf } from './configuration/index.ts'
import type { Config } from './configuration/index.ts'
import type { ErrorDetail } from './core/errors.ts'
import { bankFoldersFrom, faultsHere, problemsOf } from './venues/index.ts'

type Env = Readonly<Record<string, string | undefined>>

/**
 * The file, with its venues as they are on this machine. `works`: this process may work with them.
 * Throws 3001 with every fault that can be known before a venue is asked.
 */
export async function checkedConfig(path: string, env: Env, works: boolean): Promise<Config> {
  return readConfig(path, env, (config) => faultsOf(config, works, bankFoldersFrom(env)))
}

/**
 * For a file that is applied from here and perhaps worked with elsewhere, with what this machine
 * lacks, in sentences. Throws 3001 with all that is wrong everywhere.
 */
export async function configWithDoubts(
  path: string,
  env: Env,
  banks: string | undefined,
): Promise<{ config: Config; doubts: string[] }> {
  const doubts: string[] = []
  const config = await readConfig(path, env, async (read) => {
    const faults = await faultsOf(read, true, banks)
    doubts.push(...faults.filter(isDoubt).map(({ message }) => message))
    return faults.filter((fault) => !isDoubt(fault))
  })
  return { config, doubts }
}

const isDoubt = ({ code }: ErrorDetail): boolean => code === 'NOT_FOUND'

const faultsOf = async ({ venues = [] }: Config, works: boolean, banks: string | undefined) =>
  (
    await Promise.all(
      venues.map(async (venue, index) => {
        const path = `venues[${index}]`
        // What is wrong in itself is not looked for.
        return problemsOf(venue, path).length > 0 ? [] : faultsHere(venue, { path, works, banks })
      }),
    )
  ).flat()

/** Applies a configuration to its workspace; nothing that is there already is applied twice. */
export async function configure(app: App, config: Config): Promise<void> {
  const workspace = await workspaceOf(app.db, config)
  const parts = { ...app, workspace_tasks: WORKSPACE_TASKS }
  for (const { key: setting, file, record } of await applyConfig(parts, workspace, config))
    app.log.warn(
      { setting, file, record },
      'the configuration file says something else: it was changed since, and stays',
    )
  // Another process may have to be asked, and may not be there yet.
  const followed = app.followPrices()
  if (app.lease.held) await followed
}
