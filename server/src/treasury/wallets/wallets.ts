/** Wallets: our own at venues, customers' inside our venues (INTERNAL) or elsewhere (EXTERNAL). */
import type { Clock } from '../../core/clock.ts'
import { format } from '../../core/decimal.ts'
import { notFound, refuse } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import {
  accountById,
  assetByCode,
  customerAccount,
  lockLane,
  publishEvents,
} from '../../ledger/index.ts'
import { only } from '../../store/db.ts'
import type { Reader, Tx } from '../../store/db.ts'
import { raw, sql } from '../../store/sql.ts'
import { putTasks } from '../../store/tasks.ts'
import {
  added,
  checkAddress,
  knownProtocols,
  storedProtocols,
  venueById,
  withTimeLimit,
} from '../../venues/index.ts'
import type { VenueRecord } from '../../venues/index.ts'
import type { TreasuryApp } from '../app.ts'
import { COLLECT_TASK, CREATE_WALLET_TASK } from '../tasks.ts'
import { replaceMatchings } from './declared-matchings.ts'
import type {
  Configuration,
  Wallet,
  WalletBalance,
  WalletChange,
  WalletDraft,
} from './wallets.schema.ts'

export const WALLET_COLUMNS = raw(`
    id, workspace, type, asset, address, label, service_id, venue_id, account_id, customer_id,
      access_type, configuration, foreign_id, reference_text, protocol, integrate_from, state,
      reason, system_created_at, system_created_by, system_updated_at, system_updated_by, version,
      (
        select coalesce(
          json_agg(
          json_build_object(
          'type', m.type, 'details',
          json_build_object(
          'asset', m.asset, 'is_withdrawal_matching', m.is_withdrawal_matching,
          'destination_address', m.destination_address, 'source_address',
          m.source_address, 'reference', m.reference
          )
          )
          order by m.id
          ), '[]'
        )
        from matchings m
        where m.workspace = wallets.workspace
          and m.wallet_id = wallets.id
          and m.state = 'ACTIVE'
      ) as matching_configurations`)

/** Throws STATE_NOT_ALLOWED for a wallet that its venue has not made. */
export function assertActive({ state, label }: Wallet, path: string): void {
  if (state !== 'ACTIVE')
    throw refuse(
      'STATE_NOT_ALLOWED',
      path,
      `the wallet ${label} is ${state}${state === 'CREATING' ? ': its venue is making it' : ''}`,
    )
}

/** What the configuration file may say beyond the request. */
export type DeclaredWalletFields = {
  key: string
  declared_hash: string
  reference_text: string | null
  integrate_from: number | null
}

/** Throws 4004 when the workspace has no such wallet; `path` names the field that asked. */
export async function walletById(
  reader: Reader,
  workspace: WorkspaceId,
  id: string,
  path = 'wallet_id',
): Promise<Wallet> {
  const wallet = only(
    await reader.query<Wallet>(
      sql`
        select ${WALLET_COLUMNS}
        from wallets
        where workspace = ${workspace}
          and id = ${id}`,
    ),
  )
  if (wallet === undefined) throw notFound('wallet', id, path)
  return wallet
}

export async function walletsById(
  reader: Reader,
  workspace: WorkspaceId,
  ids: readonly string[],
): Promise<Map<string, Wallet>> {
  const wallets = await reader.query<Wallet>(
    sql`
      select ${WALLET_COLUMNS}
      from wallets
      where workspace = ${workspace}
        and id = any(${[...new Set(ids)]}::uuid[])`,
  )
  return new Map(wallets.map((wallet) => [wallet.id, wallet]))
}

/**
 * Our wallet that a movement at a venue reached: by its address where the venue names it, else by
 * its place inside the venue. In a venue with one pot a customer's wallet is only ever found by its
 * address; one of those that share an address by its tag.
 */
export async function walletByVenueLocator(
  reader: Reader,
  workspace: WorkspaceId,
  venue_id: string,
  locator: string | null,
  asset: string,
  protocol: string | null,
  address: string | null = null,
  tag: string | null = null,
): Promise<Wallet | undefined> {
  const [wallet] = await reader.query<Wallet>(sql`
    select ${WALLET_COLUMNS}
    from wallets
    where workspace = ${workspace}
      and venue_id = ${venue_id}
      and asset = ${asset}
      and state = 'ACTIVE'
      and (protocol is null or ${protocol}::text is null or protocol = ${protocol})
      and (
        ${locator}::text is null
        or venue_wallet is null
        or venue_wallet = ${locator}
        or address = ${locator}
      )
      and (
        type = 'VENUE'
        or address = ${address}
        or venue_wallet = ${locator}
        or address = ${locator}
      )
      and (creation_requested_at is null or reference_text is null or reference_text = ${tag})
    order by coalesce(address = ${address}, false) desc,
      coalesce(reference_text = ${tag}, false) desc,
      coalesce(venue_wallet = ${locator}, false) desc, type = 'VENUE' desc, id
    limit 1`)
  return wallet
}

/** With `configuration.create_external_wallet` it is CREATING, and a task has the venue make it. */
export async function createWallet(
  tx: Tx,
  clock: Clock,
  workspace: WorkspaceId,
  draft: WalletDraft,
  by: string,
  declared?: DeclaredWalletFields,
): Promise<Wallet> {
  const id = newId()
  const creating = isCreatedByVenue(draft)
  const checked = creating
    ? await checkCreation(tx, workspace, draft, id)
    : await checkWallet(tx, workspace, draft)
  const now = clock.now()
  const [wallet] = await tx.query<Wallet>(sql`
    insert into wallets (
      workspace, id, type, asset, address, label, service_id, venue_id, account_id, customer_id,
      access_type, configuration, foreign_id, reference_text, state, venue_wallet, protocol,
      integrate_from, key, declared_hash, system_created_at, system_created_by, system_updated_at,
      system_updated_by
    )
    values (
      ${workspace}, ${id}, ${draft.type}, ${draft.asset}, ${draft.address}, ${draft.label},
      ${draft.service_id ?? null}, ${draft.venue_id ?? null}, ${draft.account_id},
      ${draft.customer_id ?? null}, ${draft.access_type},
      ${JSON.stringify(checked.configuration)}::jsonb, ${checked.venue_wallet},
      ${declared?.reference_text ?? null}, ${creating ? 'CREATING' : 'ACTIVE'},
      ${checked.venue_wallet}, ${checked.protocol}, ${declared?.integrate_from ?? null},
      ${declared?.key ?? null}, ${declared?.declared_hash ?? null}, ${now}, ${by}, ${now}, ${by}
    )
    returning ${WALLET_COLUMNS}`)
  if (creating)
    await putTasks(tx, [{ workspace, kind: CREATE_WALLET_TASK, subject_id: id, due_at: now }])
  return publishWallet(tx, clock, 'wallet.created', wallet as Wallet)
}

/**
 * A route must not find itself between other wallets: what it relies on cannot change (IN_USE), a
 * new address asks for the allow-list anew.
 */
export async function changeWallet(
  tx: Tx,
  clock: Clock,
  workspace: WorkspaceId,
  id: string,
  given: WalletChange,
  by: string,
  declared?: DeclaredWalletFields,
): Promise<Wallet> {
  await lockLane(tx, workspace)
  const known = only(
    await tx.query<Wallet>(
      sql`
        select ${WALLET_COLUMNS}
        from wallets
        where workspace = ${workspace}
          and id = ${id}
        for update`,
    ),
  )
  if (known === undefined) throw notFound('wallet', id, 'wallet_id')
  if (given.version !== undefined && given.version !== known.version)
    throw refuse(
      'STALE_VERSION',
      'version',
      `the wallet has changed: its version is ${known.version}`,
    )
  const draft = isCreatedByVenue(known) ? keepVenueFields(given, known) : given
  if (declared !== undefined && declared.integrate_from !== known.integrate_from)
    await assertOpeningNotBooked(tx, known)
  const checked = isCreatedByVenue(known)
    ? await checkCreated(tx, workspace, draft, known)
    : await checkWallet(tx, workspace, draft)
  await assertRoutesUnaffected(tx, known, {
    type: draft.type,
    asset: draft.asset,
    venue_id: draft.venue_id ?? null,
    service_id: draft.service_id ?? null,
    configuration: checked.venue_wallet,
    'configuration.protocol': checked.protocol,
  })
  const now = clock.now()
  if (draft.address !== known.address) {
    // The venue's collection holds the old address: a new one is made for the new one.
    const collecting = await tx.query<{ subject_id: string | null }>(sql`
      update treasury_routes
      set collection_external_id = case
        when collection_external_id is not null or transfer->'from' ? 'destination_external_account_id' then gen_random_uuid(
          
        )
      end, transfer = transfer #- '{from,destination_external_account_id}',
        allowlist_state = 'NOT_REQUESTED', allow_external_id = null, allow_reason = null,
        version = version + 1, system_updated_at = ${now}, system_updated_by = ${by}
      where workspace = ${workspace}
        and to_wallet_id = ${id}
      returning case when collection_external_id is not null then id end as subject_id`)
    await putTasks(
      tx,
      collecting.flatMap(({ subject_id }) =>
        subject_id === null ? [] : [{ workspace, kind: COLLECT_TASK, subject_id, due_at: now }],
      ),
    )
  }
  const [wallet] = await tx.query<Wallet>(sql`
    update wallets
    set type = ${draft.type}, asset = ${draft.asset}, address = ${draft.address},
      label = ${draft.label}, service_id = ${draft.service_id ?? null},
      venue_id = ${draft.venue_id ?? null}, account_id = ${draft.account_id},
      customer_id = ${draft.customer_id ?? null}, access_type = ${draft.access_type},
      configuration = ${JSON.stringify(checked.configuration)}::jsonb,
      foreign_id = ${checked.venue_wallet}, venue_wallet = ${checked.venue_wallet},
      protocol = ${checked.protocol},
      reference_text = ${declared === undefined ? known.reference_text : declared.reference_text},
      integrate_from = ${declared === undefined ? known.integrate_from : declared.integrate_from},
      declared_hash = coalesce(${declared?.declared_hash ?? null}, declared_hash),
      version = version + 1, system_updated_at = ${now}, system_updated_by = ${by}
    where workspace = ${workspace}
      and id = ${id}
    returning ${WALLET_COLUMNS}`)
  await replaceMatchings(
    tx,
    clock,
    wallet as Wallet,
    isCreatedByVenue(known) ? undefined : given.matching_configurations,
    by,
  )
  return publishWallet(tx, clock, 'wallet.changed', await walletById(tx, workspace, id))
}

async function publishWallet(
  tx: Tx,
  clock: Clock,
  type: 'wallet.created' | 'wallet.changed',
  wallet: Wallet,
): Promise<Wallet> {
  await publishEvents(tx, clock, wallet.workspace, [{ type, resource_id: wallet.id, data: wallet }])
  return wallet
}

/**
 * What the venue made stays as it is: an edit reaches the label, the type and whose it is, and is
 * ignored in all else.
 */
function keepVenueFields(given: WalletDraft, known: Wallet): WalletDraft {
  const { asset, address, access_type, configuration, service_id, venue_id } = known
  return {
    ...given,
    asset,
    address,
    access_type,
    configuration,
    ...(service_id === null ? {} : { service_id }),
    ...(venue_id === null ? {} : { venue_id }),
  }
}

/** The opening balance was taken by the old time. */
async function assertOpeningNotBooked(tx: Tx, known: Wallet): Promise<void> {
  const opened = await tx.query(
    sql`
      select 1
      from venue_openings
      where workspace = ${known.workspace}
        and venue_id = ${known.venue_id}
        and asset = ${known.asset}`,
  )
  if (opened.length > 0)
    throw refuse(
      'IN_USE',
      'integrate_from',
      'integrate_from cannot change: the opening balance of the venue is booked',
    )
}

async function assertRoutesUnaffected(
  tx: Tx,
  known: Wallet,
  next: Record<string, string | null>,
): Promise<void> {
  const before: Record<string, string | null> = {
    type: known.type,
    asset: known.asset,
    venue_id: known.venue_id,
    service_id: known.service_id,
    configuration: known.foreign_id,
    'configuration.protocol': known.protocol,
  }
  const changed = Object.keys(before).find((field) => before[field] !== next[field])
  if (changed === undefined) return
  const [route] = await tx.query<{ label: string }>(sql`
    select label
    from treasury_routes
    where workspace = ${known.workspace}
      and (from_wallet_id = ${known.id} or to_wallet_id = ${known.id})
    limit 1`)
  if (route !== undefined)
    throw refuse(
      'IN_USE',
      changed,
      `${changed} cannot change: the route ${route.label} uses this wallet`,
    )
}

type CheckedWallet = {
  configuration: Configuration
  venue_wallet: string | null
  protocol: string | null
}

const isCreatedByVenue = ({ configuration }: Pick<WalletDraft, 'configuration'>): boolean =>
  configuration?.create_external_wallet === true

async function checkWallet(
  reader: Reader,
  workspace: WorkspaceId,
  draft: WalletDraft,
): Promise<CheckedWallet> {
  const asset = await assetByCode(reader, workspace, draft.asset)
  const venue = await checkVenue(reader, workspace, draft)
  await checkOwner(reader, workspace, draft)
  const checked = checkConfiguration(draft, venue)
  if (draft.address === '')
    throw refuse(
      'REQUIRED',
      'address',
      'address is required unless configuration.create_external_wallet is true',
    )
  const protocols =
    checked.protocol !== null
      ? [checked.protocol]
      : await knownProtocols(reader, workspace, draft.asset)
  if (protocols.length === 0) protocols.push(asset.kind === 'FIAT' ? 'SEPA' : asset.code)
  if (
    protocols.every(
      (protocol) =>
        checkAddress({ asset: draft.asset, protocol, address: draft.address, tag: null }) ===
        'invalid',
    )
  ) {
    throw refuse(
      'INVALID_ADDRESS',
      'address',
      `address is not valid for ${draft.asset} on ${protocols.join(', ')}`,
    )
  }
  return checked
}

/** A wallet that the venue shall make; only kinds of venues that make wallets can. */
async function checkCreation(
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
    throw refuse('CONFLICT', 'address', 'address must be empty: the venue makes it')
  const offered = (await storedProtocols(reader, workspace, venue?.id ?? ''))
    ?.find((storedProtocol) => storedProtocol.asset === draft.asset)
    ?.protocols.filter((protocol) => protocol.deposit)
  if (
    offered !== undefined &&
    !offered.some(
      (each) => configuration.protocol === undefined || each.protocol === configuration.protocol,
    )
  ) {
    throw refuse(
      'UNSUPPORTED_BY_VENUE',
      configuration.protocol === undefined ? 'asset' : 'configuration.protocol',
      `the venue ${venue?.label} makes no ${draft.asset} ` +
        `wallet${configuration.protocol === undefined ? '' : ` on ${configuration.protocol}`}`,
    )
  }
  if (configuration.protocol === undefined && offered !== undefined && offered.length > 1)
    throw refuse(
      'REQUIRED',
      'configuration.protocol',
      `configuration.protocol is required: ${offered.map((each) => each.protocol).join(', ')}`,
    )
  return {
    configuration,
    venue_wallet: null,
    protocol: configuration.protocol ?? offered?.[0]?.protocol ?? draft.asset,
  }
}

async function checkCreated(
  reader: Reader,
  workspace: WorkspaceId,
  draft: WalletDraft,
  known: Wallet,
): Promise<CheckedWallet> {
  await checkVenue(reader, workspace, draft)
  await checkOwner(reader, workspace, draft)
  return {
    configuration: known.configuration,
    venue_wallet: known.foreign_id,
    protocol: known.protocol,
  }
}

/**
 * venue_id and service_id come together and make the wallet INTERNAL; a VENUE wallet always has
 * them.
 */
async function checkVenue(
  reader: Reader,
  workspace: WorkspaceId,
  draft: WalletDraft,
): Promise<VenueRecord | undefined> {
  const { venue_id, service_id } = draft
  if (draft.type === 'VENUE') {
    if (venue_id === undefined)
      throw refuse('REQUIRED', 'venue_id', 'venue_id is required for a VENUE wallet')
    if (service_id === undefined)
      throw refuse('REQUIRED', 'service_id', 'service_id is required for a VENUE wallet')
  }
  if (venue_id === undefined && service_id !== undefined)
    throw refuse('REQUIRED', 'venue_id', 'venue_id is required with service_id')
  if (venue_id !== undefined && service_id === undefined)
    throw refuse('REQUIRED', 'service_id', 'service_id is required with venue_id')
  const access = venue_id === undefined ? 'EXTERNAL' : 'INTERNAL'
  if (draft.access_type !== access)
    throw refuse(
      'CONFLICT',
      'access_type',
      `access_type must be ${access}: the wallet is ` +
        `${venue_id === undefined ? 'at no venue of ours' : 'at a venue'}`,
    )
  if (venue_id === undefined) return undefined
  const venue = await venueById(reader, workspace, venue_id)
  const service = venue.services.find((service) => service.id === service_id)
  if (service === undefined) {
    const known = await reader.query(
      sql`
        select 1
        from services
        where workspace = ${workspace}
          and id = ${service_id ?? null}`,
    )
    throw known.length === 0
      ? notFound('service', service_id ?? '', 'service_id')
      : refuse('CONFLICT', 'service_id', `service_id is no service of the venue ${venue.label}`)
  }
  if (service.type !== 'WOMS')
    throw refuse(
      'CONFLICT',
      'service_id',
      `service_id is a ${service.type} service; wallets need WOMS`,
    )
  return venue
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

const CONFIGURATION_OF = {
  CUSTODY_VAULT: ['protocol', 'vault_id'],
  BANK: ['customer_number', 'customer_account_number'],
  EXCHANGE: [],
  MANAGED_WALLET: ['customer_id', 'wallet_id'],
} as const satisfies Record<VenueRecord['kind'], readonly (keyof Configuration)[]>
/** What may be said about a wallet that the venue shall make. */
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
  if (unknown !== undefined)
    throw refuse(
      'UNKNOWN_FIELD',
      `configuration.${unknown}`,
      `configuration.${unknown} is not known for ` +
        `${venue === undefined ? 'an EXTERNAL wallet' : `a wallet of this kind at a venue of kind ${venue.kind}`}`,
    )
}

function checkConfiguration(draft: WalletDraft, venue: VenueRecord | undefined): CheckedWallet {
  const { create_external_wallet, ...configuration } = draft.configuration ?? {}
  if (create_external_wallet === true)
    throw refuse(
      'CONFLICT',
      'configuration.create_external_wallet',
      'the wallet exists already: the venue makes wallets only when they are created here',
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
    BANK: customer_account_number ?? draft.address,
    EXCHANGE: undefined,
  }
  return {
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
        ? 'an EXTERNAL wallet is at no venue that could make it'
        : `the venue ${venue.label} makes no wallets: name an existing one`,
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
      'configuration.customer_id is required: the venue makes wallets for its customers',
    )
  const named =
    venue?.kind === 'CUSTODY_VAULT' &&
    configuration.vault_id === undefined &&
    configuration.vault_name === undefined
  return named
    ? { ...configuration, vault_name: `Kontor ${draft.asset} ${id.slice(-VAULT_NAME_DIGITS)}` }
    : configuration
}

/**
 * Asked at the venue now: 2003 when it does not answer, UNSUPPORTED_BY_VENUE for an EXTERNAL
 * wallet.
 */
export async function balanceOfWallet(
  app: TreasuryApp,
  workspace: WorkspaceId,
  wallet_id: string,
): Promise<WalletBalance> {
  const wallet = await walletById(app.db, workspace, wallet_id)
  if (wallet.venue_id === null)
    throw refuse(
      'UNSUPPORTED_BY_VENUE',
      'wallet_id',
      'the wallet is EXTERNAL: nobody tells us its balance',
    )
  assertActive(wallet, 'wallet_id')
  const { venue, adapter } = await app.venues.connected(workspace, wallet.venue_id)
  const held = (await withTimeLimit(adapter.balances(), venue.label)).filter(
    (venueBalance) =>
      venueBalance.asset === wallet.asset &&
      (wallet.foreign_id === null ||
        venueBalance.wallet === null ||
        venueBalance.wallet === wallet.foreign_id) &&
      (wallet.protocol === null ||
        venueBalance.protocol === null ||
        venueBalance.protocol === wallet.protocol),
  )
  const protocols = new Set(
    held.map((venueBalance) => venueBalance.protocol).filter((each) => each !== null),
  )
  const protocol =
    wallet.protocol ??
    (protocols.size === 1
      ? ([...protocols][0] ?? null)
      : ((await knownProtocols(app.db, workspace, wallet.asset))[0] ?? null))
  const [first, ...more] = held
  if (first === undefined) return { free: '0', used: '0', total: '0', protocol }
  const sum = more.reduce(added, first)
  const figure = (value: bigint | null) => (value === null ? null : format(value))
  return { free: figure(sum.free), used: figure(sum.used), total: figure(sum.total), protocol }
}
