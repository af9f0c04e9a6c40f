/**
 * The account's trades at Bitstamp, among all of its movements: each tells its pair by the field
 * that holds the price.
 */
import { absolute } from '../../../core/decimal.ts'
import { optionalText, row, rows, unreadable, word } from '../answers.ts'
import type { Row } from '../answers.ts'
import type { Market } from '../ccxt.ts'
import { remembered } from '../trades.ts'
import type { TradeSource, ListedTrade } from '../trades.ts'
import type { BitstampMoney } from './money.ts'
import { FAILURES, NOT_FOUND, amount, milliseconds } from './vocabulary.ts'

const PAGE = 1_000
const TRADE = '2'
/** An order may be known so much later than its trade. */
const KNOWN_LATE_MILLISECONDS = 600_000

export const isBusted = (row: Row): boolean => row['status'] === 'busted'

const priceField = ({ base, quote }: Market) => `${base.toLowerCase()}_${quote.toLowerCase()}`

export function bitstampTrades(money: BitstampMoney, ready: () => Promise<void>): TradeSource {
  /** By order, of the last reading. */
  let traded_at: ReadonlyMap<string, number> = new Map()
  const marketOf = async (row: Row): Promise<Market> => {
    const find = () =>
      Object.values(money.markets ?? {}).find((market) => row[priceField(market)] !== undefined)
    const found = find()
    if (found !== undefined) return found
    await money.loadMarkets(true)
    const listed = find()
    if (listed === undefined) throw unreadable('the pair of a trade')
    return listed
  }
  const tradeOf = async (row: Row): Promise<ListedTrade> => {
    const market = await marketOf(row)
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
  return {
    /** Newest first by offset: what comes meanwhile only repeats what was read. */
    async read(since) {
      await ready()
      const seen = new Map<string, Row>()
      for (let offset = 0; ; offset += PAGE) {
        const page = rows(
          await money.privatePostUserTransactions({
            offset: String(offset),
            limit: String(PAGE),
            sort: 'desc',
          }),
        )
        for (const row of page) if (word(row, 'type') === TRADE) seen.set(word(row, 'id'), row)
        if (
          page.length < PAGE ||
          (since !== null && page.some((row) => milliseconds(row, 'datetime') < since))
        )
          break
      }
      const trades: ListedTrade[] = []
      for (const row of seen.values()) trades.push(await tradeOf(row))
      traded_at = new Map(trades.map((trade) => [trade.order_foreign_id, trade.executed_at]))
      return since === null ? trades : trades.filter((trade) => trade.executed_at >= since)
    },
    clientIds: remembered(async (order_ids) => {
      const known = new Map<string, string | null>()
      for (const id of order_ids) known.set(id, await clientIdOf(id))
      return known
    }),
  }

  /**
   * Bitstamp forgets orders after a month: what is so old was known long ago if it was ours. One
   * just traded may still prove to be ours.
   */
  async function clientIdOf(id: string): Promise<string | null> {
    try {
      return optionalText(
        row(await money.privatePostOrderStatus({ id, omit_transactions: 'true' })),
        'client_order_id',
      )
    } catch (error) {
      if (!NOT_FOUND.test(FAILURES.failureOf(error).native ?? '')) throw error
      if (Date.now() - (traded_at.get(id) ?? 0) < KNOWN_LATE_MILLISECONDS)
        throw unreadable(`order ${id}`)
      return null
    }
  }
}
