/** How fine the amounts are that Kraken moves. */
import type { Term } from '../../terms.ts'
import { coarser } from '../withdrawals.ts'
import type { KrakenMoney } from './money.ts'

/**
 * Kraken's books are finer than some ledgers and coarser than others (`decimals` of "Get Asset
 * Info", docs.kraken.com/api-reference/market-data/get-asset-info): what neither has is not moved.
 * Read after the markets, with which they are loaded.
 */
export function decimalsOf({ currencies }: KrakenMoney, term: Term): number {
  const currency = Object.values(currencies ?? {}).find(({ id }) => id === term.native)
  return coarser(term, currency?.info?.['decimals'])
}
