/**
 * Takes Kontor's payment files: checks the payees, decides about the file and each payment in it,
 * books what it accepts, and reports by pain.002 (ACCP, PART, or RJCT with a code). A fault changes
 * what is reported and when.
 */
import { isValidIBAN } from 'ibantools'
import type { World } from '../world.ts'
import { isOwnIban } from './accounts.ts'
import type { Account } from './accounts.ts'
import type { Books } from './books.ts'
import { tryCents } from './cents.ts'
import type { Gateway, TakenFault } from './gateway.ts'
import type { KeptHabits } from './habits.ts'
import { statusReport } from './messages.ts'
import { checkPayees, EXPLANATIONS, type HeldFiles } from './payee-checks.ts'
import type { PaymentStatus, StatusReport } from './messages.ts'
import type { PaymentFile, PaymentInstruction, Refusal } from './payments.ts'
import { FOREIGN_CENTS } from './wires.ts'
import type { NewWire } from './wires.ts'

const BOOKING_MILLISECONDS = 3000
const FOREIGN_BOOKING_MILLISECONDS = 30_000

type Bank = {
  world: World
  books: Books
  gateway: Gateway
  habits: KeptHabits
  held: HeldFiles
  kontor: Account
}

/** Call it in one commit with the mark that the file was taken. */
export function takePaymentFile(bank: Bank, file: PaymentFile, fault: TakenFault): void {
  const { world, habits, held, kontor } = bank
  countReceived(world, file)
  const refusal = file.refusal ?? fileObjection(bank, file, fault)
  const check = refusal === null ? checkPayees(file, habits.get().payee_check_codes) : undefined
  if (check !== undefined) report(bank, file, { ...check, refusal, texts: EXPLANATIONS })
  if (check?.waits === true) held.hold(kontor.iban, file)
  else decideFile(bank, file, refusal, fault)
}

/** What the customer decides about a file that waits; inside a commit. */
export function endHold(bank: Bank, file: PaymentFile, decision: 'RELEASE' | 'CANCEL'): void {
  if (decision === 'RELEASE') decideFile(bank, file, null, undefined)
  else report(bank, file, { group_status: 'CANC', refusal: null, payments: [] })
}

/** Posts a pain.002 about the file; some banks send it again under another name. */
function report(
  { world, gateway }: Bank,
  file: PaymentFile,
  outcome: Outcome,
  { created_at = world.now(), times = 1 }: { created_at?: number; times?: number } = {},
): void {
  const message = statusReport({
    id: gateway.nextId(),
    created_at,
    original_message_id: file.message_id,
    original_message_name: file.message_name,
    ...outcome,
  })
  for (let posted = 0; posted < times; posted += 1) gateway.post('pain.002', message, created_at)
}

function decideFile(
  bank: Bank,
  file: PaymentFile,
  refusal: Refusal | null,
  fault: TakenFault,
): void {
  const now = bank.world.now()
  const delay = fault?.kind === 'LATE' ? fault.delay_ms : 0
  const payments =
    refusal === null
      ? file.payments.map((payment) => decide(bank, file, payment, { fault, now: now + delay }))
      : []
  if (fault?.kind === 'TIMEOUT_AFTER_ACCEPT' && refusal === null) return

  if (delay > 0) report(bank, file, { group_status: 'RCVD', refusal: null, payments: [] })
  const group_status = groupStatus(refusal, payments)
  const times = fault?.kind === 'TWICE' ? 2 : 1
  report(bank, file, { group_status, refusal, payments }, { created_at: now + delay, times })
}

type Outcome = Pick<StatusReport, 'group_status' | 'refusal' | 'payments' | 'texts'>

function countReceived(world: World, file: PaymentFile): void {
  for (const payment of file.payments) world.received('bank', 'payment', payment.end_to_end_id)
  if (file.payments.length === 0) world.received('bank', 'payment', file.message_id)
}

function fileObjection(
  { books, held }: Bank,
  file: PaymentFile,
  fault: TakenFault,
): Refusal | null {
  if (books.messageTaken(file.message_id) || held.isHeld(file.message_id))
    return { code: 'DU01', text: 'message id was used before' }
  if (fault?.kind === 'REFUSE') return refusalBy(file)
  return null
}

/** A silent bank of the payee refuses an instant payment: developer.nuapay.com, reason codes. */
const refusalBy = ({ payments }: PaymentFile): Refusal =>
  payments.some((payment) => payment.instant)
    ? { code: 'AB05', text: 'timeout at the creditor agent' }
    : { code: 'MS03', text: 'refused by the bank' }

function groupStatus(refusal: Refusal | null, payments: readonly PaymentStatus[]): string {
  const refused = payments.filter((payment) => payment.status === 'RJCT').length
  if (refusal !== null || refused === payments.length) return 'RJCT'
  return refused === 0 ? 'ACCP' : 'PART'
}

/** Accepts or refuses one payment. An accepted one is booked some time after `now`. */
function decide(
  bank: Bank,
  file: PaymentFile,
  payment: PaymentInstruction,
  { fault, now }: { fault: TakenFault; now: number },
): PaymentStatus {
  const { books } = bank
  const refusal = payment.refusal ?? paymentObjection(bank, payment)
  if (refusal === null) {
    const wire = wireFor(bank, file, payment, fault)
    books.accept(wire, bookedAt(payment, now), kindOf(payment))
  }
  return {
    status: refusal === null ? 'ACCP' : 'RJCT',
    payment_information_id: payment.payment_information_id,
    instruction_id: payment.instruction_id,
    end_to_end_id: payment.end_to_end_id,
    refusal,
  }
}

const kindOf = ({ foreign, instant }: PaymentInstruction) => {
  if (foreign) return 'FOREIGN'
  return instant ? 'INSTANT' : 'PAYMENT'
}

const HOUR_MILLISECONDS = 3_600_000
const HOUR_IN_FRANKFURT = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Europe/Berlin',
  hour: 'numeric',
  hourCycle: 'h23',
})

/** A business day of T2 is one of Frankfurt (ecb.europa.eu, "T2 operating schedule"). */
export function dayBegins(date: string): number {
  const midnight = Date.parse(date)
  return midnight - Number(HOUR_IN_FRANKFURT.format(midnight)) * HOUR_MILLISECONDS
}

/** A payment is kept until the day for which it is asked (ISO 20022, ReqdExctnDt). */
function bookedAt(payment: PaymentInstruction, now: number): number {
  if (payment.instant) return now
  const delay = payment.foreign ? FOREIGN_BOOKING_MILLISECONDS : BOOKING_MILLISECONDS
  return Math.max(now, dayBegins(payment.execution_date)) + delay
}

/** Of an instant payment by its payee's name, like `Refused AM23`: developer.nuapay.com. */
const INSTANT_REFUSALS: Record<string, string> = {
  AB05: 'timeout at the creditor agent',
  AB06: 'timeout at the instructed agent',
  AB08: 'creditor agent is not online',
  AM23: 'amount exceeds settlement limit',
}

function namedRefusal({ instant, creditor_name }: PaymentInstruction): Refusal | null {
  const code = /^refused ([A-Z0-9]{4})\b/i.exec(creditor_name)?.[1]?.toUpperCase() ?? ''
  const text = INSTANT_REFUSALS[code]
  return instant && text !== undefined ? { code, text } : null
}

function paymentObjection({ books, kontor }: Bank, payment: PaymentInstruction): Refusal | null {
  const { creditor_iban } = payment
  if (payment.debtor_iban !== kontor.iban)
    return { code: 'AC02', text: 'debtor account is not yours' }
  if (payment.currency !== kontor.currency)
    return { code: 'AM03', text: `the account is in ${kontor.currency}` }
  const named = namedRefusal(payment)
  if (named !== null) return named
  if (books.used(kontor.iban, payment.end_to_end_id))
    return { code: 'AM05', text: 'end-to-end id was used before' }
  const creditor = books.account(creditor_iban)
  // The payee's bank answers an instant payment before it is booked, and so nothing comes back.
  if (creditor === undefined && (payment.instant || isOwnIban(creditor_iban)))
    return { code: 'AC01', text: 'creditor account does not exist' }
  if (creditor !== undefined && creditor.currency !== payment.currency)
    return { code: 'AC09', text: `creditor account is in ${creditor.currency}` }
  const needed = payment.cents + (payment.foreign ? FOREIGN_CENTS : 0n)
  if (books.available(kontor.iban) < needed) return { code: 'AM04', text: 'insufficient funds' }
  return null
}

function wireFor(
  { books, habits, kontor }: Bank,
  file: PaymentFile,
  payment: PaymentInstruction,
  fault: TakenFault,
): NewWire {
  const to = books.account(payment.creditor_iban) ?? foreignAccount(books, payment)
  return {
    from_iban: kontor.iban,
    from_name: kontor.name,
    from_bic: kontor.bic,
    to_iban: payment.creditor_iban,
    to_name: payment.creditor_name,
    to_bic: to?.bic ?? payment.creditor_bic,
    cents: tryCents(habits.get().booked_amount ?? '') ?? payment.cents,
    currency: payment.currency,
    reference: payment.reference,
    end_to_end_id: payment.end_to_end_id,
    message_id: file.message_id,
    payment_information_id: payment.payment_information_id,
    instruction_id: payment.instruction_id,
    silent: fault?.kind === 'TIMEOUT_AFTER_ACCEPT',
    twice: fault?.kind === 'TWICE',
  }
}

/** A number that is not an IBAN always has an account, at a bank outside SEPA. */
function foreignAccount(books: Books, payment: PaymentInstruction): Account | undefined {
  const { foreign, creditor_iban, creditor_name, creditor_bic } = payment
  if (!foreign || isValidIBAN(creditor_iban)) return undefined
  return books.openOutside(creditor_name, {
    iban: creditor_iban,
    ...(creditor_bic === null ? {} : { bic: creditor_bic }),
    currency: payment.currency,
  })
}
