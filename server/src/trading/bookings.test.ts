import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { decimal, format, multiply, ONE, unitOf } from '../core/decimal.ts'
import type { Decimal } from '../core/decimal.ts'
import type { BookingDraft } from '../ledger/index.ts'
import { fillBookings, positionOf } from './bookings.ts'
import type { Filled, Pricing, TradingAccounts } from './bookings.ts'
import { priceNotional } from './pricing.ts'
import type { Side } from './pricing.ts'

const accounts: TradingAccounts = { CUSTOMER: 'CUSTOMER', TRADING: 'TRADING', VENUE: 'VENUE', FEE: 'FEE', RISK: 'RISK', MARGIN: 'MARGIN', ROUNDING: 'ROUNDING' }
const NOTHING: Filled = { amount: 0n, volume: 0n, fees: new Map() }

/** Credits less debits, by account and asset. */
function effectOf(bookings: readonly BookingDraft[]): Record<string, string> {
  const effect = new Map<string, Decimal>()
  for (const booking of bookings) {
    let sum = 0n
    for (const leg of booking.legs) {
      assert.ok(leg.quantity > 0n)
      const credit = leg.type === 'CREDIT' ? leg.quantity : -leg.quantity
      sum += credit
      const key = `${leg.account_id} ${booking.asset}`
      effect.set(key, (effect.get(key) ?? 0n) + credit)
    }
    assert.equal(sum, 0n)
    assert.ok(booking.legs.length >= 2)
  }
  return Object.fromEntries([...effect].filter(([, value]) => value !== 0n).map(([key, value]) => [key, format(value)]).toSorted())
}

const anyFill = fc.record({ amount: fc.bigInt({ min: 1n, max: 10n ** 9n }), price: fc.bigInt({ min: 1n, max: 10n ** 6n }), fee_rate: fc.bigInt({ min: 0n, max: 40n }), in_base: fc.boolean() })
  .map(({ amount, price, fee_rate, in_base }) => {
    const [quantity, unit_price] = [amount * unitOf(8), price * unitOf(1)]
    const volume = multiply(quantity, unit_price, 10, 'half_even')
    return { quantity, volume, fee: multiply(in_base ? quantity : volume, fee_rate * unitOf(4), 10, 'half_even'), fee_asset: in_base ? 'BTC' : 'EUR' }
  })

const anyTrade = fc.record({
  side: fc.constantFrom<Side>('BUY', 'SELL'), schema: fc.constantFrom<'ADVANCED' | 'SIMPLE'>('ADVANCED', 'SIMPLE'), firm: fc.boolean(), prefunded: fc.boolean(), quote_scale: fc.integer({ min: 0, max: 8 }),
  fills: fc.array(anyFill, { minLength: 1, maxLength: 6 }), margin: fc.bigInt({ min: 0n, max: 200n }), risk: fc.bigInt({ min: 0n, max: 50n }),
})

describe('the bookings of fills', () => {
  it('balance, are the same however it was filled, and leave nothing on TRADING', () => {
    fc.assert(fc.property(anyTrade, ({ side, schema, firm, prefunded, quote_scale, fills, margin, risk }) => {
      const terms = { taker_fee: decimal('0.0026'), risk: risk * unitOf(4), margin: margin * unitOf(4) }
      const amount = fills.reduce((total, fill) => total + fill.quantity, 0n)
      const promised = priceNotional(side, amount, multiply(amount, decimal('500.1'), quote_scale, side === 'BUY' ? 'up' : 'down'), terms, quote_scale)
      const pricing: Pricing = { side, base_asset: 'BTC', quote_asset: 'EUR', base_scale: 8, quote_scale, terms, firm: firm && promised.total > 0n ? promised : undefined }
      let filled = NOTHING
      const pieces: BookingDraft[] = []
      for (const fill of fills) {
        const next: Filled = { amount: filled.amount + fill.quantity, volume: filled.volume + fill.volume, fees: new Map(filled.fees).set(fill.fee_asset, (filled.fees.get(fill.fee_asset) ?? 0n) + fill.fee) }
        pieces.push(...fillBookings({ execution_id: 'x', schema, prefunded, pricing, accounts, before: positionOf(pricing, filled), after: positionOf(pricing, next) }))
        filled = next
      }
      const position = positionOf(pricing, filled)
      const whole = effectOf(fillBookings({ execution_id: 'x', schema, prefunded, pricing, accounts, before: positionOf(pricing, NOTHING), after: position }))
      const effect = effectOf(pieces)
      assert.deepEqual(effect, whole)
      if (prefunded) assert.deepEqual(Object.keys(effect).filter((key) => key.startsWith('TRADING')), [])
      if (pricing.firm !== undefined) assert.equal(position.total, pricing.firm.total)
      assert.equal(effect['CUSTOMER EUR'] ?? '0', format(side === 'BUY' ? -position.total : position.total))
      assert.equal(position.total % unitOf(quote_scale), 0n)
      // Of the market's price only what rounding left may land on ROUNDING.
      if (pricing.firm === undefined && position.total > 0n && schema === 'ADVANCED') assert.ok(position.rounding >= 0n && position.rounding <= 2n * unitOf(quote_scale))
    }), { numRuns: 300 })
  })

  it('a sale of which the parts leave nothing costs the customer nothing', () => {
    const pricing: Pricing = { side: 'SELL', base_asset: 'BTC', quote_asset: 'EUR', base_scale: 8, quote_scale: 2, terms: { taker_fee: decimal('0.0026'), risk: 0n, margin: decimal('0.005') }, firm: undefined }
    const { total } = positionOf(pricing, { amount: unitOf(8), volume: ONE / 100n, fees: new Map() })
    assert.equal(total, 0n)
  })
})
