/** What of a file was paid before: by its journal, and where there is none, by the service. */
import { compareAmounts } from '../index.ts'
import type { Client } from '../index.ts'
import type { Fault, Payout } from './payouts-file.ts'
import type { Journal } from './payouts-journal.ts'

/** The newest withdrawals that are looked through when there is no journal. */
const LOOKED_THROUGH = 1_000
/** A payment that ended so may be asked for again. */
const WITHOUT_EFFECT = ['FAILED', 'REJECTED', 'CANCELED']

/** The import writes the reference into the note, before what the file says there. */
export const isOf = (note: string | null | undefined, reference: string): boolean =>
  note === reference || note?.startsWith(`${reference}: `) === true

/** Lines that were paid by an earlier run, and say something else now. */
export function changedLines(payouts: readonly Payout[], journal: Journal): Fault[] {
  return payouts.flatMap(({ line, reference, payment }) => {
    if (!journal.paid.has(reference)) return []
    const paid = journal.payments.find(({ note }) => isOf(note, reference))
    if (paid === undefined) return []
    const isSame =
      compareAmounts(paid.quantity, payment.quantity) === 0 &&
      paid.route_id === payment.route_id &&
      paid.account_id === (payment.account_id ?? null)
    if (isSame) return []
    const text = `${reference} was paid before, as ${paid.quantity} over route ${paid.route_id}`
    return [{ line, text: `${text}: give what is to be paid now another reference` }]
  })
}

/** Lines whose reference a withdrawal has, though no journal knows of it. */
export async function linesPaidElsewhere(
  payouts: readonly Payout[],
  kontor: Client,
  signal: AbortSignal,
): Promise<Fault[]> {
  const withdrawals = await kontor.get('/treasury/withdrawals', {
    query: { limit: LOOKED_THROUGH },
    signal,
  })
  const made = withdrawals
    .filter(({ state }) => !WITHOUT_EFFECT.includes(state))
    .flatMap(({ id, note, stakes }) => (stakes ?? [{ note }]).map((stake) => ({ ...stake, id })))
  return payouts.flatMap(({ line, reference }) => {
    const before = made.find(({ note }) => isOf(note, reference))
    if (before === undefined) return []
    const text = `${reference} was paid before, by withdrawal ${before.id}, and there is no journal`
    return [{ line, text: `${text}: take the line out, or put the journal beside the file` }]
  })
}
