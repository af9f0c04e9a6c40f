/** What in an entry names the file with several payments that it stands for. */
import type { Decimal } from '../../core/decimal.ts'
import { AMOUNTS, type EntryTotal } from './batch.ts'
import { tryAmount } from './elements.ts'
import { isFileId, isOurForm } from './reference.ts'
import { all, first, text, type Element } from './xml.ts'

type Part = {
  quantity: Decimal
  end_to_end_id: string | null
  charge: boolean
  returned: boolean
}

/**
 * Of a debit that does not show all payments for which it stands: the ids of files, and the
 * references of the payments that it shows.
 */
export function namesOfFiles(
  entry: Element,
  { direction, currency }: EntryTotal,
  parts: readonly Part[],
): string[] {
  const payments = parts.filter(({ charge }) => !charge)
  const [only] = payments
  if (direction !== 'DBIT' || only === undefined || payments.some(({ returned }) => returned))
    return []
  const details = all(entry, 'NtryDtls', 'TxDtls')
  const isShown = only.end_to_end_id !== null
  if (isShown && (payments.length > 1 || !isAnother(details, { currency, ...only }))) return []
  const batches = all(entry, 'NtryDtls', 'Btch')
  const ids = [...batches, ...details.flatMap((detail) => first(detail, 'Refs') ?? [])].flatMap(
    (place) => [text(place, 'PmtInfId'), text(place, 'MsgId')],
  )
  const references = details.map((detail) => text(detail, 'Refs', 'EndToEndId'))
  return [
    ...new Set([
      ...ids.filter((id) => id !== null && isFileId(id)),
      ...references.filter((id) => id !== null && isOurForm(id)),
    ]),
  ].filter((id) => id !== null)
}

/** Whether they name files of ours, and not the same one. Two files may have one total. */
export function nameOtherFiles(one: FilesOfEntry, other: FilesOfEntry): boolean {
  const [ids, others] = [fileIdsOf(one), fileIdsOf(other)]
  return ids.length > 0 && others.length > 0 && !ids.some((id) => others.includes(id))
}

/** Without those that it names by a payment. */
export const fileIdsOf = ({ files }: FilesOfEntry): string[] => files.filter(isFileId)

type FilesOfEntry = { files: readonly string[] }

/** Whether the only payment that is shown names its amount, and it is not that of the entry. */
function isAnother(
  details: readonly Element[],
  { quantity, currency }: { quantity: Decimal; currency: string },
): boolean {
  const [detail, ...further] = details
  const amounts = AMOUNTS.flatMap((path) => tryAmount(first(detail, ...path), currency) ?? [])
  return further.length === 0 && amounts.length > 0 && !amounts.includes(quantity)
}
