/** `npm run api-keys`: how programs get in, without the console. */
import { parseArgs } from 'node:util'
import { apiKeysOf, createApiKey, PERMISSIONS, revokeApiKey, rotateApiKey } from './access/index.ts'
import type { ApiKey, GrantingApp, Permission } from './access/index.ts'
import type { Command, CommandContext } from './command.ts'
import { ApiError } from './core/errors.ts'
import { DECIMAL_PATTERN } from './core/decimal.ts'
import { isId } from './core/ids.ts'
import type { WorkspaceId } from './core/ids.ts'
import { parseArguments, UsageError } from './core/usage.ts'
import { workerCaller } from './http/index.ts'
import type { Caller } from './http/index.ts'
import { unknownRoutes } from './route-ids.ts'
import type { Db } from './store/db.ts'
import { sql } from './store/sql.ts'

export const API_KEYS: Command = {
  usage:
    'npm run api-keys -- list [--workspace NAME]\n' +
    '       npm run api-keys -- create LABEL --permission NAME… [--network NETWORK…]\n' +
    '           [--limit ASSET[=AT ONCE][/A DAY]…] [--route ID…] [--days DAYS]\n' +
    '       npm run api-keys -- rotate LABEL [--overlap HOURS]\n' +
    '       npm run api-keys -- revoke LABEL',
  run: apiKeys,
}

/** In the security log, and as who made the key. */
const BY = 'kontor'
const DAY = 86_400_000
const LIMIT = /^([A-Za-z0-9][A-Za-z0-9._-]*)(?:=([^/]+))?(?:\/(.+))?$/

const OPTIONS = {
  workspace: { type: 'string' },
  permission: { type: 'string', multiple: true },
  network: { type: 'string', multiple: true },
  limit: { type: 'string', multiple: true },
  route: { type: 'string', multiple: true },
  days: { type: 'string' },
  overlap: { type: 'string' },
} as const

/** What belongs to which word. */
const OF_WORD: Readonly<Record<string, readonly string[]>> = {
  list: [],
  create: ['permission', 'network', 'limit', 'route', 'days'],
  rotate: ['overlap'],
  revoke: [],
}

type Options = ReturnType<typeof parsed>['values']
type Work = {
  caller: Caller
  app: GrantingApp & Parameters<typeof rotateApiKey>[1] & { db: Db }
  say: CommandContext['say']
  values: Options
}

const parsed = (args: readonly string[]) =>
  parseArgs({ args: [...args], allowPositionals: true, options: OPTIONS })

async function apiKeys({ db, clock, args, say }: CommandContext): Promise<number> {
  const { values, positionals } = parseArguments(() => parsed(args))
  const [word = 'list', label, ...more] = positionals
  const own = OF_WORD[word]
  if (own === undefined || more.length > 0 || (word === 'list') !== (label === undefined))
    throw new UsageError(
      own === undefined
        ? `it does not know ${word}`
        : `${word} takes ${word === 'list' ? 'no' : 'one'} label`,
    )
  for (const name of Object.keys(values))
    if (name !== 'workspace' && !own.includes(name))
      throw new UsageError(`--${name} does not belong to ${word}`)
  const workspace = await workspaceNamed(db, values.workspace)
  // Another process notices by itself.
  const access = { doubt: () => undefined }
  const app = { db, clock, access, unknownRoutes }
  const work = { caller: workerCaller(workspace, BY), app, say, values }
  try {
    await run(word, label ?? '', work)
  } catch (error) {
    throw error instanceof ApiError ? new UsageError(error.message) : error
  }
  return 0
}

async function run(word: string, label: string, work: Work): Promise<void> {
  const { app, caller, say, values } = work
  if (word === 'create') return create(label, work)
  const keys = await apiKeysOf(app.db, caller.workspace, app.clock.now())
  if (word === 'list') {
    for (const key of keys) say(lineOf(key))
    return
  }
  const key = keys.find(
    ({ id, label: known, state }) => id === label || (known === label && state === 'ACTIVE'),
  )
  if (key === undefined) throw new UsageError(`there is no active API key ${label}`)
  if (word === 'revoke') {
    await app.db.tx((tx) => revokeApiKey(caller, app, tx, key.id))
    say(`API key ${key.label} is revoked`)
    return
  }
  const overlap_hours = wholeNumber('overlap', values.overlap)
  const rotated = await app.db.tx((tx) =>
    rotateApiKey(caller, app, tx, {
      id: key.id,
      ...(overlap_hours === undefined ? {} : { overlap_hours }),
    }),
  )
  saySecret(say, rotated)
}

async function create(label: string, { app, caller, say, values }: Work): Promise<void> {
  const { permission = [], network = [], limit, route } = values
  const days = wholeNumber('days', values.days)
  if (permission.length === 0) throw new UsageError('--permission says what the program may do')
  const body = {
    label,
    permissions: permission.map(knownPermission),
    networks: network,
    limits: {
      ...(limit === undefined ? {} : { assets: limit.map(limitOf) }),
      ...(route === undefined ? {} : { routes: route.map(knownId) }),
    },
    ...(days === undefined ? {} : { expires_at: app.clock.now() + days * DAY }),
  }
  saySecret(say, await app.db.tx((tx) => createApiKey(caller, app, tx, body)))
}

function saySecret(
  say: CommandContext['say'],
  { key, secret }: { key: ApiKey; secret: string },
): void {
  say(lineOf(key))
  say(`secret ${secret} (shown only this once)`)
}

function lineOf({ id, label, state, permissions, expires_at, last_used_at }: ApiKey): string {
  const used = last_used_at === null ? 'never used' : `last used ${timeOf(last_used_at)}`
  return `${id} ${label}: ${state}, until ${timeOf(expires_at)}, ${used}, ${permissions.join(' ')}`
}

const timeOf = (at: number): string => new Date(at).toISOString()

function knownPermission(name: string): Permission {
  if (!Object.hasOwn(PERMISSIONS, name))
    throw new UsageError(`${name} is no permission; docs/generated/permissions.md lists them`)
  return name as Permission
}

function knownId(text: string): string {
  if (!isId(text)) throw new UsageError(`${text} is not the id of a route`)
  return text
}

function limitOf(text: string) {
  const [, asset, per_transaction, per_day] = LIMIT.exec(text) ?? []
  const amounts = [per_transaction, per_day].filter((amount) => amount !== undefined)
  if (asset === undefined || !amounts.every(isAmount))
    throw new UsageError(`${text} is no limit such as EUR, EUR=1000 or EUR=1000/5000`)
  return {
    asset,
    ...(per_transaction === undefined ? {} : { per_transaction }),
    ...(per_day === undefined ? {} : { per_day }),
  }
}

const isAmount = (text: string): boolean =>
  new RegExp(DECIMAL_PATTERN).test(text) && /[1-9]/.test(text) && !text.startsWith('-')

function wholeNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^(?:0|[1-9][0-9]{0,3})$/.test(text))
    throw new UsageError(`--${option} is a whole number, not ${text}`)
  return Number(text)
}

async function workspaceNamed(db: Db, name: string | undefined): Promise<WorkspaceId> {
  const rows = await db.query<{ id: WorkspaceId; name: string }>(sql`
    select id, name
    from workspaces
    order by id`)
  const [only, ...others] = rows.filter((row) => name === undefined || row.name === name)
  if (only === undefined)
    throw new UsageError(
      name === undefined ? 'there is no workspace yet' : `there is no workspace named ${name}`,
    )
  if (others.length > 0)
    throw new UsageError(`name one with --workspace: ${rows.map((row) => row.name).join(', ')}`)
  return only.id
}
