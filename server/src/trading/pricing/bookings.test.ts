import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { decimal, format, multiply, sum, unitOf } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { bookFill } from './bookings.ts'
import type { BookedShare } from './bookings.ts'
import {
  anyCustomer,
  assertNothingOnTrading,
  effectOf,
  HOUSE,
  sharesOf,
  venuesOf,
} from './bookings.testing.ts'
import type { Customer } from './bookings.testing.ts'
import { neededAfter, sumTrades } from './positions.ts'
import type { PathHop, Pricing, Trade } from './positions.ts'
import { priceNotional, toStep } from './pricing.ts'
import type { Side } from './pricing.ts'

const DIRECT: PathHop[] = [{ hop_no: 1, venue_id: 'a', base_asset: 'BTC', quote_asset: 'EUR' }]
const TWO: PathHop[] = [
  { hop_no: 1, venue_id: 'a', base_asset: 'ETH', quote_asset: 'BTC' },
  { hop_no: 2, venue_id: 'b', base_asset: 'BTC', quote_asset: 'EUR' },
]

const anyFill = fc
  .record({
    amount: fc.bigInt({ min: 1n, max: 10n ** 9n }),
    price: fc.bigInt({ min: 1n, max: 10n ** 6n }),
    fee_rate: fc.bigInt({ min: 0n, max: 40n }),
    in_base: fc.boolean(),
  })
  .map(({ amount, price, fee_rate, in_base }): Trade => {
    const [quantity, unit_price] = [amount * unitOf(8), price * unitOf(1)]
    const volume = multiply(quantity, unit_price, 10, 'half_even')
    return {
      hop_no: 1,
      quantity,
      volume,
      fee: multiply(in_base ? quantity : volume, fee_rate * unitOf(4), 10, 'half_even'),
      fee_asset: in_base ? 'BTC' : 'EUR',
    }
  })

const anyTrade = fc.record({
  side: fc.constantFrom<Side>('BUY', 'SELL'),
  firm: fc.boolean(),
  prefunded: fc.boolean(),
  quote_scale: fc.integer({ min: 0, max: 8 }),
  fills: fc.array(anyFill, { minLength: 1, maxLength: 6 }),
  customers: fc.array(anyCustomer, { minLength: 1, maxLength: 4 }),
})

type AnyTrade = {
  side: Side
  firm: boolean
  quote_scale: number
  fills: readonly Trade[]
  customers: readonly { schema: Customer['schema']; weight: bigint; margin: bigint; risk: bigint }[]
}

/** A firm price is of one customer. */
function customersOf({ side, firm, quote_scale, fills, customers }: AnyTrade): Customer[] {
  const volume = sum(fills.map((fill) => fill.volume))
  const amount = sum(fills.map((fill) => fill.quantity))
  const drafts = firm ? customers.slice(0, 1) : customers
  return drafts.map(({ schema, weight, margin, risk }): Customer => {
    const terms = {
      taker_fee: decimal('0.0026'),
      risk: risk * unitOf(4),
      margin: margin * unitOf(4),
    }
    const notional = toStep((volume * 99n) / 100n, unitOf(quote_scale), 'down')
    const promised = priceNotional(side, amount, notional, { terms, scale: quote_scale })
    return {
      schema,
      weight: weight * unitOf(8),
      pricing: {
        side,
        base_scale: 8,
        quote_scale,
        terms,
        firm: firm && promised.total > 0n ? promised : undefined,
      },
    }
  })
}

/** As they come one by one; one that is taken back in between leaves no trace. */
const stepsOf = (fills: readonly Trade[]): Trade[][] => [
  [],
  ...fills.map((_fill, index) => fills.slice(0, index + 1)),
  fills.slice(1),
  [...fills],
]

function assertFullShare(
  { after, schema }: BookedShare,
  { side, firm, quote_scale }: Pricing,
  effect: string,
): void {
  if (firm !== undefined) assert.equal(after.total, firm.total)
  assert.equal(effect, format(side === 'BUY' ? -after.total : after.total))
  assert.equal(after.total % unitOf(quote_scale), 0n)
  // Of the market's price only what rounding left may land on ROUNDING.
  if (firm === undefined && after.total > 0n && schema === 'ADVANCED')
    assert.ok(after.rounding >= 0n && after.rounding <= 2n * unitOf(quote_scale))
}

describe('the bookings of fills at one venue', () => {
  it(
    'come to the same whole however it was filled and taken back; TRADING ends at 0; ' +
      'customers get all that was traded',
    () => {
      fc.assert(
        fc.property(anyTrade, (trade) => {
          const { side, prefunded, fills } = trade
          const customers = customersOf(trade)
          const at = (trades: readonly Trade[]) =>
            sumTrades(trades, {
              side,
              path: DIRECT,
              targets: new Map(),
              base_scale: 8,
              ended: false,
            })
          const basis = {
            execution_id: 'x',
            side,
            base_asset: 'BTC',
            quote_asset: 'EUR',
            house: HOUSE,
            venues: venuesOf(prefunded),
          }
          const steps = stepsOf(fills)
          const pieces = steps.slice(1).flatMap((trades, index) =>
            bookFill({
              ...basis,
              shares: sharesOf(customers, at(steps[index] ?? []), at(trades)),
            }),
          )
          const shares = sharesOf(customers, at([]), at(fills))
          const effect = effectOf(pieces)
          assert.deepEqual(effect, effectOf(bookFill({ ...basis, shares })))
          if (prefunded) assertNothingOnTrading(effect)
          const got = shares.map((share) => share.after.filled)
          assert.deepEqual(
            {
              amount: sum(got.map((own) => own.amount)),
              volume: sum(got.map((own) => own.volume)),
            },
            {
              amount: sum(fills.map((fill) => fill.quantity)),
              volume: sum(fills.map((fill) => fill.volume)),
            },
          )
          for (const [index, share] of shares.entries()) {
            const { pricing } = customers[index] as Customer
            assertFullShare(share, pricing, effect[`CUSTOMER ${index} EUR`] ?? '0')
          }
        }),
        { numRuns: 300 },
      )
    },
  )
})

const anyPath = fc.record({
  side: fc.constantFrom<Side>('BUY', 'SELL'),
  drafts: fc.array(anyCustomer, { minLength: 1, maxLength: 3 }),
  steps: fc.bigInt({ min: 10n ** 5n, max: 10n ** 9n }),
  price: fc.bigInt({ min: 100n, max: 900n }),
  whole: fc.boolean(),
})

const withFee = (trade: Omit<Trade, 'fee'>, digits: number): Trade => ({
  ...trade,
  fee: multiply(trade.volume, decimal('0.0026'), digits, 'half_even'),
})

/** The trade at the first hop, and what the second one has to trade for it. */
function firstTrade(side: Side, steps: bigint, price: bigint): { first: Trade; target: Decimal } {
  const first = withFee(
    {
      hop_no: 1,
      quantity: steps * unitOf(8),
      volume: multiply(steps * unitOf(8), price * unitOf(4), 10, 'half_even'),
      fee_asset: 'BTC',
    },
    10,
  )
  const needed = neededAfter(side, {
    ...(TWO[0] as PathHop),
    amount: first.quantity,
    volume: first.volume,
    fees: new Map([['BTC', first.fee]]),
  })
  return { first, target: toStep(needed, unitOf(8), side === 'BUY' ? 'up' : 'down') }
}

function secondTrade(quantity: Decimal): Trade {
  const volume = multiply(quantity, decimal('60000.1'), 5, 'half_even')
  return withFee({ hop_no: 2, quantity, volume, fee_asset: 'EUR' }, 5)
}

function assertShareOfPath(
  { after, schema }: BookedShare,
  side: Side,
  effect: { ETH: string; EUR: string },
): void {
  assert.deepEqual(effect, {
    ETH: format(side === 'BUY' ? after.base : -after.base),
    EUR: format(side === 'BUY' ? -after.total : after.total),
  })
  if (schema === 'ADVANCED')
    assert.ok(
      after.rounding >= -unitOf(2) && after.rounding <= 3n * unitOf(2),
      format(after.rounding),
    )
}

describe('the bookings of fills over two hops at two venues', () => {
  it(
    'book each hop in its turn, the customers when both have ended; TRADING ends at 0, ' +
      'BTC is left to ROUNDING',
    () => {
      fc.assert(
        fc.property(anyPath, ({ side, drafts, steps, price, whole }) => {
          const customers = drafts.map(({ schema, weight, margin }): Customer => {
            const terms = { taker_fee: decimal('0.0052'), risk: 0n, margin: margin * unitOf(4) }
            return {
              schema,
              weight: weight * unitOf(8),
              pricing: { side, base_scale: 8, quote_scale: 2, terms, firm: undefined },
            }
          })
          const { first, target } = firstTrade(side, steps, price)
          fc.pre(target > 1000n * unitOf(8))
          const second = secondTrade(whole ? target : toStep(target / 3n, unitOf(8), 'down'))
          const targets = new Map([
            [1, first.quantity],
            [2, target],
          ])
          const at = (trades: readonly Trade[], ended: boolean) =>
            sumTrades(trades, { side, path: TWO, targets, base_scale: 8, ended })
          const basis = {
            execution_id: 'x',
            side,
            base_asset: 'ETH',
            quote_asset: 'EUR',
            house: HOUSE,
            venues: venuesOf(true),
          }
          const [none, one, both] = [at([], false), at([first], false), at([first, second], true)]
          const shares = sharesOf(customers, one, both)
          const effect = effectOf([
            ...bookFill({ ...basis, shares: sharesOf(customers, none, one) }),
            ...bookFill({ ...basis, shares }),
          ])
          assertNothingOnTrading(effect)
          assert.equal(both.complete, whole)
          for (const [index, share] of shares.entries())
            assertShareOfPath(share, side, {
              ETH: effect[`CUSTOMER ${index} ETH`] ?? '0',
              EUR: effect[`CUSTOMER ${index} EUR`] ?? '0',
            })
          if (!whole) return
          assert.equal(both.amount, first.quantity)
          if (!drafts.every((draft) => draft.schema === 'ADVANCED')) return
          // What the fee of the first hop took of the shared asset was bought for it: the venue's
          // fee in BTC is square.
          assert.equal(effect['FEE BTC'], undefined)
          assert.ok(decimal((effect['ROUNDING BTC'] ?? '0').replace('-', '')) <= unitOf(8))
        }),
        { numRuns: 300 },
      )
    },
  )
})
