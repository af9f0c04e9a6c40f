/** The account's trades at Bitstamp, among all of its movements: each tells its pair by the field that holds the price. */
import { absolute } from '../../../core/decimal.ts'
import { optionalText, row, rows, unreadable, word } from '../answers.ts'
import type { Row } from '../answers.ts'
import type { Market } from '../ccxt.ts'
import { remembered } from '../trades.ts'
import type { TradeSource, Traded } from '../trades.ts'
import type { BitstampMoney } from './money.ts'
import { FAILURES, NOT_FOUND, amount, milliseconds } from './words.ts'

const PAGE = 1_000
const TRADE = '2'
/** An order may be known so much later than its trade. */
const KNOWN_LATE_MILLISECONDS = 600_000

export const isBusted = (each: Row): boolean => each['status'] === 'busted'

const priceField = ({ base, quote }: Market) => `${base.toLowerCase()}_${quote.toLowerCase()}`

export function bitstampTrades(money: BitstampMoney, ready: () => Promise<void>): TradeSource {
  /** By order, of the last reading. */
  let traded_at: ReadonlyMap<string, number> = new Map()
  const marketOf = async (each: Row): Promise<Market> => {
    const find = () =>
      Object.values(money.markets ?? {}).find((market) => each[priceField(market)] !== undefined)
    const found = find()
    if (found !== undefined) return found
    await money.loadMarkets(true)
    const listed = find()
    if (listed === undefined) throw unreadable('the pair of a trade')
    return listed
  }
  const tradeOf = async (each: Row): Promise<Traded> => {
    const market = await marketOf(each)
    const quantity = amount(each, market.base.toLowerCase())
    return {
      foreign_id: word(each, 'id'),
      order_foreign_id: word(each, 'order_id'),
      base_asset: market.base,
      quote_asset: market.quote,
      side: quantity > 0n ? 'BUY' : 'SELL',
      price: amount(each, priceField(market)),
      quantity: absolute(quantity),
      volume: absolute(amount(each, market.quote.toLowerCase())),
      fee: amount(each, 'fee'),
      fee_asset: market.quote,
      liquidity: 'UNKNOWN',
      executed_at: milliseconds(each, 'datetime'),
      busted: isBusted(each),
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
        for (const each of page) if (word(each, 'type') === TRADE) seen.set(word(each, 'id'), each)
        if (
          page.length < PAGE ||
          (since !== null && page.some((each) => milliseconds(each, 'datetime') < since))
        )
          break
      }
      const trades: Traded[] = []
      for (const each of seen.values()) trades.push(await tradeOf(each))
      traded_at = new Map(trades.map((each) => [each.order_foreign_id, each.executed_at]))
      return since === null ? trades : trades.filter((each) => each.executed_at >= since)
    },
    clientIds: remembered(async (order_ids) => {
      const known = new Map<string, string | null>()
      for (const id of order_ids) known.set(id, await clientIdOf(id))
      return known
    }),
  }

  /** Bitstamp forgets orders after a month: what is so old was known long ago if it was ours. One just traded may still prove to be ours. */
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
