/** The balance of the account: the newest statement and what was booked since. */
import type { Decimal } from '../../core/decimal.ts'
import { wholeOf, type Entries } from './entries.ts'
import type { InboxFile } from './inbox.ts'
import type { BankTime, Statement } from './messages.ts'

export function newestStatement(
  files: readonly InboxFile[],
): { name: string; statement: Statement } | undefined {
  let newest: { name: string; statement: Statement } | undefined
  for (const { name, message } of files) {
    const { statement } = message
    if (statement === null) continue
    if (newest === undefined || !endsBefore(statement.to, newest.statement.to))
      newest = { name, statement }
  }
  return newest
}

export function balanceOf(statement: Statement, { all }: Entries): Decimal {
  const stated = new Set(statement.entries.filter((entry) => entry.booked).map(wholeOf))
  const since = all.filter(
    (entry) => entry.booked && !stated.has(wholeOf(entry)) && isAfter(entry.at, statement.to),
  )
  return since.reduce(
    (balance, entry) => balance + (entry.direction === 'CRDT' ? entry.quantity : -entry.quantity),
    statement.closing,
  )
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
