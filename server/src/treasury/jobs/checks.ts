/** The rules that the fields of a transfer job must meet before it is stored. */
import type { WorkspaceId } from '../../core/ids.ts'
import { decimal, format } from '../../core/decimal.ts'
import { refuse } from '../../core/errors.ts'
import { amountOf, assetByCode } from '../../ledger/index.ts'
import type { Asset } from '../../ledger/index.ts'
import type { TreasuryApp } from '../app.ts'
import { currentEstimate } from '../routes/fees.ts'
import { routeById, senderOf } from '../routes/routes.ts'
import type { Route } from '../routes/routes.ts'
import { assertOwnWallets, walletsOfRoute } from '../withdrawals/third-parties.ts'
import { needsDestination } from './decision.ts'
import type { Condition, Rule } from './decision.ts'
import type { ConditionBody, ConditionType, Job, JobBody } from './jobs.schema.ts'

export type CheckedJob = {
  fee: string | null
  min_quantity: string | null
  quantity: string | null
  conditions: ConditionBody[]
}

/**
 * Every rule of a job's fields. Refused: SCALE, REQUIRED, RANGE, CONFLICT (a field of another
 * kind), UNSUPPORTED_BY_VENUE (the source cannot send, or nothing reports the destination's
 * balance, no CUSTOM fee), WALLET_OF_ANOTHER_CUSTOMER (from one customer's wallet to another's);
 * 2003 when the venue is needed for that.
 */
export async function checkJob(
  app: TreasuryApp,
  workspace: WorkspaceId,
  body: JobBody,
): Promise<CheckedJob> {
  const route = await routeById(app.db, workspace, body.route, 'route')
  await senderOf(app, route.from_wallet, 'route')
  assertOwnWallets(walletsOfRoute(route), { payer: null, third_party: false }, 'route')
  const asset = await assetByCode(app.db, workspace, route.from_wallet.asset)
  const checked = {
    ...checkAmounts(body, asset),
    conditions: body.conditions.map((condition, index) =>
      checkCondition(body.condition_type, condition, asset, index),
    ),
  }
  if (body.condition_type !== 'CONDITIONAL' && body.conditions.length > 1)
    throw refuse(
      'CONFLICT',
      'conditions',
      `${body.condition_type} takes exactly one condition, with target`,
    )
  if (
    needsDestination(ruleOf({ ...checked, condition_type: body.condition_type })) &&
    route.to_wallet.venue_id === null
  ) {
    throw refuse(
      'UNSUPPORTED_BY_VENUE',
      'route',
      'the destination is an EXTERNAL wallet: its balance is not known',
    )
  }
  const fee = await checkFee(app, route, body)
  return { ...checked, fee }
}

function checkAmounts(body: JobBody, asset: Asset): Pick<CheckedJob, 'min_quantity' | 'quantity'> {
  if (body.condition_type !== 'CONDITIONAL') {
    if (!isNeutral(body.quantity))
      throw refuse(
        'CONFLICT',
        'quantity',
        `quantity belongs to CONDITIONAL; ${body.condition_type} computes it from the balances`,
      )
    return {
      min_quantity: format(amountOf(body.min_quantity ?? '0', asset, 'min_quantity')),
      quantity: null,
    }
  }
  if (body.quantity === undefined)
    throw refuse('REQUIRED', 'quantity', 'quantity is required with CONDITIONAL')
  const quantity = amountOf(body.quantity, asset, 'quantity')
  if (quantity === 0n)
    throw refuse('RANGE', 'quantity', 'quantity must be greater than 0 with CONDITIONAL')
  if (decimal(body.min_quantity ?? '0') > quantity)
    throw refuse(
      'CONFLICT',
      'min_quantity',
      'min_quantity is more than `quantity`, which CONDITIONAL moves exactly',
    )
  // A smaller minimum never matters, and is not kept.
  return { min_quantity: null, quantity: format(quantity) }
}

/** A field with its neutral value is no conflict: callers send back what a form had. */
const isNeutral = (amount: string | undefined): boolean => decimal(amount ?? '0') === 0n

const FIELDS_OF: Readonly<Record<ConditionType, readonly (keyof ConditionBody)[]>> = {
  SWEEPING: ['target'],
  PROVISION: ['target'],
  CONDITIONAL: ['balance_side', 'predicate', 'quantity'],
}

function checkCondition(
  condition_type: ConditionType,
  body: ConditionBody,
  asset: Asset,
  index: number,
): ConditionBody {
  const at = `conditions[${index}]`
  const wanted = FIELDS_OF[condition_type]
  const missing = wanted.find((field) => body[field] === undefined)
  if (missing !== undefined)
    throw refuse(
      'REQUIRED',
      `${at}.${missing}`,
      `${at}.${missing} is required with ${condition_type}`,
    )
  const other = (Object.keys(body) as (keyof ConditionBody)[]).find(
    (field) => body[field] !== undefined && !wanted.includes(field),
  )
  if (other !== undefined)
    throw refuse(
      'CONFLICT',
      `${at}.${other}`,
      `${at}.${other} does not belong to ${condition_type}: it takes ${wanted.join(', ')}`,
    )
  const amount = (field: 'target' | 'quantity') =>
    format(amountOf(body[field] ?? '', asset, `${at}.${field}`))
  return condition_type === 'CONDITIONAL'
    ? { ...body, quantity: amount('quantity') }
    : { target: amount('target') }
}

async function checkFee(
  app: TreasuryApp,
  route: Route,
  { speed_level, fee, quantity, min_quantity }: JobBody,
): Promise<string | null> {
  if (speed_level !== 'CUSTOM') {
    if (!isNeutral(fee))
      throw refuse(
        'CONFLICT',
        'fee',
        `fee belongs to speed_level CUSTOM; ${speed_level} costs what the venue charges`,
      )
    return null
  }
  if (fee === undefined) throw refuse('REQUIRED', 'fee', 'fee is required with speed_level CUSTOM')
  const about =
    [quantity, min_quantity]
      .map((amount) => decimal(amount ?? '0'))
      .find((amount) => amount > 0n) ?? decimal('1')
  const { custom } = await currentEstimate(app, route, about)
  if (!custom)
    throw refuse(
      'UNSUPPORTED_BY_VENUE',
      'speed_level',
      'the venue takes no custom fee: use DEFAULT, FAST or SLOW',
    )
  return format(decimal(fee))
}

/** The fields of a stored or checked job as its decision reads them. */
export function ruleOf(
  job: Pick<Job, 'condition_type' | 'min_quantity' | 'quantity' | 'conditions'>,
): Rule {
  if (job.condition_type !== 'CONDITIONAL')
    return {
      condition_type: job.condition_type,
      target: decimal(job.conditions[0]?.target ?? '0'),
      min_quantity: decimal(job.min_quantity ?? '0'),
    }
  const conditions = job.conditions.map((condition): Condition => ({
    side: condition.balance_side ?? 'from',
    predicate: condition.predicate ?? 'GT',
    quantity: decimal(condition.quantity ?? '0'),
  }))
  return { condition_type: 'CONDITIONAL', conditions, quantity: decimal(job.quantity ?? '0') }
}
