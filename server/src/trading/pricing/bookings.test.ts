import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { decimal, format, multiply, ONE, sum, unitOf } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import type { BookingDraft } from '../../ledger/index.ts'
import { bookFill } from './bookings.ts'
import type { BookedShare, VenueAccounts } from './bookings.ts'
import { allotByWeight, sumTrades, neededAfter, positionFrom, splitFilled } from './positions.ts'
import type { FilledPosition, PathHop, Pricing, Trade } from './positions.ts'
import { priceFilled, priceNotional, toStep } from './pricing.ts'
import type { Side } from './pricing.ts'

const HOUSE = { FEE: 'FEE', RISK: 'RISK', MARGIN: 'MARGIN', ROUNDING: 'ROUNDING' }
const DIRECT: PathHop[] = [{ hop_no: 1, venue_id: 'a', base_asset: 'BTC', quote_asset: 'EUR' }]
const TWO: PathHop[] = [
  { hop_no: 1, venue_id: 'a', base_asset: 'ETH', quote_asset: 'BTC' },
  { hop_no: 2, venue_id: 'b', base_asset: 'BTC', quote_asset: 'EUR' },
]
const venuesOf = (prefunded: boolean) =>
  new Map<string, VenueAccounts>(
    ['a', 'b'].map((id) => [id, { VENUE: `VENUE ${id}`, TRADING: `TRADING ${id}`, prefunded }]),
  )

/** Credits less debits, by account and asset. */
function effectOf(bookings: readonly BookingDraft[]): Record<string, string> {
  const effect = new Map<string, Decimal>()
  for (const booking of bookings) {
    let total = 0n
    for (const leg of booking.legs) {
      assert.ok(leg.quantity > 0n)
      const credit = leg.type === 'CREDIT' ? leg.quantity : -leg.quantity
      total += credit
      const key = `${leg.account_id} ${booking.asset}`
      effect.set(key, (effect.get(key) ?? 0n) + credit)
    }
    assert.equal(total, 0n)
    assert.ok(booking.legs.length >= 2)
  }
  return Object.fromEntries(
    [...effect]
      .filter(([, value]) => value !== 0n)
      .map(([key, value]) => [key, format(value)])
      .toSorted(),
  )
}

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

const anyCustomer = fc.record({
  schema: fc.constantFrom<'ADVANCED' | 'SIMPLE'>('ADVANCED', 'SIMPLE'),
  weight: fc.bigInt({ min: 1n, max: 10n ** 6n }),
  margin: fc.bigInt({ min: 0n, max: 200n }),
  risk: fc.bigInt({ min: 0n, max: 50n }),
})
const anyTrade = fc.record({
  side: fc.constantFrom<Side>('BUY', 'SELL'),
  firm: fc.boolean(),
  prefunded: fc.boolean(),
  quote_scale: fc.integer({ min: 0, max: 8 }),
  fills: fc.array(anyFill, { minLength: 1, maxLength: 6 }),
  customers: fc.array(anyCustomer, { minLength: 1, maxLength: 4 }),
})

type Customer = { schema: 'ADVANCED' | 'SIMPLE'; weight: Decimal; pricing: Pricing }

function sharesOf(
  customers: readonly Customer[],
  before: FilledPosition,
  after: FilledPosition,
  base_scale = 8,
): BookedShare[] {
  const weights = customers.map((customer) => customer.weight)
  const [parts, grown] = [
    splitFilled(before, weights, base_scale),
    splitFilled(after, weights, base_scale),
  ]
  return customers.map(({ schema, pricing }, index) => ({
    account_id: `CUSTOMER ${index}`,
    schema,
    before: positionFrom(pricing, parts[index] as FilledPosition),
    after: positionFrom(pricing, grown[index] as FilledPosition),
  }))
}

describe('the bookings of fills', () => {
  it('the same whole however it was filled and taken back; TRADING ends at 0; customers get all that was traded', () => {
    fc.assert(
      fc.property(anyTrade, ({ side, firm, prefunded, quote_scale, fills, customers: drafts }) => {
        const volume = sum(fills.map((fill) => fill.volume))
        const amount = sum(fills.map((fill) => fill.quantity))
        const customers = (firm ? drafts.slice(0, 1) : drafts).map(
          ({ schema, weight, margin, risk }): Customer => {
            const terms = {
              taker_fee: decimal('0.0026'),
              risk: risk * unitOf(4),
              margin: margin * unitOf(4),
            }
            const promised = priceNotional(
              side,
              amount,
              toStep((volume * 99n) / 100n, unitOf(quote_scale), 'down'),
              { terms, scale: quote_scale },
            )
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
          },
        )
        const at = (trades: readonly Trade[]) =>
          sumTrades(trades, { side, path: DIRECT, targets: new Map(), base_scale: 8, ended: false })
        const posting = {
          execution_id: 'x',
          side,
          base_asset: 'BTC',
          quote_asset: 'EUR',
          house: HOUSE,
          venues: venuesOf(prefunded),
        }
        const pieces: BookingDraft[] = []
        // One that is taken back in between leaves no trace.
        const steps = [
          [],
          ...fills.map((_fill, index) => fills.slice(0, index + 1)),
          fills.slice(1),
          fills,
        ]
        for (const [index, trades] of steps.slice(1).entries())
          pieces.push(
            ...bookFill({
              ...posting,
              shares: sharesOf(customers, at(steps[index] ?? []), at(trades)),
            }),
          )
        const shares = sharesOf(customers, at([]), at(fills))
        const effect = effectOf(pieces)
        assert.deepEqual(effect, effectOf(bookFill({ ...posting, shares })))
        if (prefunded)
          assert.deepEqual(
            Object.keys(effect).filter((key) => key.startsWith('TRADING')),
            [],
          )
        assert.equal(sum(shares.map((share) => share.after.filled.amount)), amount)
        assert.equal(sum(shares.map((share) => share.after.filled.volume)), volume)
        for (const [index, { after, schema }] of shares.entries()) {
          const { firm: promised } = customers[index]?.pricing ?? {}
          if (promised !== undefined) assert.equal(after.total, promised.total)
          assert.equal(
            effect[`CUSTOMER ${index} EUR`] ?? '0',
            format(side === 'BUY' ? -after.total : after.total),
          )
          assert.equal(after.total % unitOf(quote_scale), 0n)
          // Of the market's price only what rounding left may land on ROUNDING.
          if (promised === undefined && after.total > 0n && schema === 'ADVANCED')
            assert.ok(after.rounding >= 0n && after.rounding <= 2n * unitOf(quote_scale))
        }
      }),
      { numRuns: 300 },
    )
  })

  it('two hops at two venues: each in its turn, the customers when both have ended; TRADING ends at 0, BTC is left to ROUNDING', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<Side>('BUY', 'SELL'),
        fc.array(anyCustomer, { minLength: 1, maxLength: 3 }),
        fc.bigInt({ min: 10n ** 5n, max: 10n ** 9n }),
        fc.bigInt({ min: 100n, max: 900n }),
        fc.boolean(),
        (side, drafts, steps, price, whole) => {
          const terms = (margin: bigint) => ({
            taker_fee: decimal('0.0052'),
            risk: 0n,
            margin: margin * unitOf(4),
          })
          const customers = drafts.map(({ schema, weight, margin }): Customer => ({
            schema,
            weight: weight * unitOf(8),
            pricing: { side, base_scale: 8, quote_scale: 2, terms: terms(margin), firm: undefined },
          }))
          const first: Trade = {
            hop_no: 1,
            quantity: steps * unitOf(8),
            volume: multiply(steps * unitOf(8), price * unitOf(4), 10, 'half_even'),
            fee: 0n,
            fee_asset: 'BTC',
          }
          first.fee = multiply(first.volume, decimal('0.0026'), 10, 'half_even')
          const target = toStep(
            neededAfter(side, {
              ...(TWO[0] as PathHop),
              amount: first.quantity,
              volume: first.volume,
              fees: new Map([['BTC', first.fee]]),
            }),
            unitOf(8),
            side === 'BUY' ? 'up' : 'down',
          )
          fc.pre(target > 1000n * unitOf(8))
          const quantity = whole ? target : toStep(target / 3n, unitOf(8), 'down')
          const second: Trade = {
            hop_no: 2,
            quantity,
            volume: multiply(quantity, decimal('60000.1'), 5, 'half_even'),
            fee: 0n,
            fee_asset: 'EUR',
          }
          second.fee = multiply(second.volume, decimal('0.0026'), 5, 'half_even')
          const targets = new Map([
            [1, first.quantity],
            [2, target],
          ])
          const at = (trades: readonly Trade[], ended: boolean) =>
            sumTrades(trades, { side, path: TWO, targets, base_scale: 8, ended })
          const posting = {
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
            ...bookFill({ ...posting, shares: sharesOf(customers, none, one) }),
            ...bookFill({ ...posting, shares }),
          ])
          assert.deepEqual(
            Object.keys(effect).filter((key) => key.startsWith('TRADING')),
            [],
          )
          assert.equal(both.complete, whole)
          for (const [index, { after }] of shares.entries()) {
            assert.equal(
              effect[`CUSTOMER ${index} ETH`] ?? '0',
              format(side === 'BUY' ? after.base : -after.base),
            )
            assert.equal(
              effect[`CUSTOMER ${index} EUR`] ?? '0',
              format(side === 'BUY' ? -after.total : after.total),
            )
            if (customers[index]?.schema === 'ADVANCED')
              assert.ok(
                after.rounding >= -unitOf(2) && after.rounding <= 3n * unitOf(2),
                format(after.rounding),
              )
          }
          if (whole) {
            assert.equal(both.amount, first.quantity)
            if (drafts.every((draft) => draft.schema === 'ADVANCED')) {
              // What the fee of the first hop took of the shared asset was bought for it: the
              // venue's fee in BTC is square.
              assert.equal(effect['FEE BTC'], undefined)
              assert.ok(decimal((effect['ROUNDING BTC'] ?? '0').replace('-', '')) <= unitOf(8))
            }
          }
        },
      ),
      { numRuns: 300 },
    )
  })

  it('a sale of which the parts leave nothing costs the customer nothing', () => {
    const pricing: Pricing = {
      side: 'SELL',
      base_scale: 8,
      quote_scale: 2,
      terms: { taker_fee: decimal('0.0026'), risk: 0n, margin: decimal('0.005') },
      firm: undefined,
    }
    const { total } = positionFrom(
      pricing,
      sumTrades(
        [{ hop_no: 1, quantity: unitOf(8), volume: ONE / 100n, fee: 0n, fee_asset: 'EUR' }],
        { side: 'SELL', path: DIRECT, targets: new Map(), base_scale: 8, ended: false },
      ),
    )
    assert.equal(total, 0n)
  })

  it('a LIMIT never costs more, brings less than its price, to the cent', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<Side>('BUY', 'SELL'),
        fc.bigInt({ min: 1n, max: 10n ** 9n }),
        (side, steps) => {
          const terms = {
            taker_fee: decimal('0.0026'),
            risk: decimal('0.001'),
            margin: decimal('0.005'),
          }
          const amount = steps * unitOf(8)
          // At the last price that keeps the all-in price of a whole unit.
          const at = side === 'BUY' ? decimal('59486') : decimal('60520')
          const trade: Trade = {
            hop_no: 1,
            quantity: amount,
            volume: multiply(amount, at, 10, 'half_even'),
            fee: 0n,
            fee_asset: 'EUR',
          }
          const { total } = positionFrom(
            {
              side,
              base_scale: 8,
              quote_scale: 2,
              terms,
              firm: undefined,
              all_in: decimal('60000'),
            },
            sumTrades([trade], {
              side,
              path: DIRECT,
              targets: new Map(),
              base_scale: 8,
              ended: false,
            }),
          )
          const limit = multiply(amount, decimal('60000'), 18, 'down')
          assert.ok(side === 'BUY' ? total <= limit : total >= limit, format(total))
        },
      ),
    )
  })

  it('VOLUME: BUY pays exactly the volume when all is filled, SELL brings it and no more; the rest is margin', () => {
    const terms = { taker_fee: decimal('0.0026'), risk: 0n, margin: decimal('0.005') }
    const asked = { volume: decimal('1000'), amount: decimal('0.0165') }
    const at = (side: Side, quantity: string, volume: string) =>
      positionFrom(
        { side, base_scale: 8, quote_scale: 2, terms, firm: undefined, asked },
        sumTrades(
          [
            {
              hop_no: 1,
              quantity: decimal(quantity),
              volume: decimal(volume),
              fee: 0n,
              fee_asset: 'EUR',
            },
          ],
          { side, path: DIRECT, targets: new Map(), base_scale: 8, ended: false },
        ),
      )
    const shown = ({ total, margin }: { total: Decimal; margin: Decimal }) => [
      format(total),
      format(margin),
    ]
    assert.deepEqual(shown(at('BUY', '0.0165', '990')), ['1000', '7.42'])
    assert.deepEqual(shown(at('BUY', '0.008', '480')), ['483.66', '2.41'])
    const sold = at('SELL', '0.0165', '1010')
    assert.deepEqual(shown(sold), [
      '1000',
      format(
        decimal('5.04') +
          priceFilled('SELL', 0n, decimal('1010'), { terms, scale: 2 }).total -
          decimal('1000'),
      ),
    ])
    assert.deepEqual(shown(at('SELL', '0.008', '480')), ['476.35', '2.4'])
  })

  it('shares are floored to the unit, the left ones by largest remainder, and add up', () => {
    assert.deepEqual(allotByWeight(10n, [1n, 1n, 1n], 1n), [4n, 3n, 3n])
    assert.deepEqual(allotByWeight(11n, [5n, 1n, 5n], 1n), [5n, 1n, 5n])
    assert.deepEqual(allotByWeight(7n, [1n, 2n, 4n], 2n), [1n, 2n, 4n])
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 30n }),
        fc.array(fc.bigInt({ min: 1n, max: 10n ** 24n }), { minLength: 1, maxLength: 20 }),
        fc.constantFrom(1n, 10n ** 10n),
        (total, weights, unit) => {
          const parts = allotByWeight(total, weights, unit)
          assert.equal(sum(parts), total)
          for (const [index, part] of parts.entries()) {
            const exact = (total * (weights[index] ?? 0n)) / sum(weights)
            assert.ok(part > exact - 2n * unit && part < exact + 2n * unit)
          }
        },
      ),
    )
  })
})
