/** What a transfer over a route costs, as its venue says now, and which fee a caller may name. */
import type { TreasuryRouteId, WorkspaceId } from '../../core/ids.ts'
import { absolute, decimal, format, multiply, unitOf } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { refuse } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import { asset, closed, decimalText, id, oneOf, time } from '../../http/index.ts'
import { amountOf, assetByCode } from '../../ledger/index.ts'
import { insertRows, tableOf } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import { withTimeLimit } from '../../venues/index.ts'
import type { FeeEstimate, SpeedLevel, TransferOutput } from '../../venues/index.ts'
import { textsAsSent } from './fields.ts'
import { senderOf } from './routes.ts'
import type { PaymentWay, Route } from './routes.ts'
import type { FeeEstimateRecord } from './routes.schema.ts'
import type { TreasuryApp } from '../app.ts'

/** How long a fee that we told may be named. */
const ESTIMATE_VALID_MILLISECONDS = 600_000
/** A named fee may be off the current one by at most this share. */
const TOLERANCE: Decimal = unitOf(1)
const LEVELS = ['DEFAULT', 'FAST', 'SLOW'] as const

/**
 * Asks the venue. Throws 2003 when it does not answer within 5 s, what the venue refuses,
 * UNSUPPORTED_BY_VENUE.
 */
export async function currentEstimate(
  app: TreasuryApp,
  route: PaymentWay,
  quantity: Decimal,
  further: readonly TransferOutput[] = [],
): Promise<FeeEstimate> {
  const { venue, transfers } = await senderOf(app, route.from_wallet)
  return withTimeLimit(
    transfers.estimateFee({
      asset: route.from_wallet.asset,
      protocol: route.protocol,
      source_wallet: route.from_wallet.foreign_id,
      ...routeOutput(route, quantity),
      ...(further.length === 0 ? {} : { further_outputs: further }),
    }),
    venue.label,
  )
}

/** The day on which what is sent over the route now is executed; null where none is told. */
export async function expectedExecution(
  app: TreasuryApp,
  { from_wallet, protocol }: Pick<PaymentWay, 'from_wallet' | 'protocol'>,
): Promise<string | null> {
  const { transfers } = await senderOf(app, from_wallet)
  const { asset } = from_wallet
  return transfers.executionDate?.({ asset, protocol }, app.clock.now()) ?? null
}

const FEE_ESTIMATES = tableOf(
  'fee_estimates',
  closed({
    workspace: id<WorkspaceId>(),
    id: id(),
    route_id: id<TreasuryRouteId>(),
    speed_level: oneOf(LEVELS),
    asset: asset(),
    fee: decimalText(),
    estimated_at: time(),
  }),
)

/** While it is valid, a withdrawal over this route may name a fee of it. */
async function storeEstimate(app: TreasuryApp, route: Route, estimate: FeeEstimate): Promise<void> {
  const { workspace, id: route_id } = route
  const now = app.clock.now()
  const rows = LEVELS.map((speed_level) => ({
    workspace,
    id: newId(),
    route_id,
    speed_level,
    asset: estimate.asset,
    fee: format(estimate.speed_levels[speed_level]),
    estimated_at: now,
  }))
  await app.db.tx(async (tx) => {
    await tx.query(sql`
      delete from fee_estimates
      where workspace = ${workspace}
        and route_id = ${route_id}
        and estimated_at < ${now - ESTIMATE_VALID_MILLISECONDS}`)
    await tx.query(insertRows(FEE_ESTIMATES, rows, { by: null, now }))
  })
}

/** What is sent over a route, as one destination of a transaction. */
export const routeOutput = (route: PaymentWay, quantity: Decimal): TransferOutput => ({
  quantity,
  destination_address: route.to_wallet.address,
  tag: route.transfer.to['tag'] ?? null,
  transfer: route.transfer,
  recipient_name: route.transfer.to['name'] ?? null,
})

/**
 * POST …/estimate-fee: the one place that tells a fee to be named; what only asks for one, and may
 * be refused yet, stores nothing.
 */
export async function estimateFee(
  app: TreasuryApp,
  route: Route,
  quantity: string,
): Promise<FeeEstimateRecord> {
  const { workspace, from_wallet } = route
  const moved = await assetByCode(app.db, workspace, from_wallet.asset, 'quantity')
  const estimate = await currentEstimate(app, route, amountOf(quantity, moved, 'quantity'))
  await storeEstimate(app, route, estimate)
  const { transfers } = await senderOf(app, from_wallet)
  const { asset: fee_asset, custom, speed_levels } = estimate
  return {
    execution_date: await expectedExecution(app, route),
    sent_as: textsAsSent(transfers.fields(from_wallet.asset, route.protocol), route.transfer),
    asset: fee_asset,
    custom,
    speed_levels: {
      DEFAULT: { fee: format(speed_levels.DEFAULT) },
      FAST: { fee: format(speed_levels.FAST) },
      SLOW: { fee: format(speed_levels.SLOW) },
    },
  }
}

type FeeTerms = {
  speed_level: SpeedLevel
  /** The fee that the caller names. */
  fee?: Decimal | undefined
  further?: readonly TransferOutput[]
}

/**
 * The fee of a withdrawal, in `asset`. DEFAULT, FAST and SLOW cost what the venue says. A fee that
 * is named with them must have been estimated for this route and level in the last ten minutes, or
 * lie within 10 % of the current one (FEE_MISMATCH). CUSTOM needs a fee and a venue that takes one.
 * Throws 2003 when the venue cannot say.
 */
export async function agreedFee(
  app: TreasuryApp,
  route: PaymentWay,
  quantity: Decimal,
  { speed_level, fee: named, further = [] }: FeeTerms,
): Promise<{ fee: Decimal; asset: string }> {
  if (speed_level !== 'CUSTOM' && named !== undefined) {
    const recent = await recentEstimate(app, route, speed_level, named)
    if (recent !== undefined) return recent
  }
  const estimate = await currentEstimate(app, route, quantity, further)
  const { asset } = estimate
  if (speed_level === 'CUSTOM') return { fee: customFee(estimate, named), asset }
  const current = estimate.speed_levels[speed_level]
  if (named === undefined) return { fee: current, asset }
  if (absolute(named - current) > multiply(current, TOLERANCE, 18, 'down'))
    throw refuse(
      'FEE_MISMATCH',
      'fee',
      `fee ${format(named)} is not the current one for ${speed_level}: ` +
        `${format(current)} ${asset}`,
    )
  return { fee: named, asset }
}

function customFee({ custom }: FeeEstimate, named: Decimal | undefined): Decimal {
  if (!custom)
    throw refuse(
      'UNSUPPORTED_BY_VENUE',
      'speed_level',
      'the venue takes no custom fee: use DEFAULT, FAST or SLOW',
    )
  if (named === undefined)
    throw refuse('REQUIRED', 'fee', 'fee is required with speed_level CUSTOM')
  return named
}

async function recentEstimate(
  app: TreasuryApp,
  route: PaymentWay,
  speed_level: SpeedLevel,
  named: Decimal,
): Promise<{ fee: Decimal; asset: string } | undefined> {
  const [row] = await app.db.query<{ fee: string; asset: string }>(sql`
    select fee, asset
    from fee_estimates
    where workspace = ${route.workspace}
      and route_id = ${route.id}
      and speed_level = ${speed_level}
      and fee = ${format(named)}::numeric
      and estimated_at >= ${app.clock.now() - ESTIMATE_VALID_MILLISECONDS}
    order by estimated_at desc
    limit 1`)
  return row === undefined ? undefined : { fee: decimal(row.fee), asset: row.asset }
}
