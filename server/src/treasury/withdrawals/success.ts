/**
 * The success of a withdrawal, in one change: captures what was blocked, books what left and what
 * it cost, and says whose it was.
 */
import type { AccountId, CustomerId } from '../../core/ids.ts'
import { settingsOf } from '../../access/index.ts'
import { mustExist } from '../../core/assert.ts'
import { decimal, format, least, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import { holdersOfAccounts } from '../../customers/index.ts'
import type { Change, Hold, LedgerStep } from '../../ledger/index.ts'
import { updateGuardedRow } from '../../store/rows.ts'
import type { Query } from '../../store/sql.ts'
import { TREASURY_WORKER } from '../app.ts'
import type { TreasuryApp } from '../app.ts'
import { decidePending, insertAssignment, pendingAssignmentsOf } from '../assignments/rows.ts'
import type { AssignmentRow } from '../assignments/rows.ts'
import {
  bookTransferOut,
  bookWithdrawal,
  bookWithdrawalAssignment,
  bookWithdrawalFee,
  valueDateOf,
} from '../bookings.ts'
import type { BookingBasis, Share } from '../bookings.ts'
import { findMatch } from '../matchings/matchings.ts'
import type { MatchReason } from '../matchings/rules.ts'
import { updateWalletPosition } from '../wallets/positions.ts'
import { walletById } from '../wallets/rows.ts'
import { bookCost, feeBearers, markChargesBooked, unbookedFees } from './charges.ts'
import type { FeeAmount, UnbookedFees } from './charges.ts'
import { openHoldsOf } from './holds.ts'
import { endReturn } from './returned-deposits.ts'
import {
  assignableOf,
  basisOf,
  customersInEvent,
  leavingPart,
  reportedFields,
  sourceLocation,
  withdrawalEvent,
  withdrawalMove,
  WITHDRAWALS,
} from './rows.ts'
import type { EndOptions, FinalReport, WithdrawalRow } from './rows.ts'
import { HOUSE, strangersWallet, walletsOfWithdrawal } from './third-parties.ts'

/** Everything that the change of a success is made of. */
type Success = {
  row: WithdrawalRow
  report: FinalReport
  basis: BookingBasis
  assignments: readonly AssignmentRow[]
  fees: UnbookedFees
  /** The costs, and what of them customers bear. */
  borne: readonly (FeeAmount & { bearers: Share[] })[]
  assignable: Decimal
  /** Undefined when nobody had to be found. */
  match: Match | undefined
}

/** `fields`: what the withdrawal becomes by the change; `matched`: whose it was found to be. */
export async function successChange(
  app: TreasuryApp,
  row: WithdrawalRow,
  report: FinalReport,
  { by = TREASURY_WORKER, eventData = {} }: EndOptions = {},
) {
  const { workspace } = row
  const now = app.clock.now()
  const success = await readSuccess(app, row, report)
  const { basis, assignments, fees } = success
  const booked = successBookings(success)
  const holds = await openHoldsOf(app.db, row)
  const unborne = success.assignable - sum(assignments.map(({ quantity }) => quantity))
  const returned = await endReturn(app.db, row, { has_left: true, unborne })
  const fields = { ...successFields(success), ...returned.fields, completed_at: now }
  const decided = decidePending(workspace, assignments, 'SUCCESSFUL', {
    decided_by: by,
    decided_at: now,
    booked_at: now,
  })
  const change: Change = {
    workspace,
    class: 'fact',
    by,
    guards: [withdrawalMove(row, 'SUCCESS'), ...decided.guards, ...returned.guards],
    ledger: [...endHolds(holds, debitsOf(success)), ...booked],
    rows: [
      ...updateWalletPosition(sourceLocation(row, basis.accounts), booked),
      updateGuardedRow(WITHDRAWALS, {
        where: { workspace, id: row.id },
        set: fields,
      }),
      ...markChargesBooked(row, fees, now),
      ...decided.rows,
      ...matchedAssignment(success, now),
      ...returned.rows,
    ],
    events: [successEvent(success, eventData), ...returned.events],
  }
  return { change, fields, matched: success.match?.match === 'account' ? [success.match] : [] }
}

async function readSuccess(
  app: TreasuryApp,
  row: WithdrawalRow,
  report: FinalReport,
): Promise<Success> {
  const { workspace } = row
  const assignments = await pendingAssignmentsOf(app.db, workspace, { withdrawal_id: row.id })
  const fees = await unbookedFees(app.db, row, report)
  const assignable = await assignableOf(app.db, row)
  const isFree = assignments.length === 0 && !isNobodys({ row, assignable })
  return {
    row,
    report,
    basis: {
      ...(await basisOf(app.db, row)),
      ...(await valueDateOf(app.db, workspace, report.value_date ?? row.value_date)),
    },
    assignments,
    fees,
    borne: await Promise.all(
      fees.costs.map(async (cost) => ({
        ...cost,
        bearers: await feeBearers(app.db, row, assignments, cost),
      })),
    ),
    assignable,
    match: isFree ? await matchWithdrawal(app, row) : undefined,
  }
}

const isNobodys = ({ row, assignable }: Pick<Success, 'row' | 'assignable'>): boolean =>
  row.venue_charge || row.returns_deposit_id !== null || assignable === 0n

function bookedToAccounts({ assignments, match, assignable }: Success): Decimal {
  if (match?.match === 'account' && match.booked) return assignable
  return sum(assignments.map(({ quantity }) => quantity))
}

/** What left, what it cost, and the assignment to the account that a matching found. */
function successBookings({ row, basis, assignments, borne, assignable, match }: Success) {
  const booked = [
    ...bookLeft(basis, row, assignments, assignable),
    ...borne.flatMap((cost) => bookCost(basis, cost, cost.bearers)),
  ]
  if (match?.match === 'account' && match.booked)
    booked.push(
      bookWithdrawalAssignment(basis, { account_id: match.account_id, quantity: assignable }),
    )
  return booked
}

function bookLeft(
  basis: BookingBasis,
  row: WithdrawalRow,
  assignments: readonly Share[],
  assignable: Decimal,
): LedgerStep[] {
  if (row.venue_charge) return bookWithdrawalFee(basis, decimal(row.quantity))
  const leaving = leavingPart(row)
  return [
    ...(row.own_transfer ? [bookTransferOut(basis, decimal(row.transfer_quantity))] : []),
    ...(leaving === 0n ? [] : [bookWithdrawal(basis, leaving, assignments, assignable)]),
  ]
}

/** What is taken from an account, in one asset. */
type Debit = Share & { asset: string }

/** What the success takes from each account: this much of its hold is captured. */
const debitsOf = ({ row, assignments, borne }: Success): Debit[] => [
  ...assignments.map(({ account_id, quantity }) => ({ account_id, asset: row.asset, quantity })),
  ...borne.flatMap(({ asset, bearers }) => bearers.map((bearer) => ({ ...bearer, asset }))),
]

/** Captures of each hold what is taken from its account in its asset, and releases the rest. */
function endHolds(holds: readonly Hold[], debits: readonly Debit[]): LedgerStep[] {
  const uncaptured = new Map<string, Decimal>()
  const keyOf = (part: { account_id: AccountId; asset: string }) =>
    `${part.account_id} ${part.asset}`
  for (const debit of debits)
    uncaptured.set(keyOf(debit), (uncaptured.get(keyOf(debit)) ?? 0n) + debit.quantity)
  return holds.flatMap((hold): LedgerStep[] => {
    const wanted = uncaptured.get(keyOf(hold)) ?? 0n
    const captured = least(hold.remaining, wanted)
    uncaptured.set(keyOf(hold), wanted - captured)
    const steps: LedgerStep[] = []
    if (captured > 0n) steps.push({ step: 'capture', hold_id: hold.id, quantity: captured })
    if (captured < hold.remaining) steps.push({ step: 'release', hold_id: hold.id })
    return steps
  })
}

function successFields(success: Success) {
  const { row, report, fees, match } = success
  const [fee] = fees.costs
  return {
    ...reportedFields(row, report),
    fee: report.fee === null && fee.quantity === 0n ? null : format(fee.quantity),
    fee_asset: fee.asset,
    ...unmatchedReason(match),
    unassigned: bookedToAccounts(success) < success.assignable && !isNobodys(success),
  }
}

/** Why what a matching found is left for a person to decide. */
function unmatchedReason(match: Match | undefined) {
  if (match?.match === 'ambiguous')
    return { reason_code: 'AMBIGUOUS_MATCH', reason: 'several accounts match' }
  if (match?.match === 'refused')
    return { reason_code: 'WALLET_OF_ANOTHER_CUSTOMER', reason: match.reason }
  return { reason_code: null, reason: null }
}

function successEvent(
  { row, report, fees, assignments, match }: Success,
  more: EndOptions['eventData'],
) {
  const [fee] = fees.costs
  const matched = match?.match === 'account' ? match : undefined
  const { foreign_id, transaction_hash } = report
  return withdrawalEvent(
    'succeeded',
    {
      ...row,
      state: 'SUCCESS',
      foreign_id,
      transaction_hash,
      reason: unmatchedReason(match).reason,
    },
    {
      ...more,
      fee: format(fee.quantity),
      fee_asset: fee.asset,
      ...(match === undefined ? {} : { matched: matched?.by ?? null }),
      ...customersInEvent(
        matched === undefined ? assignments : [{ ...matched, quantity: leavingPart(row) }],
      ),
    },
  )
}

function matchedAssignment({ row, assignable, match }: Success, now: number): Query[] {
  if (match?.match !== 'account') return []
  const { account_id, customer_id, matching_id, booked } = match
  const decision = { decided_by: TREASURY_WORKER, decided_at: now, booked_at: now }
  return [
    insertAssignment(
      {
        workspace: row.workspace,
        id: newId(),
        state: booked ? 'SUCCESSFUL' : 'PENDING',
        withdrawal_id: row.id,
        account_id,
        customer_id,
        asset: row.asset,
        quantity: format(assignable),
        source: 'MATCHING',
        matching_id,
        ...(booked ? decision : {}),
      },
      { by: TREASURY_WORKER, now },
    ),
  ]
}

type Match =
  | {
      match: 'account'
      account_id: AccountId
      customer_id: CustomerId | null
      matching_id: string | null
      by: MatchReason
      booked: boolean
    }
  | { match: 'none' | 'ambiguous' }
  | { match: 'refused'; reason: string }

/**
 * By the withdrawal matchings. What none matches stays on SUSPENSE until somebody assigns it. So
 * does what left or reached the wallet of another customer than the matching names.
 */
async function matchWithdrawal(app: TreasuryApp, row: WithdrawalRow): Promise<Match> {
  const { workspace, from_wallet_id } = row
  const from =
    from_wallet_id === null ? undefined : await walletById(app.db, workspace, from_wallet_id)
  const match = await findMatch(app.db, workspace, {
    asset: row.asset,
    is_withdrawal: true,
    destination_address: row.destination_address,
    source_address: from?.address ?? row.source_wallet,
    tag: row.tag,
    reference_text: row.reference_text,
    wallet_account_id: from?.type === 'CUSTOMER' ? from.account_id : null,
  })
  if (match.match !== 'account') return { match: match.match }
  const holders = await holdersOfAccounts(app.db, workspace, [match.account_id])
  const { customer_id } = mustExist(holders.get(match.account_id), 'a match has a holder')
  const wallets = await walletsOfWithdrawal(app.db, row)
  const payer = customer_id ?? HOUSE
  const reason = strangersWallet(wallets, { payer, third_party: row.third_party })
  if (reason !== undefined) return { match: 'refused', reason }
  const { compliance } = await settingsOf(app.db, workspace)
  return { ...match, customer_id, booked: !compliance }
}
