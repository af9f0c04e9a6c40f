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
import { isMoney, isTagged, networkOf } from '../../terms.ts'
import type { Term, Terms } from '../../terms.ts'
import { exact, optionalText, text, unreadableAnswer } from '../answers.ts'
import type { Row } from '../answers.ts'
import { outgoingFields } from '../movements.ts'
import type { Patience } from '../trading.ts'
import { lastSending, SKEW_MILLISECONDS } from '../recognition.ts'
import { acceptedWithdrawal, inTime, sendWithdrawal } from '../withdrawals.ts'
import { refusal } from '../wire.ts'
import type { OkxCalls } from './calls.ts'
import { objectionToReceiver, receiverOf } from './fields.ts'
import { readList } from './lists.ts'
import {
  findMoneyWithdrawal,
  moneyOrderId,
  moneyFeeNow,
  moneyRequest,
  paymentAccount,
} from './money-orders.ts'
import {
  FAILURES,
  NOT_FUNDED,
  TRANSFERS_STOPPED,
  destinationOf,
  fromClientId,
  milliseconds,
  termIn,
  toClientId,
  transferState,
} from './vocabulary.ts'
import { freeForFunding, fund } from './wallets.ts'

const ON_CHAIN = '4'

/** `burns`: OKX deducts a share of the quantity ("Get currencies", `burningFeeRate`). */
type ChainNow = { fee: Decimal; decimals: number; burns: boolean }

/** What OKX says of the chain now: `fee` comes on top, `wdTickSz` is how fine it moves. */
async function chainNow(calls: OkxCalls, term: Term): Promise<ChainNow> {
  const asked = { ccy: term.native }
  const currencies = await calls.ask('GetAssetCurrencies', asked, { urgency: 'lookup' })
  const chain = currencies.find((row) => termIn(calls.terms, row) === term)
  if (chain === undefined) throw new Error('okx does not name the chain')
  const burns = Number(chain['burningFeeRate'] ?? 0) !== 0
  return { fee: exact(chain, 'fee'), decimals: decimalsOf(term, chain), burns }
}

/** What one of both, the protocol and OKX, does not have is not moved. */
export function decimalsOf(term: Term, chain: Row): number {
  const digits = text(chain, 'wdTickSz')
  if (!/^[0-9]{1,2}$/.test(digits)) throw unreadableAnswer('wdTickSz')
  return Math.min(Number(digits), term.decimals)
}

export const feeNow = async (calls: OkxCalls, term: Term): Promise<Decimal> =>
  isMoney(term) ? moneyFeeNow(calls, term) : (await chainNow(calls, term)).fee

export const sendOkxWithdrawal = (
  calls: OkxCalls,
  order: TransferOrder,
  patience: Patience,
): Promise<Outcome<TransferReport>> =>
  sendWithdrawal(order, {
    name: 'okx',
    terms: calls.terms,
    failures: FAILURES,
    objectionTo: ({ tag, transfer }, entry) =>
      tag === null || isTagged(entry)
        ? objectionToReceiver(transfer)
        : `${entry.asset} has no tags`,
    send: (entry, started) =>
      withdraw(calls, { order, entry, started, within: patience.sendWithin }),
  })

type Sending = { order: TransferOrder; entry: Term; started: number; within: number }

function withdraw(
  calls: OkxCalls,
  { order, entry, started, within }: Sending,
): Promise<Outcome<TransferReport>> {
  return calls.alone(async () => {
    for (let isAgain = false; ; isAgain = true) {
      const funded = await fundingFor(calls, order, entry)
      if ('outcome' in funded) return funded
      try {
        const made = await inTime({ started, within }, () =>
          calls.askOne(funded.operation, funded.request, {
            urgency: 'act',
            wait_ms: started + within - Date.now(),
          }),
        )
        return made === undefined ? TOO_LATE : accepted(made, entry, funded.fee)
      } catch (error) {
        // Refused for certain: somebody used the wallet meanwhile. It is filled once more.
        if (isAgain || !NOT_FUNDED.test(FAILURES.failureOf(error).native ?? '')) throw error
      }
    }
  })
}

const TOO_LATE: Outcome<TransferReport> = {
  outcome: 'unknown',
  reason: 'not sent: okx answered about its wallets too late',
}

const accepted = (made: Row, entry: Term, fee: Decimal): Outcome<TransferReport> =>
  acceptedWithdrawal({
    foreign_id: isMoney(entry) ? moneyOrderId(made) : text(made, 'wdId'),
    sub_state: isMoney(entry) ? text(made, 'state') : 'Waiting withdrawal',
    fee,
    fee_asset: entry.asset,
  })

/** What is asked of OKX, and what it costs. */
type Request = {
  operation: 'PostAssetWithdrawal' | 'PostFiatCreateWithdrawal'
  request: Record<string, unknown>
  fee: Decimal
}

/** The request, once the funding wallet can pay; otherwise why nothing was sent. */
async function fundingFor(
  calls: OkxCalls,
  order: TransferOrder,
  entry: Term,
): Promise<Request | Outcome<TransferReport>> {
  const { external_id: reference, quantity } = order
  // As long as only the wallets were looked at and filled, nothing has left.
  try {
    const [asked, free] = await Promise.all([
      (isMoney(entry) ? moneyAsked : coinsAsked)(calls, order, entry),
      freeForFunding(calls, entry.native),
    ])
    if (typeof asked === 'string') return refusal(asked)
    const missing = quantity + asked.fee - free
    const reason = await fund(calls, { ccy: entry.native, reference, missing })
    return reason === undefined ? asked : { outcome: 'unknown', reason: `not sent: ${reason}` }
  } catch (error) {
    return notSent(error)
  }
}

type Asked = (calls: OkxCalls, order: TransferOrder, entry: Term) => Promise<Request | string>

const coinsAsked: Asked = async (calls, order, entry) => {
  const { fee, decimals, burns } = await chainNow(calls, entry)
  if (burns) return `okx takes a share of each ${entry.asset} that it sends`
  if (scaleOf(order.quantity) > decimals)
    return `okx moves ${entry.asset} with at most ${decimals} decimals`
  return { operation: 'PostAssetWithdrawal', request: requestOf(order, entry), fee }
}

const moneyAsked: Asked = async (calls, order, entry) => {
  const { quantity, destination_address: iban, external_id: reference } = order
  const account = await paymentAccount(calls, entry, { quantity, iban })
  if (typeof account === 'string') return account
  const request = moneyRequest(entry, { ...account, quantity, reference })
  return { operation: 'PostFiatCreateWithdrawal', request, fee: 0n }
}

/**
 * A refusal of OKX is one, but for a stop of transfers between the wallets. All else is asked
 * about, and may be sent again once it is absent.
 */
function notSent(error: unknown): Outcome<TransferReport> {
  const outcome = FAILURES.outcomeOf<TransferReport>(error)
  if (outcome.outcome === 'accepted') return outcome
  const { reason } = outcome
  return outcome.outcome === 'unknown' || TRANSFERS_STOPPED.test(reason)
    ? { outcome: 'unknown', reason: `not sent: ${reason}` }
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
  const term = calls.terms.find(lookup.asset, lookup.protocol)
  if (term !== undefined && isMoney(term))
    return findMoneyWithdrawal(calls, lookup, { patience, term, margin: SKEW_MILLISECONDS })
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
      ? { lookup: 'found', report: reportOf(calls.terms, only) }
      : { lookup: 'unknown', reason: `okx lists ${ids.size} withdrawals with this client id` }
  if (found.length > 0) return { lookup: 'unknown', reason: 'okx answered with other withdrawals' }
  if (lookup.foreign_id !== null)
    return { lookup: 'unknown', reason: `okx does not list ${lookup.foreign_id}` }
  if (asked_at - lastSending(lookup) < patience.absentAfter)
    return { lookup: 'unknown', reason: 'too early to say' }
  const reason = await whyNotAbsent(calls, lookup)
  return reason === undefined ? { lookup: 'absent' } : { lookup: 'unknown', reason }
}

/**
 * That a list filtered by `clientId` lags behind no other is assumed, and so is that a client id
 * serves once. So the list of all withdrawals of the asset must not show it either.
 */
async function whyNotAbsent(
  calls: OkxCalls,
  { asset, protocol, external_id, submitted_at, quantity }: TransferLookup,
): Promise<string | undefined> {
  const listed = await readList(calls, {
    operation: 'GetAssetWithdrawalHistory',
    id: 'wdId',
    since: submitted_at - SKEW_MILLISECONDS,
    ccy: calls.terms.of(asset, protocol).native,
    urgency: 'lookup',
  })
  const isOurs = (row: Row) => row['clientId'] === toClientId(external_id)
  const isNameless = (row: Row) =>
    optionalText(row, 'clientId') === null && exact(row, 'amt') === quantity
  const found = listed.find((row) => isOurs(row) || isNameless(row))
  return found && `withdrawal ${text(found, 'wdId')} of okx may be this one`
}

function reportOf(terms: Terms, row: Row): TransferReport {
  const { state, sub_state } = transferState(row)
  // "Withdrawal fee currency": of some assets the fee is taken in another.
  const feeCcy = optionalText(row, 'feeCcy') ?? text(row, 'ccy')
  return {
    foreign_id: text(row, 'wdId'),
    state,
    sub_state,
    reason: null,
    transaction_hash: optionalText(row, 'txId'),
    confirmations: null,
    // It is given back with what does not leave.
    fee: ['FAILED', 'CANCELED'].includes(state) ? null : exact(row, 'fee'),
    fee_asset: terms.byNative(feeCcy)?.asset ?? feeCcy,
  }
}

/** Also over a chain that we do not use. None of an asset that is not ours. */
export const withdrawalsOf =
  (terms: Terms) =>
  (row: Row): Outgoing[] => {
    const asset = terms.byNative(text(row, 'ccy'))?.asset
    if (asset === undefined) return []
    const term = termIn(terms, row)
    const { address, tag } = destinationOf(row, term)
    return [
      {
        ...outgoingFields(reportOf(terms, row)),
        external_id: fromClientId(row, 'clientId'),
        asset,
        protocol: term?.protocol ?? text(row, 'chain'),
        quantity: exact(row, 'amt'),
        destination_address: address,
        tag: optionalText(row, 'tag') ?? optionalText(row, 'memo') ?? tag,
        occurred_at: milliseconds(row, 'ts'),
      },
    ]
  }
