/**
 * The account's entries as all messages together report them, each once: a notification and a
 * statement name an entry by the same reference, in any order. Of a batch either the sum or its
 * parts count, whichever was reported first; booked outweighs pending.
 */
import type { BankEntry, PaymentStatus } from './messages.ts'
import type { InboxFile } from './inbox.ts'

export type Entries = {
  /** In the order in which they were first reported. */
  all: readonly BankEntry[]
  /** Those that these files report, and credits that these files take back. */
  reportedBy(files: readonly InboxFile[]): BankEntry[]
  /** Debits of payments by their EndToEndId, the bank's charges left out. */
  debits: ReadonlyMap<string, BankEntry[]>
  statuses: ReadonlyMap<string, PaymentStatus[]>
  /** The debit by which the bank took this credit back. */
  reversalOf(credit: BankEntry): BankEntry | undefined
  /** The credit that this debit takes back. */
  reversedBy(debit: BankEntry): BankEntry | undefined
}

const keyOf = (entry: BankEntry) => `${entry.direction} ${entry.reference}`
/** Both directions of one reference are two entries: some banks reverse under the same one. */
export const wholeOf = (entry: BankEntry) => `${entry.direction} ${entry.entry}`

export function readEntries(files: readonly InboxFile[]): Entries {
  const known = new Map<string, BankEntry>()
  const forms = new Map<string, boolean>()
  const isPart = (entry: BankEntry) => entry.reference !== entry.entry
  for (const { message } of files) {
    for (const entry of message.entries) {
      const form = forms.get(wholeOf(entry)) ?? isPart(entry)
      forms.set(wholeOf(entry), form)
      if (form !== isPart(entry)) continue
      const before = known.get(keyOf(entry))
      if (before === undefined || (entry.booked && !before.booked)) known.set(keyOf(entry), entry)
    }
  }
  const all = [...known.values()]
  const taken = findReversals(all)
  const credits = new Map([...taken].map(([credit, debit]) => [debit, credit]))
  return {
    all,
    debits: Map.groupBy(
      all.filter(
        (bankEntry) =>
          bankEntry.direction === 'DBIT' &&
          !bankEntry.reversal &&
          !bankEntry.charge &&
          bankEntry.end_to_end_id !== null,
      ),
      (bankEntry) => bankEntry.end_to_end_id ?? '',
    ),
    statuses: Map.groupBy(
      files.flatMap(({ message }) => message.statuses),
      (status) => status.reference,
    ),
    reversalOf: (credit) => taken.get(credit),
    reversedBy: (debit) => credits.get(debit),
    reportedBy: (some) => {
      const reported = new Set(
        some
          .flatMap(({ message }) => message.entries)
          .flatMap((bankEntry) => known.get(keyOf(bankEntry)) ?? []),
      )
      return [
        ...new Set(
          [...reported].flatMap((bankEntry) => [bankEntry, credits.get(bankEntry) ?? bankEntry]),
        ),
      ]
    },
  }
}

/**
 * Which booked reversal takes back which credit: by reference, by the id between the banks, else by
 * the payer's id when only one has it.
 */
function findReversals(all: readonly BankEntry[]): Map<BankEntry, BankEntry> {
  const taken = new Map<BankEntry, BankEntry>()
  const reversals = all.filter(
    (bankEntry) => bankEntry.direction === 'DBIT' && bankEntry.reversal && bankEntry.booked,
  )
  if (reversals.length === 0) return taken
  const credits = all.filter((bankEntry) => bankEntry.direction === 'CRDT' && !bankEntry.reversal)
  for (const reversal of reversals) {
    const open = credits.filter(
      (credit) => !taken.has(credit) && credit.quantity === reversal.quantity,
    )
    const payers =
      reversal.end_to_end_id === null
        ? []
        : open.filter((credit) => credit.end_to_end_id === reversal.end_to_end_id)
    const found =
      open.find((credit) => credit.reference === reversal.reference) ??
      (reversal.transaction_id === null
        ? undefined
        : open.find((credit) => credit.transaction_id === reversal.transaction_id)) ??
      (payers.length === 1 ? payers[0] : undefined)
    if (found !== undefined) taken.set(found, reversal)
  }
  return taken
}
