/**
 * What clients and the outside world know: what was acknowledged, and what was sent in. It lives in
 * the process that judges, which nothing kills.
 */
import type { VenueKey } from '../faults/world-configuration.ts'

/** `account_id` null: the house's own. */
type Share = { account_id: string | null; asset: string; quantity: string }
/** A share of a withdrawal. */
type Payment = Share & { id: string; venue: VenueKey }
type Arrival = Share & { venue: VenueKey }
type Booking = Share & { id: string }
type BookTransfer = { id: string; from: string; to: string; asset: string; quantity: string }
type Creation = { id: string; label: string; venue: 'fireblocks' | 'managed' }

export class Journal {
  readonly payments: Payment[] = []
  /** Blocked for some minutes by a batch that was not submitted. */
  readonly prepared = new Set<Share>()
  readonly arrivals: Arrival[] = []
  readonly bookings: Booking[] = []
  readonly bookTransfers: BookTransfer[] = []
  readonly executions = new Set<string>()
  readonly jobs = new Set<string>()
  readonly creations: Creation[] = []
  /** What no client should ever see. */
  readonly wrong: string[] = []
  readonly #refusals = new Map<string, number>()

  refuse(flow: string, reason: string): void {
    const line = `${flow}: ${reason}`
    this.#refusals.set(line, (this.#refusals.get(line) ?? 0) + 1)
  }

  get refusals(): string[] {
    return Array.from(this.#refusals, ([line, count]) => `${count} × ${line}`).toSorted()
  }

  /** Effects that were acknowledged or sent in. */
  get effects(): number {
    return (
      this.payments.length +
      this.arrivals.length +
      this.bookings.length +
      this.bookTransfers.length +
      this.executions.size +
      this.jobs.size +
      this.creations.length
    )
  }
}
