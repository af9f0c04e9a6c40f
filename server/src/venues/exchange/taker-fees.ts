/** What this account pays for what it trades, by market, asked once an hour. */
import type { Market } from './ccxt.ts'

const FRESH_MILLISECONDS = 3_600_000

type Fees = ReadonlyMap<string, string>

/** As factors by the market's id; of a market without one the price list of ccxt is taken. */
export function hourlyFees(read: () => Promise<Fees>): (market: Market) => Promise<string> {
  let known: { at: number; fees: Promise<Fees> } | undefined
  return async (market) => {
    if (known === undefined || Date.now() - known.at > FRESH_MILLISECONDS)
      known = { at: Date.now(), fees: read() }
    try {
      return (await known.fees).get(market.id) ?? String(market.taker)
    } catch (error) {
      known = undefined
      throw error
    }
  }
}
