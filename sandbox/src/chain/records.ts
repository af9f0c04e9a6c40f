/**
 * The chain's tables: who owns which address, who holds how much, and one row per transaction
 * output.
 */
import type { DatabaseSync } from 'node:sqlite'
import { amount, plain } from '../amount.ts'
import type { Holding } from '../part.ts'
import type { Address, Transaction } from './protocols.ts'

/** A transaction that is not final; `notified` is the number of confirmations last reported. */
export type LiveTransaction = Transaction & { notified: number }

const COLUMNS = `transaction_hash, protocol, asset, from_address, to_address, tag, output_index,
  quantity, fee, sent_at, confirmations, state`

const TRANSACTIONS = `
  create table if not exists chain_transactions (
    transaction_hash text not null,
    protocol text not null,
    asset text not null,
    from_address text not null,
    to_address text not null,
    tag text,
    output_index integer not null,
    quantity text not null,
    fee text not null,
    sent_at integer not null,
    confirmations integer not null,
    notified integer not null,
    state text not null,
    primary key (transaction_hash, output_index)
  );`

export function createTables(db: DatabaseSync): void {
  allowSeveralOutputs(db)
  db.exec(`
    create table if not exists chain_addresses (
      address text primary key,
      protocol text not null,
      part text not null,
      locator text not null
    );
    create table if not exists chain_holdings (
      holder text not null,
      asset text not null,
      quantity text not null,
      primary key (holder, asset)
    );
    ${TRANSACTIONS}
    create index if not exists chain_transactions_live
      on chain_transactions (sent_at) where state = 'PENDING';
    create index if not exists chain_transactions_to on chain_transactions (to_address);
  `)
}

/**
 * An older world has one row per transaction: its table is replaced by one with a row per output.
 */
function allowSeveralOutputs(db: DatabaseSync): void {
  const columns = db.prepare('pragma table_info(chain_transactions)').all() as { pk: number }[]
  if (columns.filter((column) => column.pk > 0).length !== 1) return
  db.exec(`begin;
    alter table chain_transactions rename to chain_transactions_before;
    ${TRANSACTIONS}
    insert into chain_transactions (${COLUMNS}, notified)
    select ${COLUMNS}, notified
    from chain_transactions_before;
    drop table chain_transactions_before;
    commit;`)
}

export type Addresses = {
  insert(address: Address): void
  /** The part that owns this address; an address that nobody here made belongs to the outside. */
  holderOf(address: string): string
  find(address: string): Address | undefined
  outside(): Address[]
}

export function openAddresses(db: DatabaseSync): Addresses {
  const select = db.prepare(
    'select address, protocol, part, locator from chain_addresses where address = ?',
  )
  const insert = db.prepare(
    'insert into chain_addresses (address, protocol, part, locator) values (?, ?, ?, ?)',
  )
  const find = (address: string) => select.get(address) as Address | undefined
  return {
    find,
    insert: ({ address, protocol, part, locator }) => {
      insert.run(address, protocol, part, locator)
    },
    holderOf: (address) => find(address)?.part ?? 'outside',
    outside: () =>
      db
        .prepare(
          `select address, protocol, part, locator
          from chain_addresses
          where part = 'outside'
          order by protocol, address`,
        )
        .all() as Address[],
  }
}

export type Holdings = {
  /** Throws when the holder would hold less than nothing. */
  change(holder: string, asset: string, by: bigint): void
  all(): Holding[]
}

export function openHoldings(db: DatabaseSync): Holdings {
  const select = db.prepare('select quantity from chain_holdings where holder = ? and asset = ?')
  const upsert = db.prepare(
    'insert or replace into chain_holdings (holder, asset, quantity) values (?, ?, ?)',
  )
  return {
    change(holder, asset, by) {
      const row = select.get(holder, asset) as { quantity: string } | undefined
      const held = amount(row?.quantity ?? '0') + by
      if (held < 0n) throw new Error(`${holder} does not hold ${plain(-by)} ${asset} on the chain`)
      upsert.run(holder, asset, plain(held))
    },
    all: () =>
      db
        .prepare('select holder, asset, quantity from chain_holdings order by asset, holder')
        .all() as Holding[],
  }
}

export type Transactions = {
  insert(output: Omit<Transaction, 'confirmations' | 'state'>): void
  /** All outputs of a transaction but the change. */
  find(hash: string): Transaction[]
  receivedBy(address: string): Transaction[]
  /** Outputs of transactions that are neither final nor failed, oldest first. */
  live(): LiveTransaction[]
  /** As if it had been sent at this time. */
  sendAgain(hash: string, sent_at: number): void
  update(
    output: Pick<
      LiveTransaction,
      'transaction_hash' | 'output_index' | 'confirmations' | 'notified' | 'state'
    >,
  ): void
}

export function openTransactions(db: DatabaseSync): Transactions {
  const insert = db.prepare(`
    insert into chain_transactions (${COLUMNS}, notified)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 'PENDING', -1)`)
  const select = db.prepare(`
    select ${COLUMNS}
    from chain_transactions
    where transaction_hash = ?
    order by output_index`)
  const selectReceived = db.prepare(`
    select ${COLUMNS}
    from chain_transactions
    where to_address = ?
    order by sent_at, transaction_hash`)
  const selectLive = db.prepare(`
    select ${COLUMNS}, notified
    from chain_transactions
    where state = 'PENDING'
    order by sent_at, transaction_hash, output_index`)
  const update = db.prepare(`
    update chain_transactions
    set confirmations = ?, notified = ?, state = ?
    where transaction_hash = ?
      and output_index = ?`)
  const sendAgain = db.prepare(`
    update chain_transactions
    set sent_at = ?
    where transaction_hash = ?`)
  return {
    sendAgain: (hash, sent_at) => {
      sendAgain.run(sent_at, hash)
    },
    insert: (output) => {
      insert.run(
        output.transaction_hash,
        output.protocol,
        output.asset,
        output.from_address,
        output.to_address,
        output.tag,
        output.output_index,
        output.quantity,
        output.fee,
        output.sent_at,
      )
    },
    find: (hash) => select.all(hash) as Transaction[],
    receivedBy: (address) => selectReceived.all(address) as Transaction[],
    live: () => selectLive.all() as LiveTransaction[],
    update: ({ transaction_hash, output_index, confirmations, notified, state }) => {
      update.run(confirmations, notified, state, transaction_hash, output_index)
    },
  }
}
