/**
 * Bitstamp by ccxt. Bitstamp has one pot per asset, so balances name no wallet. Every request
 * carries a random nonce and its time, so calls need no order; in exchange a request may be
 * accepted until its time is too old.
 */
import { decimal, format } from '../../../core/decimal.ts'
import type { Venue } from '../../contract.ts'
import { exact, row, rows, text, word } from '../answers.ts'
import { loadMoney } from '../ccxt.ts'
import type { ExchangeConfig, Market } from '../ccxt.ts'
import { openPrices } from '../prices.ts'
import { openTrading } from '../trading.ts'
import { bitstampBooks } from './books.ts'
import type { BitstampMoney } from './money.ts'
import { bitstampOrders } from './orders.ts'
import { openTransfers } from './transfers.ts'
import { FAILURES, PROTOCOLS } from './vocabulary.ts'

const LISTING_GRACE_MILLISECONDS = 10_000
/** Bitstamp refuses what was signed earlier. */
const REQUEST_WINDOW_MILLISECONDS = 150_000
const FEES_MILLISECONDS = 3_600_000

export async function openBitstamp(config: ExchangeConfig): Promise<Venue> {
  const money = await loadMoney<BitstampMoney>(config)
  const ready = async () => {
    if (money.markets === undefined) await money.loadMarkets(true)
  }
  const grace = config.listing_grace_ms ?? LISTING_GRACE_MILLISECONDS
  // Signed at the latest after the first grace time, accepted at the latest a window later, listed
  // after another grace time.
  const patience = {
    sendWithin: grace,
    absentAfter: 2 * grace + (config.request_window_ms ?? REQUEST_WINDOW_MILLISECONDS),
  }
  const prices = openPrices(money, bitstampBooks(config), FAILURES, takerFees(money))
  const ask = (work: () => Promise<unknown>): Promise<unknown> =>
    FAILURES.reading(async () => {
      await ready()
      return work()
    })

  return {
    kind: 'EXCHANGE',
    async balances() {
      return rows(await ask(() => money.privatePostAccountBalances({})))
        .map((row) => {
          const asset = money.safeCurrencyCode(text(row, 'currency').toUpperCase())
          const [free, used, total] = [
            exact(row, 'available'),
            exact(row, 'reserved'),
            exact(row, 'total'),
          ]
          return {
            wallet: null,
            asset,
            protocol: PROTOCOLS.find((one) => one.asset === asset)?.protocol ?? null,
            free,
            used,
            total,
          }
        })
        .filter((each) => each.total !== 0n || each.protocol !== null)
    },
    async protocols() {
      const fees = rows(await ask(() => money.privatePostFeesWithdrawal({})))
      return PROTOCOLS.filter((entry) => fees.some((fee) => fee['currency'] === entry.native)).map(
        ({ asset, protocol, native, decimals, tagged }) => ({
          asset,
          protocols: [
            {
              protocol,
              native,
              decimals,
              tag_required: tagged,
              min_withdrawal: null,
              max_withdrawal: null,
              deposit: true,
              withdraw: true,
            },
          ],
        }),
      )
    },
    transfers: openTransfers(money, ready, patience),
    trading: openTrading({
      money,
      calls: (work) => work(),
      ready,
      patience,
      failures: FAILURES,
      orders: bitstampOrders(money, ready),
    }),
    prices,
    async close() {
      await prices.close()
      await money.close()
    },
  }
}

/** What this account pays, in percent by market; ccxt has only the price list. */
function takerFees(money: BitstampMoney): (market: Market) => Promise<string> {
  let known: { at: number; fees: Promise<Map<string, string>> } | undefined
  const read = async () =>
    new Map(
      rows(await money.privatePostFeesTrading({})).map((each) => {
        const percent = row(each['fees'])
        return [word(each, 'market'), format(exact(percent, 'taker') / 100n)]
      }),
    )
  return async (market) => {
    if (known === undefined || Date.now() - known.at > FEES_MILLISECONDS)
      known = { at: Date.now(), fees: read() }
    try {
      return (await known.fees).get(market.id) ?? format(decimal(String(market.taker)))
    } catch (error) {
      known = undefined
      throw error
    }
  }
}
