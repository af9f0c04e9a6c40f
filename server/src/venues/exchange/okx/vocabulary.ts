/** OKX's words and ours, each pair once. */
import type { IncomingState, OrderState, TransferState } from '../../contract.ts'
import { optionalText, text, unreadableAnswer } from '../answers.ts'
import type { Row } from '../answers.ts'
import { isNetwork, isTagged } from '../../terms.ts'
import type { Term, Terms } from '../../terms.ts'
import { failuresOf } from '../wire.ts'

/** Undefined for what moves by a way that we do not use. */
export function termIn({ all }: Terms, row: Row): Term | undefined {
  const [ccy, chain] = [text(row, 'ccy'), text(row, 'chain')]
  return all.find((term) => term.native === ccy && isNetwork(term, chain))
}

/** A tag stands behind the address, where the chain has tags. */
export function destinationOf(
  row: Row,
  term: Term | undefined,
): { address: string | null; tag: string | null } {
  const to = optionalText(row, 'to')
  const at = term !== undefined && isTagged(term) ? (to?.lastIndexOf(':') ?? -1) : -1
  return to === null || at < 0
    ? { address: to, tag: null }
    : { address: to.slice(0, at), tag: to.slice(at + 1) }
}

/** "Get withdrawal history": the documented states; any other is UNKNOWN. */
const TRANSFER_STATES: Readonly<Record<string, [state: TransferState, word: string] | undefined>> =
  {
    '-3': ['PENDING', 'Canceling'],
    '-2': ['CANCELED', 'Canceled'],
    '-1': ['FAILED', 'Failed'],
    0: ['PENDING', 'Waiting withdrawal'],
    1: ['PENDING', 'Broadcasting'],
    2: ['SUCCESS', 'Success'],
    4: ['PENDING_REVIEW', 'Waiting manual review'],
    5: ['PENDING_REVIEW', 'Waiting manual review'],
    6: ['PENDING_REVIEW', 'Waiting manual review'],
    7: ['PENDING', 'Approved'],
    8: ['PENDING_REVIEW', 'Waiting manual review'],
    9: ['PENDING_REVIEW', 'Waiting manual review'],
    10: ['PENDING', 'Waiting transfer'],
    12: ['PENDING_REVIEW', 'Waiting manual review'],
    15: ['PENDING', 'Pending transaction validation'],
    16: ['PENDING', 'May take up to 24 hours'],
    17: ['PENDING_REVIEW', 'Travel Rule'],
    19: ['PENDING', 'Insufficient balance in the hot wallet'],
  }

export function transferState(row: Row): { state: TransferState; sub_state: string } {
  const code = text(row, 'state')
  const [state, name] = TRANSFER_STATES[code] ?? ['UNKNOWN', code]
  return { state, sub_state: name }
}

/**
 * "Get deposit history": 1 is credited and cannot be withdrawn yet, 2 is done. 11 to 14 and 17 are
 * there and frozen (blacklist, account, sub-account, identity, Travel Rule).
 */
const DEPOSIT_STATES: Readonly<Record<string, IncomingState | undefined>> = {
  2: 'FINAL',
  11: 'PENDING_REVIEW',
  12: 'PENDING_REVIEW',
  13: 'PENDING_REVIEW',
  14: 'PENDING_REVIEW',
  17: 'PENDING_REVIEW',
}

/** What is not known to be final is pending. */
export const depositState = (row: Row): IncomingState =>
  DEPOSIT_STATES[text(row, 'state')] ?? 'PENDING'

const ORDER_STATES: Readonly<Record<string, OrderState | undefined>> = {
  live: 'NEW',
  partially_filled: 'PARTIALLY_FILLED',
  filled: 'FILLED',
  canceled: 'CANCELED',
  mmp_canceled: 'CANCELED',
}

export const orderState = (row: Row): OrderState => ORDER_STATES[text(row, 'state')] ?? 'UNKNOWN'

/** Unix milliseconds, as a text. */
export function milliseconds(row: Row, field: string): number {
  const value = text(row, field)
  if (!/^[0-9]{13}$/.test(value)) throw unreadableAnswer(field)
  return Number(value)
}

const UUID_GROUPS = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/

/** OKX takes 32 letters and figures: our references without their dashes. */
export const toClientId = (reference: string): string => reference.replaceAll('-', '')

/** Our reference; as it stands when another program gave it, null when there is none. */
export function fromClientId(row: Row, field: string): string | null {
  const value = row[field]
  if (typeof value !== 'string' || value === '') return null
  return value.replace(UUID_GROUPS, '$1-$2-$3-$4-$5')
}

/** OKX refuses about the key or the account as a whole ("Error Code", general class 501xx). */
const ACCESS = /^(501\d\d|50030|50035|50041|58016)$/

/**
 * Codes after which nothing was done and nothing will be: of the request (500xx in part), of the
 * order (51xxx) and of the transfer (58xxx). A time-out (50004, 51412), a busy system, a limit and
 * a client id that is there already are not among them: the first request may have been accepted.
 */
const CERTAIN = new RegExp(
  [
    '^5000[0267]$',
    '^500(12|14|15|16|2[4578]|29|3[23])$',
    '^5005[1289]$',
    '^50060$',
    '^510(0[0-9]|1[024578]|2[0-9]|30)$',
    '^511(1[0-24-9]|2[0-9]|3[0-9])$',
    '^512\\d\\d$',
    '^5140[03457]$',
    '^51603$',
    '^580(0[4-689]|1[0-5])$',
    '^581(0[0134567]|1[0-9]|2[0-35-9]|3[12])$',
    '^582(0[0-9]|1[0-9]|2[0-9]|3[0-9]|4[0-9]|5[0-9])$',
    '^583(50|5[35])$',
    '^5840[1-35-7]$',
  ].join('|'),
)

export const NOT_FOUND = /^51603:/
export const INSUFFICIENT = /^(51008|51119|51127|51131):/
export const TRANSFER_NOT_FOUND = /^58129:/
/** "Withdrawal": the funding wallet cannot pay. */
export const NOT_FUNDED = /^58350:/
/** "Funds transfer": transfers are suspended, or asked for at a bad moment; "try again later". */
export const TRANSFERS_STOPPED = /^581(10|11|12|20):/

type Body = { code?: unknown; msg?: unknown; data?: unknown }

/**
 * The refusal in OKX's answer, as `code: text`. The code of an order stands in its row (`sCode`),
 * also where the whole has the code 0.
 */
export function refusalOf({ code, msg, data }: Body): string | undefined {
  const [first] = Array.isArray(data) ? (data as Row[]) : []
  const sCode = first?.['sCode']
  if (typeof sCode === 'string' && sCode !== '' && sCode !== '0')
    return `${sCode}: ${String(first?.['sMsg'] ?? '').trim()}`
  if (code === undefined || String(code) === '0') return undefined
  return `${String(code)}: ${String(msg ?? '').trim()}`
}

export const FAILURES = failuresOf('okx', (message) => {
  const start = message.indexOf('{')
  if (start < 0) return undefined
  let native: string | undefined
  try {
    native = refusalOf(JSON.parse(message.slice(start)) as Body)
  } catch {
    return undefined
  }
  if (native === undefined) return undefined
  const [code = ''] = native.split(':')
  const access = ACCESS.test(code)
  return { native, access, certain: access || CERTAIN.test(code) }
})
