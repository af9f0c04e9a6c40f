/** The vault's transactions as reports and movements into it, and the reading of their list. */
import type { Fireblocks, TransactionResponse } from '@fireblocks/ts-sdk'
import { tryDecimal } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { ApiError } from '../../core/errors.ts'
import type { Incoming, TransferReport } from '../contract.ts'
import type { Terms } from '../terms.ts'
import { ask, readOf } from './client.ts'
import type { Standing } from './replacements.ts'
import { fateOf, incomingState, transferState } from './states.ts'

const PAGE = 500
/** How far behind the newest change a poll looks again, for those that the vault lists late. */
const OVERLAP_MILLISECONDS = 600_000
/** Older ones are left out where no beginning is named. */
const FROM_THE_BEGINNING = '1'

/**
 * The source of fuel from Gas Station 1.0, which is no vault account (support.fireblocks.io,
 * article 11602800877596). In 2.0 it is one: see outgoing.ts.
 */
const GAS_STATION_ONE = 'GAS_STATION'

type Side = { destType: 'VAULT_ACCOUNT' } | { sourceType: 'VAULT_ACCOUNT' }

/**
 * The transactions that changed since the cursor, oldest change first. What was frozen or dropped
 * may go on after any time, so they are read by their last change. The vault filters by the time of
 * creation only: the newest changes come first, and reading ends with those that are known.
 */
export async function readChanges(
  client: Fireblocks,
  cursor: string | null,
  side: Side,
): Promise<{ changed: TransactionResponse[]; cursor: string | null }> {
  const seen = readCursor(cursor)
  const changed: TransactionResponse[] = []
  let next: Record<string, string> | undefined
  do {
    const page = await ask(() =>
      client.transactions.getTransactions({
        after: FROM_THE_BEGINNING,
        orderBy: 'lastUpdated',
        sort: 'DESC',
        limit: PAGE,
        ...side,
        ...next,
      }),
    )
    const unread = readOf(page).filter(
      (transaction) => (changedAt(transaction) ?? seen) >= seen - OVERLAP_MILLISECONDS,
    )
    changed.push(...unread)
    next =
      page.ok && unread.length === page.data.length
        ? nextPage(page.headers['next-page'])
        : undefined
  } while (next !== undefined)
  const newest = changed.reduce((latest, one) => Math.max(latest, changedAt(one) ?? 0), seen)
  return { changed: changed.toReversed(), cursor: String(newest) }
}

/** Undefined for one that says no time. */
const changedAt = ({ lastUpdated, createdAt }: TransactionResponse): number | undefined =>
  [lastUpdated, createdAt].find((time) => Number.isSafeInteger(time))

/** A cursor is a time. Throws for one that is not ours. */
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
export function isUnaddressed(transaction: TransactionResponse): boolean {
  const { destinations = [], destinationAddress, status = '' } = transaction
  return (
    destinations.length < 2 &&
    !destinationAddress &&
    transferState({ status }).startsWith('PENDING')
  )
}

export function reportOf(terms: Terms, { shown, state, reason, former }: Standing): TransferReport {
  const status = shown.status ?? ''
  const hash = shown.txHash || null
  // Before the coins have left, the vault shows what it expects to pay; what failed has cost
  // something only when it is in a block.
  const paid = hash !== null && fateOf(shown) !== 'MAYBE' && fateOf(shown) !== 'NEVER_SENT'
  return {
    foreign_id: shown.id ?? '',
    state,
    sub_state: shown.subStatus ? `${status}/${shown.subStatus}` : status,
    reason,
    transaction_hash: hash,
    confirmations: shown.numOfConfirmations ?? null,
    fee: paid ? (tryDecimal(shown.feeInfo?.networkFee ?? '') ?? null) : null,
    fee_asset: paid ? nameOf(terms, shown.feeCurrency ?? '') : null,
    former,
    ...(fateOf(shown) === 'NOT_CREDITED' && { not_credited: true as const }),
  }
}

export function nameOf({ byNative }: Terms, native: string): string | null {
  return native === '' ? null : (byNative(native)?.asset ?? native)
}

/** What a transaction brings into accounts of the vault; several outputs are several movements. */
export function movementsOf({ byNative }: Terms, transaction: TransactionResponse): Incoming[] {
  if (!isTransfer(transaction) || isToItself(transaction) || isUnaddressed(transaction)) return []
  const { id, assetId } = identityOf(transaction)
  const byVenue = transaction.source?.type === GAS_STATION_ONE && { by_venue: true as const }
  return outputsIn(transaction).flatMap(({ peer, amount }, position) => {
    if (peer?.type !== 'VAULT_ACCOUNT') return []
    const quantity = quantityOf(id, amount)
    return [
      {
        ...byVenue,
        foreign_id: `${id}:${position}`,
        state: incomingState(transaction),
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

export const isTransfer = ({ operation }: TransactionResponse): boolean =>
  (operation ?? 'TRANSFER') === 'TRANSFER'

/**
 * From a vault account to itself, not at the client's request: it moves nothing but its fee. A
 * child that pulls its parent into a block is one, and so is a drop.
 */
export function isToItself(transaction: TransactionResponse): boolean {
  const { source, destination, destinations = [], externalTxId } = transaction
  return (
    source?.type === 'VAULT_ACCOUNT' &&
    destination?.type === 'VAULT_ACCOUNT' &&
    source.id === destination.id &&
    destinations.length < 2 &&
    (!externalTxId || spentHashes(transaction).length > 0)
  )
}

/** The transactions whose outputs it was told to spend. */
export function spentHashes({ extraParameters }: TransactionResponse): string[] {
  const inputs: unknown = extraParameters?.inputsSelection?.['inputsToSpend']
  return Array.isArray(inputs)
    ? inputs.flatMap((input: { txHash?: unknown } | null) =>
        typeof input?.txHash === 'string' ? [input.txHash] : [],
      )
    : []
}

/** Each destination with its amount. */
export function outputsIn({ destination, destinations = [], amountInfo }: TransactionResponse) {
  return destinations.length > 0
    ? destinations.map((output) => ({ peer: output.destination, amount: output.amount }))
    : [{ peer: destination, amount: amountInfo?.netAmount ?? amountInfo?.amount }]
}

/** Throws for a transaction that does not say which it is, or what it moves. */
export function identityOf({ id, assetId }: TransactionResponse): { id: string; assetId: string } {
  if (!id) throw unreadable('the vault lists a transaction without its id')
  if (!assetId) throw unreadable(`transaction ${id} does not say its asset`)
  return { id, assetId }
}

export function quantityOf(id: string, amount: string | undefined): Decimal {
  const quantity = tryDecimal(amount ?? '')
  if (quantity === undefined) throw unreadable(`the amount of transaction ${id} cannot be read`)
  return quantity
}

export const unreadable = (what: string): ApiError =>
  new ApiError('VenueUnreachable', `vault: ${what}`)
