/** Wallets: our own at venues, customers' inside our venues (INTERNAL) or elsewhere (EXTERNAL). */
import type { WalletId, WorkspaceId } from '../../core/ids.ts'
import type { Clock } from '../../core/clock.ts'
import { mustExist } from '../../core/assert.ts'
import { notFound, refuse } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { Caller } from '../../http/index.ts'
import { lockLane, publishEvents } from '../../ledger/index.ts'
import { only } from '../../store/db.ts'
import type { Tx } from '../../store/db.ts'
import { insertRow, updateRow } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import { putTasks } from '../../store/tasks.ts'
import { COLLECT_TASK, CREATE_WALLET_TASK } from '../tasks.ts'
import { checkCreated, checkCreation, checkWallet, isCreatedByVenue } from './checks.ts'
import type { CheckedWallet } from './checks.ts'
import { replaceMatchings } from './declared-matchings.ts'
import { WALLET_COLUMNS, walletById, WALLETS } from './rows.ts'
import type { Wallet, WalletChange, WalletDraft } from './wallets.schema.ts'

/** What the configuration file may say beyond the request. */
type DeclaredWalletFields = {
  key: string
  declared_hash: string
  reference_text: string | null
  integrate_from: number | null
}

/** What is stored of a request: the same fields when it is created and when it is changed. */
const storedFields = (draft: WalletDraft, checked: CheckedWallet) => ({
  type: draft.type,
  asset: draft.asset,
  address: checked.address,
  label: draft.label,
  service_id: draft.service_id ?? null,
  venue_id: draft.venue_id ?? null,
  account_id: draft.account_id,
  customer_id: draft.customer_id ?? null,
  access_type: draft.access_type,
  configuration: checked.configuration,
  foreign_id: checked.venue_wallet,
  venue_wallet: checked.venue_wallet,
  protocol: checked.protocol,
})

/** With `configuration.create_external_wallet` it is CREATING, and a task has the venue make it. */
export async function createWallet(
  { workspace, by }: Pick<Caller, 'workspace' | 'by'>,
  { tx, clock }: { tx: Tx; clock: Clock },
  draft: WalletDraft,
  declared?: DeclaredWalletFields,
): Promise<Wallet> {
  const id = newId()
  const creating = isCreatedByVenue(draft)
  const checked = creating
    ? await checkCreation(tx, workspace, draft, id)
    : await checkWallet(tx, workspace, draft)
  const now = clock.now()
  const insert = insertRow(
    WALLETS,
    {
      workspace,
      id,
      state: creating ? 'CREATING' : 'ACTIVE',
      ...storedFields(draft, checked),
      reference_text: declared?.reference_text ?? null,
      integrate_from: declared?.integrate_from ?? null,
      key: declared?.key ?? null,
      declared_hash: declared?.declared_hash ?? null,
    },
    { by, now },
  )
  const [wallet] = await tx.query<Wallet>(sql`
    ${insert}
    returning ${WALLET_COLUMNS}`)
  if (creating)
    await putTasks(tx, [{ workspace, kind: CREATE_WALLET_TASK, subject_id: id, due_at: now }])
  return publishWallet(tx, clock, 'wallet.created', mustExist(wallet, 'an insert returns its row'))
}

/**
 * A route must not find itself between other wallets: what it relies on cannot change (IN_USE). Nor
 * can the customer, once anything has moved through the wallet. A new address takes routes off the
 * allow-list.
 */
export async function changeWallet(
  { workspace, by }: Pick<Caller, 'workspace' | 'by'>,
  { tx, clock }: { tx: Tx; clock: Clock },
  { id, ...request }: WalletChange & { id: WalletId },
  declared?: DeclaredWalletFields,
): Promise<Wallet> {
  await lockLane(tx, workspace)
  const known = await lockedWallet(tx, workspace, id)
  if (request.version !== undefined && request.version !== known.version)
    throw refuse(
      'STALE_VERSION',
      'version',
      `the wallet has changed: its version is ${known.version}`,
    )
  const byVenue = isCreatedByVenue(known)
  const draft = byVenue ? keepVenueFields(request, known) : request
  if (declared !== undefined && declared.integrate_from !== known.integrate_from)
    await assertOpeningNotBooked(tx, known)
  const checked = byVenue
    ? await checkCreated(tx, workspace, draft, known)
    : await checkWallet(tx, workspace, draft)
  await assertRoutesUnaffected(tx, known, storedFields(draft, checked))
  if (known.customer_id !== null && (draft.customer_id ?? null) !== known.customer_id)
    await assertNothingMoved(tx, known)
  const now = clock.now()
  if (checked.address !== known.address) await resetAllowlist(tx, known, { by, now })
  const update = updateRow(WALLETS, {
    where: { workspace, id },
    set: {
      ...storedFields(draft, checked),
      reference_text: declared === undefined ? known.reference_text : declared.reference_text,
      integrate_from: declared === undefined ? known.integrate_from : declared.integrate_from,
      ...(declared === undefined ? {} : { declared_hash: declared.declared_hash }),
    },
    by,
    now,
  })
  await tx.query(update)
  const wallet = { id, workspace, account_id: draft.account_id }
  const matchings = byVenue ? undefined : request.matching_configurations
  await replaceMatchings({ workspace, by }, { tx, clock }, wallet, matchings)
  return publishWallet(tx, clock, 'wallet.changed', await walletById(tx, workspace, id))
}

async function lockedWallet(tx: Tx, workspace: WorkspaceId, id: WalletId): Promise<Wallet> {
  const wallets = await tx.query<Wallet>(sql`
    select ${WALLET_COLUMNS}
    from wallets
    where workspace = ${workspace}
      and id = ${id}
    for update`)
  const wallet = only(wallets)
  if (wallet === undefined) throw notFound('wallet', id, 'wallet_id')
  return wallet
}

/**
 * The venue's collection holds the old address: the venue makes another one for the new address.
 */
async function resetAllowlist(
  tx: Tx,
  { workspace, id }: Wallet,
  { by, now }: { by: string; now: number },
): Promise<void> {
  const routes = await tx.query<{ subject_id: string | null }>(sql`
    update treasury_routes
    set collection_external_id = case
        when collection_external_id is not null
          or transfer->'from' ? 'destination_external_account_id'
        then gen_random_uuid()
      end,
      transfer = transfer #- '{from,destination_external_account_id}',
      allowlist_state = 'NOT_REQUESTED', allow_external_id = null, allow_reason = null,
      version = version + 1, system_updated_at = ${now}, system_updated_by = ${by}
    where workspace = ${workspace}
      and to_wallet_id = ${id}
    returning case when collection_external_id is not null then id end as subject_id`)
  const subjects = routes.flatMap(({ subject_id }) => subject_id ?? [])
  await putTasks(
    tx,
    subjects.map((subject_id) => ({ workspace, kind: COLLECT_TASK, subject_id, due_at: now })),
  )
}

async function publishWallet(
  tx: Tx,
  clock: Clock,
  type: 'wallet.created' | 'wallet.changed',
  wallet: Wallet,
): Promise<Wallet> {
  const event = { type, resource_id: wallet.id, data: wallet }
  await publishEvents({ workspace: wallet.workspace }, { tx, clock }, [event])
  return wallet
}

/** Of a wallet that its venue made, only the label, the type and the owner can change. */
function keepVenueFields<Request extends WalletDraft>(request: Request, known: Wallet): Request {
  const { asset, address, access_type, configuration, service_id, venue_id } = known
  return {
    ...request,
    asset,
    address,
    access_type,
    configuration,
    ...(service_id === null ? {} : { service_id }),
    ...(venue_id === null ? {} : { venue_id }),
  }
}

/** What has moved nothing. A REJECTED deposit has. */
const FAILED_DEPOSIT = ['FAILED']
const FAILED_WITHDRAWAL = ['FAILED', 'REJECTED', 'CANCELED']

/** What arrived in it was its customer's, and what left it too: they stay so. */
async function assertNothingMoved(tx: Tx, { workspace, id }: Wallet): Promise<void> {
  const [movement] = await tx.query<{ resource: string; id: string }>(sql`
    (
      select 'deposit' as resource, id
      from deposits
      where workspace = ${workspace}
        and wallet_id = ${id}
        and state <> all(${FAILED_DEPOSIT})
      limit 1
    )
    union all
    (
      select 'withdrawal', id
      from withdrawals
      where workspace = ${workspace}
        and from_wallet_id = ${id}
        and state <> all(${FAILED_WITHDRAWAL})
      limit 1
    )
    limit 1`)
  if (movement !== undefined)
    throw refuse(
      'IN_USE',
      'customer_id',
      `customer_id cannot change: ${movement.resource} ${movement.id} ` +
        'has moved through this wallet',
    )
}

/** The opening balance was taken by the old time. */
async function assertOpeningNotBooked(tx: Tx, known: Wallet): Promise<void> {
  const opened = await tx.query(sql`
    select 1
    from venue_openings
    where workspace = ${known.workspace}
      and venue_id = ${known.venue_id}
      and asset = ${known.asset}`)
  if (opened.length > 0)
    throw refuse(
      'IN_USE',
      'integrate_from',
      'integrate_from cannot change: the opening balance of the venue is booked',
    )
}

type RouteBasis = Pick<
  Wallet,
  'type' | 'asset' | 'venue_id' | 'service_id' | 'foreign_id' | 'protocol'
>

/** The fields that routes rely on, by their path in the request. */
const routeBasis = (wallet: RouteBasis): Record<string, string | null> => ({
  type: wallet.type,
  asset: wallet.asset,
  venue_id: wallet.venue_id,
  service_id: wallet.service_id,
  configuration: wallet.foreign_id,
  'configuration.protocol': wallet.protocol,
})

async function assertRoutesUnaffected(tx: Tx, known: Wallet, next: RouteBasis): Promise<void> {
  const [before, after] = [routeBasis(known), routeBasis(next)]
  const changed = Object.keys(before).find((field) => before[field] !== after[field])
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
