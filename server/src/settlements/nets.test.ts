import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { decimal, format } from '../core/decimal.ts'
import { netsOf, payable } from './nets.ts'
import type { NettedFill } from './nets.ts'

const fill = (more: Partial<NettedFill>): NettedFill => ({
  venue_id: 'v1',
  base_asset: 'BTC',
  quote_asset: 'EUR',
  side: 'BUY',
  quantity: '1',
  volume: '60000',
  fee: '0',
  fee_asset: 'EUR',
  busted: false,
  ...more,
})

describe('netting', () => {
  it('adds what was bought, takes what was paid, and fees always', () => {
    assert.deepEqual(
      netsOf([
        fill({ fee: '156' }),
        fill({ side: 'SELL', quantity: '0.4', volume: '24000', fee: '0.0001', fee_asset: 'BTC' }),
      ]),
      [
        { venue_id: 'v1', asset: 'BTC', quantity: '0.5999', direction: 'INCOMING' },
        { venue_id: 'v1', asset: 'EUR', quantity: '36156', direction: 'OUTGOING' },
      ],
    )
  })
  it('keeps venues apart, and leaves out what comes to nothing or was taken back', () => {
    assert.deepEqual(
      netsOf([
        fill({}),
        fill({ side: 'SELL' }),
        fill({ venue_id: 'v2', busted: true }),
        fill({ venue_id: 'v2', quantity: '2', volume: '5' }),
      ]),
      [
        { venue_id: 'v2', asset: 'BTC', quantity: '2', direction: 'INCOMING' },
        { venue_id: 'v2', asset: 'EUR', quantity: '5', direction: 'OUTGOING' },
      ],
    )
  })

  const amount = fc.bigInt(0n, 10n ** 24n).map(format)
  const fills = fc.array(
    fc.record({
      venue_id: fc.constantFrom('v1', 'v2', 'v3'),
      base_asset: fc.constantFrom('BTC', 'ETH'),
      quote_asset: fc.constantFrom('EUR', 'BTC'),
      side: fc.constantFrom('BUY' as const, 'SELL' as const),
      quantity: amount,
      volume: amount,
      fee: amount,
      fee_asset: fc.constantFrom('EUR', 'BTC', 'ETH', 'XRP'),
      busted: fc.boolean(),
    }),
    { maxLength: 40 },
  )

  /** The rule again, one leg after the other. */
  const oracle = (all: readonly NettedFill[], venue_id: string, asset: string): bigint => {
    let sum = 0n
    for (const nettedFill of all.filter((one) => one.venue_id === venue_id && !one.busted)) {
      if (nettedFill.base_asset === asset)
        sum =
          nettedFill.side === 'BUY'
            ? sum + decimal(nettedFill.quantity)
            : sum - decimal(nettedFill.quantity)
      if (nettedFill.quote_asset === asset)
        sum =
          nettedFill.side === 'BUY'
            ? sum - decimal(nettedFill.volume)
            : sum + decimal(nettedFill.volume)
      if (nettedFill.fee_asset === asset) sum -= decimal(nettedFill.fee)
    }
    return sum
  }
  const signed = (nets: ReturnType<typeof netsOf>, venue_id: string, asset: string): bigint => {
    const found = nets.filter((net) => net.venue_id === venue_id && net.asset === asset)
    assert.ok(found.length <= 1)
    return found[0] === undefined
      ? 0n
      : decimal(found[0].quantity) * (found[0].direction === 'INCOMING' ? 1n : -1n)
  }

  it('is what the legs come to, in any order, and of two parts the sum of both', () => {
    fc.assert(
      fc.property(fills, fc.nat(), (all, at) => {
        const nets = netsOf(all)
        const cut = at % (all.length + 1)
        const [one, other] = [netsOf(all.slice(0, cut)), netsOf(all.slice(cut))]
        assert.deepEqual(netsOf(all.toReversed()), nets)
        for (const venue_id of ['v1', 'v2', 'v3']) {
          for (const asset of ['BTC', 'ETH', 'EUR', 'XRP']) {
            assert.equal(signed(nets, venue_id, asset), oracle(all, venue_id, asset))
            assert.equal(
              signed(nets, venue_id, asset),
              signed(one, venue_id, asset) + signed(other, venue_id, asset),
            )
          }
        }
        assert.ok(nets.every((net) => decimal(net.quantity) > 0n))
      }),
    )
  })
  it('what is paid is less than a unit below it', () => {
    fc.assert(
      fc.property(amount, fc.integer({ min: 0, max: 18 }), (quantity, scale) => {
        const paid = payable(quantity, scale)
        assert.equal(paid % 10n ** BigInt(18 - scale), 0n)
        const left = decimal(quantity) - paid
        assert.ok(left >= 0n && left < 10n ** BigInt(18 - scale))
      }),
    )
  })
})
