/**
 * The configuration file, applied to its workspace. Applying is idempotent and finds its entries
 * again by their keys; an entry that has not changed in the file leaves alone what people changed
 * since. What the file no longer names: venues are disabled, price routes switched off; wallets and
 * treasury routes stay.
 */
import { createHash } from 'node:crypto'
import { putSettings, recordConfiguration } from '../access/index.ts'
import type { Clock } from '../core/clock.ts'
import { ApiError, refuse } from '../core/errors.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { canonicalJson } from '../core/json.ts'
import type { Json } from '../core/json.ts'
import { timeOf, workerCaller } from '../http/index.ts'
import type { Caller } from '../http/index.ts'
import { lockLane, openVenueAccounts, putAsset, venueAccounts } from '../ledger/index.ts'
import { applyAggregator } from '../market-data/index.ts'
import { only } from '../store/db.ts'
import type { Reader, Tx } from '../store/db.ts'
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
import type { VenueRecord } from '../venues/index.ts'
import type { Config, DeclaredRoute, DeclaredWallet } from './configuration.schema.ts'
import { assertPaymentMayChange } from './payment-change.ts'
import { venuesToPut } from './venue-terms.ts'

const BY = 'configuration'
/** Sections that are applied once the venues are there. */
const LATER = ['wallets', 'routes', 'price_routes'] satisfies (keyof Config)[]

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
  const venues = await db.tx((tx) => applyVenues(caller, { tx, clock }, config))
  for (const [index, wallet] of (config.wallets ?? []).entries())
    await withEntryName(`wallets[${index}]`, () => applyWallet(caller, app, wallet, venues))
  for (const [index, route] of (config.routes ?? []).entries())
    await withEntryName(`routes[${index}]`, () => applyRoute(caller, app, route))
  await db.tx(async (tx) => {
    await lockLane(tx, workspace)
    await applyPriceRoutes(caller, { tx, clock }, config.price_routes ?? [], venues)
    // Only now: which movements an opening balance contains depends on the wallets.
    await putTasks(tx, tasksOf(app, workspace, [...venues.values()]))
    await recordConfiguration(caller, { tx, clock }, sectionsOf(config))
  })
}

/** What is applied under the lane's lock: settings, assets, the aggregator and the venues. */
async function applyVenues(
  caller: Caller,
  { tx, clock }: { tx: Tx; clock: Clock },
  config: Config,
): Promise<Map<string, VenueRecord>> {
  const { workspace } = caller
  await lockLane(tx, workspace)
  await assertPaymentMayChange(tx, workspace, config.venues ?? [])
  if (config.settings !== undefined) await putSettings(caller, tx, clock, config.settings)
  for (const { code, label, kind, scale, circulating_supply = null } of config.assets ?? [])
    await putAsset(tx, workspace, { code, label, kind, scale, circulating_supply })
  await applyAggregator(caller, { tx, clock }, config.aggregator)
  const venues = await putVenues(caller, tx, clock, await venuesToPut(tx, workspace, config))
  for (const venue of venues.values()) await openVenueAccounts(caller, { tx, clock }, venue)
  await recordConfiguration(caller, { tx, clock }, sectionsOf(config), LATER)
  return venues
}

/** A hash of each section. */
const sectionsOf = (config: Config): Record<string, string> =>
  Object.fromEntries(
    Object.entries(config)
      .filter(([, content]) => content !== undefined)
      .map(([section, content]) => [section, hashOf(content)]),
  )

function tasksOf(
  { clock, workspace_tasks }: ConfigApp,
  workspace: WorkspaceId,
  venues: readonly VenueRecord[],
) {
  const due_at = clock.now()
  const trading = venues.flatMap((venue) =>
    venue.services.filter((service) => service.type === 'TOMS'),
  )
  const kindsOfVenue = ['connect_venue', 'snapshot_venue']
  return [
    ...venues.flatMap(({ id }) => kindsOfVenue.map((kind) => ({ kind, subject_id: id }))),
    ...trading.map(({ id }) => ({ kind: TRADES_TASK, subject_id: id })),
    ...workspace_tasks.map((kind) => ({ kind, subject_id: workspace })),
  ].map((task) => ({ ...task, workspace, due_at }))
}

/** Names the entry in front of the field that was refused. */
async function withEntryName<T>(entry: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ApiError) || error.kind === 'VenueUnreachable') throw error
    throw new ApiError(
      error.kind,
      `${entry}: ${error.message}`,
      error.details.map((detail) => ({
        ...detail,
        path: detail.path === '' ? entry : `${entry}.${detail.path}`,
      })),
    )
  }
}

type StoredEntry = { id: string; declared_hash: string }

const hashOf = (declared: unknown) =>
  createHash('sha256')
    .update(canonicalJson(declared as Json))
    .digest('hex')

async function entryByKey(
  reader: Reader,
  table: 'wallets' | 'treasury_routes',
  workspace: WorkspaceId,
  key: string,
): Promise<StoredEntry | undefined> {
  return only(
    await reader.query<StoredEntry>(
      sql`
        select id, declared_hash
        from ${raw(table)}
        where workspace = ${workspace}
          and key = ${key}`,
    ),
  )
}

async function applyWallet(
  caller: Caller,
  app: ConfigApp,
  declared: DeclaredWallet,
  venues: ReadonlyMap<string, VenueRecord>,
): Promise<void> {
  const { db, clock } = app
  const { workspace } = caller
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
    integrate_from: timeIn(declared.integrate_from),
  }
  const stored = await entryByKey(db, 'wallets', workspace, declared.key)
  if (stored?.declared_hash === key.declared_hash) return
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
  await db.tx((tx) =>
    stored === undefined
      ? createWallet(caller, { tx, clock }, draft, key)
      : changeWallet(caller, { tx, clock }, { ...draft, id: stored.id }, key),
  )
}

function timeIn(text: string | number | undefined): number | null {
  if (text === undefined) return null
  const value = timeOf(String(text))
  if (value === undefined)
    throw refuse(
      'FORMAT',
      'integrate_from',
      'integrate_from is not a valid time: give ISO 8601 or an integer of 10 (s), 13 (ms), ' +
        '16 (µs) or 19 (ns) digits',
    )
  return value
}

async function applyRoute(caller: Caller, app: ConfigApp, declared: DeclaredRoute): Promise<void> {
  const { db, clock } = app
  const { workspace } = caller
  const wallet = async (key: string, path: string) => {
    const row = await entryByKey(db, 'wallets', workspace, key)
    if (row === undefined) throw refuse('NOT_FOUND', path, `wallet ${key} is not in this file`)
    return row.id
  }
  const key = { key: declared.key, declared_hash: hashOf(declared) }
  const stored = await entryByKey(db, 'treasury_routes', workspace, declared.key)
  if (stored?.declared_hash === key.declared_hash) {
    const route = await routeById(db, workspace, stored.id)
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
  if (stored !== undefined) {
    // What the venue gave the route itself is kept unless the file names another.
    const { transfer } = await routeById(db, workspace, stored.id)
    const collection = transfer.from['destination_external_account_id']
    if (collection !== undefined)
      draft.transfer.from = { destination_external_account_id: collection, ...draft.transfer.from }
  }
  const route =
    stored === undefined
      ? await createRoute(caller, app, draft, key)
      : await changeRoute(caller, app, { ...draft, id: stored.id }, key)
  if (declared.allow === true) await requestAllow(db, clock, route)
}
