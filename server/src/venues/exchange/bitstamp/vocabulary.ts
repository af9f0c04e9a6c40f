/** Bitstamp's words and ours, each pair once. */
import { decimal } from '../../../core/decimal.ts'
import type { Decimal } from '../../../core/decimal.ts'
import type { IncomingState, OrderState, TransferState } from '../../contract.ts'
import { exact, text, unreadableAnswer, word } from '../answers.ts'
import type { Row } from '../answers.ts'
import { failuresOf } from '../wire.ts'
import type { Term } from '../../terms.ts'

/** A withdrawal that came back after it was finished (11) is for a person to look at. */
const TRANSFER_STATES: Record<string, [state: TransferState, word: string] | undefined> = {
  0: ['PENDING', 'Open'],
  1: ['PENDING', 'In process'],
  2: ['SUCCESS', 'Finished'],
  3: ['CANCELED', 'Canceled'],
  4: ['FAILED', 'Failed'],
  11: ['UNKNOWN', 'Reversed'],
}

export function transferState(row: Row): { state: TransferState; sub_state: string } {
  const status = word(row, 'status')
  const [state, name] = TRANSFER_STATES[status] ?? ['UNKNOWN', status]
  return { state, sub_state: name }
}

/** `CryptoTransactionDeposit` of Bitstamp's published API. */
const DEPOSIT_STATES: Record<string, IncomingState | undefined> = {
  PENDING: 'PENDING',
  IN_PROCESSING: 'PENDING',
  FINALIZED: 'FINAL',
  REJECTED: 'FAILED',
  REVERTED: 'REVERSED',
}

/**
 * Without a status a listed deposit has been credited; what is not known to be final is pending.
 */
export function depositState(row: Row): IncomingState {
  const { status } = row
  return status === undefined ? 'FINAL' : (DEPOSIT_STATES[text(row, 'status')] ?? 'PENDING')
}

const ORDER_STATES: Record<string, OrderState | undefined> = {
  Open: 'NEW',
  Finished: 'FILLED',
  Canceled: 'CANCELED',
  Expired: 'EXPIRED',
}

/**
 * `remaining` tells NEW from PARTIALLY_FILLED; an order that is finished and not filled has lost
 * its rest.
 */
export function orderState(row: Row, remaining: Decimal, ordered: Decimal): OrderState {
  const state = ORDER_STATES[text(row, 'status')] ?? 'UNKNOWN'
  if (state === 'NEW' && remaining < ordered) return 'PARTIALLY_FILLED'
  return state === 'FILLED' && remaining > 0n ? 'CANCELED' : state
}

/** Bitstamp writes UTC without saying so: 2021-11-25 12:59:59.322000. */
export function milliseconds(of: Row, field: string): number {
  const value = Date.parse(`${text(of, field).slice(0, 23).replace(' ', 'T')}Z`)
  if (!Number.isFinite(value)) throw unreadableAnswer(field)
  return value
}

/** Bitstamp's lists write the word of an asset in either case. */
export const isWord = ({ native }: Pick<Term, 'native'>, word: unknown): boolean =>
  typeof word === 'string' && word.toLowerCase() === native.toLowerCase()

const SMALLEST_DIGITS = 18

/** Some lists have JSON numbers, of which very small ones are read back with an exponent. */
export function amount(of: Row, field: string): Decimal {
  const value = of[field]
  return typeof value === 'number' && String(value).includes('e')
    ? decimal(value.toFixed(SMALLEST_DIGITS))
    : exact(of, field)
}

/**
 * Texts of a whole that may have been executed or may be so later. A client id that exists already
 * is that of an order which was placed.
 */
const UNCERTAIN = new RegExp(
  [
    'client_order_id already',
    'could not be placed',
    'try again',
    'retry',
    'internal',
    'unavailable',
    'maintenance',
    'rate limit',
    'timeout',
  ].join('|'),
  'i',
)
/** About the key, not about the request. */
const ACCESS = startsWithAny([
  'No permission found',
  'API key not found',
  'IP address not allowed',
  'Invalid signature',
  'Authentication failed',
  'Missing key, signature',
  'Wrong API key format',
  'Your account is frozen',
  'Please update your profile',
])
const CERTAIN = startsWithAny([
  'Order not found',
  'Invalid order id',
  'Invalid currency pair',
  'Currency not found',
  'Not found',
  'Withdrawal can not',
])

function startsWithAny(texts: readonly string[]): RegExp {
  return new RegExp(`^(${texts.join('|')})`)
}

export const NOT_FOUND = /^Order not found/

/**
 * Bitstamp answers a refusal as `{"status": "error", "reason": …}`: one text, or texts by field of
 * the form.
 */
export const FAILURES = failuresOf('bitstamp', (message) => {
  // ccxt says this one in its own words.
  if (message.startsWith('bitstamp invalid signature'))
    return { native: 'Invalid signature', access: true, certain: true }
  const start = message.indexOf('{')
  if (start < 0) return undefined
  let body: Row
  try {
    body = JSON.parse(message.slice(start)) as Row
  } catch {
    return undefined
  }
  const reason = body['reason'] ?? body['error']
  const texts = textsIn(reason)
  if (texts.length === 0) return undefined
  const native = texts.join(' ').trim()
  const access = ACCESS.test(native)
  return {
    native,
    access,
    certain:
      access || CERTAIN.test(native) || (typeof reason === 'object' && !UNCERTAIN.test(native)),
  }
})

/** One text, or texts by field. */
function textsIn(reason: unknown): string[] {
  if (typeof reason === 'string') return [reason]
  if (typeof reason !== 'object' || reason === null) return []
  return Object.entries(reason).map(
    ([field, texts]) => `${field === '__all__' ? '' : `${field}: `}${[texts].flat().join(' ')}`,
  )
}
