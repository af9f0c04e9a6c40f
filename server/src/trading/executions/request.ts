/**
 * What POST /executions asks for: which fields go together, who gets which part, and whether the
 * quote that it takes is for it. Nothing is read here.
 */
import { decimal, format, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { refuse } from '../../core/errors.ts'
import type { ApiError } from '../../core/errors.ts'
import type { Customer } from '../../customers/index.ts'
import { readTime } from '../../http/index.ts'
import { amountOf } from '../../ledger/index.ts'
import type { Asset } from '../../ledger/index.ts'
import type { StoredQuote } from '../quotes/quotes.ts'
import type { RouteRow } from '../routes/routes.ts'
import type { CreateExecutionBody } from './executions.schema.ts'

export type TimeInForce =
  | { tif_mode: 'GTC' | 'IOC' | 'FOK'; expires_at: null }
  | { tif_mode: 'GTD'; expires_at: number }

export type ExecutionRequest = {
  /** In the base asset, of mode VOLUME in the quote asset; `field` names it. */
  field: 'amount' | 'volume'
  quantity: string
  kind:
    | { type: 'MARKET' }
    | ({ type: 'LIMIT'; price: string } & TimeInForce)
    | ({ type: 'STOP_MARKET'; price: string; condition: 'STOP_LOSS' | 'TAKE_PROFIT' } & TimeInForce)
}

const conflict = (path: string, message: string) => refuse('CONFLICT', path, message)
const required = (path: string, message = `${path} is required`) =>
  refuse('REQUIRED', path, message)

/** Throws 3001 naming the field that is missing or does not go with the others. */
export function readRequest(body: CreateExecutionBody, now: number): ExecutionRequest {
  if (body.route_id !== undefined && body.symbol !== undefined)
    throw conflict('symbol', 'route_id and symbol exclude each other')
  if (body.route_id === undefined && body.symbol === undefined)
    throw required('route_id', 'route_id or symbol is required')
  if (body.symbol !== undefined && body.quote_id !== undefined)
    throw conflict('symbol', 'a quote is for a route: give its route_id')
  const kind = readKind(body, now)
  if (body.mode === 'VOLUME') {
    if (kind.type !== 'MARKET') throw conflict('mode', 'mode VOLUME goes with MARKET')
    if (body.amount !== undefined) throw conflict('amount', 'amount goes with mode AMOUNT')
    if (body.volume === undefined) throw required('volume')
    return { field: 'volume', quantity: body.volume, kind }
  }
  if (body.volume !== undefined) throw conflict('volume', 'volume goes with mode VOLUME')
  if (body.amount === undefined) throw required('amount')
  return { field: 'amount', quantity: body.amount, kind }
}

function readKind(body: CreateExecutionBody, now: number): ExecutionRequest['kind'] {
  if (body.execution_type === 'MARKET') {
    for (const field of ['price', 'stop_order_condition', 'tif_mode', 'expires_at'] as const)
      if (body[field] !== undefined)
        throw conflict(field, `${field} goes with LIMIT and STOP_MARKET`)
    return { type: 'MARKET' }
  }
  if (body.price === undefined) throw required('price')
  const tif = readTimeInForce(body, now)
  if (body.execution_type === 'STOP_MARKET') {
    if (body.stop_order_condition === undefined) throw required('stop_order_condition')
    return { type: 'STOP_MARKET', price: body.price, condition: body.stop_order_condition, ...tif }
  }
  if (body.stop_order_condition !== undefined)
    throw conflict('stop_order_condition', 'stop_order_condition goes with STOP_MARKET')
  return { type: 'LIMIT', price: body.price, ...tif }
}

function readTimeInForce(
  { tif_mode = 'GTC', expires_at }: CreateExecutionBody,
  now: number,
): TimeInForce {
  if (tif_mode !== 'GTD') {
    if (expires_at !== undefined) throw conflict('expires_at', 'expires_at goes with tif_mode GTD')
    return { tif_mode, expires_at: null }
  }
  if (expires_at === undefined)
    throw required('expires_at', 'expires_at is required with tif_mode GTD')
  const time = readTime(expires_at, 'expires_at')
  if (time <= now)
    throw refuse('RANGE', 'expires_at', `expires_at ${new Date(time).toISOString()} is over`)
  return { tif_mode, expires_at: time }
}

/**
 * Each customer's part of the quantity: one alone takes all, of several one may omit it and takes
 * the rest. Throws 3001 SUM_MISMATCH, DUPLICATE.
 */
export function divideQuantity(
  customers: CreateExecutionBody['customers'],
  { field, quantity }: Pick<ExecutionRequest, 'field' | 'quantity'>,
): Decimal[] {
  const whole = decimal(quantity)
  const twice = customers.findIndex(
    (customer, index) =>
      customers.findIndex((other) => other.customer_id === customer.customer_id) !== index,
  )
  if (twice >= 0)
    throw refuse(
      'DUPLICATE',
      `customers[${twice}].customer_id`,
      `customer ${customers[twice]?.customer_id} is named twice`,
    )
  const named = sum(customers.map((customer) => decimal(customer.quantity_absolute ?? '0')))
  const open = customers.filter((customer) => customer.quantity_absolute === undefined).length
  if (open > 1)
    throw refuse(
      'REQUIRED',
      'customers',
      'of several customers at most one may omit quantity_absolute',
    )
  const fits = open === 1 ? named < whole : named === whole
  if (!fits) {
    const path = customers.length === 1 ? 'customers[0].quantity_absolute' : 'customers'
    throw refuse(
      'SUM_MISMATCH',
      path,
      `the customers' quantities sum to ${format(named)}, ${field} is ${format(whole)}`,
    )
  }
  return customers.map((customer) =>
    customer.quantity_absolute === undefined ? whole - named : decimal(customer.quantity_absolute),
  )
}

/** Throws 3001 SCALE for a quantity with more digits than the asset has. */
export function checkQuantities(
  { field, quantity }: Pick<ExecutionRequest, 'field' | 'quantity'>,
  customers: CreateExecutionBody['customers'],
  asset: Asset,
): Decimal {
  const whole = amountOf(quantity, asset, field)
  for (const [index, { quantity_absolute }] of customers.entries())
    if (quantity_absolute !== undefined)
      amountOf(quantity_absolute, asset, `customers[${index}].quantity_absolute`)
  return whole
}

export const quoteExpired = (quote: StoredQuote): ApiError =>
  refuse(
    'QUOTE_EXPIRED',
    'quote_id',
    `quote ${quote.id} expired at ${new Date(quote.expires_at).toISOString()}`,
  )

type QuotedOrder = {
  body: CreateExecutionBody
  field: ExecutionRequest['field']
  route: RouteRow
  customers: readonly Customer[]
  quantity: Decimal
  now: number
}

/**
 * A quote is bound to its route, customer and quantity, and to its margin and risk when the request
 * names them.
 */
export function assertQuoteFits(quote: StoredQuote, order: QuotedOrder): void {
  const { body, route, customers, now } = order
  if (quote.state === 'EXPIRED' || (quote.state === 'ACTIVE' && quote.expires_at <= now))
    throw quoteExpired(quote)
  if (quote.state !== 'ACTIVE')
    throw refuse(
      'STATE_NOT_ALLOWED',
      'quote_id',
      `quote ${quote.id} is ${quote.state}; this needs ACTIVE`,
    )
  if (quote.route_id !== route.id)
    throw mismatch('route_id', `quote ${quote.id} is for another route`)
  if (quote.customer_id !== customers[0]?.id)
    throw mismatch('customers[0].customer_id', `quote ${quote.id} is for another customer`)
  if (customers.length > 1) throw mismatch('customers', `quote ${quote.id} is for one customer`)
  assertQuotedQuantity(quote, order)
  for (const factor of ['margin', 'risk'] as const) {
    // A customer who bears no margin may name the one of their request: the quote has none of it.
    const requested =
      factor === 'margin' && customers[0]?.ignore_margin === true ? undefined : body[factor]
    if (requested !== undefined && decimal(requested) !== decimal(quote[factor]))
      throw mismatch(factor, `quote ${quote.id} has the ${factor} ${quote[factor]}`)
  }
}

const mismatch = (path: string, message: string) => refuse('QUOTE_MISMATCH', path, message)

function assertQuotedQuantity(
  quote: StoredQuote,
  { body, field, route, quantity }: QuotedOrder,
): void {
  const bound = quote.request_asset === route.base_asset ? 'amount' : 'volume'
  if (bound !== field)
    throw mismatch(
      'mode',
      `quote ${quote.id} was asked in ${quote.request_asset}: ` +
        `it binds the ${bound}, not the ${field}`,
    )
  const side = body.side === 'BUY' ? quote.buy : quote.sell
  if (decimal(side.amount) === 0n)
    throw refuse('NO_LIQUIDITY', 'quote_id', `quote ${quote.id} has nothing to ${body.side}`)
  if (decimal(side[bound]) !== quantity)
    throw mismatch(bound, `quote ${quote.id} is for ${side[bound]} ${quote.request_asset}`)
}
