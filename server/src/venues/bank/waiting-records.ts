/** Records that wait for a person: what they are, why, and where they stand. */
import type { Decimal } from '../../core/decimal.ts'
import type { AccountEntry } from './account-entry.ts'
import type { Direction } from './batch.ts'
import type { BankTime } from './elements.ts'
import { hashOf } from './identity.ts'
import type { InboxFile } from './inbox.ts'
import type { KnownEntry, Source } from './known-entries.ts'

export type WaitingRecord = {
  /** The same for the same record, wherever it stands. */
  id: string
  reason: string
  direction: Direction | null
  at: BankTime | null
  /** Of the whole entry, where it can be read. */
  quantity: Decimal | null
  /** The references that it carries: the bank's, and the payer's or ours. */
  references: readonly string[]
  file: string
  from: number
  to: number
  /** With the newest of these files it became one: then it is reported. */
  since: readonly string[]
}

/** `unless`: an entry of this key is known in the end, and explains it. */
export type TwinRecord = WaitingRecord & { unless: string }

export const unreadRecords = ({ name, message }: InboxFile): WaitingRecord[] =>
  message.unread.map(({ id, reason, direction, at, quantity, references, from, to }) => ({
    id: `unread-${id}`,
    reason,
    direction,
    at,
    quantity,
    references,
    file: name,
    from,
    to,
    since: [name],
  }))

export function twinRecord(
  twin: KnownEntry,
  entry: AccountEntry,
  { file }: Source,
  unless: string,
): TwinRecord {
  const { key, reference, transaction_id, end_to_end_id } = entry
  return {
    ...placeOf(entry, file),
    id: `twin-${hashOf(key, transaction_id ?? '', end_to_end_id ?? '', unless)}`,
    reason:
      `the entry ${reference ?? 'without a reference'} may be the payment that is booked as ` +
      `${twin.name}, or another one; it is not booked`,
    since: [file],
    unless,
  }
}

/** A debit for a file with several payments that do not add up to it. */
export const disputeRecord = (
  entry: AccountEntry,
  { file }: Source,
  reason: string,
): WaitingRecord => ({
  ...placeOf(entry, file),
  id: `file-entry-${hashOf(entry.key)}`,
  reason,
  since: [file],
})

/** `covering` is the message by which all that books must have shown the entry. */
export function unexplainedRecord(
  entry: AccountEntry,
  { kind, file }: Source,
  covering: Source,
): WaitingRecord {
  const name = entry.reference === null ? '' : ` (${entry.reference})`
  return {
    ...placeOf(entry, file),
    id: `unexplained-${hashOf(kind, entry.key)}`,
    reason:
      `${kind} shows this entry${name}, and no ${covering.kind} up to ` +
      `${covering.message.covers ?? ''} does: it is not booked`,
    since: [file, covering.file],
  }
}

const placeOf = (
  { direction, at, total, reference, end_to_end_id, from, to }: AccountEntry,
  file: string,
) => ({
  direction,
  at,
  quantity: total,
  references: [reference, end_to_end_id].flatMap((name) => name ?? []),
  file,
  from,
  to,
})
