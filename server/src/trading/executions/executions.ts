/**
 * Executions: the checks and the one change that creates one. How it is priced is in plans.ts, what
 * happens at the venue after that in orders.ts, what its fills book in fills.ts.
 */
import type { Settings } from '../../access/index.ts'
import { mustExist } from '../../core/assert.ts'
import { decimal, format } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { ApiError, refuse } from '../../core/errors.ts'
import { factorOf } from '../../core/factor.ts'
import { withFailpoints } from '../../core/failpoint.ts'
import { idAt, newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { activeCustomersRead } from '../../customers/index.ts'
import type { Customer } from '../../customers/index.ts'
import { withIdempotentReplay } from '../../http/index.ts'
import type { Idempotency } from '../../http/index.ts'
import { amountOf, assertNoHaltStops, assetByCode } from '../../ledger/index.ts'
import type { Change, Guard, LedgerStep } from '../../ledger/index.ts'
import { readAll } from '../../store/reads.ts'
import { sql } from '../../store/sql.ts'
import { assertOpened } from '../../venues/index.ts'
import type { Trading } from '../../venues/index.ts'
import { compareRoutes } from './best-execution.ts'
import type { Candidate } from './best-execution.ts'
import { EXECUTION_TASK, insertOrder } from './rows.ts'
import type { Share } from './rows.ts'
import { makePlan } from './plans.ts'
import type { Plan, ShareRequest } from './plans.ts'
import { quoteById } from '../quotes/quotes.ts'
import type { StoredQuote } from '../quotes/quotes.ts'
import { readRequest, divideQuantity } from './request.ts'
import type { ExecutionRequest } from './request.ts'
import {
  activeRouteRead,
  basisReads,
  tradingScope,
  hopsOf,
  marginFor,
  routesOfSymbolRead,
} from '../routes/routes.ts'
import type { PricingBasis, RouteRow } from '../routes/routes.ts'
import { createdBy, insertRow } from '../rows.ts'
import { WATCH_TASK } from './stops.ts'
import type { TradingApp } from '../app.ts'
import type { CreateExecutionBody, Execution } from './executions.schema.ts'

/**
 * Blocks what each customer may have to give and stores the execution, its first order and its
 * task, in one change.
 * Refused: 4004 for an unknown route, symbol, customer or quote; 3001 with STALE_PRICE,
 * NO_LIQUIDITY, QUOTE_EXPIRED, QUOTE_MISMATCH, STATE_NOT_ALLOWED (the quote is taken), SCALE,
 * BELOW_MINIMUM, SUM_MISMATCH, INSUFFICIENT_BALANCE, NOT_ACTIVE, UNSUPPORTED_BY_VENUE, HALTED; 2003
 * when a venue cannot be reached at all.
 */
export function createExecution(
  app: TradingApp,
  workspace: WorkspaceId,
  body: CreateExecutionBody,
  by: string,
  idempotency: Idempotency | undefined,
): Promise<Execution> {
  return withIdempotentReplay(app, workspace, idempotency, async () => {
    const { execution, change } = await prepareExecution(app, workspace, body, by, idempotency)
    const committed = await withFailpoints('execution.create', execution.id, () =>
      app.lane.commit(change),
    )
    return committed.verdict === 'replayed' && 'data' in committed.reply
      ? (committed.reply.data as Execution)
      : execution
  })
}

async function prepareExecution(
  app: TradingApp,
  workspace: WorkspaceId,
  body: CreateExecutionBody,
  by: string,
  idempotency: Idempotency | undefined,
): Promise<{ execution: Execution; change: Change }> {
  const asked = readRequest(body, app.clock.now())
  const parts = divideQuantity(body.customers, asked)
  const factors = { margin: factorOf(body.margin, 'margin'), risk: factorOf(body.risk, 'risk') }
  const { symbol, route_id } = body
  const common = {
    customers: activeCustomersRead(
      workspace,
      body.customers.map(({ customer_id: id }, index) => ({
        id,
        path: `customers[${index}].customer_id`,
      })),
    ),
    ...basisReads(workspace),
  }
  const wanted = { workspace, body, asked, parts, factors }
  let chosen: Chosen
  if (symbol === undefined) {
    const { route, customers, ...basis } = await readAll(app.db, {
      ...common,
      route: activeRouteRead(workspace, mustExist(route_id, 'route_id or symbol is given')),
    })
    chosen = await planOverRoute(app, route, { ...wanted, customers, basis })
  } else {
    const { routes, customers, ...basis } = await readAll(app.db, {
      ...common,
      routes: routesOfSymbolRead(workspace, symbol),
    })
    chosen = await planOverBestRoute(app, symbol, routes, { ...wanted, customers, basis })
  }
  return composeExecution(app.clock.now(), { workspace, body, by, asked, ...chosen, idempotency })
}

type Wanted = {
  workspace: WorkspaceId
  body: CreateExecutionBody
  asked: ExecutionRequest
  parts: Decimal[]
  factors: Factors
  customers: Customer[]
  basis: PricingBasis
}
type Chosen = {
  route: RouteRow
  quote: StoredQuote | undefined
  plan: Plan
  candidates: Candidate[] | undefined
}

async function planOverRoute(
  app: TradingApp,
  route: RouteRow,
  { workspace, body, asked, parts, factors, customers, basis }: Wanted,
): Promise<Chosen> {
  assertNoHaltStops(basis.halts, tradingScope(route))
  const [base, quoted] = [
    await assetByCode(app.db, workspace, route.base_asset),
    await assetByCode(app.db, workspace, route.quote_asset),
  ]
  const asset = asked.field === 'amount' ? base : quoted
  const quantity = amountOf(asked.quantity, asset, asked.field)
  for (const [index, each] of body.customers.entries())
    if (each.quantity_absolute !== undefined)
      amountOf(each.quantity_absolute, asset, `customers[${index}].quantity_absolute`)
  const quote =
    body.quote_id === undefined ? undefined : await quoteById(app.db, workspace, body.quote_id)
  if (quote !== undefined)
    assertQuoteFits(quote, { body, asked, route, customers, quantity, now: app.clock.now() })
  const venues = await connectVenues(app, workspace, route)
  const portions = customers.map((customer, index): ShareRequest => ({
    customer,
    quantity: parts[index] ?? 0n,
    ...chooseFactors(customer, { route, settings: basis.settings, quote, factors, body }),
  }))
  const plan = makePlan(app, {
    side: body.side,
    route,
    asked,
    portions,
    quote,
    basis,
    base_scale: base.scale,
    quote_scale: quoted.scale,
    now: app.clock.now(),
    venues,
  })
  return { route, quote, plan, candidates: undefined }
}

/**
 * Over the best route of the symbol whose venues can be reached and take such an order at such a
 * price.
 */
async function planOverBestRoute(
  app: TradingApp,
  symbol: string,
  routes: readonly RouteRow[],
  wanted: Wanted,
): Promise<Chosen> {
  const {
    body: { side },
    asked,
    parts,
    factors: { margin, risk },
    basis,
  } = wanted
  const quantity = decimal(asked.quantity)
  const customers = wanted.customers.map((customer, index) => ({
    customer,
    share: parts[index] ?? 0n,
  }))
  const { candidates } = await compareRoutes(app, routes, basis, {
    side,
    asked: asked.field === 'amount' ? { amount: quantity } : { volume: quantity },
    customers,
    margin,
    risk: risk ?? 0n,
  })
  const compared = [...candidates]
  let told: ApiError | undefined
  for (const [index, candidate] of candidates.entries()) {
    if (candidate.refused !== null) continue
    try {
      const planned = await planOverRoute(
        app,
        mustExist(
          routes.find((route) => route.id === candidate.route_id),
          'a candidate is one of the routes',
        ),
        wanted,
      )
      return { ...planned, candidates: compared }
    } catch (error) {
      const why = routeFault(error)
      if (why === undefined) throw error
      if (why !== 'UNSUPPORTED_BY_VENUE') told = error as ApiError
      compared[index] = { ...candidate, total: null, amount: null, complete: false, refused: why }
    }
  }
  const reasons = new Set(compared.map((candidate) => candidate.refused))
  if (told !== undefined && reasons.size === 1) throw told
  const [reason] = reasons
  throw refuse(
    reasons.size === 1 ? (reason as 'NO_LIQUIDITY') : 'NO_LIQUIDITY',
    'symbol',
    `no route of ${symbol} can be traded now: ${[...reasons].join(', ')}`,
  )
}

/**
 * What is about this route and its venues and not about the request: the steps of its prices too.
 */
function routeFault(
  error: unknown,
): 'UNSUPPORTED_BY_VENUE' | 'VENUE_UNREACHABLE' | 'SCALE' | undefined {
  if (!(error instanceof ApiError)) return undefined
  if (error.kind === 'VenueUnreachable') return 'VENUE_UNREACHABLE'
  const [detail] = error.details
  if (detail?.code === 'SCALE' && detail.path === 'price') return 'SCALE'
  return detail?.code === 'UNSUPPORTED_BY_VENUE' ? 'UNSUPPORTED_BY_VENUE' : undefined
}

type Factors = { margin: Decimal | undefined; risk: Decimal | undefined }

/** A BUY of a volume pays the same whatever the risk: it is ignored. */
function chooseFactors(
  customer: Customer,
  {
    route,
    settings,
    quote,
    factors,
    body,
  }: {
    route: RouteRow
    settings: Settings
    quote: StoredQuote | undefined
    factors: Factors
    body: CreateExecutionBody
  },
): { margin: Decimal; risk: Decimal } {
  const ignored = body.mode === 'VOLUME' && body.side === 'BUY' && quote?.firm !== true
  if (quote !== undefined)
    return { margin: decimal(quote.margin), risk: ignored ? 0n : decimal(quote.risk) }
  return {
    margin: marginFor(customer, route, settings, factors.margin),
    risk: ignored ? 0n : (factors.risk ?? 0n),
  }
}

async function connectVenues(
  app: TradingApp,
  workspace: WorkspaceId,
  route: RouteRow,
): Promise<Trading[]> {
  const venues: Trading[] = []
  for (const hop of hopsOf(route)) {
    const { venue, adapter } = await app.venues.connected(workspace, hop.venue_id)
    assertOpened(venue)
    if (adapter.trading === undefined)
      throw refuse(
        'UNSUPPORTED_BY_VENUE',
        'route_id',
        `the venue of route ${route.label} takes no orders`,
      )
    venues.push(adapter.trading)
  }
  return venues
}

const expired = (quote: StoredQuote): ApiError =>
  refuse(
    'QUOTE_EXPIRED',
    'quote_id',
    `quote ${quote.id} expired at ${new Date(quote.expires_at).toISOString()}`,
  )

type Quoted = {
  body: CreateExecutionBody
  asked: ExecutionRequest
  route: RouteRow
  customers: Customer[]
  quantity: Decimal
  now: number
}

/**
 * A quote is bound to its route, customer and quantity, and to its margin and risk when the request
 * names them.
 */
function assertQuoteFits(
  quote: StoredQuote,
  { body, asked, route, customers, quantity, now }: Quoted,
): void {
  if (quote.state === 'EXPIRED' || (quote.state === 'ACTIVE' && quote.expires_at <= now))
    throw expired(quote)
  if (quote.state !== 'ACTIVE')
    throw refuse(
      'STATE_NOT_ALLOWED',
      'quote_id',
      `quote ${quote.id} is ${quote.state}; this needs ACTIVE`,
    )
  const mismatch = (path: string, message: string) => refuse('QUOTE_MISMATCH', path, message)
  if (quote.route_id !== route.id)
    throw mismatch('route_id', `quote ${quote.id} is for another route`)
  if (quote.customer_id !== customers[0]?.id)
    throw mismatch('customers[0].customer_id', `quote ${quote.id} is for another customer`)
  if (customers.length > 1) throw mismatch('customers', `quote ${quote.id} is for one customer`)
  const bound = quote.request_asset === route.base_asset ? 'amount' : 'volume'
  if (bound !== asked.field)
    throw mismatch(
      'mode',
      `quote ${quote.id} was asked in ${quote.request_asset}: it binds the ${bound}, not the ${asked.field}`,
    )
  const side = body.side === 'BUY' ? quote.buy : quote.sell
  if (decimal(side.amount) === 0n)
    throw refuse('NO_LIQUIDITY', 'quote_id', `quote ${quote.id} has nothing to ${body.side}`)
  if (decimal(side[bound]) !== quantity)
    throw mismatch(bound, `quote ${quote.id} is for ${side[bound]} ${quote.request_asset}`)
  for (const field of ['margin', 'risk'] as const) {
    // He who bears no margin may name the one he asked with: the quote has none of it.
    const given =
      field === 'margin' && customers[0]?.ignore_margin === true ? undefined : body[field]
    if (given !== undefined && decimal(given) !== decimal(quote[field]))
      throw mismatch(field, `quote ${quote.id} has the ${field} ${quote[field]}`)
  }
}

type Parts = {
  workspace: WorkspaceId
  body: CreateExecutionBody
  by: string
  asked: ExecutionRequest
  route: RouteRow
  quote: StoredQuote | undefined
  plan: Plan
  candidates: Candidate[] | undefined
  idempotency: Idempotency | undefined
}

const text = (value: Decimal | null): string | null => (value === null ? null : format(value))

function composeExecution(
  now: number,
  { workspace, body, by, asked, route, quote, plan, candidates, idempotency }: Parts,
): { execution: Execution; change: Change } {
  const id = idAt(now)
  const { kind } = asked
  const stop = kind.type === 'STOP_MARKET'
  const record = {
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
    completed_at: null,
    best_execution: candidates === undefined ? null : { candidates, chosen: route.id },
    ...createdBy(by, now),
  }
  const shares = plan.shares.map((planned, index) => {
    const given = body.customers[index]?.quantity_absolute
    const share: Share = {
      customer_id: planned.customer.id,
      quantity_absolute: given === undefined ? null : format(decimal(given)),
      filled_amount: '0',
      filled_volume: '0',
      margin: format(planned.margin),
      risk: format(planned.risk),
    }
    return { planned, share, customer_no: index + 1, hold_id: newId() }
  })
  const execution: Execution = {
    ...record,
    route: { id: route.id, label: route.label, symbol: route.symbol },
    customers: shares.map((share) => share.share),
  }
  const held = body.side === 'BUY' ? route.quote_asset : route.base_asset
  const guards: Guard[] =
    quote === undefined
      ? []
      : [
          {
            table: 'quotes',
            resource: 'quote',
            id: quote.id,
            from: ['ACTIVE'],
            to: 'ACCEPTED',
            until: { at: quote.expires_at, error: expired(quote) },
          },
        ]
  const change: Change = {
    workspace,
    class: 'command',
    by,
    guards,
    halt: tradingScope(route),
    ledger: shares.map(({ planned, hold_id }): LedgerStep => ({
      step: 'hold',
      hold: {
        id: hold_id,
        kind: 'TRADING',
        account_id: planned.customer.account_id,
        asset: held,
        quantity: planned.hold,
        cause_type: 'execution',
        cause_id: id,
      },
    })),
    rows: [
      insertRow('executions', {
        ...record,
        best_execution:
          record.best_execution === null ? null : JSON.stringify(record.best_execution),
        hops: JSON.stringify(hopsOf(route)),
        firm: plan.firm,
        taker_fee: format(plan.taker_fee),
        top_price: text(plan.top_price),
        guard_price: text(plan.guard_price),
      }),
      ...shares.map(({ planned, share, customer_no, hold_id }) =>
        insertRow('execution_customers', {
          workspace,
          execution_id: id,
          customer_no,
          ...share,
          account_id: planned.customer.account_id,
          booking_schema: planned.customer.booking_schema,
          hold_id,
          amount: format(planned.amount),
          volume: text(planned.volume),
        }),
      ),
      ...(plan.order === undefined ? [] : [insertOrder(workspace, id, plan.order, by, now)]),
      ...(quote === undefined
        ? []
        : [
            sql`
              update quotes
              set execution_id = ${id}
              where workspace = ${workspace}
                and id = ${quote.id}`,
          ]),
    ],
    events: [{ type: 'execution.created', resource_id: id, data: execution }],
    tasks: [
      stop
        ? { kind: WATCH_TASK, subject_id: workspace, due_at: now }
        : { kind: EXECUTION_TASK, subject_id: id, due_at: now },
    ],
    ...(idempotency === undefined
      ? {}
      : { idempotency: { ...idempotency, reply: { data: execution } } }),
  }
  return { execution, change }
}
