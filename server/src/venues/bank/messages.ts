/**
 * Reads what a bank sends: pain.002 (status of our payments), camt.052 (report within the day),
 * camt.053 (statement) and camt.054 (movements at once), of any version. Only what concerns the
 * named account is taken. What cannot be understood is kept apart, and the rest is read. Throws
 * UnreadableMessage where the whole file is none of these.
 */
import type { Decimal } from '../../core/decimal.ts'
import { readAccountEntry } from './account-entry.ts'
import type { AccountEntry, EntryContext } from './account-entry.ts'
import { countAlike, hashOf } from './identity.ts'
import type { Direction } from './batch.ts'
import { readTime, tryAmount, type BankTime } from './elements.ts'
import { realReference } from './reference.ts'
import { readStatement, type Statement } from './statement.ts'
import { readStatusReport, type PaymentStatus } from './status-report.ts'
import { all, first, parseXml, text, UnreadableMessage } from './xml.ts'
import type { Element } from './xml.ts'

/** Kinds of messages with entries. */
export const ENTRY_KINDS = ['camt.052', 'camt.053', 'camt.054'] as const
export type EntryKind = (typeof ENTRY_KINDS)[number]

/** The kinds that book; the others are read to compare. */
export type Profile = ReadonlySet<EntryKind>

/** A record in a message that cannot be understood. */
export type Unread = {
  /** The same for the same text. */
  id: string
  reason: string
  /** As far as it can be said; of what is no entry nothing. */
  direction: Direction | null
  quantity: Decimal | null
  at: BankTime | null
  /** The references that it carries. */
  references: string[]
  /** Where it stands in its file. */
  from: number
  to: number
}

export type BankMessage = {
  kind: EntryKind | 'pain.002'
  /** Of the message itself: a repeat has the same. */
  id: string | null
  /**
   * All entries of the account that were booked before this date are in such messages by now. Null
   * of a message about other accounts.
   */
  covers: string | null
  statuses: PaymentStatus[]
  entries: AccountEntry[]
  statements: Statement[]
  unread: Unread[]
}

/** How the bank names our account. */
export type NamedAccount = { number: string; currency: string; account_id?: string | null }

const DAY_MILLISECONDS = 86_400_000

/** The element of each kind below the document, and that of one account in it. */
const FORMS: Record<EntryKind, { root: RegExp; part: string }> = {
  'camt.052': { root: /^BkToCstmrAcctRpt(?:V\d\d)?$/, part: 'Rpt' },
  'camt.053': { root: /^BkToCstmrStmt(?:V\d\d)?$/, part: 'Stmt' },
  'camt.054': { root: /^BkToCstmrDbtCdtNtfctn(?:V\d\d)?$/, part: 'Ntfctn' },
}

export function readBankMessage(xml: string, account: NamedAccount): BankMessage {
  const root = parseXml(xml)
  // Some banks wrap the document together with a header.
  const document = root.name === 'Document' ? root : first(root, 'Document')
  for (const kind of ENTRY_KINDS) {
    const found = document?.children.find(({ name }) => FORMS[kind].root.test(name))
    if (found !== undefined) return readEntryMessage(xml, { kind, root: found, account })
  }
  const report = first(document, 'CstmrPmtStsRpt')
  if (report === undefined)
    throw new UnreadableMessage('neither pain.002 nor camt.052, camt.053 or camt.054')
  const { statuses, nameless } = readStatusReport(report)
  const unread = nameless.map(({ element, reason }) => ({
    ...unreadAt(xml, element, reason),
    direction: 'DBIT' as const,
  }))
  return { ...emptyMessage('pain.002', report), statuses, unread }
}

function emptyMessage(kind: BankMessage['kind'], root: Element): BankMessage {
  const id = tryText(root, 'GrpHdr', 'MsgId')
  return { kind, id, covers: null, statuses: [], entries: [], statements: [], unread: [] }
}

type Reading = { kind: EntryKind; root: Element; account: NamedAccount }

function readEntryMessage(xml: string, { kind, root, account }: Reading): BankMessage {
  const message = emptyMessage(kind, root)
  const created = tryTime(root, 'GrpHdr', 'CreDtTm')
  let concernsUs = false
  for (const part of all(root, FORMS[kind].part)) {
    try {
      if (!isOurs(part, account)) continue
      concernsUs = true
      readPart(xml, part, { message, kind, account, created })
    } catch (error) {
      message.unread.push(unreadBy(xml, part, error))
    }
  }
  // One message of several notifications reports each payment once.
  if (kind === 'camt.054') addListed(xml, message, message.entries.splice(0))
  if (concernsUs) message.covers = coveredBy(message, created)
  message.unread = withDistinctIds(message.unread)
  return message
}

/** A statement by date holds all of its day, everything else what was before its own day. */
function coveredBy({ statements }: BankMessage, created: BankTime | null): string | null {
  const ends = statements.map(({ to }) => (to.time === null ? dayAfter(to.date) : to.date))
  return [...ends, ...(created === null ? [] : [created.date])].toSorted().at(-1) ?? null
}

function dayAfter(date: string): string {
  return new Date(Date.parse(date) + DAY_MILLISECONDS).toISOString().slice(0, 10)
}

/** Two records of the same text are two. */
function withDistinctIds(unread: readonly Unread[]): Unread[] {
  const seen = new Map<string, number>()
  return unread.map((record) => {
    const before = seen.get(record.id) ?? 0
    seen.set(record.id, before + 1)
    return before === 0 ? record : { ...record, id: `${record.id}-${before + 1}` }
  })
}

/**
 * Throws where it does not say which account it is about: then it may be ours. Version .01 names
 * accounts without IBAN in a place of its own.
 */
function isOurs(part: Element, { number, account_id, currency }: NamedAccount): boolean {
  const id = first(part, 'Acct', 'Id')
  const names = [
    text(id, 'IBAN'),
    text(id, 'Othr', 'Id'),
    text(id, 'PrtryAcct', 'Id'),
    text(id, 'BBAN'),
  ].flatMap((name) => (name === null ? [] : [plainId(name)]))
  if (names.length === 0) throw new UnreadableMessage('it does not name its account')
  const ours = [number, ...(account_id == null ? [] : [account_id])].map(plainId)
  if (!names.some((name) => ours.includes(name))) return false
  return (text(part, 'Acct', 'Ccy') ?? currency) === currency
}

const plainId = (id: string) => id.replaceAll(/\s/g, '').toUpperCase()

type PartReading = {
  message: BankMessage
  kind: EntryKind
  account: NamedAccount
  created: BankTime | null
}

/** Adds what one statement, report or notification says. */
function readPart(xml: string, part: Element, reading: PartReading): void {
  const { message, kind, account, created } = reading
  const { currency } = account
  const context: EntryContext = {
    currency,
    status: kind === 'camt.053' ? 'BOOK' : null,
    at: tryTime(part, 'CreDtTm') ?? created,
  }
  const entries: AccountEntry[] = []
  const unread: Unread[] = []
  for (const entry of all(part, 'Ntry')) {
    try {
      const read = readAccountEntry(entry, context)
      if (read !== undefined) entries.push(read)
    } catch (error) {
      const refused = unreadBy(xml, entry, error)
      if (!isAnnounced(entry)) unread.push({ ...refused, ...knownOf(entry, currency) })
    }
  }
  message.unread.push(...unread)
  if (kind === 'camt.054') {
    message.entries.push(...entries)
    return
  }
  const counted = addListed(xml, message, entries)
  const statement = readStatement(part, currency, counted, unread.length === 0)
  if (statement !== null) message.statements.push(statement)
}

/** Adds the entries of one listing, and says which of them it repeats. */
function addListed(
  xml: string,
  message: BankMessage,
  listed: readonly AccountEntry[],
): AccountEntry[] {
  const { entries, repeated } = countAlike(listed)
  message.entries.push(...entries)
  for (const entry of repeated) {
    const { direction, at, from, to } = entry
    const reason = `the entry ${entry.reference ?? ''} stands twice in one message`
    const record = unreadAt(xml, { from, to }, reason)
    const references = entry.reference === null ? [] : [entry.reference]
    message.unread.push({ ...record, direction, at, references, quantity: null })
  }
  return entries
}

/** What is not booked is no money: when it is, the bank names it again. */
function isAnnounced(entry: Element): boolean {
  const status = tryText(entry, 'Sts', 'Cd') ?? tryText(entry, 'Sts')
  return status === 'PDNG'
}

/** What can be said of an entry that was not understood. */
function knownOf(
  entry: Element,
  currency: string,
): Pick<Unread, 'direction' | 'quantity' | 'at' | 'references'> {
  const direction = tryText(entry, 'CdtDbtInd')
  const named = [
    tryText(entry, 'AcctSvcrRef'),
    tryText(entry, 'NtryDtls', 'TxDtls', 'Refs', 'AcctSvcrRef'),
    tryText(entry, 'NtryDtls', 'TxDtls', 'Refs', 'EndToEndId'),
  ]
  return {
    direction: direction === 'CRDT' || direction === 'DBIT' ? direction : null,
    quantity: tryAmount(first(entry, 'Amt'), currency) ?? null,
    at: tryTime(entry, 'BookgDt') ?? tryTime(entry, 'ValDt'),
    references: named.flatMap((name) => realReference(name) ?? []),
  }
}

function unreadBy(xml: string, element: Element, error: unknown): Unread {
  if (!(error instanceof UnreadableMessage)) throw error
  return unreadAt(xml, element, error.message)
}

function unreadAt(xml: string, { from, to }: Pick<Element, 'from' | 'to'>, reason: string): Unread {
  return {
    id: hashOf(xml.slice(from, to)),
    reason,
    direction: null,
    quantity: null,
    at: null,
    references: [],
    from,
    to,
  }
}

const tryText = (element: Element, ...path: string[]): string | null =>
  nullIfUnreadable(() => text(element, ...path))

const tryTime = (element: Element, ...path: string[]): BankTime | null =>
  nullIfUnreadable(() => readTime(element, ...path))

function nullIfUnreadable<Value>(read: () => Value): Value | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof UnreadableMessage) return null
    throw error
  }
}
