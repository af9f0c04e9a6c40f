/**
 * The rows of assignments, however they are made. Assigning and rectifying by hand are in
 * manual-assignments/.
 */
import { decimal } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import type { AccountId, DepositId, WithdrawalId, WorkspaceId } from '../../core/ids.ts'
import { move } from '../../core/moves.ts'
import { oneOf } from '../../http/index.ts'
import type { Guard } from '../../ledger/index.ts'
import type { Reader } from '../../store/db.ts'
import { columnsOf, insertRow, tableOf, updateGuardedRow } from '../../store/rows.ts'
import type { Stamp } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import {
  ASSIGNMENT_MOVES,
  ASSIGNMENT_STATES,
  AssignmentRecord,
  DepositAssignmentRecord,
  WithdrawalAssignmentRecord,
} from './assignments.schema.ts'
import type { AssignmentSource, AssignmentState } from './assignments.schema.ts'

/** The column `state` is shown as `status`. */
export const ASSIGNMENTS = tableOf('assignments', AssignmentRecord, {
  inside: { state: oneOf(ASSIGNMENT_STATES) },
  computed: ['status', 'movement_state'],
})
type StoredAssignment = NonNullable<typeof ASSIGNMENTS.types>['row']

const status = { computed: { status: sql`state` } }
const movement_state = sql`coalesce(
  (
    select d.state
    from deposits d
    where d.workspace = assignments.workspace
      and d.id = assignments.deposit_id
  ),
  (
    select w.state
    from withdrawals w
    where w.workspace = assignments.workspace
      and w.id = assignments.withdrawal_id
  )
)`
export const ASSIGNMENT_COLUMNS = columnsOf(AssignmentRecord, {
  computed: { ...status.computed, movement_state },
})
export const DEPOSIT_ASSIGNMENT_COLUMNS = columnsOf(DepositAssignmentRecord, status)
export const WITHDRAWAL_ASSIGNMENT_COLUMNS = columnsOf(WithdrawalAssignmentRecord, status)

/** A field that is absent is null. */
type NewAssignment = Pick<
  StoredAssignment,
  'workspace' | 'id' | 'state' | 'account_id' | 'customer_id' | 'asset' | 'quantity' | 'source'
> &
  Partial<
    Pick<
      StoredAssignment,
      'deposit_id' | 'withdrawal_id' | 'matching_id' | 'decided_by' | 'decided_at' | 'booked_at'
    >
  >

export const insertAssignment = (row: NewAssignment, stamp: Stamp): Query =>
  insertRow(ASSIGNMENTS, row, stamp)

export type AssignmentRow = {
  id: string
  state: AssignmentState
  account_id: string
  customer_id: string | null
  quantity: Decimal
  source: AssignmentSource
  rectification_id: string | null
  version: number
}

type AssignedMovement = { deposit_id: DepositId } | { withdrawal_id: WithdrawalId }

/** Oldest first. */
export async function assignmentsOf(
  reader: Reader,
  workspace: WorkspaceId,
  of: AssignedMovement,
): Promise<AssignmentRow[]> {
  const condition =
    'deposit_id' in of
      ? sql`deposit_id = ${of.deposit_id}`
      : sql`withdrawal_id = ${of.withdrawal_id}`
  const rows = await reader.query<Omit<AssignmentRow, 'quantity'> & { quantity: string }>(sql`
    select id, state, account_id, customer_id, quantity, source, rectification_id, version
    from assignments
    where workspace = ${workspace}
      and ${condition}
    order by id`)
  return rows.map((row) => ({ ...row, quantity: decimal(row.quantity) }))
}

/** What this account has returned of a deposit to its sender, or is about to. */
export async function returnsOfAccount(
  reader: Reader,
  workspace: WorkspaceId,
  { deposit_id, account_id }: { deposit_id: DepositId; account_id: AccountId },
): Promise<Decimal> {
  const [row] = await reader.query<{ quantity: string }>(sql`
    select coalesce(sum(a.quantity), 0) as quantity
    from withdrawals w
    join assignments a on a.workspace = w.workspace
      and a.withdrawal_id = w.id
    where w.workspace = ${workspace}
      and w.returns_deposit_id = ${deposit_id}
      and a.account_id = ${account_id}
      and ${stateIn(ASSIGNMENT_MOVES, ['PENDING', 'SUCCESSFUL'], 'a.state')}
      and a.rectification_id is null`)
  return decimal(row?.quantity ?? '0')
}

/** The assignment must still be as it was read. */
export const assignmentGuard = (
  { id, version }: Pick<AssignmentRow, 'id' | 'version'>,
  states: Pick<Guard, 'from' | 'to'>,
): Guard => ({ table: 'assignments', resource: 'assignment', id, version, ...states })

/** Those that nobody has decided. */
export async function pendingAssignmentsOf(
  reader: Reader,
  workspace: WorkspaceId,
  of: AssignedMovement,
): Promise<AssignmentRow[]> {
  const assignments = await assignmentsOf(reader, workspace, of)
  return assignments.filter((assignment) => assignment.state === 'PENDING')
}

/** Moves pending assignments: the guard of each, and the write that goes with them. */
export function decidePending(
  workspace: WorkspaceId,
  assignments: readonly AssignmentRow[],
  to: 'REJECTED' | 'SUCCESSFUL',
  set: { decided_by: string; decided_at: number; booked_at?: number },
): { guards: Guard[]; rows: Query[] } {
  const id = assignments.map((assignment) => assignment.id)
  return {
    guards: assignments.map((assignment) =>
      assignmentGuard(assignment, move(ASSIGNMENT_MOVES, 'PENDING', to)),
    ),
    rows: id.length === 0 ? [] : [updateGuardedRow(ASSIGNMENTS, { where: { workspace, id }, set })],
  }
}
