/**
 * Withdrawals at Bitstamp. One goes to the address that it names; the fee comes on top. Bitstamp
 * keeps no reference of ours, so what may have been sent is recognised by destination, quantity
 * and time.
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
import { readRows } from '../../set-aside/records.ts'
import { exact, optionalText, text, word } from '../answers.ts'
import type { Row } from '../answers.ts'
import { outgoingFields } from '../movements.ts'
import {
  AMBIGUOUS_MILLISECONDS,
  SKEW_MILLISECONDS,
  recognise,
  readCandidates,
} from '../recognition.ts'
import type { Patience } from '../trading.ts'
import { acceptedWithdrawal, inTime, sendWithdrawal } from '../withdrawals.ts'
import { isMoney, isNetwork, isTagged, networkOf, termMeant } from '../../terms.ts'
import type { Term, Terms } from '../../terms.ts'
import type { Act } from './calls.ts'
import { BANK_FIELDS } from './fields.ts'
import { datetimeOf } from './lists.ts'
import type { BitstampLists } from './lists.ts'
import type { BitstampMoney } from './money.ts'
import { decimalsOf } from './protocols.ts'
import type { Currencies } from './protocols.ts'
import { FAILURES, isWord, transferState } from './vocabulary.ts'

/** A type of `user_transactions`; Bitstamp's documents write it as a text and as a number. */
const WITHDRAWAL = '1'
/** Bitstamp's word for the network whose memo is a number. */
const XRP_LEDGER = 'xrpl'

type Parts = {
  money: BitstampMoney
  act: Act
  lists: BitstampLists
  patience: Patience
  currencies: Currencies
}

export const sendBitstampWithdrawal = (
  parts: Parts,
  order: TransferOrder,
): Promise<Outcome<TransferReport>> =>
  sendWithdrawal(order, {
    name: 'bitstamp',
    terms: parts.lists.terms,
    failures: FAILURES,
    decimalsOf: async (entry) => decimalsOf(entry, await parts.currencies()),
    objectionTo,
    send: (entry, started) => withdraw(parts, order, entry, started),
  })

function objectionTo(order: TransferOrder, entry: Term): string | undefined {
  if (order.tag !== null && !isTagged(entry)) return `${entry.asset} has no tags`
  if (order.tag !== null && networkOf(entry) === XRP_LEDGER && entry.native !== 'xrp')
    return `Bitstamp documents no tag for ${entry.asset} on the XRP ledger`
  if (!isMoney(entry)) return undefined
  // The name may also come from the order.
  const missing = BANK_FIELDS.find(
    ({ name, required }) => required && name !== 'name' && (order.transfer.to[name] ?? '') === '',
  )
  return missing === undefined ? undefined : `transfer.to.${missing.name} is missing`
}

async function withdraw(
  { money, act, lists, patience }: Parts,
  order: TransferOrder,
  entry: Term,
  started: number,
): Promise<Outcome<TransferReport>> {
  const fee = await lists.feeNow(entry)
  const answer = await act(patience.sendWithin, () =>
    inTime({ started, within: patience.sendWithin }, () =>
      money.withdraw(
        entry.native.toUpperCase(),
        format(order.quantity),
        order.destination_address,
        // ccxt sends a tag of some assets only.
        undefined,
        isMoney(entry) ? bankParameters(order) : coinParameters(order, entry),
      ),
    ),
  )
  if (answer === undefined)
    return { outcome: 'unknown', reason: 'not sent: bitstamp answered the fee too late' }
  const { id, info } = answer
  const foreign_id = typeof id === 'string' && id !== '' ? id : numberIn(info)
  if (foreign_id === undefined)
    return { outcome: 'unknown', reason: 'bitstamp named no withdrawal' }
  return acceptedWithdrawal({ foreign_id, sub_state: 'Open', fee, fee_asset: entry.asset })
}

/**
 * `WithdrawalRequest` of Bitstamp's published API (aknarts/bitstamp-rs, openapi.json):
 * `destination_tag` is for XRP, `memo_id` for Stellar, Cosmos, TON, Sei and others.
 */
function coinParameters({ tag }: TransferOrder, entry: Term): Record<string, string> {
  const network = networkOf(entry)
  if (tag === null) return { network }
  return { network, ...(network === XRP_LEDGER ? { destination_tag: tag } : { memo_id: tag }) }
}

function bankParameters({ transfer, recipient_name }: TransferOrder): Record<string, string> {
  const { name, reference, ...holder } = transfer.to
  return {
    type: 'sepa',
    ...holder,
    name: name ?? recipient_name ?? '',
    ...(reference === undefined ? {} : { comment: reference }),
  }
}

/** A bank withdrawal is answered with a number under a name that ccxt does not read. */
function numberIn(info: unknown): string | undefined {
  const answer = typeof info === 'object' && info !== null ? (info as Row) : {}
  const value = answer['withdrawal_id'] ?? answer['id']
  return typeof value === 'number' || (typeof value === 'string' && value !== '')
    ? String(value)
    : undefined
}

export async function findWithdrawal(
  { lists, patience }: Parts,
  lookup: TransferLookup,
): Promise<Lookup<TransferReport>> {
  const entry = lists.terms.of(lookup.asset, lookup.protocol)
  const since = lookup.submitted_at - SKEW_MILLISECONDS
  const asked_at = Date.now()
  return FAILURES.reading(async () => {
    const requests = await lists.requests(since - AMBIGUOUS_MILLISECONDS)
    const found = new Map<string, Row>()
    let doubtful: string | undefined
    const listed = readCandidates(requests, (request) => {
      if (!isWord(entry, text(request, 'currency'))) return undefined
      const foreign_id = word(request, 'id')
      found.set(foreign_id, request)
      if (mayBe(request, lookup, entry)) doubtful ??= foreign_id
      return {
        foreign_id,
        at: datetimeOf(request),
        alike: isAlike(request, lookup, entry),
        report: () => reportOf(request, entry, null),
      }
    })
    if (doubtful !== undefined)
      return { lookup: 'unknown', reason: `withdrawal ${doubtful} of bitstamp may be this one` }
    const { absentAfter } = patience
    const answer = recognise(lookup, listed, {
      name: 'bitstamp',
      since,
      asked_at,
      absentAfter,
    })
    if (answer.lookup !== 'found') return answer
    const request = found.get(answer.report.foreign_id)
    const fee = request === undefined ? null : await feeTaken(lists, request)
    return { lookup: 'found', report: { ...answer.report, fee } }
  })
}

/**
 * Of a bank's withdrawal Bitstamp names no destination, and how it spells an address with a tag is
 * assumed. One of this quantity that nobody claims may be the one that is looked for, or go to
 * somebody else: a person must say.
 */
function mayBe(request: Row, lookup: TransferLookup, entry: Term): boolean {
  const { foreign_id, quantity, claimed, destination_address } = lookup
  const { address } = destinationOf(request)
  const isNear =
    address === null || address.toLowerCase().startsWith(destination_address.toLowerCase())
  return (
    foreign_id === null &&
    isNear &&
    !isAlike(request, lookup, entry) &&
    exact(request, 'amount') === quantity &&
    !claimed.includes(word(request, 'id'))
  )
}

function isAlike(request: Row, lookup: TransferLookup, entry: Term): boolean {
  const { address, tag } = destinationOf(request)
  const { network } = request
  return (
    (network === undefined || isMoney(entry) || isNetwork(entry, network)) &&
    exact(request, 'amount') === lookup.quantity &&
    address === lookup.destination_address &&
    tag === lookup.tag
  )
}

/** Bitstamp writes a tag behind the address: r…?dt=17. */
function destinationOf(request: Row): { address: string | null; tag: string | null } {
  const [address = null, tag = null] = optionalText(request, 'address')?.split('?dt=') ?? []
  return { address, tag }
}

/**
 * The request names the account's movement, which has the fee; before there is one it is not
 * known.
 */
async function feeTaken(lists: BitstampLists, request: Row): Promise<Decimal | null> {
  if (request['txid'] === undefined || request['txid'] === null) return null
  const movement = (await lists.movements(datetimeOf(request) - SKEW_MILLISECONDS)).find(
    (movement) =>
      word(movement, 'id') === word(request, 'txid') && word(movement, 'type') === WITHDRAWAL,
  )
  return movement === undefined ? null : exact(movement, 'fee')
}

function reportOf(request: Row, entry: Term, fee: Decimal | null): TransferReport {
  const { state, sub_state } = transferState(request)
  return {
    foreign_id: word(request, 'id'),
    state,
    sub_state,
    reason: null,
    transaction_hash: optionalText(request, 'transaction_id'),
    confirmations: null,
    fee: ['FAILED', 'CANCELED'].includes(state) ? null : fee,
    fee_asset: entry.asset,
  }
}

/** A request, and the account's movement that names its fee. */
type WithdrawalRow = { request: Row; movement: Row | null }

/** Newest first. */
export async function readWithdrawals(lists: BitstampLists, since: number | null) {
  const requests = await lists.requests(since)
  const movements = new Map(
    (requests.length === 0 ? [] : await lists.movements(since))
      .filter(({ type }) => type === WITHDRAWAL || type === Number(WITHDRAWAL))
      .map((movement) => [numberIn({ id: movement['id'] }), movement]),
  )
  const rows = requests.map((request): WithdrawalRow => ({
    request,
    movement: movements.get(numberIn({ id: request['txid'] }) ?? '') ?? null,
  }))
  return readRows(rows, {
    direction: 'OUT',
    idOf: ({ request }) => numberIn({ id: request['id'] }),
    read: withdrawalsOf(lists.terms),
  })
}

/** None of an asset that we do not move here. A network that is none of ours keeps its word. */
export const withdrawalsOf =
  ({ all }: Terms) =>
  ({ request, movement }: WithdrawalRow): Outgoing[] => {
    const ofAsset = all.filter((term) => isWord(term, text(request, 'currency')))
    const [first] = ofAsset
    if (first === undefined) return []
    const entry = termMeant(ofAsset, request['network'])
    const { address, tag } = destinationOf(request)
    const fee = movement === null ? null : exact(movement, 'fee')
    return [
      {
        ...outgoingFields(reportOf(request, entry ?? first, fee)),
        asset: first.asset,
        protocol: entry?.protocol ?? optionalText(request, 'network') ?? first.native,
        quantity: exact(request, 'amount'),
        destination_address: address,
        tag,
        occurred_at: datetimeOf(request),
      },
    ]
  }
