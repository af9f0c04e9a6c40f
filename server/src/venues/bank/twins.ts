/**
 * Entries that may be one payment under two names. A notification and a statement may carry
 * different references for one payment, and some banks give one reference to several payments.
 * Where that cannot be told, a person decides, and nothing is booked twice.
 */
import type { AccountEntry } from './account-entry.ts'
import { nameOtherFiles } from './file-names.ts'
import type { KnownEntries, KnownEntry, Source } from './known-entries.ts'

/** The known entry that this new one may be, under another name. */
export function findTwin(
  known: KnownEntries,
  entry: AccountEntry,
  source: Source,
): KnownEntry | undefined {
  const same = known.byTransaction(entry)
  if (same !== undefined && same.source.file !== source.file && !contradict(same.entry, entry))
    return same
  if (!entry.booked) return undefined
  for (const other of known.openLike(entry, source.kind))
    if (
      other.entry.booked &&
      isCovered(other, source) &&
      !contradict(other.entry, entry) &&
      mayBeOne(other.entry, entry)
    )
      return other
  return undefined
}

/** A statement shows no entry from after its end. */
const isCovered = ({ entry }: KnownEntry, { message }: Source): boolean =>
  message.statements.length === 0 || message.covers === null || entry.at.date <= message.covers

const differ = (one: string | null, other: string | null): boolean =>
  one !== null && other !== null && one !== other

const agree = (one: string | null, other: string | null): boolean => one !== null && one === other

/** What two messages say of one payment may be more or less, but not something else. */
export function contradict(one: AccountEntry, other: AccountEntry): boolean {
  return (
    differ(one.transaction_id, other.transaction_id) ||
    differ(one.end_to_end_id, other.end_to_end_id) ||
    differ(ibanOf(one), ibanOf(other)) ||
    nameOtherFiles(one, other)
  )
}

/** With a reference each they are two, unless something speaks for one. */
function mayBeOne(one: AccountEntry, other: AccountEntry): boolean {
  if (one.reference === null || other.reference === null) return true
  return (
    agree(one.end_to_end_id, other.end_to_end_id) ||
    (agree(one.payer, other.payer) && one.at.date === other.at.date)
  )
}

/** Banks shorten names, but no account numbers. */
function ibanOf({ parts }: AccountEntry): string | null {
  const [part, ...further] = parts
  return further.length > 0 ? null : (part?.counterparty.iban ?? null)
}
