/**
 * One asset at a venue as lines, pure: one per wallet inside the venue, and one for what lies in
 * none, which is all of it where the venue has one pot.
 */
import { sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { explainGap } from './comparison.ts'
import type { Part } from './comparison.ts'

/** `wallet` null: in none. `difference`: venue less ledger less on_the_way. */
export type Line = {
  wallet: string | null
  ledger: Decimal
  venue: Decimal
  on_the_way: Decimal
  difference: Decimal
}

export type MovingPart = Part & { wallet: string | null }

/**
 * `held`: what the venue reports, by wallet; `ledger`: all that the books say; `positions`: what of
 * it they say of each wallet, undefined while they do not know. `shown`: wallets that need a line
 * also when nothing is there.
 */
export type Sides = {
  held: ReadonlyMap<string | null, Decimal>
  ledger: Decimal
  positions: ReadonlyMap<string, Decimal> | undefined
  moving: readonly MovingPart[]
  shown: readonly string[]
}

export function linesOf({ held, ledger, positions, moving, shown }: Sides): Line[] {
  if (positions === undefined) return [lineOf(null, ledger, sum(held.values()), moving)]
  const wallets = [...new Set([...held.keys(), ...positions.keys(), ...shown])]
    .filter((key) => key !== null)
    .toSorted()
  if (wallets.length === 0) return [lineOf(null, ledger, held.get(null) ?? 0n, moving)]
  const parts = Map.groupBy(moving, (moving) => moving.wallet)
  // What moves and names no wallet may be in any of them.
  const anywhere = parts.get(null) ?? []
  const inOne = wallets.map((wallet) =>
    lineOf(wallet, positions.get(wallet) ?? 0n, held.get(wallet) ?? 0n, [
      ...(parts.get(wallet) ?? []),
      ...anywhere,
    ]),
  )
  return [...inOne, lineOf(null, ledger - sum(positions.values()), held.get(null) ?? 0n, anywhere)]
}

function lineOf(
  wallet: string | null,
  ledger: Decimal,
  venue: Decimal,
  parts: readonly Part[],
): Line {
  const on_the_way = explainGap(venue - ledger, parts)
  return { wallet, ledger, venue, on_the_way, difference: venue - ledger - on_the_way }
}

/**
 * Where what was booked in no wallet (by hand) belongs: into the only wallet there is, or into
 * those where just that much, alone or together, is missing in the books. Nothing where that is not
 * clear: then a person sees a break.
 */
export function attributeUnplaced(lines: readonly Line[]): { wallet: string; quantity: Decimal }[] {
  const rest = -(lines.find((line) => line.wallet === null)?.difference ?? 0n)
  const wallets = lines.flatMap(({ wallet, difference }) =>
    wallet === null ? [] : [{ wallet, difference }],
  )
  const [only, ...more] = wallets
  if (rest === 0n || only === undefined) return []
  if (more.length === 0) return [{ wallet: only.wallet, quantity: rest }]
  const [alike, ...further] = wallets.filter((wallet) => wallet.difference === rest)
  if (alike !== undefined && further.length === 0) return [{ wallet: alike.wallet, quantity: rest }]
  const differing = wallets.filter((wallet) => wallet.difference !== 0n)
  const together =
    alike === undefined &&
    differing.every(({ difference }) => difference > 0n === rest > 0n) &&
    sum(differing.map(({ difference }) => difference)) === rest
  return together
    ? differing.map(({ wallet, difference }) => ({ wallet, quantity: difference }))
    : []
}
