/** Which of many series a picture draws. */
import { compareAmounts, negated } from '@kontor/client'

type Amounts = readonly (string | null)[]

/** Those that are furthest from zero at some place, at most so many, in the order they had. */
export function largest<T>(
  all: readonly T[],
  most: number,
  amountsOf: (one: T) => Amounts,
): readonly T[] {
  const bySize = all
    .map((one) => ({ one, size: sizeOf(amountsOf(one)) }))
    .toSorted((a, b) => compareAmounts(b.size, a.size))
  const chosen = new Set(bySize.slice(0, most).map(({ one }) => one))
  return all.filter((one) => chosen.has(one))
}

function sizeOf(amounts: Amounts): string {
  const sizes = amounts
    .filter((amount) => amount !== null)
    .map((amount) => (amount.startsWith('-') ? negated(amount) : amount))
  return sizes.reduce((most, size) => (compareAmounts(size, most) > 0 ? size : most), '0')
}
