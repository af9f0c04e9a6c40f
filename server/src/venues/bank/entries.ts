/**
 * The account's entries as all messages together report them, each once. The profile says which
 * kinds of messages book; the others are read to compare. What a person must decide is among the
 * records.
 */
import type { AccountEntry, BankEntry } from './account-entry.ts'
import type { InboxFile } from './inbox.ts'
import { KnownEntries, type KnownEntry, type Source } from './known-entries.ts'
import type { BankMessage, EntryKind, Profile, Unread } from './messages.ts'
import { findReversals } from './reversals.ts'
import { explainEntry } from './shared-entries.ts'
import type { SharedFile } from './shared-files.ts'
import type { StatusInFile } from './status-report.ts'
import { contradict, findTwin } from './twins.ts'
import { unexplained } from './unexplained.ts'
import { disputeRecord, twinRecord, unreadRecords } from './waiting-records.ts'
import type { TwinRecord, WaitingRecord } from './waiting-records.ts'

export type Entries = {
  /** In the order in which they were first reported. */
  known: readonly KnownEntry[]
  /** What is not booked and has an amount: it has moved the balance all the same. */
  unread: readonly Pick<Unread, 'direction' | 'quantity' | 'at'>[]
  /** Those that these files report, and credits that these files take back. */
  reportedBy(files: readonly InboxFile[]): BankEntry[]
  /** The same for the entry that stands there; for all entries of the file with null. */
  standingAt(file: string, from: number | null): BankEntry[]
  /** Debits of payments by their EndToEndId, without the bank's charges and what is no payment. */
  debits: ReadonlyMap<string, BankEntry[]>
  /** Of a payment and, of the whole message, of the files that it was in. Oldest first. */
  statusesOf(message_id: string, file_ids?: readonly string[]): StatusInFile[]
  /** Why nobody can tell what an entry says of this payment, which shares a file. */
  disputeOf(message_id: string): string | null
  /** The debit by which the bank took this credit back. */
  reversalOf(credit: BankEntry): BankEntry | undefined
  /** The credit that this debit takes back. */
  reversedBy(debit: BankEntry): BankEntry | undefined
  records: readonly WaitingRecord[]
}

/** `filesOf`: the file of ours of this id, or those that the payment of this reference was in. */
type Reading = { books: Profile; filesOf(name: string): readonly SharedFile[] }

export function readEntries(files: readonly InboxFile[], { books, filesOf }: Reading): Entries {
  const known = new KnownEntries()
  const statusesOf = statusesIn(files)
  const shared = explainAll(sourcesOf(files, books, true), { filesOf, statusesOf })
  const booking = shared.sources
  const twins = booking.flatMap((source) => takeMessage(known, source))
  const records = [
    ...files.flatMap(unreadRecords),
    ...shared.disputes.map(({ record }) => record),
    ...twins.filter(({ unless }) => !known.byKey.has(unless)),
    ...unexplained(known, sourcesOf(files, books, false), booking),
  ]
  const all = known.list.flatMap(({ parts }) => parts)
  const taken = findReversals(all)
  const credits = new Map([...taken].map(([credit, debit]) => [debit, credit]))
  const partsOf = (entry: AccountEntry) => known.byKey.get(entry.key)?.parts ?? []
  const waiting = new Set(records.map(({ file, from }) => `${from} ${file}`))
  const shown = (file: InboxFile) =>
    isEntryMessage(file.message) && books.has(file.message.kind)
      ? file.message.entries.filter(({ from }) => !waiting.has(`${from} ${file.name}`))
      : []
  const toldOf = (entries: readonly AccountEntry[]): BankEntry[] => [
    ...new Set(entries.flatMap(partsOf).flatMap((part) => [part, credits.get(part) ?? part])),
  ]
  return {
    known: known.list,
    unread: [
      ...distinct(booking.flatMap(({ message }) => message.unread)),
      ...shared.disputes.map(({ entry }) => ({ ...entry, quantity: entry.total })),
    ],
    debits: Map.groupBy(all.filter(isPayment), (bankEntry) => bankEntry.end_to_end_id ?? ''),
    statusesOf,
    disputeOf: (message_id) => shared.disputed.get(message_id) ?? null,
    reversalOf: (credit) => taken.get(credit),
    reversedBy: (debit) => credits.get(debit),
    reportedBy: (some) => {
      const names = new Set(some.map(({ name }) => name))
      const explained = shared.later.filter(({ since }) => since.some((name) => names.has(name)))
      return toldOf([...some.flatMap(shown), ...explained.map(({ entry }) => entry)])
    },
    standingAt: (name, from) =>
      toldOf(
        files
          .filter((file) => file.name === name)
          .flatMap(shown)
          .filter((entry) => from === null || entry.from === from),
      ),
    records,
  }
}

function statusesIn(files: readonly InboxFile[]): Entries['statusesOf'] {
  const all = files.flatMap(({ name, message }) =>
    message.statuses.map((status) => ({ ...status, file: name })),
  )
  const places = all.map((status, place) => ({ status, place }))
  const byReference = Map.groupBy(places, ({ status }) => status.reference)
  return (message_id, file_ids = []) => {
    const own = byReference.get(message_id) ?? []
    const ofFiles = file_ids.flatMap((file_id) => byReference.get(file_id) ?? [])
    return [...own, ...ofFiles.filter(({ status }) => status.scope === 'MESSAGE')]
      .toSorted((one, other) => one.place - other.place)
      .map(({ status }) => status)
  }
}

type Shared = {
  /** Their entries show each payment of our files that they stand for. */
  sources: Source[]
  /** Entries that cannot be explained, each once, and the payments that they may stand for. */
  disputes: { entry: AccountEntry; record: WaitingRecord }[]
  disputed: Map<string, string>
  /** Those that only the status reports in these messages explain. */
  later: { entry: AccountEntry; since: string[] }[]
}

function explainAll(
  sources: readonly Source[],
  { filesOf, statusesOf }: Pick<Reading, 'filesOf'> & Pick<Entries, 'statusesOf'>,
): Shared {
  const shared: Shared = { sources: [], disputes: [], disputed: new Map(), later: [] }
  const seen = new Set<string>()
  const explain = (entry: AccountEntry, source: Source): AccountEntry[] => {
    const found = entry.files.length === 0 ? undefined : explainEntry(entry, filesOf, statusesOf)
    if (found === undefined) return [entry]
    if (found.explained === 'UNREFUSED')
      shared.later.push({ entry: found.entry, since: found.since })
    if (found.explained !== 'NOT') return [found.entry]
    // What is announced may still change, and is no money.
    if (!entry.booked) return []
    for (const message_id of found.payments) shared.disputed.set(message_id, found.reason)
    const record = disputeRecord(entry, source, found.reason)
    if (!seen.has(record.id)) shared.disputes.push({ entry, record })
    seen.add(record.id)
    return []
  }
  for (const source of sources) {
    const entries = source.message.entries.flatMap((entry) => explain(entry, source))
    shared.sources.push({ ...source, message: { ...source.message, entries } })
  }
  return shared
}

/** A bank may send what was not understood more than once. */
const distinct = (unread: readonly Unread[]): Unread[] => [
  ...new Map(unread.map((record) => [record.id, record])).values(),
]

const isPayment = (bankEntry: BankEntry): boolean =>
  bankEntry.direction === 'DBIT' &&
  !bankEntry.returned &&
  !bankEntry.charge &&
  bankEntry.end_to_end_id !== null

const isEntryMessage = (message: BankMessage): message is BankMessage & { kind: EntryKind } =>
  message.kind !== 'pain.002'

/**
 * The messages that book, or those that do not. What came late under an older name stands behind
 * what was booked before it came.
 */
function sourcesOf(files: readonly InboxFile[], books: Profile, booking: boolean): Source[] {
  return files
    .toSorted((one, other) => one.arrival - other.arrival)
    .flatMap(({ name, message }) =>
      isEntryMessage(message) && books.has(message.kind) === booking
        ? [{ file: name, kind: message.kind, message }]
        : [],
    )
}

/**
 * What the message shows again comes first: then it is known what other messages have shown and
 * this one has not.
 */
function takeMessage(known: KnownEntries, source: Source): TwinRecord[] {
  const records: TwinRecord[] = []
  const fresh: AccountEntry[] = []
  for (const entry of source.message.entries) {
    const before = known.byKey.get(entry.key)
    const other = keyOfAnother(known, before, entry, source)
    if (before === undefined) fresh.push(entry)
    else if (other !== undefined) records.push(twinRecord(before, entry, source, other))
    else known.confirm(before, source.kind, entry)
  }
  for (const entry of fresh) {
    const twin = twinOf(known, entry, source)
    if (twin === undefined) known.add(entry, source)
    else records.push(...takeTwin(known, twin, entry, source))
  }
  return records
}

/** A statement that lists both says that they are two. */
function twinOf(known: KnownEntries, entry: AccountEntry, source: Source): KnownEntry | undefined {
  const same = known.byKey.get(entry.key)
  if (same !== undefined) return same
  const twin = known.waiting.get(entry.key) ?? findTwin(known, entry, source)
  if (twin === undefined || source.kind === 'camt.054') return twin
  return source.message.entries.some(({ key }) => key === twin.entry.key) ? undefined : twin
}

/** One that was announced under another name is booked by that name; else a person decides. */
function takeTwin(
  known: KnownEntries,
  twin: KnownEntry,
  entry: AccountEntry,
  source: Source,
): TwinRecord[] {
  const wasBooked = twin.entry.booked
  known.confirm(twin, source.kind, entry)
  if (known.byKey.has(entry.key) || known.waiting.has(entry.key)) return []
  if (!wasBooked) {
    known.byKey.set(entry.key, twin)
    return []
  }
  known.waiting.set(entry.key, twin)
  return [twinRecord(twin, entry, source, entry.key)]
}

/**
 * Undefined where it is the known entry. A message of the same kind may give the name of a known
 * entry to what must be another payment; without a name a notification of its own may do so.
 */
function keyOfAnother(
  known: KnownEntries,
  before: KnownEntry | undefined,
  entry: AccountEntry,
  { kind, message, file }: Source,
): string | undefined {
  const id = message.id ?? file
  if (entry.reference === null) {
    if (kind !== 'camt.054' || !entry.booked) return undefined
    const key = known.keyOfNotice(entry, id)
    return key.startsWith('0 ') ? undefined : key
  }
  if (before === undefined || before.source.kind !== kind || !before.entry.booked) return undefined
  if ((before.source.message.id ?? before.source.file) === id) return undefined
  return contradict(before.entry, entry) ? `another than ${entry.key}` : undefined
}
