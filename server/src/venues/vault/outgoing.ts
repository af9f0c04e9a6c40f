/** What leaves accounts of the vault: transfers, and the fees of what only helps them along. */
import type { Fireblocks, TransactionResponse } from '@fireblocks/ts-sdk'
import { tryDecimal, ZERO } from '../../core/decimal.ts'
import type { Outgoing } from '../contract.ts'
import type { Terms } from '../terms.ts'
import {
  identityOf,
  isToItself,
  isTransfer,
  isUnaddressed,
  nameOf,
  outputsIn,
  quantityOf,
  reportOf,
  spentHashes,
  unreadable,
} from './movements.ts'
import { chainOf, replacedHash, sentAs, standingOf } from './replacements.ts'
import type { Chain } from './replacements.ts'
import { fateOf } from './states.ts'

/** Who makes the transfers of the gas station (support.fireblocks.io, article 11602800877596). */
const GAS_STATION = 'gas-station'

/** A transfer by all of its transactions, or a child with our reference of what it helps along. */
export type OutgoingRow =
  | { chain: Chain }
  | { child: TransactionResponse; external_id: string | null }

/** Puts the transactions of one transfer together. */
export async function outgoingRows(
  client: Fireblocks,
  transactions: readonly TransactionResponse[],
): Promise<OutgoingRow[]> {
  const transfers = transactions.filter(
    (transaction) => transaction.source?.type === 'VAULT_ACCOUNT' && isTransfer(transaction),
  )
  const chains = new Map<string, Chain>()
  const members = new Set<string>()
  for (const transaction of transfers) {
    if (replacedHash(transaction) === undefined) continue
    const chain = await chainOf(client, transaction)
    const [root] = chain
    if (chain.length < 2) continue
    for (const { id = '' } of chain) members.add(id)
    // One transaction may be replaced twice, so the later of two chains need not be the longer.
    const known = chains.get(root.id ?? '') ?? [root]
    chains.set(root.id ?? '', [root, ...union(known.slice(1), chain.slice(1))])
  }
  const single = transfers.filter(
    (transaction) =>
      !members.has(transaction.id ?? '') &&
      (transaction.externalTxId || !isUnaddressed(transaction)),
  )
  const rows: OutgoingRow[] = []
  for (const transaction of single)
    rows.push(
      isToItself(transaction)
        ? { child: transaction, external_id: await referenceOfParent(client, transaction) }
        : { chain: [transaction] },
    )
  return [...rows, ...[...chains.values()].map((chain) => ({ chain }))]
}

export const outgoingOf = (terms: Terms, row: OutgoingRow): Outgoing[] =>
  'child' in row ? feeOnly(terms, row.child, row.external_id) : transferOutgoing(terms, row.chain)

/** As that of the first movement. */
export function outgoingId(row: OutgoingRow): string | undefined {
  const { id, destinations = [] } = 'child' in row ? row.child : row.chain[0]
  return id !== undefined && destinations.length > 1 ? `${id}:0` : id
}

/** In the order in which they were made. */
const union = (
  known: readonly TransactionResponse[],
  more: readonly TransactionResponse[],
): TransactionResponse[] =>
  [
    ...known,
    ...more.filter(({ id }) => known.every((transaction) => transaction.id !== id)),
  ].toSorted((one, other) => (one.createdAt ?? 0) - (other.createdAt ?? 0))

/**
 * Several outputs are several movements; the fee is that of the first. All transactions of a
 * transfer are one movement.
 */
function transferOutgoing(terms: Terms, chain: Chain): Outgoing[] {
  const [transaction] = chain
  const { source, destinations = [], createdBy, destination } = transaction
  const { id, assetId } = identityOf(transaction)
  const several = destinations.length > 1
  const standing = standingOf(chain)
  const report = reportOf(terms, standing)
  const left =
    report.transaction_hash !== null &&
    report.state !== 'FAILED' &&
    report.state !== 'CANCELED' &&
    fateOf(standing.shown) !== 'MAYBE'
  return outputsIn(transaction).map(({ peer, amount }, output): Outgoing => {
    const quantity = quantityOf(id, amount)
    const { foreign_id } = report
    return {
      kind: 'TRANSFER',
      ...(several ? { foreign_id: `${foreign_id}:${output}`, output } : { foreign_id }),
      external_id: transaction.externalTxId || null,
      state: report.state,
      sub_state: report.sub_state,
      left,
      wallet: source?.id ?? null,
      asset: terms.byNative(assetId)?.asset ?? assetId,
      protocol: terms.byNative(assetId)?.protocol ?? assetId,
      quantity,
      fee: output === 0 ? report.fee : ZERO,
      fee_asset: report.fee_asset,
      transaction_hash: report.transaction_hash,
      former: standing.former,
      ...(report.not_credited === true && { not_credited: true as const }),
      ...(createdBy === GAS_STATION &&
        destination?.type === 'VAULT_ACCOUNT' && { to_wallet: destination.id ?? null }),
      // The vault names the address of one output only.
      destination_address: several ? null : transaction.destinationAddress || null,
      tag: several ? null : transaction.destinationTag || null,
      reference_text: transaction.note || null,
      recipient_name: peer?.name || null,
      occurred_at: transaction.createdAt ?? 0,
    }
  })
}

/**
 * A child is charged for its parent. What else goes from an account to itself is a charge of its
 * own. No source shows how the vault marks a child that its own desk makes: by the outputs that it
 * was told to spend is assumed.
 */
async function referenceOfParent(
  client: Fireblocks,
  child: TransactionResponse,
): Promise<string | null> {
  let reference: string | null = null
  for (const hash of spentHashes(child))
    reference ??= (await sentAs(client, hash, child.source?.id))?.externalTxId || null
  return reference
}

function feeOnly(terms: Terms, child: TransactionResponse, external_id: string | null): Outgoing[] {
  const { feeInfo, source } = child
  if (fateOf(child) !== 'CONFIRMED') return []
  const { id, assetId } = identityOf(child)
  const native = child.feeCurrency || assetId
  const quantity = tryDecimal(feeInfo?.networkFee ?? '')
  if (quantity === undefined) throw unreadable(`the fee of transaction ${id} cannot be read`)
  if (quantity <= ZERO) return []
  const asset = nameOf(terms, native) ?? native
  return [
    {
      kind: 'CHARGE',
      foreign_id: id,
      external_id,
      state: 'SUCCESS',
      sub_state: `${child.status}/${child.subStatus ?? ''}`,
      left: true,
      wallet: source?.id ?? null,
      asset,
      protocol: terms.byNative(native)?.protocol ?? native,
      quantity,
      fee: null,
      fee_asset: null,
      transaction_hash: child.txHash || null,
      destination_address: null,
      tag: null,
      reference_text: child.note || null,
      recipient_name: null,
      occurred_at: child.createdAt ?? 0,
    },
  ]
}
