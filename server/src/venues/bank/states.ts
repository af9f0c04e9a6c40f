/**
 * From what a bank says about a payment to the state of a withdrawal. What is not in the table is
 * UNKNOWN.
 */
import { format, type Decimal } from '../../core/decimal.ts'
import type { TransferReport, TransferState } from '../contract.ts'
import type { BankEntry } from './account-entry.ts'
import { isPayeeCheck, standingCheck } from './payee-check.ts'
import { isFileId } from './reference.ts'
import type { PaymentStatus } from './status-report.ts'

const STATES: Record<string, TransferState> = {
  RCVD: 'PENDING',
  PDNG: 'PENDING',
  PART: 'PENDING',
  PATC: 'PENDING',
  ACTC: 'PENDING',
  ACCP: 'PENDING',
  ACSP: 'PENDING',
  ACWC: 'PENDING',
  ACWP: 'PENDING',
  ACFC: 'PENDING',
  ACSC: 'SUCCESS',
  ACCC: 'SUCCESS',
  RJCT: 'REJECTED',
  CANC: 'CANCELED',
}

/** Refusals of a repetition: they say nothing about the first one. */
const DUPLICATE_CODES = new Set(['DU01', 'DU02', 'DU03', 'DU04', 'DU05', 'AM05'])

type Verdict = Pick<TransferReport, 'state' | 'sub_state' | 'reason' | 'value_date' | 'payee_check'>

/** What the bank says of one payment, oldest first, with what it says of the payment's file. */
type Evidence = {
  statuses: readonly PaymentStatus[]
  debits: readonly BankEntry[]
  /** The file has other payments too. */
  isShared: boolean
  /** An entry that stands for the file and has another amount. */
  dispute: string | null
}

const isDuplicate = ({ status, reason_code }: PaymentStatus): boolean =>
  status === 'RJCT' && DUPLICATE_CODES.has(reason_code ?? '')

const isRefusal = ({ status }: PaymentStatus): boolean =>
  STATES[status] === 'REJECTED' || STATES[status] === 'CANCELED'

/** Whether the bank has refused this very payment. */
export const isRefused = (statuses: readonly PaymentStatus[]): boolean =>
  statuses.some((status) => status.scope === 'PAYMENT' && isRefusal(status) && !isDuplicate(status))

/**
 * Of all statuses and debit entries that name one payment. A booked debit is the
 * strongest evidence, then a final status, then an objection to the payee, then the newest status.
 * Evidence that contradicts itself or the quantity that was asked for is UNKNOWN. Undefined when
 * there is none.
 */
export function paymentVerdict(
  { statuses, debits, isShared, dispute }: Evidence,
  quantity: Decimal,
): Verdict | undefined {
  const duplicates = statuses.filter(isDuplicate)
  const check = standingCheck(statuses, isShared)
  const own = statuses.filter((status) => !duplicates.includes(status) && !isPayeeCheck(status))
  const counted = countedStatuses(own, check)
  const verdicts = counted.map(verdictOf)
  const refused = counted.find(isRefusal)
  const refusal = refused === undefined ? lateRefusal(own) : verdictOf(refused)
  const succeeded = counted.find(({ status }) => STATES[status] === 'SUCCESS')
  const booked = debits.find((debit) => debit.booked)
  if (refusal !== undefined && (booked !== undefined || succeeded !== undefined))
    return {
      state: 'UNKNOWN',
      sub_state: refusal.sub_state,
      reason: 'the bank reports the payment as both rejected and booked',
    }
  if (refusal !== undefined && dispute !== null)
    return {
      state: 'UNKNOWN',
      sub_state: refusal.sub_state,
      reason: `${dispute}, and reports the file as rejected`,
    }
  if (booked !== undefined && booked.quantity !== quantity)
    return {
      state: 'UNKNOWN',
      sub_state: 'BOOK',
      reason: `the bank booked ${format(booked.quantity)} instead of ${format(quantity)}`,
    }
  if (booked !== undefined) {
    const { value_date } = booked
    return { state: 'SUCCESS', sub_state: 'BOOK', reason: null, value_date }
  }
  if (refusal !== undefined) return refusal
  if (dispute !== null) return { state: 'UNKNOWN', sub_state: 'BOOK', reason: dispute }
  if (succeeded !== undefined) return successOf(succeeded)
  const last = verdicts.at(-1)
  if (last?.state === 'UNKNOWN') return last
  if (check?.objection != null)
    return {
      state: 'PENDING_REVIEW',
      sub_state: check.status,
      reason: check.objection,
      payee_check: { code: check.status, payee: check.payee },
    }
  if (last !== undefined) return last
  if (check !== undefined) return { state: 'PENDING', sub_state: check.status, reason: null }
  if (debits.length > 0) return { state: 'PENDING', sub_state: 'PDNG', reason: null }
  if (duplicates.length > 0)
    return {
      state: 'UNKNOWN',
      sub_state: `RJCT ${duplicates[0]?.reason_code ?? ''}`,
      reason: 'the bank reports this payment as a duplicate',
    }
  return undefined
}

const verdictOf = (status: PaymentStatus): Verdict => ({
  state: STATES[status.status] ?? 'UNKNOWN',
  sub_state: status.reason_code === null ? status.status : `${status.status} ${status.reason_code}`,
  reason: status.reason ?? status.reason_code,
})

/** Of a file with several payments, a bank may still refuse one of them. */
const successOf = (status: PaymentStatus): Verdict =>
  status.scope === 'MESSAGE' && isFileId(status.reference)
    ? { ...verdictOf(status), state: 'PENDING' }
    : verdictOf(status)

/**
 * A status of the whole message counts where the bank gave none for the payment itself, and where
 * it ends a payment whose payee the bank objects to.
 */
function countedStatuses(
  own: readonly PaymentStatus[],
  check: ReturnType<typeof standingCheck>,
): readonly PaymentStatus[] {
  if (!own.some(({ scope }) => scope === 'PAYMENT')) return own
  const later = check?.objection == null ? [] : check.later
  const ends = later.filter(({ status }) => status === 'CANC' || status === 'RJCT')
  return own.filter((status) => status.scope === 'PAYMENT' || ends.includes(status))
}

/** Of the whole message, after the last word about this payment. A person decides what it says. */
function lateRefusal(own: readonly PaymentStatus[]): Verdict | undefined {
  const last = own.findLastIndex(({ scope }) => scope === 'PAYMENT')
  const late = own.slice(last + 1).find(isRefusal)
  return late === undefined
    ? undefined
    : {
        ...verdictOf(late),
        state: 'UNKNOWN',
        reason: 'the bank refused the whole file after it had gone on with this payment',
      }
}
