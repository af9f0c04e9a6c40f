/**
 * A deposit that screening has kept from being assigned: unassigned, booked to SUSPENSE. Without an
 * answer it is asked about again. Once it is cleared, its owner is looked for again.
 */
import { settingsOf } from '../../access/index.ts'
import { decimal, format } from '../../core/decimal.ts'
import { withFailpoints } from '../../core/failpoint.ts'
import type { Change } from '../../ledger/index.ts'
import type { TaskHandler } from '../../store/tasks.ts'
import { TREASURY_WORKER } from '../app.ts'
import type { TreasuryApp } from '../app.ts'
import { liveSum } from '../assignments/assignments.schema.ts'
import { bookDepositAssignment, bookingAccounts } from '../bookings.ts'
import type { BookingBasis } from '../bookings.ts'
import { derivedState } from '../deposit-rows/deposits.schema.ts'
import { depositGuard, updateDeposit } from '../deposit-rows/rows.ts'
import type { DepositRow } from '../deposit-rows/rows.ts'
import { holdChange } from '../withdrawals/held-deposits.ts'
import type { ScreeningHold } from '../withdrawals/held-deposits.ts'
import { mergeChanges } from '../withdrawals/shared-transaction.ts'
import { assignedEvents, newAssignments, screenShares } from './new-assignments.ts'
import { findOwnerOfHeld } from './owner.ts'
import type { AccountsOrNobody } from './owner.ts'
import { unchangedGuard } from './own-transfers.ts'

const ASK_AGAIN_MILLISECONDS = 5_000

type Outcome = Awaited<ReturnType<TaskHandler>>

/** A hit waits for people, and their decision makes the task again. */
export const afterHold = ({ clock }: TreasuryApp, hold: ScreeningHold | undefined): Outcome =>
  hold?.reason_code === 'SCREENING_UNKNOWN'
    ? { again_at: clock.now() + ASK_AGAIN_MILLISECONDS }
    : 'done'

/** Whether it waits for an answer, and nothing of it was assigned since. */
export const isHeld = ({ state, reason_code, assigned_quantity }: DepositRow): boolean =>
  state === 'UNASSIGNED' && reason_code === 'SCREENING_UNKNOWN' && decimal(assigned_quantity) === 0n

/** Safe to repeat: what was assigned is not held any more. */
export async function settleHeld(app: TreasuryApp, deposit: DepositRow): Promise<Outcome> {
  const owner = await findOwnerOfHeld(app, deposit)
  const { hold, filed } =
    owner.owner === 'accounts' ? await screenShares(app, deposit, owner) : { filed: [] }
  const isKnown = hold?.reason_code === deposit.reason_code && hold.reason === deposit.reason
  if (isKnown && filed.length === 0) return afterHold(app, hold)
  const change =
    hold === undefined ? await assignedChange(app, deposit, owner) : holdChange(deposit, hold)
  await withFailpoints('deposit.settle', deposit.venue_id, () =>
    app.lane.commit(mergeChanges([change, ...filed])),
  )
  return afterHold(app, hold)
}

/** From SUSPENSE to the accounts; what nobody gets waits for a person. */
async function assignedChange(
  app: TreasuryApp,
  deposit: DepositRow,
  owner: AccountsOrNobody,
): Promise<Change> {
  const { workspace, id, asset } = deposit
  const basis: BookingBasis = {
    accounts: await bookingAccounts(app.db, workspace, deposit.venue_id),
    cause: { reference_type: 'deposit', reference_id: id },
    asset,
  }
  const booked = !(await settingsOf(app.db, workspace)).compliance
  const assigned = await newAssignments(app, deposit, owner, booked)
  const to = derivedState(deposit, assigned)
  const { reason_code, reason } =
    owner.owner === 'nobody' ? owner : { reason_code: null, reason: null }
  const returned = owner.returned === undefined ? [] : [unchangedGuard(owner.returned)]
  const assigned_quantity = format(liveSum(assigned))
  return {
    workspace,
    class: 'fact',
    by: TREASURY_WORKER,
    guards: [to === deposit.state ? depositGuard(deposit) : depositGuard(deposit, to), ...returned],
    ledger: booked ? assigned.map((share) => bookDepositAssignment(basis, share)) : [],
    rows: [
      updateDeposit(deposit, { assigned_quantity, reason_code, reason }),
      ...assigned.map((assignment) => assignment.insert),
    ],
    events: assignedEvents({ ...deposit, state: to }, owner, assigned),
  }
}
