/**
 * Treasury routes: how one wallet of ours sends an asset to another wallet, and what the sending
 * venue needs for it.
 */
import { notFound, refuse } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { withIdempotentReplay, onceInTransaction } from '../../http/index.ts'
import type { Idempotency } from '../../http/index.ts'
import { lockLane, publishEvents } from '../../ledger/index.ts'
import { only } from '../../store/db.ts'
import type { Reader, Tx } from '../../store/db.ts'
import { raw, sql } from '../../store/sql.ts'
import { putTasks } from '../../store/tasks.ts'
import { isUnreachable, storedProtocols, withTimeLimit } from '../../venues/index.ts'
import type {
  TransferDetails,
  TransferFields,
  Transfers,
  Venue,
  VenueRecord,
} from '../../venues/index.ts'
import type { AllowlistStage, RouteDraft, RouteRecord } from './routes.schema.ts'
import { assertDestination, transferDetails } from './fields.ts'
import { assertActive, walletById, walletsById } from '../wallets/wallets.ts'
import { COLLECT_TASK } from '../tasks.ts'
import type { TreasuryApp } from '../app.ts'
import type { Wallet } from '../wallets/wallets.schema.ts'

export type RouteRow = Omit<RouteRecord, 'transfer' | 'from_wallet' | 'to_wallet'> & {
  transfer: TransferDetails
  allowlist_state: AllowlistStage
  allow_external_id: string | null
  allow_reason: string | null
  collection_external_id: string | null
}
/** A route with its wallets; `transfer` as the adapter takes it. */
export type Route = RouteRow & { from_wallet: Wallet; to_wallet: Wallet }

export const ROUTE_COLUMNS = raw(`
    id, workspace, label, from_wallet_id, to_wallet_id, protocol, transfer, settlement,
      allowlist_state, allow_external_id, allow_reason, collection_external_id, state,
      system_created_at, system_created_by, system_updated_at, system_updated_by, version`)

/** What the API answers. */
export function routeShape({
  allowlist_state,
  allow_external_id: _ours,
  allow_reason: _why,
  collection_external_id: _reference,
  transfer,
  ...route
}: Route): RouteRecord {
  return {
    ...route,
    transfer: {
      from: transfer.from,
      to: {
        ...transfer.to,
        on_allowlist: allowlist_state === 'APPROVED',
        allowlist_state,
      } as RouteRecord['transfer']['to'],
    },
  }
}

export async function withWallets(reader: Reader, rows: readonly RouteRow[]): Promise<Route[]> {
  const [first] = rows
  if (first === undefined) return []
  const wallets = await walletsById(
    reader,
    first.workspace,
    rows.flatMap((row) => [row.from_wallet_id, row.to_wallet_id]),
  )
  return rows.map((row) => ({
    ...row,
    from_wallet: wallets.get(row.from_wallet_id) as Wallet,
    to_wallet: wallets.get(row.to_wallet_id) as Wallet,
  }))
}

/** Throws 4004 when the workspace has no such route; `path` names the field that asked. */
export async function routeById(
  reader: Reader,
  workspace: WorkspaceId,
  id: string,
  path = 'route_id',
): Promise<Route> {
  const rows = await reader.query<RouteRow>(
    sql`
      select ${ROUTE_COLUMNS}
      from treasury_routes
      where workspace = ${workspace}
        and id = ${id}`,
  )
  const route = only(await withWallets(reader, rows))
  if (route === undefined) throw notFound('route', id, path)
  return route
}

export type Sender = { venue: VenueRecord; adapter: Venue; transfers: Transfers }

/** The venue that sends from this wallet. Throws UNSUPPORTED_BY_VENUE when none of ours does. */
export async function senderOf(
  app: Pick<TreasuryApp, 'venues'>,
  wallet: Wallet,
  path = 'from_wallet_id',
): Promise<Sender> {
  if (wallet.venue_id === null)
    throw refuse(
      'UNSUPPORTED_BY_VENUE',
      path,
      'the wallet is EXTERNAL: nothing can be sent from it',
    )
  const { venue, adapter } = await app.venues.connected(wallet.workspace, wallet.venue_id)
  if (adapter.transfers === undefined)
    throw refuse('UNSUPPORTED_BY_VENUE', path, `the venue ${venue.label} makes no transfers`)
  return { venue, adapter, transfers: adapter.transfers }
}

/**
 * What a route from this wallet must say; UNSUPPORTED_BY_VENUE for a protocol that the asset does
 * not have there.
 */
export async function routeFields(
  app: TreasuryApp,
  workspace: WorkspaceId,
  from_wallet_id: string,
  protocol: string,
): Promise<TransferFields> {
  const wallet = await walletById(app.db, workspace, from_wallet_id, 'from_wallet_id')
  assertActive(wallet, 'from_wallet_id')
  const { transfers } = await senderOf(app, wallet)
  assertProtocolOfWallet(wallet, protocol)
  const { from, to } = transfers.fields(wallet.asset, protocol)
  return { from, to: to.map(({ format: _checked, ...field }) => field) }
}

/**
 * Where the venue keeps allow-list collections, the field that names one; `collects`: it makes one
 * when none is named.
 */
export const COLLECTION_FIELD = 'destination_external_account_id'
/** The save itself asks first. */
const COLLECT_LATER_MILLISECONDS = 6_000

type CheckedRoute = { from: Wallet; to: Wallet; transfer: TransferDetails; collects: boolean }

/**
 * Every rule of a route, also checked again before something is sent. Asks nothing of the venue but
 * what it declares; tells of tags come from its last snapshot, else from the venue itself, and are
 * left to the sending when it is unreachable.
 */
export async function checkRoute(
  app: TreasuryApp,
  workspace: WorkspaceId,
  draft: RouteDraft,
): Promise<CheckedRoute> {
  const from = await walletById(app.db, workspace, draft.from_wallet_id, 'from_wallet_id')
  const to = await walletById(app.db, workspace, draft.to_wallet_id, 'to_wallet_id')
  assertActive(from, 'from_wallet_id')
  assertActive(to, 'to_wallet_id')
  if (from.id === to.id)
    throw refuse('CONFLICT', 'to_wallet_id', 'a route leads from one wallet to another')
  if (from.asset !== to.asset)
    throw refuse(
      'ASSET_MISMATCH',
      'to_wallet_id',
      `both wallets must hold the same asset: ${from.asset} and ${to.asset}`,
    )
  const sender = await senderOf(app, from)
  assertProtocolOfWallet(from, draft.protocol)
  if (to.protocol !== null && to.protocol !== draft.protocol)
    throw refuse(
      'UNSUPPORTED_BY_VENUE',
      'protocol',
      `the wallet ${to.label} receives on ${to.protocol} only`,
    )
  const fields = sender.transfers.fields(from.asset, draft.protocol)
  await assertReceives(app, to, draft.protocol)
  const transfer = transferDetails(fields, withSource(fields, from, draft.transfer ?? {}))
  const tagged =
    fields.to.some((field) => field.name === 'tag') &&
    (await needsTag(app, sender, from.asset, draft.protocol))
  assertDestination({
    asset: from.asset,
    protocol: draft.protocol,
    address: to.address,
    tag: transfer.to['tag'] ?? null,
    tag_required: tagged,
  })
  return {
    from,
    to,
    transfer,
    collects:
      sender.adapter.allowlist !== undefined &&
      fields.from.some((field) => field.name === COLLECTION_FIELD),
  }
}

function assertProtocolOfWallet(wallet: Wallet, protocol: string): void {
  if (wallet.protocol !== null && wallet.protocol !== protocol)
    throw refuse(
      'UNSUPPORTED_BY_VENUE',
      'protocol',
      `the wallet ${wallet.label} is on ${wallet.protocol} only`,
    )
}

/**
 * The vault that holds the sending wallet is known from the wallet; naming another one is a
 * contradiction.
 */
function withSource(
  fields: TransferFields,
  wallet: Wallet,
  given: NonNullable<RouteDraft['transfer']>,
): NonNullable<RouteDraft['transfer']> {
  const name = 'source_vault_account_id'
  if (wallet.foreign_id === null || !fields.from.some((field) => field.name === name)) return given
  const source = given.from?.[name]
  if (source === undefined || source === null || source === '')
    return { ...given, from: { ...given.from, [name]: wallet.foreign_id } }
  if (source !== wallet.foreign_id)
    throw refuse(
      'CONFLICT',
      `transfer.from.${name}`,
      `transfer.from.${name} must be ${wallet.foreign_id}, where the wallet ${wallet.label} lies`,
    )
  return given
}

async function assertReceives(app: TreasuryApp, to: Wallet, protocol: string): Promise<void> {
  if (to.venue_id === null) return
  const known = (await storedProtocols(app.db, to.workspace, to.venue_id))?.find(
    (storedProtocol) => storedProtocol.asset === to.asset,
  )
  if (known === undefined) return
  const offered = known.protocols.find((each) => each.protocol === protocol)
  if (offered?.deposit !== true)
    throw refuse(
      'UNSUPPORTED_BY_VENUE',
      'protocol',
      `the venue of ${to.label} takes no ${to.asset} on ${protocol}`,
    )
}

async function needsTag(
  app: TreasuryApp,
  { venue, adapter }: Sender,
  asset: string,
  protocol: string,
): Promise<boolean> {
  const find = (
    all: readonly {
      asset: string
      protocols: readonly { protocol: string; tag_required: boolean }[]
    }[],
  ) =>
    all.find((each) => each.asset === asset)?.protocols.find((each) => each.protocol === protocol)
      ?.tag_required ?? false
  const stored = await storedProtocols(app.db, venue.workspace, venue.id)
  if (stored !== undefined) return find(stored)
  try {
    return find(await withTimeLimit(adapter.protocols(), venue.label))
  } catch (error) {
    if (isUnreachable(error)) return false
    throw error
  }
}

export type RouteDeclarationKey = { key: string; declared_hash: string }

/** A repeat under the same key answers the route that it made. */
export async function createRoute(
  app: TreasuryApp,
  workspace: WorkspaceId,
  draft: RouteDraft,
  by: string,
  {
    declared,
    idempotency,
  }: { declared?: RouteDeclarationKey | undefined; idempotency?: Idempotency | undefined } = {},
): Promise<Route> {
  const { id } = await withIdempotentReplay(app, workspace, idempotency, async () => {
    const { from, to, transfer, collects } = await checkRoute(app, workspace, draft)
    const now = app.clock.now()
    const made = newId()
    const reference = collects && transfer.from[COLLECTION_FIELD] === undefined ? newId() : null
    return onceInTransaction(app.db, app.clock, workspace, idempotency, async (tx) => {
      await lockLane(tx, workspace)
      const [created] = await tx.query<RouteRow>(sql`
        insert into treasury_routes (
          workspace, id, label, from_wallet_id, to_wallet_id, protocol, transfer, settlement,
          allowlist_state, collection_external_id, state, key, declared_hash, system_created_at,
          system_created_by, system_updated_at, system_updated_by
        )
        values (
          ${workspace}, ${made}, ${draft.label}, ${from.id}, ${to.id}, ${draft.protocol},
          ${JSON.stringify(transfer)}::jsonb, '{}', 'NOT_REQUESTED', ${reference}, 'ACTIVE',
          ${declared?.key ?? null}, ${declared?.declared_hash ?? null}, ${now}, ${by}, ${now},
          ${by}
        )
        returning ${ROUTE_COLUMNS}`)
      if (reference !== null) await scheduleCollection(tx, workspace, made, now)
      await publishRoute(tx, app.clock, 'route.created', created as RouteRow)
      return { id: made }
    }) as Promise<{ id: string }>
  })
  return routeById(app.db, workspace, id)
}

const scheduleCollection = (
  tx: Tx,
  workspace: WorkspaceId,
  id: string,
  now: number,
): Promise<void> =>
  putTasks(tx, [
    { workspace, kind: COLLECT_TASK, subject_id: id, due_at: now + COLLECT_LATER_MILLISECONDS },
  ])

/**
 * Replaces the route. Another destination (wallet, protocol, tag, allow-list collection) asks for
 * the allow-list anew.
 */
export async function changeRoute(
  app: TreasuryApp,
  workspace: WorkspaceId,
  id: string,
  draft: RouteDraft & { version?: number },
  by: string,
  declared?: RouteDeclarationKey,
): Promise<Route> {
  const checked = await checkRoute(app, workspace, draft)
  const row = await app.db.tx(async (tx) => {
    await lockLane(tx, workspace)
    return publishRoute(
      tx,
      app.clock,
      'route.changed',
      await updateRoute(tx, app.clock.now(), workspace, id, draft, checked, by, declared),
    )
  })
  return { ...row, from_wallet: checked.from, to_wallet: checked.to }
}

/** Tells it in the same transaction, which holds the lane's lock. */
async function publishRoute(
  tx: Tx,
  clock: TreasuryApp['clock'],
  type: 'route.created' | 'route.changed',
  row: RouteRow,
): Promise<RouteRow> {
  const {
    id,
    workspace,
    label,
    from_wallet_id,
    to_wallet_id,
    protocol,
    transfer,
    allowlist_state,
    version,
  } = row
  await publishEvents(tx, clock, workspace, [
    {
      type,
      resource_id: id,
      data: { label, from_wallet_id, to_wallet_id, protocol, transfer, allowlist_state, version },
    },
  ])
  return row
}

/** The write of a change that was checked before; throws 4004, STALE_VERSION. */
export async function updateRoute(
  tx: Tx,
  now: number,
  workspace: WorkspaceId,
  id: string,
  draft: RouteDraft & { version?: number },
  { transfer, collects }: Pick<CheckedRoute, 'transfer' | 'collects'>,
  by: string,
  declared?: RouteDeclarationKey,
): Promise<RouteRow> {
  const known = only(
    await tx.query<RouteRow>(
      sql`
        select ${ROUTE_COLUMNS}
        from treasury_routes
        where workspace = ${workspace}
          and id = ${id}
        for update`,
    ),
  )
  if (known === undefined) throw notFound('route', id, 'route_id')
  if (draft.version !== undefined && draft.version !== known.version)
    throw refuse(
      'STALE_VERSION',
      'version',
      `the route has changed: its version is ${known.version}`,
    )
  const { reference, ...next } = chooseCollection(known, { ...draft, transfer }, collects)
  const reset = !sameDestination(known, next)
  const [row] = await tx.query<RouteRow>(sql`
    update treasury_routes
    set label = ${draft.label}, from_wallet_id = ${draft.from_wallet_id},
      to_wallet_id = ${draft.to_wallet_id}, protocol = ${draft.protocol},
      transfer = ${JSON.stringify(next.transfer)}::jsonb,
      allowlist_state = case when ${reset} then 'NOT_REQUESTED' else allowlist_state end,
      allow_external_id = case when ${reset} then null else allow_external_id end,
      allow_reason = case when ${reset} then null else allow_reason end,
      collection_external_id = ${reference},
      declared_hash = coalesce(${declared?.declared_hash ?? null}, declared_hash),
      version = version + 1, system_updated_at = ${now}, system_updated_by = ${by}
    where workspace = ${workspace}
      and id = ${id}
    returning ${ROUTE_COLUMNS}`)
  if (reference !== null && reference !== known.collection_external_id)
    await scheduleCollection(tx, workspace, id, now)
  return row as RouteRow
}

type RouteDestination = Pick<RouteDraft, 'from_wallet_id' | 'to_wallet_id' | 'protocol'> & {
  transfer: TransferDetails
}

/**
 * A collection at the venue belongs to one destination: sent back with another one it is the old
 * one's. Where none is named, one that the venue made for this destination stays; else the venue
 * makes one, under a new reference.
 */
function chooseCollection(
  known: RouteRow,
  next: RouteDestination,
  collects: boolean,
): RouteDestination & { reference: string | null } {
  const same = sameEnds(known, next)
  const before = known.transfer.from[COLLECTION_FIELD]
  const { [COLLECTION_FIELD]: named, ...from } = next.transfer.from
  if (named !== undefined && (same || named !== before))
    return { ...next, reference: named === before ? known.collection_external_id : null }
  const kept = same && known.collection_external_id !== null
  const collection = kept && before !== undefined ? { [COLLECTION_FIELD]: before } : {}
  return {
    ...next,
    transfer: { ...next.transfer, from: { ...from, ...collection } },
    reference: kept ? known.collection_external_id : collects ? newId() : null,
  }
}

const sameDestination = (known: RouteRow, next: RouteDestination): boolean =>
  sameEnds(known, next) &&
  known.transfer.from[COLLECTION_FIELD] === next.transfer.from[COLLECTION_FIELD]

const sameEnds = (known: RouteRow, next: RouteDestination): boolean =>
  known.from_wallet_id === next.from_wallet_id &&
  known.to_wallet_id === next.to_wallet_id &&
  known.protocol === next.protocol &&
  known.transfer.to['tag'] === next.transfer.to['tag']
