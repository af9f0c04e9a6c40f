/**
 * Settles a deposit that is final at its venue: finds out whose it is (owner.ts) and books it, in
 * one change. The change holds only while the deposit, and the withdrawal or expectation that it
 * takes, are as they were read; else the task begins anew.
 */
import { settingsOf } from '../../access/index.ts'
import { decimal, format } from '../../core/decimal.ts'
import { withFailpoints } from '../../core/failpoint.ts'
import { retryOnStale } from '../../ledger/index.ts'
import type { Change } from '../../ledger/index.ts'
import { updateGuardedRow } from '../../store/rows.ts'
import type { TaskHandler } from '../../store/tasks.ts'
import { TREASURY_WORKER } from '../app.ts'
import type { TreasuryApp } from '../app.ts'
import { liveSum } from '../assignments/assignments.schema.ts'
import { bookDeposit, bookDepositAssignment, bookingAccounts, valueDateOf } from '../bookings.ts'
import type { BookingAccounts, BookingBasis } from '../bookings.ts'
import { updateWalletPosition } from '../wallets/positions.ts'
import type { WalletLocation } from '../wallets/positions.ts'
import { WITHDRAWALS } from '../withdrawals/rows.ts'
import { mergeChanges } from '../withdrawals/shared-transaction.ts'
import { derivedState } from '../deposit-rows/deposits.schema.ts'
import { arrivalGuard, bookArrival, updateArrival } from './expected-arrivals.ts'
import type { ExpectedArrival } from './expected-arrivals.ts'
import { afterHold, isHeld, settleHeld } from './held.ts'
import { assignedEvents, newAssignments, ownerEventData } from './new-assignments.ts'
import { screenShares, withheld } from './new-assignments.ts'
import { findOwner } from './owner.ts'
import type { AccountsOrNobody, AsBefore, Owner } from './owner.ts'
import { unchangedGuard } from './own-transfers.ts'
import { bookArrivalParts, transferData } from './transfer-arrivals.ts'
import type { ArrivingTransfer } from './transfer-arrivals.ts'
import { depositEvent, depositGuard, depositRow } from '../deposit-rows/rows.ts'
import { updateDeposit, withTransfer } from '../deposit-rows/rows.ts'
import type { DepositRow } from '../deposit-rows/rows.ts'
import { holdChange, screenDeposit } from '../withdrawals/held-deposits.ts'
import type { ScreeningHold } from '../withdrawals/held-deposits.ts'

const RETRY_MILLISECONDS = 2_000

/** Subject: the deposit. Safe to repeat: what is settled is left alone. */
export const settleTask =
  (app: TreasuryApp): TaskHandler =>
  async ({ workspace, subject_id }) =>
    retryOnStale(async () => {
      const deposit = await depositRow(app.db, workspace, subject_id)
      if (isHeld(deposit)) return settleHeld(app, deposit)
      if (deposit.state !== 'PENDING' || deposit.final_at === null) return 'done'
      const owner = await findOwner(app, deposit)
      if (owner.owner === 'wait') return { again_at: app.clock.now() + RETRY_MILLISECONDS }
      const { change, hold } = await settlingChange(app, deposit, owner)
      await withFailpoints('deposit.settle', deposit.venue_id, () => app.lane.commit(change))
      return afterHold(app, hold)
    })

async function settlingChange(
  app: TreasuryApp,
  deposit: DepositRow,
  owner: Exclude<Owner, { owner: 'wait' }>,
): Promise<{ change: Change; hold?: ScreeningHold | undefined }> {
  switch (owner.owner) {
    case 'expected':
      return { change: await expectedChange(app, deposit, owner.arrival) }
    case 'as before':
      return reinstated(app, deposit, owner)
    case 'nobody':
      return { change: await depositChange(app, deposit, owner) }
    case 'accounts': {
      const { hold, filed } = await screenShares(app, deposit, owner)
      const change = await depositChange(app, deposit, withheld(owner, hold))
      return { change: mergeChanges([change, ...filed]), hold }
    }
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

/**
 * What is booked of the deposit itself, and what it becomes by an own transfer that comes with it.
 * Two deposits never take the same transfer: the guard on the withdrawal lets only one through.
 */
function received(
  app: TreasuryApp,
  deposit: DepositRow,
  basis: BookingBasis,
  transfer: ArrivingTransfer | undefined,
) {
  const { workspace, assignable } = deposit
  if (transfer === undefined)
    return {
      row: deposit,
      ledger: [bookDeposit(basis, decimal(deposit.quantity), assignable)],
      set: {},
      guards: [],
      rows: [],
      data: {},
    }
  const { withdrawal, parts } = transfer
  const set = {
    own_transfer: true,
    related_withdrawal_id: withdrawal.id,
    transfer_quantity: format(parts.transfer),
  }
  const row = withTransfer(deposit, set)
  return {
    row,
    ledger: bookArrivalParts(basis, parts, row.assignable),
    set,
    guards: [unchangedGuard(withdrawal)],
    rows: [
      updateGuardedRow(WITHDRAWALS, {
        where: { workspace, id: withdrawal.id },
        set: { arrived_at: app.clock.now() },
      }),
    ],
    data: transferData(parts),
  }
}

/**
 * Its accounts get it back once screening lets them. Until then it stays pending and is not booked,
 * because its assignments would be booked with it.
 */
async function reinstated(app: TreasuryApp, deposit: DepositRow, owner: AsBefore) {
  const accounts = owner.assignments.map(({ account_id }) => account_id)
  const { hold, filed } = await screenDeposit(app, deposit, accounts)
  const change =
    hold === undefined ? await reinstatementChange(app, deposit, owner) : holdChange(deposit, hold)
  return { change: mergeChanges([change, ...filed]), hold }
}

/** To the same accounts in the same parts: the assignments stand. */
async function reinstatementChange(
  app: TreasuryApp,
  deposit: DepositRow,
  { assignments, transfer }: AsBefore,
): Promise<Change> {
  const accounts = await bookingAccounts(app.db, deposit.workspace, deposit.venue_id)
  const basis = await basisOf(app, deposit, accounts)
  const { row, set, data, ...booked } = received(app, deposit, basis, transfer)
  const to = derivedState(row, assignments)
  const ledger = [
    ...booked.ledger,
    ...assignments.map((assignment) => bookDepositAssignment(basis, assignment)),
  ]
  return {
    workspace: row.workspace,
    class: 'fact',
    by: TREASURY_WORKER,
    guards: [depositGuard(row, to), ...booked.guards],
    ledger,
    rows: [
      ...updateWalletPosition(locationOf(row, accounts.VENUE), ledger),
      updateDeposit(row, {
        ...set,
        assigned_quantity: format(liveSum(assignments)),
        reason_code: null,
        reason: null,
      }),
      ...booked.rows,
    ],
    events: [depositEvent('received', { ...row, state: to }, { again: true, ...data })],
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
      updateDeposit(row, { own_transfer: true, transfer_quantity: row.quantity, settlement_id }),
      updateArrival(arrival, { deposit_id: row.id }),
    ],
    events: [depositEvent('succeeded', { ...row, state: 'SUCCESSFUL' }, { settlement_id })],
  }
}

/**
 * To SUSPENSE, and from there to the accounts, unless the workspace's compliance decides first. An
 * own transfer that comes with it is nobody's.
 */
async function depositChange(
  app: TreasuryApp,
  deposit: DepositRow,
  owner: AccountsOrNobody,
): Promise<Change> {
  const { workspace } = deposit
  const accounts = await bookingAccounts(app.db, workspace, deposit.venue_id)
  const basis = await basisOf(app, deposit, accounts)
  const { transfer, returned } = owner
  const { row, set, data, ...arrival } = received(app, deposit, basis, transfer)
  const booked = !(await settingsOf(app.db, workspace)).compliance
  const assigned = await newAssignments(app, row, owner, booked)
  const to = derivedState(row, assigned)
  const { reason_code, reason } =
    owner.owner === 'nobody' ? owner : { reason_code: null, reason: null }
  const ledger = [
    ...arrival.ledger,
    ...(booked ? assigned.map((share) => bookDepositAssignment(basis, share)) : []),
  ]
  const related = { related_withdrawal_id: returned?.id ?? null, ...set }
  const after = { ...row, ...related, state: to }
  const isReturned = returned !== undefined && transfer === undefined
  return {
    workspace,
    class: 'fact',
    by: TREASURY_WORKER,
    guards: [
      depositGuard(row, to),
      ...(isReturned ? [unchangedGuard(returned)] : []),
      ...arrival.guards,
    ],
    ledger,
    rows: [
      ...updateWalletPosition(locationOf(row, accounts.VENUE), ledger),
      updateDeposit(row, {
        ...related,
        assigned_quantity: format(liveSum(assigned)),
        reason_code,
        reason,
      }),
      ...arrival.rows,
      ...assigned.map((assignment) => assignment.insert),
    ],
    events: [
      row.assignable === 0n && transfer !== undefined
        ? depositEvent('succeeded', after, data)
        : depositEvent('received', after, { ...ownerEventData(owner), ...data }),
      ...assignedEvents(after, owner, assigned),
    ],
  }
}
