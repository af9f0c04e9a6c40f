/**
 * Columns of rows that are made set-wise, evenly over the last ninety days. `bench_id(kind, i)` is
 * the id of the i-th row of a kind, in the order of time as all ids are.
 */

/**
 * SQL by column, in terms of `i` from 1 to the number of rows; what is not named is null or has its
 * default.
 */
type Columns = Readonly<Record<string, string>>
export type Fill = { table: string; columns: Columns; share?: number }

export const KIND = {
  customer: 1,
  account: 2,
  venue: 3,
  service: 4,
  wallet: 5,
  deposit: 6,
  withdrawal: 7,
  route: 8,
  job: 9,
  execution: 10,
  settlement: 11,
  quote: 12,
  price_route: 13,
  fill: 14,
  other: 15,
} as const
export type Kind = keyof typeof KIND

export const SPAN_MILLISECONDS = 90 * 86_400_000
/**
 * How many of each kind are named by all others. Also of ten thousand rows, those that name one
 * fill more than a page, as those of a rare state do behind the middle.
 */
export const FEW = 37
export const id = (kind: Kind, number = 'i') => `bench_id(${KIND[kind]}, ${number})`
export const one = (kind: Kind) => id(kind, `1 + i % ${FEW}`)
export const record = (kind: Kind): Columns => ({
  id: id(kind),
  system_created_at: 'bench_at(i)',
  system_created_by: `'bench'`,
  system_updated_at: 'bench_at(i)',
  system_updated_by: `'bench'`,
})
/** Each state in its share of hundredths, the rest the first one. */
export const states = (usual: string, ...rare: [state: string, hundredths: number][]) => {
  let below = 0
  const cases = rare.map(
    ([state, hundredths]) => `when i % 100 < ${(below += hundredths)} then '${state}'`,
  )
  return `case ${cases.join(' ')} else '${usual}' end`
}
