/**
 * The hash chain over bookings. Each batch's hash is SHA-256 over the hash before it and, for each
 * booking in sequence, the canonical line below. Anyone who has the rows can recompute it.
 */
import { createHash, randomBytes } from 'node:crypto'
import { format } from '../../core/decimal.ts'
import type { CommittedBooking } from '../changes.ts'

export const GENESIS_HASH = Buffer.alloc(32)

/** The place of a batch in the chain. */
export type ChainLink = { batch_no: number; previous_hash: Buffer; hash: Buffer }

/** Of the batch that follows the lane's last one; none when it books nothing. */
export function linkToChain(
  { batch_no, last_hash }: { batch_no: number; last_hash: Buffer },
  bookings: readonly CommittedBooking[],
): ChainLink | undefined {
  if (bookings.length === 0) return undefined
  return {
    batch_no: batch_no + 1,
    previous_hash: last_hash,
    hash: chainHash(last_hash, bookings),
  }
}

const SALT_BYTES = 16

/** What is hashed with a text, so that nobody finds the text again once both were erased. */
export const newSalt = (): Buffer => randomBytes(SALT_BYTES)

type Described = Pick<CommittedBooking, 'description' | 'description_salt' | 'description_digest'>

/**
 * The description as the chain holds it: as a digest, which stays when the text is erased. Bookings
 * of before have no salt; the chain holds their text.
 */
function described({ description, description_salt, description_digest }: Described) {
  if (description === undefined)
    return description_digest === undefined ? null : { sha256: description_digest.toString('hex') }
  if (description_salt === undefined) return description
  return { sha256: createHash('sha256').update(description_salt).update(description).digest('hex') }
}

/**
 * JSON array without spaces: fields in fixed order, legs as [account, D or C, quantity, balance
 * after], decimals without padding.
 */
function canonicalLine(booking: CommittedBooking): string {
  return JSON.stringify([
    booking.sequence,
    booking.id,
    booking.type,
    booking.asset,
    booking.value_date,
    booking.booked_at,
    booking.reference_type ?? null,
    booking.reference_id ?? null,
    described(booking),
    booking.reverses_id ?? null,
    booking.booked_by,
    booking.legs.map((leg) => [
      leg.account_id,
      leg.type === 'DEBIT' ? 'D' : 'C',
      format(leg.quantity),
      format(leg.balance_after),
    ]),
  ])
}

export function chainHash(previous: Buffer, bookings: readonly CommittedBooking[]): Buffer {
  const hash = createHash('sha256').update(previous)
  for (const booking of bookings) hash.update(canonicalLine(booking)).update('\n')
  return hash.digest()
}
