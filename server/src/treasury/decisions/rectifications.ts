/**
 * Rectifications, of deposits and of withdrawals alike: assignments that were wrong are taken back and others booked instead,
 * in one change. What was written stays: the origins keep their status and name the rectification, the bookings are new ones.
 */
import { customersOfAccounts } from '../../customers/index.ts'
import { format, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { notFound, refuse } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import type { Json } from '../../core/json.ts'
import { withIdempotentReplay } from '../../http/index.ts'
import type { Idempotency } from '../../http/index.ts'
import {
  accountById,
  amountOf,
  assetByCode,
  balancesOf,
  bookingsOf,
  retryOnStale,
} from '../../ledger/index.ts'
import type { LedgerStep } from '../../ledger/index.ts'
import { raw, sql } from '../../store/sql.ts'
import {
  DEPOSIT_ASSIGNMENT_COLUMNS,
  insertAssignment,
  WITHDRAWAL_ASSIGNMENT_COLUMNS,
} from '../assignments/rows.ts'
import type { AssignmentRow } from '../assignments/rows.ts'
import { movementOf, toldOf } from './assignments.ts'
import type { AssignedTo, Assignment, Movement } from './assignments.ts'
import type { Assigned } from '../assignments/assignments.schema.ts'
import { bookRectified, bookTakenBack } from '../bookings.ts'
import type { Share } from '../bookings.ts'
import type {
  CreateRectificationBody,
  DepositRectification,
  Preview,
} from './rectifications.schema.ts'
import type { TreasuryApp } from '../app.ts'
import { customerOfAccount } from '../withdrawals/withdrawals.ts'

/** Of either kind, without what it belongs to. */
export type Rectification = Omit<DepositRectification, 'deposit_id' | 'targets'> & {
  targets: Assignment[]
}

export const RECTIFICATION_COLUMNS =
  raw(`id, workspace, state, deposit_id, withdrawal_id, reason, note, origin_ids, target_ids,
  system_created_at, system_created_by, system_updated_at, system_updated_by, version`)

type Row = Omit<Rectification, 'origins' | 'targets'> & {
  deposit_id: string | null
  withdrawal_id: string | null
  origin_ids: string[]
  target_ids: string[]
}

/** The rows of a list as the API answers them, with their targets as they are now. */
export async function withTargets(
  app: TreasuryApp,
  workspace: WorkspaceId,
  rows: readonly Row[],
): Promise<Rectification[]> {
  const [first] = rows
  if (first === undefined) return []
  const columns =
    first.deposit_id === null ? WITHDRAWAL_ASSIGNMENT_COLUMNS : DEPOSIT_ASSIGNMENT_COLUMNS
  const assignments = await app.db.query<Assignment>(
    sql`select ${columns} from assignments where workspace = ${workspace} and id = any(${rows.flatMap((row) => row.target_ids)}::uuid[])`,
  )
  const byId = new Map(assignments.map((assignment) => [assignment.id, assignment]))
  return rows.map(({ origin_ids, target_ids, deposit_id, withdrawal_id, ...row }) => ({
    ...row,
    ...(deposit_id === null ? { withdrawal_id } : { deposit_id }),
    origins: origin_ids,
    targets: target_ids.flatMap((id) => byId.get(id) ?? []),
  }))
}

/**
 * Refused: REQUIRED (note with OTHER), STATE_NOT_ALLOWED (movement not final; origin not SUCCESSFUL, or rectified already),
 * 4004 (origin of another movement, unknown account), DUPLICATE, SUM_MISMATCH, SCALE, RANGE, NOT_ACTIVE, INSUFFICIENT_BALANCE
 * of whom it debits: an origin of a deposit, a target of a withdrawal.
 */
export function rectify(
  app: TreasuryApp,
  workspace: WorkspaceId,
  of: AssignedTo,
  body: CreateRectificationBody,
  by: string,
  idempotency: Idempotency | undefined,
): Promise<Rectification> {
  return withIdempotentReplay(app, workspace, idempotency, () =>
    retryOnStale(async () => {
      const plan = await planOf(app, workspace, of, body)
      const { id, movement, origins, targets, asset } = plan
      const now = app.clock.now()
      const after = [
        ...movement.assignments.map((assignment): Assigned =>
          origins.includes(assignment) ? { ...assignment, rectification_id: id } : assignment,
        ),
        ...targets.map((target): Assigned => ({
          state: 'SUCCESSFUL',
          quantity: target.quantity,
          rectification_id: null,
        })),
      ]
      const { guard, rows } = movement.settle(after)
      const common = {
        workspace,
        system_created_at: now,
        system_created_by: by,
        system_updated_at: now,
        system_updated_by: by,
        version: 1,
      }
      const records = targets.map((target): Assignment => ({
        ...of,
        ...common,
        id: target.id,
        account_id: target.account_id,
        customer_id: target.customer_id,
        asset,
        quantity: format(target.quantity),
        status: 'SUCCESSFUL',
        source: 'RECTIFICATION',
        matching_id: null,
        rectification_id: null,
        decided_by: by,
        decided_at: now,
        booked_at: now,
      }))
      const record: Rectification = {
        ...of,
        ...common,
        id,
        state: 'BOOKED',
        reason: body.reason,
        note: body.note ?? null,
        origins: origins.map((origin) => origin.id),
        targets: records,
      }
      const [deposit_id, withdrawal_id] =
        'deposit_id' in of ? [of.deposit_id, null] : [null, of.withdrawal_id]
      const told: Record<string, Json> = {
        rectification_id: id,
        rectification_reason: body.reason,
        origins: origins.map((origin) => toldOf({ ...origin, quantity: format(origin.quantity) })),
        targets: records.map(toldOf),
      }
      const committed = await app.lane.commit({
        workspace,
        class: 'command',
        by,
        guards: [
          guard,
          ...origins.map((origin) => ({
            table: 'assignments',
            resource: 'assignment',
            id: origin.id,
            from: ['SUCCESSFUL'],
            version: origin.version,
          })),
        ],
        ledger: plan.steps,
        rows: [
          ...rows,
          sql`insert into rectifications (workspace, id, state, deposit_id, withdrawal_id, reason, note, origin_ids, target_ids, system_created_at, system_created_by, system_updated_at, system_updated_by)
          values (${workspace}, ${id}, 'BOOKED', ${deposit_id}, ${withdrawal_id}, ${body.reason}, ${record.note}, ${record.origins}::uuid[], ${records.map((record) => record.id)}::uuid[], ${now}, ${by}, ${now}, ${by})`,
          sql`update assignments set rectification_id = ${id} where workspace = ${workspace} and id = any(${record.origins}::uuid[])`,
          ...records.map((record) =>
            insertAssignment({
              ...record,
              state: 'SUCCESSFUL',
              deposit_id,
              withdrawal_id,
              at: now,
              by,
            }),
          ),
        ],
        events: [
          movement.event('rectified', told, after),
          ...records.map((record) =>
            movement.event('assigned', { ...toldOf(record), rectification_id: id }, after),
          ),
        ],
        ...(idempotency === undefined
          ? {}
          : { idempotency: { ...idempotency, reply: { data: record } } }),
      })
      return committed.verdict === 'replayed' && 'data' in committed.reply
        ? (committed.reply.data as Rectification)
        : record
    }),
  )
}

/** The bookings that `rectify` would make now, refused like it; nothing is changed. */
export async function previewOf(
  app: TreasuryApp,
  workspace: WorkspaceId,
  of: AssignedTo,
  body: CreateRectificationBody,
): Promise<Preview> {
  const { steps } = await planOf(app, workspace, of, body)
  const drafts = steps.flatMap((step) => (step.step === 'book' ? [step.booking] : []))
  await assertCovered(
    app,
    workspace,
    drafts.flatMap((draft) =>
      draft.legs.map((leg) => ({
        account_id: leg.account_id,
        asset: draft.asset,
        change: leg.type === 'DEBIT' ? -leg.quantity : leg.quantity,
      })),
    ),
  )
  const labels = new Map<string, string>()
  for (const account_id of new Set(
    drafts.flatMap((draft) => draft.legs.map((leg) => leg.account_id)),
  ))
    labels.set(account_id, (await accountById(app.db, workspace, account_id)).label)
  return {
    dry_run: true,
    bookings: drafts.map((draft) => ({
      type: draft.type === 'REVERSAL' ? 'REVERSAL' : 'RECTIFICATION',
      asset: draft.asset,
      reverses_id: draft.reverses_id ?? null,
      description: draft.description ?? '',
      legs: draft.legs.map((leg) => ({
        account_id: leg.account_id,
        account_label: labels.get(leg.account_id) ?? '',
        type: leg.type,
        quantity: format(leg.quantity),
      })),
    })),
  }
}

type Target = Share & { id: string; customer_id: string }
type Plan = {
  id: string
  movement: Movement
  asset: string
  origins: AssignmentRow[]
  targets: Target[]
  steps: LedgerStep[]
}

async function planOf(
  app: TreasuryApp,
  workspace: WorkspaceId,
  of: AssignedTo,
  body: CreateRectificationBody,
): Promise<Plan> {
  const { reason, note } = body
  if (reason === 'OTHER' && note === undefined)
    throw refuse('REQUIRED', 'note', 'note is required with reason OTHER')
  const movement = await movementOf(app, workspace, of)
  if (movement.phase !== 'final')
    throw refuse(
      'STATE_NOT_ALLOWED',
      '',
      `the withdrawal is ${movement.state}: its assignments are not booked yet`,
    )
  const origins = originsOf(movement, body.origins)
  const id = newId()
  const asset = await assetByCode(app.db, workspace, movement.asset)
  const targets: Target[] = []
  for (const [index, { account_id, quantity }] of body.targets.entries()) {
    const customer = await customerOfAccount(
      app.db,
      workspace,
      account_id,
      `targets[${index}].account_id`,
    )
    targets.push({
      id: newId(),
      account_id,
      customer_id: customer.id,
      quantity: amountOf(quantity, asset, `targets[${index}].quantity`),
    })
  }
  const [taken, given] = [
    sum(origins.map((origin) => origin.quantity)),
    sum(targets.map((target) => target.quantity)),
  ]
  if (taken !== given)
    throw refuse(
      'SUM_MISMATCH',
      'targets',
      `the targets sum to ${format(given)} ${movement.asset}, the origins to ${format(taken)}`,
    )
  const { accounts, cause } = movement
  const description = `rectification ${id}, ${reason}`
  const steps = [
    ...bookTakenBack(
      accounts,
      cause,
      movement.asset,
      origins,
      await bookingsOf(app.db, workspace, cause.reference_id),
      description,
    ),
    ...targets.map((share) => bookRectified(accounts, cause, movement.asset, share, description)),
  ]
  return { id, movement, asset: movement.asset, origins, targets, steps }
}

function originsOf(movement: Movement, ids: readonly string[]): AssignmentRow[] {
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
        `assignment ${id} is ${known.state}: only a SUCCESSFUL one is rectified`,
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

/** As the lane would refuse it; customers' accounts alone are bounded. */
async function assertCovered(
  app: TreasuryApp,
  workspace: WorkspaceId,
  changes: readonly { account_id: string; asset: string; change: Decimal }[],
): Promise<void> {
  const customers = await customersOfAccounts(
    app.db,
    workspace,
    changes.map((change) => change.account_id),
  )
  for (const [account_id, own] of Map.groupBy(changes, (change) => change.account_id)) {
    const customer = customers.get(account_id)
    const [first] = own
    const change = sum(own.map((each) => each.change))
    if (
      customer === undefined ||
      customer.ignore_balance_check ||
      first === undefined ||
      change >= 0n
    )
      continue
    const balance = (await balancesOf(app.db, workspace, account_id)).find(
      (balance) => balance.asset === first.asset,
    )
    const available =
      balance === undefined ? 0n : balance.total - balance.held_withdrawal - balance.held_trading
    if (available + change < 0n)
      throw refuse(
        'INSUFFICIENT_BALANCE',
        '',
        `account ${customer.label} (${account_id}) has ${format(available)} ${first.asset} available, ${format(-change)} needed`,
      )
  }
}
