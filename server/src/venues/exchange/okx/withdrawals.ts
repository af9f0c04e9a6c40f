/**
 * Withdrawals at OKX. They leave the funding wallet and go to addresses that a person has verified
 * at OKX; the fee comes on top. OKX keeps our reference (`clientId`) and lists withdrawals by it,
 * so none has to be recognised by its content.
 */
import { format, scaleOf } from '../../../core/decimal.ts'
import type { Decimal } from '../../../core/decimal.ts'
import type {
  Lookup,
  Outcome,
  Outgoing,
  TransferLookup,
  TransferOrder,
  TransferReport,
} from '../../contract.ts'
import { isTagged, networkOf } from '../../terms.ts'
import type { Term, Terms } from '../../terms.ts'
import { exact, optionalText, text, unreadableAnswer } from '../answers.ts'
import type { Row } from '../answers.ts'
import { outgoingFields } from '../movements.ts'
import type { Patience } from '../trading.ts'
import { acceptedWithdrawal, inTime, sendWithdrawal } from '../withdrawals.ts'
import { refusal } from '../wire.ts'
import type { OkxCalls } from './calls.ts'
import { receiverOf } from './fields.ts'
import {
  FAILURES,
  fromClientId,
  milliseconds,
  termIn,
  toClientId,
  transferState,
} from './vocabulary.ts'
import { fund } from './wallets.ts'

const ON_CHAIN = '4'

/** What OKX says of the chain now: `fee` comes on top, `wdTickSz` is how fine it moves. */
async function chainNow(calls: OkxCalls, term: Term): Promise<{ fee: Decimal; decimals: number }> {
  const asked = { ccy: term.native }
  const currencies = await calls.ask('GetAssetCurrencies', asked, { urgency: 'lookup' })
  const chain = currencies.find((row) => termIn(calls.terms, row) === term)
  if (chain === undefined) throw new Error('okx does not name the chain')
  return { fee: exact(chain, 'fee'), decimals: decimalsOf(term, chain) }
}

/** What one of both, the protocol and OKX, does not have is not moved. */
export function decimalsOf(term: Term, chain: Row): number {
  const digits = text(chain, 'wdTickSz')
  if (!/^[0-9]{1,2}$/.test(digits)) throw unreadableAnswer('wdTickSz')
  return Math.min(Number(digits), term.decimals)
}

export const feeNow = async (calls: OkxCalls, term: Term): Promise<Decimal> =>
  (await chainNow(calls, term)).fee

export const sendOkxWithdrawal = (
  calls: OkxCalls,
  order: TransferOrder,
  patience: Patience,
): Promise<Outcome<TransferReport>> =>
  sendWithdrawal(order, {
    name: 'okx',
    ways: calls.terms.all,
    failures: FAILURES,
    objectionTo: ({ tag }, entry) =>
      tag === null || isTagged(entry) ? undefined : `${entry.asset} has no tags`,
    send: (entry, started) =>
      withdraw(calls, { order, entry, started, within: patience.sendWithin }),
  })

type Sending = { order: TransferOrder; entry: Term; started: number; within: number }

function withdraw(
  calls: OkxCalls,
  { order, entry, started, within }: Sending,
): Promise<Outcome<TransferReport>> {
  const { external_id: reference, quantity } = order
  return calls.alone(async () => {
    // As long as only the wallets were looked at and filled, nothing has left.
    let fee: Decimal
    try {
      const chain = await chainNow(calls, entry)
      if (scaleOf(quantity) > chain.decimals)
        return refusal(`okx moves ${entry.asset} with at most ${chain.decimals} decimals`)
      fee = chain.fee
      const reason = await fund(calls, { ccy: entry.native, reference, quantity: quantity + fee })
      if (reason !== undefined) return { outcome: 'unknown', reason: `not sent: ${reason}` }
    } catch (error) {
      return notSent(error)
    }
    const made = await inTime({ started, within }, () =>
      calls.askOne('PostAssetWithdrawal', requestOf(order, entry), {
        urgency: 'act',
        wait_ms: started + within - Date.now(),
      }),
    )
    if (made === undefined)
      return { outcome: 'unknown', reason: 'not sent: okx answered about its wallets too late' }
    return acceptedWithdrawal({
      foreign_id: text(made, 'wdId'),
      sub_state: 'Waiting withdrawal',
      fee,
      fee_asset: entry.asset,
    })
  })
}

/** A refusal of OKX is one; all else is asked about, and may be sent again once it is absent. */
function notSent(error: unknown): Outcome<TransferReport> {
  const outcome = FAILURES.outcomeOf<TransferReport>(error)
  return outcome.outcome === 'unknown'
    ? { ...outcome, reason: `not sent: ${outcome.reason}` }
    : outcome
}

function requestOf(order: TransferOrder, entry: Term): Record<string, unknown> {
  const { destination_address, tag, quantity, external_id } = order
  const rcvrInfo = receiverOf(order.transfer)
  return {
    ccy: entry.native,
    amt: format(quantity),
    dest: ON_CHAIN,
    toAddr: tag === null ? destination_address : `${destination_address}:${tag}`,
    chain: networkOf(entry),
    clientId: toClientId(external_id),
    ...(rcvrInfo === undefined ? {} : { rcvrInfo }),
  }
}

/**
 * `absent` is certain when the signed request can no longer be accepted (its time is too old) and
 * what was accepted is listed.
 */
export async function findWithdrawal(
  calls: OkxCalls,
  lookup: TransferLookup,
  patience: Patience,
): Promise<Lookup<TransferReport>> {
  const entry = calls.terms.of(lookup.asset, lookup.protocol)
  const asked_at = Date.now()
  const clientId = toClientId(lookup.external_id)
  const found = await FAILURES.reading(() =>
    calls.ask('GetAssetWithdrawalHistory', { clientId }, { urgency: 'lookup' }),
  )
  const ours = found.filter((row) => row['clientId'] === clientId)
  const ids = new Set(ours.map((row) => text(row, 'wdId')))
  const [only] = ours
  if (only !== undefined && lookup.foreign_id !== null && !ids.has(lookup.foreign_id))
    return {
      lookup: 'unknown',
      reason: `okx does not list ${lookup.foreign_id} with our reference`,
    }
  if (only !== undefined)
    return ids.size === 1
      ? { lookup: 'found', report: reportOf(only, entry) }
      : { lookup: 'unknown', reason: `okx lists ${ids.size} withdrawals with this client id` }
  if (found.length > 0) return { lookup: 'unknown', reason: 'okx answered with other withdrawals' }
  if (lookup.foreign_id !== null)
    return { lookup: 'unknown', reason: `okx does not list ${lookup.foreign_id}` }
  return asked_at - lookup.submitted_at < patience.absentAfter
    ? { lookup: 'unknown', reason: 'too early to say' }
    : { lookup: 'absent' }
}

function reportOf(row: Row, entry: Term): TransferReport {
  const { state, sub_state } = transferState(row)
  return {
    foreign_id: text(row, 'wdId'),
    state,
    sub_state,
    reason: null,
    transaction_hash: optionalText(row, 'txId'),
    confirmations: null,
    // It is given back with what does not leave.
    fee: ['FAILED', 'CANCELED'].includes(state) ? null : exact(row, 'fee'),
    fee_asset: entry.asset,
  }
}

/** None of what moves by a way that we do not use. */
export const withdrawalsOf =
  (terms: Terms) =>
  (row: Row): Outgoing[] => {
    const term = termIn(terms, row)
    if (term === undefined) return []
    const [address = null, tag = null] = optionalText(row, 'to')?.split(':') ?? []
    return [
      {
        ...outgoingFields(reportOf(row, term)),
        external_id: fromClientId(row, 'clientId'),
        asset: term.asset,
        protocol: term.protocol,
        quantity: exact(row, 'amt'),
        destination_address: address,
        tag: optionalText(row, 'tag') ?? optionalText(row, 'memo') ?? tag,
        occurred_at: milliseconds(row, 'ts'),
      },
    ]
  }
