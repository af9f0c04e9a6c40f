/**
 * Orders at OKX. The client order id is ours without its dashes, and OKX finds orders by it. It
 * forgets a canceled order without fills after two hours ("The incomplete orders that have been
 * canceled are only reserved for 2 hours"), so later an order that is not found is not absent:
 * somebody may have canceled it. One that never rests and has no fills has come to nothing either
 * way.
 */
import { sum } from '../../../core/decimal.ts'
import type { Lookup, OrderLookup, OrderReport, VenueFill, VenueOrder } from '../../contract.ts'
import { exact, optionalText, text } from '../answers.ts'
import type { Row } from '../answers.ts'
import { FINAL } from '../order-states.ts'
import { SKEW_MILLISECONDS } from '../recognition.ts'
import type { OrderIdentity, Orders } from '../trading.ts'
import type { OkxCalls } from './calls.ts'
import { fillsOf, okxTrades, readFills } from './trades.ts'
import {
  FAILURES,
  INSUFFICIENT,
  NOT_FOUND,
  fromClientId,
  orderState,
  toClientId,
} from './vocabulary.ts'
import { fundTrading } from './wallets.ts'

const RESERVED_MILLISECONDS = 7_200_000
/** Of the three months for which OKX lists fills. */
const FILLS_LISTED_MILLISECONDS = 85 * 86_400_000
/** The clocks need not agree. */
const MARGIN_MILLISECONDS = 600_000

const ORD_TYPES: Partial<Record<VenueOrder['tif_mode'], string>> = {
  GTC: 'limit',
  IOC: 'ioc',
  FOK: 'fok',
}

export function okxOrders(calls: OkxCalls, sendWithin: number): Orders {
  return {
    name: 'okx',
    capabilities: { MARKET: ['IOC', 'GTC'], LIMIT: ['GTC', 'IOC', 'FOK'] },
    parameters: ({ tif_mode }) => ({ ordType: ORD_TYPES[tif_mode] ?? '' }),
    lookUp: (identity, asking = {}) => lookUp(calls, identity, asking),
    whyNotAbsent: (lookup) => listedFills(calls, lookup),
    forgottenAfter: (order) =>
      neverRests(order) ? FILLS_LISTED_MILLISECONDS : RESERVED_MILLISECONDS - MARGIN_MILLISECONDS,
    async cancel({ foreign_id, client_order_id, base_asset, quote_asset }) {
      await calls.ready()
      const instId = instIdOf(base_asset, quote_asset)
      const which =
        foreign_id === null ? { clOrdId: toClientId(client_order_id) } : { ordId: foreign_id }
      const how = { urgency: 'act', wait_ms: sendWithin } as const
      await calls.ask('PostTradeCancelOrder', { instId, ...which }, how)
    },
    notOpen: /^(51400|51603|51410):/,
    trades: okxTrades(calls),
  }
}

const neverRests = ({ type, tif_mode }: Pick<VenueOrder, 'type' | 'tif_mode'>): boolean =>
  type === 'MARKET' || tif_mode === 'IOC' || tif_mode === 'FOK'

const instIdOf = (base: string, quote: string): string => `${base}-${quote}`

async function lookUp(
  calls: OkxCalls,
  { foreign_id, client_order_id, base_asset, quote_asset }: OrderIdentity,
  asking: { wait_ms?: number },
): Promise<Lookup<OrderReport> | undefined> {
  const which =
    foreign_id === null ? { clOrdId: toClientId(client_order_id) } : { ordId: foreign_id }
  let order: Row
  try {
    order = await calls.askOne(
      'GetTradeOrder',
      { instId: instIdOf(base_asset, quote_asset), ...which },
      { urgency: 'lookup', ...asking },
    )
  } catch (error) {
    const { native } = FAILURES.failureOf(error)
    if (native === null || !NOT_FOUND.test(native)) throw error
    return foreign_id === null
      ? undefined
      : { lookup: 'unknown', reason: `okx does not know ${foreign_id}` }
  }
  if (fromClientId(order, 'clOrdId') !== client_order_id)
    return { lookup: 'unknown', reason: 'okx answered with another order' }
  const fills = exact(order, 'accFillSz') === 0n ? [] : await fillsOf(calls, order)
  return describe(order, fills)
}

/** OKX may list the fills of an order before it shows the order. */
async function listedFills(
  calls: OkxCalls,
  { client_order_id, base_asset, quote_asset, sent_at }: OrderLookup,
): Promise<string | undefined> {
  const instId = instIdOf(base_asset, quote_asset)
  const fills = await readFills(calls, sent_at - SKEW_MILLISECONDS, { instId }, 'lookup')
  return fills.some((fill) => fromClientId(fill, 'clOrdId') === client_order_id)
    ? 'okx lists fills of an order that it does not show'
    : undefined
}

/** The order as OKX shows it; `unknown` while it is final but not all fills are listed. */
function describe(order: Row, fills: VenueFill[]): Lookup<OrderReport> {
  const filled = exact(order, 'accFillSz')
  const state = orderState(order)
  if (FINAL.includes(state) && sum(fills.map((fill) => fill.quantity)) !== filled)
    return { lookup: 'unknown', reason: 'okx does not list all fills of the order yet' }
  return {
    lookup: 'found',
    report: {
      foreign_id: text(order, 'ordId'),
      state,
      reason: optionalText(order, 'cancelSourceReason'),
      filled_quantity: sum(fills.map((fill) => fill.quantity)),
      fills,
    },
  }
}

type Placed = Parameters<OkxCalls['money']['createOrder']>

/**
 * In place of ccxt's. The size is always in the base asset: for a market buy OKX would take it for
 * the quote asset. `banAmend`: OKX would cut a market order to what we have instead of refusing it.
 */
export const placeOrder =
  (calls: OkxCalls, sendWithin: number) =>
  async (...[symbol, type, side, amount, price, parameters]: Placed): Promise<{ id?: string }> => {
    const { clientOrderId = '', ordType } = parameters
    const [base = '', quote = ''] = symbol.split('/')
    const kind =
      type === 'market'
        ? { ordType: 'market', tgtCcy: 'base_ccy', banAmend: true }
        : { ordType, px: price }
    const clOrdId = toClientId(clientOrderId)
    const order = {
      instId: instIdOf(base, quote),
      tdMode: 'cash',
      side,
      sz: amount,
      clOrdId,
      ...kind,
    }
    const started = Date.now()
    const send = async () => {
      const wait_ms = started + sendWithin - Date.now()
      const placed = await calls.askOne('PostTradeOrder', order, { urgency: 'act', wait_ms })
      return { id: text(placed, 'ordId') }
    }
    try {
      return await send()
    } catch (error) {
      if (!INSUFFICIENT.test(FAILURES.failureOf(error).native ?? '')) throw error
      const ccy = side === 'buy' ? quote : base
      // OKX has refused it for certain; what arrived lately may still be in the funding wallet.
      const isMoved = await moveQuietly(calls, { ccy, reference: clOrdId })
      if (!isMoved || Date.now() - started > sendWithin) throw error
      return await send()
    }
  }

/** Whatever becomes of it, the order was refused: its refusal is the answer. */
async function moveQuietly(
  calls: OkxCalls,
  need: { ccy: string; reference: string },
): Promise<boolean> {
  try {
    return await calls.alone(() => fundTrading(calls, need))
  } catch {
    return false
  }
}
