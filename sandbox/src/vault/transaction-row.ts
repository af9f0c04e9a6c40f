/** A transaction of the vault and the row that holds it. */
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
  source_type: 'VAULT_ACCOUNT' | 'UNKNOWN' | 'GAS_STATION'
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
  /** Reserved until it is broadcast; of a token, the fee's part in the chain's coin. */
  locked: string
  locked_fee: string
  created_by: string
  /** How the exchange that receives it will say no. */
  third_party: 'FAILED' | 'REJECTED' | null
  created_at: number
  last_updated: number
  next_at: number
}

/** A world from before these columns gets them. */
const ADDED = {
  nonce: 'integer',
  replaced_hash: 'text',
  spent_hash: 'text',
  locked: "text not null default '0'",
  locked_fee: "text not null default '0'",
  created_by: "text not null default ''",
  third_party: 'text',
} as const satisfies Partial<Record<keyof Transaction, string>>
const ADDED_FIELDS = Object.keys(ADDED) as (keyof typeof ADDED)[]

export const FIELDS = [
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
export const COLUMNS = FIELDS.join(', ')
export const IS_LIVE = "status in ('SUBMITTED', 'PENDING_SIGNATURE', 'BROADCASTING', 'CONFIRMING')"

export function createTable(db: DatabaseSync): void {
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

export function transactionOf(stored: unknown): Transaction {
  const row = stored as Row
  return { ...row, outputs: row.outputs === null ? null : (JSON.parse(row.outputs) as Output[]) }
}

export function storedValue(
  transaction: Transaction,
  field: keyof Transaction,
): string | number | null {
  const value = transaction[field]
  return Array.isArray(value) ? JSON.stringify(value) : value
}
