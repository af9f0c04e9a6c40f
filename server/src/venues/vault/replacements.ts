/**
 * The transactions of one transfer. A boost of an Ethereum transaction is a new one with the same
 * nonce, which names the hash of the one whose place it takes; so is a drop, which pays nothing.
 * One of them confirms at most. (A boost of Bitcoin is a child: see outgoing.ts.)
 *
 * The OpenAPI description calls the field `replacedTxByHash`, the SDK `replacedTxHash`.
 */
import type { Fireblocks, TransactionResponse } from '@fireblocks/ts-sdk'
import { tryDecimal } from '../../core/decimal.ts'
import type { FormerTransaction, TransferState } from '../contract.ts'
import { sameAddress } from './assets.ts'
import { ask, readOf } from './client.ts'
import { fateOf, transferState } from './states.ts'

const MOST_REPLACEMENTS = 20
/** How many of the transactions after a stuck one are looked through for what took its place. */
const LOOKED_THROUGH = 500

/** The transaction that the client asked for, and those made in its place, oldest first. */
export type Chain = readonly [TransactionResponse, ...TransactionResponse[]]

/** What the transactions of a transfer say together. */
export type Standing = {
  /** The one that stands for the transfer. */
  shown: TransactionResponse
  state: TransferState
  reason: string | null
  former: FormerTransaction[]
}

export function replacedHash(transaction: TransactionResponse): string | undefined {
  const { replacedTxByHash } = transaction as { replacedTxByHash?: string }
  return replacedTxByHash || transaction.replacedTxHash || undefined
}

/** The transfer that this transaction belongs to, as far as the vault knows what it replaced. */
export async function chainOf(client: Fireblocks, last: TransactionResponse): Promise<Chain> {
  const chain = [last]
  for (let hash = replacedHash(last); hash !== undefined && chain.length < MOST_REPLACEMENTS;) {
    const replaced = await sentAs(client, hash, last.source?.id)
    if (replaced === undefined || chain.some(({ id }) => id === replaced.id)) return [last]
    chain.unshift(replaced)
    hash = replacedHash(replaced)
  }
  const [root = last, ...replacements] = chain
  return isReplacementOf(root, last)
    ? [root, ...replacements.filter((replacement) => isReplacementOf(root, replacement))]
    : [last]
}

/** The transaction that a vault account sent under this hash. */
export async function sentAs(
  client: Fireblocks,
  txHash: string,
  source_id: string | null | undefined,
): Promise<TransactionResponse | undefined> {
  const found = readOf(await ask(() => client.transactions.getTransactions({ after: '1', txHash })))
  return found.find(({ source }) => source?.type === 'VAULT_ACCOUNT' && source.id === source_id)
}

/** It pays the same, or nothing. Another payment with this nonce is one of its own. */
function isReplacementOf(root: TransactionResponse, other: TransactionResponse): boolean {
  if (other === root || paysNothing(other)) return true
  const [one, two] = [root.destinationAddress, other.destinationAddress]
  const samePlace =
    one && two
      ? sameAddress(one, two)
      : root.destination?.id !== undefined &&
        root.destination.type === other.destination?.type &&
        root.destination.id === other.destination?.id
  return (
    samePlace &&
    root.assetId === other.assetId &&
    quantityOf(root) === quantityOf(other) &&
    (root.destinationTag || '') === (other.destinationTag || '')
  )
}

const quantityOf = ({ amountInfo }: TransactionResponse) =>
  tryDecimal(amountInfo?.netAmount ?? amountInfo?.amount ?? '')

const paysNothing = (transaction: TransactionResponse): boolean => quantityOf(transaction) === 0n

/**
 * Adds what took the place of a transaction that has failed after it was sent, and says whether
 * another payment did.
 */
export async function lookAfter(
  client: Fireblocks,
  chain: Chain,
): Promise<{ chain: Chain; spentElsewhere: boolean }> {
  const [root, ...known] = chain
  const later = readOf(
    await ask(() =>
      client.transactions.getTransactions({
        after: String(Math.max(1, (root.createdAt ?? 1) - 1)),
        orderBy: 'createdAt',
        sort: 'ASC',
        limit: LOOKED_THROUGH,
        sourceType: 'VAULT_ACCOUNT',
        sourceId: root.source?.id ?? '',
      }),
    ),
  )
  const replacements = [...known]
  const hashes = () => [root, ...replacements].map(({ txHash }) => txHash)
  let spentElsewhere = false
  for (const transaction of later) {
    if ([root, ...replacements].some(({ id }) => id === transaction.id)) continue
    const hash = replacedHash(transaction)
    const names = hash !== undefined && hashes().includes(hash)
    if (names && isReplacementOf(root, transaction)) replacements.push(transaction)
    else if (names || sharesNonce(root, transaction)) spentElsewhere ||= isInBlock(transaction)
  }
  return { chain: [root, ...replacements], spentElsewhere }
}

/** Numbers count per account and chain; the coin that pays the fee tells the chain. */
const sharesNonce = (one: TransactionResponse, other: TransactionResponse): boolean =>
  Boolean(one.nonce) && one.nonce === other.nonce && one.feeCurrency === other.feeCurrency

const isInBlock = (transaction: TransactionResponse): boolean =>
  ['CONFIRMED', 'NOT_CREDITED', 'REVERTED'].includes(fateOf(transaction))

/** Whether none of them has confirmed or goes on, and one of them may confirm yet. */
export const isOpen = (chain: Chain): boolean =>
  chain.some((transaction) => fateOf(transaction) === 'MAYBE') && !chain.some(isInBlock)

/**
 * A confirmed one decides. Else the newest that goes on; else it is UNKNOWN until the nonce is
 * spent by another payment.
 */
export function standingOf(chain: Chain, spentElsewhere = false): Standing {
  const [root] = chain
  const sent = chain.filter((transaction) => fateOf(transaction) !== 'NEVER_SENT')
  const done = chain.filter(isInBlock)
  const [only] = done
  const newest = sent.findLast(({ txHash }) => Boolean(txHash)) ?? root
  const standing = (shown: TransactionResponse, state: TransferState, reason: string | null) => ({
    shown,
    state,
    reason: shown.errorDescription || reason,
    former: formerOf(chain, shown),
  })
  // No source says that it can happen: a person looks.
  if (done.length > 1)
    return standing(newest, 'UNKNOWN', 'the vault reports several transactions of one nonce')
  if (only !== undefined)
    return paysNothing(only) && only !== root
      ? standing(only, 'CANCELED', 'dropped by a payment of nothing')
      : standing(only, transferState(only), reasonOf(only))
  const live = chain.findLast((transaction) => fateOf(transaction) === 'LIVE')
  if (live !== undefined) return standing(newest, transferState(live), null)
  if (sent.length === 0) return standing(root, transferState(root), null)
  return spentElsewhere
    ? standing(newest, 'FAILED', 'another payment has its nonce')
    : standing(newest, 'UNKNOWN', reasonOf(newest))
}

function reasonOf(transaction: TransactionResponse): string | null {
  const fate = fateOf(transaction)
  if (fate === 'NOT_CREDITED') return 'it has left, and the exchange it went to did not take it'
  return fate === 'MAYBE' ? 'it failed after it was sent, and may confirm yet' : null
}

const formerOf = (chain: Chain, shown: TransactionResponse): FormerTransaction[] =>
  chain.flatMap(({ id, txHash }) =>
    id !== undefined && id !== shown.id && txHash
      ? [{ foreign_id: id, transaction_hash: txHash }]
      : [],
  )
