/**
 * The own transfer that arrives as a deposit. It is known by its transaction or by our reference.
 * A wire is also known by its payer, quantity and time together, when only one transfer fits. A
 * quantity alone decides nothing: a person relates the deposit (relations.ts).
 */
import { decimal } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import type { VenueId } from '../../core/ids.ts'
import { assetsOf } from '../../ledger/index.ts'
import type { Guard } from '../../ledger/index.ts'
import type { Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { stateIn, stateNotIn } from '../../store/states.ts'
import type { VenueKind } from '../../venues/index.ts'
import type { TreasuryApp } from '../app.ts'
import { addressKey } from '../matchings/rules.ts'
import { isTransaction } from '../withdrawals/rows.ts'
import type { WithdrawalRow } from '../withdrawals/rows.ts'
import { LIVE_STATES, WITHDRAWAL_MOVES } from '../withdrawals/withdrawals.schema.ts'
import type { WithdrawalState } from '../withdrawals/withdrawals.schema.ts'
import { DEPOSIT_MOVES } from '../deposit-rows/deposits.schema.ts'
import type { DepositRow } from '../deposit-rows/rows.ts'

/** How long a deposit waits for the transaction hash of an own transfer that it may be. */
const WAIT_FOR_HASH_MILLISECONDS = 600_000
/** A transfer that left earlier than this is not known by its payer any more. */
const ARRIVES_WITHIN_MILLISECONDS = 14 * 86_400_000
/** How far apart the clocks of two venues may be. */
const CLOCK_SKEW_MILLISECONDS = 900_000
const DAY_MILLISECONDS = 86_400_000
const MAXIMUM_EXAMINED = 50
const MAXIMUM_REFERENCES = 20
/** Of a withdrawal that may have left. */
export const SENT_STATES = [...LIVE_STATES, 'SUCCESS'] as const

export type RelatedWithdrawal = {
  id: string
  state: WithdrawalState
  version: number
  quantity: Decimal
  /** What of it is ours; the rest left with it as payments of accounts. */
  transfer_quantity: Decimal
  transaction_hash: string | null
}

/** The withdrawal must still be as it was when it was found. */
export const unchangedGuard = ({
  id,
  state,
  version,
}: Pick<RelatedWithdrawal, 'id' | 'state' | 'version'>): Guard => ({
  table: 'withdrawals',
  resource: 'withdrawal',
  id,
  from: [state],
  version,
})

/** On its way to a wallet of ours, and not arrived. */
export type OpenTransfer = RelatedWithdrawal & {
  external_id: string
  former_transactions: WithdrawalRow['former_transactions']
  submitted_at: number
  /** As far as is known here. */
  unsent: boolean
  /** Whether it has left is not known before its venue has answered. */
  in_doubt: boolean
  outputs: number
  venue_id: VenueId
  /** The IBANs that its payment may come from. */
  payers: string[]
  /** Its receiver names no payer, and credits money only from accounts of ours. */
  from_ours_alone: boolean
}

type StoredTransfer = Omit<
  OpenTransfer,
  'quantity' | 'transfer_quantity' | 'payers' | 'from_ours_alone'
> & {
  quantity: string
  transfer_quantity: string
  from_address: string | null
  from_kind: VenueKind
  to_kind: VenueKind
  payout_ibans: string[]
}

/** 'wait': it may be one whose transaction is not known yet, or that may have left unseen. */
export async function findOwnTransfer(
  app: TreasuryApp,
  deposit: DepositRow,
): Promise<RelatedWithdrawal | 'wait' | undefined> {
  const open = await openTransfersTo(app.db, deposit, await app.history.lookUpBefore())
  const sent = open.filter((transfer) => !transfer.unsent)
  const certain = withTransaction(deposit, sent) ?? withOurReference(deposit, sent)
  if (certain !== undefined) return certain
  if (open.some((transfer) => transfer.in_doubt)) return 'wait'
  if (app.clock.now() >= (deposit.final_at ?? 0) + WAIT_FOR_HASH_MILLISECONDS) return undefined
  const asset = (await assetsOf(app.db, deposit.workspace)).get(deposit.asset)
  const isCoin = asset?.kind === 'CRYPTO' && deposit.transaction_hash !== null
  return isCoin && sent.some((transfer) => mayStillBe(deposit, transfer)) ? 'wait' : undefined
}

/**
 * Own transfers to the wallet of this deposit that have not arrived and that its transaction, its
 * reference or its quantity names. The surest come first, then the oldest. Also those that were
 * made before `look_up_before`, and may have left before the database was set back.
 */
export async function openTransfersTo(
  reader: Reader,
  deposit: DepositRow,
  look_up_before = 0,
): Promise<OpenTransfer[]> {
  const { workspace, wallet_id, asset } = deposit
  if (wallet_id === null) return []
  const hash = deposit.transaction_hash?.toLowerCase() ?? null
  const isNamed = sql`
    (
      lower(w.transaction_hash) = ${hash}::text
      or exists (
        select
        from jsonb_array_elements(w.former_transactions) former
        where lower(former ->> 'transaction_hash') = ${hash}::text
      )
      or w.external_id = any(${carriedReferences(deposit)}::text[])
    )`
  const rows = await reader.query<StoredTransfer>(sql`
    select w.id, w.state, w.version, w.quantity, w.transfer_quantity, w.transaction_hash,
      w.external_id, w.former_transactions,
      coalesce(w.submitted_at, w.system_created_at) as submitted_at,
      w.submitted_at is null as unsent,
      ${isInDoubt(look_up_before)} as in_doubt, w.outputs, w.venue_id,
      f.address as from_address, v.kind as from_kind, v.payout_ibans, t.kind as to_kind
    from withdrawals w
    left join wallets f on f.workspace = w.workspace
      and f.id = w.from_wallet_id
    join venues v on v.workspace = w.workspace
      and v.id = w.venue_id
    join venues t on t.workspace = w.workspace
      and t.id = ${deposit.venue_id}
    where w.workspace = ${workspace}
      and w.to_wallet_id = ${wallet_id}
      and w.asset = ${asset}
      and w.own_transfer
      and w.arrived_at is null
      and (w.submitted_at is not null or ${isInDoubt(look_up_before)})
      and ${stateIn(WITHDRAWAL_MOVES, SENT_STATES, 'w.state')}
      and (w.quantity = ${deposit.quantity}::numeric or ${isNamed})
      and not exists (
        select
        from deposits d
        where d.workspace = w.workspace
          and d.related_withdrawal_id = w.id
          and ${stateNotIn(DEPOSIT_MOVES, 'REVERSED', 'd.state')}
      )
    order by coalesce(${isNamed}, false) desc, w.submitted_at, w.id
    limit ${MAXIMUM_EXAMINED}`)
  return rows.map(openTransfer)
}

/** Not sent, or only assumed to be (claimed-references.ts), and its venue has not answered yet. */
const isInDoubt = (look_up_before: number): Query => sql`
  (
    w.foreign_id is null
    and coalesce(w.submitted_at, w.system_created_at) <= w.system_created_at
    and w.system_created_at < ${look_up_before}
    and coalesce(w.looked_up_at, 0) < ${look_up_before}
    and ${stateIn(WITHDRAWAL_MOVES, LIVE_STATES, 'w.state')}
  )`

function openTransfer(row: StoredTransfer): OpenTransfer {
  const { from_address, from_kind, to_kind, payout_ibans, ...transfer } = row
  const own = from_kind === 'BANK' && from_address !== null ? [from_address] : []
  return {
    ...transfer,
    quantity: decimal(row.quantity),
    transfer_quantity: decimal(row.transfer_quantity),
    payers: [...own, ...payout_ibans].map((iban) => addressKey('FIAT', iban)),
    from_ours_alone: from_kind === 'BANK' && to_kind === 'EXCHANGE',
  }
}

/**
 * Of a transaction with several outputs only the one of exactly this quantity. Of a transaction
 * with one output somebody may have taken a fee on the way. A transaction that was replaced may
 * have confirmed all the same.
 */
export function withTransaction<Open extends OpenTransfer>(
  { transaction_hash, quantity }: DepositRow,
  open: readonly Open[],
): Open | undefined {
  if (transaction_hash === null) return undefined
  const hash = transaction_hash.toLowerCase()
  const same = open.filter(
    (transfer) =>
      transfer.transaction_hash?.toLowerCase() === hash ||
      transfer.former_transactions.some((former) => isTransaction(former, hash)),
  )
  return (
    same.find((transfer) => transfer.quantity === decimal(quantity)) ??
    same.find((transfer) => transfer.outputs === 1)
  )
}

/** With the same allowance for a fee on the way; more than left cannot arrive. */
export function withOurReference<Open extends OpenTransfer>(
  deposit: DepositRow,
  open: readonly Open[],
): Open | undefined {
  const references = carriedReferences(deposit)
  const arrived = decimal(deposit.quantity)
  const named = open.filter((transfer) => references.includes(transfer.external_id))
  return (
    named.find((transfer) => transfer.quantity === arrived) ??
    named.find((transfer) => transfer.outputs === 1 && transfer.quantity > arrived)
  )
}

const REFERENCE = /\b[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}\b/gi

/** The references in it that may be ours: of the payment itself, and in its texts. */
export function carriedReferences({
  carried_external_id,
  reference_text,
  tag,
}: Pick<DepositRow, 'carried_external_id' | 'reference_text' | 'tag'>): string[] {
  const quoted = [reference_text, tag].flatMap((text) => text?.match(REFERENCE) ?? [])
  return [
    ...(carried_external_id === null ? [] : [carried_external_id]),
    ...quoted.slice(0, MAXIMUM_REFERENCES).map((reference) =>
      reference
        .toLowerCase()
        .replaceAll('-', '')
        .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    ),
  ]
}

/** Its transaction may be the deposit's: it is not known yet, or one may take its place. */
const mayStillBe = (deposit: DepositRow, transfer: OpenTransfer): boolean =>
  (transfer.transaction_hash === null || transfer.state !== 'SUCCESS') &&
  transfer.quantity === decimal(deposit.quantity) &&
  isInTime(deposit, transfer.submitted_at, ARRIVES_WITHIN_MILLISECONDS)

/** When and from whom a wire came. */
export type PayerClue = Pick<DepositRow, 'occurred_at' | 'source_address'>

/** Whether the payer, the time and the quantity of a wire all fit. */
export const isPaidAs = (
  deposit: PayerClue & Pick<DepositRow, 'quantity'>,
  transfer: OpenTransfer,
): boolean =>
  transfer.quantity === decimal(deposit.quantity) &&
  isFromPayer(deposit, transfer.payers, transfer.from_ours_alone) &&
  isInTime(deposit, transfer.submitted_at, ARRIVES_WITHIN_MILLISECONDS)

/** `unnamed`: that no payer is named speaks for it too. */
export const isFromPayer = (
  { source_address }: PayerClue,
  payers: readonly string[],
  unnamed = false,
): boolean =>
  source_address === null ? unnamed : payers.includes(addressKey('FIAT', source_address))

/** It came after the money had left, and not too late. */
export const isInTime = (
  { occurred_at }: PayerClue,
  left_at: number,
  within = Number.POSITIVE_INFINITY,
): boolean =>
  occurred_at < left_at + within &&
  latestOccurrence(occurred_at) + CLOCK_SKEW_MILLISECONDS >= left_at

/** A venue that gives only the day means some time of it, wherever its day begins. */
const latestOccurrence = (occurred_at: number): number =>
  occurred_at % DAY_MILLISECONDS === 0 ? occurred_at + 2 * DAY_MILLISECONDS : occurred_at
