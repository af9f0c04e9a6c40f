/**
 * A withdrawal that returns a deposit to its sender, as far as the deposit goes. The deposit counts
 * what is about to go back and what has gone, in the same change as the withdrawal. Its version
 * guards the count, and the database refuses to count more than has arrived.
 */
import { decimal, format, least } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import type { AccountId, WorkspaceId } from '../../core/ids.ts'
import type { EventDraft, Guard } from '../../ledger/index.ts'
import type { Reader } from '../../store/db.ts'
import { updateRow } from '../../store/rows.ts'
import type { Stamp } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import { bookedSum } from '../assignments/assignments.schema.ts'
import { assignmentsOf, returnsOfAccount } from '../assignments/rows.ts'
import { derivedState, FINAL_STATES } from '../deposit-rows/deposits.schema.ts'
import type { DepositState } from '../deposit-rows/deposits.schema.ts'
import {
  depositEvent,
  depositGuard,
  depositRow,
  returnableOf,
  updateDeposit,
} from '../deposit-rows/rows.ts'
import type { DepositRow } from '../deposit-rows/rows.ts'
import { WITHDRAWALS } from './rows.ts'
import type { WithdrawalRow } from './rows.ts'
import { WITHDRAWAL_MOVES } from './withdrawals.schema.ts'

/** The reason code of a return whose deposit the venue took back: somebody must bear it. */
export const DEPOSIT_REVERSED = 'DEPOSIT_REVERSED'

/** What of a change concerns the deposit. */
type DepositPart = { guards: Guard[]; rows: Query[]; events: EventDraft[] }

/** `fields`: what the withdrawal itself becomes. */
type ReturnEnd = DepositPart & { fields: Partial<ReturnType<typeof reversedFields>> }
const NO_DEPOSIT: ReturnEnd = { guards: [], rows: [], events: [], fields: {} }

type Return = Pick<WithdrawalRow, 'id' | 'quantity' | 'account_id'>

export const isFinalDeposit = ({ state }: Pick<DepositRow, 'state'>): boolean =>
  (FINAL_STATES as readonly DepositState[]).includes(state)

/** What no account has goes from SUSPENSE; an account is named for everything else. */
const isOfNobody = ({ account_id }: Pick<WithdrawalRow, 'account_id'>): boolean =>
  account_id === null

/** What this account can still return: what it got and has not returned, as far as it is there. */
export async function leftOfAccount(
  reader: Reader,
  deposit: DepositRow,
  account_id: AccountId,
): Promise<Decimal> {
  const { workspace, id: deposit_id } = deposit
  const assignments = await assignmentsOf(reader, workspace, { deposit_id })
  const own = assignments.filter((assignment) => assignment.account_id === account_id)
  const returned = await returnsOfAccount(reader, workspace, { deposit_id, account_id })
  return least(bookedSum(own) - returned, returnableOf(deposit))
}

/** Counts the return as about to go. */
export function beginReturn(deposit: DepositRow, withdrawal: Return): DepositPart {
  const quantity = decimal(withdrawal.quantity)
  const unassigned = isOfNobody(withdrawal) ? quantity : 0n
  return {
    guards: [depositGuard(deposit)],
    rows: [
      updateDeposit(deposit, {
        returning_quantity: sum(deposit.returning_quantity, quantity),
        returning_unassigned: sum(deposit.returning_unassigned, unassigned),
      }),
    ],
    events: [returnEvent('return_requested', deposit, withdrawal)],
  }
}

const sum = (stored: string, quantity: Decimal): string => format(decimal(stored) + quantity)

const returnEvent = (
  type: 'return_requested' | 'returned' | 'return_failed',
  deposit: DepositRow,
  { id, quantity, account_id }: Return,
): EventDraft =>
  depositEvent(type, deposit, { withdrawal_id: id, returned_quantity: quantity, account_id })

/**
 * Counts it as gone, or, when nothing has left, as still here. `unborne`: of what has left, what no
 * account pays.
 */
export async function endReturn(
  reader: Reader,
  withdrawal: WithdrawalRow,
  { has_left, unborne }: { has_left: boolean; unborne: Decimal },
): Promise<ReturnEnd> {
  const { workspace, returns_deposit_id } = withdrawal
  if (returns_deposit_id === null) return NO_DEPOSIT
  const deposit = await depositRow(reader, workspace, returns_deposit_id)
  const quantity = decimal(withdrawal.quantity)
  const unassigned = isOfNobody(withdrawal) ? quantity : 0n
  const left = has_left ? quantity : 0n
  const counts = {
    returning_quantity: sum(deposit.returning_quantity, -quantity),
    returning_unassigned: sum(deposit.returning_unassigned, -unassigned),
    returned_quantity: sum(deposit.returned_quantity, left),
    returned_unassigned: sum(deposit.returned_unassigned, has_left ? unassigned : 0n),
  }
  const state = await stateAfter(reader, { ...deposit, ...counts })
  const isGoneTwice = deposit.state === 'REVERSED' && isOfNobody(withdrawal) && unborne > 0n
  return {
    guards: [state === deposit.state ? depositGuard(deposit) : depositGuard(deposit, state)],
    rows: [
      updateDeposit(deposit, {
        ...counts,
        ...(deposit.state === 'REVERSED'
          ? { reason: reversalReason({ ...deposit, ...counts }) }
          : {}),
      }),
    ],
    events: [
      returnEvent(has_left ? 'returned' : 'return_failed', { ...deposit, state }, withdrawal),
    ],
    fields: isGoneTwice ? reversedFields(deposit) : {},
  }
}

/**
 * What its venue took back, or has not credited again, stays as it is. So does a deposit of which
 * nothing can be assigned.
 */
async function stateAfter(reader: Reader, deposit: DepositRow): Promise<DepositState> {
  if (!isFinalDeposit(deposit) || deposit.assignable === 0n) return deposit.state
  const { workspace, id } = deposit
  return derivedState(deposit, await assignmentsOf(reader, workspace, { deposit_id: id }))
}

/**
 * The deposit is gone twice: once to its sender, once by its venue. What left waits on SUSPENSE to
 * be assigned to whoever bears it.
 */
const reversedFields = ({ id }: Pick<DepositRow, 'id'>) => ({
  reason_code: DEPOSIT_REVERSED,
  reason: `the venue took deposit ${id} back after it had been returned`,
  unassigned: true,
})

/** Why somebody must look at a deposit that its venue took back; null where nothing went back. */
export function reversalReason({
  asset,
  returned_quantity,
  returning_quantity,
}: Pick<DepositRow, 'asset' | 'returned_quantity' | 'returning_quantity'>): string | null {
  const [gone, going] = [decimal(returned_quantity), decimal(returning_quantity)]
  const parts = [
    ...(gone > 0n ? [`${format(gone)} ${asset} of it went back to its sender too`] : []),
    ...(going > 0n ? [`${format(going)} ${asset} of it are about to go back to its sender`] : []),
  ]
  return parts.length === 0 ? null : `the venue took it back, and ${parts.join(', and ')}`
}

/** The same for all returns of a deposit that has just been taken back. */
export function markReturnsReversed(deposit: DepositRow, stamp: Stamp): Query[] {
  if (decimal(deposit.returned_unassigned) === 0n) return []
  const where = sql`
    workspace = ${deposit.workspace}
    and returns_deposit_id = ${deposit.id}
    and account_id is null
    and ${stateIn(WITHDRAWAL_MOVES, 'SUCCESS')}`
  return [updateRow(WITHDRAWALS, { where, set: reversedFields(deposit), ...stamp })]
}

/**
 * It pays for itself: what it returns is no account's. Once the venue has taken the deposit back,
 * somebody must bear it.
 */
export const isReturnOfNobodys = async (reader: Reader, row: WithdrawalRow): Promise<boolean> =>
  row.returns_deposit_id !== null &&
  isOfNobody(row) &&
  (await goneDepositReason(reader, row.workspace, row)) === undefined

/** Why a return must not be sent now: its deposit is not there any more. */
export async function goneDepositReason(
  reader: Reader,
  workspace: WorkspaceId,
  { returns_deposit_id }: Pick<WithdrawalRow, 'returns_deposit_id'>,
): Promise<string | undefined> {
  if (returns_deposit_id === null) return undefined
  const deposit = await depositRow(reader, workspace, returns_deposit_id)
  return isFinalDeposit(deposit)
    ? undefined
    : `deposit ${deposit.id}, which it returns, is ${deposit.state}: nothing is sent`
}
