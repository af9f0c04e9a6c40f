import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { decimal, format, multiply, ONE, sum, unitOf } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { allotByWeight, positionFrom, sumTrades } from './positions.ts'
import type { PathHop, Pricing, Trade } from './positions.ts'
import { priceFilled } from './pricing.ts'
import type { Side } from './pricing.ts'

const DIRECT: PathHop[] = [{ hop_no: 1, venue_id: 'a', base_asset: 'BTC', quote_asset: 'EUR' }]

describe("customers' positions", () => {
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

  it('VOLUME: BUY pays exactly the volume when all is filled, SELL brings it and no more', () => {
    const terms = { taker_fee: decimal('0.0026'), risk: 0n, margin: decimal('0.005') }
    const target = { volume: decimal('1000'), amount: decimal('0.0165') }
    const at = (side: Side, quantity: string, volume: string) =>
      positionFrom(
        { side, base_scale: 8, quote_scale: 2, terms, firm: undefined, target },
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
    const show = ({ total, margin }: { total: Decimal; margin: Decimal }) => ({
      total: format(total),
      margin: format(margin),
    })
    assert.deepEqual(show(at('BUY', '0.0165', '990')), { total: '1000', margin: '7.42' })
    assert.deepEqual(show(at('BUY', '0.008', '480')), { total: '483.66', margin: '2.41' })
    // The rest is margin.
    const { total } = priceFilled('SELL', 0n, decimal('1010'), { terms, scale: 2 })
    assert.deepEqual(show(at('SELL', '0.0165', '1010')), {
      total: '1000',
      margin: format(decimal('5.04') + total - decimal('1000')),
    })
    assert.deepEqual(show(at('SELL', '0.008', '480')), { total: '476.35', margin: '2.4' })
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
