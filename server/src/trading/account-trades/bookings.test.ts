import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { unitOf } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import type { AccountTrade } from '../../venues/index.ts'
import { outsideBookings } from './bookings.ts'

type OutsideTrade = Pick<
  AccountTrade,
  'base_asset' | 'quote_asset' | 'side' | 'quantity' | 'volume' | 'fee' | 'fee_asset'
>

describe('the bookings of an outside trade', () => {
  const accounts = { HOUSE: 'HOUSE', FEE: 'FEE', TRADING: 'TRADING', VENUE: 'VENUE' }
  const assets = new Set(['BTC', 'EUR', 'BNB'])
  const anyAmount = fc.bigInt({ min: 1n, max: 10n ** 15n }).map((amount) => amount * unitOf(10))
  const anyTrade: fc.Arbitrary<OutsideTrade> = fc.record({
    base_asset: fc.constant('BTC'),
    quote_asset: fc.constant('EUR'),
    side: fc.constantFrom<'BUY' | 'SELL'>('BUY', 'SELL'),
    quantity: anyAmount,
    volume: anyAmount,
    fee: fc.oneof(fc.constant(0n), anyAmount),
    fee_asset: fc.constantFrom('BTC', 'EUR', 'BNB'),
  })

  /** What each account is credited with, by account and asset. Every booking balances. */
  function creditsOf(trade: OutsideTrade, prefunded: boolean): Map<string, Decimal> {
    const credits = new Map<string, Decimal>()
    for (const booking of outsideBookings('fill', trade, { accounts, prefunded, assets })) {
      let sum = 0n
      assert.ok(booking.legs.length >= 2)
      for (const leg of booking.legs) {
        assert.ok(leg.quantity > 0n)
        const credit = leg.type === 'CREDIT' ? leg.quantity : -leg.quantity
        sum += credit
        const key = `${leg.account_id} ${booking.asset}`
        credits.set(key, (credits.get(key) ?? 0n) + credit)
      }
      assert.equal(sum, 0n)
    }
    return credits
  }

  it('balance, follow the venue there, and leave TRADING and FEE as they were', () => {
    fc.assert(
      fc.property(anyTrade, fc.boolean(), (trade, prefunded) => {
        const credits = creditsOf(trade, prefunded)
        const sign = trade.side === 'BUY' ? 1n : -1n
        for (const [asset, moved] of [
          ['BTC', sign * trade.quantity],
          ['EUR', -sign * trade.volume],
          ['BNB', 0n],
        ] as const) {
          const net = moved - (asset === trade.fee_asset ? trade.fee : 0n)
          assert.equal(credits.get(`HOUSE ${asset}`) ?? 0n, net)
          assert.equal(-(credits.get(`VENUE ${asset}`) ?? 0n), prefunded ? net : 0n)
          assert.equal(credits.get(`TRADING ${asset}`) ?? 0n, prefunded ? 0n : -net)
          assert.equal(credits.get(`FEE ${asset}`) ?? 0n, 0n)
        }
      }),
    )
  })
})
