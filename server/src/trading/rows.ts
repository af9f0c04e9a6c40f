import { join, raw, sql } from '../store/sql.ts'
import type { Query, Value } from '../store/sql.ts'

/**
 * One row; the keys are column names of ours, never input. With a condition, only if that holds.
 */
export function insertRow(table: string, row: Record<string, Value>, condition?: Query): Query {
  const values = join(Object.values(row), ', ')
  return sql`insert into ${raw(table)} (${raw(Object.keys(row).join(', '))}) ${
    condition === undefined
      ? sql`values (${values})`
      : sql`
    select ${values}
    where ${condition}`
  }`
}

/** The common fields of a new record. */
export function createdBy(by: string | null, now: number) {
  return {
    system_created_at: now,
    system_created_by: by,
    system_updated_at: now,
    system_updated_by: by,
    version: 1,
  }
}
