/**
 * Payments at the bank. Our reference is the name of the payment's file, so a second send finds the
 * first. What became of a payment follows from the bank's messages and from where its file lies.
 */
import { ZERO, type Decimal } from '../../core/decimal.ts'
import type { Lookup, Outcome, TransferOrder, TransferReport, Transfers } from '../contract.ts'
import { dayAt, executionDate } from './calendar.ts'
import type { BankAccount } from './config.ts'
import type { Entries } from './entries.ts'
import { FOREIGN, mustHaveFields, SEPA_INSTANT } from './fields.ts'
import { writeForeignPayment } from './foreign-file.ts'
import { unreadableDirectory, type Inbox, type InboxFile } from './inbox.ts'
import { incomingIn, outgoingIn, readSince } from './movements.ts'
import { checkPayment, type CheckedPayment } from './payment-check.ts'
import { writePayment } from './payment-file.ts'
import { toMessageId } from './reference.ts'
import { asideRecord, rereadRecord, setAsideRecord } from './set-aside.ts'
import { paymentVerdict } from './states.ts'
import type { Transport } from './transport.ts'
import type { Turns } from './turns.ts'
import type { WaitingRecord } from './waiting-records.ts'

/** What the adapter works with. */
export type Bank = {
  account: BankAccount
  inbox: Inbox
  /** Of all files of the inbox, kept as long as they are the same. */
  entriesOf(files: readonly InboxFile[]): Entries
  transport: Transport
  turns: Turns<Outcome<TransferReport>>
}

/**
 * After the call began. Whoever finds a payment absent later may send it again, or cancel it; so by
 * then nothing is handed over any more.
 */
const HAND_OVER_WITHIN_MILLISECONDS = 5_000
const TOO_LATE = 'the bank was too slow: nothing was handed over'
const IN_DOUBT =
  'the payment file may have been handed over and the bank does not list it: ' +
  'only its status report or statement can tell'

export function bankTransfers(bank: Bank): Transfers {
  const { account, inbox } = bank
  const readOn = async (cursor: string | null) => {
    const files = await inbox.files()
    const aside = await inbox.aside()
    return readSince(cursor, { files, aside }, bank.entriesOf(files))
  }
  const setAside = (records: readonly WaitingRecord[]) =>
    Promise.all(records.map((record) => setAsideRecord(inbox, record)))
  return {
    fee_deducted: false,
    fields: (asset, protocol) => mustHaveFields(account, asset, protocol),
    estimateFee: async ({ asset, protocol }) => {
      mustHaveFields(account, asset, protocol)
      const fee = agreedFee(account, protocol)
      return {
        asset: account.currency,
        custom: false,
        speed_levels: { DEFAULT: fee, FAST: fee, SLOW: fee },
      }
    },
    executionDate: ({ protocol }, now) =>
      protocol === SEPA_INSTANT
        ? dayAt(account.calendar, now)
        : executionDate(account.calendar, now),
    send: async (order) => {
      const message_id = toMessageId(order.external_id)
      if (message_id === undefined) return refusal('the reference does not fit a payment message')
      // One after the other for the same reference, so that the second finds the file of the first.
      const until = performance.now() + HAND_OVER_WITHIN_MILLISECONDS
      return bank.turns.take(message_id, () => send(bank, order, message_id, until))
    },
    find: async (order) => {
      const message_id = toMessageId(order.external_id)
      return message_id === undefined ? { lookup: 'absent' } : lookUp(bank, message_id, order)
    },
    incoming: async (cursor) => {
      const reading = await readOn(cursor)
      const waiting = reading.waiting.filter(({ direction }) => direction !== 'DBIT')
      const files = reading.aside.map((file) => asideRecord(inbox, file))
      return {
        movements: incomingIn(account, reading),
        set_aside: [...(await setAside(waiting)), ...(await Promise.all(files))],
        cursor: reading.cursor,
      }
    },
    outgoing: async (cursor) => {
      const reading = await readOn(cursor)
      const waiting = reading.waiting.filter(({ direction }) => direction === 'DBIT')
      return {
        movements: outgoingIn(account, reading),
        set_aside: await setAside(waiting),
        cursor: reading.cursor,
      }
    },
    reread: (record) => rereadRecord(bank, record),
  }
}

async function send(
  bank: Bank,
  order: TransferOrder,
  message_id: string,
  until: number,
): Promise<Outcome<TransferReport>> {
  const before = await lookUp(bank, message_id, order)
  if (before.lookup === 'found') return { outcome: 'accepted', report: before.report }
  if (before.lookup === 'unknown') return { outcome: 'unknown', reason: before.reason }
  const payment = checkPayment(bank.account, order)
  if ('objection' in payment) return refusal(payment.objection)
  const file = tryFileOf(bank, order, { ...payment, message_id })
  if ('objection' in file) return refusal(file.objection)
  if (performance.now() > until) return { outcome: 'unknown', reason: TOO_LATE }
  const put = await bank.transport.outbox.put(message_id, file.xml, until)
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

/** The libraries that write the file have rules of their own. By then nothing has left. */
function tryFileOf(...payment: Parameters<typeof fileOf>): { xml: string } | { objection: string } {
  try {
    return { xml: fileOf(...payment) }
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    return { objection: `the payment file cannot be written: ${problem}` }
  }
}

function fileOf(
  { account }: Bank,
  { protocol, destination_address, quantity, execution_date }: TransferOrder,
  { message_id, name, address, reference, agent }: CheckedPayment & { message_id: string },
): string {
  const created_at = new Date()
  const payment = {
    message_id,
    created_at,
    execution_date: requestedDay(account, { protocol, execution_date }, created_at.getTime()),
    debtor: account,
    creditor: { name, number: destination_address, address },
    quantity,
    reference,
  }
  return protocol === FOREIGN
    ? writeForeignPayment({ ...payment, agent, account })
    : writePayment({ ...payment, instant: protocol === SEPA_INSTANT })
}

/** What is instant goes on any day, and so on the day on which it is written. */
function requestedDay(
  { calendar }: BankAccount,
  { protocol, execution_date }: { protocol: string; execution_date: string | null | undefined },
  now: number,
): string {
  if (protocol === SEPA_INSTANT) return dayAt(calendar, now)
  return execution_date ?? executionDate(calendar, now)
}

async function lookUp(
  bank: Bank,
  message_id: string,
  { protocol, quantity }: TransferOrder,
): Promise<Lookup<TransferReport>> {
  try {
    const { statuses, debits } = bank.entriesOf(await bank.inbox.files())
    const verdict = paymentVerdict(
      statuses.get(message_id) ?? [],
      debits.get(message_id) ?? [],
      quantity,
    )
    const handover = verdict === undefined ? await bank.transport.outbox.state(message_id) : 'TAKEN'
    if (handover === 'ABSENT') return { lookup: 'absent' }
    if (handover === 'UNKNOWN') return { lookup: 'unknown', reason: IN_DOUBT }
    const waiting = { state: 'PENDING', sub_state: handover, reason: null } as const
    const report = reportOf(bank, protocol, { foreign_id: message_id, ...(verdict ?? waiting) })
    return { lookup: 'found', report }
  } catch (error) {
    return { lookup: 'unknown', reason: unreadableDirectory(bank.transport.place, error).message }
  }
}

function agreedFee({ foreign_fee, instant }: BankAccount, protocol: string): Decimal {
  if (protocol === FOREIGN) return foreign_fee
  return protocol === SEPA_INSTANT ? (instant?.fee ?? ZERO) : ZERO
}

/**
 * SEPA costs nothing, and what is instant mostly neither. What another payment cost is an entry of
 * its own, which `outgoing` reports as a charge.
 */
function reportOf(
  { account }: Bank,
  protocol: string,
  payment: Pick<TransferReport, 'foreign_id' | 'state' | 'sub_state' | 'reason' | 'value_date'>,
): TransferReport {
  const isFree = protocol !== FOREIGN && agreedFee(account, protocol) === ZERO
  const free = payment.state === 'SUCCESS' && isFree
  return {
    ...payment,
    transaction_hash: null,
    confirmations: null,
    fee: free ? ZERO : null,
    fee_asset: free ? account.currency : null,
  }
}
