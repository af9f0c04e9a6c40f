/**
 * What exists when the world begins. Each part creates its share once, in the commit that finds
 * its own tables empty. From then on coins and money only move.
 */

/** What Kontor holds at the venues. */
export const KONTOR = {
  kraken: {
    EUR: '250000',
    BTC: '5',
    ETH: '40',
    XRP: '10000',
    USDC: '40000',
    LTC: '100',
    XLM: '30000',
  },
  bitstamp: {
    EUR: '150000',
    BTC: '3',
    ETH: '25',
    XRP: '5000',
    USDC: '30000',
    LTC: '80',
    XLM: '20000',
  },
  okx: { EUR: '100000', BTC: '1', ETH: '5', XRP: '1000' },
  okx_funding: { EUR: '50000', BTC: '1', ETH: '15', XRP: '4000' },
  fireblocks: { BTC: '3', ETH: '20', XRP: '5000', USDC: '20000', LTC: '60', XLM: '15000' },
  managed: { BTC: '2', ETH: '15', USDC: '10000', LTC: '30' },
} as const

/** The coins of everybody else. */
export const OUTSIDE = {
  BTC: '1000',
  ETH: '20000',
  XRP: '5000000',
  USDC: '10000000',
  LTC: '20000',
  XLM: '10000000',
} as const
