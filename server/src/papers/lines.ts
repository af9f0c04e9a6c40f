/** The lines of a statement, all at once, as far as a paper takes them. */
import { refuse } from '../core/errors.ts'
import { page } from '../http/index.ts'
import type { ListQuery } from '../http/index.ts'
import type { StatementLine } from '../ledger/index.ts'
import type { PapersApp } from './paper.ts'

const CHUNK_ROWS = 1_000

/**
 * Opening and closing lines are not counted: their number is that of the assets. Throws RANGE when
 * there are more than `most` bookings.
 */
export async function readLines(
  { db }: PapersApp,
  list: ListQuery<StatementLine>,
  { most, form }: { most: number; form: string },
): Promise<StatementLine[]> {
  const lines: StatementLine[] = []
  let bookings = 0
  let cursor: string | undefined
  do {
    const { items, next } = await page(db, list, CHUNK_ROWS, cursor)
    lines.push(...(items as StatementLine[]))
    bookings += items.filter((line) => (line as StatementLine).line === 'BOOKING').length
    if (bookings > most)
      throw refuse(
        'RANGE',
        'from',
        `this statement has more than ${most} bookings, which is the most that ${form} has: ask ` +
          'for a shorter period or fewer assets, or for CSV',
      )
    cursor = next
  } while (cursor !== undefined)
  return lines
}
