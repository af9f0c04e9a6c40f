/** Writes one SEPA credit transfer as pain.001.001.09. */
import { Document } from 'sepa'
import { assert } from '../../core/assert.ts'
import { format, type Decimal } from '../../core/decimal.ts'

export type Payment = {
  /** MsgId and EndToEndId, at most 35 characters. */
  message_id: string
  created_at: Date
  debtor: { name: string; iban: string; bic: string }
  /** `iban`: or an account number, outside SEPA. */
  creditor: { name: string; iban: string }
  /** With at most two decimals, at most `MAXIMUM_PAYMENT`. */
  quantity: Decimal
  reference: string
}

/** Of an amount. */
export const DECIMALS = 2
export const MINIMUM_PAYMENT: Decimal = 10n ** 16n
export const MAXIMUM_PAYMENT: Decimal = 999_999_999_990_000_000_000_000_000n
/** Of debtor and creditor, in characters. */
export const MAXIMUM_NAME = 70

export function writePayment(payment: Payment): string {
  const amount = twoDecimals(payment.quantity)
  const document = new Document('pain.001.001.09')
  document.grpHdr.id = payment.message_id
  document.grpHdr.created = payment.created_at
  document.grpHdr.initiatorName = payment.debtor.name

  const information = document.createPaymentInfo()
  information.requestedExecutionDate = payment.created_at
  information.debtorName = payment.debtor.name
  information.debtorIBAN = payment.debtor.iban
  information.debtorBIC = payment.debtor.bic
  document.addPaymentInfo(information)

  const transfer = information.createTransaction()
  transfer.end2endId = payment.message_id
  transfer.currency = 'EUR'
  // The library takes a number and writes toFixed(2): exact up to the maximum, and proven below on
  // what it wrote.
  transfer.amount = Number(amount)
  transfer.creditorName = payment.creditor.name
  transfer.creditorIBAN = payment.creditor.iban
  transfer.remittanceInfo = payment.reference
  information.addTransaction(transfer)
  // The library makes ids by appending to the one above; these have a fixed length instead.
  information.id = payment.message_id
  transfer.id = payment.message_id

  const xml = document.toString()
  const written = [...xml.matchAll(/<(?:InstdAmt Ccy="EUR"|CtrlSum)>([^<]*)</g)].map(
    (match) => match[1],
  )
  assert(
    written.length === 3 && written.every((figure) => figure === amount),
    `payment file says ${written.join(', ')} instead of ${amount}`,
  )
  return xml
}

/** As payment messages write it. */
export function twoDecimals(quantity: Decimal): string {
  assert(
    quantity > 0n && quantity <= MAXIMUM_PAYMENT && quantity % 10n ** 16n === 0n,
    `not an amount of a payment: ${format(quantity)}`,
  )
  const [whole = '0', fraction = ''] = format(quantity).split('.')
  return `${whole}.${fraction.padEnd(2, '0')}`
}
