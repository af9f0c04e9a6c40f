/**
 * Assigning by hand, and deciding assignments that wait. What a decision books, it books in the
 * same change.
 */
import { settingsOf } from '../../access/index.ts'
import { mustExist } from '../../core/assert.ts'
import { format, sum } from '../../core/decimal.ts'
import { notFound, refuse } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { canMove, move } from '../../core/moves.ts'
import { holderOfAccount } from '../../customers/index.ts'
import { withIdempotentReplay } from '../../http/index.ts'
import type { Caller } from '../../http/index.ts'
import { amountOf, assetByCode, commitWithReply, retryOnStale } from '../../ledger/index.ts'
import type { Change, LedgerStep } from '../../ledger/index.ts'
import { createdBy, updateGuardedRow } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import type { TreasuryApp } from '../app.ts'
import { ASSIGNMENT_MOVES, liveSum } from '../assignments/assignments.schema.ts'
import type {
  AssignedPart,
  AssignmentState,
  CreateAssignmentsBody,
  DecideAssignmentBody,
  DepositAssignment,
} from '../assignments/assignments.schema.ts'
import {
  ASSIGNMENT_COLUMNS,
  assignmentGuard,
  ASSIGNMENTS,
  insertAssignment,
} from '../assignments/rows.ts'
import type { AssignmentRow } from '../assignments/rows.ts'
import type { HolderShare } from '../bookings.ts'
import { holdShare } from '../withdrawals/holds.ts'
import { mergeChanges } from '../withdrawals/shared-transaction.ts'
import { HOUSE } from '../withdrawals/third-parties.ts'
import { movementOf } from './movement.ts'
import type { Movement, MovementReference } from './movement.ts'

/** Of a deposit or a withdrawal; the field that names which is beside these. */
export type Assignment = Omit<DepositAssignment, 'deposit_id'>

/** A part of a movement that is about to be assigned. */
export type NewShare = HolderShare & { id: string; third_party: boolean }

/**
 * Assigns parts of a movement to accounts of customers or of the house, all or none. Refused:
 * STATE_NOT_ALLOWED, SUM_MISMATCH when more than the movement would be assigned, SCALE, NOT_ACTIVE,
 * INSUFFICIENT_BALANCE and WALLET_OF_ANOTHER_CUSTOMER (withdrawals).
 */
export async function assign(
  caller: Caller,
  app: TreasuryApp,
  of: MovementReference,
  body: CreateAssignmentsBody,
): Promise<Assignment[]> {
  const { workspace, idempotency } = caller
  return withIdempotentReplay(app, workspace, idempotency, () =>
    retryOnStale(async () => {
      const movement = await movementOf(app, workspace, of)
      const shares = await checkedShares(app, workspace, movement, body)
      assertFree(movement, sum(shares.map((share) => share.quantity)))
      const { compliance } = await settingsOf(app.db, workspace)
      const waits = movement.phase === 'in flight' || compliance
      const state = waits ? 'PENDING' : 'SUCCESSFUL'
      const records = shares.map((share) =>
        newRecord(of, movement, share, { ...caller, state, now: app.clock.now() }),
      )
      const filed = await movement.screen(shares.map((share) => share.account_id))
      const change = assignChange(caller, movement, { shares, records, state })
      return commitWithReply(app.lane, caller, mergeChanges([change, ...filed]), records)
    }),
  )
}

async function checkedShares(
  app: TreasuryApp,
  workspace: WorkspaceId,
  movement: Movement,
  body: CreateAssignmentsBody,
): Promise<NewShare[]> {
  const asset = await assetByCode(app.db, workspace, movement.basis.asset)
  const shares: NewShare[] = []
  for (const [index, { account_id, quantity: text, third_party = false }] of body.entries()) {
    const quantity = amountOf(text, asset, `[${index}].quantity`)
    const path = `[${index}].account_id`
    const { customer_id } = await holderOfAccount(app.db, workspace, account_id, path)
    movement.assertOwner(customer_id ?? HOUSE, { third_party, path })
    shares.push({ id: newId(app.clock.now()), account_id, customer_id, quantity, third_party })
  }
  return shares
}

/** Throws SUM_MISMATCH when this is more than what is not assigned yet. */
function assertFree(
  { basis: { asset }, assignable, assignments }: Movement,
  quantity: bigint,
): void {
  const free = assignable - liveSum(assignments)
  if (quantity > free)
    throw refuse(
      'SUM_MISMATCH',
      '',
      `${format(quantity)} ${asset} requested, ${format(free)} are not assigned yet`,
    )
}

/** The record as the API answers it. */
function newRecord(
  of: MovementReference,
  { basis: { asset } }: Movement,
  { id, account_id, customer_id, quantity }: NewShare,
  {
    workspace,
    by,
    state,
    now,
  }: Pick<Caller, 'workspace' | 'by'> & {
    state: AssignmentState
    now: number
  },
): Assignment {
  const decision =
    state === 'PENDING'
      ? { decided_by: null, decided_at: null, booked_at: null }
      : { decided_by: by, decided_at: now, booked_at: now }
  return {
    ...of,
    id,
    workspace,
    account_id,
    customer_id,
    asset,
    quantity: format(quantity),
    status: state,
    source: 'MANUAL',
    matching_id: null,
    rectification_id: null,
    ...decision,
    ...createdBy({ by, now }),
  }
}

function assignChange(
  { workspace, by }: Caller,
  movement: Movement,
  {
    shares,
    records,
    state,
  }: { shares: readonly NewShare[]; records: readonly Assignment[]; state: AssignmentState },
): Change {
  const after = [
    ...movement.assignments,
    ...shares.map(({ quantity }): AssignedPart => ({ state, quantity, rectification_id: null })),
  ]
  const { guard, rows } = movement.settle(after, shares)
  const event = state === 'PENDING' ? 'assignment_requested' : 'assigned'
  return {
    workspace,
    class: 'command',
    by,
    guards: [guard],
    ledger: shares.flatMap((share) => assignSteps(movement, share, state)),
    rows: [
      ...rows,
      ...records.map((record) =>
        insertAssignment({ ...record, state }, { by, now: record.system_created_at }),
      ),
    ],
    events: records.map((record) => movement.event(event, assignmentEventData(record), after)),
  }
}

/**
 * In flight a customer's share is blocked; what waits for a decision changes nothing in the books.
 * Nothing is blocked on an account of the house: its debits are not bounded.
 */
function assignSteps(
  { phase, basis: { cause, asset }, book }: Movement,
  share: NewShare,
  state: AssignmentState,
): LedgerStep[] {
  if (phase === 'in flight' && share.customer_id === null) return []
  if (phase === 'in flight')
    return holdShare({ cause_type: 'withdrawal', cause_id: cause.reference_id }, asset, share)
  return state === 'PENDING' ? [] : [book(share)]
}

/** What an event carries of an assignment. */
export const assignmentEventData = ({
  id,
  account_id,
  customer_id,
  quantity,
}: Pick<Assignment, 'id' | 'account_id' | 'customer_id' | 'quantity'>) => ({
  assignment_id: id,
  account_id,
  customer_id,
  quantity,
})

/**
 * Decides an assignment of this very movement. Refused: STATE_NOT_ALLOWED for every move but those
 * of the table, and while the withdrawal is in flight; SUM_MISMATCH when the rest is assigned
 * otherwise by now; NOT_ACTIVE; INSUFFICIENT_BALANCE and WALLET_OF_ANOTHER_CUSTOMER (withdrawals).
 */
export async function decideAssignment(
  caller: Caller,
  app: TreasuryApp,
  of: MovementReference,
  body: DecideAssignmentBody,
): Promise<Assignment> {
  const { workspace, idempotency } = caller
  return withIdempotentReplay(app, workspace, idempotency, () =>
    retryOnStale(async () => {
      const movement = await movementOf(app, workspace, of)
      const known = checkedMove(movement, body)
      const isAssigned = body.status === 'SUCCESSFUL'
      if (isAssigned) {
        const { customer_id } = await holderOfAccount(app.db, workspace, known.account_id, 'id')
        const { third_party } = movement
        movement.assertOwner(customer_id ?? HOUSE, { third_party, path: 'id' })
        assertStillFree(movement, known)
      }
      const filed = isAssigned ? await movement.screen([known.account_id]) : []
      const record = await decisionRecord(caller, app, of, body)
      const change = decideChange(caller, movement, known, record)
      return commitWithReply(app.lane, caller, mergeChanges([change, ...filed]), record)
    }),
  )
}

/** The assignment, which the table lets become this. */
function checkedMove(movement: Movement, { id, status }: DecideAssignmentBody): AssignmentRow {
  const known = movement.assignments.find((assignment) => assignment.id === id)
  if (known === undefined) throw notFound('assignment', id, 'id')
  if (movement.phase === 'in flight')
    throw refuse(
      'STATE_NOT_ALLOWED',
      'status',
      `the withdrawal is ${movement.state}: its end decides its assignments`,
    )
  if (!canMove(ASSIGNMENT_MOVES, known.state, status))
    throw refuse(
      'STATE_NOT_ALLOWED',
      'status',
      `assignment ${id} is ${known.state}: it cannot become ${status}`,
    )
  return known
}

function assertStillFree(
  { basis: { asset }, assignable, assignments }: Movement,
  { id, quantity }: AssignmentRow,
): void {
  const free = assignable - liveSum(assignments.filter((assignment) => assignment.id !== id))
  if (quantity > free)
    throw refuse(
      'SUM_MISMATCH',
      'status',
      `the assignment is of ${format(quantity)} ${asset}, ` +
        `only ${format(free)} are not assigned otherwise`,
    )
}

function decideChange(
  { workspace, by }: Caller,
  movement: Movement,
  known: AssignmentRow,
  { status, decided_by, decided_at, booked_at }: Assignment,
): Change {
  const after = movement.assignments.map((assignment): AssignedPart =>
    assignment.id === known.id ? { ...assignment, state: status } : assignment,
  )
  const { guard, rows } = movement.settle(after)
  const data = assignmentEventData({ ...known, quantity: format(known.quantity) })
  const successful = status === 'SUCCESSFUL'
  return {
    workspace,
    class: 'command',
    by,
    guards: [guard, assignmentGuard(known, move(ASSIGNMENT_MOVES, known.state, status))],
    ledger: successful ? [movement.book(known)] : [],
    rows: [
      ...rows,
      updateGuardedRow(ASSIGNMENTS, {
        where: { workspace, id: known.id },
        set: { decided_by, decided_at, booked_at },
      }),
    ],
    events: [movement.event(successful ? 'assigned' : 'assignment_rejected', data, after)],
  }
}

/** As it will be after the commit: the guard makes sure that nothing else changed it. */
async function decisionRecord(
  { workspace, by }: Caller,
  app: TreasuryApp,
  of: MovementReference,
  { id, status }: DecideAssignmentBody,
): Promise<Assignment> {
  const now = app.clock.now()
  const [row] = await app.db.query<
    Assignment & Record<'deposit_id' | 'withdrawal_id' | 'movement_state', unknown>
  >(sql`
    select ${ASSIGNMENT_COLUMNS}
    from assignments
    where workspace = ${workspace}
      and id = ${id}`)
  const {
    deposit_id: _deposit,
    withdrawal_id: _withdrawal,
    movement_state: _state,
    ...known
  } = mustExist(row, 'the assignment was just read')
  return {
    ...known,
    ...of,
    status,
    decided_by: by,
    decided_at: now,
    booked_at: status === 'SUCCESSFUL' ? now : null,
    system_updated_at: now,
    system_updated_by: by,
    version: known.version + 1,
  }
}
