/**
 * Executions: the checks and the one change that creates one, and how they are read. What happens at the venue after
 * that is in orders.ts, what its fills book in fills.ts.
 */
import { settingsOf } from '../access/index.ts'
import type { Clock } from '../core/clock.ts'
import { present } from '../core/assert.ts'
import { decimal, format, multiply } from '../core/decimal.ts'
import type { Decimal } from '../core/decimal.ts'
import { ApiError, notFound, refuse } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import { activeCustomer } from '../customers/index.ts'
import type { Customer } from '../customers/index.ts'
import { storedReply } from '../http/index.ts'
import type { Idempotency, ListQuery } from '../http/index.ts'
import { amountOf, assertNotBraked, assetByCode } from '../ledger/index.ts'
import type { Change, Guard, HoldDraft, Lane } from '../ledger/index.ts'
import type { PriceBook } from '../market-data/index.ts'
import { only } from '../store/db.ts'
import type { Db, Reader } from '../store/db.ts'
import { raw, sql } from '../store/sql.ts'
import type { Query } from '../store/sql.ts'
import { assertOpened } from '../venues/index.ts'
import type { Trading, Venues } from '../venues/index.ts'
import { availableAmount, priceAmount, priceNotional } from './pricing.ts'
import { assertNearReference, assertOnGrid, factorOf, freshMarket, pricedOf, quoteById, reachOf } from './quotes.ts'
import type { StoredQuote } from './quotes.ts'
import { activeRoute, brakedBy, gridOf, hopOf, marginFor } from './routes.ts'
import type { Hop, RouteRow } from './routes.ts'
import { createdBy, insertRow } from './rows.ts'
import type { CreateExecutionBody, Execution, ExecutionState, Order } from './trading.schema.ts'

export type TradingApp = {
  db: Db
  clock: Clock
  lane: Lane
  prices: PriceBook
  venues: Pick<Venues, 'connected' | 'list'>
}

export const EXECUTION_TASK = 'work_execution'

const EXECUTION_COLUMNS = `e.id, e.workspace, e.state, e.reason_code, e.reason, e.internal_ref, e.route_id, e.symbol, e.base_asset, e.quote_asset, e.side, e.execution_type, e.mode, e.amount, e.risk, e.margin,
  e.quote_id, e.client_ref, e.filled_amount, e.filled_volume, e.average_price, e.customer_price, e.fee, e.slippage, e.completed_at,
  e.system_created_at, e.system_created_by, e.system_updated_at, e.system_updated_by, e.version, r.label as route_label, r.symbol as route_symbol`
const SELECT = raw(`select ${EXECUTION_COLUMNS} from executions e join price_stream_routes r on r.workspace = e.workspace and r.id = e.route_id`)
const SELECT_TO_WORK = raw(`select ${EXECUTION_COLUMNS}, e.firm, e.taker_fee, e.top_price from executions e join price_stream_routes r on r.workspace = e.workspace and r.id = e.route_id`)

type ExecutionRow = Omit<Execution, 'customers' | 'route'> & { route_label: string; route_symbol: string }
type Share = Execution['customers'][number]

/** A customer's part with what only the work on it needs. */
export type ShareRow = Share & { customer_no: number; account_id: string; booking_schema: 'ADVANCED' | 'SIMPLE'; hold_id: string; amount: string }
export type WorkedExecution = ExecutionRow & { firm: boolean; taker_fee: string; top_price: string | null; shares: ShareRow[] }

const later = (path: string, what: string) => refuse('UNSUPPORTED_BY_VENUE', path, `${what} is not available`)

/** Refuses by name what the request body knows and this service does not execute. */
function assertMarketOrder(body: CreateExecutionBody): { route_id: string; amount: string; customer_id: string } {
  if (body.route_id !== undefined && body.symbol !== undefined) throw refuse('CONFLICT', 'symbol', 'route_id and symbol exclude each other')
  if (body.symbol !== undefined) throw later('symbol', 'best execution by symbol')
  if (body.execution_type !== 'MARKET') throw later('execution_type', `execution type ${body.execution_type}`)
  if (body.mode === 'VOLUME') throw later('mode', 'mode VOLUME')
  if (body.route_id === undefined) throw refuse('REQUIRED', 'route_id', 'route_id is required')
  if (body.volume !== undefined) throw refuse('CONFLICT', 'volume', 'volume goes with mode VOLUME')
  if (body.amount === undefined) throw refuse('REQUIRED', 'amount', 'amount is required')
  for (const field of ['price', 'stop_order_condition', 'tif_mode'] as const) {
    if (body[field] !== undefined) throw refuse('CONFLICT', field, `${field} goes with LIMIT and STOP_MARKET`)
  }
  const [customer, second] = body.customers
  if (second !== undefined) throw later('customers', 'a split over several customers')
  return { route_id: body.route_id, amount: body.amount, customer_id: present(customer, 'customers has an item').customer_id }
}

/** How an execution is priced and ordered. */
type Plan = { hold: { asset: string; quantity: Decimal }; order: Pick<Order, 'type' | 'tif_mode' | 'price'>; margin: Decimal; risk: Decimal; taker_fee: Decimal; top_price: Decimal | null; firm: boolean }

/**
 * Blocks what the customer may have to give and stores the execution, its order and its task, in one change. Refused:
 * 4004 for an unknown route, customer or quote; 3001 with STALE_PRICE, NO_LIQUIDITY, QUOTE_EXPIRED, QUOTE_MISMATCH,
 * STATE_NOT_ALLOWED (the quote is taken), SCALE, BELOW_MINIMUM, SUM_MISMATCH, INSUFFICIENT_BALANCE, NOT_ACTIVE,
 * UNSUPPORTED_BY_VENUE; 2003 when the venue cannot be reached at all.
 */
export async function createExecution(app: TradingApp, workspace: string, body: CreateExecutionBody, by: string, idempotency: Idempotency | undefined): Promise<Execution> {
  try {
    const { execution, change } = await executionChange(app, workspace, body, by, idempotency)
    const committed = await app.lane.commit(change)
    return committed.verdict === 'replayed' && 'data' in committed.reply ? committed.reply.data as Execution : execution
  } catch (error) {
    // The repeat of a request that took its quote fails the checks that the first passed.
    const stored = error instanceof ApiError ? await storedReply(app.db, app.clock, workspace, idempotency) : undefined
    if (stored !== undefined) return stored as Execution
    throw error
  }
}

async function executionChange(app: TradingApp, workspace: string, body: CreateExecutionBody, by: string, idempotency: Idempotency | undefined): Promise<{ execution: Execution; change: Change }> {
  const asked = assertMarketOrder(body)
  const route = await activeRoute(app.db, workspace, asked.route_id)
  await assertNotBraked(app.db, workspace, brakedBy(route))
  const customer = await activeCustomer(app.db, workspace, asked.customer_id, 'customers[0].customer_id')
  const amount = amountOf(asked.amount, await assetByCode(app.db, workspace, route.base_asset), 'amount')
  const part = body.customers[0]?.quantity_absolute
  if (part !== undefined && decimal(part) !== amount) throw refuse('SUM_MISMATCH', 'customers[0].quantity_absolute', `the customers' quantities sum to ${part}, amount is ${format(amount)}`)
  const quote = body.quote_id === undefined ? undefined : await quoteById(app.db, workspace, body.quote_id)
  if (quote !== undefined) assertQuoteFits(quote, body, route, customer, amount, app.clock.now())
  const hop = hopOf(route)
  const { venue, adapter } = await app.venues.connected(workspace, hop.venue_id)
  assertOpened(venue)
  if (adapter.trading === undefined) throw refuse('UNSUPPORTED_BY_VENUE', 'route_id', `the venue of route ${route.label} takes no orders`)
  const plan = quote?.firm === true ? firmPlan(quote, body, route, adapter.trading) : await marketPlan(app, workspace, body, route, customer, amount, quote, adapter.trading)
  return executionOf(app, workspace, body, by, { route, hop, customer, amount, quote, plan, idempotency })
}

const expired = (quote: StoredQuote): ApiError => refuse('QUOTE_EXPIRED', 'quote_id', `quote ${quote.id} expired at ${new Date(quote.expires_at).toISOString()}`)

/** A quote is bound to its route, customer and quantity, and to its margin and risk when the request names them. */
function assertQuoteFits(quote: StoredQuote, body: CreateExecutionBody, route: RouteRow, customer: Customer, amount: Decimal, now: number): void {
  if (quote.state === 'EXPIRED' || (quote.state === 'ACTIVE' && quote.expires_at <= now)) throw expired(quote)
  if (quote.state !== 'ACTIVE') throw refuse('STATE_NOT_ALLOWED', 'quote_id', `quote ${quote.id} is ${quote.state}; this needs ACTIVE`)
  const mismatch = (path: string, message: string) => refuse('QUOTE_MISMATCH', path, message)
  if (quote.route_id !== route.id) throw mismatch('route_id', `quote ${quote.id} is for another route`)
  if (quote.customer_id !== customer.id) throw mismatch('customers[0].customer_id', `quote ${quote.id} is for another customer`)
  if (quote.request_asset !== route.base_asset) throw mismatch('mode', `quote ${quote.id} was asked in ${quote.request_asset}: it binds the volume, not the amount`)
  const side = body.side === 'BUY' ? quote.buy : quote.sell
  if (decimal(side.amount) === 0n) throw refuse('NO_LIQUIDITY', 'quote_id', `quote ${quote.id} has nothing to ${body.side}`)
  if (decimal(side.amount) !== amount) throw mismatch('amount', `quote ${quote.id} is for ${side.amount} ${route.base_asset}`)
  for (const field of ['margin', 'risk'] as const) {
    const given = body[field]
    if (given !== undefined && decimal(given) !== decimal(quote[field])) throw mismatch(field, `quote ${quote.id} has the ${field} ${quote[field]}`)
  }
}

/** The promised price, whatever the market does: the hedge goes out at market. */
function firmPlan(quote: StoredQuote, body: CreateExecutionBody, route: RouteRow, trading: Trading): Plan {
  const priced = pricedOf(body.side, body.side === 'BUY' ? quote.buy : quote.sell)
  if (priced.total <= 0n) throw refuse('BELOW_MINIMUM', 'amount', `the parts of the price leave nothing of ${format(priced.amount)} ${route.base_asset}`)
  const tif_mode = (['IOC', 'GTC'] as const).find((each) => trading.supports({ type: 'MARKET', tif_mode: each }))
  if (tif_mode === undefined) throw refuse('UNSUPPORTED_BY_VENUE', 'quote_id', `the venue of route ${route.label} takes no market orders`)
  return {
    hold: body.side === 'BUY' ? { asset: route.quote_asset, quantity: priced.total } : { asset: route.base_asset, quantity: priced.amount },
    order: { type: 'MARKET', tif_mode, price: null },
    margin: decimal(quote.margin), risk: decimal(quote.risk), taker_fee: decimal(quote.taker_fee), top_price: null, firm: true,
  }
}

/** At the market's price, not beyond the slippage guard: held by the worst price, sent as immediate-or-cancel at it. */
async function marketPlan(app: TradingApp, workspace: string, body: CreateExecutionBody, route: RouteRow, customer: Customer, amount: Decimal, quote: StoredQuote | undefined, trading: Trading): Promise<Plan> {
  const settings = await settingsOf(app.db, workspace)
  const requested = { margin: factorOf(body.margin, 'margin'), risk: factorOf(body.risk, 'risk') }
  const margin = quote === undefined ? marginFor(customer, route, settings, requested.margin) : decimal(quote.margin)
  const risk = quote === undefined ? requested.risk ?? 0n : decimal(quote.risk)
  const market = freshMarket(app, route)
  const grid = gridOf(route, market)
  assertOnGrid(amount, grid, route.base_asset, 'amount')
  if (amount > grid.max_amount) throw refuse('NO_LIQUIDITY', 'amount', `amount ${format(amount)} is above the route's maximum ${format(grid.max_amount)} ${route.base_asset}`)
  const reach = reachOf(body.side, market, decimal(settings.slippage), grid.price_step)
  const { scale } = await assetByCode(app.db, workspace, route.quote_asset)
  const terms = { taker_fee: market.pair.taker_fee, risk, margin }
  const priced = reach === undefined ? undefined : priceAmount(body.side, reach.levels, amount, terms, scale)
  if (reach === undefined || priced === undefined) {
    const available = reach === undefined ? 0n : availableAmount(reach.levels, { scale, ...grid })
    throw refuse('NO_LIQUIDITY', 'amount', `only ${format(available)} ${route.base_asset} can be had within ${settings.slippage} of the top of the book`)
  }
  if (priced.total <= 0n) throw refuse('BELOW_MINIMUM', 'amount', `the parts of the price leave nothing of ${format(amount)} ${route.base_asset}`)
  await assertNearReference(app, workspace, route, [reach.top], decimal(settings.reference_deviation))
  const dearest = () => priceNotional('BUY', amount, multiply(amount, reach.worst, scale, 'up'), terms, scale).total
  const limited = trading.supports({ type: 'LIMIT', tif_mode: 'IOC' })
  return {
    hold: body.side === 'BUY' ? { asset: route.quote_asset, quantity: dearest() } : { asset: route.base_asset, quantity: amount },
    order: limited ? { type: 'LIMIT', tif_mode: 'IOC', price: format(reach.worst) } : { type: 'MARKET', tif_mode: 'IOC', price: null },
    margin, risk, taker_fee: market.pair.taker_fee, top_price: reach.top, firm: false,
  }
}

type Parts = { route: RouteRow; hop: Hop; customer: Customer; amount: Decimal; quote: StoredQuote | undefined; plan: Plan; idempotency: Idempotency | undefined }

function executionOf(app: TradingApp, workspace: string, body: CreateExecutionBody, by: string, { route, hop, customer, amount, quote, plan, idempotency }: Parts): { execution: Execution; change: Change } {
  const id = newId()
  const now = app.clock.now()
  const common = createdBy(by, now)
  const record = {
    id, workspace, state: 'PROCESSING' as ExecutionState, reason_code: null, reason: null, internal_ref: `EX-${id.slice(-12).toUpperCase()}`, route_id: route.id, symbol: route.symbol,
    base_asset: route.base_asset, quote_asset: route.quote_asset, side: body.side, execution_type: body.execution_type, mode: 'AMOUNT' as const, amount: format(amount),
    risk: body.risk === undefined ? null : format(decimal(body.risk)), margin: body.margin === undefined ? null : format(decimal(body.margin)), quote_id: quote?.id ?? null, client_ref: body.client_ref ?? null,
    filled_amount: '0', filled_volume: '0', average_price: null, customer_price: null, fee: '0', slippage: null, completed_at: null, ...common,
  }
  const part = body.customers[0]?.quantity_absolute
  const share: Share = { customer_id: customer.id, quantity_absolute: part === undefined ? null : format(decimal(part)), filled_amount: '0', filled_volume: '0', margin: format(plan.margin), risk: format(plan.risk) }
  const execution: Execution = { ...record, route: { id: route.id, label: route.label, symbol: route.symbol }, customers: [share] }
  const hold: HoldDraft = { id: newId(), kind: 'TRADING', account_id: customer.account_id, ...plan.hold, cause_type: 'execution', cause_id: id }
  const guards: Guard[] = quote === undefined ? [] : [{ table: 'quotes', resource: 'quote', id: quote.id, from: ['ACTIVE'], to: 'ACCEPTED', until: { at: quote.expires_at, error: expired(quote) } }]
  const change: Change = {
    workspace, class: 'command', by, guards, brake: brakedBy(route),
    ledger: [{ step: 'hold', hold }],
    rows: [
      insertRow('executions', { ...record, firm: plan.firm, taker_fee: format(plan.taker_fee), top_price: plan.top_price === null ? null : format(plan.top_price) }),
      insertRow('execution_customers', { workspace, execution_id: id, customer_no: 1, ...share, account_id: customer.account_id, booking_schema: customer.booking_schema, hold_id: hold.id, amount: format(amount) }),
      insertOrder(workspace, id, { hop, symbol: `${hop.base_asset}/${hop.quote_asset}`, side: body.side, ...plan.order, quantity: format(amount) }, by, now),
      ...(quote === undefined ? [] : [sql`update quotes set execution_id = ${id} where workspace = ${workspace} and id = ${quote.id}`]),
    ],
    events: [{ type: 'execution.created', resource_id: id, data: execution }],
    tasks: [{ kind: EXECUTION_TASK, subject_id: id, due_at: now }],
    ...(idempotency === undefined ? {} : { idempotency: { ...idempotency, reply: { data: execution } } }),
  }
  return { execution, change }
}

export type OrderDraft = Pick<Order, 'symbol' | 'side' | 'type' | 'tif_mode' | 'price' | 'quantity'> & { hop: Hop }

/** The order's id is our reference at the venue. */
export function insertOrder(workspace: string, execution_id: string, { hop, ...draft }: OrderDraft, by: string, now: number): Query {
  const id = newId()
  return insertRow('execution_orders', {
    workspace, id, execution_id, hop_no: hop.hop_no, venue_id: hop.venue_id, service_id: hop.service_id, base_asset: hop.base_asset, quote_asset: hop.quote_asset,
    ...draft, state: 'PENDING_NEW', client_order_id: id, ...createdBy(by, now),
  })
}

// ---------------------------------------------------------------- reading

async function withShares(reader: Reader, workspace: string, rows: ExecutionRow[]): Promise<Execution[]> {
  if (rows.length === 0) return []
  const shares = await reader.query<Share & { execution_id: string }>(sql`
    select execution_id, customer_id, quantity_absolute, filled_amount, filled_volume, margin, risk
    from execution_customers where workspace = ${workspace} and execution_id = any(${rows.map((row) => row.id)}::uuid[]) order by execution_id, customer_no`)
  const byExecution = Map.groupBy(shares, (share) => share.execution_id)
  return rows.map(({ route_label, route_symbol, ...row }) => ({
    ...row,
    route: { id: row.route_id, label: route_label, symbol: route_symbol },
    customers: (byExecution.get(row.id) ?? []).map(({ customer_id, quantity_absolute, filled_amount, filled_volume, margin, risk }) => ({ customer_id, quantity_absolute, filled_amount, filled_volume, margin, risk })),
  }))
}

/** Throws 4004. */
export async function executionById(reader: Reader, workspace: string, id: string): Promise<Execution> {
  const [execution] = await withShares(reader, workspace, await reader.query<ExecutionRow>(sql`${SELECT} where e.workspace = ${workspace} and e.id = ${id}`))
  if (execution === undefined) throw notFound('execution', id, 'execution_id')
  return execution
}

/** With what the work on it needs. */
export async function executionToWork(reader: Reader, workspace: string, id: string): Promise<WorkedExecution> {
  const execution = only(await reader.query<Omit<WorkedExecution, 'shares'>>(sql`${SELECT_TO_WORK} where e.workspace = ${workspace} and e.id = ${id}`))
  const shares = await reader.query<ShareRow>(sql`
    select customer_no, customer_id, account_id, booking_schema, hold_id, amount, quantity_absolute, filled_amount, filled_volume, margin, risk
    from execution_customers where workspace = ${workspace} and execution_id = ${id} order by customer_no`)
  return { ...present(execution, `execution ${id} is there while it is worked on`), shares }
}

export type ExecutionFilter = { state?: ExecutionState[]; created_at_from?: number; created_at_to?: number; customer_id?: string; client_ref?: string }

export function listExecutions(reader: Reader, workspace: string, filter: ExecutionFilter): ListQuery<Execution> {
  const conditions = [sql`e.workspace = ${workspace}`]
  if (filter.state !== undefined) conditions.push(sql`e.state = any(${filter.state})`)
  if (filter.created_at_from !== undefined) conditions.push(sql`e.system_created_at >= ${filter.created_at_from}`)
  if (filter.created_at_to !== undefined) conditions.push(sql`e.system_created_at < ${filter.created_at_to}`)
  if (filter.client_ref !== undefined) conditions.push(sql`e.client_ref = ${filter.client_ref}`)
  if (filter.customer_id !== undefined) conditions.push(sql`exists (select from execution_customers c where c.workspace = e.workspace and c.customer_id = ${filter.customer_id} and c.execution_id = e.id)`)
  return { select: SELECT, conditions, key: { column: 'e.id', type: 'uuid' }, enrich: (rows: ExecutionRow[]) => withShares(reader, workspace, rows) }
}
