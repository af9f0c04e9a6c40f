/** Bitstamp's public REST operations, version 2: markets, tickers and order books. */
import type { Exchange } from '../exchange.ts'
import { fixed, plain } from '../figures.ts'
import type { Figure } from '../figures.ts'
import type { Pair } from '../rules.ts'
import { isMoney } from '../rules.ts'
import { ASSETS } from './listing.ts'
import type { Asset } from './listing.ts'
import { pairNamed } from './request.ts'
import type { Operation } from './request.ts'
import { bookView } from './views.ts'

export function publicOperations(exchange: Exchange): Record<string, Operation> {
  const { world, matching, rules } = exchange
  const ticker = (pair: Pair) => tickerView(exchange, pair)
  return {
    currencies: () => ASSETS.map(currencyView),
    markets: () => rules.pairs.map(marketView),
    ticker: (_fields, word) => (word === '' ? rules.pairs.map(ticker) : ticker(pairNamed(word))),
    order_book: (_fields, word) =>
      bookView(pairNamed(word), matching.book(pairNamed(word)), world.now()),
  }
}

/** `CurrencySchema` and `CurrencyNetwork` of Bitstamp's published API; money has no networks. */
function currencyView(asset: Asset): object {
  const { common, network, transfer_decimals, withdraw_minimum } = asset
  return {
    name: common,
    currency: common,
    type: isMoney(asset) ? 'fiat' : 'crypto',
    symbol: common,
    decimals: transfer_decimals,
    available_supply: '0',
    deposit: 'Enabled',
    withdrawal: 'Enabled',
    networks: isMoney(asset)
      ? []
      : [
          {
            network,
            withdrawal_minimum_amount: withdraw_minimum,
            withdrawal_decimals: transfer_decimals,
            deposit: 'Enabled',
            withdrawal: 'Enabled',
          },
        ],
  }
}

function marketView(pair: Pair): object {
  return {
    name: pair.symbol,
    market_symbol: pair.id,
    base_currency: pair.base.common,
    base_decimals: pair.lot_decimals,
    counter_currency: pair.quote.common,
    counter_decimals: pair.pair_decimals,
    minimum_order_value: plain(pair.costmin),
    trading: 'Enabled',
    instant_order_counter_decimals: pair.quote.transfer_decimals,
    instant_and_market_orders: 'Enabled',
    description: `${pair.base.common} / ${pair.quote.common}`,
    market_type: 'SPOT',
  }
}

function tickerView({ world, matching, market }: Exchange, pair: Pair): object {
  const { bids, asks } = matching.book(pair)
  const day = market.statistics(pair)
  const price = (value: Figure) => fixed(value, pair.pair_decimals)
  const change = day.open === 0n ? 0n : ((day.last - day.open) * 100n * 10n ** 18n) / day.open
  return {
    timestamp: String(Math.floor(world.now() / 1000)),
    open: price(day.open),
    high: price(day.high),
    low: price(day.low),
    last: price(day.last),
    volume: fixed(day.volume, 8),
    vwap: price(day.vwap),
    bid: price(bids[0]?.price ?? 0n),
    ask: price(asks[0]?.price ?? 0n),
    side: '0',
    open_24: price(day.open),
    percent_change_24: fixed(change, 2),
    pair: pair.symbol,
  }
}
