/**
 * Treasury routes: how one wallet of ours sends an asset to another wallet, and what the sending
 * venue needs for it. Here are their rows and the rules that every route must meet; edits.ts
 * creates and changes them.
 */
import type { TreasuryRouteId, WalletId, WorkspaceId } from '../../core/ids.ts'
import { notFound, refuse } from '../../core/errors.ts'
import { id as uuid, nullable, oneOf, text } from '../../http/index.ts'
import type { Caller } from '../../http/index.ts'
import { only } from '../../store/db.ts'
import type { Reader } from '../../store/db.ts'
import { allColumnsOf, shownOf, tableOf } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import { isUnreachable, readStoredProtocols, withTimeLimit } from '../../venues/index.ts'
import type {
  TransferDetails,
  TransferFields,
  Transfers,
  Venue,
  VenueRecord,
} from '../../venues/index.ts'
import type { TreasuryApp } from '../app.ts'
import { assertActive, walletById, walletsById } from '../wallets/rows.ts'
import type { Wallet } from '../wallets/wallets.schema.ts'
import { assertDestination, transferDetails } from './fields.ts'
import { ALLOWLIST_STATES, RouteShape } from './routes.schema.ts'
import type { RouteDraft, RouteRecord } from './routes.schema.ts'

export const ROUTES = tableOf('treasury_routes', RouteShape, {
  inside: {
    allowlist_state: oneOf(ALLOWLIST_STATES),
    allow_external_id: nullable(uuid('Our reference of the request to allow this destination')),
    allow_reason: nullable(text(1000, 'Why the venue refused')),
    collection_external_id: nullable(uuid('Our reference of the collection that the venue makes')),
    key: nullable(text(500, 'Its name in the configuration file')),
    declared_hash: nullable(text(500, 'Of what the configuration file said last')),
  },
  computed: ['from_wallet', 'to_wallet'],
})
export const ROUTE_COLUMNS = allColumnsOf(ROUTES)
/** `transfer` is as the adapter takes it. */
export type RouteRow = Omit<NonNullable<(typeof ROUTES)['types']>['row'], 'transfer'> & {
  transfer: TransferDetails
}
export type Route = RouteRow & { from_wallet: Wallet; to_wallet: Wallet }

/** The way of one payment: a route, or without ids the way back to the payer of a deposit. */
export type PaymentWay = Pick<Route, 'workspace' | 'protocol' | 'transfer' | 'from_wallet'> & {
  id: TreasuryRouteId | null
  to_wallet:
    | Pick<Wallet, 'id' | 'address' | 'venue_id' | 'state' | 'version'>
    | { id: null; address: string; venue_id: null }
}

/** What the API answers. */
export function routeShape({ allowlist_state, transfer, ...route }: Route): RouteRecord {
  const on_allowlist = allowlist_state === 'APPROVED'
  const to = { ...transfer.to, on_allowlist, allowlist_state } as RouteRecord['transfer']['to']
  return shownOf(ROUTES, { ...route, transfer: { from: transfer.from, to } })
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
  id: TreasuryRouteId,
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

type Sender = { venue: VenueRecord; adapter: Venue; transfers: Transfers }

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
  const { venue, adapter } = await app.venues.connect(wallet.workspace, wallet.venue_id)
  if (adapter.transfers === undefined)
    throw refuse(
      'UNSUPPORTED_BY_VENUE',
      path,
      `the venue ${venue.label} does not support transfers`,
    )
  return { venue, adapter, transfers: adapter.transfers }
}

/**
 * What a route from this wallet must say; UNSUPPORTED_BY_VENUE for a protocol that the asset does
 * not have there.
 */
export async function routeFields(
  { workspace }: Caller,
  app: TreasuryApp,
  { from_wallet_id, protocol }: { from_wallet_id: WalletId; protocol: string },
): Promise<TransferFields> {
  const wallet = await walletById(app.db, workspace, from_wallet_id, 'from_wallet_id')
  assertActive(wallet, 'from_wallet_id')
  const { transfers } = await senderOf(app, wallet)
  assertProtocolOfWallet(wallet, protocol)
  const { from, to } = transfers.fields(wallet.asset, protocol)
  const shown = to.map(({ name, type, required, description, enum: words }) => ({
    name,
    type,
    required,
    description,
    ...(words === undefined ? {} : { enum: words }),
  }))
  return { from, to: shown }
}

/**
 * Where the venue keeps allow-list collections, the field that names one; `collects`: it makes one
 * when none is named.
 */
export const COLLECTION_FIELD = 'destination_external_account_id'
export type Receiver = Pick<
  Wallet,
  'id' | 'workspace' | 'label' | 'state' | 'asset' | 'address' | 'protocol' | 'venue_id'
>
export type CheckedRoute = {
  from: Wallet
  to: Wallet
  transfer: TransferDetails
  collects: boolean
}

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
  return { from, to, ...(await checkWay(app, { from, to }, draft)) }
}

/** The same between these wallets; the receiving one may not be stored yet. */
export async function checkWay(
  app: TreasuryApp,
  { from, to }: { from: Wallet; to: Receiver },
  draft: Pick<RouteDraft, 'protocol' | 'transfer'>,
): Promise<Pick<CheckedRoute, 'transfer' | 'collects'>> {
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

async function assertReceives(app: TreasuryApp, to: Receiver, protocol: string): Promise<void> {
  if (to.venue_id === null) return
  const known = (await readStoredProtocols(app.db, to.workspace, to.venue_id))?.find(
    (storedProtocol) => storedProtocol.asset === to.asset,
  )
  if (known === undefined) return
  const offered = known.protocols.find((possible) => possible.protocol === protocol)
  if (offered?.deposit !== true)
    throw refuse(
      'UNSUPPORTED_BY_VENUE',
      'protocol',
      `the venue of ${to.label} takes no ${to.asset} on ${protocol}`,
    )
}

type TagNeeds = {
  asset: string
  protocols: readonly { protocol: string; tag_required: boolean }[]
}

async function needsTag(
  app: TreasuryApp,
  { venue, adapter }: Sender,
  asset: string,
  protocol: string,
): Promise<boolean> {
  const find = (all: readonly TagNeeds[]) =>
    all
      .find((offered) => offered.asset === asset)
      ?.protocols.find((offered) => offered.protocol === protocol)?.tag_required ?? false
  const stored = await readStoredProtocols(app.db, venue.workspace, venue.id)
  if (stored !== undefined) return find(stored)
  try {
    return find(await withTimeLimit(adapter.protocols(), venue.label))
  } catch (error) {
    if (isUnreachable(error)) return false
    throw error
  }
}
