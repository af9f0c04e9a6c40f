/**
 * The entries that are booked, each once, and which of them every kind of message has shown. An
 * entry that one kind has shown and another has not is open for that other kind.
 */
import type { Decimal } from '../../core/decimal.ts'
import type { AccountEntry, BankEntry } from './account-entry.ts'
import type { Direction } from './batch.ts'
import { likeness, nameByContent, numberedKey } from './identity.ts'
import { ENTRY_KINDS, type BankMessage, type EntryKind } from './messages.ts'

/** Where an entry was read. */
export type Source = { file: string; kind: EntryKind; message: BankMessage }

export type KnownEntry = {
  entry: AccountEntry
  name: string
  parts: BankEntry[]
  source: Source
  /** The date under which it was first shown. */
  date: string
}

/** Of entries that are alike but for their names. */
type Amount = { direction: Direction; total: Decimal }

/** Banks date one entry differently in different messages; a weekend may lie between. */
const DATES_APART = [0, -1, 1, -2, 2, -3, 3]
const DAY_MILLISECONDS = 86_400_000

export class KnownEntries {
  readonly byKey = new Map<string, KnownEntry>()
  /** What is not booked as it may be this known entry. */
  readonly waiting = new Map<string, KnownEntry>()
  readonly #names = new Map<string, string>()
  readonly #byTransaction = new Map<string, KnownEntry>()
  readonly #open = new Map<string, Set<KnownEntry>>()
  readonly #notices = new Map<string, string[]>()

  get list(): KnownEntry[] {
    return [...new Set(this.byKey.values())]
  }

  add(entry: AccountEntry, source: Source): KnownEntry {
    const name = this.#nameOf(entry)
    const { date } = entry.at
    const known = { entry, name, parts: namedParts(entry, name), source, date }
    this.byKey.set(entry.key, known)
    if (entry.transaction_id !== null)
      this.#byTransaction.set(transactionKey(entry, entry.transaction_id), known)
    for (const kind of ENTRY_KINDS)
      if (kind !== source.kind) {
        const key = openKey(kind, entry, date)
        this.#open.set(key, (this.#open.get(key) ?? new Set()).add(known))
      }
    return known
  }

  /**
   * Without a reference, a further notification of what looks alike may be a further payment: its
   * key, and that of the first one when it is none.
   */
  keyOfNotice(entry: AccountEntry, message: string): string {
    const look = likeness(entry)
    const notices = this.#notices.get(look) ?? []
    if (!notices.includes(message)) notices.push(message)
    this.#notices.set(look, notices)
    return numberedKey(look, notices.indexOf(message))
  }

  /**
   * A further message shows it. What is booked outweighs what was announced; of what is booked the
   * first value date counts.
   */
  confirm(known: KnownEntry, kind: EntryKind, again: AccountEntry): void {
    this.close(known, kind)
    if (!again.booked) return
    const isNews = !known.entry.booked
    const at = isNews ? again.at : known.entry.at
    const value_date =
      (isNews ? again.value_date : null) ?? known.entry.value_date ?? again.value_date
    known.entry = { ...known.entry, booked: true, at, value_date }
    known.parts = known.parts.map((part) => ({ ...part, booked: true, at, value_date }))
  }

  /** This kind has shown it. */
  close(known: KnownEntry, kind: EntryKind): void {
    this.#open.get(openKey(kind, known.entry, known.date))?.delete(known)
  }

  byTransaction(entry: AccountEntry): KnownEntry | undefined {
    const { transaction_id } = entry
    if (transaction_id === null) return undefined
    return this.#byTransaction.get(transactionKey(entry, transaction_id))
  }

  /** Of this amount and about this date, which this kind has not shown yet; the nearest first. */
  *openLike(entry: AccountEntry, kind: EntryKind): Generator<KnownEntry> {
    for (const days of DATES_APART)
      yield* this.#open.get(openKey(kind, entry, daysFrom(entry.at.date, days))) ?? []
  }

  /** Both directions may have one name: some banks reverse under the same reference. */
  #nameOf(entry: AccountEntry): string {
    const { reference, direction, key } = entry
    const name = `${direction} ${reference ?? ''}`
    const owner = this.#names.get(name) ?? key
    if (reference === null || owner !== key) return nameByContent(entry)
    this.#names.set(name, key)
    return reference
  }
}

const openKey = (kind: EntryKind, { direction, total }: Amount, date: string) =>
  `${kind} ${direction} ${total} ${date}`

const transactionKey = ({ direction, total }: Amount, id: string) => `${direction} ${total} ${id}`

function daysFrom(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MILLISECONDS).toISOString().slice(0, 10)
}

/** The payments of a batch are counted; the price that is in the entry has a name of its own. */
function namedParts({ parts, reference }: AccountEntry, entry: string): BankEntry[] {
  const payments = parts.filter((part) => !part.charge).length
  return parts.map((part, index) => {
    const isPrice = part.charge && payments > 0 && index === parts.length - 1
    const isAlone = parts.length === 1 || (!isPrice && payments === 1)
    const place = isAlone ? '' : `/${isPrice ? 'charge' : index + 1}`
    const bank_reference = reference === null ? null : reference + place
    return { ...part, entry, reference: entry + place, bank_reference }
  })
}
