/** Withdrawals at the custodian, and its lists of what came in and left. */
import { format } from '../../core/decimal.ts'
import type {
  FeeEstimate,
  Incoming,
  Outcome,
  Outgoing,
  SetAsideRecord,
  TransferOrder,
  TransferReport,
  Transfers,
} from '../contract.ts'
import { ApiError } from '../../core/errors.ts'
import { readRows, rereadRow } from '../set-aside/records.ts'
import type { RowReader } from '../set-aside/records.ts'
import { readOf } from './client.ts'
import type { Client } from './client.ts'
import { isTagged, networkOf } from '../terms.ts'
import type { Terms } from '../terms.ts'
import { assetOf, figure, termOn } from './networks.ts'
import { findRequest, incomingState, outcomeOfPost, transferReport } from './requests.ts'
import type { CustodianRequest } from './requests.ts'

const PAGE = '500'
/** Its requests have no field for one, and what is sent without its tag is lost. */
export const NO_TAGS = 'the custodian takes no tags'

type CustodianDeposit = {
  deposit_id: string
  sequence: number
  wallet_id: string
  asset: string
  network: string
  amount: string
  status: string
  transaction_hash: string
  output_index: number
  from_address: string
  to_address: string
  confirmations: number
  required_confirmations: number
  detected_at: number
}
/** A request to withdraw with what was asked, and the sequence of its last change. */
type CustodianWithdrawal = CustodianRequest & {
  sequence: number
  wallet_id: string
  asset: string
  network: string
  amount: string
  address: string
  created_at: number
}

export function custodianTransfers(client: Client, terms: Terms): Transfers {
  return {
    fee_deducted: false,
    fields(asset, protocol) {
      terms.of(asset, protocol)
      return { from: [], to: [] }
    },
    estimateFee: async (order) => estimateFee(client, terms, order),
    send: async (order) => send(client, terms, order),
    find(lookup) {
      const { fee_asset } = terms.of(lookup.asset, lookup.protocol)
      return findRequest(client, lookup.external_id, (request) =>
        transferReport(request, fee_asset),
      )
    },
    incoming: (cursor) =>
      readPages(cursor, (after) => readDeposits(client, after), {
        direction: 'IN',
        idOf: (deposit) => deposit.deposit_id,
        read: (deposit) => [incomingOf(terms, deposit)],
      }),
    outgoing: (cursor) =>
      readPages(cursor, (after) => readWithdrawals(client, after), {
        direction: 'OUT',
        idOf: (request) => request.request_id,
        read: (request) => [outgoingOf(terms, request)],
      }),
    reread: async (record) =>
      rereadRow<CustodianDeposit & CustodianWithdrawal>(record, {
        IN: (deposit) => [incomingOf(terms, deposit)],
        OUT: (request) => [outgoingOf(terms, request)],
      }),
  }
}

async function estimateFee(
  client: Client,
  terms: Terms,
  order: Pick<TransferOrder, 'asset' | 'protocol'>,
): Promise<FeeEstimate> {
  const term = terms.of(order.asset, order.protocol)
  const { asset, fee: text } = readOf(
    await client.get<{ asset: string; fee: string }>('/fees', {
      asset: term.native,
      network: networkOf(term),
    }),
  )
  const fee = figure(text, 'the fee')
  return {
    asset: assetOf(terms, asset),
    custom: false,
    speed_levels: { DEFAULT: fee, FAST: fee, SLOW: fee },
  }
}

async function send(
  client: Client,
  terms: Terms,
  order: TransferOrder,
): Promise<Outcome<TransferReport>> {
  const term = terms.of(order.asset, order.protocol)
  if (order.tag !== null || isTagged(term))
    return { outcome: 'refused', reason: NO_TAGS, native: null }
  if (order.source_wallet === null)
    return { outcome: 'refused', reason: 'no managed wallet is named as source', native: null }
  if (order.speed_level === 'CUSTOM')
    return { outcome: 'refused', reason: 'the custodian takes no custom fee', native: null }
  const posted = await client.post<CustodianRequest>('/withdrawals', {
    reference: order.external_id,
    wallet_id: order.source_wallet,
    asset: term.native,
    network: networkOf(term),
    amount: format(order.quantity),
    address: order.destination_address,
  })
  return outcomeOfPost(client, order.external_id, posted, (request) =>
    transferReport(request, term.fee_asset),
  )
}

type Page<Item> = { items: Item[]; next: number | null }

async function readDeposits(client: Client, after: string): Promise<Page<CustodianDeposit>> {
  const { deposits, next } = readOf(
    await client.get<{ deposits: CustodianDeposit[]; next: number | null }>('/deposits', {
      after,
      limit: PAGE,
    }),
  )
  return { items: deposits, next }
}

async function readWithdrawals(client: Client, after: string): Promise<Page<CustodianWithdrawal>> {
  const { withdrawals, next } = readOf(
    await client.get<{ withdrawals: CustodianWithdrawal[]; next: number | null }>('/withdrawals', {
      after,
      limit: PAGE,
    }),
  )
  return { items: withdrawals, next }
}

/** Both lists grow by the sequence of the last change; a changed entry comes again. */
async function readPages<Item extends { sequence: number }, Movement>(
  cursor: string | null,
  page: (after: string) => Promise<Page<Item>>,
  reader: RowReader<Item, Movement>,
) {
  let after = readCursor(cursor)
  const movements: Movement[] = []
  const set_aside: SetAsideRecord[] = []
  for (;;) {
    const { items, next } = await page(String(after))
    const found = readRows(items, reader)
    movements.push(...found.movements)
    set_aside.push(...found.set_aside)
    const sequences = items.map((item) => item.sequence).filter(Number.isSafeInteger)
    // Without progress the same page would come for ever.
    if (next !== null && sequences.every((sequence) => sequence <= after))
      throw new ApiError('VenueUnreachable', 'custodian: a page of a list names no sequence')
    after = Math.max(after, ...sequences)
    if (next === null) return { movements, set_aside, cursor: String(after) }
  }
}

/** A cursor is the sequence of the last change. Throws for one that is not ours. */
function readCursor(cursor: string | null): number {
  const value = Number(cursor ?? '0')
  if (!Number.isSafeInteger(value) || value < 0)
    throw new RangeError('the cursor is not one of the custodian')
  return value
}

function incomingOf(terms: Terms, deposit: CustodianDeposit): Incoming {
  return {
    foreign_id: deposit.deposit_id,
    state: incomingState(deposit.status),
    wallet: deposit.wallet_id,
    asset: assetOf(terms, deposit.asset),
    protocol: termOn(terms, deposit.asset, deposit.network)?.protocol ?? null,
    quantity: figure(deposit.amount, `the amount of deposit ${deposit.deposit_id}`),
    transaction_hash: deposit.transaction_hash,
    output_index: deposit.output_index,
    source_address: deposit.from_address,
    destination_address: deposit.to_address,
    tag: null,
    reference_text: null,
    counterparty: null,
    confirmations: deposit.confirmations,
    required_confirmations: deposit.required_confirmations,
    related_external_id: null,
    occurred_at: deposit.detected_at,
  }
}

/** What was never broadcast, or came back, has not left. */
function outgoingOf(terms: Terms, request: CustodianWithdrawal): Outgoing {
  const term = termOn(terms, request.asset, request.network)
  const report = transferReport(request, term?.fee_asset ?? request.asset)
  return {
    kind: 'TRANSFER',
    foreign_id: request.request_id,
    external_id: request.reference,
    state: report.state,
    left: report.transaction_hash !== null && request.error === null,
    sub_state: report.sub_state,
    wallet: request.wallet_id,
    asset: assetOf(terms, request.asset),
    protocol: term?.protocol ?? request.network,
    quantity: figure(request.amount, `the amount of request ${request.request_id}`),
    fee: report.fee,
    fee_asset: report.fee_asset,
    transaction_hash: report.transaction_hash,
    destination_address: request.address,
    tag: null,
    reference_text: null,
    recipient_name: null,
    occurred_at: request.created_at,
  }
}
