/** Exact sums of rows, by currency. */
import { addAmounts } from '@kontor/client'

/** Of a row, or of a line of the service's sums, which has the same fields. */
export type Sum<Row> = {
  label: string | ((row: Row) => string)
  /** Null: it does not count. */
  amount(row: Row): string | null
  asset(row: Row): string
}

type Total = { label: string; asset: string; amount: string }

export function totalsOf<Row>(sums: readonly Sum<Row>[], rows: readonly Row[]): readonly Total[] {
  const amounts = new Map<string, { label: string; asset: string; amounts: string[] }>()
  for (const { label, amount, asset } of sums) {
    for (const row of rows) {
      const one = amount(row)
      if (one === null) continue
      const total = { label: typeof label === 'string' ? label : label(row), asset: asset(row) }
      const key = JSON.stringify(total)
      const known = amounts.get(key) ?? { ...total, amounts: [] }
      known.amounts.push(one)
      amounts.set(key, known)
    }
  }
  return [...amounts.values()]
    .map(({ label, asset, amounts: all }) => ({ label, asset, amount: addAmounts(...all) }))
    .toSorted((a, b) => a.label.localeCompare(b.label) || a.asset.localeCompare(b.asset))
}
