/** The balance of the account: the newest statement and what was booked since. */
import { ZERO, type Decimal } from '../../core/decimal.ts'
import type { Direction } from './batch.ts'
import type { BankTime } from './elements.ts'
import type { Entries } from './entries.ts'
import type { InboxFile } from './inbox.ts'
import type { Profile } from './messages.ts'
import type { Statement } from './statement.ts'

/** A report within the day (camt.052) tells the balance only where it books. */
export function newestStatement(
  files: readonly InboxFile[],
  books: Profile,
): { name: string; statement: Statement } | undefined {
  let newest: { name: string; statement: Statement } | undefined
  for (const { name, message } of files) {
    if (message.kind === 'camt.052' && !books.has('camt.052')) continue
    for (const statement of message.statements)
      if (newest === undefined || !endsBefore(statement.to, newest.statement.to))
        newest = { name, statement }
  }
  return newest
}

type Moved = { direction: Direction | null; quantity: Decimal | null; at: BankTime | null }

/** An entry that was not understood has moved the balance too, as far as its amount is known. */
export function balanceOf(statement: Statement, { known, unread }: Entries): Decimal {
  const stated = new Set(statement.entries.map(({ key }) => key))
  const since: Moved[] = [
    ...known.flatMap(({ entry }) =>
      entry.booked && !stated.has(entry.key) ? [{ ...entry, quantity: entry.total }] : [],
    ),
    ...unread,
  ]
  return since
    .filter(({ at }) => at !== null && isAfter(at, statement.to))
    .reduce((balance, moved) => balance + signed(moved), statement.closing)
}

function signed({ direction, quantity }: Moved): Decimal {
  if (direction === null || quantity === null) return ZERO
  return direction === 'CRDT' ? quantity : -quantity
}

function endsBefore(a: BankTime, b: BankTime): boolean {
  return a.time !== null && b.time !== null ? a.time < b.time : a.date < b.date
}

/**
 * Whether an entry that the statement does not show was booked after it: a statement by date holds
 * all of its day.
 */
function isAfter(entry: BankTime, end: BankTime): boolean {
  if (end.time === null) return entry.date > end.date
  return entry.time === null ? entry.date >= end.date : entry.time >= end.time
}
