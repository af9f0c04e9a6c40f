/**
 * Transactions that leave the vault (incoming.ts has the others). One locks amount and fee when it
 * is accepted, goes SUBMITTED → PENDING_SIGNATURE → BROADCASTING (now the coins leave) →
 * CONFIRMING → COMPLETED. One without enough funds is accepted and then FAILED, as at the real
 * vault.
 *
 * Faults, venue `fireblocks`: operation `broadcast`, REFUSE fails the next transaction instead of
 * broadcasting it; operation `screening`, REFUSE freezes the next coins that come in.
 */
import { randomUUID } from 'node:crypto'
import { amount, plain } from '../amount.ts'
import { beyond, payerOf } from '../chain/spending.ts'
import type { Spending } from '../chain/spending.ts'
import type { Chain } from '../part.ts'
import type { World } from '../world.ts'
import type { VaultWallet } from './account-table.ts'
import type { Accounts } from './accounts.ts'
import { FUEL, openBoosts } from './boosts.ts'
import type { Boosts } from './boosts.ts'
import { openIncoming } from './incoming.ts'
import type { Incoming } from './incoming.ts'
import { openJournal } from './journal.ts'
import type { Journal, OnChange } from './journal.ts'
import {
  isBroadcast,
  isInBlock,
  lockedBy,
  ON_THE_CHAIN,
  protocolNameOf,
  returnedBy,
  spentBy,
  takeNonce,
} from './nonces.ts'
import type { Transaction } from './transaction-row.ts'
import { openTransactionTable } from './transaction-table.ts'
import type { TransactionTable } from './transaction-table.ts'

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
> &
  Partial<Pick<Transaction, 'replaced_hash' | 'spent_hash' | 'created_by'>> & { account_id: number }

export type Transactions = Boosts & {
  /** What the older gas station, which is no vault account, sends to one. */
  fuelFromOutside(to: number): Transaction
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

export const ACTIONS = [
  'hold',
  'release',
  'REJECTED',
  'BLOCKED',
  'CANCELLED',
  'FAILED',
  'freeze',
  'unfreeze',
  '3RD_PARTY_FAILED',
  '3RD_PARTY_REJECTED',
] as const
export type Action = (typeof ACTIONS)[number]

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

class VaultTransactions {
  readonly #world: World
  readonly #chain: Chain
  readonly #accounts: Accounts
  readonly #table: TransactionTable
  readonly #journal: Journal
  readonly #incoming: Incoming

  constructor(
    world: World,
    { chain, accounts, table }: { chain: Chain; accounts: Accounts; table: TransactionTable },
    { journal, incoming }: { journal: Journal; incoming: Incoming },
  ) {
    this.#world = world
    this.#chain = chain
    this.#accounts = accounts
    this.#table = table
    this.#journal = journal
    this.#incoming = incoming
  }

  create({ account_id, ...request }: NewTransaction): Transaction {
    const { asset } = request
    const wallet = mustHold(this.#accounts, account_id, asset)
    const now = this.#world.now()
    const payer = payerOf(asset)
    const needed = beyond(spentBy(request), returnedBy(this.#table, request))
    const lacks = this.#lacks(wallet, needed)
    if (lacks === undefined) this.#change(account_id, 'locked', 1n, needed)
    const lockedOf = (coin: string) => (lacks === undefined ? (needed.get(coin) ?? 0n) : 0n)
    const row = this.#journal.add({
      replaced_hash: null,
      spent_hash: null,
      created_by: '',
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
      nonce: null,
      locked: plain(lockedOf(asset)),
      locked_fee: plain(payer === asset ? 0n : lockedOf(payer)),
      third_party: null,
      created_at: now,
      last_updated: now,
      next_at: now + (STEPS['SUBMITTED']?.after_ms ?? 0),
    })
    if (lacks !== undefined) this.#journal.save(row, { status: 'FAILED', sub_status: lacks })
    return row
  }

  /** What an account has too little of, as the published substatuses say it. */
  #lacks({ account_id, asset }: VaultWallet, needed: Spending): string | undefined {
    const isShort = (coin: string): boolean => {
      const wallet = this.#accounts.wallet(account_id, coin)
      return wallet === undefined || this.#accounts.free(wallet) < (needed.get(coin) ?? 0n)
    }
    if (isShort(asset)) return 'INSUFFICIENT_FUNDS'
    return isShort(payerOf(asset)) ? 'INSUFFICIENT_FUNDS_FOR_FEE' : undefined
  }

  /** Adds it to what the account holds, or has locked; with -1n takes it away. */
  #change(account_id: number, what: 'total' | 'locked', sign: 1n | -1n, spending: Spending): void {
    for (const [asset, quantity] of spending)
      this.#accounts.change(account_id, asset, { [what]: sign * quantity })
  }

  decide(id: string, action: Action): boolean {
    const row = this.#table.byId(id)
    if (row === undefined) return false
    if (action === 'freeze' || action === 'unfreeze') return this.#incoming[action](row)
    if (row.incoming === 1) return false
    if (action === '3RD_PARTY_FAILED' || action === '3RD_PARTY_REJECTED') {
      if (![...NOT_YET_SENT, ...ON_THE_CHAIN].includes(row.status)) return false
      this.#table.update({
        ...row,
        third_party: action === '3RD_PARTY_FAILED' ? 'FAILED' : 'REJECTED',
      })
      return true
    }
    if (!NOT_YET_SENT.includes(row.status)) return false
    if (action === 'hold') this.#journal.save(row, { status: 'PENDING_AUTHORIZATION' })
    else if (action === 'release')
      this.#journal.save(row, { status: 'SUBMITTED', next_at: this.#world.now() })
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

  #advance(row: Transaction, now: number): void {
    const step = STEPS[row.status]
    if (step === undefined) return this.#confirm(row)
    const next_at = now + (STEPS[step.next]?.after_ms ?? 0)
    if (step.next === 'BROADCASTING') return this.#broadcast(row, next_at)
    this.#journal.save(row, { status: step.next, sub_status: SUB_STATUS[step.next] ?? '', next_at })
  }

  #broadcast(row: Transaction, next_at: number): void {
    if (this.#world.faults.takeNamed('fireblocks', 'broadcast')?.kind === 'REFUSE')
      return this.#end(row, 'FAILED', 'REJECTED_BY_BLOCKCHAIN')
    const nonce = takeNonce(this.#table, this.#chain, row)
    if (nonce === 'taken') return this.#end(row, 'FAILED', 'INVALID_NONCE_FOR_RBF')
    // What is replaced comes back first, and nothing stays locked of what leaves.
    const account_id = Number(row.source_id)
    this.#change(account_id, 'total', 1n, nonce.returned)
    this.#change(account_id, 'locked', -1n, lockedBy(row))
    this.#change(account_id, 'total', -1n, spentBy(row))
    const { transaction_hash } = this.#chain.sendMany({
      asset: row.asset,
      protocol: protocolNameOf(row.asset),
      from_address: row.source_address,
      fee: row.network_fee,
      spends: row.spent_hash,
      outputs: (row.outputs ?? [row]).map((output) => ({
        to_address: output.destination_address,
        tag: output.tag,
        quantity: output.amount,
      })),
    })
    this.#journal.save(row, {
      status: 'BROADCASTING',
      tx_hash: transaction_hash,
      nonce: nonce.nonce,
      locked: '0',
      locked_fee: '0',
      next_at,
    })
  }

  #confirm(row: Transaction): void {
    const seen = this.#chain.transaction(row.tx_hash)
    const replacements = this.#table.replacementsOf(row.tx_hash).filter(isBroadcast)
    if (replacements.length > 0) {
      // No source says with which word, and when, the vault ends what was replaced.
      if (replacements.some((replacement) => isInBlock(this.#table, this.#chain, replacement)))
        this.#journal.save(row, { status: 'FAILED', sub_status: 'DROPPED_BY_BLOCKCHAIN' })
    } else if (seen?.state === 'FAILED') {
      this.#change(Number(row.source_id), 'total', 1n, spentBy(row))
      this.#journal.save(row, { status: 'FAILED', sub_status: 'DROPPED_BY_BLOCKCHAIN' })
    } else if (seen?.state === 'FINAL') {
      const { confirmations } = seen
      const sub_status = completedWord(row)
      this.#journal.save(row, { status: 'COMPLETED', sub_status, confirmations })
    } else if (seen !== undefined && seen.confirmations !== row.confirmations)
      this.#journal.save(row, { confirmations: seen.confirmations })
  }

  /** Ends an outgoing transaction whose coins have not left. */
  #end(row: Transaction, status: string, sub_status: string): void {
    this.#change(Number(row.source_id), 'locked', -1n, lockedBy(row))
    this.#journal.save(row, { status, sub_status, locked: '0', locked_fee: '0' })
  }
}

function mustHold(accounts: Accounts, account_id: number, asset: string): VaultWallet {
  const wallet = accounts.wallet(account_id, asset)
  if (wallet === undefined) throw new Error(`vault account ${account_id} has no ${asset}`)
  return wallet
}

/** It is COMPLETED either way (support.fireblocks.io, article 26791417146524). */
const completedWord = ({ third_party }: Transaction): string =>
  third_party === null ? 'CONFIRMED' : `COMPLETED_BUT_3RD_PARTY_${third_party}`

export function openTransactions(
  world: World,
  chain: Chain,
  accounts: Accounts,
  changed: OnChange,
): Transactions {
  const table = openTransactionTable(world.db)
  const journal = openJournal(world, table, changed)
  const incoming = openIncoming({ world, chain, accounts, table, journal })
  const parts = { chain, accounts, table }
  const transactions = new VaultTransactions(world, parts, { journal, incoming })
  world.onTick((now) => {
    transactions.advanceDue(now)
  })
  return {
    create: (request) => transactions.create(request),
    decide: (id, action) => transactions.decide(id, action),
    fuelFromOutside: (to) => incoming.fuel(mustHold(accounts, to, 'ETH'), FUEL),
    ...openBoosts({ ...parts, create: (request) => transactions.create(request) }),
    byId: table.byId,
    byExternalId: table.byExternalId,
    list: table.list,
  }
}
