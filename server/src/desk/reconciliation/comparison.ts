/**
 * Comparing a venue with the books, pure: what movements in flight explain, and when a difference
 * becomes a break or ceases to be one.
 */
import { absolute, greatest, least } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'

/** Something that the venue's total may contain already: nothing, or between `low` and `high`. */
export type Part = { low: Decimal; high: Decimal }

/**
 * With more than these not every combination is tried: what lies between all and nothing then
 * counts as explained.
 */
const MAXIMUM_COMBINED = 64
const MAXIMUM_RANGES = 1_024

/** The amount nearest to `gap` (venue less books) that some of these parts together may come to. */
export function explainGap(gap: Decimal, parts: readonly Part[]): Decimal {
  let ranges: Part[] = [{ low: 0n, high: 0n }]
  if (parts.length > MAXIMUM_COMBINED) ranges = [spanOf(parts)]
  else
    for (const part of parts)
      ranges = joinRanges([
        ...ranges,
        ...ranges.map((range) => ({ low: range.low + part.low, high: range.high + part.high })),
      ])
  return ranges
    .map(({ low, high }) => least(greatest(gap, low), high))
    .reduce((best, amount) => (absolute(gap - amount) < absolute(gap - best) ? amount : best), 0n)
}

function spanOf(parts: readonly Part[]): Part {
  return parts.reduce(
    (sum, part) => ({
      low: sum.low + least(part.low, 0n),
      high: sum.high + greatest(part.high, 0n),
    }),
    { low: 0n, high: 0n },
  )
}

const byLow = (a: Part, b: Part) => Number(a.low > b.low) - Number(a.low < b.low)

/** Sorted, touching ones as one; too many become the one that spans them. */
function joinRanges(ranges: readonly Part[]): Part[] {
  const result: Part[] = []
  for (const range of ranges.toSorted(byLow)) {
    const last = result.at(-1)
    if (last !== undefined && range.low <= last.high) last.high = greatest(last.high, range.high)
    else result.push({ ...range })
  }
  const [first, last] = [result[0], result.at(-1)]
  return result.length <= MAXIMUM_RANGES || first === undefined || last === undefined
    ? result
    : [{ low: first.low, high: last.high }]
}

/**
 * How long a difference must stay the same before it is a break: longer than a movement needs to be
 * read from its venue.
 */
export const CONFIRM_MILLISECONDS = 15_000

/** What was known of this venue's asset before. */
export type EarlierDifference = {
  difference: Decimal
  since: number
  accepted: Decimal
  open: boolean
}

export type Judgement = {
  since: number
  accepted: Decimal
  verdict: 'BALANCED' | 'CHECKING' | 'OPENS' | 'STAYS' | 'ACCEPTED' | 'VANISHED'
}

/**
 * A difference opens a break when it has stayed the same for CONFIRM_MILLISECONDS, unless just that
 * was accepted by hand before. An open break vanishes with its difference; where only movements
 * in flight explain that, it is seen twice.
 */
export function judge(
  known: EarlierDifference | undefined,
  found: { difference: Decimal; on_the_way: Decimal },
  now: number,
): Judgement {
  const same = known !== undefined && known.difference === found.difference
  const since = same ? known.since : now
  const confirmed = same && now - since >= CONFIRM_MILLISECONDS
  const accepted =
    known === undefined || (found.difference === 0n && (found.on_the_way === 0n || confirmed))
      ? 0n
      : known.accepted
  const open = known?.open ?? false
  if (found.difference === 0n) {
    if (!open) return { since, accepted, verdict: 'BALANCED' }
    return { since, accepted, verdict: found.on_the_way === 0n || confirmed ? 'VANISHED' : 'STAYS' }
  }
  if (open) return { since, accepted, verdict: 'STAYS' }
  if (accepted === found.difference) return { since, accepted, verdict: 'ACCEPTED' }
  return { since, accepted, verdict: confirmed ? 'OPENS' : 'CHECKING' }
}
