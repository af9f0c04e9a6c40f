/**
 * One entry of the account as a message shows it. The sign is that of `CdtDbtInd` alone: `RvslInd`
 * says what an entry is about and never turns it around.
 */
import { ZERO, type Decimal } from '../../core/decimal.ts'
import { breakDown, type Direction, type EntryTotal } from './batch.ts'
import { readAmount, readTime, type BankTime } from './elements.ts'
import { namesOfFiles } from './file-names.ts'
import { isOurForm, realReference } from './reference.ts'
import { all, first, required, text, UnreadableMessage } from './xml.ts'
import type { Element } from './xml.ts'

/** One payment of an entry, the entry as a whole, or the charge in it. */
export type BankEntry = {
  /** How we name it for ever: that of the entry, with `/n` for the n-th payment of a batch. */
  reference: string
  /** The name of the whole entry. */
  entry: string
  /** The same with the bank's reference, which several entries may share; null without one. */
  bank_reference: string | null
  direction: Direction
  booked: boolean
  quantity: Decimal
  at: BankTime
  /** From when the bank counts it for interest, as `2026-11-23`; null when it does not say. */
  value_date: string | null
  /** Null when the payer named none. */
  end_to_end_id: string | null
  /** The payment's own id between the banks: a reversal carries that of what it takes back. */
  transaction_id: string | null
  /** The bank's price for its service. */
  charge: boolean
  /** A cross-border payment. */
  foreign: boolean
  /** The money comes back: the entry says so by a reason, its kind, or as a reversal. */
  returned: boolean
  reversal: boolean
  /** `account` is the account number where it is no IBAN. */
  counterparty: { name: string | null; iban: string | null; bic: string | null }
  account: string | null
  reference_text: string | null
}

/** A whole entry; what it is called is decided by all messages together (entries.ts). */
export type AccountEntry = {
  /** AcctSvcrRef, where the bank wrote a reference and not that there is none. */
  reference: string | null
  direction: Direction
  total: Decimal
  booked: boolean
  reversal: boolean
  at: BankTime
  value_date: string | null
  /** What tells it apart when its reference does not; null when it stands for several payments. */
  end_to_end_id: string | null
  transaction_id: string | null
  payer: string | null
  /** Equal for the same entry in every message (identity.ts). */
  key: string
  parts: Omit<BankEntry, 'reference' | 'entry' | 'bank_reference'>[]
  /** What may name the files whose payments it stands for and does not show. */
  files: string[]
  /** Where it stands in its file. */
  from: number
  to: number
}

/** What the message says for entries that do not say it themselves. */
export type EntryContext = {
  currency: string
  /** Of an entry without a status: a statement (camt.053) has booked entries only. */
  status: string | null
  at: BankTime | null
}

/** Sub-families of bank transaction codes (ISO external code list): the bank takes its price. */
const CHARGES = new Set(['CHRG', 'COMM', 'FEES', 'COMC', 'COMI', 'COMT'])
/** Those by which a payment comes back: it was returned, or its cancellation was asked for. */
const RETURNS = new Set(['RRTN', 'RPCR'])
const CROSS_BORDER = 'XBCT'
/** Undefined for what is not cash of the account: information, and what is announced. */
export function readAccountEntry(entry: Element, context: EntryContext): AccountEntry | undefined {
  const booked = isBooked(
    text(entry, 'Sts', 'Cd') ?? text(entry, 'Sts', 'Prtry') ?? text(entry, 'Sts') ?? context.status,
  )
  if (booked === undefined) return undefined
  const details = all(entry, 'NtryDtls', 'TxDtls')
  const reference = referenceOf(entry, details)
  // Announced without a reference, it could not be found again when it is booked.
  if (!booked && reference === null) return undefined
  const direction = directionOf(entry)
  const total = readAmount(first(entry, 'Amt'), context.currency)
  if (total === ZERO) throw new UnreadableMessage('the amount of the entry is 0')
  const at = timeOf(entry, details) ?? context.at
  if (at === null) throw new UnreadableMessage('the entry has no date')
  const reversal = ['true', '1'].includes(text(entry, 'RvslInd') ?? '')
  const value_date = readTime(entry, 'ValDt')?.date ?? null
  const common = { booked, at, value_date, reversal }
  const whole = { direction, total, currency: context.currency }
  const parts = partsOf(entry, whole, common)
  const all_parts = parts.map(({ part }) => part)
  const payments = parts.filter((part) => part.kind === 'PAYMENT')
  const only = payments.length === 1 ? payments[0]?.part : undefined
  return {
    ...common,
    direction,
    total,
    reference,
    end_to_end_id: only?.end_to_end_id ?? null,
    transaction_id: only?.transaction_id ?? null,
    payer: only?.counterparty.iban ?? only?.account ?? only?.counterparty.name ?? null,
    key: '',
    parts: all_parts,
    files: namesOfFiles(entry, whole, all_parts),
    from: entry.from,
    to: entry.to,
  }
}

/** PDNG may still change. INFO and FUTR are no cash at all. */
function isBooked(status: string | null): boolean | undefined {
  switch (status) {
    case 'BOOK':
      return true
    case 'PDNG':
      return false
    case 'INFO':
    case 'FUTR':
      return undefined
    default:
      throw new UnreadableMessage(`the status of the entry is ${status ?? 'missing'}`)
  }
}

function directionOf(entry: Element): Direction {
  const direction = required(entry, 'CdtDbtInd')
  if (direction !== 'CRDT' && direction !== 'DBIT')
    throw new UnreadableMessage(`CdtDbtInd is ${direction}`)
  return direction
}

/** The dates of the payment stand in for one that the entry lacks. */
function timeOf(entry: Element, details: readonly Element[]): BankTime | null {
  const [detail] = details
  return (
    readTime(entry, 'BookgDt') ??
    readTime(entry, 'ValDt') ??
    readTime(detail, 'RltdDts', 'IntrBkSttlmDt') ??
    readTime(detail, 'RltdDts', 'TxDtTm') ??
    readTime(detail, 'RltdDts', 'AccptncDtTm')
  )
}

function referenceOf(entry: Element, details: readonly Element[]): string | null {
  const [detail, ...further] = details
  const own = realReference(text(entry, 'AcctSvcrRef'))
  return further.length > 0 ? own : (own ?? realReference(text(detail, 'Refs', 'AcctSvcrRef')))
}

type Part = AccountEntry['parts'][number]
/** What an entry says for all of its payments. */
type Common = 'booked' | 'at' | 'value_date' | 'reversal'

function partsOf(
  entry: Element,
  whole: EntryTotal,
  common: Pick<AccountEntry, Common>,
): { kind: 'PAYMENT' | 'CHARGE'; part: Part }[] {
  const shown = breakDown(entry, whole)
  const { direction, total } = whole
  const { payments, charges } = shown ?? {
    payments: [{ detail: undefined, direction, quantity: total }],
    charges: ZERO,
  }
  const parts = payments.map(({ detail, ...payment }) => ({
    kind: 'PAYMENT' as const,
    part: { ...common, ...payment, ...readDetail(entry, detail, { ...payment, ...common }) },
  }))
  if (charges === ZERO) return parts
  const paid = payments.length === 1 ? payments[0]?.detail : undefined
  const price = { ...common, direction: 'DBIT' as const, quantity: charges }
  const part = { ...readDetail(entry, paid, price), ...price, charge: true, returned: false }
  return [...parts, { kind: 'CHARGE', part }]
}

/** `detail` is undefined where the entry stands for several payments, or shows none. */
function readDetail(
  entry: Element,
  detail: Element | undefined,
  { direction, reversal }: { direction: Direction; reversal: boolean },
): Omit<Part, Common | 'direction' | 'quantity'> {
  const [side, agent] = direction === 'CRDT' ? ['Dbtr', 'DbtrAgt'] : ['Cdtr', 'CdtrAgt']
  const parties = first(detail, 'RltdPties')
  const institution = first(detail, 'RltdAgts', agent, 'FinInstnId')
  const subfamily =
    text(detail, 'BkTxCd', 'Domn', 'Fmly', 'SubFmlyCd') ??
    text(entry, 'BkTxCd', 'Domn', 'Fmly', 'SubFmlyCd') ??
    ''
  const charge = CHARGES.has(subfamily)
  const isBack = reversal || first(detail, 'RtrInf') !== undefined || RETURNS.has(subfamily)
  return {
    end_to_end_id:
      realReference(text(detail, 'Refs', 'EndToEndId')) ??
      (direction === 'DBIT' ? ourReference(entry, detail) : null),
    transaction_id: realReference(text(detail, 'Refs', 'TxId')),
    charge,
    foreign: subfamily === CROSS_BORDER,
    returned: !charge && isBack,
    counterparty: {
      name:
        text(parties, side, 'Pty', 'Nm') ??
        text(parties, side, 'Nm') ??
        text(parties, side, 'Agt', 'FinInstnId', 'Nm'),
      iban: text(parties, `${side}Acct`, 'Id', 'IBAN'),
      bic: text(institution, 'BICFI') ?? text(institution, 'BIC'),
    },
    account: text(parties, `${side}Acct`, 'Id', 'Othr', 'Id'),
    reference_text: remittanceOf(entry, detail),
  }
}

/**
 * Our payments carry one reference in every place. Banks that book them as a batch, or leave out
 * the EndToEndId, may still show another of the places.
 */
function ourReference(entry: Element, detail: Element | undefined): string | null {
  const places = [
    text(detail, 'Refs', 'InstrId'),
    text(detail, 'Refs', 'PmtInfId'),
    text(detail, 'Refs', 'MsgId'),
    ...(all(entry, 'NtryDtls', 'Btch').length === 1
      ? [text(entry, 'NtryDtls', 'Btch', 'PmtInfId'), text(entry, 'NtryDtls', 'Btch', 'MsgId')]
      : []),
  ]
  return places.find((place) => place !== null && isOurForm(place)) ?? null
}

/** Some banks have the text with the entry alone. */
function remittanceOf(entry: Element, detail: Element | undefined): string | null {
  const lines = all(detail, 'RmtInf', 'Ustrd').map((line) => text(line))
  const words = lines.filter((line) => realReference(line) !== null).join(' ')
  if (words !== '') return words
  return (
    text(detail, 'RmtInf', 'Strd', 'CdtrRefInf', 'Ref') ??
    text(detail, 'RmtInf', 'Strd', 'CdtrRefInf', 'CdtrRef') ??
    text(detail, 'AddtlTxInf') ??
    text(entry, 'AddtlNtryInf')
  )
}
