/** For tests of bookings: customers with a part in what was filled, and what bookings come to. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { format } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import type { BookingDraft } from '../../ledger/index.ts'
import type { BookedShare, VenueAccounts } from './bookings.ts'
import { positionFrom, splitFilled } from './positions.ts'
import type { FilledPosition, Pricing } from './positions.ts'

const BASE_SCALE = 8
export const HOUSE = { FEE: 'FEE', RISK: 'RISK', MARGIN: 'MARGIN', ROUNDING: 'ROUNDING' }

export const venuesOf = (prefunded: boolean) =>
  new Map<string, VenueAccounts>(
    ['a', 'b'].map((id) => [id, { VENUE: `VENUE ${id}`, TRADING: `TRADING ${id}`, prefunded }]),
  )

/** Credits less debits, by account and asset. */
export function effectOf(bookings: readonly BookingDraft[]): Record<string, string> {
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

export const anyCustomer = fc.record({
  schema: fc.constantFrom<'ADVANCED' | 'SIMPLE'>('ADVANCED', 'SIMPLE'),
  weight: fc.bigInt({ min: 1n, max: 10n ** 6n }),
  margin: fc.bigInt({ min: 0n, max: 200n }),
  risk: fc.bigInt({ min: 0n, max: 50n }),
})

export type Customer = { schema: 'ADVANCED' | 'SIMPLE'; weight: Decimal; pricing: Pricing }

/** Each customer's position before and after. */
export function sharesOf(
  customers: readonly Customer[],
  before: FilledPosition,
  after: FilledPosition,
): BookedShare[] {
  const weights = customers.map((customer) => customer.weight)
  const [parts, grown] = [
    splitFilled(before, weights, BASE_SCALE),
    splitFilled(after, weights, BASE_SCALE),
  ]
  return customers.map(({ schema, pricing }, index) => ({
    account_id: `CUSTOMER ${index}`,
    schema,
    before: positionFrom(pricing, parts[index] as FilledPosition),
    after: positionFrom(pricing, grown[index] as FilledPosition),
  }))
}

export const assertNothingOnTrading = (effect: Record<string, string>): void => {
  const left = Object.keys(effect).filter((key) => key.startsWith('TRADING'))
  assert.deepEqual(left, [])
}
