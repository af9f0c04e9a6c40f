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

/** Undefined when the entry stands for no files of ours. */
export function explainEntry(
  entry: AccountEntry,
  fileOf: (name: string) => SharedFile | undefined,
  statusesOf: (message_id: string) => readonly StatusInFile[],
): Explanation | undefined {
  const files = new Map(
    entry.files.flatMap((name) => fileOf(name) ?? []).map((file) => [file.file_id, file]),
  )
  if (files.size === 0) return undefined
  const members = [...files.values()].flatMap(({ payments }) => payments)
  const [refused, accepted] = [true, false].map((wanted) =>
    members.filter(({ message_id }) => isRefused(statusesOf(message_id)) === wanted),
  ) as [Member[], Member[]]
  const paid = sum(entry.parts.filter(({ charge }) => !charge).map(({ quantity }) => quantity))
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
