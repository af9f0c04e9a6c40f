/**
 * Transactions of the vault, outgoing and incoming. An outgoing one locks amount and fee when it
 * is accepted, goes SUBMITTED → PENDING_SIGNATURE → BROADCASTING (now the coins leave) →
 * CONFIRMING → COMPLETED. One without enough funds is accepted and then FAILED, as at the real
 * vault. Coins from outside appear CONFIRMING and become COMPLETED.
 *
 * Fault, venue `fireblocks`, operation `broadcast`: REFUSE fails the next transaction instead of
 * broadcasting it.
 */
import { randomUUID } from 'node:crypto'
import { amount, plain } from '../amount.ts'
import { PROTOCOLS } from '../chain/protocols.ts'
import type { Chain, CoinTransfer } from '../part.ts'
import type { World } from '../world.ts'
import { PART } from './accounts.ts'
import type { Accounts } from './accounts.ts'
import { openTransactionTable } from './transaction-table.ts'
import type { Transaction, TransactionTable } from './transaction-table.ts'

export type NewTransaction = Pick<
  Transaction,
  | 'external_tx_id'
  | 'customer_ref_id'
  | 'note'
  | 'asset'
  | 'amount'
  | 'network_fee'
  | 'destination_type'
  | 'destination_id'
  | 'destination_name'
  | 'destination_address'
  | 'tag'
  | 'outputs'
> & { account_id: number }

export type Transactions = {
  create(request: NewTransaction): Transaction
  byId: TransactionTable['byId']
  byExternalId: TransactionTable['byExternalId']
  list: TransactionTable['list']
  /**
   * By hand, before it is broadcast: holds it for authorization, releases it, or ends it. False
   * when it is too late.
   */
  decide(id: string, action: Action): boolean
}

export type Action = 'hold' | 'release' | 'REJECTED' | 'BLOCKED' | 'CANCELLED' | 'FAILED'

const STEPS: Record<string, { next: string; after_ms: number }> = {
  SUBMITTED: { next: 'PENDING_SIGNATURE', after_ms: 500 },
  PENDING_SIGNATURE: { next: 'BROADCASTING', after_ms: 1_000 },
  BROADCASTING: { next: 'CONFIRMING', after_ms: 500 },
}
const SUB_STATUS: Record<string, string> = {
  CONFIRMING: 'PENDING_BLOCKCHAIN_CONFIRMATIONS',
  COMPLETED: 'CONFIRMED',
  REJECTED: 'REJECTED_BY_USER',
  BLOCKED: 'BLOCKED_BY_POLICY',
  CANCELLED: 'CANCELLED_BY_USER',
  FAILED: 'INTERNAL_ERROR',
}
const NOT_YET_SENT = ['SUBMITTED', 'PENDING_AUTHORIZATION', 'PENDING_SIGNATURE']

type OnChange = (transaction: Transaction, created: boolean) => void
type ArrivalState = 'PENDING' | 'FINAL' | 'FAILED'

class VaultTransactions {
  readonly #world: World
  readonly #chain: Chain
  readonly #accounts: Accounts
  readonly #table: TransactionTable
  readonly #changed: OnChange

  constructor(
    world: World,
    { chain, accounts, table }: { chain: Chain; accounts: Accounts; table: TransactionTable },
    changed: OnChange,
  ) {
    this.#world = world
    this.#chain = chain
    this.#accounts = accounts
    this.#table = table
    this.#changed = changed
  }

  create({ account_id, ...request }: NewTransaction): Transaction {
    const { asset } = request
    const wallet = this.#accounts.wallet(account_id, asset)
    if (wallet === undefined) throw new Error(`vault account ${account_id} has no ${asset}`)
    const now = this.#world.now()
    const needed = amount(request.amount) + amount(request.network_fee)
    const enough = this.#accounts.free(wallet) >= needed
    if (enough) this.#accounts.change(account_id, asset, { locked: needed })
    const row = this.#add({
      ...request,
      id: randomUUID(),
      amount: plain(amount(request.amount)),
      incoming: 0,
      source_type: 'VAULT_ACCOUNT',
      source_id: String(account_id),
      source_address: wallet.address,
      status: 'SUBMITTED',
      sub_status: '',
      tx_hash: '',
      output_index: null,
      confirmations: 0,
      created_at: now,
      last_updated: now,
      next_at: now + (STEPS['SUBMITTED']?.after_ms ?? 0),
    })
    if (!enough) this.#save(row, { status: 'FAILED', sub_status: 'INSUFFICIENT_FUNDS' })
    return row
  }

  decide(id: string, action: Action): boolean {
    const row = this.#table.byId(id)
    if (row === undefined || row.incoming === 1 || !NOT_YET_SENT.includes(row.status)) return false
    if (action === 'hold') this.#save(row, { status: 'PENDING_AUTHORIZATION' })
    else if (action === 'release')
      this.#save(row, { status: 'SUBMITTED', next_at: this.#world.now() })
    else this.#end(row, action, SUB_STATUS[action] ?? '')
    return true
  }

  /** Takes the next step of every outgoing transaction that is due. */
  advanceDue(now: number): void {
    const due = this.#table.due(now)
    if (due.length === 0) return
    this.#world.commit(() => {
      for (const row of due) this.#advance(row, now)
    })
  }

  /** Coins that reach one of the vault's addresses. */
  arrive(transfer: CoinTransfer, locator: string, state: ArrivalState): void {
    const [account_id = '', asset = ''] = locator.split('/')
    if (state === 'FINAL')
      this.#accounts.change(Number(account_id), asset, { total: amount(transfer.quantity) })
    if (this.#isInternal(transfer)) return
    const status = { PENDING: 'CONFIRMING', FINAL: 'COMPLETED', FAILED: 'FAILED' }[state]
    const sub_status = state === 'FAILED' ? 'DROPPED_BY_BLOCKCHAIN' : (SUB_STATUS[status] ?? '')
    const known = this.#table
      .byHash(transfer.transaction_hash, 'INCOMING')
      .find((transaction) => transaction.output_index === transfer.output_index)
    if (known !== undefined) {
      this.#save(known, { status, sub_status, confirmations: transfer.confirmations })
      return
    }
    this.#add({ ...this.#incoming(transfer, account_id, asset), status, sub_status })
  }

  /** Between two accounts of the vault there is one transaction, the outgoing one. */
  #isInternal(transfer: CoinTransfer): boolean {
    const [own] = this.#table.byHash(transfer.transaction_hash, 'OUTGOING')
    const output = own?.outputs?.find(
      (candidate) =>
        candidate.destination_address === transfer.to_address &&
        candidate.amount === transfer.quantity,
    )
    return (output ?? own)?.destination_type === 'VAULT_ACCOUNT'
  }

  #incoming(
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
      destination_name: this.#accounts.account(account_id)?.name ?? '',
      destination_address: transfer.to_address,
      tag: transfer.tag,
      outputs: null,
      tx_hash: transfer.transaction_hash,
      output_index: transfer.output_index,
      confirmations: transfer.confirmations,
      created_at: this.#world.now(),
      last_updated: this.#world.now(),
      next_at: 0,
    }
  }

  #add(row: Transaction): Transaction {
    this.#table.insert(row)
    this.#changed(row, true)
    return row
  }

  #save(before: Transaction, change: Partial<Transaction>): void {
    const row = { ...before, ...change, last_updated: this.#world.now() }
    this.#table.update(row)
    this.#changed(row, false)
  }

  #advance(row: Transaction, now: number): void {
    const step = STEPS[row.status]
    if (step === undefined) return this.#confirm(row)
    const next_at = now + (STEPS[step.next]?.after_ms ?? 0)
    if (step.next === 'BROADCASTING') return this.#broadcast(row, next_at)
    this.#save(row, { status: step.next, sub_status: SUB_STATUS[step.next] ?? '', next_at })
  }

  #broadcast(row: Transaction, next_at: number): void {
    if (this.#world.faults.takeNamed('fireblocks', 'broadcast')?.kind === 'REFUSE')
      return this.#end(row, 'FAILED', 'REJECTED_BY_BLOCKCHAIN')
    const sum = amount(row.amount) + amount(row.network_fee)
    this.#accounts.change(Number(row.source_id), row.asset, { total: -sum, locked: -sum })
    const { transaction_hash } = this.#chain.sendMany({
      asset: row.asset,
      protocol: protocolNameOf(row.asset),
      from_address: row.source_address,
      fee: row.network_fee,
      outputs: (row.outputs ?? [row]).map((output) => ({
        to_address: output.destination_address,
        tag: output.tag,
        quantity: output.amount,
      })),
    })
    this.#save(row, { status: 'BROADCASTING', tx_hash: transaction_hash, next_at })
  }

  #confirm(row: Transaction): void {
    const seen = this.#chain.transaction(row.tx_hash)
    if (seen?.state === 'FAILED') {
      this.#accounts.change(Number(row.source_id), row.asset, { total: amount(row.amount) })
      this.#save(row, { status: 'FAILED', sub_status: 'DROPPED_BY_BLOCKCHAIN' })
    } else if (seen?.state === 'FINAL') {
      const { confirmations } = seen
      this.#save(row, { status: 'COMPLETED', sub_status: 'CONFIRMED', confirmations })
    } else if (seen !== undefined && seen.confirmations !== row.confirmations)
      this.#save(row, { confirmations: seen.confirmations })
  }

  /** Ends an outgoing transaction whose coins have not left. */
  #end(row: Transaction, status: string, sub_status: string): void {
    const sum = amount(row.amount) + amount(row.network_fee)
    this.#accounts.change(Number(row.source_id), row.asset, { locked: -sum })
    this.#save(row, { status, sub_status })
  }
}

function protocolNameOf(asset: string): string {
  return PROTOCOLS.find((protocol) => protocol.asset === asset)?.protocol ?? asset
}

export function openTransactions(
  world: World,
  chain: Chain,
  accounts: Accounts,
  changed: OnChange,
): Transactions {
  const table = openTransactionTable(world.db)
  const transactions = new VaultTransactions(world, { chain, accounts, table }, changed)
  world.onTick((now) => {
    transactions.advanceDue(now)
  })
  chain.onArrival(PART, (transfer, locator, state) => {
    transactions.arrive(transfer, locator, state)
  })
  return {
    create: (request) => transactions.create(request),
    decide: (id, action) => transactions.decide(id, action),
    byId: table.byId,
    byExternalId: table.byExternalId,
    list: table.list,
  }
}
