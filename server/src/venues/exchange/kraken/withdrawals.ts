/**
 * Withdrawals at Kraken. One goes to a key that a person registered at Kraken before, and Kraken
 * takes its fee out of the amount it is sent, so quantity + fee is sent, with the fee just asked
 * for as `max_fee`.
 *
 * Kraken keeps no reference of ours. What may have been sent is recognised by key, net amount and
 * time among the withdrawals that no other of ours claims. `absent` is certain because nonces only
 * grow: once the lookup was answered, the earlier request with its lower nonce can no longer be
 * accepted (nonce.ts). What had been accepted before is assumed to be listed three minutes later.
 */
import { format } from '../../../core/decimal.ts'
import type { Decimal } from '../../../core/decimal.ts'
import type {
  Lookup,
  Outcome,
  Outgoing,
  TransferLookup,
  TransferOrder,
  TransferReport,
} from '../../contract.ts'
import { exact, optionalText, row, rows, text } from '../answers.ts'
import type { Row } from '../answers.ts'
import { outgoingFields } from '../movements.ts'
import {
  AMBIGUOUS_MILLISECONDS,
  lastSending,
  SKEW_MILLISECONDS,
  readCandidates,
  recognise,
} from '../recognition.ts'
import type { Urgency } from '../call-limiter.ts'
import { isMoney, isNetwork, isTagged } from '../../terms.ts'
import type { Term } from '../../terms.ts'
import type { Patience } from '../trading.ts'
import { refusal } from '../wire.ts'
import { acceptedWithdrawal, inTime, sendWithdrawal } from '../withdrawals.ts'
import type { KrakenCalls } from './calls.ts'
import { decimalsOf } from './decimals.ts'
import { readList } from './lists.ts'
import { lateRequests } from './nonce.ts'
import { FAILURES, milliseconds, subState, transferState } from './vocabulary.ts'

/** How old a list may be that shows what becomes of a withdrawal that Kraken has named. */
const FOLLOW_MILLISECONDS = 10_000
/** Withdrawals of one asset are looked up in one list. */
const HOUR_MILLISECONDS = 3_600_000

export const keyOf = ({ transfer }: Pick<TransferOrder, 'transfer'>): string =>
  transfer.from['key'] ?? ''

/** The fee that Kraken takes now for this amount. */
export async function feeNow(
  { ask }: KrakenCalls,
  { entry, key, amount }: { entry: Term; key: string; amount: Decimal },
  urgency: Urgency,
): Promise<Decimal> {
  const parameters = { asset: entry.native, key, amount: format(amount) }
  return exact(row(await ask('WithdrawInfo', parameters, { urgency })), 'fee')
}

export const sendKrakenWithdrawal = (
  calls: KrakenCalls,
  order: TransferOrder,
  { sendWithin }: Patience,
): Promise<Outcome<TransferReport>> =>
  sendWithdrawal(order, {
    name: 'kraken',
    terms: calls.terms,
    failures: FAILURES,
    async decimalsOf(entry) {
      await calls.ready()
      return decimalsOf(calls.money, entry)
    },
    objectionTo: () => (keyOf(order) === '' ? 'the withdrawal key is missing' : undefined),
    send: (entry, started) => withdraw(calls, order, entry, { started, within: sendWithin }),
  })

async function withdraw(
  calls: KrakenCalls,
  order: TransferOrder,
  entry: Term,
  time: { started: number; within: number },
): Promise<Outcome<TransferReport>> {
  const key = keyOf(order)
  // The fee of this moment decides how much has to be sent so that the quantity arrives.
  const fee = await feeNow(calls, { entry, key, amount: order.quantity + order.fee }, 'act')
  const objection = await objectionToKey(calls, order, entry)
  if (objection !== undefined) return refusal(objection)
  const address = isMoney(entry) ? {} : { address: order.destination_address }
  const withdrawn = await calls.act('Withdraw', time.within, () =>
    inTime(time, () => {
      const amount = format(order.quantity + fee)
      const request = { asset: entry.native, key, amount, max_fee: format(fee) }
      // ccxt would ask for what it calls our code, which may be another asset of Kraken.
      return calls.money.privatePostWithdraw({ ...request, ...address })
    }),
  )
  if (withdrawn === undefined)
    return { outcome: 'unknown', reason: 'not sent: kraken answered the fee too late' }
  const foreign_id = optionalText(row(withdrawn.result), 'refid')
  if (foreign_id === null) return { outcome: 'unknown', reason: 'kraken named no reference' }
  return acceptedWithdrawal({ foreign_id, sub_state: 'Initial', fee, fee_asset: entry.asset })
}

/**
 * Why the key does not stand for the destination: without its tag, or on another protocol, where
 * the same address may be somebody else's or nobody's.
 */
async function objectionToKey(
  { ask }: KrakenCalls,
  order: TransferOrder,
  entry: Term,
): Promise<string | undefined> {
  if (entry.ledger !== 'TAGS' && entry.ledger !== 'GAS') return undefined
  const key = keyOf(order)
  const registered = rows(
    await ask('WithdrawAddresses', { asset: entry.native, key }, { urgency: 'act' }),
  )
  const target = registered.find((row) => row['key'] === key)
  if (target === undefined) return `kraken does not list the withdrawal key ${key}`
  const method = target['method']
  if (!isNetwork(entry, method) && !(await isMethodOf(ask, entry, method)))
    return `the withdrawal key is for ${String(method)}, not for ${entry.protocol}`
  const tag = optionalText(target, 'tag') ?? optionalText(target, 'memo')
  return isTagged(entry) && tag !== (order.tag ?? null)
    ? 'the withdrawal key does not carry the tag of the destination'
    : undefined
}

/** A method of a name that is not ours may be named by its network. */
async function isMethodOf(ask: KrakenCalls['ask'], entry: Term, method: unknown): Promise<boolean> {
  const methods = rows(await ask('WithdrawMethods', { asset: entry.native }, { urgency: 'act' }))
  return methods.some((known) => known['method'] === method && isNetwork(entry, known['network']))
}

export async function findWithdrawal(
  calls: KrakenCalls,
  lookup: TransferLookup,
  { absentAfter }: Patience,
): Promise<Lookup<TransferReport>> {
  const entry = calls.terms.of(lookup.asset, lookup.protocol)
  const { found, since, asked_at } = await FAILURES.reading(async () => {
    // A venue clock that runs behind ours puts our withdrawal earlier.
    const behind = Math.min(0, (await venueTime(calls)) - Date.now())
    const since = lookup.submitted_at - SKEW_MILLISECONDS + behind
    const asked_at = Date.now()
    const found = await readList(calls, 'WithdrawStatus', {
      parameters: { asset: entry.native },
      start: wholeHour(since - AMBIGUOUS_MILLISECONDS),
      until: (row) => row['refid'] === lookup.foreign_id,
      asking: {
        urgency: 'lookup',
        max_age_ms: isFresh(lookup, asked_at, absentAfter) ? 0 : FOLLOW_MILLISECONDS,
      },
    })
    return { found, since, asked_at }
  })
  const listed = readCandidates(found, (row) => ({
    foreign_id: text(row, 'refid'),
    at: milliseconds(row, 'time'),
    alike: isAlike(row, lookup),
    report: () => reportOf(row, entry),
  }))
  const answer = recognise(lookup, listed, { name: 'kraken', since, asked_at, absentAfter })
  if (answer.lookup !== 'absent') return answer
  const reason = await FAILURES.reading(() => lateRequests(calls))
  return reason === undefined ? answer : { lookup: 'unknown', reason }
}

/** Of one that was sent just now only a list that is read now tells whether Kraken has it. */
const isFresh = (lookup: TransferLookup, asked_at: number, absentAfter: number): boolean =>
  lookup.foreign_id === null && asked_at - lastSending(lookup) < absentAfter + FOLLOW_MILLISECONDS

const wholeHour = (at: number): number => at - (at % HOUR_MILLISECONDS)

async function venueTime({ money }: KrakenCalls): Promise<number> {
  const result = row((await money.publicGetTime({})).result)
  return milliseconds(result, 'unixtime')
}

function isAlike(row: Row, lookup: TransferLookup): boolean {
  if (exact(row, 'amount') !== lookup.quantity) return false
  return typeof row['key'] === 'string'
    ? row['key'] === lookup.transfer.from['key']
    : row['info'] === lookup.destination_address
}

/** A protocol that is none of ours keeps Kraken's word. */
export function outgoingOf(row: Row, entry: Term, protocol: string | null): Outgoing {
  return {
    ...outgoingFields(reportOf(row, entry)),
    asset: entry.asset,
    protocol: protocol ?? optionalText(row, 'method') ?? entry.native,
    quantity: exact(row, 'amount'),
    destination_address: optionalText(row, 'info'),
    tag: null,
    occurred_at: milliseconds(row, 'time'),
  }
}

function reportOf(row: Row, entry: Term): TransferReport {
  const state = transferState(row)
  return {
    foreign_id: text(row, 'refid'),
    state,
    sub_state: subState(row),
    reason: null,
    transaction_hash: isMoney(entry) ? null : optionalText(row, 'txid'),
    confirmations: null,
    // It is given back with what does not leave.
    fee: ['FAILED', 'CANCELED'].includes(state) ? null : exact(row, 'fee'),
    fee_asset: entry.asset,
  }
}
