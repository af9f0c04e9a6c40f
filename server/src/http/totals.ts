/**
 * What the rows of a list amount to. They are read as the list reads its pages, by the same index,
 * and up to a bound: whoever has more rows is told that the sums are of the first ones.
 */
import { decimal, format } from '../core/decimal.ts'
import type { Json } from '../core/json.ts'
import type { Reader } from '../store/db.ts'
import { join, raw, sql } from '../store/sql.ts'
import type { ListQuery } from './endpoint.ts'
import { firstRows } from './lists.ts'
import { closed, decimalText, flag, integer, Type } from './shapes.ts'
import type { Static, TSchema } from './shapes.ts'

const MAXIMUM_TOTALS_ROWS = 50_000
/** In rows of a list that is sent: the rows stay in the database. */
export const TOTALS_COST = 5_000

/** `by`: the columns of which each combination has a line; `sums`: those that are added up. */
type Totals<By extends Record<string, TSchema>, Sum extends string> = {
  title: string
  by: By
  sums: readonly Sum[]
}

export function totalsShape<By extends Record<string, TSchema>, Sum extends string>({
  title,
  by,
  sums,
}: Totals<By, Sum>) {
  const sumShapes = Object.fromEntries(sums.map((sum) => [sum, decimalText('The sum')]))
  return closed(
    {
      rows: integer(0, MAXIMUM_TOTALS_ROWS, 'How many rows the sums are of'),
      complete: flag('False: there may be more rows; the sums are of the first ones of the list'),
      totals: Type.Array(
        closed(
          {
            ...by,
            rows: integer(1, MAXIMUM_TOTALS_ROWS),
            ...(sumShapes as Record<Sum, ReturnType<typeof decimalText>>),
          },
          { title: `${title}Line` },
        ),
      ),
    },
    { title },
  )
}

type Line<By extends Record<string, TSchema>, Sum extends string> = {
  [Name in keyof By]: Static<By[Name]>
} & Record<Sum, string> & { rows: number }

export async function totalsOf<By extends Record<string, TSchema>, Sum extends string>(
  reader: Reader,
  list: ListQuery<Json>,
  { by, sums }: Totals<By, Sum>,
  maximum = MAXIMUM_TOTALS_ROWS,
): Promise<{ rows: number; complete: boolean; totals: Line<By, Sum>[] }> {
  const columns = join(
    Object.keys(by).map((column) => raw(column)),
    ', ',
  )
  const totals = await reader.query<Line<By, Sum>>(sql`
    select ${columns}, count(*) as rows, ${join(
      sums.map((sum) => sql`coalesce(sum(${raw(sum)}), 0) as ${raw(sum)}`),
      ', ',
    )}
    from (${firstRows(list, maximum)}) as listed
    group by ${columns}
    order by ${columns}`)
  const rows = totals.reduce((count, line) => count + Number(line.rows), 0)
  return {
    rows,
    complete: rows < maximum,
    totals: totals.map((line) => ({
      ...line,
      rows: Number(line.rows),
      ...(Object.fromEntries(sums.map((sum) => [sum, format(decimal(line[sum]))])) as Record<
        Sum,
        string
      >),
    })),
  }
}
