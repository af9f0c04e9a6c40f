/** For the tests of this folder: prices that a test sends, and their pieces. */
import assert from 'node:assert/strict'
import { decimal } from '../core/decimal.ts'
import type { MarketPair, OrderBook, PriceFeed, Prices, Ticker } from '../venues/index.ts'

export const START = 1_800_000_000_000

export type FakePrices = Prices & { feed: () => PriceFeed; stops: () => number }

/** The prices of a venue as a test sends them. */
export function fakePrices(pairs: MarketPair[]): FakePrices {
  let feed: PriceFeed | undefined
  let stops = 0
  return {
    pairs: async () => pairs,
    watch: (_pairs, opened) => {
      feed = opened
      return async () => {
        stops += 1
      }
    },
    feed: () => {
      assert.ok(feed)
      return feed
    },
    stops: () => stops,
  }
}

export const pairOf = (symbol: string): MarketPair => ({
  ...assetsOf(symbol),
  price_step: decimal('0.1'),
  amount_step: decimal('0.00000001'),
  min_amount: decimal('0.0001'),
  taker_fee: decimal('0.0026'),
})

/** An order book of one level on each side. */
export const bookOf = (
  symbol: string,
  { bid, ask }: { bid: string; ask: string },
  received_at: number,
): OrderBook => ({
  ...assetsOf(symbol),
  bids: [{ price: decimal(bid), quantity: decimal('1') }],
  asks: [{ price: decimal(ask), quantity: decimal('1') }],
  received_at,
})

export const tickerOf = (
  symbol: string,
  { bid, ask }: { bid: string; ask: string },
  received_at: number,
): Ticker => ({
  ...assetsOf(symbol),
  bid: decimal(bid),
  ask: decimal(ask),
  last: decimal(bid),
  volume_24h: decimal('10'),
  change_24h: decimal('0.01'),
  received_at,
})

function assetsOf(symbol: string): { base_asset: string; quote_asset: string } {
  const [base_asset = '', quote_asset = ''] = symbol.split('/')
  return { base_asset, quote_asset }
}
