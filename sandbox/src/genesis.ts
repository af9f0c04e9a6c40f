/**
 * What exists when the world begins. Each part brings its share into being once, in the commit in which it finds its
 * own tables empty; from then on coins and money only move.
 */

/** What Kontor holds at the venues. */
export const KONTOR = {
  kraken: { EUR: '250000', BTC: '5', ETH: '40', XRP: '10000' },
  bitstamp: { EUR: '150000', BTC: '3', ETH: '25', XRP: '5000' },
  fireblocks: { BTC: '3', ETH: '20', XRP: '5000' },
  managed: { BTC: '2', ETH: '15' },
} as const

/** The coins of the rest of mankind, in wallets of its own. */
export const OUTSIDE = { BTC: '1000', ETH: '20000', XRP: '5000000' } as const
