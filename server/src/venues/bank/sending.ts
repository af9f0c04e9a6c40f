/**
 * Payments on their way to the bank. A payment alone is a file under its reference. Several that
 * are sent at the same time share a file, where the bank wants that: then it is stored which
 * payments the file has, before it is handed over (shared-files.ts). Whatever happens in between,
 * a payment is sent again only when its file is certain not to be there.
 */
import { withFailpoints } from '../../core/failpoint.ts'
import type { Outcome, TransferOrder, TransferReport } from '../contract.ts'
import { dayAt, executionDate } from './calendar.ts'
import type { BankAccount } from './config.ts'
import { FOREIGN, SEPA_INSTANT } from './fields.ts'
import { writeForeignPayments } from './foreign-file.ts'
import { lookUp, reportOf } from './lookup.ts'
import type { Bank, CheckedOrder } from './parts.ts'
import { checkPayment } from './payment-check.ts'
import { writePayments, type PaymentFile } from './payment-file.ts'
import { newFileId, toMessageId } from './reference.ts'
import type { PutResult } from './transport.ts'

/**
 * After the call began. Whoever finds a payment absent later may send it again, or cancel it; so by
 * then nothing is handed over any more.
 */
const HAND_OVER_WITHIN_MILLISECONDS = 5_000
const TOO_LATE = 'the bank was too slow: nothing was handed over'

export async function sendPayment(
  bank: Bank,
  order: TransferOrder,
): Promise<Outcome<TransferReport>> {
  const message_id = toMessageId(order.external_id)
  if (message_id === undefined) return refusal('the reference does not fit a payment message')
  // One after the other for the same reference, so that the second finds the file of the first.
  const until = performance.now() + HAND_OVER_WITHIN_MILLISECONDS
  return bank.turns.take(message_id, () => sendOnce(bank, order, message_id, until))
}

async function sendOnce(
  bank: Bank,
  order: TransferOrder,
  message_id: string,
  until: number,
): Promise<Outcome<TransferReport>> {
  const before = await lookUp(bank, message_id, order)
  if (before.lookup === 'found') return { outcome: 'accepted', report: before.report }
  if (before.lookup === 'unknown') return { outcome: 'unknown', reason: before.reason }
  const payment = checkedOrder(bank, order, message_id)
  if ('objection' in payment) return refusal(payment.objection)
  const put = await collectOrHandOver(bank, payment, until)
  if (put.put === 'failed') return refusal(put.reason)
  if (put.put === 'unknown') return { outcome: 'unknown', reason: put.reason }
  return {
    outcome: 'accepted',
    report: reportOf(bank, order.protocol, {
      foreign_id: message_id,
      state: 'PENDING',
      sub_state: 'WAITING',
      reason: null,
    }),
  }
}

const refusal = (reason: string): Outcome<TransferReport> => ({
  outcome: 'refused',
  reason,
  native: null,
})

function checkedOrder(
  { account }: Bank,
  order: TransferOrder,
  message_id: string,
): CheckedOrder | { objection: string } {
  const checked = checkPayment(account, order)
  if ('objection' in checked) return checked
  const { name, address, reference, agent } = checked
  return {
    message_id,
    creditor: { name, number: order.destination_address, address },
    quantity: order.quantity,
    reference,
    agent,
    protocol: order.protocol,
    day: requestedDay(account, order, Date.now()),
  }
}

/** What is instant goes on any day, and so on the day on which it is written. */
function requestedDay(
  { calendar }: BankAccount,
  { protocol, execution_date }: TransferOrder,
  now: number,
): string {
  if (protocol === SEPA_INSTANT) return dayAt(calendar, now)
  return execution_date ?? executionDate(calendar, now)
}

/** What is instant waits for nothing. */
async function collectOrHandOver(
  bank: Bank,
  payment: CheckedOrder,
  until: number,
): Promise<PutResult> {
  const { protocol, day } = payment
  const { collector } = bank
  return collector === null || protocol === SEPA_INSTANT
    ? handOverAlone(bank, payment, until)
    : collector.add(`${protocol} ${day}`, payment, until)
}

/** Of one kind and for one day. What cannot be written keeps no other payment back. */
export async function handOverTogether(
  bank: Bank,
  payments: readonly CheckedOrder[],
  until: number,
): Promise<PutResult[]> {
  const alone = () => Promise.all(payments.map((payment) => handOverAlone(bank, payment, until)))
  if (payments.length === 1) return alone()
  const file_id = newFileId()
  // As they were asked for, and not as their look-ups happened to end: references rise with time.
  const ordered = payments.toSorted((a, b) => (a.message_id < b.message_id ? -1 : 1))
  const file = tryFileOf(bank, file_id, ordered)
  if ('objection' in file) return alone()
  const shared = ordered.map(({ message_id, quantity }) => ({ message_id, quantity }))
  if (performance.now() > until) return payments.map(() => tooLate)
  await withFailpoints('bank.share', file_id, () =>
    bank.shared.store({ file_id, payments: shared }),
  )
  const put = await putFile(bank, file_id, file.xml, until)
  return payments.map(() => put)
}

async function handOverAlone(bank: Bank, payment: CheckedOrder, until: number): Promise<PutResult> {
  const { message_id } = payment
  const file = tryFileOf(bank, message_id, [payment])
  return 'objection' in file
    ? { put: 'failed', reason: file.objection }
    : putFile(bank, message_id, file.xml, until)
}

const tooLate: PutResult = { put: 'unknown', reason: TOO_LATE }

async function putFile(
  { transport }: Bank,
  file_id: string,
  xml: string,
  until: number,
): Promise<PutResult> {
  if (performance.now() > until) return tooLate
  return withFailpoints('bank.put', file_id, () => transport.outbox.put(file_id, xml, until))
}

/** The libraries that write the file have rules of their own. By then nothing has left. */
function tryFileOf(...file: Parameters<typeof fileOf>): { xml: string } | { objection: string } {
  try {
    return { xml: fileOf(...file) }
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    return { objection: `the payment file cannot be written: ${problem}` }
  }
}

function fileOf({ account }: Bank, file_id: string, payments: readonly CheckedOrder[]): string {
  const [first] = payments
  const file: PaymentFile<CheckedOrder> = {
    file_id,
    created_at: new Date(),
    execution_date: first?.day ?? '',
    debtor: account,
    payments,
  }
  return first?.protocol === FOREIGN
    ? writeForeignPayments({ ...file, account })
    : writePayments({ ...file, instant: first?.protocol === SEPA_INSTANT })
}
