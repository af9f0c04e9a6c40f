/**
 * Reads pain.001.001.03 and .09 files as a bank does: what cannot be read refuses the file, what
 * is wrong in one payment refuses that payment. Refusal codes are those of the ISO 20022 external
 * code list.
 */
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { isValidBIC, isValidIBAN } from 'ibantools'
import { tryCents } from './cents.ts'

export type Refusal = { code: string; text: string }

export type PaymentInstruction = {
  payment_information_id: string
  instruction_id: string | null
  end_to_end_id: string
  /** IBAN or account number. */
  debtor_iban: string
  debtor_name: string
  /**
   * Outside SEPA: charges are shared, the account may be no IBAN, and the creditor's bank has to
   * be named.
   */
  foreign: boolean
  /** Local instrument INST: executed at once, or refused. */
  instant: boolean
  /** IBAN or, when foreign, an account number. */
  creditor_iban: string
  creditor_name: string
  creditor_bic: string | null
  /** Number of the creditor's bank in the American clearing. */
  creditor_aba: string | null
  /** 0 when the amount cannot be read. */
  cents: bigint
  currency: string
  reference: string
  /** Set when the creditor has an address without town or country in their elements. */
  unstructured: boolean
  /** The day for which it is asked, as `2026-11-23`; empty when that cannot be read. */
  execution_date: string
  /** Set when this payment is wrong in itself. */
  refusal: Refusal | null
}

/** `refusal` on the file as a whole leaves `payments` as far as they could be read. */
export type PaymentFile = {
  message_id: string
  message_name: string
  refusal: Refusal | null
  payments: PaymentInstruction[]
}

type Node = Record<string, unknown>

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  parseTagValue: false,
  parseAttributeValue: false,
  removeNSPrefix: true,
})

const node = (value: unknown): Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Node) : {}
const list = (value: unknown): Node[] => {
  if (value === undefined) return []
  return Array.isArray(value) ? value.map(node) : [node(value)]
}
const at = (value: unknown, ...path: string[]): unknown =>
  path.reduce((inner: unknown, name) => node(inner)[name], value)
const text = (value: unknown): string => {
  const inner = Array.isArray(value) ? value[0] : value
  if (typeof inner === 'string') return inner
  const content = node(inner)['#text']
  return typeof content === 'string' ? content : ''
}

export function readPaymentFile(xml: string): PaymentFile {
  const unreadable = (why: string): PaymentFile => ({
    message_id: 'NOTPROVIDED',
    message_name: 'pain.001',
    refusal: { code: 'FF01', text: why },
    payments: [],
  })
  if (xml.includes('<!DOCTYPE') || XMLValidator.validate(xml) !== true)
    return unreadable('not well-formed XML')
  // From the text: the parser drops namespace declarations together with the prefixes.
  const name = /<(?:[\w.-]+:)?Document\b[^>]*["':](pain\.001\.001\.(?:03|09))["']/.exec(xml)?.[1]
  const root = at(parser.parse(xml), 'Document', 'CstmrCdtTrfInitn')
  const message_id = text(at(root, 'GrpHdr', 'MsgId'))
  if (name === undefined || root === undefined)
    return unreadable('not a pain.001.001.03 or pain.001.001.09 message')
  if (!/^\S.{0,34}$/.test(message_id))
    return { ...unreadable('MsgId is missing or too long'), message_name: name }

  const payments = list(node(root)['PmtInf']).flatMap((information) =>
    list(information['CdtTrfTxInf']).map((transfer) => readPayment(information, transfer)),
  )
  return { message_id, message_name: name, refusal: fileRefusal(root, payments), payments }
}

function fileRefusal(root: unknown, payments: readonly PaymentInstruction[]): Refusal | null {
  if (payments.length === 0) return { code: 'FF01', text: 'no payment in the file' }
  if (text(at(root, 'GrpHdr', 'NbOfTxs')) !== String(payments.length))
    return { code: 'AM18', text: 'number of transactions differs' }
  const sum = payments.reduce((total, payment) => total + payment.cents, 0n)
  const control = text(at(root, 'GrpHdr', 'CtrlSum'))
  const readable = payments.every((payment) => payment.cents > 0n)
  if (control !== '' && readable && tryCents(control) !== sum)
    return { code: 'AM10', text: 'control sum differs' }
  const methods = list(node(root)['PmtInf']).map((information) => text(information['PmtMtd']))
  return methods.every((method) => method === 'TRF')
    ? null
    : { code: 'FF01', text: 'payment method is not TRF' }
}

function readPayment(information: Node, transfer: Node): PaymentInstruction {
  const amount = at(transfer, 'Amt', 'InstdAmt')
  const foreign = (text(information['ChrgBr']) || text(transfer['ChrgBr'])) === 'SHAR'
  const payment: PaymentInstruction = {
    payment_information_id: text(information['PmtInfId']),
    instruction_id: text(at(transfer, 'PmtId', 'InstrId')) || null,
    end_to_end_id: text(at(transfer, 'PmtId', 'EndToEndId')),
    debtor_iban:
      text(at(information, 'DbtrAcct', 'Id', 'IBAN')) ||
      text(at(information, 'DbtrAcct', 'Id', 'Othr', 'Id')),
    debtor_name: text(at(information, 'Dbtr', 'Nm')),
    foreign,
    instant:
      text(at(information, 'PmtTpInf', 'LclInstrm', 'Cd')) === 'INST' ||
      text(at(transfer, 'PmtTpInf', 'LclInstrm', 'Cd')) === 'INST',
    creditor_iban:
      text(at(transfer, 'CdtrAcct', 'Id', 'IBAN')) ||
      (foreign ? text(at(transfer, 'CdtrAcct', 'Id', 'Othr', 'Id')) : ''),
    creditor_name: text(at(transfer, 'Cdtr', 'Nm')),
    creditor_bic:
      text(at(transfer, 'CdtrAgt', 'FinInstnId', 'BICFI')) ||
      text(at(transfer, 'CdtrAgt', 'FinInstnId', 'BIC')) ||
      null,
    creditor_aba:
      text(at(transfer, 'CdtrAgt', 'FinInstnId', 'ClrSysMmbId', 'ClrSysId', 'Cd')) === 'USABA'
        ? text(at(transfer, 'CdtrAgt', 'FinInstnId', 'ClrSysMmbId', 'MmbId'))
        : null,
    cents: tryCents(text(amount)) ?? 0n,
    currency: text(node(amount)['@Ccy']),
    reference: list(at(transfer, 'RmtInf'))
      .map((remittance) => text(remittance['Ustrd']))
      .join(' ')
      .trim(),
    unstructured: isUnstructured(at(transfer, 'Cdtr', 'PstlAdr')),
    execution_date: dateIn(information['ReqdExctnDt']),
    refusal: null,
  }
  return { ...payment, refusal: paymentRefusal(payment) }
}

/**
 * Free lines alone are no address since 15 November 2026: betaalvereniging.nl, "Payment orders with
 * unstructured address data will be rejected".
 */
const isUnstructured = (address: unknown): boolean =>
  address !== undefined && (text(at(address, 'TwnNm')) === '' || text(at(address, 'Ctry')) === '')

/** Version .03 has the date itself, later ones a date or a time. */
function dateIn(value: unknown): string {
  const date = (text(value) || text(at(value, 'Dt')) || text(at(value, 'DtTm'))).slice(0, 10)
  return Number.isNaN(Date.parse(date)) ? '' : date
}

function paymentRefusal(payment: PaymentInstruction): Refusal | null {
  const { end_to_end_id, cents, currency, creditor_name, reference, foreign, creditor_iban } =
    payment
  if (!/^\S.{0,34}$/.test(end_to_end_id))
    return { code: 'FF01', text: 'EndToEndId is missing or too long' }
  if (!foreign && currency !== 'EUR') return { code: 'AM03', text: 'only EUR' }
  if (payment.unstructured) return { code: 'BE04', text: 'creditor address lacks town or country' }
  if (payment.execution_date === '') return { code: 'DT01', text: 'execution date is not valid' }
  if (cents === 0n) return { code: 'AM12', text: 'amount is not above 0 with two decimals' }
  if (creditor_name === '' || creditor_name.length > 140)
    return { code: 'BE01', text: 'creditor name is missing or too long' }
  if (reference.length > 140) return { code: 'FF01', text: 'remittance information is too long' }
  if (foreign) return foreignRefusal(payment)
  return isValidIBAN(creditor_iban) ? null : { code: 'AC03', text: 'creditor IBAN is not valid' }
}

function foreignRefusal({
  creditor_iban,
  creditor_bic,
  creditor_aba,
}: PaymentInstruction): Refusal | null {
  if (
    creditor_iban === '' ||
    (/^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$/.test(creditor_iban) && !isValidIBAN(creditor_iban))
  )
    return { code: 'AC03', text: 'creditor account is not valid' }
  if (creditor_bic === null && creditor_aba === null)
    return { code: 'RC01', text: 'creditor bank is not named' }
  if (creditor_bic !== null && !isValidBIC(creditor_bic))
    return { code: 'RC01', text: 'creditor BIC is not valid' }
  return creditor_aba === null || isAba(creditor_aba)
    ? null
    : { code: 'RC01', text: 'creditor routing number is not valid' }
}

/** Nine digits whose sum, weighted 3, 7, 1, is a multiple of ten. */
function isAba(aba: string): boolean {
  if (!/^[0-9]{9}$/.test(aba)) return false
  const weights = [3, 7, 1]
  const sum = Array.from(aba, Number).reduce(
    (total, digit, position) => total + digit * (weights[position % 3] ?? 0),
    0,
  )
  return sum % 10 === 0
}
