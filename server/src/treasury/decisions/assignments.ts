/**
 * Assigning by hand, and deciding. What a decision books, it books in the same change; what was read of the movement is
 * guarded by its version, so that two at once never assign more than there is.
 */
import { settingsOf } from '../../access/index.ts'
import type { Customer } from '../../customers/index.ts'
import { mustExist } from '../../core/assert.ts'
import { format, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { notFound, refuse } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import type { Json } from '../../core/json.ts'
import { canMove } from '../../core/moves.ts'
import { withIdempotentReplay } from '../../http/index.ts'
import type { Idempotency } from '../../http/index.ts'
import { amountOf, assetByCode, retryOnStale } from '../../ledger/index.ts'
import type { Change, EventDraft, EventOf, Guard, LedgerStep } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { assignmentsOf, insertAssignment } from '../assignments/rows.ts'
import type { AssignmentRow } from '../assignments/rows.ts'
import { ASSIGNMENT_MOVES, liveSum } from '../assignments/assignments.schema.ts'
import type {
  Assigned,
  AssignmentState,
  CreateAssignmentsBody,
  DecideAssignmentBody,
  DepositAssignment,
} from '../assignments/assignments.schema.ts'
import { bookDepositAssignment, bookWithdrawalAssignment } from '../bookings.ts'
import type { BookingAccounts, Cause } from '../bookings.ts'
import { depositEvent, depositRow } from '../deposits/rows.ts'
import { derivedState, FINAL_STATES } from '../deposits/deposits.schema.ts'
import type { DepositState } from '../deposits/deposits.schema.ts'
import type { TreasuryApp } from '../app.ts'
import { assignableOf } from '../withdrawals/outcome.ts'
import {
  bookingAccounts,
  customerOfAccount,
  holdsFor,
  withdrawalEvent,
  withdrawalRow,
} from '../withdrawals/withdrawals.ts'
import { LIVE_STATES } from '../withdrawals/withdrawals.schema.ts'
import type { WithdrawalState } from '../withdrawals/withdrawals.schema.ts'

export type AssignedTo = { deposit_id: string } | { withdrawal_id: string }

/** Of a deposit or a withdrawal; the field that names which is beside these. */
export type Assignment = Omit<DepositAssignment, 'deposit_id'>

/** A deposit or a withdrawal, as far as assigning goes. */
export type Movement = {
  cause: Cause
  asset: string
  assignable: Decimal
  state: string
  /** Final: what is SUCCESSFUL is booked. In flight (withdrawals): the amount is held, the end decides. */
  phase: 'final' | 'in flight'
  accounts: BookingAccounts
  assignments: AssignmentRow[]
  /** Guards the movement as it was read, and brings it to what its assignments are then. */
  settle(assignments: readonly Assigned[]): { guard: Guard; rows: Query[] }
  book(share: { account_id: string; quantity: Decimal }): LedgerStep
  event(
    type: EventOf<'deposit'> & EventOf<'withdrawal'>,
    more: Record<string, Json>,
    assignments: readonly Assigned[],
  ): EventDraft
}

/** Refuses STATE_NOT_ALLOWED when nothing can be assigned in this state, 4004 when there is no such movement. */
export async function movementOf(
  app: TreasuryApp,
  workspace: WorkspaceId,
  of: AssignedTo,
): Promise<Movement> {
  return 'deposit_id' in of
    ? depositMovement(app, workspace, of.deposit_id)
    : withdrawalMovement(app, workspace, of.withdrawal_id)
}

async function depositMovement(
  app: TreasuryApp,
  workspace: WorkspaceId,
  id: string,
): Promise<Movement> {
  const row = await depositRow(app.db, workspace, id)
  if (row.own_transfer)
    throw refuse(
      'STATE_NOT_ALLOWED',
      '',
      `deposit ${id} is the arrival of an own transfer: it belongs to nobody`,
    )
  if (!(FINAL_STATES as readonly DepositState[]).includes(row.state))
    throw refuse(
      'STATE_NOT_ALLOWED',
      '',
      `deposit ${id} is ${row.state}: only a final one is assigned`,
    )
  const accounts = await bookingAccounts(app.db, workspace, row.venue_id)
  const cause: Cause = { reference_type: 'deposit', reference_id: id }
  return {
    cause,
    asset: row.asset,
    assignable: row.assignable,
    state: row.state,
    phase: 'final',
    accounts,
    assignments: await assignmentsOf(app.db, workspace, { deposit_id: id }),
    settle(assignments) {
      const to = derivedState(row.assignable, assignments)
      return {
        guard: {
          table: 'deposits',
          resource: 'deposit',
          id,
          from: FINAL_STATES,
          version: row.version,
          ...(to === row.state ? {} : { to }),
        },
        rows: [
          sql`update deposits set assigned_quantity = ${format(liveSum(assignments))}, reason_code = null, reason = null where workspace = ${workspace} and id = ${id}`,
        ],
      }
    },
    book: (share) => bookDepositAssignment(accounts, cause, row.asset, share),
    event: (type, more, assignments) =>
      depositEvent(
        type,
        { ...row, state: derivedState(row.assignable, assignments) },
        { ...more, deposit_quantity: row.quantity },
      ),
  }
}

async function withdrawalMovement(
  app: TreasuryApp,
  workspace: WorkspaceId,
  id: string,
): Promise<Movement> {
  const row = await withdrawalRow(app.db, workspace, id)
  if (row.own_transfer)
    throw refuse(
      'STATE_NOT_ALLOWED',
      '',
      `withdrawal ${id} is an own transfer: it belongs to nobody`,
    )
  if (row.venue_charge)
    throw refuse(
      'STATE_NOT_ALLOWED',
      '',
      `withdrawal ${id} is a charge of the venue: it belongs to nobody`,
    )
  const live = (LIVE_STATES as readonly WithdrawalState[]).includes(row.state)
  if (!live && row.state !== 'SUCCESS')
    throw refuse('STATE_NOT_ALLOWED', '', `withdrawal ${id} is ${row.state}: nothing left`)
  const accounts = await bookingAccounts(app.db, workspace, row.venue_id)
  const cause: Cause = { reference_type: 'withdrawal', reference_id: id }
  return {
    cause,
    asset: row.asset,
    assignable: await assignableOf(app, row),
    state: row.state,
    phase: live ? 'in flight' : 'final',
    accounts,
    assignments: await assignmentsOf(app.db, workspace, { withdrawal_id: id }),
    settle: () => ({
      guard: {
        table: 'withdrawals',
        resource: 'withdrawal',
        id,
        from: [...LIVE_STATES, 'SUCCESS'],
        version: row.version,
      },
      rows: [],
    }),
    book: (share) => bookWithdrawalAssignment(accounts, cause, row.asset, share),
    event: (type, more) =>
      withdrawalEvent(type, row, { ...more, withdrawal_quantity: row.quantity }),
  }
}

/**
 * Assigns parts of a movement to customers' accounts, all or none. Refused: STATE_NOT_ALLOWED, SUM_MISMATCH when more than
 * the movement would be assigned, SCALE, NOT_ACTIVE, INSUFFICIENT_BALANCE (withdrawals).
 */
export async function assign(
  app: TreasuryApp,
  workspace: WorkspaceId,
  of: AssignedTo,
  body: CreateAssignmentsBody,
  by: string,
  idempotency: Idempotency | undefined,
): Promise<Assignment[]> {
  return withIdempotentReplay(app, workspace, idempotency, () =>
    retryOnStale(async () => {
      const movement = await movementOf(app, workspace, of)
      const now = app.clock.now()
      const asset = await assetByCode(app.db, workspace, movement.asset)
      const waits =
        movement.phase === 'in flight' || (await settingsOf(app.db, workspace)).compliance
      const state: AssignmentState = waits ? 'PENDING' : 'SUCCESSFUL'
      const items: { id: string; customer: Customer; account_id: string; quantity: Decimal }[] = []
      for (const [index, item] of body.entries()) {
        const quantity = amountOf(item.quantity, asset, `[${index}].quantity`)
        items.push({
          id: newId(now),
          account_id: item.account_id,
          quantity,
          customer: await customerOfAccount(
            app.db,
            workspace,
            item.account_id,
            `[${index}].account_id`,
          ),
        })
      }
      const free = movement.assignable - liveSum(movement.assignments)
      const asked = sum(items.map((item) => item.quantity))
      if (asked > free)
        throw refuse(
          'SUM_MISMATCH',
          '',
          `${format(asked)} ${movement.asset} asked, ${format(free)} are not assigned yet`,
        )
      const after = [
        ...movement.assignments,
        ...items.map((item): Assigned => ({
          state,
          quantity: item.quantity,
          rectification_id: null,
        })),
      ]
      const { guard, rows } = movement.settle(after)
      const records = items.map((item): Assignment => ({
        ...of,
        id: item.id,
        workspace,
        account_id: item.account_id,
        customer_id: item.customer.id,
        asset: movement.asset,
        quantity: format(item.quantity),
        status: state,
        source: 'MANUAL',
        matching_id: null,
        rectification_id: null,
        decided_by: waits ? null : by,
        decided_at: waits ? null : now,
        booked_at: waits ? null : now,
        system_created_at: now,
        system_created_by: by,
        system_updated_at: now,
        system_updated_by: by,
        version: 1,
      }))
      const change: Change = {
        workspace,
        class: 'command',
        by,
        guards: [guard],
        ledger: items.flatMap((item): LedgerStep[] => {
          if (movement.phase === 'in flight')
            return holdsFor(
              { id: movement.cause.reference_id, asset: movement.asset },
              item.account_id,
              item.quantity,
            )
          return waits ? [] : [movement.book(item)]
        }),
        rows: [
          ...rows,
          ...records.map((record) =>
            insertAssignment({
              workspace,
              id: record.id,
              state,
              deposit_id: 'deposit_id' in of ? of.deposit_id : null,
              withdrawal_id: 'withdrawal_id' in of ? of.withdrawal_id : null,
              account_id: record.account_id,
              customer_id: record.customer_id,
              asset: record.asset,
              quantity: record.quantity,
              source: 'MANUAL',
              matching_id: null,
              decided_by: record.decided_by,
              decided_at: record.decided_at,
              booked_at: record.booked_at,
              at: now,
              by,
            }),
          ),
        ],
        events: records.map((record) =>
          movement.event(waits ? 'assignment_requested' : 'assigned', toldOf(record), after),
        ),
        ...(idempotency === undefined
          ? {}
          : { idempotency: { ...idempotency, reply: { data: records } } }),
      }
      const committed = await app.lane.commit(change)
      return committed.verdict === 'replayed' && 'data' in committed.reply
        ? (committed.reply.data as Assignment[])
        : records
    }),
  )
}

export const toldOf = ({
  id,
  account_id,
  customer_id,
  quantity,
}: Pick<Assignment, 'id' | 'account_id' | 'customer_id'> & { quantity: string }) => ({
  assignment_id: id,
  account_id,
  customer_id,
  quantity,
})

/**
 * Decides an assignment of this very movement. Refused: STATE_NOT_ALLOWED for every move but those of the table, and while
 * the withdrawal is in flight; SUM_MISMATCH when the rest is assigned otherwise by now; INSUFFICIENT_BALANCE (withdrawals).
 */
export async function decide(
  app: TreasuryApp,
  workspace: WorkspaceId,
  of: AssignedTo,
  body: DecideAssignmentBody,
  by: string,
  idempotency: Idempotency | undefined,
): Promise<Assignment> {
  return withIdempotentReplay(app, workspace, idempotency, () =>
    retryOnStale(async () => {
      const movement = await movementOf(app, workspace, of)
      const known = movement.assignments.find((assignment) => assignment.id === body.id)
      if (known === undefined) throw notFound('assignment', body.id, 'id')
      if (movement.phase === 'in flight')
        throw refuse(
          'STATE_NOT_ALLOWED',
          'status',
          `the withdrawal is ${movement.state}: its end decides its assignments`,
        )
      if (!canMove(ASSIGNMENT_MOVES, known.state, body.status))
        throw refuse(
          'STATE_NOT_ALLOWED',
          'status',
          `assignment ${known.id} is ${known.state}: it cannot become ${body.status}`,
        )
      const successful = body.status === 'SUCCESSFUL'
      if (successful) await customerOfAccount(app.db, workspace, known.account_id, 'id')
      const free =
        movement.assignable -
        liveSum(movement.assignments.filter((assignment) => assignment.id !== known.id))
      if (successful && known.quantity > free)
        throw refuse(
          'SUM_MISMATCH',
          'status',
          `the assignment is of ${format(known.quantity)} ${movement.asset}, ${format(free)} are not assigned otherwise`,
        )
      const after = movement.assignments.map((assignment): Assigned =>
        assignment.id === known.id ? { ...assignment, state: body.status } : assignment,
      )
      const { guard, rows } = movement.settle(after)
      const now = app.clock.now()
      const record = await decidedRecord(app, workspace, of, known.id, {
        status: body.status,
        decided_by: by,
        decided_at: now,
        booked_at: successful ? now : null,
        system_updated_at: now,
        system_updated_by: by,
      })
      const told = toldOf({ ...known, quantity: format(known.quantity) })
      const committed = await app.lane.commit({
        workspace,
        class: 'command',
        by,
        guards: [
          guard,
          {
            table: 'assignments',
            resource: 'assignment',
            id: known.id,
            from: [known.state],
            to: body.status,
            version: known.version,
          },
        ],
        ledger: successful ? [movement.book(known)] : [],
        rows: [
          ...rows,
          sql`update assignments set decided_by = ${by}, decided_at = ${now}, booked_at = ${record.booked_at} where workspace = ${workspace} and id = ${known.id}`,
        ],
        events: [movement.event(successful ? 'assigned' : 'assignment_rejected', told, after)],
        ...(idempotency === undefined
          ? {}
          : { idempotency: { ...idempotency, reply: { data: record } } }),
      })
      return committed.verdict === 'replayed' && 'data' in committed.reply
        ? (committed.reply.data as Assignment)
        : record
    }),
  )
}

/** As it will stand after the commit: the guard makes sure that nothing else changed it. */
async function decidedRecord(
  app: TreasuryApp,
  workspace: WorkspaceId,
  of: AssignedTo,
  id: string,
  changes: Partial<Assignment>,
): Promise<Assignment> {
  const [record] = await app.db.query<Assignment>(sql`
    select id, workspace, account_id, customer_id, asset, quantity, state as status, source, matching_id, rectification_id, decided_by, decided_at, booked_at,
      system_created_at, system_created_by, system_updated_at, system_updated_by, version from assignments where workspace = ${workspace} and id = ${id}`)
  const known = mustExist(record, 'the assignment was just read')
  return { ...known, ...of, ...changes, version: known.version + 1 }
}
