/**
 * Whose a deposit is. The first answer counts, in this order (docs/domain.md, part 3):
 *
 *   assignments   it was assigned before the venue reversed it
 *   return        the withdrawal that it is known to bring back
 *   own transfer  one of ours that arrives here, by its transaction or our reference
 *   expected      what a venue pays for a settlement, by our reference
 *   return        the withdrawal that the venue says it brings back
 *   nobody        the venue has sent it by itself, whose wallet it has reached
 *   matching      the matchings, when one of them names its reference or source
 *   payer         an own transfer or a payment for a settlement, by its payer
 *   matching      all others, and the customer of the receiving wallet
 *   nobody        a person assigns it, or relates it to a transfer
 */
import type { AccountId, MatchingId, WithdrawalId } from '../../core/ids.ts'
import { decimal, least, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { sql } from '../../store/sql.ts'
import type { TreasuryApp } from '../app.ts'
import { isLive, liveSum } from '../assignments/assignments.schema.ts'
import { assignmentsOf } from '../assignments/rows.ts'
import type { AssignmentRow } from '../assignments/rows.ts'
import { findMatch } from '../matchings/matchings.ts'
import type { Match, MatchReason } from '../matchings/rules.ts'
import { withdrawalRow } from '../withdrawals/rows.ts'
import { walletById } from '../wallets/rows.ts'
import type { Wallet } from '../wallets/wallets.schema.ts'
import type { ExpectedArrival } from './expected-arrivals.ts'
import { findOwnTransfer, SENT_STATES } from './own-transfers.ts'
import type { RelatedWithdrawal } from './own-transfers.ts'
import { findNamedArrival, findPaidByVenue } from './payers.ts'
import type { PaidByVenue } from './payers.ts'
import { unassignedOf } from '../deposit-rows/rows.ts'
import type { DepositRow } from '../deposit-rows/rows.ts'
import { arrivalParts, partsOfReturn } from './transfer-arrivals.ts'
import type { ArrivingTransfer } from './transfer-arrivals.ts'

type StoredRow = Omit<RelatedWithdrawal, 'quantity' | 'transfer_quantity'> & {
  quantity: string
  transfer_quantity: string
}

export type Owner =
  /** It may be an own transfer whose transaction is not known yet. */
  { owner: 'wait' } | { owner: 'expected'; arrival: ExpectedArrival } | AccountsOrNobody | AsBefore

/** The venue had reversed it and credits it again. */
export type AsBefore = {
  owner: 'as before'
  assignments: AssignmentRow[]
  transfer?: ArrivingTransfer
}

/** `transfer`: an own transfer comes with it, and the owner is that of the rest. */
export type AccountsOrNobody = { transfer?: ArrivingTransfer; returned?: RelatedWithdrawal } & (
  | {
      owner: 'accounts'
      shares: { account_id: AccountId; quantity: Decimal; matching_id: MatchingId | null }[]
      matched?: MatchReason
    }
  | { owner: 'nobody'; reason_code: string | null; reason: string | null }
)
const NOBODY: AccountsOrNobody = { owner: 'nobody', reason_code: null, reason: null }
const SENT_BY_VENUE: AccountsOrNobody = {
  owner: 'nobody',
  reason_code: 'SENT_BY_VENUE',
  reason: 'the venue has sent it',
}

export async function findOwner(app: TreasuryApp, deposit: DepositRow): Promise<Owner> {
  const { workspace, wallet_id } = deposit
  const wallet = wallet_id === null ? undefined : await walletById(app.db, workspace, wallet_id)
  const assignments = await assignmentsOf(app.db, workspace, { deposit_id: deposit.id })
  const live = assignments.filter((assignment) => isLive(assignment))
  if (live.length > 0) return ownerAsBefore(app, deposit, live)

  if (deposit.related_withdrawal_id !== null) {
    const known = await findReturnedWithdrawal(app, deposit)
    if (known !== undefined) return ownerOfReturn(app, deposit, known)
  }
  const transfer = await findOwnTransfer(app, deposit)
  if (transfer === 'wait') return { owner: 'wait' }
  if (transfer !== undefined)
    return ownerOfTransfer(deposit, transfer, await findMatchOf(app, deposit, wallet))
  const named = await findNamedArrival(app.db, deposit)
  if (named !== undefined) return { owner: 'expected', arrival: named }
  const returned = await findReturnedWithdrawal(app, deposit)
  if (returned !== undefined) return ownerOfReturn(app, deposit, returned)

  if (deposit.by_venue) return SENT_BY_VENUE

  const match = await findMatchOf(app, deposit, wallet)
  const paid = match.claimed ? undefined : await findPaidByVenue(app, deposit)
  return paid === undefined
    ? matchedOwner(match, deposit.assignable)
    : ownerOfPaid(deposit, paid, match)
}

/**
 * Of one that screening held: what is left of it is whose the withdrawal that it brings back, or
 * the matchings, say now. A transfer that came with it has arrived.
 */
export async function findOwnerOfHeld(
  app: TreasuryApp,
  deposit: DepositRow,
): Promise<AccountsOrNobody> {
  const left = { ...deposit, assignable: unassignedOf(deposit) }
  if (left.assignable === 0n) return NOBODY
  const { workspace, wallet_id } = deposit
  const wallet = wallet_id === null ? undefined : await walletById(app.db, workspace, wallet_id)
  const returned = await findReturnedWithdrawal(app, deposit)
  if (returned !== undefined && !(await isArrivalOf(app, deposit, returned)))
    return accountsOfReturn(app, left, returned)
  if (deposit.by_venue) return SENT_BY_VENUE
  return matchedOwner(await findMatchOf(app, deposit, wallet), left.assignable)
}

/** Whether the withdrawal arrives with it, and does not come back. */
async function isArrivalOf(
  { db }: TreasuryApp,
  { workspace, own_transfer, wallet_id }: DepositRow,
  { id }: RelatedWithdrawal,
): Promise<boolean> {
  if (!own_transfer) return false
  const { to_wallet_id } = await withdrawalRow(db, workspace, id as WithdrawalId)
  return to_wallet_id === wallet_id
}

/** What accounts have of it stands; an own transfer comes with it only beside that. */
async function ownerAsBefore(
  app: TreasuryApp,
  deposit: DepositRow,
  assignments: AssignmentRow[],
): Promise<AsBefore> {
  const transfer = await transferIn(app, deposit)
  return transfer === undefined || liveSum(assignments) > transfer.parts.rest
    ? { owner: 'as before', assignments }
    : { owner: 'as before', assignments, transfer }
}

/** The own transfer that certainly arrives, or comes back, with the deposit. */
async function transferIn(
  app: TreasuryApp,
  deposit: DepositRow,
): Promise<ArrivingTransfer | undefined> {
  const arriving = await findOwnTransfer(app, deposit)
  if (arriving !== undefined && arriving !== 'wait')
    return { withdrawal: arriving, parts: arrivalParts(decimal(deposit.quantity), arriving) }
  const returned = await findReturnedWithdrawal(app, deposit)
  if (returned === undefined || returned.transfer_quantity === 0n) return undefined
  return { withdrawal: returned, parts: await partsOfReturn(app.db, deposit, returned) }
}

/** The rest is whose the matchings say. */
function ownerOfTransfer(
  deposit: DepositRow,
  withdrawal: RelatedWithdrawal,
  match: Match,
): AccountsOrNobody {
  const parts = arrivalParts(decimal(deposit.quantity), withdrawal)
  const rest = least(parts.rest, deposit.assignable)
  const owner = rest === 0n ? NOBODY : matchedOwner(match, rest)
  return { ...owner, transfer: { withdrawal, parts } }
}

function ownerOfPaid(deposit: DepositRow, paid: PaidByVenue, match: Match): Owner {
  switch (paid.pays) {
    case 'transfer':
      return ownerOfTransfer(deposit, paid.withdrawal, match)
    case 'settlement':
      return { owner: 'expected', arrival: paid.arrival }
    case 'unclear':
      return { owner: 'nobody', reason_code: 'AMBIGUOUS_TRANSFER', reason: paid.reason }
  }
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
  const [found] = await app.db.query<StoredRow>(sql`
    select id, state, version, quantity, transfer_quantity, transaction_hash
    from withdrawals
    where workspace = ${workspace}
      and venue_id = ${venue_id}
      and asset = ${deposit.asset}
      and state = any(${[...SENT_STATES]})
      and ${isReturned}`)
  if (found === undefined) return undefined
  const { quantity, transfer_quantity } = found
  return {
    ...found,
    quantity: decimal(quantity),
    transfer_quantity: decimal(transfer_quantity),
  }
}

/** The part that is an own transfer was nobody's; the rest goes back to accounts. */
async function ownerOfReturn(
  app: TreasuryApp,
  deposit: DepositRow,
  returned: RelatedWithdrawal,
): Promise<Owner> {
  if (returned.transfer_quantity === 0n) return accountsOfReturn(app, deposit, returned)
  const parts = await partsOfReturn(app.db, deposit, returned)
  const assignable = least(deposit.assignable, parts.rest)
  const owner =
    assignable === 0n ? NOBODY : await accountsOfReturn(app, { ...deposit, assignable }, returned)
  return { ...owner, transfer: { withdrawal: returned, parts } }
}

/**
 * Back to the accounts that it was taken from: in the same parts when all of it comes back, else to
 * the only one.
 */
async function accountsOfReturn(
  app: TreasuryApp,
  { workspace, assignable }: Pick<DepositRow, 'workspace' | 'assignable'>,
  returned: RelatedWithdrawal,
): Promise<AccountsOrNobody> {
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

const findMatchOf = (app: TreasuryApp, deposit: DepositRow, wallet: Wallet | undefined) =>
  findMatch(app.db, deposit.workspace, {
    asset: deposit.asset,
    is_withdrawal: false,
    destination_address: deposit.destination_address ?? wallet?.address ?? null,
    source_address: deposit.source_address,
    tag: deposit.tag,
    reference_text: deposit.reference_text,
    wallet_account_id: wallet?.type === 'CUSTOMER' ? wallet.account_id : null,
  })

function matchedOwner(match: Match, quantity: Decimal): AccountsOrNobody {
  if (match.match === 'none') return NOBODY
  if (match.match === 'ambiguous')
    return {
      owner: 'nobody',
      reason_code: 'AMBIGUOUS_MATCH',
      reason: `several accounts match by ${match.level}`,
    }
  const { account_id, matching_id } = match
  const shares = [{ account_id, quantity, matching_id }]
  return { owner: 'accounts', shares, matched: match.by }
}
