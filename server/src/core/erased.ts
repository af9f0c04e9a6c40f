/** What is left of personal data that was erased. */
import { hash } from 'node:crypto'

/** Stands where a text was that must not be empty. */
export const ERASED_TEXT = 'erased'

const ERASED = 'erased sha256:'
const DIGEST = /^erased sha256:[0-9a-f]{64}$/

/** By what a chain of hashes holds a field of a row that may have to be erased. */
export const digestOf = (row_id: string, field: string, value: unknown): string =>
  erasedValue(row_id, field, value).slice(ERASED.length)

/** What stands in the place of a field that was erased: its digest stays. */
export function erasedValue(row_id: string, field: string, value: unknown): string {
  if (typeof value === 'string' && DIGEST.test(value)) return value
  return ERASED + hash('sha256', JSON.stringify([row_id, field, sorted(value)]))
}

/** With the names of all objects in order, however the database keeps them. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(entries.map(([name, item]) => [name, sorted(item)]))
}
