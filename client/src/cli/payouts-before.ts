/** What of a file was paid before: by its journal, and what that does not know, by the service. */
import { compareAmounts } from '../index.ts'
import type { Client } from '../index.ts'
import type { Fault, Payout } from './payouts-file.ts'
import type { Journal } from './payouts-journal.ts'

/** A payment that ended otherwise may be asked for again. */
const WITH_EFFECT = 'PENDING,PENDING_REVIEW,UNKNOWN,SUCCESS'
const AT_ONCE = 8

/** Lines that were paid by an earlier run, and say something else now. */
export function changedLines(payouts: readonly Payout[], journal: Journal): Fault[] {
  return payouts.flatMap(({ line, reference, payment }) => {
    if (!journal.paid.has(reference)) return []
    const paid = journal.payments.find(({ client_ref }) => client_ref === reference)
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

/** Lines whose reference a withdrawal has, of those that the journal does not know. */
export async function linesPaidElsewhere(
  payouts: readonly Payout[],
  journal: Journal,
  kontor: Client,
  signal: AbortSignal,
): Promise<Fault[]> {
  const known = new Set([...journal.paid, ...journal.open.flatMap(({ references }) => references)])
  const unknown = payouts.filter(({ reference }) => !known.has(reference))
  const faults: Fault[] = []
  for (let first = 0; first < unknown.length; first += AT_ONCE) {
    const some = unknown.slice(first, first + AT_ONCE)
    const found = await Promise.all(
      some.map(({ reference }) =>
        kontor.get('/treasury/withdrawals', {
          query: { client_ref: reference, state: WITH_EFFECT, limit: 1 },
          signal,
        }),
      ),
    )
    for (const [index, { line, reference }] of some.entries())
      for (const { id } of found[index] ?? []) {
        const text = `${reference} was paid before, by withdrawal ${id}, and the journal lacks it`
        faults.push({
          line,
          text: `${text}: take the line out, or put the journal beside the file`,
        })
      }
  }
  return faults
}
