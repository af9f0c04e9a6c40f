/** Kraken's records as its API writes them. */
import type { Deposit } from '../deposits.ts'
import { figure, fixed } from '../figures.ts'
import type { Figure } from '../figures.ts'
import type { Order } from '../orders.ts'
import type { Trade } from '../trades.ts'
import type { Withdrawal } from '../withdrawals.ts'
import { asset as assetOf } from './assets.ts'
import { pair as pairOf } from './pairs.ts'
import type { Pair } from './pairs.ts'

function seconds(milliseconds: number | null): number {
  return milliseconds === null ? 0 : milliseconds / 1000
}

export function describe(
  pair: Pair,
  order: { side: string; type: string; price: Figure; volume: Figure },
): string {
  const price =
    order.type === 'limit' ? `limit ${fixed(order.price, pair.pair_decimals)}` : 'market'
  return `${order.side} ${fixed(order.volume, pair.lot_decimals)} ${pair.altname} @ ${price}`
}

export function orderView(row: Order, trades: readonly Trade[]): Record<string, unknown> {
  const pair = pairOf(row.pair)
  const executed = figure(row.executed)
  const average = executed === 0n ? 0n : (figure(row.cost) * 10n ** 18n) / executed
  return {
    refid: null,
    userref: row.userref,
    ...(row.cl_ord_id === null ? {} : { cl_ord_id: row.cl_ord_id }),
    status: row.status,
    ...(row.status === 'open' ? {} : { reason: row.reason, closetm: seconds(row.closed_at) }),
    opentm: seconds(row.opened_at),
    starttm: 0,
    expiretm: seconds(row.expires_at),
    descr: {
      pair: pair.altname,
      type: row.side,
      ordertype: row.type,
      price: row.type === 'limit' ? fixed(figure(row.price), pair.pair_decimals) : '0',
      price2: '0',
      leverage: 'none',
      order: describe(pair, {
        side: row.side,
        type: row.type,
        price: figure(row.price),
        volume: figure(row.volume),
      }),
      close: '',
    },
    vol: fixed(figure(row.volume), pair.lot_decimals),
    vol_exec: fixed(executed, pair.lot_decimals),
    cost: fixed(figure(row.cost), pair.cost_decimals),
    fee: fixed(figure(row.fee), pair.cost_decimals),
    price: fixed(average, pair.pair_decimals),
    stopprice: '0.00000',
    limitprice: '0.00000',
    misc: '',
    oflags: 'fciq',
    ...(trades.length === 0 ? {} : { trades: trades.map((trade) => trade.id) }),
  }
}

export function tradeView(row: Trade): Record<string, unknown> {
  const pair = pairOf(row.pair)
  return {
    ordertxid: row.order_id,
    postxid: 'TKH2SE-M7IF5-CFI7LT',
    pair: pair.id,
    time: seconds(row.at),
    type: row.side,
    ordertype: row.ordertype,
    price: fixed(figure(row.price), pair.pair_decimals),
    cost: fixed(figure(row.cost), pair.cost_decimals),
    fee: fixed(figure(row.fee), pair.cost_decimals),
    vol: fixed(figure(row.volume), pair.lot_decimals),
    margin: '0.00000',
    misc: row.busted_at === null ? '' : 'busted',
    trade_id: row.trade_id,
    maker: row.maker === 1,
  }
}

export function depositView(row: Deposit): Record<string, unknown> {
  const asset = assetOf(row.asset)
  return {
    method: asset.deposit_method,
    aclass: 'currency',
    asset: row.asset,
    refid: row.refid,
    txid: row.txid,
    info: row.address,
    amount: fixed(figure(row.amount), asset.decimals),
    fee: fixed(0n, asset.decimals),
    time: Math.floor(row.at / 1000),
    status: row.status,
    ...(row.status_prop === null ? {} : { 'status-prop': row.status_prop }),
  }
}

export function withdrawalView(row: Withdrawal): Record<string, unknown> {
  const asset = assetOf(row.asset)
  return {
    method: asset.withdraw_method,
    network: asset.network,
    aclass: 'currency',
    asset: row.asset,
    refid: row.refid,
    txid: row.txid ?? '',
    info: row.address,
    amount: fixed(figure(row.amount), asset.decimals),
    fee: fixed(figure(row.fee), asset.decimals),
    time: Math.floor(row.at / 1000),
    status: row.status,
    key: row.key,
    ...(row.status_prop === null ? {} : { 'status-prop': row.status_prop }),
  }
}
