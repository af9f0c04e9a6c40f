/**
 * Coins that reach one of the vault's addresses: CONFIRMING, then COMPLETED. What screening keeps,
 * or a person freezes, is REJECTED (support.fireblocks.io, article 26791624532124) though it is
 * there; it cannot be spent until it is unfrozen. With which word it goes on then is not
 * documented: here it is COMPLETED again. The source of fuel from the older gas station, 1.0, is
 * GAS_STATION (article 11602800877596): its coins lie outside the vault.
 */
import { randomUUID } from 'node:crypto'
import { amount } from '../amount.ts'
import { coinOf } from '../chain/protocols.ts'
import type { Chain, CoinTransfer } from '../part.ts'
import type { World } from '../world.ts'
import type { VaultWallet } from './account-table.ts'
import { PART } from './accounts.ts'
import type { Accounts } from './accounts.ts'
import type { Journal } from './journal.ts'
import type { Transaction } from './transaction-row.ts'
import type { TransactionTable } from './transaction-table.ts'

const FROZEN = ['AUTO_FREEZE', 'FROZEN_MANUALLY']

type ArrivalState = 'PENDING' | 'FINAL' | 'FAILED'
type Parts = {
  world: World
  chain: Chain
  accounts: Accounts
  table: TransactionTable
  journal: Journal
}

export type Incoming = {
  /** False for what did not come in, or is frozen, or free, already. */
  freeze(row: Transaction): boolean
  unfreeze(row: Transaction): boolean
  /** From the older gas station to a vault account. */
  fuel(to: VaultWallet, quantity: string): Transaction
}

export function openIncoming(parts: Parts): Incoming {
  parts.chain.onArrival(PART, (transfer, locator, state) => {
    arrive(parts, transfer, locator, state)
  })
  return {
    freeze(row) {
      if (row.incoming === 0 || row.status !== 'COMPLETED') return false
      changeFrozen(parts, row, amount(row.amount))
      parts.journal.save(row, { status: 'REJECTED', sub_status: 'FROZEN_MANUALLY' })
      return true
    },
    unfreeze(row) {
      if (row.incoming === 0 || !FROZEN.includes(row.sub_status)) return false
      changeFrozen(parts, row, -amount(row.amount))
      parts.journal.save(row, { status: 'COMPLETED', sub_status: 'CONFIRMED' })
      return true
    },
    fuel: (to, quantity) => fuel(parts, to, quantity),
  }
}

/** The row is known before the chain reports its coins. */
function fuel(parts: Parts, { account_id, asset, address }: VaultWallet, quantity: string) {
  const { chain, journal } = parts
  const { protocol } = coinOf(asset).protocol
  const sent = {
    asset,
    protocol,
    from_address: chain.newAddress(protocol, { part: 'outside', locator: 'gas-station' }),
    to_address: address,
    tag: null,
    quantity,
  }
  const { fee } = chain.fee(protocol, 'MEDIUM')
  const { transaction_hash } = chain.send({ ...sent, fee })
  const transfer = {
    ...sent,
    transaction_hash,
    output_index: 0,
    confirmations: 0,
    required_confirmations: 0,
  }
  return journal.add({
    ...incomingRow(parts, transfer, String(account_id), asset),
    ...wordsOf(parts, 'PENDING'),
    source_type: 'GAS_STATION',
  })
}

const changeFrozen = (
  { accounts }: Parts,
  { destination_id, asset }: Pick<Transaction, 'destination_id' | 'asset'>,
  frozen: bigint,
): void => accounts.change(Number(destination_id), asset, { frozen })

function arrive(parts: Parts, transfer: CoinTransfer, locator: string, state: ArrivalState): void {
  const { accounts, table, journal } = parts
  const [account_id = ''] = locator.split('/')
  // A token comes to the address of the chain's coin.
  const { asset } = transfer
  accounts.createWallet(Number(account_id), asset)
  if (state === 'FINAL')
    accounts.change(Number(account_id), asset, { total: amount(transfer.quantity) })
  if (isInternal(table, transfer)) return
  const words = wordsOf(parts, state)
  if (words.sub_status === 'AUTO_FREEZE')
    changeFrozen(parts, { destination_id: account_id, asset }, amount(transfer.quantity))
  const known = table
    .byHash(transfer.transaction_hash, 'INCOMING')
    .find((transaction) => transaction.output_index === transfer.output_index)
  if (known !== undefined) journal.save(known, { ...words, confirmations: transfer.confirmations })
  else journal.add({ ...incomingRow(parts, transfer, account_id, asset), ...words })
}

function wordsOf(
  { world }: Parts,
  state: ArrivalState,
): Pick<Transaction, 'status' | 'sub_status'> {
  if (state === 'FAILED') return { status: 'FAILED', sub_status: 'DROPPED_BY_BLOCKCHAIN' }
  if (state === 'PENDING')
    return { status: 'CONFIRMING', sub_status: 'PENDING_BLOCKCHAIN_CONFIRMATIONS' }
  return world.faults.takeNamed('fireblocks', 'screening')?.kind === 'REFUSE'
    ? { status: 'REJECTED', sub_status: 'AUTO_FREEZE' }
    : { status: 'COMPLETED', sub_status: 'CONFIRMED' }
}

/** Between two accounts of the vault there is one transaction, the outgoing one. */
function isInternal(table: TransactionTable, transfer: CoinTransfer): boolean {
  const [own] = table.byHash(transfer.transaction_hash, 'OUTGOING')
  const output = own?.outputs?.find(
    (candidate) =>
      candidate.destination_address === transfer.to_address &&
      candidate.amount === transfer.quantity,
  )
  return (output ?? own)?.destination_type === 'VAULT_ACCOUNT'
}

function incomingRow(
  { world, accounts }: Parts,
  transfer: CoinTransfer,
  account_id: string,
  asset: string,
): Omit<Transaction, 'status' | 'sub_status'> {
  return {
    id: randomUUID(),
    external_tx_id: null,
    customer_ref_id: null,
    note: null,
    incoming: 1,
    asset,
    amount: transfer.quantity,
    network_fee: '0',
    source_type: 'UNKNOWN',
    source_id: null,
    source_address: transfer.from_address,
    destination_type: 'VAULT_ACCOUNT',
    destination_id: account_id,
    destination_name: accounts.account(account_id)?.name ?? '',
    destination_address: transfer.to_address,
    tag: transfer.tag,
    outputs: null,
    tx_hash: transfer.transaction_hash,
    output_index: transfer.output_index,
    confirmations: transfer.confirmations,
    nonce: null,
    replaced_hash: null,
    spent_hash: null,
    locked: '0',
    locked_fee: '0',
    created_by: '',
    third_party: null,
    created_at: world.now(),
    last_updated: world.now(),
    next_at: 0,
  }
}
