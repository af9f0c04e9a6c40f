/** What the exchange's tables share. */
import type { DatabaseSync } from 'node:sqlite'

/** From (exclusive) and to (inclusive), in world time. */
export type Period = { from?: number; to?: number }

/** The SQL condition whose parameters are `periodValues`. */
export function matchesPeriod(column: string): string {
  return `(? is null or ${column} > ?) and (? is null or ${column} <= ?)`
}

export function periodValues({ from, to }: Period): (number | null)[] {
  const [after, until] = [from ?? null, to ?? null]
  return [after, after, until, until]
}

/** For tables of a world that was made before the column existed. */
export function addColumn(db: DatabaseSync, table: string, column: string): void {
  const [name] = column.split(' ')
  const select = db.prepare(`
    select name
    from pragma_table_info('${table}')`)
  const columns = select.all() as { name: string }[]
  if (!columns.some((existing) => existing.name === name))
    db.exec(`alter table ${table} add column ${column}`)
}

export type ListFilter = { asset?: string; from?: number; to?: number; limit: number }

/**
 * The SQL condition for deposits and withdrawals; `listFilterValues` are its parameters and the
 * limit.
 */
export const MATCHES_LIST_FILTER =
  '(? is null or asset = ?) and (? is null or at >= ?) and (? is null or at <= ?)'

export function listFilterValues(filter: ListFilter): (string | number | null)[] {
  const [asset, from, to] = [filter.asset ?? null, filter.from ?? null, filter.to ?? null]
  return [asset, asset, from, from, to, to, filter.limit]
}
