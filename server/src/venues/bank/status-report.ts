/** Reads pain.002: what became of our payments. */
import { isFileId, isOurForm, realReference } from './reference.ts'
import { UnreadableMessage, all, first, text } from './xml.ts'
import type { Element } from './xml.ts'

export type PaymentStatus = {
  /** EndToEndId, or the MsgId or PmtInfId where the status is about the whole message. */
  reference: string
  scope: 'MESSAGE' | 'PAYMENT'
  /** ISO external code: ACCP, ACSC, RJCT, … */
  status: string
  reason_code: string | null
  reason: string | null
  /** The name of the account that was almost met, where the bank tells it. */
  payee: string | null
}

/** With the name of the message that says so. */
export type StatusInFile = PaymentStatus & { file: string }

/** A status that names none of our payments. */
type Nameless = { element: Element; reason: string }

type StatusReport = { statuses: PaymentStatus[]; nameless: Nameless[] }

/**
 * A message with one payment has one reference in every place (MsgId, PmtInfId, InstrId,
 * EndToEndId): where the bank leaves one of them out, another names the payment. The id of a file
 * with several names none of them: a payment's status that names only the file is set aside.
 */
export function readStatusReport(report: Element): StatusReport {
  const answer: StatusReport = { statuses: [], nameless: [] }
  const group = first(report, 'OrgnlGrpInfAndSts')
  const message_id = reference(group, 'OrgnlMsgId')
  if (group !== undefined) add(answer, group, 'GrpSts', { reference: message_id, scope: 'MESSAGE' })
  for (const block of all(report, 'OrgnlPmtInfAndSts')) {
    const block_id = reference(block, 'OrgnlPmtInfId')
    const named_id = isOurs(block_id) ? block_id : (message_id ?? block_id)
    add(answer, block, 'PmtInfSts', { reference: named_id, scope: 'MESSAGE' })
    const payments = all(block, 'TxInfAndSts')
    for (const payment of payments) {
      const named = reference(payment, 'OrgnlEndToEndId') ?? reference(payment, 'OrgnlInstrId')
      const alone = payments.length === 1 ? (block_id ?? message_id) : null
      const payment_id = named ?? (alone !== null && isFileId(alone) ? null : alone)
      add(answer, payment, 'TxSts', { reference: payment_id, scope: 'PAYMENT' })
    }
  }
  return answer
}

/** A gateway may wrap our payments in a message of its own. */
const isOurs = (id: string | null): boolean => id !== null && (isFileId(id) || isOurForm(id))

function add(
  { statuses, nameless }: StatusReport,
  element: Element,
  field: string,
  about: { reference: string | null; scope: PaymentStatus['scope'] },
): void {
  try {
    const status = text(element, field)
    if (status === null) return
    if (about.reference === null)
      throw new UnreadableMessage(`a status ${status} does not name its payment`)
    statuses.push({
      ...about,
      reference: about.reference,
      status,
      ...reasonOf(element),
      payee: field === 'TxSts' && status === 'RVMC' ? payeeOf(element) : null,
    })
  } catch (error) {
    if (!(error instanceof UnreadableMessage)) throw error
    nameless.push({ element, reason: error.message })
  }
}

function reasonOf(element: Element): Pick<PaymentStatus, 'reason_code' | 'reason'> {
  const why = first(element, 'StsRsnInf')
  return {
    reason_code: text(why, 'Rsn', 'Cd') ?? text(why, 'Rsn', 'Prtry'),
    reason: text(why, 'AddtlInf'),
  }
}

/** Of a party in ISO 20022. */
const LONGEST_NAME = 140

/** An explanation of a code is no name. */
const EXPLANATION = /^["']?R[CV][A-Z]{2} /

/**
 * The text beside a close match of one payment (hbci4java, ParsePain00200110, after EBICS, annex 3,
 * 2.2.6). `OrgnlTxRef` repeats the name that we sent.
 */
function payeeOf(element: Element): string | null {
  const texts = all(element, 'StsRsnInf', 'AddtlInf').map((information) => information.text)
  if (texts.some((line) => EXPLANATION.test(line))) return null
  const name = texts.join(' ').replaceAll(/^["']|["']$/g, '')
  return name.trim().slice(0, LONGEST_NAME) || null
}

const reference = (element: Element | undefined, name: string): string | null =>
  realReference(text(element, name))
