/**
 * Money at OKX: orders of deposit and withdrawal by SEPA ("Get deposit order history", "Create
 * withdrawal order", "Get withdrawal order history", "Get withdrawal payment methods",
 * www.okx.com/docs-v5). A withdrawal goes to a bank account that a person has registered at OKX.
 *
 * OKX does not say whether a fee is part of the amount. So only what costs nothing is sent, and an
 * order with a fee is left to a person.
 */
import { format } from '../../../core/decimal.ts'
import type { Decimal } from '../../../core/decimal.ts'
import type {
  Incoming,
  Lookup,
  Outgoing,
  Protocol,
  TransferLookup,
  TransferReport,
  TransferState,
} from '../../contract.ts'
import { bareIban } from '../../addresses.ts'
import { isMoney } from '../../terms.ts'
import type { Term, Terms } from '../../terms.ts'
import { exact, optionalText, row as rowOf, rows, text, unreadableAnswer } from '../answers.ts'
import type { Row } from '../answers.ts'
import { outgoingFields } from '../movements.ts'
import { lastSending } from '../recognition.ts'
import type { Patience } from '../trading.ts'
import { ANONYMOUS } from '../withdrawals.ts'
import type { OkxCalls } from './calls.ts'
import { FAILURES, fromClientId, milliseconds, toClientId } from './vocabulary.ts'

const METHOD = 'SEPA'
const PAGE = 100
const PAGES = 1_000
/** This account, or this key, has nothing to do with money ("Error Code"). */
const NOT_SERVED = /^(50030|50035|58401|58407):/

export type MoneyHistory = 'GetFiatDepositOrderHistory' | 'GetFiatWithdrawalOrderHistory'

/** Undefined where nothing could be read: the account or the key moves no money now. */
export async function whereServed<Result>(
  { terms }: OkxCalls,
  read: () => Promise<Result>,
): Promise<Result | undefined> {
  if (!terms.all.some(isMoney)) return undefined
  try {
    return await read()
  } catch (error) {
    if (NOT_SERVED.test(FAILURES.failureOf(error).native ?? '')) return undefined
    throw error
  }
}

/** Made at or after `since` (null: all there are). */
export async function readMoneyOrders(
  calls: OkxCalls,
  operation: MoneyHistory,
  since: number | null,
): Promise<Row[]> {
  const orders = await readPages(calls, operation, since)
  return orders.filter((order) => isMadeSince(order, since))
}

/** One whose time cannot be read is set aside by whoever reads it. */
const isMadeSince = (order: Row, since: number | null): boolean =>
  !(Number(order['cTime']) < (since ?? -Infinity))

/**
 * Newest first. OKX's words for the two ends of the time are other ones here than in its lists of
 * coins, so the first page is asked for without them. The next ones begin with the last moment of
 * the page before, which is read again: several orders may share it.
 */
async function readPages(
  calls: OkxCalls,
  operation: MoneyHistory,
  since: number | null,
): Promise<Row[]> {
  const seen = new Map<string, Row>()
  let end: Record<string, string> = {}
  for (let page = 0; page < PAGES; page += 1) {
    const found = await calls.ask(operation, { limit: String(PAGE), ...end })
    const earlier = seen.size
    for (const order of found) seen.set(String(order['ordId']), order)
    if (found.length < PAGE) return [...seen.values()]
    const times = found.map((order) => Number(order['cTime'])).filter(Number.isFinite)
    const oldest = Math.min(...times)
    // In another order nobody knows what the next pages hold.
    if (seen.size === earlier || !isNewestFirst(times)) break
    if (since !== null && oldest < since) return [...seen.values()]
    end = { before: String(oldest) }
  }
  throw unreadableAnswer('the end of a list')
}

const isNewestFirst = (times: readonly number[]): boolean =>
  times.length > 0 && times.every((time, place) => place === 0 || time <= (times[place - 1] ?? 0))

const STATES: Readonly<Record<string, TransferState | undefined>> = {
  completed: 'SUCCESS',
  failed: 'FAILED',
  canceled: 'CANCELED',
  pending: 'PENDING',
  inqueue: 'PENDING',
  processing: 'PENDING',
}

const termOf = ({ all }: Terms, order: Row): Term | undefined =>
  all.find((term) => isMoney(term) && term.native === text(order, 'ccy'))

/** With a fee nobody knows what the balance moved by. */
function amountOf(order: Row): Decimal {
  if (exact(order, 'fee') !== 0n)
    throw new RangeError('OKX took a fee, and does not say whether it is part of the amount')
  return exact(order, 'amt')
}

/** Names no payer. */
export const moneyDepositsOf =
  (terms: Terms) =>
  (order: Row): Incoming[] => {
    const term = termOf(terms, order)
    if (term === undefined) return []
    const state = STATES[text(order, 'state')]
    return [
      {
        ...ANONYMOUS,
        foreign_id: moneyOrderId(order),
        state: incomingState(state),
        asset: term.asset,
        protocol: term.protocol,
        quantity: amountOf(order),
        transaction_hash: null,
        destination_address: null,
        occurred_at: milliseconds(order, 'cTime'),
      },
    ]
  }

/** What is not known to be final is pending. */
function incomingState(state: TransferState | undefined): Incoming['state'] {
  if (state === 'SUCCESS') return 'FINAL'
  return state === 'FAILED' || state === 'CANCELED' ? 'FAILED' : 'PENDING'
}

/** Numbers of orders and of withdrawals of coins are not the same. */
export const moneyOrderId = (order: Row): string => `order ${text(order, 'ordId')}`

/** The id of a row of one of both, also where it cannot be read. */
export const rowId = (row: Row, coins: string): unknown =>
  row['ordId'] === undefined ? row[coins] : `order ${String(row['ordId'])}`

export const isMoneyOrder = (row: Row): boolean => row['ordId'] !== undefined

function reportOf(term: Term, order: Row): TransferReport {
  const sub_state = text(order, 'state')
  return {
    foreign_id: moneyOrderId(order),
    state: STATES[sub_state] ?? 'UNKNOWN',
    sub_state,
    reason: null,
    transaction_hash: null,
    confirmations: null,
    fee: exact(order, 'fee'),
    fee_asset: term.asset,
  }
}

/** Names no account but by OKX's own id of it. */
export const moneyWithdrawalsOf =
  (terms: Terms) =>
  (order: Row): Outgoing[] => {
    const term = termOf(terms, order)
    if (term === undefined) return []
    return [
      {
        ...outgoingFields(reportOf(term, order)),
        external_id: fromClientId(order, 'clientId'),
        asset: term.asset,
        protocol: term.protocol,
        quantity: amountOf(order),
        destination_address: null,
        tag: null,
        occurred_at: milliseconds(order, 'cTime'),
      },
    ]
  }

type Direction = 'deposit' | 'withdrawal'

/** What OKX says of SEPA now; undefined when it does not offer it to this account. */
async function methodNow(
  calls: OkxCalls,
  { native }: Term,
  direction: Direction,
): Promise<Row | undefined> {
  const operation =
    direction === 'deposit' ? 'GetFiatDepositPaymentMethods' : 'GetFiatWithdrawalPaymentMethods'
  const methods = await calls.ask(operation, { ccy: native }, { urgency: 'lookup' })
  return methods.find((method) => method['paymentMethod'] === METHOD)
}

/** What it takes at least; whether it takes a share is another question. */
export async function moneyFeeNow(calls: OkxCalls, term: Term): Promise<Decimal> {
  const method = await methodNow(calls, term, 'withdrawal')
  if (method === undefined) throw unreadableAnswer('paymentMethod')
  return exact(method, 'minFee')
}

/** What it moves for this account, or why nothing. */
export async function moneyProtocol(calls: OkxCalls, term: Term): Promise<Protocol | string> {
  try {
    const [deposit, withdrawal] = [
      await methodNow(calls, term, 'deposit'),
      await methodNow(calls, term, 'withdrawal'),
    ]
    if (deposit === undefined && withdrawal === undefined)
      return `okx does not move ${term.native} by ${METHOD} for this account`
    const limits = withdrawal === undefined ? {} : rowOf(withdrawal['limits'])
    return {
      protocol: term.protocol,
      native: term.native,
      decimals: term.decimals,
      tag_required: false,
      min_withdrawal: limitOf(limits, 'minAmt'),
      max_withdrawal: limitOf(limits, 'maxAmt'),
      deposit: deposit !== undefined,
      withdraw: withdrawal !== undefined,
    }
  } catch (error) {
    const native = FAILURES.failureOf(error).native ?? ''
    if (!NOT_SERVED.test(native)) throw error
    return `okx does not move ${term.native} for this account: ${native}`
  }
}

const limitOf = (limits: Row, field: string): Decimal | null =>
  typeof limits[field] === 'string' && limits[field] !== '' ? exact(limits, field) : null

type Payment = { quantity: Decimal; iban: string }

/** OKX's id of the bank account, or why OKX would not pay it. */
export async function paymentAccount(
  calls: OkxCalls,
  term: Term,
  { quantity, iban }: Payment,
): Promise<{ paymentAcctId: string } | string> {
  const method = await methodNow(calls, term, 'withdrawal')
  if (method === undefined) return `okx does not pay ${term.native} by ${METHOD}`
  if (exact(method, 'minFee') !== 0n || exact(method, 'feeRate') !== 0n)
    return `okx takes a fee for ${METHOD} and does not say of what: pay it at okx by hand`
  const limits = rowOf(method['limits'])
  const [least, most] = [limitOf(limits, 'minAmt'), limitOf(limits, 'maxAmt')]
  if (least !== null && quantity < least) return `okx pays ${format(least)} at least`
  if (most !== null && quantity > most) return `okx pays ${format(most)} at most`
  const account = rows(method['accounts']).find(
    (row) => bareIban(text(row, 'acctNum')) === bareIban(iban) && row['state'] === 'active',
  )
  return account === undefined
    ? `okx does not know the account ${iban}: a person has to add it there`
    : { paymentAcctId: text(account, 'paymentAcctId') }
}

export const moneyRequest = (
  term: Term,
  {
    paymentAcctId,
    quantity,
    reference,
  }: { paymentAcctId: string; quantity: Decimal; reference: string },
): Record<string, string> => ({
  paymentAcctId,
  ccy: term.native,
  amt: format(quantity),
  paymentMethod: METHOD,
  clientId: toClientId(reference),
})

/**
 * OKX has no lookup by our reference, but lists it. `absent`: the list, read back to the moment of
 * sending, does not show it, and what was signed then is too old.
 */
export async function findMoneyWithdrawal(
  calls: OkxCalls,
  lookup: TransferLookup,
  { patience, term, margin }: { patience: Patience; term: Term; margin: number },
): Promise<Lookup<TransferReport>> {
  const asked_at = Date.now()
  const since = lookup.submitted_at - margin
  // That the account moves no money now says nothing of what it was asked before.
  const listed = await FAILURES.reading(() =>
    readPages(calls, 'GetFiatWithdrawalOrderHistory', since),
  )
  const clientId = toClientId(lookup.external_id)
  const ours = listed.filter((order) => order['clientId'] === clientId)
  const [only] = ours
  if (only === undefined) {
    if (lookup.foreign_id !== null)
      return { lookup: 'unknown', reason: `okx does not list ${lookup.foreign_id}` }
    if (asked_at - lastSending(lookup) < patience.absentAfter)
      return { lookup: 'unknown', reason: 'too early to say' }
    const found = listed.find(
      (order) => isMadeSince(order, since) && isNameless(term, order, lookup.quantity),
    )
    return found === undefined
      ? { lookup: 'absent' }
      : { lookup: 'unknown', reason: `${moneyOrderId(found)} of okx may be this one` }
  }
  if (ours.length > 1 || (lookup.foreign_id !== null && lookup.foreign_id !== moneyOrderId(only)))
    return { lookup: 'unknown', reason: 'okx lists several orders with our reference' }
  const report = reportOf(term, only)
  return exact(only, 'amt') === lookup.quantity && report.fee === 0n
    ? { lookup: 'found', report }
    : { lookup: 'found', report: { ...report, state: 'UNKNOWN', fee: null, reason: DIFFERENT } }
}

/** A person has to find out what has left, and what it cost. */
const DIFFERENT = 'okx lists it with another amount or with a fee'

/** Ours, if OKX has lost our reference. */
const isNameless = ({ native }: Term, order: Row, quantity: Decimal): boolean =>
  optionalText(order, 'clientId') === null &&
  order['ccy'] === native &&
  exact(order, 'amt') === quantity
