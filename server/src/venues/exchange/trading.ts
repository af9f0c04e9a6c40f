/**
 * Orders at an exchange, as far as all exchanges are alike: what is not in the capability table or
 * would be rounded is refused before it is sent, an accepted order is read back, and what an
 * exception means is decided once. `absent` needs time: until then an earlier request may still be
 * accepted, or what was accepted is not listed yet.
 */
import { format, multiply } from '../../core/decimal.ts'
import type {
  Asking,
  Lookup,
  OrderLookup,
  OrderReport,
  Outcome,
  Trading,
  VenueOrder,
} from '../contract.ts'
import { exact, row } from './answers.ts'
import type { Market, Money } from './ccxt.ts'
import type { QuietLists } from './quiet-lists.ts'
import { readTradesSince } from './trades.ts'
import type { TradeSource } from './trades.ts'
import { refusal } from './wire.ts'
import type { Failures } from './wire.ts'

export type OrderIdentity = Pick<
  OrderLookup,
  'client_order_id' | 'foreign_id' | 'base_asset' | 'quote_asset' | 'quantity'
>

/** What an exchange has of its own. */
export type Orders = {
  name: string
  /**
   * What it really has, each proven on the wire; ccxt would also take kinds that the exchange then
   * executes as plain market orders.
   */
  capabilities: Record<VenueOrder['type'], readonly VenueOrder['tif_mode'][]>
  /** What goes along with the order for ccxt. */
  parameters(order: VenueOrder): Record<string, string>
  /** Undefined when the exchange knows no such order of ours. */
  lookUp(
    identity: OrderIdentity,
    asking?: { wait_ms?: number },
  ): Promise<Lookup<OrderReport> | undefined>
  /** Why an order that is not found may have been accepted, or may still be. */
  whyNotAbsent?(lookup: OrderLookup): Promise<string | undefined>
  /**
   * How long after its sending an order that is not found is certainly absent, in milliseconds:
   * later the exchange may have forgotten it, and what became of it.
   */
  forgottenAfter?(order: OrderKind): number
  cancel(identity: OrderIdentity): Promise<void>
  /** The exchange's text when the order to cancel is not open. */
  notOpen: RegExp
  trades: TradeSource
  /** What the trades answered last, where the exchange counts its calls. */
  quiet?: QuietLists
}

/**
 * `sendWithin`: whoever had to wait longer is not sent any more. `absentAfter`: both in
 * milliseconds.
 */
export type Patience = { sendWithin: number; absentAfter: number }

type TradingParts = {
  money: Money
  /** The sending of an order, when it is its turn. */
  act<Result>(work: () => Promise<Result>): Promise<Result>
  ready(): Promise<void>
  patience: Patience
  failures: Failures
  orders: Orders
}

export function openTrading(parts: TradingParts): Trading {
  const { orders } = parts
  return {
    supports: (order) => supports(orders, order),
    send: (order) => send(parts, order),
    find: (lookup) => find(parts, lookup),
    cancel: (lookup) => cancel(parts, lookup),
    trades: (cursor, from, asking) => trades(parts, { cursor, from, asking }),
  }
}

type OrderKind = Pick<VenueOrder, 'type' | 'tif_mode'>

function supports({ capabilities }: Orders, { type, tif_mode }: OrderKind): boolean {
  return capabilities[type]?.includes(tif_mode) ?? false
}

async function send(parts: TradingParts, order: VenueOrder): Promise<Outcome<OrderReport>> {
  const { orders, failures } = parts
  const objection = kindObjection(orders, order)
  if (objection !== undefined) return refusal(objection)
  let placed: Placement
  try {
    placed = await place(parts, order)
  } catch (error) {
    return failures.outcomeOf(error)
  }
  if ('objection' in placed) return refusal(placed.objection)
  if ('late' in placed)
    return { outcome: 'unknown', reason: `not sent: earlier calls to ${orders.name} took too long` }
  const { id } = placed
  if (typeof id !== 'string' || id === '')
    return { outcome: 'unknown', reason: `${orders.name} named no order` }
  return {
    outcome: 'accepted',
    report: await stateAfter(orders, { ...order, foreign_id: id }, 'PENDING_NEW'),
  }
}

function kindObjection(orders: Orders, order: VenueOrder): string | undefined {
  if (!supports(orders, order))
    return `${orders.name} has no ${order.type} order with ${order.tif_mode}`
  if ((order.tif_mode === 'GTD') !== (order.expires_at !== null))
    return 'expires_at goes with GTD and with nothing else'
  return undefined
}

type Placement = { objection: string } | { late: true } | { id: string | undefined }

async function place(
  { money, act, ready, patience, orders }: TradingParts,
  order: VenueOrder,
): Promise<Placement> {
  const symbol = `${order.base_asset}/${order.quote_asset}`
  const started = Date.now()
  return act(async () => {
    await ready()
    const market: Market | undefined = money.markets?.[symbol]
    const objection =
      market === undefined
        ? `${orders.name} does not trade ${symbol}`
        : objectionTo(orders.name, order, market)
    if (objection !== undefined) return { objection }
    // Who has waited this long may have been given up: by now `absent` may have been answered.
    if (Date.now() - started > patience.sendWithin) return { late: true }
    const created = await money.createOrder(
      symbol,
      order.type.toLowerCase(),
      order.side.toLowerCase(),
      format(order.quantity),
      order.type === 'LIMIT' && order.price !== null ? format(order.price) : undefined,
      { clientOrderId: order.client_order_id, ...orders.parameters(order) },
    )
    return { id: created.id }
  })
}

/** An accepted act is not reported later because its state has to wait for its turn. */
const COURTESY_MILLISECONDS = 1_000

/**
 * After an accepted act the order's state is a courtesy: when it cannot be read, the caller's next
 * lookup shows it.
 */
async function stateAfter(
  orders: Orders,
  identity: OrderIdentity,
  meanwhile: OrderReport['state'],
): Promise<OrderReport> {
  const bare: OrderReport = {
    foreign_id: identity.foreign_id ?? '',
    state: meanwhile,
    reason: null,
    filled_quantity: 0n,
    fills: [],
  }
  try {
    const found = await orders.lookUp(identity, { wait_ms: COURTESY_MILLISECONDS })
    return found?.lookup === 'found' ? found.report : bare
  } catch {
    return bare
  }
}

async function find(
  { orders, failures, patience }: TradingParts,
  lookup: OrderLookup,
): Promise<Lookup<OrderReport>> {
  const asked_at = Date.now()
  const found = await failures.reading(() => orders.lookUp(lookup))
  if (found !== undefined) return found
  if (asked_at - Math.max(lookup.sent_at, lookup.sent_until ?? 0) < patience.absentAfter)
    return { lookup: 'unknown', reason: 'too early to say' }
  if (asked_at - lookup.sent_at > (orders.forgottenAfter?.(lookup) ?? Infinity))
    return { lookup: 'unknown', reason: `${orders.name} may have forgotten it by now` }
  const reason = await failures.reading(async () => orders.whyNotAbsent?.(lookup))
  return reason === undefined ? { lookup: 'absent' } : { lookup: 'unknown', reason }
}

async function cancel(
  { orders, failures }: TradingParts,
  lookup: OrderLookup,
): Promise<Outcome<OrderReport>> {
  try {
    await orders.cancel(lookup)
  } catch (error) {
    const failure = failures.failureOf(error)
    if (failure.native !== null && orders.notOpen.test(failure.native))
      return { outcome: 'refused', reason: 'the order is not open', native: failure.native }
    return failures.outcomeOf(error)
  }
  return { outcome: 'accepted', report: await stateAfter(orders, lookup, 'PENDING_CANCEL') }
}

type TradesAsked = {
  cursor: string | null
  from: number | undefined
  asking: Asking | undefined
}

type TradesAnswer = Awaited<ReturnType<NonNullable<Trading['trades']>>>

function trades(
  { orders, failures }: TradingParts,
  { cursor, from, asking }: TradesAsked,
): Promise<TradesAnswer> {
  const read = () => failures.reading(() => readTradesSince(orders.trades, cursor, from, asking))
  if (orders.quiet === undefined) return read()
  const asked = { key: `${cursor}`, fresh: asking?.fresh }
  return orders.quiet.read('trades', asked, async () => {
    const answer = await read()
    return { answer, quiet: answer.cursor === cursor, live: false }
  })
}

/**
 * ccxt cuts quantities and prices to the step without a word; what does not fit is refused before.
 */
function objectionTo(name: string, order: VenueOrder, market: Market): string | undefined {
  if (!market.active) return `${name} has closed ${market.symbol}`
  const [steps, amount, cost] = [
    row(market.precision),
    row(market.limits.amount),
    row(market.limits.cost),
  ]
  if (order.quantity <= 0n || order.quantity % exact(steps, 'amount') !== 0n)
    return `quantity is not a multiple of ${market.precision.amount}`
  if (amount['min'] !== undefined && order.quantity < exact(amount, 'min'))
    return `quantity is below ${String(amount['min'])}`
  if (order.type !== 'LIMIT') return undefined
  if (order.price === null || order.price <= 0n || order.price % exact(steps, 'price') !== 0n)
    return `price is not a multiple of ${market.precision.price}`
  if (
    cost['min'] !== undefined &&
    multiply(order.price, order.quantity, 18, 'down') < exact(cost, 'min')
  )
    return `price × quantity is below ${String(cost['min'])}`
  return undefined
}
