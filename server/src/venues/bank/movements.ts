/** The account's entries as movements: what came in, what left, and the bank's charges. */
import { ZERO } from '../../core/decimal.ts'
import type { Incoming, Outgoing } from '../contract.ts'
import type { BankAccount } from './config.ts'
import { isNew, nextCursor, readCursor } from './cursor.ts'
import { millisecondsOf } from './elements.ts'
import type { Entries } from './entries.ts'
import { FOREIGN, protocolsOf } from './fields.ts'
import type { AsideFile, InboxFile } from './inbox.ts'
import type { BankEntry } from './account-entry.ts'
import { fromMessageId, realReference } from './reference.ts'
import type { WaitingRecord } from './waiting-records.ts'

/** What of the inbox is new since the cursor. */
type Reading = {
  entries: Entries
  /** Those that the new files report. */
  fresh: readonly BankEntry[]
  /** What waits for a person since the new files are there. */
  waiting: readonly WaitingRecord[]
  /** New files that are no message at all. */
  aside: readonly AsideFile[]
  cursor: string | null
}

export function readSince(
  cursor: string | null,
  { files, aside }: { files: readonly InboxFile[]; aside: readonly AsideFile[] },
  entries: Entries,
): Reading {
  const seen = readCursor(cursor)
  const isUnread = ({ name }: { name: string }) => isNew(name, seen)
  const unread = files.filter(isUnread)
  const unreadAside = aside.filter(isUnread)
  const names = new Set([...unread, ...unreadAside].map(({ name }) => name))
  return {
    entries,
    fresh: entries.reportedBy(unread),
    waiting: entries.records.filter(({ since }) => since.some((name) => names.has(name))),
    aside: unreadAside,
    cursor: nextCursor(seen, [...names]),
  }
}

export function incomingIn(
  account: BankAccount,
  { entries, fresh }: Pick<Reading, 'entries' | 'fresh'>,
): Incoming[] {
  return fresh
    .filter((entry) => entry.direction === 'CRDT')
    .map((entry) => incomingOf(account, entry, entries.reversalOf(entry) !== undefined))
}

export function outgoingIn(
  account: BankAccount,
  { entries, fresh }: Pick<Reading, 'entries' | 'fresh'>,
): Outgoing[] {
  return fresh
    .filter((entry) => entry.direction === 'DBIT' && entries.reversedBy(entry) === undefined)
    .map((entry) => outgoingOf(account, entry, entries))
}

function incomingOf(account: BankAccount, entry: BankEntry, reversed: boolean): Incoming {
  return {
    foreign_id: entry.reference,
    state: incomingState(entry, reversed),
    wallet: account.number,
    asset: account.currency,
    protocol: protocolOf(account, entry),
    quantity: entry.quantity,
    transaction_hash: null,
    output_index: null,
    source_address: entry.counterparty.iban ?? realReference(entry.account),
    destination_address: account.number,
    tag: null,
    reference_text: entry.reference_text,
    counterparty: entry.counterparty,
    confirmations: null,
    required_confirmations: null,
    // Payers choose their own end-to-end ids: only in a return is it ours.
    related_external_id: entry.returned ? referenceOf(entry) : null,
    carried_external_id: referenceOf(entry),
    value_date: entry.value_date,
    occurred_at: millisecondsOf(entry.at),
  }
}

function incomingState(entry: BankEntry, reversed: boolean): Incoming['state'] {
  if (reversed) return 'REVERSED'
  return entry.booked ? 'FINAL' : 'PENDING'
}

function outgoingOf(account: BankAccount, entry: BankEntry, { debits }: Entries): Outgoing {
  const named = entry.returned ? null : referenceOf(entry)
  // A payment that the bank booked twice was asked for once.
  const first = entry.charge || debits.get(entry.end_to_end_id ?? '')?.[0] === entry
  return {
    kind: entry.charge ? 'CHARGE' : 'TRANSFER',
    foreign_id: entry.reference,
    external_id: first ? named : null,
    state: entry.booked ? 'SUCCESS' : 'PENDING',
    left: entry.booked,
    sub_state: entry.booked ? 'BOOK' : 'PDNG',
    wallet: account.number,
    asset: account.currency,
    protocol: protocolOf(account, entry),
    quantity: entry.quantity,
    fee: ZERO,
    fee_asset: account.currency,
    transaction_hash: null,
    destination_address: entry.counterparty.iban ?? entry.account,
    tag: null,
    reference_text: entry.reference_text,
    recipient_name: entry.counterparty.name,
    value_date: entry.value_date,
    occurred_at: millisecondsOf(entry.at),
  }
}

const protocolOf = (account: BankAccount, entry: BankEntry): string =>
  entry.foreign ? FOREIGN : protocolsOf(account)[0]

/** Our reference behind the entry's EndToEndId, if it is one. */
function referenceOf({ end_to_end_id }: BankEntry): string | null {
  return end_to_end_id === null ? null : (fromMessageId(end_to_end_id) ?? null)
}
