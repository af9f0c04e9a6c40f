/** The draft of a ticket, and what becomes of it: a price request, an order, or what is missing. */
import { isZero, multiplyAmounts, plainAmount } from '@kontor/client'
import type { RequestOf } from '@kontor/client'
import { t } from '../../language/index.ts'
import type { Ask } from './live-quotes.ts'
import type { PriceRoute } from './price-routes.tsx'
import type { Quote } from './quote-sides.tsx'
import type { Side } from './words.tsx'

export type ExecutionBody = RequestOf<'post', '/executions'>['body']

export type Written = {
  type: 'MARKET' | 'LIMIT' | 'STOP_MARKET'
  customers: readonly { customer_id: string | undefined; quantity: string }[]
  /** The asset of the quantity; the quote asset means mode VOLUME. */
  by: 'base' | 'quote'
  quantity: string
  price: string
  condition: 'STOP_LOSS' | 'TAKE_PROFIT'
  tif: 'GTC' | 'GTD' | 'IOC' | 'FOK'
  expires_at: number | undefined
  /** In per cent. */
  margin: string
  risk: string
  client_ref: string
}

export const BLANK: Written = {
  type: 'MARKET',
  customers: [{ customer_id: undefined, quantity: '' }],
  by: 'base',
  quantity: '',
  price: '',
  condition: 'STOP_LOSS',
  tif: 'GTC',
  expires_at: undefined,
  margin: '',
  risk: '',
  client_ref: '',
}

/** Where the order is traded: over one route, or over the best route of a symbol. */
export type Market = {
  symbol: string
  base: string
  quoted: string
  routes: readonly PriceRoute[]
  best: boolean
}

export function marketOf(chosen: string | null, routes: readonly PriceRoute[]): Market | undefined {
  const active = routes.filter((route) => route.active)
  const fitting = active.filter((route) => route.id === chosen || route.symbol === chosen)
  const [first] = fitting
  return first === undefined
    ? undefined
    : {
        symbol: first.symbol,
        base: first.base_asset,
        quoted: first.quote_asset,
        routes: fitting,
        best: first.symbol === chosen,
      }
}

const positive = (typed: string): string | undefined => {
  const amount = plainAmount(typed)
  return amount === undefined || isZero(amount) ? undefined : amount
}
const factor = (typed: string): string | undefined => {
  const amount = plainAmount(typed)
  return amount === undefined ? undefined : multiplyAmounts(amount, '0.01')
}

/** Undefined until there is enough for a price request. */
export function askOf(written: Written, market: Market | undefined): Ask | undefined {
  const quantity = positive(written.quantity)
  const customer_id = written.customers[0]?.customer_id
  if (market === undefined || quantity === undefined || customer_id === undefined) return undefined
  const margin = factor(written.margin)
  return {
    customer_id,
    request_asset: written.by === 'base' ? market.base : market.quoted,
    request_quantity: quantity,
    route_ids: market.routes.map((route) => route.id),
    ...(margin === undefined ? {} : { margin }),
  }
}

/** The first thing that is still missing, in the order of the form. */
export function missingOf(written: Written, market: Market | undefined): string | undefined {
  const { customers, type } = written
  if (market === undefined) return t('Choose a market')
  if (customers.some((customer) => customer.customer_id === undefined))
    return t('Choose a customer')
  if (positive(written.quantity) === undefined) return t('Enter a quantity, for example 1250.5')
  const open = customers.filter((customer) => customer.quantity.trim() === '').length
  if (customers.length > 1 && open > 1) return t('Only one customer can have an empty share')
  if (
    customers.length > 1 &&
    customers.some(
      (customer) => customer.quantity.trim() !== '' && positive(customer.quantity) === undefined,
    )
  )
    return t('A share is not a valid amount')
  if (type !== 'MARKET' && positive(written.price) === undefined)
    return type === 'LIMIT' ? t('Enter a limit') : t('Enter a trigger')
  if (type !== 'MARKET' && written.tif === 'GTD' && !Number.isInteger(written.expires_at))
    return t('Enter an expiry time')
  if (
    [written.margin, written.risk].some(
      (typed) => typed.trim() !== '' && factor(typed) === undefined,
    )
  )
    return t('Enter margin and risk in per cent, for example 0.5')
  return undefined
}

/** The order as the API takes it; only when nothing is missing. */
export function bodyOf(
  side: Side,
  written: Written,
  market: Market,
  held: Quote | undefined,
): ExecutionBody {
  const { type, tif, expires_at } = written
  const volume = written.by === 'quote' && type === 'MARKET'
  const heldSide = side === 'BUY' ? held?.buy : held?.sell
  // A held price is good for its own quantity, which may be less than the one requested.
  const heldQuantity = volume ? heldSide?.volume : heldSide?.amount
  const quantity = heldQuantity ?? positive(written.quantity) ?? ''
  const [margin, risk] = [factor(written.margin), factor(written.risk)]
  const [route] = market.routes
  return {
    side,
    execution_type: type,
    ...(market.best || route === undefined ? { symbol: market.symbol } : { route_id: route.id }),
    ...(volume ? { mode: 'VOLUME' as const, volume: quantity } : { amount: quantity }),
    customers: written.customers.map((customer) => ({
      customer_id: customer.customer_id ?? '',
      ...(written.customers.length > 1 && customer.quantity.trim() !== ''
        ? { quantity_absolute: positive(customer.quantity) ?? '' }
        : {}),
    })),
    ...(type === 'MARKET'
      ? {}
      : {
          price: positive(written.price) ?? '',
          tif_mode: tif,
          ...(tif === 'GTD' && expires_at !== undefined ? { expires_at } : {}),
        }),
    ...(type === 'STOP_MARKET' ? { stop_order_condition: written.condition } : {}),
    ...(held === undefined
      ? { ...(margin === undefined ? {} : { margin }), ...(risk === undefined ? {} : { risk }) }
      : { quote_id: held.id }),
    ...(written.client_ref.trim() === '' ? {} : { client_ref: written.client_ref.trim() }),
  }
}
