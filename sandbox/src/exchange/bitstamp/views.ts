/** Bitstamp's records as its API writes them. */
import type { Deposit } from '../deposits.ts'
import type { Exchange } from '../exchange.ts'
import { figure, fixed } from '../figures.ts'
import type { Figure } from '../figures.ts'
import type { Level, Levels } from '../order-book.ts'
import type { Order } from '../orders.ts'
import { isMoney } from '../rules.ts'
import type { Pair } from '../rules.ts'
import type { Trade } from '../trades.ts'
import type { Withdrawal } from '../withdrawals.ts'
import type { Asset } from './listing.ts'
import { assetNamed, pairNamed } from './request.ts'

const BOOK_LEVELS = 100

/** As `2026-01-31 12:00:00.123000`. */
export function time(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('T', ' ').replace('Z', '000')
}

function wholeSeconds(milliseconds: number): string {
  return time(milliseconds).slice(0, 19)
}

export function percent(fee: Figure): string {
  return fixed(fee * 100n, 5)
}

export function insufficientFunds({ accounts }: Exchange, { id, common, decimals }: Asset): string {
  const free = fixed(accounts.free('kontor', id), decimals)
  return `You have only ${free} ${common} available. Check your account balance for details.`
}

type BookView = {
  timestamp: string
  microtimestamp: string
  bids: string[][]
  asks: string[][]
}

/** The best levels of a book, for the REST API and the stream. */
export function bookView(pair: Pair, { bids, asks }: Levels, now: number): BookView {
  const rows = (levels: Level[]) =>
    levels
      .slice(0, BOOK_LEVELS)
      .map((level) => [
        fixed(level.price, pair.pair_decimals),
        fixed(level.quantity, pair.lot_decimals),
      ])
  return {
    timestamp: String(Math.floor(now / 1000)),
    microtimestamp: String(now * 1000),
    bids: rows(bids),
    asks: rows(asks),
  }
}

/** 0 open, 1 in process, 2 finished, 3 canceled, 4 failed. */
const REQUEST_STATUS: Record<Withdrawal['status'], number> = {
  Initial: 0,
  Pending: 1,
  Settled: 1,
  Success: 2,
  Failure: 4,
}
const CANCELED = 3
const REVERSED = 11

/**
 * `CryptoTransactionDeposit` of Bitstamp's published API. Which of them a transaction has that
 * failed on the chain is assumed.
 */
const DEPOSIT_STATUS: Record<Deposit['status'], string> = {
  Pending: 'PENDING',
  Success: 'FINALIZED',
  Failure: 'REJECTED',
}

export function orderView(order: Order): Record<string, unknown> {
  return {
    id: order.id,
    market: pairNamed(order.pair).symbol,
    type: order.side === 'buy' ? '0' : '1',
    ...(order.cl_ord_id === null ? {} : { client_order_id: order.cl_ord_id }),
  }
}

export function tradeView(trade: Trade, pair: Pair): Record<string, unknown> {
  return {
    tid: trade.trade_id,
    price: fixed(figure(trade.price), 8),
    [pair.base.common.toLowerCase()]: fixed(figure(trade.volume), pair.lot_decimals),
    [pair.quote.common.toLowerCase()]: fixed(figure(trade.cost), 8),
    fee: fixed(figure(trade.fee), pair.quote.decimals),
    datetime: time(trade.at),
    type: 2,
    ...(trade.busted_at === null ? {} : { status: 'busted' }),
  }
}

export function userTradeView(trade: Trade): Record<string, unknown> {
  const pair = pairNamed(trade.pair)
  const [bought, sold] = trade.side === 'buy' ? ['', '-'] : ['-', '']
  return {
    id: trade.trade_id,
    type: '2',
    order_id: Number(trade.order_id),
    fee: fixed(figure(trade.fee), pair.quote.decimals),
    [pair.id.replace(/^(...)/, '$1_')]: fixed(figure(trade.price), pair.pair_decimals),
    [pair.base.common.toLowerCase()]: `${bought}${fixed(figure(trade.volume), pair.lot_decimals)}`,
    [pair.quote.common.toLowerCase()]: `${sold}${fixed(figure(trade.cost), 8)}`,
    ...(trade.busted_at === null ? {} : { status: 'busted' }),
  }
}

/** Type 0 is a deposit, 1 a withdrawal. */
export function movementView({
  refid,
  type,
  asset,
  amount,
  fee,
}: {
  refid: string
  type: string
  asset: string
  amount: string
  fee: string
}): Record<string, unknown> {
  const { decimals } = assetNamed(asset)
  return {
    id: Number(refid),
    type,
    fee: fixed(figure(fee), decimals),
    [asset.toLowerCase()]: fixed(figure(amount), decimals),
  }
}

export function coinView(
  row: { asset: string; amount: string; at: number },
  destinationAddress: string,
  txid: string,
): Record<string, unknown> {
  return {
    network: assetNamed(row.asset).network,
    currency: row.asset,
    destinationAddress,
    txid,
    amount: Number(row.amount),
    datetime: Math.floor(row.at / 1000),
  }
}

export function depositView(row: Deposit): Record<string, unknown> {
  const status = row.status_prop === 'return' ? 'REVERTED' : DEPOSIT_STATUS[row.status]
  return {
    id: Number(row.refid),
    ...coinView(row, row.address, row.txid),
    status,
    pending_reason: row.status === 'Pending' ? (row.status_prop ?? '') : null,
  }
}

function requestStatus({ status, status_prop }: Withdrawal): number {
  if (status_prop === 'return') return REVERSED
  return status_prop === 'canceled' ? CANCELED : REQUEST_STATUS[status]
}

/**
 * A withdrawal to a bank names neither address nor transaction: those are for coins only
 * (`WithdrawalRequestsResponse` of Bitstamp's published API, and knowm/XChange's
 * `WithdrawalRequest`). A destination tag stands behind the address (ccxt, `parseTransaction`). How
 * a memo is shown no source says: here it is not, as the published schema has no field for it.
 */
export function requestView(row: Withdrawal): Record<string, unknown> {
  const asset = assetNamed(row.asset)
  const hasTag = row.tag !== null && asset.tag_field === undefined
  const address = hasTag ? `${row.address}?dt=${row.tag}` : row.address
  const coins = { address, ...(row.txid === null ? {} : { transaction_id: row.txid }) }
  return {
    id: Number(row.refid),
    datetime: wholeSeconds(row.at),
    type: asset.withdrawal_type,
    currency: asset.common,
    network: asset.network,
    amount: fixed(figure(row.amount), asset.transfer_decimals),
    status: requestStatus(row),
    txid: Number(row.refid),
    ...(isMoney(asset) ? {} : coins),
  }
}
