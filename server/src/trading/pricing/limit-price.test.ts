import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { decimal, format, multiply, unitOf } from '../../core/decimal.ts'
import { anySide, anyTerms, oracle, terms } from '../testing/pricing.fixture.ts'
import { venueLimitPrice } from './limit-price.ts'
import { priceNotional } from './pricing.ts'
import type { Side } from './pricing.ts'

describe("the price at the venue for a customer's all-in limit", () => {
  const table: [Side, string, ReturnType<typeof terms>, string, string, string | undefined][] = [
    ['BUY', '60000', terms('0', '0', '0'), '1', '0.1', '60000'],
    ['BUY', '60303', terms('0', '0', '0.005'), '1', '0.1', '60002.9'],
    ['SELL', '59700', terms('0', '0', '0.005'), '1', '0.1', '60000'],
    ['BUY', '60661.98', terms('0.001', '0.00079', '0.005'), '1', '0.1', '60252.5'],
    ['SELL', '59555', terms('0.001', '0.00079', '0.005'), '1', '0.1', '59961.9'],
    ['BUY', '100', terms('0', '0', '0'), '0.00009', '0.1', undefined],
    ['BUY', '0.01', terms('0.001', '0', '0.005'), '1', '0.01', undefined],
    ['SELL', '100', terms('0', '0.5', '0.5'), '1', '0.1', undefined],
    // Parts that take nearly all: found at once, within two cents of the total; and no price has
    // more than 20 integer digits.
    ['SELL', '60000', terms('0', '0', '0.9999999'), '1', '0.1', '600000199990.1'],
    ['SELL', '60000', terms('0', '0', '0.999999999999999999'), '1', '0.1', undefined],
    ['SELL', '99999999999999999990', terms('0.001', '0', '0'), '1', '0.1', undefined],
  ]
  for (const [side, price, given, amount, step, expected] of table) {
    it(`${side} ${amount} at ${price}: ${expected ?? 'no room'}`, () => {
      const found = venueLimitPrice(side, decimal(price), given, {
        price_step: decimal(step),
        amount: decimal(amount),
        scale: 2,
      })
      assert.equal(found === undefined ? undefined : format(found), expected)
    })
  }

  const anyLimit = fc
    .record({
      side: anySide,
      given: anyTerms,
      scale: fc.integer({ min: 0, max: 8 }),
      price: fc.bigInt({ min: 1n, max: 10n ** 10n }),
      amount: fc.bigInt({ min: 1n, max: 10n ** 12n }),
      digits: fc.integer({ min: 0, max: 6 }),
      better: fc.bigInt({ min: 0n, max: 1000n }),
    })
    .map((order) => ({
      ...order,
      price: order.price * 10n ** 14n,
      amount: order.amount * 10n ** 10n,
      step: unitOf(order.digits),
    }))

  it('never costs more or brings less than the limit, there or better, and wastes no step', () => {
    let found = 0
    fc.assert(
      fc.property(anyLimit, ({ side, given, scale, price, amount, step, better }) => {
        const venue = venueLimitPrice(side, price, given, { price_step: step, amount, scale })
        const limit = oracle(price).times(oracle(amount))
        const totalAt = (at: bigint) =>
          priceNotional(side, amount, multiply(at, amount, scale, side === 'BUY' ? 'up' : 'down'), {
            terms: given,
            scale,
          }).total
        if (venue === undefined) {
          if (side === 'BUY') assert.ok(oracle(totalAt(step)).gt(limit))
          return
        }
        found += 1
        assert.equal(venue % step, 0n)
        for (const at of [
          venue,
          side === 'BUY' ? venue - (venue * better) / 1001n : venue + (venue * better) / 1000n,
        ]) {
          if (side === 'BUY') assert.ok(oracle(totalAt(at)).lte(limit))
          else assert.ok(oracle(totalAt(at)).gte(limit))
        }
        if (side === 'BUY') assert.ok(oracle(totalAt(venue + step)).gt(limit))
        else
          assert.ok(
            oracle(totalAt(venue))
              .minus(limit)
              .lte(
                oracle(step)
                  .times(oracle(amount))
                  .plus(oracle(8n * unitOf(scale))),
              ),
          )
      }),
      { numRuns: 500 },
    )
    assert.ok(found > 200)
  })
})
