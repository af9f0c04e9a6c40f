/** Secrets that tables keep wrapped: which keys have wrapped them, and those that are lost. */
import type { Reader } from './db.ts'
import { raw, sql } from './sql.ts'

/** In a database of whatever release, which may not have the table yet. */
export async function keysThatWrap(
  reader: Reader,
  table: string,
): Promise<{ wrapped_by: string; secrets: number }[]> {
  const [known] = await reader.query<{ there: boolean }>(
    sql`select to_regclass(${table}) is not null as there`,
  )
  if (known?.there !== true) return []
  return reader.query(sql`
    select wrapped_by, count(*)::integer as secrets
    from ${raw(table)}
    where wrapped_by is not null
    group by wrapped_by
    order by wrapped_by`)
}

/** What another key has wrapped nobody can open any more. Answers how many. */
export async function clearOfLostKeys(
  reader: Reader,
  { table, column }: { table: string; column: string },
  key: string,
): Promise<number> {
  const cleared = await reader.query(sql`
    update ${raw(table)}
    set ${raw(column)} = null, wrapped_by = null
    where wrapped_by <> ${key}
    returning 1`)
  return cleared.length
}
