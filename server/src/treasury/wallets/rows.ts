/** The rows of wallets: how they are read, and how the wallet that a movement reached is found. */
import { MATCHING_MOVES } from '../matchings/matchings.schema.ts'
import { addressKey } from '../matchings/rules.ts'
import { stateIn } from '../../store/states.ts'
import type { WalletId, WorkspaceId } from '../../core/ids.ts'
import { ERASED_TEXT } from '../../core/erased.ts'
import { notFound, refuse } from '../../core/errors.ts'
import { nullable, text, time } from '../../http/index.ts'
import { assetsOf } from '../../ledger/index.ts'
import { only } from '../../store/db.ts'
import type { Reader } from '../../store/db.ts'
import { columnsOf, tableOf } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import type { VenueRecord } from '../../venues/index.ts'
import { WALLET_MOVES, WalletShape } from './wallets.schema.ts'
import type { Wallet } from './wallets.schema.ts'

export const WALLETS = tableOf('wallets', WalletShape, {
  inside: {
    venue_wallet: nullable(text(500, 'VenueBalance.wallet of the contract; null: one pot')),
    key: nullable(text(500, 'Its name in the configuration file')),
    declared_hash: nullable(text(500, 'Of what the configuration file said last')),
    creation_requested_at: nullable(time('When its venue was asked to make it')),
  },
  computed: ['matching_configurations'],
})

const matching_configurations = sql`(
  select coalesce(
    json_agg(
      json_build_object(
        'type', m.type,
        'details', json_build_object(
          'asset', m.asset,
          'is_withdrawal_matching', m.is_withdrawal_matching,
          'destination_address', m.destination_address,
          'source_address', m.source_address,
          'reference', m.reference
        )
      )
      order by m.id
    ),
    '[]'
  )
  from matchings m
  where m.workspace = wallets.workspace
    and m.wallet_id = wallets.id
    and ${stateIn(MATCHING_MOVES, 'ACTIVE', 'm.state')}
)`
export const WALLET_COLUMNS = columnsOf(WalletShape, { computed: { matching_configurations } })

/** Throws STATE_NOT_ALLOWED for a wallet that its venue has not made. */
export function assertActive(
  { id, state, label, address }: Pick<Wallet, 'id' | 'state' | 'label' | 'address'>,
  path: string,
): void {
  if (address === ERASED_TEXT)
    throw refuse('NOT_ACTIVE', path, `the address of wallet ${id} was erased with its customer`)
  if (state === 'ACTIVE') return
  const why = state === 'CREATING' ? ': its venue is making it' : ''
  throw refuse('STATE_NOT_ALLOWED', path, `the wallet ${label} is ${state}${why}`)
}

/** Throws 4004 when the workspace has no such wallet; `path` names the field that asked. */
export async function walletById(
  reader: Reader,
  workspace: WorkspaceId,
  id: WalletId,
  path = 'wallet_id',
): Promise<Wallet> {
  const wallets = await reader.query<Wallet>(sql`
    select ${WALLET_COLUMNS}
    from wallets
    where workspace = ${workspace}
      and id = ${id}`)
  const wallet = only(wallets)
  if (wallet === undefined) throw notFound('wallet', id, path)
  return wallet
}

export async function walletsById(
  reader: Reader,
  workspace: WorkspaceId,
  ids: readonly WalletId[],
): Promise<Map<string, Wallet>> {
  const wallets = await reader.query<Wallet>(sql`
    select ${WALLET_COLUMNS}
    from wallets
    where workspace = ${workspace}
      and id = any(${[...new Set(ids)]}::uuid[])`)
  return new Map(wallets.map((wallet) => [wallet.id, wallet]))
}

/** All that lie at one place inside a venue; none where the venue has one pot. */
export async function walletsAt(
  reader: Reader,
  place: Pick<Wallet, 'workspace' | 'venue_id' | 'asset'> & { venue_wallet: string | null },
): Promise<Wallet[]> {
  if (place.venue_wallet === null) return []
  return reader.query<Wallet>(sql`
    select ${WALLET_COLUMNS}
    from wallets
    where workspace = ${place.workspace}
      and venue_id = ${place.venue_id}
      and asset = ${place.asset}
      and venue_wallet = ${place.venue_wallet}
    order by id`)
}

/**
 * Customers' wallets with this address. Many may share the address of a venue: then the tag tells
 * them apart.
 */
export async function walletsWithAddress(
  reader: Reader,
  movement: {
    workspace: WorkspaceId
    asset: string
    destination_address: string
    tag: string | null
  },
): Promise<Wallet[]> {
  const { workspace, asset, destination_address, tag } = movement
  const kind = (await assetsOf(reader, workspace)).get(asset)?.kind ?? 'CRYPTO'
  const key = addressKey(kind, destination_address)
  if (key === '') return []
  const wallets = await reader.query<Wallet>(sql`
    select ${WALLET_COLUMNS}
    from wallets
    where workspace = ${workspace}
      and lower(regexp_replace(address, '\\s', '', 'g')) = ${key.toLowerCase()}
      and asset = ${asset}
      and type = 'CUSTOMER'
    order by id`)
  return wallets.filter(
    ({ address, reference_text }) =>
      addressKey(kind, address) === key && (tag === null || reference_text === tag),
  )
}

/** A wallet of ours at a venue with this account, of any money (spaces and case do not count). */
export async function walletAtVenueWith(
  reader: Reader,
  { workspace, address }: Pick<Wallet, 'workspace' | 'address'>,
): Promise<Wallet | undefined> {
  const [wallet] = await reader.query<Wallet>(sql`
    select ${WALLET_COLUMNS}
    from wallets
    where workspace = ${workspace}
      and lower(regexp_replace(address, '\\s', '', 'g')) = ${address.toLowerCase()}
      and venue_id is not null
    order by id
    limit 1`)
  return wallet
}

/** `wallet`: where inside the venue, null where it has one pot or does not say. */
export type VenueLocator = {
  wallet: string | null
  asset: string
  protocol: string | null
  /** The address that was paid. */
  address: string | null
  tag: string | null
}

/**
 * Our wallet that a movement at a venue reached: by its address where the venue names it, else by
 * its place inside the venue. In a venue with one pot a customer's wallet is only found by its
 * address. Of those that share an address the tag decides.
 */
export async function walletByVenueLocator(
  reader: Reader,
  { workspace, id }: Pick<VenueRecord, 'workspace' | 'id'>,
  { wallet: place, asset, protocol, address, tag }: VenueLocator,
): Promise<Wallet | undefined> {
  const [wallet] = await reader.query<Wallet>(sql`
    select ${WALLET_COLUMNS}
    from wallets
    where workspace = ${workspace}
      and venue_id = ${id}
      and asset = ${asset}
      and ${stateIn(WALLET_MOVES, 'ACTIVE')}
      and (protocol is null or ${protocol}::text is null or protocol = ${protocol})
      and (
        ${place}::text is null
        or venue_wallet is null
        or venue_wallet = ${place}
        or address = ${place}
      )
      and (type = 'VENUE' or address = ${address} or venue_wallet = ${place} or address = ${place})
      and (creation_requested_at is null or reference_text is null or reference_text = ${tag})
    order by coalesce(address = ${address}, false) desc,
      coalesce(reference_text = ${tag}, false) desc, coalesce(venue_wallet = ${place}, false) desc,
      type = 'VENUE' desc, id
    limit 1`)
  return wallet
}
