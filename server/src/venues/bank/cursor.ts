/** How far the inbox was read: the names of the files read last. */
import { assert } from '../../core/assert.ts'

/**
 * Names the cursor remembers: how far a file may appear behind its neighbours and still be seen.
 */
const CURSOR_NAMES = 50

/** The names read last, sorted; older ones are known to be read. */
export function readCursor(cursor: string | null): string[] {
  const names: unknown = cursor === null ? [] : JSON.parse(cursor)
  assert(
    Array.isArray(names) && names.every((name) => typeof name === 'string'),
    'not a cursor of this venue',
  )
  return names as string[]
}

export function isNew(name: string, seen: readonly string[]): boolean {
  if (seen.includes(name)) return false
  return seen.length < CURSOR_NAMES || name > (seen[0] ?? '')
}

export function nextCursor(seen: readonly string[], read: readonly string[]): string | null {
  const names = [...seen, ...read].toSorted((a, b) => (a < b ? -1 : 1)).slice(-CURSOR_NAMES)
  return names.length === 0 ? null : JSON.stringify(names)
}
