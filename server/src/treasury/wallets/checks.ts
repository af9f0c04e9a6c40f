/**
 * The rules that a wallet must meet before it is stored: its venue, its owner and its
 * configuration.
 */
import type { ServiceId, WorkspaceId } from '../../core/ids.ts'
import { notFound, refuse } from '../../core/errors.ts'
import type { ApiError } from '../../core/errors.ts'
import { accountById, assetByCode, customerAccount } from '../../ledger/index.ts'
import type { Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import {
  bareIban,
  checkAddress,
  readConfiguredProtocols,
  readKnownProtocols,
  shippedProtocols,
  readStoredProtocols,
  venueById,
} from '../../venues/index.ts'
import type { VenueRecord } from '../../venues/index.ts'
import type { Configuration, Wallet, WalletDraft } from './wallets.schema.ts'

export type CheckedWallet = {
  /** An IBAN in its electronic form, however it was typed. */
  address: string
  configuration: Configuration
  venue_wallet: string | null
  protocol: string | null
}

export const isCreatedByVenue = ({ configuration }: Pick<WalletDraft, 'configuration'>): boolean =>
  configuration?.create_external_wallet === true

export async function checkWallet(
  reader: Reader,
  workspace: WorkspaceId,
  request: WalletDraft,
): Promise<CheckedWallet> {
  const asset = await assetByCode(reader, workspace, request.asset)
  const draft = asset.kind === 'FIAT' ? withBareIban(request) : request
  const venue = await checkVenue(reader, workspace, draft)
  await checkOwner(reader, workspace, draft)
  const checked = checkConfiguration(draft, venue)
  if (draft.address === '')
    throw refuse(
      'REQUIRED',
      'address',
      'address is required unless configuration.create_external_wallet is true',
    )
  // What was configured a moment ago no venue has said yet.
  const protocols =
    checked.protocol === null
      ? [
          ...(await readKnownProtocols(reader, workspace, draft.asset)),
          ...(await readConfiguredProtocols(reader, workspace, draft.asset)),
        ]
      : [checked.protocol]
  if (protocols.length === 0) protocols.push(...shippedProtocols(asset.code))
  if (protocols.length === 0) protocols.push(protocolBefore(asset))
  const { address } = draft
  const isInvalid = protocols.every(
    (protocol) => checkAddress({ asset: asset.code, protocol, address, tag: null }) === 'invalid',
  )
  if (isInvalid)
    throw refuse(
      'INVALID_ADDRESS',
      'address',
      asset.kind === 'FIAT'
        ? 'address is not a valid IBAN: its length or its check digits are wrong'
        : `address is not valid for ${draft.asset} on ${[...new Set(protocols)].join(', ')}`,
    )
  return checked
}

const withBareIban = (draft: WalletDraft): WalletDraft => ({
  ...draft,
  address: bareIban(draft.address),
})

/** While no venue has said how the asset travels. SEPA moves euros alone. */
function protocolBefore({ kind, code }: { kind: string; code: string }): string {
  if (kind !== 'FIAT') return code
  return code === 'EUR' ? 'SEPA' : 'FOREIGN'
}

/** A wallet that the venue makes. Only some kinds of venues do. */
export async function checkCreation(
  reader: Reader,
  workspace: WorkspaceId,
  draft: WalletDraft,
  id: string,
): Promise<CheckedWallet> {
  await assetByCode(reader, workspace, draft.asset)
  const venue = await checkVenue(reader, workspace, draft)
  await checkOwner(reader, workspace, draft)
  const configuration = creationConfiguration(draft, venue, id)
  if (draft.address !== '')
    throw refuse('CONFLICT', 'address', 'address must be empty: the venue creates it')
  const offered = (await readStoredProtocols(reader, workspace, venue?.id ?? ''))
    ?.find(({ asset }) => asset === draft.asset)
    ?.protocols.filter(({ deposit }) => deposit)
    .map(({ protocol }) => protocol)
  const protocol = chosenProtocol(configuration.protocol, offered, {
    venue: venue?.label ?? '',
    asset: draft.asset,
  })
  return { address: '', configuration, venue_wallet: null, protocol }
}

/**
 * Of what the venue offers. Where it has not said, `offered` is undefined, and a protocol that
 * usually carries the asset counts.
 */
function chosenProtocol(
  wanted: string | undefined,
  offered: readonly string[] | undefined,
  { venue, asset }: { venue: string; asset: string },
): string {
  if (offered === undefined) return wanted ?? shippedProtocols(asset)[0] ?? asset
  const [first, ...others] = offered
  if (first === undefined || (wanted !== undefined && !offered.includes(wanted)))
    throw refuse(
      'UNSUPPORTED_BY_VENUE',
      wanted === undefined ? 'asset' : 'configuration.protocol',
      `the venue ${venue} makes no ${asset} wallet${wanted === undefined ? '' : ` on ${wanted}`}`,
    )
  if (wanted === undefined && others.length > 0)
    throw refuse(
      'REQUIRED',
      'configuration.protocol',
      `configuration.protocol is required: ${offered.join(', ')}`,
    )
  return wanted ?? first
}

export async function checkCreated(
  reader: Reader,
  workspace: WorkspaceId,
  draft: WalletDraft,
  known: Wallet,
): Promise<CheckedWallet> {
  await checkVenue(reader, workspace, draft)
  await checkOwner(reader, workspace, draft)
  return {
    address: draft.address,
    configuration: known.configuration,
    venue_wallet: known.foreign_id,
    protocol: known.protocol,
  }
}

/**
 * venue_id and service_id come together and make the wallet INTERNAL. A VENUE wallet always has
 * them.
 */
async function checkVenue(
  reader: Reader,
  workspace: WorkspaceId,
  draft: WalletDraft,
): Promise<VenueRecord | undefined> {
  assertAccess(draft)
  const { venue_id, service_id } = draft
  if (venue_id === undefined || service_id === undefined) return undefined
  const venue = await venueById(reader, workspace, venue_id)
  const service = venue.services.find(({ id }) => id === service_id)
  if (service === undefined) throw await otherService(reader, venue, service_id)
  if (service.type !== 'WOMS')
    throw refuse(
      'CONFLICT',
      'service_id',
      `service_id is a ${service.type} service; wallets need WOMS`,
    )
  return venue
}

function assertAccess({ type, venue_id, service_id, access_type }: WalletDraft): void {
  const required = (field: string, why: string) =>
    refuse('REQUIRED', field, `${field} is required ${why}`)
  if (type === 'VENUE') {
    if (venue_id === undefined) throw required('venue_id', 'for a VENUE wallet')
    if (service_id === undefined) throw required('service_id', 'for a VENUE wallet')
  }
  if (venue_id === undefined && service_id !== undefined)
    throw required('venue_id', 'with service_id')
  if (venue_id !== undefined && service_id === undefined)
    throw required('service_id', 'with venue_id')
  const access = venue_id === undefined ? 'EXTERNAL' : 'INTERNAL'
  const place = venue_id === undefined ? 'at none of our venues' : 'at a venue'
  if (access_type !== access)
    throw refuse('CONFLICT', 'access_type', `access_type must be ${access}: the wallet is ${place}`)
}

/** Whether the service does not exist, or belongs to another venue. */
async function otherService(
  reader: Reader,
  venue: VenueRecord,
  service_id: ServiceId,
): Promise<ApiError> {
  const known = await reader.query(sql`
    select 1
    from services
    where workspace = ${venue.workspace}
      and id = ${service_id}`)
  return known.length === 0
    ? notFound('service', service_id, 'service_id')
    : refuse('CONFLICT', 'service_id', `service_id is not a service of the venue ${venue.label}`)
}

async function checkOwner(
  reader: Reader,
  workspace: WorkspaceId,
  draft: WalletDraft,
): Promise<void> {
  const account = await accountById(reader, workspace, draft.account_id)
  if (draft.type === 'VENUE') {
    if (draft.customer_id !== undefined)
      throw refuse('CONFLICT', 'customer_id', 'a VENUE wallet has no customer')
    if (account.venue_id !== draft.venue_id)
      throw refuse('CONFLICT', 'account_id', 'account_id must be an account of the venue')
    return
  }
  if (draft.customer_id === undefined)
    throw refuse('REQUIRED', 'customer_id', 'customer_id is required for a CUSTOMER wallet')
  if ((await customerAccount(reader, workspace, draft.customer_id)) === undefined)
    throw notFound('customer', draft.customer_id, 'customer_id')
  if (account.customer_id !== draft.customer_id)
    throw refuse('CONFLICT', 'account_id', 'account_id must be the account of the customer')
}

/** The fields of an existing wallet, by kind of venue. */
const CONFIGURATION_OF = {
  CUSTODY_VAULT: ['protocol', 'vault_id'],
  BANK: ['customer_number', 'customer_account_number'],
  EXCHANGE: [],
  MANAGED_WALLET: ['customer_id', 'wallet_id'],
} as const satisfies Record<VenueRecord['kind'], readonly (keyof Configuration)[]>
/** The fields of a wallet that the venue makes. */
const CREATION_OF: Partial<Record<VenueRecord['kind'], readonly (keyof Configuration)[]>> = {
  CUSTODY_VAULT: ['protocol', 'vault_id', 'vault_name'],
  MANAGED_WALLET: ['customer_id'],
}
const VAULT_NAME_DIGITS = 12

function assertKnownFields(
  configuration: Configuration,
  allowed: readonly string[],
  venue: VenueRecord | undefined,
): void {
  const unknown = Object.keys(configuration).find(
    (field) => field !== 'create_external_wallet' && !allowed.includes(field),
  )
  if (unknown === undefined) return
  const wallet =
    venue === undefined
      ? 'an EXTERNAL wallet'
      : `a wallet of this type at a venue of kind ${venue.kind}`
  throw refuse(
    'UNKNOWN_FIELD',
    `configuration.${unknown}`,
    `configuration.${unknown} is not known for ${wallet}`,
  )
}

function checkConfiguration(draft: WalletDraft, venue: VenueRecord | undefined): CheckedWallet {
  const { create_external_wallet, ...configuration } = draft.configuration ?? {}
  if (create_external_wallet === true)
    throw refuse(
      'CONFLICT',
      'configuration.create_external_wallet',
      'the wallet exists already: the venue creates a wallet only together with ours',
    )
  assertKnownFields(configuration, venue === undefined ? [] : CONFIGURATION_OF[venue.kind], venue)
  const { protocol, vault_id, wallet_id, customer_account_number } = configuration
  if (venue?.kind === 'CUSTODY_VAULT' && vault_id === undefined)
    throw refuse(
      'REQUIRED',
      'configuration.vault_id',
      'configuration.vault_id is required unless configuration.create_external_wallet is true',
    )
  if (venue?.kind === 'MANAGED_WALLET' && wallet_id === undefined)
    throw refuse(
      'REQUIRED',
      'configuration.wallet_id',
      'configuration.wallet_id is required unless configuration.create_external_wallet is true',
    )
  const places: Record<VenueRecord['kind'], string | undefined> = {
    CUSTODY_VAULT: vault_id,
    MANAGED_WALLET: wallet_id,
    BANK: bareIban(customer_account_number ?? draft.address),
    EXCHANGE: undefined,
  }
  return {
    address: draft.address,
    configuration,
    venue_wallet: (venue === undefined ? undefined : places[venue.kind]) ?? null,
    protocol: protocol ?? null,
  }
}

function creationConfiguration(
  draft: WalletDraft,
  venue: VenueRecord | undefined,
  id: string,
): Configuration {
  const configuration = draft.configuration ?? {}
  const allowed = venue === undefined ? undefined : CREATION_OF[venue.kind]
  if (allowed === undefined)
    throw refuse(
      'UNSUPPORTED_BY_VENUE',
      'configuration.create_external_wallet',
      venue === undefined
        ? 'an EXTERNAL wallet has no venue that could create it'
        : `the venue ${venue.label} does not create wallets: give an existing one`,
    )
  assertKnownFields(configuration, allowed, venue)
  if (configuration.vault_id !== undefined && configuration.vault_name !== undefined)
    throw refuse(
      'CONFLICT',
      'configuration.vault_name',
      'configuration.vault_name names a new vault; configuration.vault_id asks for a known one',
    )
  if (venue?.kind === 'MANAGED_WALLET' && configuration.customer_id === undefined)
    throw refuse(
      'REQUIRED',
      'configuration.customer_id',
      'configuration.customer_id is required: the venue creates wallets for its customers',
    )
  const named =
    venue?.kind === 'CUSTODY_VAULT' &&
    configuration.vault_id === undefined &&
    configuration.vault_name === undefined
  return named
    ? { ...configuration, vault_name: `Kontor ${draft.asset} ${id.slice(-VAULT_NAME_DIGITS)}` }
    : configuration
}
