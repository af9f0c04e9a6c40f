/** Writes SEPA credit transfers as pain.001.001.09. */
import { Document, type PaymentInformation } from 'sepa'
import { assert, mustExist } from '../../core/assert.ts'
import { format, sum, type Decimal } from '../../core/decimal.ts'
import { decimalsOf, paymentLimits } from './currency.ts'
import { postalAddressXml, type PostalAddress } from './postal-address.ts'

export type Payment = {
  /** EndToEndId and InstrId, at most 35 characters. */
  message_id: string
  /** `number`: the IBAN or, outside SEPA, an account number. */
  creditor: { name: string; number: string; address: PostalAddress }
  /** Within `paymentLimits`. */
  quantity: Decimal
  reference: string
}

/** One payment or several, all of one kind and for one day. */
export type PaymentFile<Kind extends Payment = Payment> = {
  /** MsgId and PmtInfId: of a file with one payment, that of the payment. */
  file_id: string
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
  payments: readonly Kind[]
}

export function writePayments(file: PaymentFile & { instant: boolean }): string {
  const { file_id, debtor, payments } = file
  const document = new Document('pain.001.001.09')
  document.grpHdr.id = file_id
  document.grpHdr.created = file.created_at
  document.grpHdr.initiatorName = debtor.name

  const information = document.createPaymentInfo()
  information.requestedExecutionDate = localNoon(file.execution_date)
  information.debtorName = debtor.name
  information.debtorIBAN = debtor.number
  information.debtorBIC = mustExist(debtor.bic, 'an account in SEPA has a BIC')
  document.addPaymentInfo(information)
  for (const payment of payments) addTransfer(information, payment)
  // The library makes ids by appending to the one above; these have a fixed length instead.
  information.id = file_id

  const total = totalText(payments, 'EUR')
  // The library adds up numbers.
  const xml = document.toString().replaceAll(/<CtrlSum>[^<]*</g, `<CtrlSum>${total}<`)
  const written = [...xml.matchAll(/<InstdAmt Ccy="EUR">([^<]*)</g)].map((match) => match[1])
  const amounts = payments.map(({ quantity }) => amountText(quantity, 'EUR'))
  assert(
    written.length === amounts.length && written.every((figure, at) => figure === amounts[at]),
    `payment file says ${written.join(', ')} instead of ${amounts.join(', ')}`,
  )
  assert(
    xml.includes(`<ReqdExctnDt><Dt>${file.execution_date}</Dt></ReqdExctnDt>`),
    `payment file does not ask for ${file.execution_date}`,
  )
  const creditors = payments.map(({ creditor }) => creditor)
  const addressed = withAddresses(withAddresses(xml, 'Dbtr', [debtor]), 'Cdtr', creditors)
  return file.instant ? asInstant(addressed) : addressed
}

function addTransfer(information: PaymentInformation, payment: Payment): void {
  const transfer = information.createTransaction()
  transfer.end2endId = payment.message_id
  transfer.currency = 'EUR'
  // The library takes a number and writes toFixed(2): exact up to the maximum, and proven on what
  // it wrote.
  transfer.amount = Number(amountText(payment.quantity, 'EUR'))
  transfer.creditorName = payment.creditor.name
  transfer.creditorIBAN = payment.creditor.number
  transfer.remittanceInfo = payment.reference
  information.addTransaction(transfer)
  transfer.id = payment.message_id
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
function withAddresses(
  xml: string,
  party: string,
  parties: readonly Pick<Payment['creditor'], 'address'>[],
): string {
  const end = `</Nm></${party}>`
  const [first = '', ...rest] = xml.split(end)
  assert(rest.length === parties.length, `a payment file names each ${party} once`)
  return parties.reduce(
    (written, { address }, at) =>
      `${written}</Nm>${postalAddressXml(address)}</${party}>${rest[at] ?? ''}`,
    first,
  )
}

/** As payment messages write it: with all decimals of the currency. */
export function amountText(quantity: Decimal, currency: string): string {
  const { minimum, maximum } = paymentLimits(currency)
  assert(
    quantity >= minimum && quantity <= maximum && quantity % minimum === 0n,
    `not an amount of a payment: ${format(quantity)}`,
  )
  return withDecimals(quantity, currency)
}

/** What all payments of a file add up to. */
export const totalText = (
  payments: readonly Pick<Payment, 'quantity'>[],
  currency: string,
): string => withDecimals(sum(payments.map(({ quantity }) => quantity)), currency)

function withDecimals(quantity: Decimal, currency: string): string {
  const [whole = '0', fraction = ''] = format(quantity).split('.')
  const decimals = decimalsOf(currency)
  return decimals === 0 ? whole : `${whole}.${fraction.padEnd(decimals, '0')}`
}
