/**
 * What an operator does beside the running service. Each command works on an open database and says
 * what it did.
 */
import { parseArgs } from 'node:util'
import { createFirstUserOf, createWorkspace, generatePassword } from './access/index.ts'
import { afterRestore } from './after-restore.ts'
import { WORKSPACE_TASKS } from './app.ts'
import type { App } from './app.ts'
import type { Clock } from './core/clock.ts'
import { ApiError } from './core/errors.ts'
import { applyConfig, readConfig, workspaceOf } from './configuration/index.ts'
import type { WorkspaceId } from './core/ids.ts'
import { count, ofCaller, parseArguments, UsageError } from './core/usage.ts'
import { openBooks, openCheckpoints, openLane, verifyBooks } from './ledger/index.ts'
import type { Db } from './store/db.ts'
import { openHistory } from './store/history.ts'
import { schemaFault } from './store/migrate.ts'
import { sql } from './store/sql.ts'
import { adapterFactories, openVenueLease, openVenues } from './venues/index.ts'

type CommandContext = {
  db: Db
  clock: Clock
  args: readonly string[]
  say(line: string): void
  /** The whole service, without its server and its workers. */
  open(): Promise<App>
  /** What a person answers; undefined where nobody can. */
  ask(question: string): Promise<string | undefined>
}

/** Answers the exit code. */
export type Command = { usage: string; run(context: CommandContext): Promise<number> }

export const COMMANDS: Readonly<Record<string, Command>> = {
  verify: { usage: 'npm run verify [-- --workspace NAME --state FILE]', run: verify },
  workspace: { usage: 'npm run workspace -- NAME EMAIL', run: workspace },
  'after-restore': { usage: 'npm run after-restore [-- --yes]', run: checkAfterRestore },
  configure: { usage: 'npm run configure -- FILE [--workspace NAME]', run: configure },
}

/**
 * Verifies the books of all workspaces, or of one, while a service may be writing. With a state
 * file it goes on where the file says that an earlier run came without faults.
 */
async function verify({ db, args, say }: CommandContext): Promise<number> {
  const { workspace: name, state } = parseArguments(
    () =>
      parseArgs({
        args: [...args],
        options: { workspace: { type: 'string' }, state: { type: 'string' } },
      }).values,
  )
  const workspaces = await db.query<{ id: WorkspaceId; name: string }>(sql`
    select id, name
    from workspaces
    where ${name === undefined ? sql`true` : sql`name = ${name}`}
    order by name`)
  if (name !== undefined && workspaces.length === 0)
    throw new UsageError(`there is no workspace named ${name}`)
  const file = state === undefined ? undefined : await openState(state)
  let faults = 0
  for (const workspace of workspaces) {
    const known = file?.of(workspace.id)
    const found = await verifyBooks(db, workspace.id, known)
    if (found.checkpoint !== undefined) await known?.keep(found.checkpoint)
    faults += found.faults.length
    const counts = [
      `${count(found.bookings, 'booking')} in ${count(found.batches, 'batch', 'batches')}`,
      `last hash ${found.last_hash}`,
      count(found.faults.length, 'fault'),
    ]
    say(`${workspace.name} (${workspace.id}): ${counts.join(', ')}`)
    for (const fault of found.faults) say(`  ${fault}`)
  }
  const verdict = faults === 0 ? 'the books are correct' : `${count(faults, 'fault')} found`
  say(`${count(workspaces.length, 'workspace')} verified: ${verdict}`)
  return faults === 0 ? 0 : 1
}

async function openState(path: string): ReturnType<typeof openCheckpoints> {
  try {
    return await openCheckpoints(ofCaller(path))
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

/** A further workspace with its books and its first user, who has every role. */
async function workspace({ db, clock, args, say }: CommandContext): Promise<number> {
  const { positionals } = parseArguments(() =>
    parseArgs({ args: [...args], allowPositionals: true }),
  )
  const [name, email] = positionals
  if (name === undefined || email === undefined || positionals.length > 2)
    throw new UsageError(
      'it takes the name of the workspace and the e-mail address of its first user',
    )
  if (!/^[^\s@]+@[^\s@]+$/.test(email))
    throw new UsageError(`${email} is not a valid e-mail address`)
  const password = generatePassword()
  const id = await withRefusal(() =>
    db.tx(async (tx) => {
      const made = await createWorkspace(tx, clock, { name })
      await openBooks({ workspace: made.id, by: 'kontor' }, { tx, clock })
      await createFirstUserOf(tx, clock, made.id, { email, password })
      return made.id
    }),
  )
  say(`workspace ${name} (${id}) with user ${email}`)
  say(`password ${password} (shown only this once)`)
  return 0
}

/**
 * Applies a configuration file, as a start with KONTOR_CONFIG does; a running service goes on with
 * it.
 */
async function configure({ db, clock, args, say }: CommandContext): Promise<number> {
  const { values, positionals } = parseArguments(() =>
    parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { workspace: { type: 'string' } },
    }),
  )
  const [file] = positionals
  if (file === undefined || positionals.length > 1)
    throw new UsageError('it takes the configuration file')
  const tell = (_details: object, message: string) => {
    say(message)
  }
  const log = { error: tell, info: tell }
  const lease = await openVenueLease({ db, log, contends: false })
  const venues = openVenues({ db, log, lease, adapters: adapterFactories(log, lease) })
  const lane = openLane(db, clock)
  try {
    return await withRefusal(async () => {
      const read = await readConfig(ofCaller(file), process.env)
      const config =
        values.workspace === undefined ? read : { ...read, workspace: values.workspace }
      const history = openHistory({ db, clock, log, onSetBack: async () => undefined })
      const app = { db, clock, lane, venues, history, workspace_tasks: WORKSPACE_TASKS }
      await applyConfig(app, await workspaceOf(db, config), config)
      const { assets, venues: declared, wallets, routes, price_routes } = config
      const counts = [
        count(assets?.length ?? 0, 'asset'),
        count(declared?.length ?? 0, 'venue'),
        count(wallets?.length ?? 0, 'wallet'),
        count(routes?.length ?? 0, 'route'),
        count(price_routes?.length ?? 0, 'price route'),
      ]
      say(`applied: ${counts.join(', ')}`)
      return 0
    })
  } finally {
    await lane.close()
    await venues.close()
  }
}

/** `--yes` stands for the person who agrees, but not where something is not known. */
async function checkAfterRestore({ args, say, open, ask }: CommandContext): Promise<number> {
  const { yes } = parseArguments(
    () => parseArgs({ args: [...args], options: { yes: { type: 'boolean' } } }).values,
  )
  const agree = async (question: string, whole: boolean): Promise<boolean> => {
    if (yes === true) return whole
    const answer = await ask(`${question} (yes or no) `)
    if (answer === undefined)
      say('nobody can be asked here: -- --yes releases the halts once everything is known')
    return answer?.trim().toLowerCase() === 'yes'
  }
  const app = await open()
  try {
    return await afterRestore({ app, say, agree })
  } finally {
    await app.close()
  }
}

/** An error of one sentence instead of a missing table, or of a newer release's rows. */
export async function assertMigrated(db: Db): Promise<void> {
  const fault = await schemaFault(db)
  if (fault !== undefined) throw new UsageError(fault)
}

async function withRefusal<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof ApiError ? new UsageError(error.message) : error
  }
}
