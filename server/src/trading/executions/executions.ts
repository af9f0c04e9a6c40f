/**
 * Executions: the checks and the one change that creates one. How it is priced is in plans.ts, what
 * happens at the venue after that in orders.ts, what its fills book in outcome.ts.
 */
import { mustExist } from '../../core/assert.ts'
import { decimal, format, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { factorOf } from '../../core/factor.ts'
import { withFailpoints } from '../../core/failpoint.ts'
import { idAt } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { move } from '../../core/moves.ts'
import { activeCustomersRead } from '../../customers/index.ts'
import type { Customer } from '../../customers/index.ts'
import { withIdempotentReplay } from '../../http/index.ts'
import type { Caller } from '../../http/index.ts'
import { assertNoHaltStops, assetByCode, commitWithReply } from '../../ledger/index.ts'
import type { Change, Guard } from '../../ledger/index.ts'
import { readAll } from '../../store/reads.ts'
import { createdBy, insertRow } from '../../store/rows.ts'
import type { TradingApp } from '../app.ts'
import { quoteById } from '../quotes/quotes.ts'
import type { StoredQuote } from '../quotes/quotes.ts'
import { keepTakenQuote } from '../quotes/taken-quotes.ts'
import {
  activeRouteRead,
  basisReads,
  hopsOf,
  marginFor,
  routesOfSymbolRead,
  tradingScope,
} from '../routes/routes.ts'
import type { PricingBasis, RouteRow } from '../routes/routes.ts'
import { QUOTE_MOVES } from '../states.ts'
import type { CreateExecutionBody, Execution } from './executions.schema.ts'
import { compareRoutes, planBestCandidate } from './best-execution.ts'
import type { Candidate } from './best-execution.ts'
import { connectVenues } from './order-drafts.ts'
import { makePlan } from './plans.ts'
import type { Plan, ShareRequest } from './plans.ts'
import {
  assertQuoteFits,
  checkQuantities,
  divideQuantity,
  quoteExpired,
  readRequest,
} from './request.ts'
import type { ExecutionRequest } from './request.ts'
import { EXECUTION_TASK, EXECUTIONS, insertOrder } from './rows.ts'
import { holdForShare, insertShare, newShare } from './shares.ts'
import { WATCH_TASK } from './stops.ts'

/**
 * Blocks what each customer may have to give and stores the execution, its first order and its
 * task, in one change.
 * Refused: 4004 for an unknown route, symbol, customer or quote; 3001 with STALE_PRICE,
 * NO_LIQUIDITY, QUOTE_EXPIRED, QUOTE_MISMATCH, STATE_NOT_ALLOWED (the quote is taken), SCALE,
 * BELOW_MINIMUM, SUM_MISMATCH, INSUFFICIENT_BALANCE, NOT_ACTIVE, UNSUPPORTED_BY_VENUE, HALTED; 2003
 * when a venue cannot be reached at all.
 */
export function createExecution(
  caller: Caller,
  app: TradingApp,
  body: CreateExecutionBody,
): Promise<Execution> {
  return withIdempotentReplay(app, caller.workspace, caller.idempotency, async () => {
    const planned = await planExecution(caller, app, body)
    const { execution, change } = composeExecution(caller, app.clock.now(), planned)
    return withFailpoints('execution.create', execution.id, () =>
      commitWithReply(app.lane, caller, change, execution),
    )
  })
}

// ---------------------------------------------------------------- planning

type ExecutionInput = {
  workspace: WorkspaceId
  body: CreateExecutionBody
  request: ExecutionRequest
  /** The customers' parts of the quantity, in their order. */
  quantities: readonly Decimal[]
  factors: { margin: Decimal | undefined; risk: Decimal | undefined }
  customers: readonly Customer[]
  basis: PricingBasis
}
type RoutePlan = { route: RouteRow; quote: StoredQuote | undefined; plan: Plan }
type PlannedExecution = RoutePlan &
  Pick<ExecutionInput, 'body' | 'request'> & { candidates: readonly Candidate[] | undefined }

/** Reads what a plan stands on in one statement, and plans over the route, or over the best one. */
async function planExecution(
  { workspace }: Caller,
  app: TradingApp,
  body: CreateExecutionBody,
): Promise<PlannedExecution> {
  const request = readRequest(body, app.clock.now())
  const quantities = divideQuantity(body.customers, request)
  const factors = { margin: factorOf(body.margin, 'margin'), risk: factorOf(body.risk, 'risk') }
  const known = { workspace, body, request, quantities, factors }
  const { symbol, route_id } = body
  const reads = {
    customers: activeCustomersRead(
      workspace,
      body.customers.map(({ customer_id: id }, index) => ({
        id,
        path: `customers[${index}].customer_id`,
      })),
    ),
    ...basisReads(workspace),
  }
  if (symbol === undefined) {
    const { route, customers, ...basis } = await readAll(app.db, {
      ...reads,
      route: activeRouteRead(workspace, mustExist(route_id, 'route_id or symbol is set')),
    })
    const planned = await planOverRoute(app, route, { ...known, customers, basis })
    return { body, request, ...planned, candidates: undefined }
  }
  const { routes, customers, ...basis } = await readAll(app.db, {
    ...reads,
    routes: routesOfSymbolRead(workspace, symbol),
  })
  const best = await planOverBestRoute(app, symbol, routes, { ...known, customers, basis })
  return { body, request, ...best.planned, candidates: best.candidates }
}

async function planOverRoute(
  app: TradingApp,
  route: RouteRow,
  input: ExecutionInput,
): Promise<RoutePlan> {
  const { workspace, body, request, customers, basis } = input
  assertNoHaltStops(basis.halts, tradingScope(route))
  const [base, quoted] = [
    await assetByCode(app.db, workspace, route.base_asset),
    await assetByCode(app.db, workspace, route.quote_asset),
  ]
  const quantity = checkQuantities(
    request,
    body.customers,
    request.field === 'amount' ? base : quoted,
  )
  const quote =
    body.quote_id === undefined ? undefined : await quoteById(app.db, workspace, body.quote_id)
  if (quote !== undefined) {
    const { field } = request
    assertQuoteFits(quote, { body, field, route, customers, quantity, now: app.clock.now() })
  }
  const venues = await connectVenues(app, route)
  const plan = makePlan(app, {
    side: body.side,
    route,
    request,
    shares: customers.map((customer, index): ShareRequest => ({
      customer,
      quantity: input.quantities[index] ?? 0n,
      ...chooseFactors(customer, route, quote, input),
    })),
    quote,
    basis,
    base_scale: base.scale,
    quote_scale: quoted.scale,
    now: app.clock.now(),
    venues,
  })
  return { route, quote, plan }
}

/**
 * Over the best route of the symbol whose venues can be reached and take such an order at such a
 * price.
 */
async function planOverBestRoute(
  app: TradingApp,
  symbol: string,
  routes: readonly RouteRow[],
  input: ExecutionInput,
): Promise<{ planned: RoutePlan; candidates: Candidate[] }> {
  const { body, request, quantities, factors } = input
  const quantity = decimal(request.quantity)
  const { candidates } = await compareRoutes(app, routes, input.basis, {
    side: body.side,
    quantity: request.field === 'amount' ? { amount: quantity } : { volume: quantity },
    customers: input.customers.map((customer, index) => ({
      customer,
      share: quantities[index] ?? 0n,
    })),
    margin: factors.margin,
    risk: factors.risk ?? 0n,
  })
  return planBestCandidate(symbol, candidates, (route_id) => {
    const route = routes.find(({ id }) => id === route_id)
    return planOverRoute(app, mustExist(route, 'a candidate is one of the routes'), input)
  })
}

/** A BUY of a volume pays the same whatever the risk: it is ignored. */
function chooseFactors(
  customer: Customer,
  route: RouteRow,
  quote: StoredQuote | undefined,
  { body, factors, basis: { settings } }: Pick<ExecutionInput, 'body' | 'factors' | 'basis'>,
): Pick<ShareRequest, 'margin' | 'risk'> {
  const ignored = body.mode === 'VOLUME' && body.side === 'BUY' && quote?.firm !== true
  if (quote !== undefined)
    return { margin: decimal(quote.margin), risk: ignored ? 0n : decimal(quote.risk) }
  return {
    margin: marginFor(customer, route, settings, factors.margin),
    risk: ignored ? 0n : (factors.risk ?? 0n),
  }
}

// ---------------------------------------------------------------- the change

/** What is blocked, stored, published and due for a new execution, in one change. */
function composeExecution(
  { workspace, by }: Caller,
  now: number,
  planned: PlannedExecution,
): { execution: Execution; change: Change } {
  const { body, request, route, quote, plan } = planned
  const stamp = { by, now }
  const shares = plan.shares.map((share, index) => newShare(body, share, index))
  const execution: Execution = {
    ...newRecord(workspace, planned, now),
    ...createdBy(stamp),
    route: { id: route.id, label: route.label, symbol: route.symbol },
    customers: shares.map(({ share }) => share),
  }
  const { id } = execution
  const { base_asset, quote_asset } = route
  const [held, got] = body.side === 'BUY' ? [quote_asset, base_asset] : [base_asset, quote_asset]
  const given = sum(plan.shares.map(({ hold }) => hold))
  const change: Change = {
    workspace,
    class: 'command',
    by,
    guards: quote === undefined ? [] : [acceptQuote(quote)],
    halt: tradingScope(route),
    // The most that customers may have to give. What they get needs to be allowed alone.
    moves: [
      { asset: held, quantity: given, route_id: route.id },
      { asset: got, quantity: 0n },
    ],
    ledger: shares.map((share) => holdForShare(execution, share, held)),
    rows: [
      ...(quote === undefined ? [] : [keepTakenQuote(quote, id)]),
      insertRow(
        EXECUTIONS,
        {
          ...execution,
          hops: hopsOf(route),
          firm: plan.firm,
          taker_fee: format(plan.taker_fee),
          top_price: textOrNull(plan.top_price),
          guard_price: textOrNull(plan.guard_price),
        },
        stamp,
      ),
      ...shares.map((share) => insertShare(execution, share, stamp)),
      ...(plan.order === undefined ? [] : [insertOrder(execution, plan.order, stamp)]),
    ],
    events: [{ type: 'execution.created', resource_id: id, data: execution }],
    tasks: [
      request.kind.type === 'STOP_MARKET'
        ? { kind: WATCH_TASK, subject_id: workspace, due_at: now }
        : { kind: EXECUTION_TASK, subject_id: id, due_at: now },
    ],
  }
  return { execution, change }
}

const textOrNull = (value: Decimal | null): string | null => (value === null ? null : format(value))

function newRecord(
  workspace: WorkspaceId,
  { body, request: { kind }, route, quote, plan, candidates }: PlannedExecution,
  now: number,
) {
  const id = idAt(now)
  const stop = kind.type === 'STOP_MARKET'
  return {
    id,
    workspace,
    state: stop ? ('WAITING_FOR_TRIGGER' as const) : ('PROCESSING' as const),
    reason_code: null,
    reason: null,
    internal_ref: `EX-${id.slice(-12).toUpperCase()}`,
    route_id: route.id,
    symbol: route.symbol,
    base_asset: route.base_asset,
    quote_asset: route.quote_asset,
    side: body.side,
    execution_type: kind.type,
    mode: body.mode ?? 'AMOUNT',
    amount: format(plan.amount),
    volume: body.volume === undefined ? null : format(decimal(body.volume)),
    price: kind.type === 'MARKET' ? null : format(decimal(kind.price)),
    stop_order_condition: stop ? kind.condition : null,
    tif_mode: kind.type === 'MARKET' ? null : kind.tif_mode,
    expires_at: kind.type === 'MARKET' ? null : kind.expires_at,
    triggered_at: null,
    risk: body.risk === undefined ? null : format(decimal(body.risk)),
    margin: body.margin === undefined ? null : format(decimal(body.margin)),
    quote_id: quote?.id ?? null,
    client_ref: body.client_ref ?? null,
    filled_amount: '0',
    filled_volume: '0',
    average_price: null,
    customer_price: null,
    fee: '0',
    slippage: null,
    cancel_requested_at: null,
    cancel_requested_by: null,
    contradicted: false,
    completed_at: null,
    best_execution:
      candidates === undefined ? null : { candidates: [...candidates], chosen: route.id },
  }
}

/** The quote is taken once, and only before it expires. */
const acceptQuote = (quote: StoredQuote): Guard => ({
  table: 'quotes',
  resource: 'quote',
  id: quote.id,
  ...move(QUOTE_MOVES, 'ACTIVE', 'ACCEPTED'),
  until: { at: quote.expires_at, error: quoteExpired(quote) },
})
