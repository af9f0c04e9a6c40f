/**
 * What a rectification books, checked: the origins that are taken back, the targets that are booked
 * instead, and the bookings of both.
 */
import { format, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { notFound, refuse } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { DepositId, WorkspaceId } from '../../core/ids.ts'
import { holderOfAccount } from '../../customers/index.ts'
import { amountOf, assetByCode, bookingsOf } from '../../ledger/index.ts'
import type { LedgerStep } from '../../ledger/index.ts'
import type { TreasuryApp } from '../app.ts'
import { bookedSum } from '../assignments/assignments.schema.ts'
import { returnsOfAccount } from '../assignments/rows.ts'
import type { AssignmentRow } from '../assignments/rows.ts'
import { bookRectification, bookShareReversal } from '../bookings.ts'
import type { NewShare } from './assignments.ts'
import { HOUSE } from '../withdrawals/third-parties.ts'
import { movementOf } from './movement.ts'
import type { Movement, MovementReference } from './movement.ts'
import type { CreateRectificationBody } from './rectifications.schema.ts'

export type RectificationPlan = {
  id: string
  movement: Movement
  origins: AssignmentRow[]
  targets: NewShare[]
  steps: LedgerStep[]
}

export async function planRectification(
  app: TreasuryApp,
  workspace: WorkspaceId,
  of: MovementReference,
  body: CreateRectificationBody,
): Promise<RectificationPlan> {
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
  const targets = await checkedTargets(app, workspace, movement, body)
  assertSameSum(basis.asset, origins, targets)
  if ('deposit_id' in of)
    await assertKeepsReturned(app, workspace, of.deposit_id, { movement, origins, targets })
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
  movement: Movement,
  body: CreateRectificationBody,
): Promise<NewShare[]> {
  const asset = await assetByCode(app.db, workspace, movement.basis.asset)
  const targets: NewShare[] = []
  for (const [index, target] of body.targets.entries()) {
    const { account_id, quantity, third_party = false } = target
    const path = `targets[${index}]`
    const of = `${path}.account_id`
    const { customer_id } = await holderOfAccount(app.db, workspace, account_id, of)
    movement.assertOwner(customer_id ?? HOUSE, { third_party, path: of })
    targets.push({
      id: newId(),
      account_id,
      customer_id,
      quantity: amountOf(quantity, asset, `${path}.quantity`),
      third_party,
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

/**
 * What an account has returned of a deposit to its sender, or is about to, stays its own: somebody
 * else would get money that is gone, out of what else the account has.
 */
async function assertKeepsReturned(
  app: TreasuryApp,
  workspace: WorkspaceId,
  deposit_id: DepositId,
  { movement, origins, targets }: Pick<RectificationPlan, 'movement' | 'origins' | 'targets'>,
): Promise<void> {
  for (const account_id of new Set(origins.map((origin) => origin.account_id))) {
    const isOwn = (share: { account_id: string }): boolean => share.account_id === account_id
    const kept =
      bookedSum(movement.assignments.filter(isOwn)) -
      sum(origins.filter(isOwn).map((origin) => origin.quantity)) +
      sum(targets.filter(isOwn).map((target) => target.quantity))
    const returned = await returnsOfAccount(app.db, workspace, { deposit_id, account_id })
    if (kept < returned)
      throw refuse(
        'STATE_NOT_ALLOWED',
        'origins',
        `account ${account_id} has returned ${format(returned)} ${movement.basis.asset} of it to ` +
          'its sender, or is about to: that much stays assigned to it',
      )
  }
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
