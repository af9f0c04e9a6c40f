/** Writes one SEPA credit transfer as pain.001.001.09. */
import { Document } from 'sepa'
import { assert, mustExist } from '../../core/assert.ts'
import { format, type Decimal } from '../../core/decimal.ts'
import { decimalsOf, paymentLimits } from './currency.ts'
import { postalAddressXml, type PostalAddress } from './postal-address.ts'

/** `number`: the IBAN or, outside SEPA, an account number. */
export type Payment = {
  /** MsgId and EndToEndId, at most 35 characters. */
  message_id: string
  created_at: Date
  /** As `2026-11-23`. */
  execution_date: string
  debtor: {
    name: string
    number: string
    bic: string | null
    aba: string | null
    address: PostalAddress
  }
  creditor: { name: string; number: string; address: PostalAddress }
  /** Within `paymentLimits`. */
  quantity: Decimal
  reference: string
}

export function writePayment(payment: Payment & { instant: boolean }): string {
  const amount = amountText(payment.quantity, 'EUR')
  const document = new Document('pain.001.001.09')
  document.grpHdr.id = payment.message_id
  document.grpHdr.created = payment.created_at
  document.grpHdr.initiatorName = payment.debtor.name

  const information = document.createPaymentInfo()
  information.requestedExecutionDate = localNoon(payment.execution_date)
  information.debtorName = payment.debtor.name
  information.debtorIBAN = payment.debtor.number
  information.debtorBIC = mustExist(payment.debtor.bic, 'an account in SEPA has a BIC')
  document.addPaymentInfo(information)

  const transfer = information.createTransaction()
  transfer.end2endId = payment.message_id
  transfer.currency = 'EUR'
  // The library takes a number and writes toFixed(2): exact up to the maximum, and proven below on
  // what it wrote.
  transfer.amount = Number(amount)
  transfer.creditorName = payment.creditor.name
  transfer.creditorIBAN = payment.creditor.number
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
  assert(
    xml.includes(`<ReqdExctnDt><Dt>${payment.execution_date}</Dt></ReqdExctnDt>`),
    `payment file does not ask for ${payment.execution_date}`,
  )
  const addressed = withAddress(withAddress(xml, 'Dbtr', payment.debtor), 'Cdtr', payment.creditor)
  return payment.instant ? asInstant(addressed) : addressed
}

/** The library writes the day that it is in the zone of this process. */
function localNoon(date: string): Date {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number)
  return new Date(year, month - 1, day, 12)
}

/** Local instrument INST, as the scheme's guidelines have it; the library cannot write it. */
function asInstant(xml: string): string {
  const level = '<SvcLvl><Cd>SEPA</Cd></SvcLvl>'
  const parts = xml.split(level)
  assert(parts.length === 2, 'a payment file has one service level')
  return parts.join(`${level}<LclInstrm><Cd>INST</Cd></LclInstrm>`)
}

/** The library writes addresses in free lines only. */
function withAddress(xml: string, party: string, { address }: Payment['creditor']): string {
  const end = `</Nm></${party}>`
  const parts = xml.split(end)
  assert(parts.length === 2, `a payment file has one ${party}`)
  return parts.join(`</Nm>${postalAddressXml(address)}</${party}>`)
}

/** As payment messages write it: with all decimals of the currency. */
export function amountText(quantity: Decimal, currency: string): string {
  const { minimum, maximum } = paymentLimits(currency)
  assert(
    quantity >= minimum && quantity <= maximum && quantity % minimum === 0n,
    `not an amount of a payment: ${format(quantity)}`,
  )
  const [whole = '0', fraction = ''] = format(quantity).split('.')
  const decimals = decimalsOf(currency)
  return decimals === 0 ? whole : `${whole}.${fraction.padEnd(decimals, '0')}`
}
