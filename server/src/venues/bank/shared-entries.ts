/**
 * Entries that stand for a file with several payments and do not show each of them. Banks may book
 * such a file as one entry, whatever they are asked (knowledge.xmldation.com, EPC, BtchBookg), and
 * name it by PmtInfId or MsgId. Where its payments, all of them or all that the bank has not
 * refused, add up to the entry exactly, each is booked with its own amount. Else a person decides.
 */
import { format, sum, type Decimal } from '../../core/decimal.ts'
import type { AccountEntry } from './account-entry.ts'
import type { SharedFile } from './shared-files.ts'
import { isRefused } from './states.ts'
import type { StatusInFile } from './status-report.ts'

type Member = SharedFile['payments'][number]

type Explanation =
  | { explained: 'ALL'; entry: AccountEntry }
  /** `since`: the messages by which the bank has refused the others. */
  | { explained: 'UNREFUSED'; entry: AccountEntry; since: string[] }
  | { explained: 'NOT'; reason: string; payments: string[] }

/** Undefined when the entry stands for no files of ours, or for one payment alone. */
export function explainEntry(
  entry: AccountEntry,
  filesOf: (name: string) => readonly SharedFile[],
  statusesOf: (message_id: string) => readonly StatusInFile[],
): Explanation | undefined {
  const found = choicesOf(entry, filesOf).map((files) =>
    explainBy(entry, membersOf(files), statusesOf),
  )
  const all = membersOf(entry.files.flatMap(filesOf))
  const fitting = found.filter((one) => one.explained !== 'NOT')
  const [explained] = fitting
  if (explained !== undefined)
    return new Set(fitting.map(({ entry: shown }) => paymentsIn(shown))).size === 1
      ? explained
      : {
          explained: 'NOT',
          reason: `several files of ours add up to ${format(paidBy(entry))}, which the bank booked`,
          payments: unrefused(all, statusesOf).map(({ message_id }) => message_id),
        }
  const [first] = found
  if (first?.explained !== 'NOT' || isOneAlone(entry, all)) return undefined
  const payments = found.flatMap((one) => (one.explained === 'NOT' ? one.payments : []))
  return { ...first, payments: [...new Set(payments)] }
}

/**
 * The files that it may stand for. A payment may have been put into several, of which one at most
 * was handed over.
 */
function choicesOf(
  { files }: AccountEntry,
  filesOf: (name: string) => readonly SharedFile[],
): SharedFile[][] {
  const named = files.map(filesOf)
  const sure = named.flatMap((found) => (found.length === 1 ? found : []))
  const ids = new Set(sure.map(({ file_id }) => file_id))
  const open = named.filter(
    (found) => found.length > 1 && !found.some(({ file_id }) => ids.has(file_id)),
  )
  if (open.length > 0) return open.flat().map((file) => [...sure, file])
  return sure.length === 0 ? [] : [sure]
}

/** Files with the same payments explain an entry alike. */
const paymentsIn = ({ parts }: AccountEntry): string =>
  parts
    .map(({ end_to_end_id }) => end_to_end_id ?? '')
    .toSorted()
    .join(' ')

const unrefused = (
  members: readonly Member[],
  statusesOf: (message_id: string) => readonly StatusInFile[],
): Member[] => members.filter(({ message_id }) => !isRefused(statusesOf(message_id)))

/** Each payment once. */
const membersOf = (files: readonly SharedFile[]): Member[] => [
  ...new Map(
    files.flatMap(({ payments }) => payments.map((member) => [member.message_id, member])),
  ).values(),
]

function explainBy(
  entry: AccountEntry,
  members: readonly Member[],
  statusesOf: (message_id: string) => readonly StatusInFile[],
): Explanation {
  const accepted = unrefused(members, statusesOf)
  const refused = members.filter((member) => !accepted.includes(member))
  const paid = paidBy(entry)
  if (totalOf(members) === paid) return { explained: 'ALL', entry: showing(entry, members) }
  if (totalOf(accepted) === paid)
    return {
      explained: 'UNREFUSED',
      entry: showing(entry, accepted),
      since: refused.flatMap(({ message_id }) => statusesOf(message_id).map(({ file }) => file)),
    }
  return {
    explained: 'NOT',
    reason:
      `the bank booked ${format(paid)} for a file whose payments are ` +
      `${format(totalOf(accepted))} together`,
    payments: accepted.map(({ message_id }) => message_id),
  }
}

/** It shows one payment, and the rest, a price for it, is too little for any other one. */
function isOneAlone(entry: AccountEntry, members: readonly Member[]): boolean {
  const shown = members.find(({ message_id }) => message_id === entry.end_to_end_id)
  if (shown === undefined) return false
  const rest = paidBy(entry) - shown.quantity
  return members.every((member) => member === shown || rest < member.quantity)
}

const paidBy = ({ parts }: AccountEntry): Decimal =>
  sum(parts.filter(({ charge }) => !charge).map(({ quantity }) => quantity))

const totalOf = (members: readonly Member[]): Decimal =>
  sum(members.map(({ quantity }) => quantity))

/** The entry's charges stay as they are. Whom a payment went to, the entry does not say. */
function showing(entry: AccountEntry, members: readonly Member[]): AccountEntry {
  const [template] = entry.parts
  if (template === undefined) return entry
  const payments = members.map(({ message_id, quantity }) => ({
    ...template,
    quantity,
    end_to_end_id: message_id,
    transaction_id: null,
    counterparty: { name: null, iban: null, bic: null },
    account: null,
    reference_text: null,
  }))
  return { ...entry, parts: [...payments, ...entry.parts.filter(({ charge }) => charge)] }
}
