/**
 * Bitstamp's REST operations, version 2: each takes the request's fields and answers the body, or
 * refuses in Bitstamp's words.
 */
import { isValidIBAN } from 'ibantools'
import { isAddress } from '../../chain/address.ts'
import type { Exchange } from '../exchange.ts'
import { figure, fixed, floored, plain, product, productUp, tryFigure } from '../figures.ts'
import type { Figure } from '../figures.ts'
import type { Deposit } from '../deposits.ts'
import type { Withdrawal } from '../withdrawals.ts'
import type { Objection } from '../matching.ts'
import type { Level } from '../order-book.ts'
import type { Order, Side, TimeInForce } from '../orders.ts'
import type { Trade } from '../trades.ts'
import { isMoney } from '../rules.ts'
import type { Pair } from '../rules.ts'
import { ASSETS, BITSTAMP, PAIRS, findAsset, findPair } from './listing.ts'
import type { Asset } from './listing.ts'

/** What is answered instead of a result. */
export class Refusal extends Error {
  readonly status: number
  readonly body: object
  constructor(status: number, body: object) {
    super(JSON.stringify(body))
    this.status = status
    this.body = body
  }
}

export type Fields = Record<string, string | undefined>
/** `word` is what stands in the path: a pair or a currency. */
export type Operation = (fields: Fields, word: string) => unknown

const PAGE = 1_000
/** What the account's list reaches back to. */
const LISTED = 100_000
const BOOK_LEVELS = 100
const LONGEST_TIMEDELTA_SECONDS = 50_000_000

/** The form's refusal: texts per field, `__all__` for the whole. */
export const formRefusal = (field: string, text: string) =>
  new Refusal(400, { status: 'error', reason: { [field]: [text] } })
const notFound = () =>
  new Refusal(404, { status: 'error', reason: 'Order not found.', code: '404.002' })
const short = (exchange: Exchange, asset: Asset) =>
  `You have only ${fixed(exchange.accounts.free('kontor', asset.id), asset.decimals)} ${asset.common} available. Check your account balance for details.`

const time = (milliseconds: number) =>
  new Date(milliseconds).toISOString().replace('T', ' ').replace('Z', '000')
const wholeSeconds = (milliseconds: number) => time(milliseconds).slice(0, 19)
const count = (fields: Fields, name: string, otherwise: number) => {
  const text = fields[name] ?? String(otherwise)
  if (!/^[0-9]{1,9}$/.test(text)) throw formRefusal(name, 'Enter a whole number.')
  return Number(text)
}
const pageOf = <Row>(fields: Fields, rows: Row[]): Row[] => {
  const offset = count(fields, 'offset', 0)
  return rows.slice(offset, offset + Math.min(count(fields, 'limit', 100), PAGE))
}
const amountOf = (text: string | undefined, field: string, digits: number): Figure => {
  const value = tryFigure(text ?? '')
  if (value === undefined || value === 0n) throw formRefusal(field, 'Enter a number.')
  if (floored(value, digits) !== value)
    throw formRefusal(field, `Ensure that there are no more than ${digits} decimal places.`)
  return value
}
const assetNamed = (word: string): Asset => {
  const found = findAsset(word)
  if (found === undefined)
    throw new Refusal(404, { status: 'error', reason: 'Currency not found.' })
  return found
}
const pairNamed = (word: string): Pair => {
  const found = findPair(word)
  if (found === undefined)
    throw new Refusal(404, { status: 'error', reason: 'Invalid currency pair.' })
  return found
}

export function publicOperations({
  world,
  matching,
  market,
  rules,
}: Exchange): Record<string, Operation> {
  const ticker = (pair: Pair) => {
    const { bids, asks } = matching.book(pair)
    const day = market.statistics(pair)
    const price = (value: Figure) => fixed(value, pair.pair_decimals)
    const change = day.open === 0n ? 0n : ((day.last - day.open) * 100n * 10n ** 18n) / day.open
    return {
      timestamp: String(Math.floor(world.now() / 1000)),
      open: price(day.open),
      high: price(day.high),
      low: price(day.low),
      last: price(day.last),
      volume: fixed(day.volume, 8),
      vwap: price(day.vwap),
      bid: price(bids[0]?.price ?? 0n),
      ask: price(asks[0]?.price ?? 0n),
      side: '0',
      open_24: price(day.open),
      percent_change_24: fixed(change, 2),
      pair: pair.symbol,
    }
  }
  return {
    markets: () =>
      rules.pairs.map((pair) => ({
        name: pair.symbol,
        market_symbol: pair.id,
        base_currency: pair.base.common,
        base_decimals: pair.lot_decimals,
        counter_currency: pair.quote.common,
        counter_decimals: pair.pair_decimals,
        minimum_order_value: plain(pair.costmin),
        trading: 'Enabled',
        instant_order_counter_decimals: pair.quote.transfer_decimals,
        instant_and_market_orders: 'Enabled',
        description: `${pair.base.common} / ${pair.quote.common}`,
        market_type: 'SPOT',
      })),
    ticker: (_fields, word) => (word === '' ? rules.pairs.map(ticker) : ticker(pairNamed(word))),
    order_book: (_fields, word) =>
      bookView(pairNamed(word), matching.book(pairNamed(word)), world.now()),
  }
}

/** As the REST call and the stream tell it. */
export function bookView(
  pair: Pair,
  { bids, asks }: { bids: Level[]; asks: Level[] },
  now: number,
): { timestamp: string; microtimestamp: string; bids: string[][]; asks: string[][] } {
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

export function privateOperations(exchange: Exchange): Record<string, Operation> {
  const { world, accounts, orders, matching, funding } = exchange

  const place = (
    side: Side,
    type: 'market' | 'limit',
    pair: Pair,
    volume: Figure,
    fields: Fields,
  ) => {
    const price = type === 'limit' ? amountOf(fields['price'], 'price', pair.pair_decimals) : 0n
    const refused = CLOSED[exchange.status()]?.[type]
    if (refused !== undefined) throw formRefusal('__all__', refused)
    const { tif, expires_at } = timeInForce(type, fields, world.now())
    const placed = matching.place(
      {
        owner: 'kontor',
        pair,
        side,
        type,
        tif,
        expires_at,
        price,
        volume,
        cl_ord_id: fields['client_order_id'] ?? null,
        userref: null,
      },
      false,
    )
    if ('refused' in placed) throw objection(placed.refused, side, pair)
    const { order } = placed
    if (order === undefined) throw new Error('an order that was placed is there')
    return {
      ...orderView(order),
      datetime: time(order.opened_at),
      price: fixed(type === 'limit' ? price : average(order), pair.pair_decimals),
      amount: fixed(volume, pair.lot_decimals),
    }
  }
  const objection = (what: Objection, side: Side, pair: Pair): Refusal => {
    const asset = assetNamed(side === 'buy' ? pair.quote.id : pair.base.id)
    if (what === 'FUNDS') return formRefusal('__all__', short(exchange, asset))
    if (what === 'TICK')
      return formRefusal(
        'price',
        `Ensure that there are no more than ${pair.pair_decimals} decimal places.`,
      )
    if (what === 'STEP')
      return formRefusal(
        'amount',
        `Ensure that there are no more than ${pair.lot_decimals} decimal places.`,
      )
    return formRefusal(
      '__all__',
      `Minimum order size is ${plain(pair.costmin)} ${pair.quote.common}.`,
    )
  }
  /** What the client's money buys at the levels that are there, fee included. */
  const bought = (pair: Pair, money: Figure): Figure => {
    let left = money
    let volume = 0n
    for (const level of matching.book(pair).asks) {
      const cost = product(level.price, level.quantity, 18)
      const whole = cost + productUp(cost, BITSTAMP.taker_fee, 18)
      const part =
        whole <= left ? level.quantity : floored((level.quantity * left) / whole, pair.lot_decimals)
      volume += part
      left -= whole
      if (left <= 0n) break
    }
    return volume
  }
  const limit =
    (side: Side): Operation =>
    (fields, word) => {
      const pair = pairNamed(word)
      return place(
        side,
        'limit',
        pair,
        amountOf(fields['amount'], 'amount', pair.lot_decimals),
        fields,
      )
    }
  const market =
    (side: Side): Operation =>
    (fields, word) => {
      const pair = pairNamed(word)
      return place(
        side,
        'market',
        pair,
        amountOf(fields['amount'], 'amount', pair.lot_decimals),
        fields,
      )
    }
  const find = (fields: Fields): Order => {
    const { id, client_order_id: cl_ord_id } = fields
    const found =
      id !== undefined
        ? orders.byId(id)
        : cl_ord_id === undefined
          ? undefined
          : (orders.open({ cl_ord_id })[0] ??
            orders.closed({ cl_ord_id, offset: 0, limit: 1 }).orders[0])
    if (found === undefined) throw notFound()
    return found
  }
  const withdraw = (asset: Asset, fields: Fields, address: string, tag: string | null) => {
    const amount = amountOf(fields['amount'], 'amount', asset.transfer_decimals)
    if (amount < figure(asset.withdraw_minimum))
      throw formRefusal(
        'amount',
        `Ensure this value is greater than or equal to ${asset.withdraw_minimum}.`,
      )
    const made = funding.withdraw(asset, { key: '', address, tag, amount, fee: funding.fee(asset) })
    if (made === undefined) throw formRefusal('amount', short(exchange, asset))
    return Number(made.refid)
  }

  return {
    account_balances: () =>
      ASSETS.map((asset) => {
        const { total, held } = accounts.of('kontor', asset.id)
        return {
          currency: asset.common.toLowerCase(),
          total: fixed(total, asset.decimals),
          available: fixed(total - held, asset.decimals),
          reserved: fixed(held, asset.decimals),
        }
      }),
    buy: limit('buy'),
    sell: limit('sell'),
    'buy/market': market('buy'),
    'sell/market': market('sell'),
    'buy/instant': (fields, word) => {
      const pair = pairNamed(word)
      return place(
        'buy',
        'market',
        pair,
        bought(pair, amountOf(fields['amount'], 'amount', pair.quote.transfer_decimals)),
        fields,
      )
    },
    'sell/instant': market('sell'),
    order_status(fields) {
      const order = find(fields)
      const pair = pairNamed(order.pair)
      return {
        ...orderView(order),
        datetime: time(order.opened_at),
        status: STATUS[order.status],
        amount_remaining: fixed(figure(order.volume) - figure(order.executed), pair.lot_decimals),
        ...(fields['omit_transactions'] === 'true'
          ? {}
          : { transactions: orders.tradesOf(order.id).map((trade) => tradeView(trade, pair)) }),
      }
    },
    cancel_order(fields) {
      const order = find(fields)
      if (!matching.cancel(order.id)) throw notFound()
      const pair = pairNamed(order.pair)
      return {
        id: Number(order.id),
        amount: Number(order.volume),
        price: Number(order.price),
        type: TYPE[order.side],
        market: pair.symbol,
      }
    },
    user_transactions(fields) {
      const since =
        fields['since_timestamp'] === undefined
          ? {}
          : { from: count(fields, 'since_timestamp', 0) * 1000 }
      const rows = [
        ...funding
          .deposits({ ...since, limit: PAGE })
          .filter((deposit) => deposit.status === 'Success')
          .map((deposit) => ({
            at: deposit.at,
            row: movementView(deposit.refid, '0', deposit.asset, deposit.amount, '0'),
          })),
        ...funding
          .withdrawals({ ...since, limit: PAGE })
          .filter((withdrawal) => withdrawal.status !== 'Failure')
          .map((withdrawal) => ({
            at: withdrawal.at,
            row: movementView(
              withdrawal.refid,
              '1',
              withdrawal.asset,
              `-${withdrawal.amount}`,
              withdrawal.fee,
            ),
          })),
        ...orders
          .trades({ ...since, offset: 0, limit: LISTED })
          .trades.map((trade) => ({ at: trade.at, row: userTrade(trade) })),
      ]
      return pageOf(
        fields,
        rows.toSorted((a, b) => b.at - a.at).map(({ at, row }) => ({ ...row, datetime: time(at) })),
      )
    },
    'crypto-transactions': (fields) => ({
      deposits: pageOf(
        fields,
        funding
          .deposits({ limit: PAGE })
          .filter((deposit) => deposit.asset !== 'EUR')
          .map(depositView),
      ),
      withdrawals: pageOf(
        fields,
        funding
          .withdrawals({ limit: PAGE })
          .filter((withdrawal) => withdrawal.txid !== null && withdrawal.asset !== 'EUR')
          .map((withdrawal) => coinView(withdrawal, withdrawal.address, withdrawal.txid ?? '')),
      ),
      ripple_iou_transactions: [],
    }),
    address(_fields, word) {
      const { address, tag } = funding.address(assetNamed(word))
      return { address, ...(tag === null ? {} : { destination_tag: Number(tag) }) }
    },
    'fees/trading': () =>
      PAIRS.map((pair) => ({
        currency_pair: pair.id,
        market: pair.id,
        fees: { maker: percent(BITSTAMP.maker_fee), taker: percent(BITSTAMP.taker_fee) },
      })),
    'fees/withdrawal': (_fields, word) => {
      const fees = ASSETS.map((asset) => ({
        currency: asset.common.toLowerCase(),
        fee: fixed(funding.fee(asset), asset.transfer_decimals),
        network: asset.network,
      }))
      return word === '' ? fees : (fees.find((fee) => fee.currency === word) ?? assetNamed(word))
    },
    withdrawal(fields, word) {
      const asset = assetNamed(word)
      const address = fields['address'] ?? ''
      if (!isAddress(asset.protocol, address)) throw formRefusal('address', 'Invalid address.')
      return { id: withdraw(asset, fields, address, fields['destination_tag'] ?? null) }
    },
    'withdrawal/open': (fields) => {
      for (const name of BANK_FIELDS)
        if ((fields[name] ?? '') === '') throw formRefusal(name, 'This field is required.')
      if (fields['type'] !== 'sepa') throw formRefusal('type', 'Only SEPA.')
      const asset = assetNamed(fields['account_currency'] ?? '')
      if (!isMoney(asset) || !isValidIBAN(fields['iban'] ?? ''))
        throw formRefusal('iban', 'Invalid IBAN.')
      return { withdrawal_id: withdraw(asset, fields, fields['iban'] ?? '', null) }
    },
    'withdrawal-requests': (fields) => {
      const timedelta = count(fields, 'timedelta', LONGEST_TIMEDELTA_SECONDS)
      if (timedelta > LONGEST_TIMEDELTA_SECONDS)
        throw formRefusal(
          'timedelta',
          `Ensure this value is less than or equal to ${LONGEST_TIMEDELTA_SECONDS}.`,
        )
      const rows = funding.withdrawals({ from: world.now() - timedelta * 1000, limit: PAGE })
      return pageOf(
        fields,
        rows
          .filter((row) => fields['id'] === undefined || row.refid === fields['id'])
          .map(requestView),
      )
    },
    'withdrawal/cancel': (fields) => {
      const row = funding
        .withdrawals({ limit: PAGE })
        .find((withdrawal) => withdrawal.refid === fields['id'])
      if (row === undefined || !funding.cancel(row.refid))
        throw new Refusal(400, { status: 'error', reason: 'Withdrawal can not be cancelled.' })
      return {
        id: Number(row.refid),
        amount: row.amount,
        currency: row.asset,
        account_currency: row.asset,
        type: String(assetNamed(row.asset).withdrawal_type),
      }
    },
  }
}

const BANK_FIELDS = [
  'account_currency',
  'name',
  'iban',
  'bic',
  'address',
  'postal_code',
  'city',
  'country',
  'type',
]
const STATUS = {
  open: 'Open',
  closed: 'Finished',
  canceled: 'Canceled',
  expired: 'Expired',
} as const
const TYPE = { buy: 0, sell: 1 } as const

/** What a halted market refuses, by kind of order. */
const CLOSED: Record<string, Partial<Record<'market' | 'limit', string>> | undefined> = {
  cancel_only: {
    market: 'Trading for specified currency pair is disabled.',
    limit: 'Trading for specified currency pair is disabled.',
  },
  limit_only: { market: 'Market and instant orders for specified currency pair are disabled.' },
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

/**
 * At most one of the flags; the time of a GTD order is in milliseconds. Market orders have none.
 */
function timeInForce(
  type: 'market' | 'limit',
  fields: Fields,
  now: number,
): { tif: TimeInForce; expires_at: number | null } {
  const flags = (
    [
      ['ioc_order', 'IOC'],
      ['fok_order', 'FOK'],
      ['gtd_order', 'GTD'],
    ] as const
  ).filter(([name]) => fields[name]?.toLowerCase() === 'true')
  const [first] = flags
  if (first === undefined) return { tif: 'GTC', expires_at: null }
  if (flags.length > 1 || type === 'market')
    throw formRefusal('__all__', 'Only one of the order options can be used.')
  if (first[1] !== 'GTD') return { tif: first[1], expires_at: null }
  const expires_at = Number(fields['expire_time'])
  if (!Number.isSafeInteger(expires_at) || expires_at <= now)
    throw formRefusal('expire_time', 'Expire time must be in the future.')
  return { tif: 'GTD', expires_at }
}

function average(order: Order): Figure {
  const executed = figure(order.executed)
  return executed === 0n ? 0n : (figure(order.cost) * 10n ** 18n) / executed
}

function percent(fee: Figure): string {
  return fixed(fee * 100n, 5)
}

function orderView(order: Order): Record<string, unknown> {
  return {
    id: order.id,
    market: pairNamed(order.pair).symbol,
    type: String(TYPE[order.side]),
    ...(order.cl_ord_id === null ? {} : { client_order_id: order.cl_ord_id }),
  }
}

function tradeView(trade: Trade, pair: Pair): Record<string, unknown> {
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

function userTrade(trade: Trade): Record<string, unknown> {
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

function movementView(
  refid: string,
  type: '0' | '1',
  asset: string,
  amount: string,
  fee: string,
): Record<string, unknown> {
  const { decimals } = assetNamed(asset)
  return {
    id: Number(refid),
    type,
    fee: fixed(figure(fee), decimals),
    [asset.toLowerCase()]: fixed(figure(amount), decimals),
  }
}

function coinView(
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

function depositView(row: Deposit): Record<string, unknown> {
  const status = { Pending: 'PENDING', Success: 'COMPLETED', Failure: 'FAILED' }[row.status]
  return {
    id: Number(row.refid),
    ...coinView(row, row.address, row.txid),
    status,
    pending_reason: row.status_prop ?? '',
  }
}

function requestView(row: Withdrawal): Record<string, unknown> {
  const asset = assetNamed(row.asset)
  return {
    id: Number(row.refid),
    datetime: wholeSeconds(row.at),
    type: asset.withdrawal_type,
    currency: asset.common,
    network: asset.network,
    amount: fixed(figure(row.amount), asset.transfer_decimals),
    status: row.status_prop === 'canceled' ? CANCELED : REQUEST_STATUS[row.status],
    address: row.tag === null ? row.address : `${row.address}?dt=${row.tag}`,
    txid: Number(row.refid),
    ...(row.txid === null ? {} : { transaction_id: row.txid }),
  }
}
