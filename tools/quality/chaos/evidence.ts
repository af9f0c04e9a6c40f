/** What the checker judges by. */
import type { Ground } from '../faults/furniture.ts'
import type { Inside } from './inside.ts'
import type { Journal } from './journal.ts'
import type { Outside } from './outside.ts'

/** What was there before the first flow. */
export type Before = { inside: Inside; outside: Outside }
export type Evidence = {
  journal: Journal
  ground: Ground
  before: Before
  inside: Inside
  outside: Outside
}

/** Complaints about what is there more or less often than it should be. */
export function compare(
  what: string,
  expected: readonly string[],
  found: readonly string[],
): string[] {
  const wanted = countsOf(expected)
  const there = countsOf(found)
  return Array.from(new Set([...expected, ...found])).flatMap((text) => {
    const [right, count] = [wanted.get(text) ?? 0, there.get(text) ?? 0]
    return count === right ? [] : [`${what}: ${text} is there ${count} times instead of ${right}`]
  })
}

function countsOf(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return counts
}
