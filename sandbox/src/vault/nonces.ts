/**
 * The numbers of transactions, where a chain has them, which of those with one number is in a
 * block, and what comes back of the others.
 */
import { amount } from '../amount.ts'
import { coinOf, COINS } from '../chain/protocols.ts'
import { NOTHING, payerOf, spendingOf } from '../chain/spending.ts'
import type { Spending } from '../chain/spending.ts'
import type { Chain } from '../part.ts'
import type { Transaction } from './transaction-row.ts'
import type { TransactionTable } from './transaction-table.ts'

export const ON_THE_CHAIN = ['BROADCASTING', 'CONFIRMING']

export const spentBy = (row: Pick<Transaction, 'asset' | 'amount' | 'network_fee'>): Spending =>
  spendingOf({ ...row, fee: row.network_fee })

export const lockedBy = (row: Pick<Transaction, 'asset' | 'locked' | 'locked_fee'>): Spending =>
  new Map([
    [payerOf(row.asset), amount(row.locked_fee)],
    [row.asset, amount(row.locked)],
  ])

export const isBroadcast = ({ tx_hash }: Transaction): boolean => tx_hash !== ''

export const protocolNameOf = (asset: string): string => coinOf(asset).protocol.protocol

/** What moves on the same chain as this: its transactions are numbered together. */
const assetsBeside = (asset: string): string[] =>
  COINS.filter(({ protocol }) => protocol === coinOf(asset).protocol).map((coin) => coin.asset)

const replacedBy = (
  table: TransactionTable,
  { replaced_hash = null }: Partial<Pick<Transaction, 'replaced_hash'>>,
): Transaction | undefined =>
  replaced_hash === null ? undefined : table.byHash(replaced_hash, 'OUTGOING')[0]

/** What comes back to the account when another transaction is replaced by this one. */
export function returnedBy(
  table: TransactionTable,
  row: Partial<Pick<Transaction, 'replaced_hash'>>,
): Spending {
  const replaced = replacedBy(table, row)
  return replaced !== undefined && isOnTheChain(replaced) ? spentBy(replaced) : NOTHING
}

const isOnTheChain = ({ status }: Transaction): boolean => ON_THE_CHAIN.includes(status)

/** The number of a transaction, and what comes back from the one whose number it takes. */
export function takeNonce(
  table: TransactionTable,
  chain: Chain,
  row: Transaction,
): { nonce: number | null; returned: Spending } | 'taken' {
  if (!coinOf(row.asset).protocol.nonces) return { nonce: null, returned: NOTHING }
  const next = table.nextNonce(row.source_id ?? '', assetsBeside(row.asset))
  const replaced = replacedBy(table, row)
  if (replaced === undefined) return { nonce: next, returned: NOTHING }
  const returned = returnedBy(table, row)
  const free = isOnTheChain(replaced)
    ? chain.drop(replaced.tx_hash)
    : next <= (replaced.nonce ?? next)
  return free ? { nonce: replaced.nonce, returned } : 'taken'
}

/** It, or one that took its place. */
export const isInBlock = (
  table: TransactionTable,
  chain: Chain,
  { tx_hash }: Transaction,
): boolean =>
  (chain.transaction(tx_hash)?.confirmations ?? 0) > 0 ||
  table.replacementsOf(tx_hash).some((row) => isBroadcast(row) && isInBlock(table, chain, row))
