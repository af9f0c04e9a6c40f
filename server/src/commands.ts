/**
 * What an operator does beside the running service. Each command works on an open database and says
 * what it did.
 */
import { parseArgs } from 'node:util'
import {
  createFirstUserOf,
  createWorkspace,
  generatePassword,
  readWrappingKey,
} from './access/index.ts'
import { API_KEYS } from './api-keys-command.ts'
import { afterRestore } from './after-restore.ts'
import { WORKSPACE_TASKS } from './app.ts'
import type { Command, CommandContext } from './command.ts'
import { ApiError } from './core/errors.ts'
import { applyConfig, workspaceOf } from './configuration/index.ts'
import type { SettingDrift } from './configuration/index.ts'
import { count, ofCaller, parseArguments, UsageError } from './core/usage.ts'
import { HEADS } from './heads-command.ts'
import { KEYS } from './keys-command.ts'
import { openBooks, openLane } from './ledger/index.ts'
import type { Db } from './store/db.ts'
import { openHistory } from './store/history.ts'
import { configWithDoubts } from './start-configuration.ts'
import { schemaFault } from './store/migrate.ts'
import { adapterFactories, openVenueLease, openVenues, venueRulesFrom } from './venues/index.ts'
import { SCREENING } from './screening-command.ts'
import { USERS } from './users-command.ts'
import { VERIFY } from './verify-command.ts'

export const COMMANDS: Readonly<Record<string, Command>> = {
  verify: VERIFY,
  heads: HEADS,
  keys: KEYS,
  users: USERS,
  'api-keys': API_KEYS,
  screening: SCREENING,
  workspace: { usage: 'npm run workspace -- NAME EMAIL', run: workspace },
  'after-restore': { usage: 'npm run after-restore [-- --yes]', run: checkAfterRestore },
  configure: {
    usage:
      'npm run configure -- FILE [--workspace NAME] [--overwrite-settings] ' +
      '[--overwrite-declarations]',
    run: configure,
  },
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
async function configure(context: CommandContext): Promise<number> {
  const { db, clock, args, key_file, say, bank_folders: bankFolders } = context
  const { values, positionals } = parseArguments(() =>
    parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        workspace: { type: 'string' },
        'overwrite-settings': { type: 'boolean' },
        'overwrite-declarations': { type: 'boolean' },
      },
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
  const wrapping = await readWrappingKey(key_file)
  const targets = venueRulesFrom(process.env)
  const adapters = adapterFactories(log, lease)
  const venues = openVenues({ db, log, lease, adapters, wrapping, targets, bankFolders })
  const lane = openLane(db, clock)
  try {
    return await withRefusal(async () => {
      const { config: read, doubts } = await configWithDoubts(
        ofCaller(file),
        process.env,
        bankFolders,
      )
      const config =
        values.workspace === undefined ? read : { ...read, workspace: values.workspace }
      for (const doubt of doubts) say(`not on this machine: ${doubt}`)
      const history = openHistory({ db, clock, log, onSetBack: async () => undefined })
      const access = { tokens: { wrapping } }
      const app = { db, clock, lane, venues, history, access, workspace_tasks: WORKSPACE_TASKS }
      const drifts = await applyConfig(app, await workspaceOf(db, config), config, {
        overwrite: values['overwrite-settings'] === true,
        overwrite_declarations: values['overwrite-declarations'] === true,
      })
      const { assets, venues: declared, wallets, routes, price_routes } = config
      const counts = [
        count(assets?.length ?? 0, 'asset'),
        count(declared?.length ?? 0, 'venue'),
        count(wallets?.length ?? 0, 'wallet'),
        count(routes?.length ?? 0, 'route'),
        count(price_routes?.length ?? 0, 'price route'),
      ]
      say(`applied: ${counts.join(', ')}`)
      for (const drift of drifts) say(driftText(drift))
      if (drifts.length > 0)
        say('with --overwrite-settings and --overwrite-declarations the file counts')
      return 0
    })
  } finally {
    await lane.close()
    await venues.close()
  }
}

const driftText = ({ key, file, record }: SettingDrift): string =>
  `${key} was changed since and stays ${JSON.stringify(record)}; ` +
  `the file says ${JSON.stringify(file)}`

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
