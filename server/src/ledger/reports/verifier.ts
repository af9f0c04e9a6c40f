/** Walks the bookings of a workspace in their sequence, and remembers how far they were right. */
import { decimal, format } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import type { ChainEnd } from '../../store/chains.ts'
import { balanceKey } from '../changes.ts'
import type { CommittedBooking } from '../changes.ts'
import { chainHash, GENESIS_HASH } from '../lane/chain.ts'
import { DEBIT_NORMAL } from '../ledger.schema.ts'
import type { AccountType } from '../ledger.schema.ts'

export type VerifiedBatch = {
  batch_no: number
  first_sequence: number
  last_sequence: number
  previous_hash: Buffer
  hash: Buffer
  /** What its bookings give since texts of them were erased; null where they give its hash. */
  resealed_hash: Buffer | null
  committed_at: number
}

/** How far the books were verified, as JSON. */
export type Checkpoint = {
  sequence: number
  batch_no: number
  event_sequence: number
  /** The last event that a booking is. */
  booked_event: number
  hash: string
  /** Absent in what earlier releases have kept: the chain of events is verified whole. */
  event_chain?: ChainEnd
  /** What the legs give until then, by account and asset. */
  totals: Record<string, string>
}

const MAXIMUM_FAULTS = 100

export class Verifier {
  /** The last booking, batch, event and hash that were looked at. */
  sequence = 0
  batch_no = 0
  event_sequence = 0
  hash: Buffer = GENESIS_HASH
  /** Where the chain of events was verified until. */
  event_chain: ChainEnd | undefined
  /** What the legs so far give, by account and asset. */
  readonly totals = new Map<string, Decimal>()
  readonly faults: string[] = []
  readonly types = new Map<string, AccountType>()
  #bookedEvent = 0

  constructor(after?: Checkpoint) {
    if (after === undefined) return
    this.sequence = after.sequence
    this.batch_no = after.batch_no
    this.event_sequence = after.event_sequence
    this.#bookedEvent = after.booked_event
    this.hash = Buffer.from(after.hash, 'hex')
    this.event_chain = after.event_chain
    for (const [key, total] of Object.entries(after.totals)) this.totals.set(key, decimal(total))
  }

  readonly fault = (text: string): void => {
    if (this.faults.length < MAXIMUM_FAULTS) this.faults.push(text)
  }

  checkpoint(): Checkpoint {
    return {
      sequence: this.sequence,
      batch_no: this.batch_no,
      event_sequence: this.event_sequence,
      booked_event: this.#bookedEvent,
      hash: this.hash.toString('hex'),
      ...(this.event_chain === undefined ? {} : { event_chain: this.event_chain }),
      totals: Object.fromEntries([...this.totals].map(([key, total]) => [key, format(total)])),
    }
  }

  checkBatch(batch: VerifiedBatch, bookings: readonly CommittedBooking[]): void {
    this.#checkPlace(batch)
    if (!chainHash(batch.previous_hash, bookings).equals(batch.resealed_hash ?? batch.hash))
      this.fault(
        `batch ${batch.batch_no} (bookings ${batch.first_sequence} to ` +
          `${batch.last_sequence}) does not match its hash`,
      )
    for (const booking of bookings) this.#checkBooking(batch, booking)
    if (this.sequence !== batch.last_sequence)
      this.fault(
        `batch ${batch.batch_no} ends at ${this.sequence}, expected ${batch.last_sequence}`,
      )
    this.hash = batch.hash
    this.batch_no = batch.batch_no
  }

  #checkPlace({ batch_no, first_sequence, previous_hash }: VerifiedBatch): void {
    if (batch_no !== this.batch_no + 1) this.fault(`batch ${this.batch_no + 1} is missing`)
    if (first_sequence !== this.sequence + 1)
      this.fault(
        `batch ${batch_no} starts at sequence ${first_sequence}, expected ${this.sequence + 1}`,
      )
    if (!previous_hash.equals(this.hash))
      this.fault(`batch ${batch_no} does not follow the hash before it`)
  }

  #checkBooking(batch: VerifiedBatch, booking: CommittedBooking): void {
    const expected = this.sequence + 1
    if (booking.sequence !== expected) this.fault(`booking ${expected} is missing`)
    this.sequence = booking.sequence
    if (booking.booked_at !== batch.committed_at)
      this.fault(
        `booking ${booking.sequence} was booked at another time than its batch ${batch.batch_no}`,
      )
    if (booking.event_sequence <= this.#bookedEvent)
      this.fault(
        `booking ${booking.sequence} is event ${booking.event_sequence}, after ` +
          `event ${this.#bookedEvent}`,
      )
    this.#bookedEvent = booking.event_sequence
    this.#addLegs(booking)
  }

  #addLegs({ sequence, asset, legs }: CommittedBooking): void {
    let difference = 0n
    for (const { account_id, type, quantity, balance_after } of legs) {
      const account = this.types.get(account_id)
      if (account === undefined) {
        this.fault(`booking ${sequence} names account ${account_id}, which does not exist`)
        continue
      }
      difference += type === 'DEBIT' ? quantity : -quantity
      const raises = (type === 'DEBIT') === DEBIT_NORMAL.has(account)
      const key = balanceKey(account_id, asset)
      const total = (this.totals.get(key) ?? 0n) + (raises ? quantity : -quantity)
      this.totals.set(key, total)
      if (total !== balance_after)
        this.fault(
          `booking ${sequence}: balance after on account ${account_id} is ` +
            `${format(balance_after)}, the legs give ${format(total)}`,
        )
    }
    if (difference !== 0n || legs.length < 2) this.fault(`booking ${sequence} does not balance`)
  }
}
