/**
 * Settles a deposit that is final at its venue: finds out whose it is (owner.ts) and books it, in
 * one change. The change holds only while the deposit, and the withdrawal or expectation that it
 * takes, are as they were read; else the task begins anew.
 */
import { settingsOf } from '../../access/index.ts'
import { mustExist } from '../../core/assert.ts'
import { decimal, format } from '../../core/decimal.ts'
import { withFailpoints } from '../../core/failpoint.ts'
import { newId } from '../../core/ids.ts'
import type { Json } from '../../core/json.ts'
import { holdersOfAccounts } from '../../customers/index.ts'
import { retryOnStale } from '../../ledger/index.ts'
import type { Change } from '../../ledger/index.ts'
import { updateGuardedRow } from '../../store/rows.ts'
import type { TaskHandler } from '../../store/tasks.ts'
import { TREASURY_WORKER } from '../app.ts'
import type { TreasuryApp } from '../app.ts'
import { liveSum } from '../assignments/assignments.schema.ts'
import type { AssignedPart } from '../assignments/assignments.schema.ts'
import { insertAssignment } from '../assignments/rows.ts'
import type { AssignmentRow } from '../assignments/rows.ts'
import {
  bookDeposit,
  bookDepositAssignment,
  bookingAccounts,
  bookTransferIn,
  valueDateOf,
} from '../bookings.ts'
import type { BookingAccounts, BookingBasis } from '../bookings.ts'
import { updateWalletPosition } from '../wallets/positions.ts'
import type { WalletLocation } from '../wallets/positions.ts'
import { WITHDRAWALS } from '../withdrawals/rows.ts'
import { derivedState } from '../deposit-rows/deposits.schema.ts'
import { arrivalGuard, bookArrival, updateArrival } from './expected-arrivals.ts'
import type { ExpectedArrival } from './expected-arrivals.ts'
import { findOwner } from './owner.ts'
import type { AccountsOrNobody, Owner } from './owner.ts'
import { unchangedGuard } from './own-transfers.ts'
import type { RelatedWithdrawal } from './own-transfers.ts'
import { depositEvent, depositGuard, depositRow, updateDeposit } from '../deposit-rows/rows.ts'
import type { DepositRow } from '../deposit-rows/rows.ts'

const RETRY_MILLISECONDS = 2_000

/** Subject: the deposit. Safe to repeat: what is settled is left alone. */
export const settleTask =
  (app: TreasuryApp): TaskHandler =>
  async ({ workspace, subject_id }) =>
    retryOnStale(async () => {
      const deposit = await depositRow(app.db, workspace, subject_id)
      if (deposit.state !== 'PENDING' || deposit.final_at === null) return 'done'
      const owner = await findOwner(app, deposit)
      if (owner.owner === 'wait') return { again_at: app.clock.now() + RETRY_MILLISECONDS }
      const change = await settlingChange(app, deposit, owner)
      await withFailpoints('deposit.settle', deposit.venue_id, () => app.lane.commit(change))
      return 'done'
    })

function settlingChange(
  app: TreasuryApp,
  deposit: DepositRow,
  owner: Exclude<Owner, { owner: 'wait' }>,
): Promise<Change> {
  switch (owner.owner) {
    case 'own transfer':
      return arrivalChange(app, deposit, owner.withdrawal)
    case 'expected':
      return expectedChange(app, deposit, owner.arrival)
    case 'as before':
      return reinstatementChange(app, deposit, owner.assignments)
    case 'accounts':
    case 'nobody':
      return depositChange(app, deposit, owner)
  }
}

const locationOf = (
  { workspace, venue_id, venue_wallet }: DepositRow,
  account_id: string,
): WalletLocation => ({ workspace, venue_id, account_id, wallet: venue_wallet })

const basisOf = async (
  { db }: TreasuryApp,
  { workspace, id, asset, value_date }: DepositRow,
  accounts: BookingAccounts,
): Promise<BookingBasis> => ({
  accounts,
  cause: { reference_type: 'deposit', reference_id: id },
  asset,
  ...(await valueDateOf(db, workspace, value_date)),
})

/** Two deposits never take the same transfer: the guard on the withdrawal lets only one through. */
async function arrivalChange(
  app: TreasuryApp,
  row: DepositRow,
  withdrawal: RelatedWithdrawal,
): Promise<Change> {
  const { workspace } = row
  const related_withdrawal_id = withdrawal.id
  const accounts = await bookingAccounts(app.db, workspace, row.venue_id)
  const basis = await basisOf(app, row, accounts)
  const ledger = bookTransferIn(basis, decimal(row.quantity), withdrawal.quantity)
  const after = { ...row, state: 'SUCCESSFUL' as const, related_withdrawal_id }
  return {
    workspace,
    class: 'fact',
    by: TREASURY_WORKER,
    guards: [depositGuard(row, 'SUCCESSFUL'), unchangedGuard(withdrawal)],
    ledger,
    rows: [
      ...updateWalletPosition(locationOf(row, accounts.VENUE), ledger),
      updateDeposit(row, { own_transfer: true, related_withdrawal_id }),
      updateGuardedRow(WITHDRAWALS, {
        where: { workspace, id: withdrawal.id },
        set: { arrived_at: app.clock.now() },
      }),
    ],
    events: [depositEvent('succeeded', after, { own_transfer: true })],
  }
}

/** To the same accounts in the same parts: the assignments stand. */
async function reinstatementChange(
  app: TreasuryApp,
  row: DepositRow,
  assignments: readonly AssignmentRow[],
): Promise<Change> {
  const accounts = await bookingAccounts(app.db, row.workspace, row.venue_id)
  const basis = await basisOf(app, row, accounts)
  const to = derivedState(row, assignments)
  const ledger = [
    bookDeposit(basis, decimal(row.quantity), row.assignable),
    ...assignments.map((assignment) => bookDepositAssignment(basis, assignment)),
  ]
  return {
    workspace: row.workspace,
    class: 'fact',
    by: TREASURY_WORKER,
    guards: [depositGuard(row, to)],
    ledger,
    rows: [
      ...updateWalletPosition(locationOf(row, accounts.VENUE), ledger),
      updateDeposit(row, { assigned_quantity: format(liveSum(assignments)) }),
    ],
    events: [depositEvent('received', { ...row, state: to }, { again: true })],
  }
}

/** A venue pays what it owes: booked against the account that was named, without an assignment. */
async function expectedChange(
  app: TreasuryApp,
  row: DepositRow,
  arrival: ExpectedArrival,
): Promise<Change> {
  const { settlement_id } = arrival
  const { VENUE } = await bookingAccounts(app.db, row.workspace, row.venue_id)
  const dated = await valueDateOf(app.db, row.workspace, row.value_date)
  const ledger = [bookArrival(VENUE, row, arrival, dated)]
  return {
    workspace: row.workspace,
    class: 'fact',
    by: TREASURY_WORKER,
    guards: [depositGuard(row, 'SUCCESSFUL'), arrivalGuard(arrival, 'ARRIVED')],
    ledger,
    rows: [
      ...updateWalletPosition(locationOf(row, VENUE), ledger),
      updateDeposit(row, { own_transfer: true, settlement_id }),
      updateArrival(arrival, { deposit_id: row.id }),
    ],
    events: [depositEvent('succeeded', { ...row, state: 'SUCCESSFUL' }, { settlement_id })],
  }
}

/** What events say of the owner: `matched` is null when nothing named an account. */
function ownerEventData(owner: AccountsOrNobody): Record<string, Json> {
  if (owner.owner === 'nobody')
    return { matched: null, reason_code: owner.reason_code, reason: owner.reason }
  return {
    matched: owner.matched ?? { level: 'RETURN', withdrawal_id: owner.returned?.id ?? null },
  }
}

/** To SUSPENSE, and from there to the accounts, unless the workspace's compliance decides first. */
async function depositChange(
  app: TreasuryApp,
  row: DepositRow,
  owner: AccountsOrNobody,
): Promise<Change> {
  const { workspace } = row
  const accounts = await bookingAccounts(app.db, workspace, row.venue_id)
  const basis = await basisOf(app, row, accounts)
  const booked = !(await settingsOf(app.db, workspace)).compliance
  const assigned = await newAssignments(app, row, owner, booked)
  const to = derivedState(row, assigned)
  const related_withdrawal_id = owner.returned?.id ?? null
  const { reason_code, reason } =
    owner.owner === 'nobody' ? owner : { reason_code: null, reason: null }
  const ledger = [
    bookDeposit(basis, decimal(row.quantity), row.assignable),
    ...(booked ? assigned.map((share) => bookDepositAssignment(basis, share)) : []),
  ]
  const after = { ...row, state: to, related_withdrawal_id }
  const why = ownerEventData(owner)
  const { returned } = owner
  return {
    workspace,
    class: 'fact',
    by: TREASURY_WORKER,
    guards: [depositGuard(row, to), ...(returned === undefined ? [] : [unchangedGuard(returned)])],
    ledger,
    rows: [
      ...updateWalletPosition(locationOf(row, accounts.VENUE), ledger),
      updateDeposit(row, {
        assigned_quantity: format(liveSum(assigned)),
        related_withdrawal_id,
        reason_code,
        reason,
      }),
      ...assigned.map((assignment) => assignment.insert),
    ],
    events: [
      depositEvent('received', after, why),
      ...assigned.map(({ id, account_id, customer_id, quantity }) =>
        depositEvent(booked ? 'assigned' : 'assignment_requested', after, {
          assignment_id: id,
          account_id,
          customer_id,
          quantity: format(quantity),
          ...why,
          deposit_quantity: row.quantity,
        }),
      ),
    ],
  }
}

/** The shares of the accounts as assignments, with the writes that store them. */
async function newAssignments(
  app: TreasuryApp,
  row: DepositRow,
  owner: AccountsOrNobody,
  booked: boolean,
) {
  const { workspace } = row
  const now = app.clock.now()
  const shares =
    owner.owner === 'accounts' ? owner.shares.filter(({ quantity }) => quantity > 0n) : []
  const accounts = shares.map((share) => share.account_id)
  const holders = await holdersOfAccounts(app.db, workspace, accounts)
  const state: AssignedPart['state'] = booked ? 'SUCCESSFUL' : 'PENDING'
  return shares.map(({ account_id, quantity, matching_id }) => {
    const id = newId(now)
    const { customer_id } = mustExist(holders.get(account_id), 'an assigned account has a holder')
    const assignment = {
      workspace,
      id,
      state,
      deposit_id: row.id,
      account_id,
      customer_id,
      asset: row.asset,
      quantity: format(quantity),
      source: 'MATCHING' as const,
      matching_id,
      decided_by: booked ? TREASURY_WORKER : null,
      decided_at: booked ? now : null,
      booked_at: booked ? now : null,
    }
    const insert = insertAssignment(assignment, { by: TREASURY_WORKER, now })
    return {
      id,
      state,
      account_id,
      customer_id,
      quantity,
      rectification_id: null,
      insert,
    }
  })
}
