/**
 * Rectifications, of deposits and of withdrawals alike. Assignments that were wrong are taken back
 * and others booked instead, in one change. What was written stays: the origins keep their status
 * and name the rectification, the bookings are new ones.
 *
 *   planRectification: the checks and the bookings → rectify commits them, previewRectification
 *   shows them
 */
import { format } from '../../core/decimal.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { withIdempotentReplay } from '../../http/index.ts'
import type { Caller } from '../../http/index.ts'
import { commitWithReply, retryOnStale } from '../../ledger/index.ts'
import type { Change } from '../../ledger/index.ts'
import { columnsOf, createdBy, insertRow, tableOf, updateGuardedRow } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import type { TreasuryApp } from '../app.ts'
import type { AssignedPart } from '../assignments/assignments.schema.ts'
import {
  assignmentGuard,
  ASSIGNMENTS,
  DEPOSIT_ASSIGNMENT_COLUMNS,
  insertAssignment,
  WITHDRAWAL_ASSIGNMENT_COLUMNS,
} from '../assignments/rows.ts'
import type { AssignmentRow } from '../assignments/rows.ts'
import { mergeChanges } from '../withdrawals/shared-transaction.ts'
import { assignmentEventData } from './assignments.ts'
import type { Assignment } from './assignments.ts'
import type { Movement, MovementReference } from './movement.ts'
import { planRectification } from './rectification-plan.ts'
import type { RectificationPlan } from './rectification-plan.ts'
import { StoredRectification } from './rectifications.schema.ts'
import type { CreateRectificationBody, DepositRectification } from './rectifications.schema.ts'

/** Of either kind, without what it belongs to. */
type Rectification = Omit<DepositRectification, 'deposit_id' | 'targets'> & {
  targets: Assignment[]
}

const RECTIFICATIONS = tableOf('rectifications', StoredRectification)
export const RECTIFICATION_COLUMNS = columnsOf(StoredRectification)
type RectificationRow = NonNullable<typeof RECTIFICATIONS.types>['row']

/** The rows of a list as the API answers them, with their targets as they are now. */
export async function withTargets(
  app: TreasuryApp,
  workspace: WorkspaceId,
  rows: readonly RectificationRow[],
): Promise<Rectification[]> {
  const [first] = rows
  if (first === undefined) return []
  const columns =
    first.deposit_id === null ? WITHDRAWAL_ASSIGNMENT_COLUMNS : DEPOSIT_ASSIGNMENT_COLUMNS
  const assignments = await app.db.query<Assignment>(sql`
    select ${columns}
    from assignments
    where workspace = ${workspace}
      and id = any(${rows.flatMap((row) => row.target_ids)}::uuid[])`)
  const byId = new Map(assignments.map((assignment) => [assignment.id, assignment]))
  return rows.map(({ origin_ids, target_ids, deposit_id, withdrawal_id, ...row }) => ({
    ...row,
    ...(deposit_id === null ? { withdrawal_id } : { deposit_id }),
    origins: origin_ids,
    targets: target_ids.flatMap((id) => byId.get(id) ?? []),
  }))
}

/**
 * Refused: REQUIRED (note with OTHER), STATE_NOT_ALLOWED (movement not final; origin not
 * SUCCESSFUL, or rectified already), 4004 (origin of another movement, unknown account), DUPLICATE,
 * SUM_MISMATCH, SCALE, RANGE, NOT_ACTIVE, WALLET_OF_ANOTHER_CUSTOMER (withdrawals),
 * INSUFFICIENT_BALANCE of whom it debits: an origin of a deposit, a target of a withdrawal.
 */
export function rectify(
  caller: Caller,
  app: TreasuryApp,
  of: MovementReference,
  body: CreateRectificationBody,
): Promise<Rectification> {
  const { workspace, idempotency } = caller
  return withIdempotentReplay(app, workspace, idempotency, () =>
    retryOnStale(async () => {
      const plan = await planRectification(app, workspace, of, body)
      const record = rectificationRecord(caller, of, { plan, body, now: app.clock.now() })
      const filed = await plan.movement.screen(plan.targets.map((target) => target.account_id))
      const change = mergeChanges([rectifyChange(caller, of, plan, record), ...filed])
      return commitWithReply(app.lane, caller, change, record)
    }),
  )
}

/** The record as the API answers it, and its targets. */
function rectificationRecord(
  { workspace, by }: Caller,
  of: MovementReference,
  { plan, body, now }: { plan: RectificationPlan; body: CreateRectificationBody; now: number },
): Rectification {
  const common = { ...of, workspace, ...createdBy({ by, now }) }
  return {
    ...common,
    id: plan.id,
    state: 'BOOKED',
    reason: body.reason,
    note: body.note ?? null,
    origins: plan.origins.map((origin) => origin.id),
    targets: plan.targets.map(({ third_party: _known, ...target }) => ({
      ...common,
      ...target,
      asset: plan.movement.basis.asset,
      quantity: format(target.quantity),
      status: 'SUCCESSFUL',
      source: 'RECTIFICATION',
      matching_id: null,
      rectification_id: null,
      decided_by: by,
      decided_at: now,
      booked_at: now,
    })),
  }
}

function rectifyChange(
  { workspace, by }: Caller,
  of: MovementReference,
  { movement, origins, targets, steps }: RectificationPlan,
  record: Rectification,
): Change {
  const rectification_id = record.id
  const stamp = { by, now: record.system_created_at }
  const after = [
    ...movement.assignments.map((assignment): AssignedPart =>
      origins.includes(assignment) ? { ...assignment, rectification_id } : assignment,
    ),
    ...targets.map(({ quantity }): AssignedPart => ({
      state: 'SUCCESSFUL',
      quantity,
      rectification_id: null,
    })),
  ]
  const { guard, rows } = movement.settle(after, targets)
  const { id, state, reason, note } = record
  return {
    workspace,
    class: 'command',
    by,
    guards: [guard, ...origins.map((origin) => assignmentGuard(origin, { from: ['SUCCESSFUL'] }))],
    ledger: steps,
    rows: [
      ...rows,
      insertRow(
        RECTIFICATIONS,
        {
          ...of,
          workspace,
          id,
          state,
          reason,
          note,
          origin_ids: record.origins,
          target_ids: targets.map((target) => target.id),
        },
        stamp,
      ),
      updateGuardedRow(ASSIGNMENTS, {
        where: { workspace, id: record.origins },
        set: { rectification_id },
      }),
      ...record.targets.map((target) =>
        insertAssignment({ ...target, state: 'SUCCESSFUL' }, stamp),
      ),
    ],
    events: rectifyEvents(movement, origins, record, after),
  }
}

function rectifyEvents(
  movement: Movement,
  origins: readonly AssignmentRow[],
  { id: rectification_id, reason, targets }: Rectification,
  after: readonly AssignedPart[],
) {
  const data = {
    rectification_id,
    rectification_reason: reason,
    origins: origins.map((origin) =>
      assignmentEventData({ ...origin, quantity: format(origin.quantity) }),
    ),
    targets: targets.map(assignmentEventData),
  }
  return [
    movement.event('rectified', data, after),
    ...targets.map((target) =>
      movement.event('assigned', { ...assignmentEventData(target), rectification_id }, after),
    ),
  ]
}
