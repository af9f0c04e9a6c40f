/**
 * The configuration file: read, checked as a whole with every fault named, and applied. Applying is
 * idempotent and finds its entries again by their keys; an entry that has not changed in the file
 * leaves alone what people changed since. What the file no longer names: venues are disabled, price
 * routes switched off; wallets and treasury routes stay.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { Compile } from 'typebox/compile'
import { putSettings } from '../access/index.ts'
import type { Clock } from '../core/clock.ts'
import { ApiError, refuse } from '../core/errors.ts'
import type { ErrorDetail } from '../core/errors.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { canonicalJson } from '../core/json.ts'
import type { Json } from '../core/json.ts'
import { timeOf, workerCaller } from '../http/index.ts'
import { lockLane, openVenueAccounts, putAsset, venueAccounts } from '../ledger/index.ts'
import { applyAggregator } from '../market-data/index.ts'
import { only } from '../store/db.ts'
import type { Reader } from '../store/db.ts'
import { raw, sql } from '../store/sql.ts'
import { putTasks } from '../store/tasks.ts'
import { applyPriceRoutes, TRADES_TASK } from '../trading/index.ts'
import {
  changeRoute,
  changeWallet,
  createRoute,
  createWallet,
  requestAllow,
  routeById,
} from '../treasury/index.ts'
import type { TreasuryApp, WalletDraft } from '../treasury/index.ts'
import { putVenues } from '../venues/index.ts'
import type { DeclaredVenue, SecretReference, VenueRecord } from '../venues/index.ts'
import { ConfigSchema } from './configuration.schema.ts'
import type { Config, DeclaredRoute, DeclaredWallet } from './configuration.schema.ts'
import { assertMayBePaidSo } from './payment-change.ts'

const BY = 'configuration'
const check = Compile(ConfigSchema)

/** Throws 3001 whose details name every fault; the message is one line per fault. */
export async function readConfig(
  path: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Config> {
  const file = resolve(path)
  const content = await readFile(file, 'utf8').catch((error: unknown) => {
    throw refuse(
      'NOT_FOUND',
      '',
      `configuration ${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    )
  })
  return checkConfig(parsed(content, file), { ...env, CONFIG_DIR: dirname(file) }, dirname(file))
}

function parsed(content: string, file: string): unknown {
  try {
    return JSON.parse(content)
  } catch (error) {
    throw refuse(
      'MALFORMED_JSON',
      '',
      `configuration ${file} is no JSON: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

/** `${NAME}` in any text is the environment's; paths of secrets are relative to `folder`. */
export function checkConfig(
  given: unknown,
  env: Readonly<Record<string, string | undefined>>,
  folder: string,
): Config {
  const missing: ErrorDetail[] = []
  const config = expanded(given, env, '', missing)
  if (missing.length > 0) throw faults(missing)
  // An unknown field is told twice: by the object that has it, which names it, and by the field
  // itself.
  const errors = [...check.Errors(config)]
    .filter(({ keyword }) => keyword !== 'boolean')
    .map(detailOf)
  if (errors.length > 0) throw faults(errors)
  const valid = config as Config
  const duplicates = (['venues', 'wallets', 'routes', 'price_routes'] as const).flatMap((section) =>
    repeated(
      (valid[section] ?? []).map((each) => each.key),
      section,
    ),
  )
  if (duplicates.length > 0) throw faults(duplicates)
  const { venues, aggregator } = valid
  return {
    ...valid,
    ...(venues === undefined ? {} : { venues: venues.map((venue) => withPaths(venue, folder)) }),
    ...(aggregator?.api_key === undefined
      ? {}
      : { aggregator: { ...aggregator, api_key: withPath(aggregator.api_key, folder) } }),
  }
}

function expanded(
  value: unknown,
  env: Readonly<Record<string, string | undefined>>,
  path: string,
  missing: ErrorDetail[],
): unknown {
  if (typeof value === 'string') {
    return value.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_whole, name: string) => {
      const found = env[name]
      if (found === undefined)
        missing.push({
          path,
          code: 'NOT_FOUND',
          message: `${path} names \${${name}}, which the environment does not have`,
        })
      return found ?? ''
    })
  }
  if (Array.isArray(value))
    return value.map((each, index) => expanded(each, env, `${path}[${index}]`, missing))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [
        name,
        expanded(each, env, path === '' ? name : `${path}.${name}`, missing),
      ]),
    )
  return value
}

type Fault = { instancePath: string; message: string; keyword: string; params: unknown }

function detailOf({ instancePath, message, params }: Fault): ErrorDetail {
  const named = params as {
    requiredProperties?: string[]
    additionalProperties?: string[]
    allowedValues?: unknown[]
  }
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => (/^[0-9]+$/.test(part) ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '')
  const more = named.additionalProperties ?? named.requiredProperties ?? named.allowedValues
  const code =
    named.additionalProperties !== undefined
      ? 'UNKNOWN_FIELD'
      : named.requiredProperties !== undefined
        ? 'REQUIRED'
        : 'FORMAT'
  return {
    path,
    code,
    message: `${path === '' ? 'the file' : path} ${message}${more === undefined ? '' : `: ${more.join(', ')}`}`,
  }
}

function repeated(keys: readonly string[], section: string): ErrorDetail[] {
  return keys.flatMap((key, index) =>
    keys.indexOf(key) === index
      ? []
      : [
          {
            path: `${section}[${index}].key`,
            code: 'DUPLICATE' as const,
            message: `${section}[${index}].key ${key} is used twice`,
          },
        ],
  )
}

const faults = (details: readonly ErrorDetail[]) =>
  new ApiError(
    'BadRequest',
    `the configuration is not valid:\n${details.map((errorDetail) => `  ${errorDetail.message}`).join('\n')}`,
    details,
  )

function withPaths(venue: DeclaredVenue, folder: string): DeclaredVenue {
  if (venue.secrets === undefined) return venue
  return {
    ...venue,
    secrets: Object.fromEntries(
      Object.entries(venue.secrets).map(([name, reference]) => [name, withPath(reference, folder)]),
    ),
  }
}

function withPath(reference: SecretReference, folder: string): SecretReference {
  return 'file' in reference ? { ...reference, file: resolve(folder, reference.file) } : reference
}

export type ConfigApp = TreasuryApp & {
  clock: Clock
  /** Kinds of due work that every workspace has. */
  workspace_tasks: readonly string[]
}

/** The workspace that the file is for. */
export async function workspaceOf(reader: Reader, config: Config): Promise<WorkspaceId> {
  const row = only(
    await reader.query<{ id: WorkspaceId }>(
      config.workspace === undefined
        ? sql`
          select id
          from workspaces
          order by id
          limit 1`
        : sql`
          select id
          from workspaces
          where name = ${config.workspace}`,
    ),
  )
  if (row === undefined)
    throw refuse(
      'NOT_FOUND',
      'workspace',
      config.workspace === undefined
        ? 'there is no workspace yet'
        : `there is no workspace named ${config.workspace}`,
    )
  return row.id
}

/**
 * Throws 3001 naming the entry that is wrong; what was applied before it stays and is not applied
 * twice.
 */
export async function applyConfig(
  app: ConfigApp,
  workspace: WorkspaceId,
  config: Config,
): Promise<void> {
  const { db, clock } = app
  const caller = workerCaller(workspace, BY)
  const venues = await db.tx(async (tx) => {
    await lockLane(tx, workspace)
    await assertMayBePaidSo(tx, workspace, config.venues ?? [])
    if (config.settings !== undefined) await putSettings(caller, tx, clock, config.settings)
    for (const asset of config.assets ?? [])
      await putAsset(tx, workspace, {
        ...asset,
        circulating_supply: asset.circulating_supply ?? null,
      })
    await applyAggregator(tx, clock, workspace, config.aggregator)
    const found = await putVenues(caller, tx, clock, config.venues ?? [])
    for (const venue of found.values())
      await openVenueAccounts({ workspace, by: BY }, { tx, clock }, venue)
    return found
  })
  for (const [index, each] of (config.wallets ?? []).entries())
    await at(`wallets[${index}]`, () => applyWallet(app, workspace, each, venues))
  for (const [index, each] of (config.routes ?? []).entries())
    await at(`routes[${index}]`, () => applyRoute(app, workspace, each))
  await db.tx(async (tx) => {
    await applyPriceRoutes({ workspace, by: BY }, { tx, clock }, config.price_routes ?? [], venues)
    // Only now: which movements an opening balance contains depends on the wallets.
    const due_at = clock.now()
    await putTasks(
      tx,
      [...venues.values()].flatMap((venue) =>
        ['connect_venue', 'snapshot_venue'].map((kind) => ({
          workspace,
          kind,
          subject_id: venue.id,
          due_at,
        })),
      ),
    )
    const trading = [...venues.values()].flatMap((venue) =>
      venue.services.filter((service) => service.type === 'TOMS'),
    )
    await putTasks(
      tx,
      trading.map((service) => ({ workspace, kind: TRADES_TASK, subject_id: service.id, due_at })),
    )
    await putTasks(
      tx,
      app.workspace_tasks.map((kind) => ({ workspace, kind, subject_id: workspace, due_at })),
    )
  })
}

/** Names the entry in front of the field that was refused. */
async function at<T>(entry: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ApiError) || error.kind === 'VenueUnreachable') throw error
    throw new ApiError(
      error.kind,
      `${entry}: ${error.message}`,
      error.details.map((errorDetail) => ({
        ...errorDetail,
        path: errorDetail.path === '' ? entry : `${entry}.${errorDetail.path}`,
      })),
    )
  }
}

type Applied = { id: string; declared_hash: string }

const hashOf = (declared: unknown) =>
  createHash('sha256')
    .update(canonicalJson(declared as Json))
    .digest('hex')

async function found(
  reader: Reader,
  table: 'wallets' | 'treasury_routes',
  workspace: WorkspaceId,
  key: string,
): Promise<Applied | undefined> {
  return only(
    await reader.query<Applied>(
      sql`
        select id, declared_hash
        from ${raw(table)}
        where workspace = ${workspace}
          and key = ${key}`,
    ),
  )
}

async function applyWallet(
  app: ConfigApp,
  workspace: WorkspaceId,
  declared: DeclaredWallet,
  venues: ReadonlyMap<string, VenueRecord>,
): Promise<void> {
  const { db, clock } = app
  const venue = venues.get(declared.venue)
  if (venue === undefined)
    throw refuse('NOT_FOUND', 'venue', `venue ${declared.venue} is not in this file`)
  const service = venue.services.find((service) => service.type === 'WOMS')
  if (service === undefined)
    throw refuse('UNSUPPORTED_BY_VENUE', 'venue', `venue ${declared.venue} has no WOMS service`)
  const key = {
    key: declared.key,
    declared_hash: hashOf(declared),
    reference_text: declared.reference_text ?? null,
    integrate_from: momentOf(declared.integrate_from),
  }
  const known = await found(db, 'wallets', workspace, declared.key)
  if (known?.declared_hash === key.declared_hash) return
  const accounts = await venueAccounts(db, workspace, venue.id)
  const draft: WalletDraft = {
    type: 'VENUE',
    asset: declared.asset,
    address: declared.address,
    label: declared.label,
    venue_id: venue.id,
    service_id: service.id,
    account_id: accounts[declared.account ?? 'VENUE'],
    access_type: 'INTERNAL',
    ...(declared.configuration === undefined ? {} : { configuration: declared.configuration }),
  }
  const caller = workerCaller(workspace, BY)
  await db.tx((tx) =>
    known === undefined
      ? createWallet(caller, { tx, clock }, draft, key)
      : changeWallet(caller, { tx, clock }, { ...draft, id: known.id }, key),
  )
}

function momentOf(given: string | number | undefined): number | null {
  if (given === undefined) return null
  const value = timeOf(String(given))
  if (value === undefined)
    throw refuse(
      'FORMAT',
      'integrate_from',
      'integrate_from is no time: give ISO 8601 or an integer of 10 (s), 13 (ms), 16 (µs) or 19 (ns) digits',
    )
  return value
}

async function applyRoute(
  app: ConfigApp,
  workspace: WorkspaceId,
  declared: DeclaredRoute,
): Promise<void> {
  const { db, clock } = app
  const wallet = async (key: string, path: string) => {
    const row = await found(db, 'wallets', workspace, key)
    if (row === undefined) throw refuse('NOT_FOUND', path, `wallet ${key} is not in this file`)
    return row.id
  }
  const key = { key: declared.key, declared_hash: hashOf(declared) }
  const known = await found(db, 'treasury_routes', workspace, declared.key)
  if (known?.declared_hash === key.declared_hash) {
    const route = await routeById(db, workspace, known.id)
    // Also after a start that ended between making the route and asking.
    if (declared.allow === true && route.allowlist_state === 'NOT_REQUESTED')
      await requestAllow(db, clock, route)
    return
  }
  const draft = {
    from_wallet_id: await wallet(declared.from, 'from'),
    to_wallet_id: await wallet(declared.to, 'to'),
    protocol: declared.protocol,
    label: declared.label,
    transfer: { from: { ...declared.transfer?.from }, to: { ...declared.transfer?.to } },
  }
  if (known !== undefined) {
    // What the venue gave the route itself is kept unless the file names another.
    const { transfer } = await routeById(db, workspace, known.id)
    const collection = transfer.from['destination_external_account_id']
    if (collection !== undefined)
      draft.transfer.from = { destination_external_account_id: collection, ...draft.transfer.from }
  }
  const caller = workerCaller(workspace, BY)
  const route =
    known === undefined
      ? await createRoute(caller, app, draft, key)
      : await changeRoute(caller, app, { ...draft, id: known.id }, key)
  if (declared.allow === true) await requestAllow(db, clock, route)
}
