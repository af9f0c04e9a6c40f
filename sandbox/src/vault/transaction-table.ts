/** The vault's transactions as stored rows. */
import type { DatabaseSync } from 'node:sqlite'

/** One of several destinations of a transaction. */
export type Output = Pick<
  Transaction,
  'destination_id' | 'destination_name' | 'destination_address' | 'tag' | 'amount'
> & { destination_type: 'VAULT_ACCOUNT' | 'EXTERNAL_WALLET' }

/**
 * `outputs` only where there are several: then the destination is UNKNOWN, and `amount` their
 * sum.
 */
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
  /** Its number among those that its account sent, where the chain numbers them. */
  nonce: number | null
  /** Whose place it takes. */
  replaced_hash: string | null
  spent_hash: string | null
  /** Reserved until it is broadcast. */
  locked: string
  created_by: string
  /** How the exchange that receives it will say no. */
  third_party: 'FAILED' | 'REJECTED' | null
  created_at: number
  last_updated: number
  next_at: number
}

type ListFilter = {
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

export type TransactionTable = {
  insert(transaction: Transaction): void
  /** Stores what changes during a transaction's life. */
  update(transaction: Transaction): void
  byId(id: string): Transaction | undefined
  byExternalId(external_tx_id: string): Transaction | undefined
  byHash(tx_hash: string, direction: 'INCOMING' | 'OUTGOING'): Transaction[]
  /** Those that were made to take the place of this one. */
  replacementsOf(tx_hash: string): Transaction[]
  /** The number of the next transaction of this account; those that were dropped have none. */
  nextNonce(account_id: string, assets: readonly string[]): number
  /** Outgoing ones whose next step is due. */
  due(now: number): Transaction[]
  list(filter: ListFilter): Transaction[]
}

/** A world from before these columns gets them. */
const ADDED = {
  nonce: 'integer',
  replaced_hash: 'text',
  spent_hash: 'text',
  locked: "text not null default '0'",
  created_by: "text not null default ''",
  third_party: 'text',
} as const satisfies Partial<Record<keyof Transaction, string>>
const ADDED_FIELDS = Object.keys(ADDED) as (keyof typeof ADDED)[]

const FIELDS = [
  'id',
  'external_tx_id',
  'customer_ref_id',
  'note',
  'incoming',
  'asset',
  'amount',
  'network_fee',
  'source_type',
  'source_id',
  'source_address',
  'destination_type',
  'destination_id',
  'destination_name',
  'destination_address',
  'tag',
  'outputs',
  'status',
  'sub_status',
  'tx_hash',
  'output_index',
  'confirmations',
  ...ADDED_FIELDS,
  'created_at',
  'last_updated',
  'next_at',
] as const satisfies readonly (keyof Transaction)[]
const COLUMNS = FIELDS.join(', ')
const IS_LIVE = "status in ('SUBMITTED', 'PENDING_SIGNATURE', 'BROADCASTING', 'CONFIRMING')"

function createTable(db: DatabaseSync): void {
  db.exec(`
    create table if not exists vault_transactions (
      id text primary key,
      external_tx_id text unique,
      customer_ref_id text,
      note text,
      incoming integer not null,
      asset text not null,
      amount text not null,
      network_fee text not null,
      source_type text not null,
      source_id text,
      source_address text not null,
      destination_type text not null,
      destination_id text not null,
      destination_name text not null,
      destination_address text not null,
      tag text,
      outputs text,
      status text not null,
      sub_status text not null,
      tx_hash text not null,
      output_index integer,
      confirmations integer not null,
      created_at integer not null,
      last_updated integer not null,
      next_at integer not null
    );
    create index if not exists vault_transactions_created on vault_transactions (created_at, id);
    create index if not exists vault_transactions_updated on vault_transactions (last_updated, id);
    create index if not exists vault_transactions_hash on vault_transactions (tx_hash);
    create index if not exists vault_transactions_live
      on vault_transactions (next_at) where ${IS_LIVE};
  `)
  const columns = db.prepare('pragma table_info(vault_transactions)').all() as { name: string }[]
  for (const [name, type] of Object.entries({ outputs: 'text', ...ADDED }))
    if (!columns.some((column) => column.name === name))
      db.exec(`alter table vault_transactions add column ${name} ${type}`)
  db.exec(`create index if not exists vault_transactions_replaced
    on vault_transactions (replaced_hash) where replaced_hash is not null`)
}

type Row = Omit<Transaction, 'outputs'> & { outputs: string | null }

function transactionOf(stored: unknown): Transaction {
  const row = stored as Row
  return { ...row, outputs: row.outputs === null ? null : (JSON.parse(row.outputs) as Output[]) }
}

export function openTransactionTable(db: DatabaseSync): TransactionTable {
  createTable(db)
  const insert = db.prepare(`
    insert into vault_transactions (${COLUMNS})
    values (${FIELDS.map((field) => `:${field}`).join(', ')})`)
  const update = db.prepare(`
    update vault_transactions
    set status = ?, sub_status = ?, tx_hash = ?, output_index = ?, confirmations = ?, nonce = ?,
      locked = ?, third_party = ?, last_updated = ?, next_at = ?
    where id = ?`)
  const byId = db.prepare(`
    select ${COLUMNS}
    from vault_transactions
    where id = ?`)
  const byExternal = db.prepare(`
    select ${COLUMNS}
    from vault_transactions
    where external_tx_id = ?`)
  const due = db.prepare(`
    select ${COLUMNS}
    from vault_transactions
    where ${IS_LIVE}
      and incoming = 0
      and next_at <= ?
    order by created_at, id`)
  const byHash = db.prepare(`
    select ${COLUMNS}
    from vault_transactions
    where tx_hash = ?
      and incoming = ?`)
  const one = (stored: unknown) => (stored === undefined ? undefined : transactionOf(stored))
  return {
    insert(transaction) {
      const values = FIELDS.map((field) => [field, storedValue(transaction, field)])
      insert.run(Object.fromEntries(values) as Record<string, string | number | null>)
    },
    update: (row) => {
      update.run(
        row.status,
        row.sub_status,
        row.tx_hash,
        row.output_index,
        row.confirmations,
        row.nonce,
        row.locked,
        row.third_party,
        row.last_updated,
        row.next_at,
        row.id,
      )
    },
    byId: (id) => one(byId.get(id)),
    byExternalId: (external_tx_id) => one(byExternal.get(external_tx_id)),
    byHash: (tx_hash, direction) =>
      byHash.all(tx_hash, direction === 'INCOMING' ? 1 : 0).map(transactionOf),
    ...numberedStatements(db),
    due: (now) => due.all(now).map(transactionOf),
    list: (filter) => listTransactions(db, filter),
  }
}

/** Where the chain numbers what an account sends. */
function numberedStatements(
  db: DatabaseSync,
): Pick<TransactionTable, 'replacementsOf' | 'nextNonce'> {
  const replacements = db.prepare(`
    select ${COLUMNS}
    from vault_transactions
    where replaced_hash = ?
    order by created_at, id`)
  const nextNonce = db.prepare(`
    select coalesce(max(nonce) + 1, 0) as nonce
    from vault_transactions
    where incoming = 0
      and source_id = ?
      and asset in (
        select value
        from json_each(?)
      )
      and status in ('BROADCASTING', 'CONFIRMING', 'COMPLETED')`)
  return {
    replacementsOf: (hash) => replacements.all(hash).map(transactionOf),
    nextNonce: (account_id, assets) =>
      (nextNonce.get(account_id, JSON.stringify(assets)) as { nonce: number }).nonce,
  }
}

function storedValue(transaction: Transaction, field: keyof Transaction): string | number | null {
  const value = transaction[field]
  return Array.isArray(value) ? JSON.stringify(value) : value
}

function listTransactions(db: DatabaseSync, filter: ListFilter): Transaction[] {
  const { order, ascending, assets, past, limit, ...values } = filter
  const direction = ascending ? 'asc' : 'desc'
  const beyond = ascending ? '>' : '<'
  const select = db.prepare(`
    select ${COLUMNS}
    from vault_transactions
    where (:before is null or created_at < :before)
      and (:after is null or created_at > :after)
      and (:status is null or status = :status)
      and (:source_type is null or source_type = :source_type)
      and (:source_id is null or source_id = :source_id)
      and (
        :destination_type is null
        or destination_type = :destination_type
        or exists (
          select 1
          from json_each(outputs)
          where value ->> 'destination_type' = :destination_type
        )
      )
      and (:destination_id is null or destination_id = :destination_id)
      and (
        :assets is null
        or asset in (select value from json_each(:assets))
      )
      and (:tx_hash is null or tx_hash = :tx_hash)
      and (:past_id is null or (${order}, id) ${beyond} (:past_at, :past_id))
    order by ${order} ${direction}, id ${direction}
    limit :page_size`)
  return select
    .all({
      ...values,
      page_size: limit,
      assets: assets === null ? null : JSON.stringify(assets),
      past_at: past?.at ?? null,
      past_id: past?.id ?? null,
    })
    .map(transactionOf)
}
