/**
 * A movement that was not requested here becomes a withdrawal of origin EXTERNAL. It waits on
 * SUSPENSE until it is matched or assigned. One that left after its withdrawal had ended here names
 * that withdrawal and belongs to the same owners (late.ts).
 */
import { stateNotIn } from '../../store/states.ts'
import { DEPOSIT_MOVES } from '../deposit-rows/deposits.schema.ts'
import type { DepositId, ServiceId, WalletId, WithdrawalId, WorkspaceId } from '../../core/ids.ts'
import { format, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { withFailpoints } from '../../core/failpoint.ts'
import { newId } from '../../core/ids.ts'
import { assetsOf, retryOnStale } from '../../ledger/index.ts'
import type { Change } from '../../ledger/index.ts'
import type { Reader } from '../../store/db.ts'
import { insertRow } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import type { Outgoing, VenueRecord } from '../../venues/index.ts'
import { TREASURY_WORKER } from '../app.ts'
import type { TreasuryApp } from '../app.ts'
import { addressKey } from '../matchings/rules.ts'
import { walletById, walletByVenueLocator } from '../wallets/rows.ts'
import type { Wallet } from '../wallets/wallets.schema.ts'
import { withoutBookedFee } from '../withdrawals/fee-reports.ts'
import { beginReturn } from '../withdrawals/returned-deposits.ts'
import { leavingPart, withdrawalEvent, WITHDRAWALS } from '../withdrawals/rows.ts'
import {
  depositReturnedLate,
  lateAssignments,
  lateWithdrawalEvent,
  lateWithdrawalOf,
} from './late.ts'
import type { LateWithdrawal, Source } from './late.ts'
import { recordState } from './outgoing-reports.ts'

type ExternalWithdrawal = {
  id: string
  service_id: ServiceId
  movement: Outgoing
  from: Wallet | undefined
  late?: LateWithdrawal
}

export async function addExternalWithdrawal(
  app: TreasuryApp,
  { venue, service_id }: Source,
  movement: Outgoing,
  from: Wallet | undefined,
): Promise<void> {
  const id = newId()
  const change = await externalWithdrawalChange(app, venue, { id, service_id, movement, from })
  await withFailpoints('outgoing.store', venue.id, () => app.lane.commit(change))
  await recordState(app, venue.workspace, id, movement)
}

/** It left after its withdrawal had ended here. */
export async function addLateWithdrawal(
  app: TreasuryApp,
  { venue, service_id }: Source,
  movement: Outgoing,
  ended_id: WithdrawalId,
): Promise<void> {
  const { workspace } = venue
  const late = await lateWithdrawalOf(app, workspace, ended_id, movement)
  const { from_wallet_id } = late.ended
  const from =
    from_wallet_id === null ? undefined : await walletById(app.db, workspace, from_wallet_id)
  const id = newId()
  const destination_address = movement.destination_address ?? late.ended.destination_address
  await retryOnStale(async () => {
    const change = await externalWithdrawalChange(app, venue, {
      id,
      service_id,
      movement: { ...movement, destination_address },
      from,
      late,
    })
    await app.lane.commit(change)
  })
  await recordState(app, workspace, id, await withoutBookedFee(app, late.ended, movement))
}

/** Stored as PENDING. What the venue says of it is recorded afterwards, as of any withdrawal. */
async function externalWithdrawalChange(
  app: TreasuryApp,
  venue: VenueRecord,
  withdrawal: ExternalWithdrawal,
): Promise<Change> {
  const { id, movement, late } = withdrawal
  const { workspace } = venue
  const now = app.clock.now()
  const isCharge = movement.kind === 'CHARGE'
  const to = isCharge ? undefined : await destinationOf(app.db, venue, movement)
  const transfer = await transferPart(app.db, venue, to, withdrawal)
  const shown = {
    id,
    state: 'PENDING' as const,
    asset: movement.asset,
    quantity: format(movement.quantity),
    account_id: soleOwner(late),
    destination_address: movement.destination_address ?? '',
    foreign_id: movement.foreign_id,
    transaction_hash: movement.transaction_hash,
    reason: null,
    purpose: null,
    third_party: late?.ended.third_party ?? false,
  }
  const related_withdrawal_id = late?.ended.id ?? null
  const returned = late === undefined ? undefined : await depositReturnedLate(app.db, late, shown)
  const begun = returned === undefined ? undefined : beginReturn(returned, shown)
  const returns_deposit_id = returned?.id ?? null
  return {
    workspace,
    class: 'fact',
    by: TREASURY_WORKER,
    guards: begun?.guards ?? [],
    rows: [
      insertExternal(venue, withdrawal, {
        ...shown,
        to_wallet_id: to?.id ?? null,
        transfer_quantity: format(transfer),
        own_transfer: transfer > 0n,
        related_withdrawal_id,
        returns_deposit_id,
        now,
      }),
      ...(late === undefined ? [] : lateAssignments(late, id, { by: TREASURY_WORKER, now })),
      ...(begun?.rows ?? []),
    ],
    events: [
      withdrawalEvent(
        'discovered',
        { ...shown, returns_deposit_id },
        { origin: 'EXTERNAL', charge: isCharge, related_withdrawal_id },
      ),
      ...(late === undefined ? [] : [lateWithdrawalEvent(late, id)]),
      ...(begun?.events ?? []),
    ],
  }
}

type StoredExternal = {
  quantity: string
  account_id: string | null
  destination_address: string
  to_wallet_id: WalletId | null
  own_transfer: boolean
  transfer_quantity: string
  third_party: boolean
  related_withdrawal_id: WithdrawalId | null
  returns_deposit_id: DepositId | null
  now: number
}

const insertExternal = (
  { workspace, id: venue_id }: VenueRecord,
  { id, service_id, movement, from, late }: ExternalWithdrawal,
  stored: StoredExternal,
): Query =>
  insertRow(
    WITHDRAWALS,
    {
      workspace,
      id,
      state: 'PENDING',
      sub_state: movement.sub_state,
      origin: 'EXTERNAL',
      from_wallet_id: from?.id ?? null,
      to_wallet_id: stored.to_wallet_id,
      service_id,
      venue_id,
      asset: movement.asset,
      protocol: movement.protocol,
      quantity: stored.quantity,
      fee_borne_by: late?.ended.fee_borne_by ?? 'HOUSE',
      third_party: stored.third_party,
      speed_level: 'DEFAULT',
      destination_address: stored.destination_address,
      tag: movement.tag,
      reference_text: movement.reference_text,
      account_id: stored.account_id,
      related_withdrawal_id: stored.related_withdrawal_id,
      returns_deposit_id: stored.returns_deposit_id,
      own_transfer: stored.own_transfer,
      transfer_quantity: stored.transfer_quantity,
      venue_charge: movement.kind === 'CHARGE',
      external_id: id,
      foreign_id: movement.foreign_id,
      transaction_hash: movement.transaction_hash,
      former_transactions: [...(movement.former ?? [])],
      source_wallet: movement.wallet,
      transfer: { from: {}, to: {} },
      recipient_name: movement.recipient_name,
      value_date: movement.value_date ?? null,
      submitted_at: movement.occurred_at,
    },
    { by: TREASURY_WORKER, now: stored.now },
  )

const soleOwner = (late: LateWithdrawal | undefined): string | null => {
  if (late?.ended.own_transfer === true) return null
  const accounts = new Set(late?.owners.map((owner) => owner.account_id))
  const [account] = accounts
  return accounts.size === 1 && account !== undefined ? account : null
}

async function destinationOf(
  reader: Reader,
  venue: VenueRecord,
  movement: Outgoing,
): Promise<Pick<Wallet, 'id' | 'type'> | undefined> {
  const { to_wallet, asset, protocol, destination_address: address, tag } = movement
  return to_wallet === undefined
    ? ownWallet(reader, venue, movement)
    : walletByVenueLocator(reader, venue, { wallet: to_wallet, asset, protocol, address, tag })
}

/** Our wallet at a venue that the movement goes to. */
async function ownWallet(
  reader: Reader,
  { workspace }: VenueRecord,
  { asset, destination_address }: Outgoing,
): Promise<Pick<Wallet, 'id' | 'type'> | undefined> {
  if (destination_address === null) return undefined
  const kind = (await assetsOf(reader, workspace)).get(asset)?.kind ?? 'CRYPTO'
  const wallets = await reader.query<Pick<Wallet, 'id' | 'type' | 'address'>>(sql`
    select id, type, address
    from wallets
    where workspace = ${workspace}
      and asset = ${asset}
      and venue_id is not null
      and address <> ''
    order by type = 'VENUE' desc, id`)
  const key = addressKey(kind, destination_address)
  return wallets.find((wallet) => addressKey(kind, wallet.address) === key)
}

/**
 * What of it no account owns goes to a wallet of ours at a venue, unless its arrival is booked as
 * an ordinary deposit already. What the venue moves by itself is the house's, whoever's the wallet
 * is, and so is what had ended here as an own transfer.
 */
async function transferPart(
  reader: Reader,
  { workspace }: VenueRecord,
  to: Pick<Wallet, 'id' | 'type'> | undefined,
  { movement, late }: ExternalWithdrawal,
): Promise<Decimal> {
  const nobodys = movement.quantity - sum((late?.owners ?? []).map(({ quantity }) => quantity))
  const isTransfer = late === undefined || isLateTransfer(late)
  if (to === undefined || !isTransfer || nobodys <= 0n) return 0n
  const isKnown = movement.to_wallet !== undefined || late?.ended.own_transfer === true
  if (to.type !== 'VENUE' && !isKnown) return 0n
  return (await hasArrived(reader, workspace, to.id, movement)) ? 0n : nobodys
}

/** Without owners, nobody can say how much was ours of what accounts shared. */
const isLateTransfer = ({ ended, owners }: LateWithdrawal): boolean =>
  ended.own_transfer && (owners.length > 0 || leavingPart(ended) === 0n)

/**
 * Whether the arrival of its transaction was reported first. Money has no transaction: an own
 * transfer it is, and a person relates the deposit that its arrival became.
 */
async function hasArrived(
  reader: Reader,
  workspace: WorkspaceId,
  wallet_id: WalletId,
  { transaction_hash }: Outgoing,
): Promise<boolean> {
  if (transaction_hash === null) return false
  const rows = await reader.query(sql`
    select 1
    from deposits
    where workspace = ${workspace}
      and wallet_id = ${wallet_id}
      and not own_transfer
      and lower(transaction_hash) = ${transaction_hash.toLowerCase()}
      and ${stateNotIn(DEPOSIT_MOVES, ['PENDING', 'PENDING_REVIEW', 'FAILED', 'REVERSED'])}
    limit 1`)
  return rows.length > 0
}
