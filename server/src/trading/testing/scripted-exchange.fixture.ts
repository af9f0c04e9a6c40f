/** For tests: an exchange that answers what the test says, with markets of BTC/EUR and ETH/BTC. */
import assert from 'node:assert/strict'
import { decimal } from '../../core/decimal.ts'
import type {
  Lookup,
  MarketPair,
  OrderLookup,
  OrderReport,
  Outcome,
  PriceFeed,
  Trading,
  Venue,
  VenueOrder,
} from '../../venues/index.ts'

export const ETH_BTC: MarketPair = {
  base_asset: 'ETH',
  quote_asset: 'BTC',
  price_step: decimal('0.00001'),
  amount_step: decimal('0.00000001'),
  min_amount: decimal('0.001'),
  taker_fee: decimal('0.0026'),
}

export class ScriptedExchange {
  readonly pair: MarketPair = {
    base_asset: 'BTC',
    quote_asset: 'EUR',
    price_step: decimal('0.1'),
    amount_step: decimal('0.00000001'),
    min_amount: decimal('0.0001'),
    taker_fee: decimal('0.0026'),
  }
  /** What the next calls answer, in order; the last one stays. */
  sends: ((order: VenueOrder) => Outcome<OrderReport>)[] = []
  finds: ((order: OrderLookup) => Lookup<OrderReport>)[] = []
  cancels: ((order: VenueOrder) => Outcome<OrderReport>)[] = []
  sent: VenueOrder[] = []
  canceled: VenueOrder[] = []
  settlement: 'PREFUNDED' | 'POST_TRADE' = 'PREFUNDED'
  #feed: PriceFeed | undefined

  readonly adapter: Venue = {
    kind: 'EXCHANGE',
    balances: async () => [],
    protocols: async () => [],
    close: async () => undefined,
    trading: {
      supports: (kind) => this.supports(kind),
      send: async (order) => {
        this.sent.push(order)
        return nextOf(this.sends, 'send')(order)
      },
      find: async (order) => nextOf(this.finds, 'find')(order),
      cancel: async (order) => {
        this.canceled.push(order)
        return nextOf(this.cancels, 'cancel')(order)
      },
    },
    prices: {
      pairs: async () => [this.pair, ETH_BTC],
      watch: (_pairs, feed) => {
        this.#feed = feed
        return async () => undefined
      },
    },
  }

  /** Takes no FOK and no GTD unless the test says so. */
  supports: Trading['supports'] = ({ tif_mode }) => tif_mode === 'IOC' || tif_mode === 'GTC'

  feed(): PriceFeed {
    assert.ok(this.#feed)
    return this.#feed
  }
}

function nextOf<T>(answers: T[], call: string): T {
  const answer = answers.length > 1 ? answers.shift() : answers[0]
  assert.ok(answer, `the test says what ${call} answers`)
  return answer
}
