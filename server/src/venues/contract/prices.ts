/** Pairs, order books and tickers of a venue. */
import type { Decimal } from '../../core/decimal.ts'

export type Level = { price: Decimal; quantity: Decimal }

export type MarketPair = {
  base_asset: string
  quote_asset: string
  price_step: Decimal
  amount_step: Decimal
  min_amount: Decimal
  /** Taker fee as a factor: 0.0026 is 0.26 %. */
  taker_fee: Decimal
}

export type OrderBook = {
  base_asset: string
  quote_asset: string
  /** Best first. */
  bids: Level[]
  asks: Level[]
  received_at: number
}

export type Ticker = {
  base_asset: string
  quote_asset: string
  bid: Decimal
  ask: Decimal
  last: Decimal
  /** In the base asset, over the last 24 hours. */
  volume_24h: Decimal
  /** Change of the last 24 hours as a factor: 0.02 is 2 %; null when the venue does not say. */
  change_24h: Decimal | null
  received_at: number
}

export type PriceFeed = {
  /** Answers why nobody may trade by this book: its source then builds it anew. */
  book(book: OrderBook): string | undefined
  ticker(ticker: Ticker): void
  /** The feed of this pair is broken until the next book. */
  lost(base_asset: string, quote_asset: string, reason: string): void
}

export type Prices = {
  pairs(): Promise<MarketPair[]>
  /** Streams until the returned function is called; reconnects by itself. */
  watch(
    pairs: readonly { base_asset: string; quote_asset: string }[],
    feed: PriceFeed,
  ): () => Promise<void>
}
