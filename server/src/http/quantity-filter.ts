/** The filter of a list by a least and a greatest quantity, whatever the history. */
import type { Reader } from '../store/db.ts'
import { raw, sql, where } from '../store/sql.ts'
import type { Query } from '../store/sql.ts'

/** Of so many quantities the ids are looked up. Of more, the list finds a page soon. */
const FEW = 2_000

type Quantities = {
  /** Its index begins with `among` and the quantity. */
  table: string
  column: string
  /** The columns as the list calls them. */
  of: { id: string; quantity: string }
  among: readonly Query[]
}

/**
 * The database plans without the values, and so cannot know whether a range holds one row or all.
 * `quantity + 0` keeps it from an index that would give it all of them to sort.
 */
export async function quantityConditions(
  reader: Reader,
  { table, column, of, among }: Quantities,
  { from, to }: { from: string | undefined; to: string | undefined },
): Promise<Query[]> {
  if (from === undefined && to === undefined) return []
  if (from !== undefined && from === to) return [sql`${raw(of.quantity)} = ${from}::numeric`]
  const within = (quantity: string) => [
    ...(from === undefined ? [] : [sql`${raw(quantity)} >= ${from}::numeric`]),
    ...(to === undefined ? [] : [sql`${raw(quantity)} <= ${to}::numeric`]),
  ]
  const rows = await reader.query<{ id: string }>(sql`
    select id
    from ${raw(table)}
    ${where([...among, ...within(column)])}
    order by ${raw(column)}
    limit ${FEW + 1}`)
  if (rows.length > FEW) return within(`(${of.quantity} + 0)`)
  return [sql`${raw(of.id)} = any(${rows.map(({ id }) => id)}::uuid[])`]
}
