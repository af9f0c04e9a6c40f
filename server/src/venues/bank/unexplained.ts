/**
 * Entries of messages that only compare. Each must be one that is booked. Once the messages that
 * book are past its date, an entry that none of them has shown waits for a person.
 */
import type { AccountEntry } from './account-entry.ts'
import type { KnownEntries, Source } from './known-entries.ts'
import { contradict } from './twins.ts'
import { unexplainedRecord, type WaitingRecord } from './waiting-records.ts'

export function unexplained(
  known: KnownEntries,
  comparing: readonly Source[],
  booking: readonly Source[],
): WaitingRecord[] {
  const shown = new Map<string, { entry: AccountEntry; source: Source }>()
  for (const source of comparing)
    for (const entry of source.message.entries) {
      const key = `${source.kind} ${entry.key}`
      if (entry.booked && !shown.has(key)) shown.set(key, { entry, source })
    }
  const open = [...shown.values()].filter(({ entry, source }) => {
    const same = known.byKey.get(entry.key) ?? known.byTransaction(entry)
    if (same !== undefined) known.close(same, source.kind)
    return same === undefined
  })
  return open.flatMap(({ entry, source }) => {
    for (const other of known.openLike(entry, source.kind))
      if (!contradict(other.entry, entry)) {
        known.close(other, source.kind)
        return []
      }
    const covering = booking.find(({ message }) => (message.covers ?? '') > entry.at.date)
    return covering === undefined ? [] : [unexplainedRecord(entry, source, covering)]
  })
}
