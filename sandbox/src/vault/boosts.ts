/**
 * Transactions that a person, or the vault itself, makes beside the client's:
 *
 *   boost  of a numbered chain: the same payment again, with the same nonce and a fee at least
 *          15% higher (support.fireblocks.io, article 360018600160); of a token too, with a fee in
 *          the chain's coin
 *          of Bitcoin: a child that spends the parent's change back to its own account and pays
 *          for both (developers.fireblocks.com/docs/child-pays-for-parent-cpfp)
 *   drop   nothing to the sender itself with the same nonce (.../docs/boost-transactions-1). That
 *          it is nothing of the chain's coin where a token is dropped is assumed
 *   fuel   from the vault account that is the gas station to another one, `createdBy`
 *          gas-station (support.fireblocks.io, article 11602800877596). That of the older kind has
 *          no account here: incoming.ts
 */
import { amount, plain, raise, times } from '../amount.ts'
import { coinOf, gasOf } from '../chain/protocols.ts'
import { payerOf } from '../chain/spending.ts'
import type { Chain } from '../part.ts'
import type { VaultWallet } from './account-table.ts'
import type { Accounts } from './accounts.ts'
import { ON_THE_CHAIN } from './nonces.ts'
import type { Transaction } from './transaction-row.ts'
import type { TransactionTable } from './transaction-table.ts'
import type { NewTransaction } from './transactions.ts'

const LEAST_RAISE = amount('1.15')
/** What the child brings back to its own account. */
const CHILD_AMOUNT = '0.0001'

const MADE_HERE = { external_tx_id: null, customer_ref_id: null, tag: null, outputs: null }

export type Boosts = {
  /** Undefined when it is in a block, or not of this chain. `paying` makes it another payment. */
  boost(id: string, paying?: string): Transaction | undefined
  drop(id: string): Transaction | undefined
  /** What the gas station sends to another vault account. */
  fuel(from: number, to: number): Transaction
}

type Parts = {
  chain: Chain
  accounts: Accounts
  table: TransactionTable
  create: (request: NewTransaction) => Transaction
}

export function openBoosts({ chain, accounts, table, create }: Parts): Boosts {
  const walletOf = (account_id: number | string, asset: string): VaultWallet => {
    const wallet = accounts.wallet(account_id, asset)
    if (wallet === undefined) throw new Error(`vault account ${account_id} has no ${asset}`)
    return wallet
  }
  const made = (id: string, requestOf: (row: Transaction) => NewTransaction | undefined) => {
    const row = table.byId(id)
    if (row === undefined || !isStuck(row)) return undefined
    const request = requestOf(row)
    return request && create(request)
  }
  return {
    boost: (id, paying) =>
      made(id, (row) =>
        boostOf(row, { chain, wallet: walletOf(row.source_id ?? '', row.asset) }, paying),
      ),
    drop: (id) => made(id, (row) => dropOf(row, walletOf(row.source_id ?? '', payerOf(row.asset)))),
    fuel: (from, to) => create(fuelOf(walletOf(from, 'ETH'), walletOf(to, 'ETH'), chain)),
  }
}

/** Broadcast, and in no block; also one that the chain has dropped. */
const isStuck = ({ incoming, confirmations, status, sub_status }: Transaction): boolean =>
  incoming === 0 &&
  confirmations === 0 &&
  (ON_THE_CHAIN.includes(status) || sub_status === 'DROPPED_BY_BLOCKCHAIN')

function boostOf(
  row: Transaction,
  { chain, wallet }: { chain: Chain; wallet: VaultWallet },
  paying: string = row.amount,
): NewTransaction | undefined {
  const { protocol } = coinOf(row.asset)
  if (protocol.many_outputs) return childOf(row, chain, wallet)
  if (!protocol.nonces) return undefined
  const { destination_type, destination_id, destination_name, destination_address, tag } = row
  return {
    ...MADE_HERE,
    account_id: wallet.account_id,
    asset: row.asset,
    note: row.note,
    amount: paying,
    network_fee: raisedFee(row, row.asset),
    destination_type,
    destination_id,
    destination_name,
    destination_address,
    tag,
    replaced_hash: row.tx_hash,
  }
}

function dropOf(row: Transaction, wallet: VaultWallet): NewTransaction | undefined {
  if (!coinOf(row.asset).protocol.nonces) return undefined
  return {
    ...MADE_HERE,
    ...toItself(wallet),
    asset: wallet.asset,
    note: null,
    amount: '0',
    network_fee: raisedFee(row, wallet.asset),
    replaced_hash: row.tx_hash,
  }
}

function childOf(row: Transaction, chain: Chain, wallet: VaultWallet): NewTransaction {
  return {
    ...MADE_HERE,
    ...toItself(wallet),
    asset: row.asset,
    note: null,
    amount: CHILD_AMOUNT,
    network_fee: plain(amount(chain.fee(row.asset, 'HIGH').fee) * 2n),
    spent_hash: row.tx_hash,
  }
}

/** As much as `gasCap` is by default (GasStationConfiguration). */
export const FUEL = '0.01'

function fuelOf(from: VaultWallet, to: VaultWallet, chain: Chain): NewTransaction {
  return {
    ...MADE_HERE,
    ...toItself(to),
    account_id: from.account_id,
    asset: to.asset,
    note: 'Gas Tank auto-fuel',
    amount: FUEL,
    network_fee: chain.fee('ETH', 'MEDIUM').fee,
    created_by: 'gas-station',
  }
}

const toItself = ({ account_id, address }: VaultWallet) => ({
  account_id,
  destination_type: 'VAULT_ACCOUNT' as const,
  destination_id: String(account_id),
  destination_name: 'Vault account',
  destination_address: address,
})

/** The price of gas is raised; nothing of the coin needs less gas than a token. */
function raisedFee({ network_fee, asset }: Transaction, instead: string): string {
  const [from, to] = [coinOf(asset), coinOf(instead)]
  const sameGas = times(amount(network_fee), LEAST_RAISE)
  return plain(raise((sameGas * gasOf(to)) / gasOf(from), to.protocol.fee_decimals))
}
