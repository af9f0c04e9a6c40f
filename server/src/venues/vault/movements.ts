/** The vault's transactions as reports and movements, and the reading of their list. */
import type { Fireblocks, TransactionResponse } from '@fireblocks/ts-sdk'
import { tryDecimal, ZERO } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { ApiError } from '../../core/errors.ts'
import type { Incoming, Outgoing, SetAsideRecord, TransferReport } from '../contract.ts'
import { readRows } from '../set-aside/records.ts'
import { byNative } from './assets.ts'
import { ask, readOf } from './client.ts'
import { incomingState, transferState } from './states.ts'

const PAGE = 500
/**
 * How far behind the newest transaction a poll looks again, for those that the vault lists late.
 */
const OVERLAP_MILLISECONDS = 600_000
/** States of movements, either way, that will still change. */
const LIVE: ReadonlySet<string> = new Set(['PENDING', 'PENDING_REVIEW', 'UNKNOWN'])

type Side = { destType: 'VAULT_ACCOUNT' } | { sourceType: 'VAULT_ACCOUNT' }

export async function readMovements<Movement extends { state: string }>(
  client: Fireblocks,
  cursor: string | null,
  side: Side,
  read: (transaction: TransactionResponse) => Movement[],
): Promise<{ movements: Movement[]; set_aside: SetAsideRecord[]; cursor: string | null }> {
  const seen = readCursor(cursor)
  const movements: Movement[] = []
  const set_aside: SetAsideRecord[] = []
  const direction = 'destType' in side ? 'IN' : 'OUT'
  // As that of its first movement.
  const idOf = ({ id, destinations = [] }: TransactionResponse) =>
    id !== undefined && (direction === 'IN' || destinations.length > 1) ? `${id}:0` : id
  let newest = seen
  let oldestLive = Number.POSITIVE_INFINITY
  let next: Record<string, string> | undefined
  do {
    const page = await ask(() =>
      client.transactions.getTransactions({
        after: String(Math.max(1, seen - OVERLAP_MILLISECONDS)),
        orderBy: 'createdAt',
        sort: 'ASC',
        limit: PAGE,
        ...side,
        ...next,
      }),
    )
    for (const transaction of readOf(page)) {
      const found = readRows([transaction], { direction, idOf, read })
      movements.push(...found.movements)
      set_aside.push(...found.set_aside)
      const isLive = found.movements.some((movement) => LIVE.has(movement.state))
      const created = Number.isSafeInteger(transaction.createdAt) ? transaction.createdAt : 0
      newest = Math.max(newest, created ?? 0)
      if (isUnaddressed(transaction) || isLive) oldestLive = Math.min(oldestLive, created ?? 0)
    }
    next = page.ok ? nextPage(page.headers['next-page']) : undefined
  } while (next !== undefined)
  // The vault filters by the time of creation: what is still on its way has to stay in view until
  // it is final.
  return { movements, set_aside, cursor: String(Math.min(newest, oldestLive)) }
}

/** A cursor is a creation time. Throws for one that is not ours. */
function readCursor(cursor: string | null): number {
  const value = Number(cursor ?? '0')
  if (!Number.isSafeInteger(value) || value < 0)
    throw new RangeError('the cursor is not one of the vault')
  return value
}

/**
 * The header is the address of the next page (the published description), or a cursor (the official
 * client). An address says everything again, in parameters of the same names.
 */
function nextPage(header: string | undefined): Record<string, string> | undefined {
  if (header === undefined || header === '') return undefined
  return /^https?:/.test(header)
    ? Object.fromEntries(new URL(header).searchParams)
    : { next: header }
}

/**
 * The vault names the destination address from CONFIRMING on. Before that a movement cannot be
 * told from one to, or into, another wallet of ours; nothing has moved yet either.
 */
function isUnaddressed(transaction: TransactionResponse): boolean {
  const { destinations = [], destinationAddress, status = '' } = transaction
  return (
    destinations.length < 2 && !destinationAddress && transferState(status).startsWith('PENDING')
  )
}

export function reportOf(transaction: TransactionResponse): TransferReport {
  const status = transaction.status ?? ''
  const hash = transaction.txHash || null
  const state = transferState(status)
  // Before the coins have left, the vault shows what it expects to pay; what failed has cost
  // something once it is in a block.
  const paid = hash !== null && (state !== 'FAILED' || (transaction.numOfConfirmations ?? 0) > 0)
  return {
    foreign_id: transaction.id ?? '',
    state,
    sub_state: transaction.subStatus ? `${status}/${transaction.subStatus}` : status,
    reason: transaction.errorDescription || null,
    transaction_hash: hash,
    confirmations: transaction.numOfConfirmations ?? null,
    fee: paid ? (tryDecimal(transaction.feeInfo?.networkFee ?? '') ?? null) : null,
    fee_asset: !paid ? null : nameOf(transaction.feeCurrency ?? ''),
  }
}

function nameOf(native: string): string | null {
  return native === '' ? null : (byNative(native)?.asset ?? native)
}

/** What a transaction brings into accounts of the vault; several outputs are several movements. */
export function movementsOf(transaction: TransactionResponse): Incoming[] {
  const { id, assetId } = transaction
  if (
    id === undefined ||
    assetId === undefined ||
    (transaction.operation ?? 'TRANSFER') !== 'TRANSFER' ||
    isUnaddressed(transaction)
  )
    return []
  return outputsIn(transaction).flatMap(({ peer, amount }, position) => {
    if (peer?.type !== 'VAULT_ACCOUNT') return []
    const quantity = quantityOf(id, amount)
    return [
      {
        foreign_id: `${id}:${position}`,
        state: incomingState(transaction.status ?? ''),
        wallet: peer.id ?? null,
        asset: byNative(assetId)?.asset ?? assetId,
        protocol: byNative(assetId)?.protocol ?? null,
        quantity,
        transaction_hash: transaction.txHash || null,
        output_index: transaction.index ?? null,
        source_address: transaction.sourceAddress || null,
        destination_address: transaction.destinationAddress || null,
        tag: transaction.destinationTag || null,
        reference_text: null,
        counterparty: null,
        confirmations: transaction.numOfConfirmations ?? null,
        required_confirmations: null,
        related_external_id: transaction.externalTxId ?? null,
        occurred_at: transaction.createdAt ?? 0,
      },
    ]
  })
}

/**
 * What a transaction takes out of an account of the vault; several outputs are several movements,
 * the fee is that of the first.
 */
export function outgoingOf(transaction: TransactionResponse): Outgoing[] {
  const { id, assetId, source, destinations = [] } = transaction
  if (
    id === undefined ||
    assetId === undefined ||
    source?.type !== 'VAULT_ACCOUNT' ||
    (transaction.operation ?? 'TRANSFER') !== 'TRANSFER' ||
    (isUnaddressed(transaction) && !transaction.externalTxId)
  )
    return []
  const several = destinations.length > 1
  const report = reportOf(transaction)
  return outputsIn(transaction).map(({ peer, amount }, position): Outgoing => {
    const quantity = quantityOf(id, amount)
    return {
      kind: 'TRANSFER',
      ...(several ? { foreign_id: `${id}:${position}`, output: position } : { foreign_id: id }),
      external_id: transaction.externalTxId || null,
      state: report.state,
      sub_state: report.sub_state,
      left: report.transaction_hash !== null && report.state !== 'FAILED',
      wallet: source.id ?? null,
      asset: byNative(assetId)?.asset ?? assetId,
      protocol: byNative(assetId)?.protocol ?? assetId,
      quantity,
      fee: position === 0 ? report.fee : ZERO,
      fee_asset: report.fee_asset,
      transaction_hash: report.transaction_hash,
      // The vault names the address of one output only.
      destination_address: several ? null : transaction.destinationAddress || null,
      tag: several ? null : transaction.destinationTag || null,
      reference_text: transaction.note || null,
      recipient_name: peer?.name || null,
      occurred_at: transaction.createdAt ?? 0,
    }
  })
}

/** Each destination with its amount. */
function outputsIn({ destination, destinations = [], amountInfo }: TransactionResponse) {
  return destinations.length > 0
    ? destinations.map((output) => ({ peer: output.destination, amount: output.amount }))
    : [{ peer: destination, amount: amountInfo?.netAmount ?? amountInfo?.amount }]
}

function quantityOf(id: string, amount: string | undefined): Decimal {
  const quantity = tryDecimal(amount ?? '')
  if (quantity === undefined)
    throw new ApiError('VenueUnreachable', `vault: the amount of transaction ${id} cannot be read`)
  return quantity
}
