/** How the simulated exchange fills orders and publishes prices. */
import type { Clock } from '../../src/core/clock.ts'
import { decimal, multiply } from '../../src/core/decimal.ts'
import type { OrderReport, PriceFeed, Venue, VenueOrder } from '../../src/venues/index.ts'
import type { SimulatedVenues } from './venues.ts'

type Trading = NonNullable<Venue['trading']>
type Prices = NonNullable<Venue['prices']>

const PAIR = { base_asset: 'BTC', quote_asset: 'EUR' }
const PRICE = decimal('60000')
const HALF_SPREAD = decimal('10')
const TAKER_FEE = decimal('0.001')

export function simulatedTrading(venues: SimulatedVenues): Trading {
  const orders = new Map<string, OrderReport>()
  return {
    supports: () => true,
    async send(order) {
      const outcome = venues.nextOutcome()
      if (outcome === 'refused') return { outcome, reason: 'no', native: 'NO' }
      const report = fillOf(order, venues.clock.now())
      orders.set(order.client_order_id, report)
      return outcome === 'unknown'
        ? { outcome, reason: 'the answer was lost' }
        : { outcome, report }
    },
    async find({ client_order_id }) {
      const report = orders.get(client_order_id)
      return report === undefined ? { lookup: 'absent' } : { lookup: 'found', report }
    },
    cancel: async () => ({ outcome: 'refused', reason: 'it is filled', native: null }),
  }
}

export function simulatedPrices(venues: SimulatedVenues): Prices {
  return {
    pairs: async () => [
      {
        ...PAIR,
        price_step: decimal('0.1'),
        amount_step: decimal('0.00000001'),
        min_amount: decimal('0.0001'),
        taker_fee: TAKER_FEE,
      },
    ],
    watch(_pairs, feed) {
      venues.feeds.add(feed)
      publishPrice(feed, venues.clock)
      return async () => {
        venues.feeds.delete(feed)
      }
    },
  }
}

export function publishPrice(feed: PriceFeed, clock: Clock): void {
  const received_at = clock.now()
  const levels = (step: bigint) =>
    Array.from({ length: 5 }, (_, index) => ({
      price: PRICE + step * BigInt(index + 1),
      quantity: decimal('2'),
    }))
  feed.book({ ...PAIR, bids: levels(-HALF_SPREAD), asks: levels(HALF_SPREAD), received_at })
  feed.ticker({
    ...PAIR,
    bid: PRICE - HALF_SPREAD,
    ask: PRICE + HALF_SPREAD,
    last: PRICE,
    volume_24h: decimal('1000'),
    change_24h: decimal('0.01'),
    received_at,
  })
}

function fillOf(order: VenueOrder, executed_at: number): OrderReport {
  const price = order.side === 'BUY' ? PRICE + HALF_SPREAD : PRICE - HALF_SPREAD
  const volume = multiply(price, order.quantity, 18, 'up')
  return {
    foreign_id: `O-${order.client_order_id}`,
    state: 'FILLED',
    reason: null,
    filled_quantity: order.quantity,
    fills: [
      {
        foreign_id: `F-${order.client_order_id}`,
        price,
        quantity: order.quantity,
        volume,
        fee: multiply(volume, TAKER_FEE, 18, 'up'),
        fee_asset: 'EUR',
        liquidity: 'TAKER',
        executed_at,
        busted: false,
      },
    ],
  }
}
