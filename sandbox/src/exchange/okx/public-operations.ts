/** OKX's public REST operations: time, instruments, tickers. */
import type { Exchange } from '../exchange.ts'
import { plain, stepOf } from '../figures.ts'
import type { Pair } from '../rules.ts'
import type { Operations } from './rest.ts'

export function publicOperations(exchange: Exchange): Operations {
  const { rules, world } = exchange
  return {
    'GET public/time': () => [{ ts: String(Date.now()) }],
    'GET public/instruments': (fields) =>
      fields['instType'] === 'SPOT' ? rules.pairs.map(instrumentView) : [],
    'GET market/tickers': () => rules.pairs.map((pair) => tickerView(exchange, pair, world.now())),
  }
}

function instrumentView(pair: Pair): object {
  return {
    instType: 'SPOT',
    instId: pair.id,
    baseCcy: pair.base.id,
    quoteCcy: pair.quote.id,
    tickSz: plain(stepOf(pair.pair_decimals)),
    lotSz: plain(stepOf(pair.lot_decimals)),
    minSz: plain(pair.ordermin),
    maxLmtSz: '9999999999',
    maxMktSz: '1000000',
    lever: '',
    state: 'live',
    ruleType: 'normal',
  }
}

/** `vol24h` is in the base asset ("Get ticker"). */
export function tickerView({ matching, market }: Exchange, pair: Pair, now: number): object {
  const { bids, asks } = matching.book(pair)
  const day = market.statistics(pair)
  return {
    instType: 'SPOT',
    instId: pair.id,
    last: plain(day.last),
    askPx: plain(asks[0]?.price ?? 0n),
    askSz: plain(asks[0]?.quantity ?? 0n),
    bidPx: plain(bids[0]?.price ?? 0n),
    bidSz: plain(bids[0]?.quantity ?? 0n),
    open24h: plain(day.open),
    high24h: plain(day.high),
    low24h: plain(day.low),
    vol24h: plain(day.volume),
    ts: String(now),
  }
}
