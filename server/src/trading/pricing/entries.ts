/** What accounts are credited with by the fills of an execution, and the bookings that it makes. */
import type { Decimal } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import { legsOf } from '../../ledger/index.ts'
import type { BookingDraft, BookingType, Entry } from '../../ledger/index.ts'

type UnreferencedBooking = Omit<BookingDraft, 'reference_type' | 'reference_id' | 'description'>

/** Entries of several customers that make one booking for each asset and venue. */
export class SharedEntries {
  readonly #type: BookingType
  readonly #sums = new Map<string, { asset: string; credits: Map<string, Decimal> }>()

  constructor(type: BookingType) {
    this.#type = type
  }

  add(asset: string, venue_id: string, entries: readonly Entry[]): void {
    const key = `${asset} ${venue_id}`
    const known = this.#sums.get(key) ?? { asset, credits: new Map<string, Decimal>() }
    this.#sums.set(key, known)
    for (const [account_id, credit] of entries)
      known.credits.set(account_id, (known.credits.get(account_id) ?? 0n) + credit)
  }

  bookings(): UnreferencedBooking[] {
    return [...this.#sums.values()].flatMap(({ asset, credits }) =>
      draftBooking(this.#type, asset, credits),
    )
  }
}

/** Debits first. None when nothing moves. */
export function draftBooking(
  type: BookingType,
  asset: string,
  entries: Iterable<Entry>,
): UnreferencedBooking[] {
  const legs = legsOf(entries)
  return legs.length === 0 ? [] : [{ id: newId(), type, asset, legs }]
}
