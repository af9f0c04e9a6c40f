/**
 * What a run moves now, or the reason why nothing. Nothing of the run is stored here:
 *
 *   measure   what its venues show, and what is in flight
 *   decide    a quantity, or the reason why nothing moves
 *   draft     the withdrawal, checked like any other
 */
import { settingsOf } from '../../access/index.ts'
import { decimal, format } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { ApiError } from '../../core/errors.ts'
import type { WithdrawalId } from '../../core/ids.ts'
import { assetByCode, isPolicyDenied } from '../../ledger/index.ts'
import type { Change, Guard } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import { isUnreachable } from '../../venues/index.ts'
import { TREASURY_WORKER } from '../app.ts'
import type { TreasuryApp } from '../app.ts'
import { currentEstimate } from '../routes/fees.ts'
import { routeById } from '../routes/routes.ts'
import type { Route } from '../routes/routes.ts'
import { limitsOf, withdrawalDraft } from '../withdrawals/withdrawals.ts'
import { WITHDRAWAL_MOVES } from '../withdrawals/withdrawals.schema.ts'
import { ruleOf } from './checks.ts'
import { decideRun, needsDestination, wantedTransfer } from './decision.ts'
import type { Refusal, Rule, Terms } from './decision.ts'
import type { JobRow } from './jobs.ts'
import { STATE_OF_REASON } from './jobs.schema.ts'
import type { DryRun, RunReason } from './jobs.schema.ts'
import { balanceIn, inFlightTo, poolOf, readBalances, reservedIn } from './measuring.ts'
import type { BalancePool, BalanceReading } from './measuring.ts'
import { turnGuards } from './turns.ts'

type Measurement = Omit<DryRun, 'job_id'>
type Transfer = { withdrawal_id: WithdrawalId; change: Change; turns: Guard[] }
export type Assessment = Measurement & { transfer?: Transfer }

/** What a refusal does to a run: it is the outcome, never an error. */
export async function assess(app: TreasuryApp, job: JobRow, run_id: string): Promise<Assessment> {
  const route = await routeById(app.db, job.workspace, job.route, 'route')
  const measurement: Measurement = {
    asset: route.from_wallet.asset,
    balance_from: null,
    reserved: null,
    balance_to: null,
    in_flight: null,
    fee_estimate: null,
    fee_asset: null,
    quantity: null,
    state: 'SKIPPED',
    reason: null,
    explanation: '',
  }
  const ended = ({ reason, why }: Refusal): Assessment => ({
    ...measurement,
    state: STATE_OF_REASON[reason],
    reason,
    explanation: why.slice(0, 1000),
  })
  try {
    const drafted = await draftTransfer(app, job, { route, run_id, measurement })
    if ('reason' in drafted) return ended(drafted)
    const { why, transfer } = drafted
    return { ...measurement, state: 'TRANSFERRED', explanation: why.slice(0, 1000), transfer }
  } catch (error) {
    const refusal = refusalOf(error)
    if (refusal === undefined) throw error
    return ended(refusal)
  }
}

type Run = { route: Route; run_id: string; measurement: Measurement }

/**
 * Measures and decides, up to the change that makes the withdrawal. `measurement` fills on the way.
 */
async function draftTransfer(
  app: TreasuryApp,
  job: JobRow,
  { route, run_id, measurement }: Run,
): Promise<{ why: string; transfer: Transfer } | Refusal> {
  const unknown = await unknownTransferOf(app, job)
  if (unknown !== undefined)
    return {
      reason: 'IN_FLIGHT_UNKNOWN',
      why:
        `the outcome of withdrawal ${unknown} of this job is not known: ` +
        'nothing more is sent until it is known',
    }
  const rule = ruleOf(job)
  const measured = await measure(app, route, rule, measurement)
  const { scale } = await assetByCode(app.db, job.workspace, route.from_wallet.asset)
  const wanted = wantedTransfer(rule, measured, scale)
  if ('reason' in wanted) return wanted

  const { decimals = scale, ...terms } = await termsOf(app, job, route, {
    measured,
    quantity: wanted.quantity,
  })
  const { fee, fee_asset } = terms
  Object.assign(measurement, { fee_estimate: format(fee), fee_asset })
  const decision = decideRun(rule, measured, { ...terms, scale: Math.min(scale, decimals) })
  if ('reason' in decision) return decision

  const quantity = format(decision.quantity)
  Object.assign(measurement, { quantity })
  const { withdrawal, change } = await withdrawalDraft({ by: TREASURY_WORKER }, app, route, {
    quantity,
    speed_level: job.speed_level,
    fee: format(fee),
    requested_by: {
      origin: 'JOB',
      job_id: job.id,
      job_run_id: run_id,
      set_up_by: [job.system_created_by, job.system_updated_by],
    },
  })
  const transfer = { withdrawal_id: withdrawal.id, change, turns: measured.turns }
  return { why: decision.why, transfer }
}

/** The fee and the limits of the transfer. */
async function termsOf(
  app: TreasuryApp,
  job: JobRow,
  route: Route,
  { measured, quantity }: { measured: MeasuredBalances; quantity: Decimal },
): Promise<Omit<Terms, 'scale'> & { decimals: number | undefined }> {
  const { asset: fee_asset, speed_levels } = await currentEstimate(app, route, quantity)
  const fee = job.speed_level === 'CUSTOM' ? decimal(job.fee ?? '0') : speed_levels[job.speed_level]
  const fee_balance =
    fee_asset === route.from_wallet.asset
      ? null
      : await availableAt(app, measured.reading, measured.from, fee_asset)
  const { job_fee_share } = await settingsOf(app.db, job.workspace)
  const { decimals, ...limits } = await limitsOf(app.db, route)
  const fee_share = decimal(job_fee_share)
  return { fee, fee_asset, fee_balance, fee_share, ...limits, decimals: decimals ?? undefined }
}

const REASON_OF: Readonly<Partial<Record<string, RunReason>>> = {
  HALTED: 'HALTED',
  NOT_ALLOWLISTED: 'NOT_ALLOWLISTED',
  BELOW_MINIMUM: 'BELOW_VENUE_MINIMUM',
  ABOVE_MAXIMUM: 'ABOVE_VENUE_MAXIMUM',
}

/** Undefined for what is no answer of ours: the run is tried again. */
function refusalOf(error: unknown): Refusal | undefined {
  if (isUnreachable(error)) return { reason: 'VENUE_UNAVAILABLE', why: error.message }
  if (!(error instanceof ApiError)) return undefined
  if (error.kind !== 'BadRequest' && !isPolicyDenied(error)) return undefined
  const code = error.details[0]?.code
  // What changed meanwhile is read anew, not recorded.
  if (code === 'STALE_VERSION') return undefined
  return {
    reason: REASON_OF[code ?? ''] ?? 'REFUSED',
    why: `${code ?? 'refused'}: ${error.message}`,
  }
}

async function unknownTransferOf(
  app: TreasuryApp,
  { workspace, id }: JobRow,
): Promise<string | undefined> {
  const [row] = await app.db.query<{ id: string }>(
    sql`
      select id
      from withdrawals
      where workspace = ${workspace}
        and ${stateIn(WITHDRAWAL_MOVES, 'UNKNOWN')}
        and job_id = ${id}
      order by id
      limit 1`,
  )
  return row?.id
}

type MeasuredBalances = {
  source: Decimal
  destination: Decimal | null
  from: BalancePool
  reading: BalanceReading
  turns: Guard[]
}

/**
 * Puts what it saw into `measurement` as it goes. The turns are read first: whoever transfers after
 * that is met at the commit.
 */
async function measure(
  app: TreasuryApp,
  route: Route,
  rule: Rule,
  measurement: Measurement,
): Promise<MeasuredBalances> {
  const { workspace, from_wallet, to_wallet } = route
  const { db } = app
  if (from_wallet.venue_id === null)
    throw new ApiError(
      'BadRequest',
      'the source is an EXTERNAL wallet: nothing can be sent from it',
    )
  const from = await poolOf(db, from_wallet, from_wallet.venue_id)
  const to =
    to_wallet.venue_id === null ? undefined : await poolOf(db, to_wallet, to_wallet.venue_id)
  const turns = await turnGuards(app, workspace, [
    from.turn,
    ...(to === undefined ? [] : [to.turn]),
  ])

  const reading = await readBalances(app, workspace, from.venue_id)
  const free = balanceIn(reading, from, 'free')
  const reserved = await reservedIn(db, reading, from)
  Object.assign(measurement, { balance_from: format(free), reserved: format(reserved) })
  const destination =
    to === undefined ? null : await measureDestination(app, to, needsDestination(rule), measurement)
  return { source: free - reserved, destination, from, reading, turns }
}

async function measureDestination(
  app: TreasuryApp,
  to: BalancePool,
  needed: boolean,
  measurement: Measurement,
): Promise<Decimal | null> {
  try {
    const reading = await readBalances(app, to.workspace, to.venue_id)
    const total = balanceIn(reading, to, 'total')
    const in_flight = await inFlightTo(app.db, reading, to)
    Object.assign(measurement, { balance_to: format(total), in_flight: format(in_flight) })
    return total + in_flight
  } catch (error) {
    // Told for the record only: the money may be swept while nobody tells what is there.
    if (isUnreachable(error) && !needed) return null
    throw error
  }
}

/** What the place has of another asset, for the fee. */
async function availableAt(
  app: TreasuryApp,
  reading: BalanceReading,
  from: BalancePool,
  asset: string,
): Promise<Decimal> {
  const place = { ...from, protocol: null, asset }
  return balanceIn(reading, place, 'free') - (await reservedIn(app.db, reading, place))
}
