/**
 * Rectifications, of deposits and of withdrawals alike. Assignments that were wrong are taken back
 * and others booked instead, in one change. What was written stays: the origins keep their status
 * and name the rectification, the bookings are new ones.
 *
 *   planRectification: the checks and the bookings → rectify commits them, previewRectification
 *   shows them
 */
import { mustExist } from '../../core/assert.ts'
import { format, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { notFound, refuse } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { AccountId, WorkspaceId } from '../../core/ids.ts'
import { customersOfAccounts } from '../../customers/index.ts'
import { withIdempotentReplay } from '../../http/index.ts'
import type { Caller } from '../../http/index.ts'
import {
  accountById,
  amountOf,
  assetByCode,
  balancesOf,
  bookingsOf,
  commitWithReply,
  retryOnStale,
} from '../../ledger/index.ts'
import type { BookingDraft, Change, LedgerStep } from '../../ledger/index.ts'
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
import { bookRectification, bookShareReversal } from '../bookings.ts'
import { customerOfAccount } from '../withdrawals/withdrawals.ts'
import { assignmentEventData } from './assignments.ts'
import type { Assignment, NewShare } from './assignments.ts'
import { movementOf } from './movement.ts'
import type { Movement, MovementReference } from './movement.ts'
import { StoredRectification } from './rectifications.schema.ts'
import type {
  CreateRectificationBody,
  DepositRectification,
  Preview,
} from './rectifications.schema.ts'

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
 * SUM_MISMATCH, SCALE, RANGE, NOT_ACTIVE, INSUFFICIENT_BALANCE of whom it debits: an origin of a
 * deposit, a target of a withdrawal.
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
      return commitWithReply(app.lane, caller, rectifyChange(caller, of, plan, record), record)
    }),
  )
}

/** The record as the API answers it, and its targets. */
function rectificationRecord(
  { workspace, by }: Caller,
  of: MovementReference,
  { plan, body, now }: { plan: Plan; body: CreateRectificationBody; now: number },
): Rectification {
  const common = { ...of, workspace, ...createdBy({ by, now }) }
  return {
    ...common,
    id: plan.id,
    state: 'BOOKED',
    reason: body.reason,
    note: body.note ?? null,
    origins: plan.origins.map((origin) => origin.id),
    targets: plan.targets.map((target) => ({
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
  { movement, origins, targets, steps }: Plan,
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
  const { guard, rows } = movement.settle(after)
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

/** The bookings that `rectify` would make now, refused like it; nothing is changed. */
export async function previewRectification(
  { workspace }: Caller,
  app: TreasuryApp,
  of: MovementReference,
  body: CreateRectificationBody,
): Promise<Preview> {
  const { steps } = await planRectification(app, workspace, of, body)
  const drafts = steps.flatMap((step) => (step.step === 'book' ? [step.booking] : []))
  await assertCovered(app, workspace, drafts.flatMap(balanceChanges))
  const account_ids = drafts.flatMap((draft) => draft.legs.map((leg) => leg.account_id))
  const labels = await labelsOf(app, workspace, account_ids)
  return {
    dry_run: true,
    bookings: drafts.map((draft) => ({
      type: draft.type === 'REVERSAL' ? 'REVERSAL' : 'RECTIFICATION',
      asset: draft.asset,
      reverses_id: draft.reverses_id ?? null,
      description: draft.description ?? '',
      legs: draft.legs.map((leg) => ({
        account_id: leg.account_id,
        account_label: mustExist(labels.get(leg.account_id), 'an account has a label'),
        type: leg.type,
        quantity: format(leg.quantity),
      })),
    })),
  }
}

async function labelsOf(
  app: TreasuryApp,
  workspace: WorkspaceId,
  account_ids: readonly AccountId[],
): Promise<Map<string, string>> {
  const labels = new Map<string, string>()
  for (const account_id of new Set(account_ids))
    labels.set(account_id, (await accountById(app.db, workspace, account_id)).label)
  return labels
}

type Plan = {
  id: string
  movement: Movement
  origins: AssignmentRow[]
  targets: NewShare[]
  steps: LedgerStep[]
}

async function planRectification(
  app: TreasuryApp,
  workspace: WorkspaceId,
  of: MovementReference,
  body: CreateRectificationBody,
): Promise<Plan> {
  if (body.reason === 'OTHER' && body.note === undefined)
    throw refuse('REQUIRED', 'note', 'note is required with reason OTHER')
  const movement = await movementOf(app, workspace, of)
  if (movement.phase !== 'final')
    throw refuse(
      'STATE_NOT_ALLOWED',
      '',
      `the withdrawal is ${movement.state}: its assignments are not booked yet`,
    )
  const { basis } = movement
  const origins = checkedOrigins(movement, body.origins)
  const id = newId()
  const targets = await checkedTargets(app, workspace, basis.asset, body)
  assertSameSum(basis.asset, origins, targets)
  const description = `rectification ${id}, ${body.reason}`
  const bookings = await bookingsOf(app.db, workspace, basis.cause.reference_id)
  const steps = [
    ...bookShareReversal(basis, origins, { bookings, description }),
    ...targets.map((share) => bookRectification(basis, share, description)),
  ]
  return { id, movement, origins, targets, steps }
}

async function checkedTargets(
  app: TreasuryApp,
  workspace: WorkspaceId,
  code: string,
  body: CreateRectificationBody,
): Promise<NewShare[]> {
  const asset = await assetByCode(app.db, workspace, code)
  const targets: NewShare[] = []
  for (const [index, { account_id, quantity }] of body.targets.entries()) {
    const path = `targets[${index}]`
    const customer = await customerOfAccount(app.db, workspace, account_id, `${path}.account_id`)
    targets.push({
      id: newId(),
      account_id,
      customer_id: customer.id,
      quantity: amountOf(quantity, asset, `${path}.quantity`),
    })
  }
  return targets
}

type Quantities = readonly { quantity: Decimal }[]

function assertSameSum(asset: string, origins: Quantities, targets: Quantities): void {
  const taken = sum(origins.map((origin) => origin.quantity))
  const booked = sum(targets.map((target) => target.quantity))
  if (taken !== booked)
    throw refuse(
      'SUM_MISMATCH',
      'targets',
      `the targets sum to ${format(booked)} ${asset}, the origins to ${format(taken)}`,
    )
}

function checkedOrigins(movement: Movement, ids: readonly string[]): AssignmentRow[] {
  return ids.map((id, index) => {
    const path = `origins[${index}]`
    if (ids.indexOf(id) !== index)
      throw refuse('DUPLICATE', path, `assignment ${id} is named twice`)
    const known = movement.assignments.find((assignment) => assignment.id === id)
    if (known === undefined) throw notFound('assignment', id, path)
    if (known.state !== 'SUCCESSFUL')
      throw refuse(
        'STATE_NOT_ALLOWED',
        path,
        `assignment ${id} is ${known.state}: only a SUCCESSFUL assignment can be rectified`,
      )
    if (known.rectification_id !== null)
      throw refuse(
        'STATE_NOT_ALLOWED',
        path,
        `assignment ${id} was rectified by ${known.rectification_id}`,
      )
    return known
  })
}

type BalanceChange = { account_id: AccountId; asset: string; change: Decimal }

const balanceChanges = ({ asset, legs }: BookingDraft): BalanceChange[] =>
  legs.map(({ account_id, type, quantity }) => ({
    account_id,
    asset,
    change: type === 'DEBIT' ? -quantity : quantity,
  }))

/** As the lane would refuse it; only customers' accounts have a balance floor. */
async function assertCovered(
  app: TreasuryApp,
  workspace: WorkspaceId,
  changes: readonly BalanceChange[],
): Promise<void> {
  const account_ids = changes.map((change) => change.account_id)
  const customers = await customersOfAccounts(app.db, workspace, account_ids)
  for (const [account_id, own] of Map.groupBy(changes, (change) => change.account_id)) {
    const customer = customers.get(account_id)
    const change = sum(own.map((part) => part.change))
    if (customer === undefined || customer.ignore_balance_check || change >= 0n) continue
    const { asset } = mustExist(own[0], 'a group has an element')
    const available = await availableOn(app, workspace, account_id, asset)
    if (available + change < 0n)
      throw refuse(
        'INSUFFICIENT_BALANCE',
        '',
        `account ${customer.label} (${account_id}) has ${format(available)} ${asset} available, ` +
          `${format(-change)} are needed`,
      )
  }
}

async function availableOn(
  app: TreasuryApp,
  workspace: WorkspaceId,
  account_id: AccountId,
  asset: string,
): Promise<Decimal> {
  const balances = await balancesOf(app.db, workspace, account_id)
  const balance = balances.find((balance) => balance.asset === asset)
  return balance === undefined ? 0n : balance.total - balance.held_withdrawal - balance.held_trading
}
