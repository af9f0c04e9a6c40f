/**
 * Transactions of the vault, outgoing and incoming. An outgoing one locks amount and fee when it is accepted, goes
 * SUBMITTED → PENDING_SIGNATURE → BROADCASTING (now the coins leave) → CONFIRMING → COMPLETED. One without enough funds
 * is accepted and then FAILED, as at the real vault. Coins from outside appear CONFIRMING and become COMPLETED.
 *
 * Fault, venue `fireblocks`, operation `broadcast`: REFUSE fails the transaction that would be broadcast next.
 */
import { randomUUID } from 'node:crypto'
import { amount, plain } from '../amount.ts'
import { PROTOCOLS } from '../chain/protocols.ts'
import type { Chain } from '../part.ts'
import type { World } from '../world.ts'
import { PART } from './accounts.ts'
import type { Accounts } from './accounts.ts'

/** One of several destinations of a transaction. */
export type Output = Pick<
  Transaction,
  'destination_id' | 'destination_name' | 'destination_address' | 'tag' | 'amount'
> & { destination_type: 'VAULT_ACCOUNT' | 'EXTERNAL_WALLET' }

/** `outputs` only where there are several: then the destination is UNKNOWN, and `amount` their sum. */
export type Transaction = {
  id: string
  external_tx_id: string | null
  customer_ref_id: string | null
  note: string | null
  incoming: number
  asset: string
  amount: string
  network_fee: string
  source_type: 'VAULT_ACCOUNT' | 'UNKNOWN'
  source_id: string | null
  source_address: string
  destination_type: 'VAULT_ACCOUNT' | 'EXTERNAL_WALLET' | 'UNKNOWN'
  destination_id: string
  destination_name: string
  destination_address: string
  tag: string | null
  outputs: Output[] | null
  status: string
  sub_status: string
  tx_hash: string
  output_index: number | null
  confirmations: number
  created_at: number
  last_updated: number
  next_at: number
}

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

export type ListFilter = {
  before: number | null
  after: number | null
  status: string | null
  order: 'created_at' | 'last_updated'
  ascending: boolean
  limit: number
  source_type: string | null
  source_id: string | null
  destination_type: string | null
  destination_id: string | null
  assets: string[] | null
  tx_hash: string | null
  past: { at: number; id: string } | null
}

export type Transactions = {
  create(request: NewTransaction): Transaction
  byId(id: string): Transaction | undefined
  byExternalId(external_tx_id: string): Transaction | undefined
  list(filter: ListFilter): Transaction[]
  /** By hand, before it is broadcast: holds it for authorization, releases it, or ends it. False when it is too late. */
  decide(
    id: string,
    action: 'hold' | 'release' | 'REJECTED' | 'BLOCKED' | 'CANCELLED' | 'FAILED',
  ): boolean
}

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

const COLUMNS = `id, external_tx_id, customer_ref_id, note, incoming, asset, amount, network_fee, source_type, source_id, source_address,
  destination_type, destination_id, destination_name, destination_address, tag, outputs, status, sub_status, tx_hash, output_index, confirmations, created_at, last_updated, next_at`

export function openTransactions(
  world: World,
  chain: Chain,
  accounts: Accounts,
  changed: (transaction: Transaction, created: boolean) => void,
): Transactions {
  const { db } = world
  db.exec(`
    create table if not exists vault_transactions (
      id text primary key, external_tx_id text unique, customer_ref_id text, note text, incoming integer not null, asset text not null, amount text not null, network_fee text not null,
      source_type text not null, source_id text, source_address text not null, destination_type text not null, destination_id text not null, destination_name text not null,
      destination_address text not null, tag text, outputs text, status text not null, sub_status text not null, tx_hash text not null, output_index integer, confirmations integer not null,
      created_at integer not null, last_updated integer not null, next_at integer not null);
    create index if not exists vault_transactions_created on vault_transactions (created_at, id);
    create index if not exists vault_transactions_updated on vault_transactions (last_updated, id);
    create index if not exists vault_transactions_hash on vault_transactions (tx_hash);
    create index if not exists vault_transactions_live on vault_transactions (next_at) where status in ('SUBMITTED', 'PENDING_SIGNATURE', 'BROADCASTING', 'CONFIRMING');
  `)
  // A world that was begun before transactions had outputs goes on.
  const columns = db.prepare('pragma table_info(vault_transactions)').all() as { name: string }[]
  if (!columns.some((column) => column.name === 'outputs'))
    db.exec('alter table vault_transactions add column outputs text')
  const insert = db.prepare(
    `insert into vault_transactions (${COLUMNS}) values (${COLUMNS.split(',')
      .map(() => '?')
      .join(', ')})`,
  )
  const update = db.prepare(
    'update vault_transactions set status = ?, sub_status = ?, tx_hash = ?, output_index = ?, confirmations = ?, last_updated = ?, next_at = ? where id = ?',
  )
  type Stored = Omit<Transaction, 'outputs'> & { outputs: string | null }
  const rowOf = (stored: unknown): Transaction => {
    const row = stored as Stored
    return { ...row, outputs: row.outputs === null ? null : (JSON.parse(row.outputs) as Output[]) }
  }
  const selectById = db.prepare(`select ${COLUMNS} from vault_transactions where id = ?`)
  const selectByExternal = db.prepare(
    `select ${COLUMNS} from vault_transactions where external_tx_id = ?`,
  )
  const selectLive = db.prepare(`select ${COLUMNS} from vault_transactions
    where status in ('SUBMITTED', 'PENDING_SIGNATURE', 'BROADCASTING', 'CONFIRMING') and incoming = 0 and next_at <= ? order by created_at, id`)
  const selectByHash = db.prepare(
    `select ${COLUMNS} from vault_transactions where tx_hash = ? and incoming = ?`,
  )

  const add = (row: Transaction) => {
    insert.run(
      row.id,
      row.external_tx_id,
      row.customer_ref_id,
      row.note,
      row.incoming,
      row.asset,
      row.amount,
      row.network_fee,
      row.source_type,
      row.source_id,
      row.source_address,
      row.destination_type,
      row.destination_id,
      row.destination_name,
      row.destination_address,
      row.tag,
      row.outputs === null ? null : JSON.stringify(row.outputs),
      row.status,
      row.sub_status,
      row.tx_hash,
      row.output_index,
      row.confirmations,
      row.created_at,
      row.last_updated,
      row.next_at,
    )
    changed(row, true)
    return row
  }
  const save = (before: Transaction, change: Partial<Transaction>) => {
    const row = { ...before, ...change, last_updated: world.now() }
    update.run(
      row.status,
      row.sub_status,
      row.tx_hash,
      row.output_index,
      row.confirmations,
      row.last_updated,
      row.next_at,
      row.id,
    )
    changed(row, false)
    return row
  }
  const sum = (row: Transaction) => amount(row.amount) + amount(row.network_fee)
  const account = (row: Transaction) => Number(row.source_id)
  const protocol = (asset: string) =>
    PROTOCOLS.find((protocol) => protocol.asset === asset)?.protocol ?? asset

  /** Ends an outgoing transaction whose coins have not left. */
  const end = (row: Transaction, status: string, sub_status: string) => {
    accounts.change(account(row), row.asset, { locked: -sum(row) })
    save(row, { status, sub_status })
  }
  const broadcast = (row: Transaction, next_at: number) => {
    if (world.faults.takeNamed('fireblocks', 'broadcast')?.kind === 'REFUSE')
      return end(row, 'FAILED', 'FAILED_ON_BROADCAST')
    accounts.change(account(row), row.asset, { total: -sum(row), locked: -sum(row) })
    const { transaction_hash } = chain.sendMany({
      asset: row.asset,
      protocol: protocol(row.asset),
      from_address: row.source_address,
      fee: row.network_fee,
      outputs: (row.outputs ?? [row]).map((output) => ({
        to_address: output.destination_address,
        tag: output.tag,
        quantity: output.amount,
      })),
    })
    save(row, { status: 'BROADCASTING', tx_hash: transaction_hash, next_at })
  }
  const confirm = (row: Transaction) => {
    const seen = chain.transaction(row.tx_hash)
    if (seen?.state === 'FAILED') {
      accounts.change(account(row), row.asset, { total: amount(row.amount) })
      save(row, { status: 'FAILED', sub_status: 'DROPPED_BY_BLOCKCHAIN' })
    } else if (seen?.state === 'FINAL')
      save(row, { status: 'COMPLETED', sub_status: 'CONFIRMED', confirmations: seen.confirmations })
    else if (seen !== undefined && seen.confirmations !== row.confirmations)
      save(row, { confirmations: seen.confirmations })
  }
  const advance = (row: Transaction, now: number) => {
    const step = STEPS[row.status]
    if (step === undefined) return confirm(row)
    const next_at = now + (STEPS[step.next]?.after_ms ?? 0)
    if (step.next === 'BROADCASTING') return broadcast(row, next_at)
    save(row, { status: step.next, sub_status: SUB_STATUS[step.next] ?? '', next_at })
  }
  world.onTick((now) => {
    const live = selectLive.all(now).map(rowOf)
    if (live.length > 0)
      world.commit(() => {
        for (const row of live) advance(row, now)
      })
  })

  chain.onArrival(PART, (transfer, locator, state) => {
    const [account_id = '', asset = ''] = locator.split('/')
    if (state === 'FINAL')
      accounts.change(Number(account_id), asset, { total: amount(transfer.quantity) })
    // Between two accounts of the vault there is one transaction, the outgoing one.
    const own = selectByHash.all(transfer.transaction_hash, 0).map(rowOf)[0]
    const output =
      own?.outputs?.find(
        (output) =>
          output.destination_address === transfer.to_address && output.amount === transfer.quantity,
      ) ?? own
    if (output?.destination_type === 'VAULT_ACCOUNT') return
    const status = { PENDING: 'CONFIRMING', FINAL: 'COMPLETED', FAILED: 'FAILED' }[state]
    const sub_status = state === 'FAILED' ? 'DROPPED_BY_BLOCKCHAIN' : (SUB_STATUS[status] ?? '')
    const known = selectByHash
      .all(transfer.transaction_hash, 1)
      .map(rowOf)
      .find((transaction) => transaction.output_index === transfer.output_index)
    if (known !== undefined) {
      save(known, { status, sub_status, confirmations: transfer.confirmations })
      return
    }
    add({
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
      status,
      sub_status,
      tx_hash: transfer.transaction_hash,
      output_index: transfer.output_index,
      confirmations: transfer.confirmations,
      created_at: world.now(),
      last_updated: world.now(),
      next_at: 0,
    })
  })

  const read = (stored: unknown) => (stored === undefined ? undefined : rowOf(stored))
  const byId = (id: string) => read(selectById.get(id))
  return {
    byId,
    byExternalId: (external_tx_id) => read(selectByExternal.get(external_tx_id)),
    create({ account_id, ...request }) {
      const wallet = accounts.wallet(account_id, request.asset)
      if (wallet === undefined)
        throw new Error(`vault account ${account_id} has no ${request.asset}`)
      const now = world.now()
      const needed = amount(request.amount) + amount(request.network_fee)
      const enough = accounts.free(wallet) >= needed
      if (enough) accounts.change(account_id, request.asset, { locked: needed })
      const row = add({
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
      if (!enough) save(row, { status: 'FAILED', sub_status: 'INSUFFICIENT_FUNDS' })
      return row
    },
    list(filter) {
      const direction = filter.ascending ? 'asc' : 'desc'
      const beyond = filter.ascending ? '>' : '<'
      return db
        .prepare(`select ${COLUMNS} from vault_transactions
        where (:before is null or ${filter.order} < :before) and (:after is null or ${filter.order} > :after) and (:status is null or status = :status)
          and (:source_type is null or source_type = :source_type) and (:source_id is null or source_id = :source_id)
          and (:destination_type is null or destination_type = :destination_type or exists (select 1 from json_each(outputs) where value ->> 'destination_type' = :destination_type)) and (:destination_id is null or destination_id = :destination_id)
          and (:assets is null or asset in (select value from json_each(:assets))) and (:tx_hash is null or tx_hash = :tx_hash)
          and (:past_id is null or (${filter.order}, id) ${beyond} (:past_at, :past_id))
        order by ${filter.order} ${direction}, id ${direction} limit :limit`)
        .all({
          before: filter.before,
          after: filter.after,
          status: filter.status,
          source_type: filter.source_type,
          source_id: filter.source_id,
          destination_type: filter.destination_type,
          destination_id: filter.destination_id,
          assets: filter.assets === null ? null : JSON.stringify(filter.assets),
          tx_hash: filter.tx_hash,
          past_at: filter.past?.at ?? null,
          past_id: filter.past?.id ?? null,
          limit: filter.limit,
        })
        .map(rowOf)
    },
    decide(id, action) {
      const row = byId(id)
      if (row === undefined || row.incoming === 1 || !NOT_YET_SENT.includes(row.status))
        return false
      if (action === 'hold') save(row, { status: 'PENDING_AUTHORIZATION' })
      else if (action === 'release') save(row, { status: 'SUBMITTED', next_at: world.now() })
      else end(row, action, SUB_STATUS[action] ?? '')
      return true
    },
  }
}
