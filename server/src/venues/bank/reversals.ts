/** Credits that the bank took back. */
import type { BankEntry } from './account-entry.ts'
import { isOurForm } from './reference.ts'

/**
 * The debit that took each credit back. A reversal or a return names the credit by its reference,
 * by the id between the banks, or by the payer's id when only one has it. A recall may be booked
 * without saying what it is: then the reference or the id between the banks must be the credit's.
 */
export function findReversals(all: readonly BankEntry[]): Map<BankEntry, BankEntry> {
  const taken = new Map<BankEntry, BankEntry>()
  const credits = creditsOf(all)
  for (const debit of all) {
    if (debit.direction !== 'DBIT' || !debit.booked || debit.charge) continue
    // A payment of ours and its return share their ids, and the payment is no recall of it.
    const isSilent = !debit.returned
    if (isSilent && isOurForm(debit.end_to_end_id ?? '')) continue
    const open = (by: string) =>
      (credits.get(`${by} ${debit.quantity}`) ?? []).filter(
        (credit) =>
          !taken.has(credit) && credit.at.date <= debit.at.date && !(isSilent && credit.returned),
      )
    const payers =
      debit.end_to_end_id === null || isSilent ? [] : open(`payer ${debit.end_to_end_id}`)
    const found =
      (debit.bank_reference === null ? undefined : open(`reference ${debit.bank_reference}`)[0]) ??
      (debit.transaction_id === null ? undefined : open(`id ${debit.transaction_id}`)[0]) ??
      (payers.length === 1 ? payers[0] : undefined)
    if (found !== undefined) taken.set(found, debit)
  }
  return taken
}

/** By everything that may name them, together with their amount. */
function creditsOf(all: readonly BankEntry[]): Map<string, BankEntry[]> {
  const credits = new Map<string, BankEntry[]>()
  for (const credit of all) {
    if (credit.direction !== 'CRDT' || credit.reversal) continue
    const names = [
      ...(credit.bank_reference === null ? [] : [`reference ${credit.bank_reference}`]),
      ...(credit.transaction_id === null ? [] : [`id ${credit.transaction_id}`]),
      ...(credit.end_to_end_id === null ? [] : [`payer ${credit.end_to_end_id}`]),
    ]
    for (const name of names) {
      const key = `${name} ${credit.quantity}`
      const list = credits.get(key) ?? []
      list.push(credit)
      credits.set(key, list)
    }
  }
  return credits
}
