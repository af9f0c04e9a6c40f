/**
 * What makes two entries the same one. That is the bank's reference with sign and amount, as some
 * banks give one reference to a payment and its return, or to all payments of a run. `RvslInd` does
 * not count: a notification may leave out what the statement says. Without a reference it is the
 * content: date, amount, sign, both ids of the payment, the payer, and which of those that look
 * alike in one statement it is.
 */
import { createHash } from 'node:crypto'
import { format } from '../../core/decimal.ts'
import type { AccountEntry } from './account-entry.ts'
import { nameOtherFiles } from './file-names.ts'

/** Equal for all that look alike. */
export function likeness(entry: AccountEntry): string {
  const { reference, direction, total, at } = entry
  const common = [direction, format(total)]
  return JSON.stringify(
    reference === null
      ? [...common, at.date, entry.end_to_end_id, entry.transaction_id, entry.payer]
      : [...common, reference],
  )
}

/**
 * The entries of one listing, with those counted that look alike. Of entries with one reference
 * that say the same of their payments only the first is taken: the bank may have written it twice.
 */
export function countAlike(listed: readonly AccountEntry[]): {
  entries: AccountEntry[]
  repeated: AccountEntry[]
} {
  const seen = new Map<string, AccountEntry[]>()
  const entries: AccountEntry[] = []
  const repeated: AccountEntry[] = []
  for (const entry of listed) {
    const look = likeness(entry)
    const alike = seen.get(look) ?? []
    if (entry.reference !== null && alike.some((other) => hasSamePayments(other, entry)))
      repeated.push(entry)
    else {
      entries.push({ ...entry, key: numberedKey(look, alike.length) })
      seen.set(look, [...alike, entry])
    }
  }
  return { entries, repeated }
}

/** Two files of ours, or two single payments with an id each, are two, whatever else they share. */
function hasSamePayments(one: AccountEntry, other: AccountEntry): boolean {
  if (nameOtherFiles(one, other)) return false
  const ids = [one.transaction_id, other.transaction_id]
  if (!ids.includes(null) && ids[0] !== ids[1]) return false
  const said = ({ parts }: AccountEntry) =>
    JSON.stringify(
      parts.map(({ quantity, end_to_end_id, counterparty, account, returned }) => [
        format(quantity),
        end_to_end_id,
        counterparty.iban ?? account ?? counterparty.name,
        returned,
      ]),
    )
  return said(one) === said(other)
}

/** What `numberedKey` was made of. */
export function placeAndLook(key: string): { place: number; look: string } {
  const end = key.indexOf(' ')
  return { place: Number(key.slice(0, end)), look: key.slice(end + 1) }
}

export const numberedKey = (look: string, place: number): string => `${place} ${look}`

/** An id of fixed length for what has these parts. */
export const hashOf = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 24)

/** A name for an entry that has no reference, or that of another one. */
export const nameByContent = ({ key, reference }: AccountEntry): string =>
  reference === null ? `entry-${hashOf(key)}` : `${reference}~${hashOf(key).slice(0, 8)}`
