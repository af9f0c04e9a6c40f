/**
 * A deposit or a withdrawal, as far as assigning goes: what is free, how a share is booked, and
 * what the movement becomes with its assignments. What was read of it is guarded by its version, so
 * that two decisions at once never assign more than there is.
 */
import { decimal, format } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { refuse } from '../../core/errors.ts'
import { withFailpoints } from '../../core/failpoint.ts'
import type { DepositId, WithdrawalId, WorkspaceId } from '../../core/ids.ts'
import type { Json } from '../../core/json.ts'
import type { Change, EventDraft, EventOf, Guard, LedgerStep } from '../../ledger/index.ts'
import { updateGuardedRow } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import type { TreasuryApp } from '../app.ts'
import { bookedSum, liveSum } from '../assignments/assignments.schema.ts'
import type { AssignedPart } from '../assignments/assignments.schema.ts'
import { assignmentsOf } from '../assignments/rows.ts'
import type { AssignmentRow } from '../assignments/rows.ts'
import { bookDepositAssignment, bookingAccounts, bookWithdrawalAssignment } from '../bookings.ts'
import type { BookingBasis, Share } from '../bookings.ts'
import { derivedState, FINAL_STATES } from '../deposit-rows/deposits.schema.ts'
import type { DepositState } from '../deposit-rows/deposits.schema.ts'
import { depositEvent, depositRow, unassignedReturns } from '../deposit-rows/rows.ts'
import type { DepositRow } from '../deposit-rows/rows.ts'
import {
  heldRefusal,
  holdChange,
  isHeldReason,
  screenDeposit,
} from '../withdrawals/held-deposits.ts'
import { DEPOSIT_REVERSED, isReturnOfNobodys } from '../withdrawals/returned-deposits.ts'
import {
  assignableOf,
  basisOf,
  leavingPart,
  withdrawalEvent,
  withdrawalGuard,
  withdrawalRow,
  WITHDRAWALS,
} from '../withdrawals/rows.ts'
import { mergeChanges } from '../withdrawals/shared-transaction.ts'
import { assertOwnWallets, walletsOfWithdrawal } from '../withdrawals/third-parties.ts'
import type { Payer } from '../withdrawals/third-parties.ts'
import { LIVE_STATES } from '../withdrawals/withdrawals.schema.ts'
import type { WithdrawalRow } from '../withdrawals/rows.ts'
import type { WithdrawalState } from '../withdrawals/withdrawals.schema.ts'

export type MovementReference = { deposit_id: DepositId } | { withdrawal_id: WithdrawalId }

export type Movement = {
  basis: BookingBasis
  assignable: Decimal
  state: string
  /** Final: what is SUCCESSFUL is booked. In flight (withdrawals): the amount is held. */
  phase: 'final' | 'in flight'
  assignments: AssignmentRow[]
  /** Of a withdrawal: somebody who may has said so once. Only decisions rely on it. */
  third_party: boolean
  /** Throws WALLET_OF_ANOTHER_CUSTOMER where a withdrawal used a wallet that is not theirs. */
  assertOwner(payer: Payer, owner: { third_party: boolean; path: string }): void
  /**
   * Guards the movement as it was read, and brings it to what its assignments are then. `shares`
   * are those that are new.
   */
  settle(
    assignments: readonly AssignedPart[],
    shares?: readonly { third_party: boolean }[],
  ): { guard: Guard; rows: Query[] }
  /**
   * Of a deposit: what screening found, for the same commit. Throws STATE_NOT_ALLOWED while it
   * holds the deposit; a case that opens is committed before.
   */
  screen(accounts: readonly string[]): Promise<readonly Change[]>
  book(share: Share): LedgerStep
  event(
    type: EventOf<'deposit'> & EventOf<'withdrawal'>,
    more: Record<string, Json>,
    assignments: readonly AssignedPart[],
  ): EventDraft
}

/** Refuses STATE_NOT_ALLOWED when nothing can be assigned, 4004 when there is no such movement. */
export async function movementOf(
  app: TreasuryApp,
  workspace: WorkspaceId,
  of: MovementReference,
): Promise<Movement> {
  return 'deposit_id' in of
    ? depositMovement(app, workspace, of.deposit_id)
    : withdrawalMovement(app, workspace, of.withdrawal_id)
}

const notAllowed = (message: string) => refuse('STATE_NOT_ALLOWED', '', message)

async function depositMovement(
  app: TreasuryApp,
  workspace: WorkspaceId,
  id: DepositId,
): Promise<Movement> {
  const row = await depositRow(app.db, workspace, id)
  if (row.own_transfer && decimal(row.transfer_quantity) === decimal(row.quantity))
    throw notAllowed(`deposit ${id} is the arrival of an own transfer: it has no owner`)
  if (!(FINAL_STATES as readonly DepositState[]).includes(row.state))
    throw notAllowed(`deposit ${id} is ${row.state}: only a final deposit can be assigned`)
  const basis: BookingBasis = {
    accounts: await bookingAccounts(app.db, workspace, row.venue_id),
    cause: { reference_type: 'deposit', reference_id: id },
    asset: row.asset,
  }
  const guard: Guard = {
    table: 'deposits',
    resource: 'deposit',
    id,
    from: FINAL_STATES,
    version: row.version,
  }
  return {
    basis,
    assignable: row.assignable - unassignedReturns(row),
    state: row.state,
    phase: 'final',
    assignments: await assignmentsOf(app.db, workspace, { deposit_id: id }),
    third_party: false,
    assertOwner() {},
    settle(assignments) {
      const to = derivedState(row, assignments)
      const kept = isHeldReason(row) ? row : { reason_code: null, reason: null }
      const update = sql`
        update deposits
        set assigned_quantity = ${format(liveSum(assignments))}, reason_code = ${kept.reason_code},
          reason = ${kept.reason}
        where workspace = ${workspace}
          and id = ${id}`
      return { guard: to === row.state ? guard : { ...guard, to }, rows: [update] }
    },
    screen: (accounts) => screenedFor(app, row, accounts),
    book: (share) => bookDepositAssignment(basis, share),
    event: (type, more, assignments) =>
      depositEvent(
        type,
        { ...row, state: derivedState(row, assignments) },
        { ...more, deposit_quantity: row.quantity },
      ),
  }
}

async function screenedFor(
  app: TreasuryApp,
  row: DepositRow,
  accounts: readonly string[],
): Promise<readonly Change[]> {
  const { hold, filed } = await screenDeposit(app, row, accounts)
  if (hold === undefined) return filed
  if (filed.length > 0)
    await withFailpoints('deposit.screen', row.id, () =>
      app.lane.commit(mergeChanges([holdChange(row, hold), ...filed])),
    )
  throw heldRefusal(row, hold)
}

async function withdrawalMovement(
  app: TreasuryApp,
  workspace: WorkspaceId,
  id: WithdrawalId,
): Promise<Movement> {
  const row = await withdrawalRow(app.db, workspace, id)
  if (leavingPart(row) === 0n)
    throw notAllowed(`withdrawal ${id} is an own transfer: it has no owner`)
  if (row.venue_charge)
    throw notAllowed(`withdrawal ${id} is a charge of the venue: it has no owner`)
  if (await isReturnOfNobodys(app.db, row))
    throw notAllowed(
      `withdrawal ${id} returns deposit ${row.returns_deposit_id}, which no account has`,
    )
  const live = (LIVE_STATES as readonly WithdrawalState[]).includes(row.state)
  if (!live && row.state !== 'SUCCESS')
    throw notAllowed(`withdrawal ${id} is ${row.state}: nothing left`)
  const basis = await basisOf(app.db, row)
  const assignable = await assignableOf(app.db, row)
  const wallets = await walletsOfWithdrawal(app.db, row)
  return {
    basis,
    assignable,
    state: row.state,
    phase: live ? 'in flight' : 'final',
    assignments: await assignmentsOf(app.db, workspace, { withdrawal_id: id }),
    third_party: row.third_party,
    assertOwner(payer, { third_party, path }) {
      assertOwnWallets(wallets, { payer, third_party }, path)
    },
    settle(assignments, shares = []) {
      const guard = withdrawalGuard(row, [...LIVE_STATES, 'SUCCESS'])
      const isAssigned = !live && bookedSum(assignments) === assignable
      const set = {
        ...(live || row.unassigned === !isAssigned ? {} : { unassigned: !isAssigned }),
        ...(shares.some((share) => share.third_party) ? { third_party: true } : {}),
        ...(isAssigned && !isKeptReason(row) ? { reason_code: null, reason: null } : {}),
      }
      if (Object.keys(set).length === 0) return { guard, rows: [] }
      return { guard, rows: [updateGuardedRow(WITHDRAWALS, { where: { workspace, id }, set })] }
    },
    screen: () => Promise.resolve([]),
    book: (share) => bookWithdrawalAssignment(basis, share),
    event: (type, more) =>
      withdrawalEvent(type, row, { ...more, withdrawal_quantity: row.quantity }),
  }
}

/** That a person resolved it stays on it. What is gone twice has somebody who bears it then. */
const isKeptReason = ({ reason_code, resolved_at }: WithdrawalRow): boolean =>
  reason_code === null || (resolved_at !== null && reason_code !== DEPOSIT_REVERSED)
