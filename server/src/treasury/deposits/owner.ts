/**
 * Whose a deposit is. The first answer counts, in this order (docs/domain.md, part 3):
 *
 *   assignments   it was assigned before the venue reversed it
 *   return        the withdrawal that it is known to bring back
 *   own transfer  one of ours that arrives here
 *   expected      what a venue pays for a settlement
 *   return        the withdrawal that the venue says it brings back
 *   matching      the matchings, and the customer of the receiving wallet
 *   nobody        a person assigns it
 */
import { stateNotIn } from '../../store/states.ts'
import { DEPOSIT_MOVES } from './deposits.schema.ts'
import type { AccountId, MatchingId } from '../../core/ids.ts'
import { decimal, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { assetsOf } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import type { TreasuryApp } from '../app.ts'
import { isLive } from '../assignments/assignments.schema.ts'
import { assignmentsOf } from '../assignments/rows.ts'
import type { AssignmentRow } from '../assignments/rows.ts'
import { findMatch } from '../matchings/matchings.ts'
import type { MatchReason } from '../matchings/rules.ts'
import { walletById } from '../wallets/rows.ts'
import type { Wallet } from '../wallets/wallets.schema.ts'
import { LIVE_STATES } from '../withdrawals/withdrawals.schema.ts'
import type { WithdrawalState } from '../withdrawals/withdrawals.schema.ts'
import { findExpectedArrival } from './expected-arrivals.ts'
import type { ExpectedArrival } from './expected-arrivals.ts'
import type { DepositRow } from './rows.ts'

/** How long a deposit waits for the transaction hash of an own transfer that it may be. */
const WAIT_FOR_HASH_MILLISECONDS = 600_000
/**
 * An own transfer that left earlier than this is not taken for an arrival by its quantity alone,
 * whichever of the two is reported first.
 */
export const ARRIVES_WITHIN_MILLISECONDS = 14 * 86_400_000
/** How far apart the clocks of two venues may be. */
const CLOCK_SKEW_MILLISECONDS = 900_000
const DAY_MILLISECONDS = 86_400_000
const SENT_STATES = [...LIVE_STATES, 'SUCCESS']

export type RelatedWithdrawal = {
  id: string
  state: WithdrawalState
  version: number
  quantity: Decimal
  own_transfer: boolean
  transaction_hash: string | null
}
type StoredRow<Row extends { quantity: Decimal }> = Omit<Row, 'quantity'> & { quantity: string }

export type Owner =
  | { owner: 'own transfer'; withdrawal: RelatedWithdrawal }
  /** It may be an own transfer whose transaction is not known yet. */
  | { owner: 'wait' }
  | { owner: 'expected'; arrival: ExpectedArrival }
  | AccountsOrNobody
  /** The venue had reversed it and credits it again. */
  | { owner: 'as before'; assignments: AssignmentRow[] }

export type AccountsOrNobody =
  | {
      owner: 'accounts'
      shares: { account_id: AccountId; quantity: Decimal; matching_id: MatchingId | null }[]
      matched?: MatchReason
      returned?: RelatedWithdrawal
    }
  | {
      owner: 'nobody'
      reason_code: string | null
      reason: string | null
      returned?: RelatedWithdrawal
    }

export async function findOwner(app: TreasuryApp, deposit: DepositRow): Promise<Owner> {
  const { workspace, wallet_id } = deposit
  const wallet = wallet_id === null ? undefined : await walletById(app.db, workspace, wallet_id)
  const assignments = await assignmentsOf(app.db, workspace, { deposit_id: deposit.id })
  const live = assignments.filter((assignment) => isLive(assignment))
  if (live.length > 0) return { owner: 'as before', assignments: live }

  if (deposit.related_withdrawal_id !== null) {
    const known = await findReturnedWithdrawal(app, deposit)
    if (known !== undefined) return ownerOfReturn(app, deposit, known)
  }
  const transfer = await findOwnTransfer(app, deposit, wallet)
  if (transfer === 'wait') return { owner: 'wait' }
  if (transfer !== undefined) return { owner: 'own transfer', withdrawal: transfer }

  const latest = latestOccurrence(deposit.occurred_at) + CLOCK_SKEW_MILLISECONDS
  const arrival = await findExpectedArrival(app.db, deposit, latest)
  if (arrival !== undefined) return { owner: 'expected', arrival }

  const returned = await findReturnedWithdrawal(app, deposit)
  if (returned !== undefined) return ownerOfReturn(app, deposit, returned)
  return matchedOwner(app, deposit, wallet)
}

/** A venue that gives only the day means some time of it, wherever its day begins. */
const latestOccurrence = (occurred_at: number): number =>
  occurred_at % DAY_MILLISECONDS === 0 ? occurred_at + 2 * DAY_MILLISECONDS : occurred_at

type Candidate = RelatedWithdrawal & {
  submitted_at: number
  outputs: number
  from_address: string
  from_kind: string
}

/**
 * The own transfer that arrives here: the one with this transaction, else one to this wallet of
 * exactly this quantity without a transaction, as banks have it. While the transaction of such a
 * one is not known yet, the deposit waits.
 */
async function findOwnTransfer(
  app: TreasuryApp,
  deposit: DepositRow,
  wallet: Wallet | undefined,
): Promise<RelatedWithdrawal | 'wait' | undefined> {
  if (wallet === undefined) return undefined
  const candidates = await transfersTo(app, deposit, wallet)
  const exact = withTransaction(deposit, candidates)
  if (exact !== undefined) return exact
  const alike = candidates.filter((candidate) => mayArriveAs(deposit, candidate))
  const [first] = alike
  if (first === undefined) return undefined
  const asset = (await assetsOf(app.db, deposit.workspace)).get(deposit.asset)
  if (asset?.kind !== 'CRYPTO' || deposit.transaction_hash === null) return first
  const isOpen = alike.some((candidate) => candidate.state !== 'SUCCESS')
  if (isOpen && app.clock.now() < (deposit.final_at ?? 0) + WAIT_FOR_HASH_MILLISECONDS)
    return 'wait'
  return alike.find((candidate) => candidate.state === 'SUCCESS')
}

/** Own transfers to this wallet that have not arrived, oldest first. */
async function transfersTo(
  app: TreasuryApp,
  { workspace, asset }: DepositRow,
  wallet: Wallet,
): Promise<Candidate[]> {
  const rows = await app.db.query<StoredRow<Candidate>>(sql`
    select w.id, w.state, w.version, w.quantity, w.own_transfer, w.transaction_hash, w.submitted_at,
      w.outputs, f.address as from_address, v.kind as from_kind
    from withdrawals w
    join wallets f on f.workspace = w.workspace
      and f.id = w.from_wallet_id
    join venues v on v.workspace = w.workspace
      and v.id = w.venue_id
    where w.workspace = ${workspace}
      and w.to_wallet_id = ${wallet.id}
      and w.asset = ${asset}
      and w.own_transfer
      and w.submitted_at is not null
      and w.state = any(${SENT_STATES})
      and not exists (
        select
        from deposits d
        where d.workspace = w.workspace
          and d.related_withdrawal_id = w.id
          and ${stateNotIn(DEPOSIT_MOVES, 'REVERSED', 'd.state')}
      )
    order by w.submitted_at, w.id`)
  return rows.map((row) => ({ ...row, quantity: decimal(row.quantity) }))
}

/**
 * Of a transaction with several outputs only the one of exactly this quantity. Of a transaction
 * with one output somebody may have taken a fee on the way.
 */
function withTransaction(
  { transaction_hash, quantity }: DepositRow,
  candidates: readonly Candidate[],
): Candidate | undefined {
  if (transaction_hash === null) return undefined
  const hash = transaction_hash.toLowerCase()
  const same = candidates.filter((candidate) => candidate.transaction_hash?.toLowerCase() === hash)
  return (
    same.find((candidate) => candidate.quantity === decimal(quantity)) ??
    same.find((candidate) => candidate.outputs === 1)
  )
}

/** Without a transaction to compare: the quantity, the time and a bank's account must fit. */
function mayArriveAs(deposit: DepositRow, candidate: Candidate): boolean {
  const { occurred_at, source_address } = deposit
  const isInTime =
    occurred_at < candidate.submitted_at + ARRIVES_WITHIN_MILLISECONDS &&
    latestOccurrence(occurred_at) >= candidate.submitted_at - CLOCK_SKEW_MILLISECONDS
  const isFromThere =
    candidate.from_kind !== 'BANK' ||
    source_address === null ||
    source_address === candidate.from_address
  return (
    candidate.transaction_hash === null &&
    candidate.quantity === decimal(deposit.quantity) &&
    isInTime &&
    isFromThere
  )
}

/**
 * The withdrawal that the deposit is known to bring back, or that the venue says it brings back. An
 * output of a transaction with several is found as an own transfer, not as a return.
 */
async function findReturnedWithdrawal(
  app: TreasuryApp,
  deposit: DepositRow,
): Promise<RelatedWithdrawal | undefined> {
  const { workspace, venue_id, related_withdrawal_id, related_external_id } = deposit
  if (related_external_id === null && related_withdrawal_id === null) return undefined
  const isReturned =
    related_withdrawal_id !== null
      ? sql`id = ${related_withdrawal_id}`
      : sql`outputs = 1
        and (
          external_id = ${related_external_id}
          or related_withdrawal_id in (
            select id
            from withdrawals
            where workspace = ${workspace}
              and venue_id = ${venue_id}
              and external_id = ${related_external_id}
          )
        )`
  const [found] = await app.db.query<StoredRow<RelatedWithdrawal>>(sql`
    select id, state, version, quantity, own_transfer, transaction_hash
    from withdrawals
    where workspace = ${workspace}
      and venue_id = ${venue_id}
      and asset = ${deposit.asset}
      and state = any(${SENT_STATES})
      and ${isReturned}`)
  return found === undefined ? undefined : { ...found, quantity: decimal(found.quantity) }
}

/**
 * Back to the accounts that it was taken from: in the same parts when all of it comes back, else to
 * the only one.
 */
async function ownerOfReturn(
  app: TreasuryApp,
  deposit: DepositRow,
  returned: RelatedWithdrawal,
): Promise<Owner> {
  const { workspace, assignable } = deposit
  if (returned.own_transfer) return ownerOfTransferReturn(app, deposit, returned)
  const assignments = await assignmentsOf(app.db, workspace, { withdrawal_id: returned.id })
  const owners = assignments.filter((assignment) => isLive(assignment))
  const [first] = owners
  if (first === undefined)
    return {
      owner: 'nobody',
      reason_code: 'RETURN_OF_UNASSIGNED',
      reason: 'the returned withdrawal is not assigned',
      returned,
    }
  if (sum(owners.map((owner) => owner.quantity)) === assignable) {
    const shares = owners.map(({ account_id, quantity }) => ({
      account_id,
      quantity,
      matching_id: null,
    }))
    return { owner: 'accounts', shares, returned }
  }
  if (owners.some((owner) => owner.account_id !== first.account_id))
    return {
      owner: 'nobody',
      reason_code: 'AMBIGUOUS_MATCH',
      reason: 'several accounts share the returned withdrawal, and not all of it came back',
      returned,
    }
  const share = { account_id: first.account_id, quantity: assignable, matching_id: null }
  return { owner: 'accounts', shares: [share], returned }
}

/** An earlier return has taken the whole transfer from TRANSIT, with its difference. */
async function ownerOfTransferReturn(
  app: TreasuryApp,
  { workspace, id }: DepositRow,
  returned: RelatedWithdrawal,
): Promise<Owner> {
  const earlier = await app.db.query(sql`
    select 1
    from deposits
    where workspace = ${workspace}
      and related_withdrawal_id = ${returned.id}
      and id <> ${id}
      and ${stateNotIn(DEPOSIT_MOVES, 'REVERSED')}
    limit 1`)
  const withdrawal = earlier.length === 0 ? returned : { ...returned, quantity: 0n }
  return { owner: 'own transfer', withdrawal }
}

async function matchedOwner(
  app: TreasuryApp,
  deposit: DepositRow,
  wallet: Wallet | undefined,
): Promise<Owner> {
  const match = await findMatch(app.db, deposit.workspace, {
    asset: deposit.asset,
    is_withdrawal: false,
    destination_address: deposit.destination_address ?? wallet?.address ?? null,
    source_address: deposit.source_address,
    tag: deposit.tag,
    reference_text: deposit.reference_text,
    wallet_account_id: wallet?.type === 'CUSTOMER' ? wallet.account_id : null,
  })
  if (match.match === 'none') return { owner: 'nobody', reason_code: null, reason: null }
  if (match.match === 'ambiguous')
    return {
      owner: 'nobody',
      reason_code: 'AMBIGUOUS_MATCH',
      reason: `several accounts match by ${match.level}`,
    }
  const { account_id, matching_id } = match
  const shares = [{ account_id, quantity: deposit.assignable, matching_id }]
  return { owner: 'accounts', shares, matched: match.by }
}
