/** The vault's transactions as a table: what is stored, found and listed. */
import type { DatabaseSync } from 'node:sqlite'
import {
  COLUMNS,
  createTable,
  FIELDS,
  IS_LIVE,
  storedValue,
  transactionOf,
} from './transaction-row.ts'
import type { Transaction } from './transaction-row.ts'

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

export function openTransactionTable(db: DatabaseSync): TransactionTable {
  createTable(db)
  const insert = db.prepare(`
    insert into vault_transactions (${COLUMNS})
    values (${FIELDS.map((field) => `:${field}`).join(', ')})`)
  const update = db.prepare(`
    update vault_transactions
    set status = ?, sub_status = ?, tx_hash = ?, output_index = ?, confirmations = ?, nonce = ?,
      locked = ?, locked_fee = ?, third_party = ?, last_updated = ?, next_at = ?
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
        row.locked_fee,
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
