/**
 * Pairs and prices of an exchange: what it trades and what this account pays, and the streams that
 * are followed until they are stopped.
 */
import { decimal } from '../../core/decimal.ts'
import type { MarketPair, Prices } from '../contract.ts'
import { exact, row } from './answers.ts'
import type { BookSource } from './book-source.ts'
import type { Books, Market, Money } from './ccxt.ts'
import { PairFollower } from './pair-follower.ts'
import type { Failures } from './wire.ts'

type PricesParts<Source extends Books> = {
  money: Money
  books: BookSource<Source>
  failures: Failures
  /** A market's fee as a factor. */
  takerFee(market: Market): Promise<string>
}

export function openPrices<Source extends Books>(
  parts: PricesParts<Source>,
): Prices & { close(): Promise<void> } {
  const followers = new Set<PairFollower<Source>>()
  return {
    pairs: () => readPairs(parts),
    watch(pairs, feed) {
      const follower = new PairFollower(parts.books, [...pairs], feed, parts.failures)
      followers.add(follower)
      return async () => {
        followers.delete(follower)
        await follower.stop()
      }
    },
    close: async () => {
      await Promise.all([...followers].map((follower) => follower.stop()))
    },
  }
}

async function readPairs<Source extends Books>({
  money,
  failures,
  takerFee,
}: PricesParts<Source>): Promise<MarketPair[]> {
  const markets = Object.values(await failures.reading(() => money.loadMarkets(true)))
  return Promise.all(
    markets
      .filter((market) => market.active)
      .map(async (market): Promise<MarketPair> => {
        const { min } = row(market.limits.amount)
        return {
          base_asset: market.base,
          quote_asset: market.quote,
          price_step: exact(row(market.precision), 'price'),
          amount_step: exact(row(market.precision), 'amount'),
          // Where only the value has a minimum, one step is the least amount.
          min_amount:
            min === undefined
              ? exact(row(market.precision), 'amount')
              : exact(row(market.limits.amount), 'min'),
          taker_fee: decimal(String(await failures.reading(() => takerFee(market)))),
        }
      }),
  )
}
