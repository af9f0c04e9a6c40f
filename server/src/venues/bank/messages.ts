/**
 * Reads what a bank sends: pain.002 (status of our payments), camt.054 (movements at once) and
 * camt.053 (statements), of any version. Only what concerns the named account is taken. Throws
 * UnreadableMessage rather than guess.
 */
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { tryDecimal, ZERO, type Decimal } from '../../core/decimal.ts'

export type PaymentStatus = {
  /** EndToEndId, or the MsgId where the status is about the whole message. */
  reference: string
  scope: 'MESSAGE' | 'PAYMENT'
  /** ISO external code: ACCP, ACSC, RJCT, … */
  status: string
  reason_code: string | null
  reason: string | null
}

/** A point in time as precise as the bank names it: with a time of day, or the date alone. */
export type BankTime = { date: string; time: number | null }

export type BankEntry = {
  /**
   * The bank's own reference (AcctSvcrRef): the same in a notification and in the statement. With
   * `/n` for the n-th part of a batch.
   */
  reference: string
  /** The reference of the whole entry: parts of a batch share it. */
  entry: string
  direction: 'CRDT' | 'DBIT'
  booked: boolean
  quantity: Decimal
  at: BankTime
  /** Null when the payer named none. */
  end_to_end_id: string | null
  /** The payment's own id between the banks: a reversal carries that of what it takes back. */
  transaction_id: string | null
  /** The bank's price for its service. */
  charge: boolean
  /** A cross-border payment. */
  foreign: boolean
  /** The money comes back: the entry carries a return reason or is a reversal. */
  returned: boolean
  reversal: boolean
  /** `account` is the account number where it is no IBAN. */
  counterparty: { name: string | null; iban: string | null; bic: string | null }
  account: string | null
  reference_text: string | null
}

export type Statement = { to: BankTime; closing: Decimal; entries: BankEntry[] }

export type BankMessage = {
  statuses: PaymentStatus[]
  entries: BankEntry[]
  statement: Statement | null
}

export class UnreadableMessage extends Error {
  override readonly name = 'UnreadableMessage'
}

type Node = Record<string, unknown>

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  parseTagValue: false,
  parseAttributeValue: false,
  removeNSPrefix: true,
})

function asNode(value: unknown): Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Node) : {}
}

function list(value: unknown): Node[] {
  if (value === undefined) return []
  return Array.isArray(value) ? value.map(asNode) : [asNode(value)]
}

function at(value: unknown, ...path: string[]): unknown {
  let inner = value
  for (const name of path) inner = asNode(Array.isArray(inner) ? inner[0] : inner)[name]
  return inner
}

function text(value: unknown, ...path: string[]): string | null {
  const found = at(value, ...path)
  const inner = Array.isArray(found) ? (found[0] as unknown) : found
  const content = typeof inner === 'string' ? inner : asNode(inner)['#text']
  return typeof content === 'string' && content !== '' ? content : null
}

function required(value: unknown, ...path: string[]): string {
  const found = text(value, ...path)
  if (found === null) throw new UnreadableMessage(`${path.join('/')} is missing`)
  return found
}

export function readBankMessage(
  xml: string,
  account: { iban: string; currency: string },
): BankMessage {
  if (xml.includes('<!DOCTYPE')) throw new UnreadableMessage('a document type is not allowed')
  const checked = XMLValidator.validate(xml)
  if (checked !== true)
    throw new UnreadableMessage(
      `not well-formed XML: ${checked.err.msg} (line ${checked.err.line})`,
    )
  const document = at(parser.parse(xml), 'Document')
  const message: BankMessage = { statuses: [], entries: [], statement: null }
  const report = at(document, 'CstmrPmtStsRpt')
  const notification = at(document, 'BkToCstmrDbtCdtNtfctn')
  const statement = at(document, 'BkToCstmrStmt')
  if (report !== undefined) message.statuses = readStatuses(report)
  else if (notification !== undefined)
    message.entries = list(at(notification, 'Ntfctn'))
      .filter((node) => isOurs(node, account))
      .flatMap((node) => readEntries(node, account.currency))
  else if (statement !== undefined) {
    for (const node of list(at(statement, 'Stmt')).filter((one) => isOurs(one, account))) {
      const entries = readEntries(node, account.currency)
      message.entries.push(...entries)
      message.statement = readStatement(node, account.currency, entries) ?? message.statement
    }
  } else throw new UnreadableMessage('neither pain.002 nor camt.054 nor camt.053')
  return message
}

function isOurs(part: Node, account: { iban: string; currency: string }): boolean {
  if (required(part, 'Acct', 'Id', 'IBAN') !== account.iban) return false
  return (text(part, 'Acct', 'Ccy') ?? account.currency) === account.currency
}

// ---------------------------------------------------------------- pain.002

function readStatuses(report: unknown): PaymentStatus[] {
  const statuses: PaymentStatus[] = []
  const add = (
    reference: string,
    scope: PaymentStatus['scope'],
    status: string | null,
    from: Node,
  ) => {
    if (status === null) return
    const why = list(from['StsRsnInf'])[0]
    statuses.push({
      reference,
      scope,
      status,
      reason_code: text(why, 'Rsn', 'Cd') ?? text(why, 'Rsn', 'Prtry'),
      reason: text(why, 'AddtlInf'),
    })
  }
  const group = asNode(at(report, 'OrgnlGrpInfAndSts'))
  const message_id = required(group, 'OrgnlMsgId')
  add(message_id, 'MESSAGE', text(group, 'GrpSts'), group)
  for (const information of list(at(report, 'OrgnlPmtInfAndSts'))) {
    add(message_id, 'MESSAGE', text(information, 'PmtInfSts'), information)
    for (const payment of list(information['TxInfAndSts']))
      add(required(payment, 'OrgnlEndToEndId'), 'PAYMENT', text(payment, 'TxSts'), payment)
  }
  return statuses
}

// ---------------------------------------------------------------- camt

/**
 * Sub-families of bank transaction codes (ISO external code list) by which a bank takes its own
 * price.
 */
const CHARGES = new Set(['CHRG', 'COMM', 'FEES', 'COMC', 'COMI', 'COMT'])
const CROSS_BORDER = 'XBCT'

function readStatement(statement: Node, currency: string, entries: BankEntry[]): Statement | null {
  // A statement in several pages has its closing balance on the last one.
  const closing = list(statement['Bal']).find(
    (balance) => text(balance, 'Tp', 'CdOrPrtry', 'Cd') === 'CLBD',
  )
  if (closing === undefined) return null
  const amount = readAmount(closing['Amt'], currency, true)
  const period = text(statement, 'FrToDt', 'ToDtTm')
  return {
    to: period === null ? readTime(closing['Dt']) : timeOf(period),
    closing: required(closing, 'CdtDbtInd') === 'DBIT' ? -amount : amount,
    entries,
  }
}

function readEntries(part: Node, currency: string): BankEntry[] {
  return list(part['Ntry']).flatMap((entry) => {
    const status = text(entry, 'Sts', 'Cd') ?? text(entry, 'Sts')
    if (status === 'INFO') return []
    const details = list(entry['NtryDtls']).flatMap((node) => list(node['TxDtls']))
    const total = readAmount(entry['Amt'], currency)
    const entries = (details.length === 0 ? [{}] : details).map((detail, position) =>
      readEntry(entry, detail, {
        position: details.length > 1 ? position + 1 : null,
        total,
        booked: status === 'BOOK',
        currency,
      }),
    )
    if (entries.reduce((sum, entry) => sum + entry.quantity, ZERO) !== total)
      throw new UnreadableMessage('the parts of an entry do not add up to it')
    return entries
  })
}

type EntryPart = {
  /** Counted from 1 in a batch; null of an entry that is no batch. */
  position: number | null
  /** Of the whole entry. */
  total: Decimal
  booked: boolean
  currency: string
}

function readEntry(
  entry: Node,
  detail: Node,
  { position, total, booked, currency }: EntryPart,
): BankEntry {
  const direction = required(entry, 'CdtDbtInd')
  if (direction !== 'CRDT' && direction !== 'DBIT')
    throw new UnreadableMessage(`CdtDbtInd is ${direction}`)
  const own =
    text(entry, 'AcctSvcrRef') ?? (position === null ? text(detail, 'Refs', 'AcctSvcrRef') : null)
  if (own === null) throw new UnreadableMessage('an entry has no AcctSvcrRef that tells it apart')
  const [side, agent] = direction === 'CRDT' ? ['Dbtr', 'DbtrAgt'] : ['Cdtr', 'CdtrAgt']
  const parties = detail['RltdPties']
  const institution = at(detail, 'RltdAgts', agent, 'FinInstnId')
  const end_to_end_id = text(detail, 'Refs', 'EndToEndId')
  const remittance = list(at(detail, 'RmtInf', 'Ustrd'))
  const lines =
    remittance.length === 0
      ? []
      : [at(detail, 'RmtInf', 'Ustrd')]
          .flat()
          .filter((line): line is string => typeof line === 'string')
  const reversal = ['true', '1'].includes(text(entry, 'RvslInd') ?? '')
  const subfamily =
    text(detail, 'BkTxCd', 'Domn', 'Fmly', 'SubFmlyCd') ??
    text(entry, 'BkTxCd', 'Domn', 'Fmly', 'SubFmlyCd') ??
    ''
  const charge = CHARGES.has(subfamily)
  return {
    reference: position === null ? own : `${own}/${position}`,
    entry: own,
    direction,
    booked,
    reversal,
    charge,
    foreign: subfamily === CROSS_BORDER,
    quantity:
      position === null
        ? total
        : readAmount(detail['Amt'] ?? at(detail, 'AmtDtls', 'TxAmt', 'Amt'), currency),
    at: readTime(entry['BookgDt'] ?? entry['ValDt']),
    end_to_end_id: end_to_end_id === 'NOTPROVIDED' ? null : end_to_end_id,
    transaction_id: text(detail, 'Refs', 'TxId'),
    returned: !charge && (reversal || detail['RtrInf'] !== undefined),
    counterparty: {
      name: text(parties, side, 'Pty', 'Nm') ?? text(parties, side, 'Nm'),
      iban: text(parties, `${side}Acct`, 'Id', 'IBAN'),
      bic: text(institution, 'BICFI') ?? text(institution, 'BIC'),
    },
    account: text(parties, `${side}Acct`, 'Id', 'Othr', 'Id'),
    reference_text:
      lines.length === 0 ? text(detail, 'RmtInf', 'Strd', 'CdtrRefInf', 'Ref') : lines.join(' '),
  }
}

function readAmount(amount: unknown, currency: string, zero = false): Decimal {
  const plain = required(amount).replace(/^\+?0*(?=[0-9])/, '')
  const value = tryDecimal(plain)
  if (value === undefined || value < ZERO || (value === ZERO && !zero))
    throw new UnreadableMessage(`not an amount: ${plain.slice(0, 40)}`)
  if (asNode(amount)['@Ccy'] !== currency)
    throw new UnreadableMessage(`an amount is not in ${currency}`)
  return value
}

function readTime(value: unknown): BankTime {
  return timeOf(text(value, 'DtTm') ?? required(value, 'Dt'))
}

function timeOf(iso: string): BankTime {
  const date = iso.slice(0, 10)
  const time = iso.length > 10 ? Date.parse(iso) : null
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date) || Number.isNaN(Date.parse(date)) || Number.isNaN(time))
    throw new UnreadableMessage(`not a time: ${iso.slice(0, 40)}`)
  return { date, time }
}
