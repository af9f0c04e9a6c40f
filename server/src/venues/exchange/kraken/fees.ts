/**
 * What this account pays for what it trades, by market: Kraken lowers its fees with the volume
 * ("Get Trade Volume", docs.kraken.com/api-reference/account-data/get-trade-volume). ccxt has only
 * the price list.
 */
import { format } from '../../../core/decimal.ts'
import { exact, row } from '../answers.ts'
import type { Market } from '../ccxt.ts'
import { hourlyFees } from '../taker-fees.ts'
import type { KrakenCalls } from './calls.ts'

/** How many pairs one call names. */
const PAIRS_PER_CALL = 250

export const takerFees = (calls: KrakenCalls): ((market: Market) => Promise<string>) =>
  hourlyFees(() => readFees(calls))

/** As factors; Kraken writes percent. */
async function readFees({ money, ask, ready }: KrakenCalls): Promise<ReadonlyMap<string, string>> {
  await ready()
  const ids = Object.values(money.markets ?? {})
    .filter((market) => market.active)
    .map((market) => market.id)
  const fees = new Map<string, string>()
  for (let start = 0; start < ids.length; start += PAIRS_PER_CALL) {
    const pair = ids.slice(start, start + PAIRS_PER_CALL).join(',')
    const answer = row(await ask('TradeVolume', { pair }, { urgency: 'lookup' }))
    for (const [id, fee] of Object.entries(row(answer['fees'])))
      fees.set(id, format(exact(row(fee), 'fee') / 100n))
  }
  return fees
}
