/**
 * The account's trades at Bitstamp, among all of its movements: the field that holds the price is
 * named after the pair.
 */
import { absolute } from '../../../core/decimal.ts'
import { rawText, readRows, recordId } from '../../set-aside/records.ts'
import { optionalText, row, rows, unreadableAnswer, word } from '../answers.ts'
import type { Row } from '../answers.ts'
import type { Market } from '../ccxt.ts'
import { rememberClientIds } from '../trades.ts'
import type { TradeSource, ListedTrade } from '../trades.ts'
import type { BitstampMoney } from './money.ts'
import { FAILURES, NOT_FOUND, amount, milliseconds } from './vocabulary.ts'

const PAGE = 1_000
const TRADE = '2'
/** An order may be known this much later than its trade. */
const KNOWN_LATE_MILLISECONDS = 600_000

export const isBusted = (row: Row): boolean => row['status'] === 'busted'

const priceField = ({ base, quote }: Market) => `${base.toLowerCase()}_${quote.toLowerCase()}`

export function bitstampTrades(money: BitstampMoney, ready: () => Promise<void>): TradeSource {
  /** By order, of the last reading. */
  let tradedAt: ReadonlyMap<string, number> = new Map()
  return {
    async read(since) {
      await ready()
      const listed = await readTradeRows(money, since)
      // A pair may be new.
      if (listed.some((row) => marketOf(money, row) === undefined)) await money.loadMarkets(true)
      const { movements: trades, set_aside } = readRows(listed, {
        direction: null,
        idOf: (row) => row['id'],
        read: (row) => [tradeOf(money, row)],
      })
      tradedAt = new Map(trades.map((trade) => [trade.order_foreign_id, trade.executed_at]))
      const isSince = (trade: ListedTrade) => since === null || trade.executed_at >= since
      return { trades: trades.filter(isSince), set_aside }
    },
    clientIds: rememberClientIds(async (order_ids) => {
      const known = new Map<string, string | null>()
      for (const id of order_ids)
        known.set(id, await clientIdOf(money, id, () => tradedAt.get(id) ?? 0))
      return known
    }),
  }
}

/** Newest first by offset: what comes meanwhile only repeats what was read. */
async function readTradeRows(money: BitstampMoney, since: number | null): Promise<Row[]> {
  const seen = new Map<string, Row>()
  for (let offset = 0; ; offset += PAGE) {
    const page = rows(
      await money.privatePostUserTransactions({
        offset: String(offset),
        limit: String(PAGE),
        sort: 'desc',
      }),
    )
    for (const row of page)
      if (String(row['type']) === TRADE) seen.set(recordId(row['id'], rawText(row)), row)
    const reached = since !== null && page.some((row) => isBefore(row, since))
    if (page.length < PAGE || reached) return [...seen.values()]
  }
}

/** A row whose time cannot be read is set aside with its trade. */
function isBefore(row: Row, since: number): boolean {
  try {
    return milliseconds(row, 'datetime') < since
  } catch {
    return false
  }
}

function tradeOf(money: BitstampMoney, row: Row): ListedTrade {
  const market = marketOf(money, row)
  if (market === undefined) throw unreadableAnswer('the pair of a trade')
  const quantity = amount(row, market.base.toLowerCase())
  return {
    foreign_id: word(row, 'id'),
    order_foreign_id: word(row, 'order_id'),
    base_asset: market.base,
    quote_asset: market.quote,
    side: quantity > 0n ? 'BUY' : 'SELL',
    price: amount(row, priceField(market)),
    quantity: absolute(quantity),
    volume: absolute(amount(row, market.quote.toLowerCase())),
    fee: amount(row, 'fee'),
    fee_asset: market.quote,
    liquidity: 'UNKNOWN',
    executed_at: milliseconds(row, 'datetime'),
    busted: isBusted(row),
  }
}

/** The pair that the row has a price of. */
const marketOf = (money: BitstampMoney, row: Row): Market | undefined =>
  Object.values(money.markets ?? {}).find((market) => row[priceField(market)] !== undefined)

/**
 * Bitstamp forgets orders after a month: what is so old was known long ago if it was ours. One
 * just traded may still prove to be ours.
 */
async function clientIdOf(
  money: BitstampMoney,
  id: string,
  tradedAt: () => number,
): Promise<string | null> {
  try {
    return optionalText(
      row(await money.privatePostOrderStatus({ id, omit_transactions: 'true' })),
      'client_order_id',
    )
  } catch (error) {
    if (!NOT_FOUND.test(FAILURES.failureOf(error).native ?? '')) throw error
    if (Date.now() - tradedAt() < KNOWN_LATE_MILLISECONDS) throw unreadableAnswer(`order ${id}`)
    return null
  }
}
