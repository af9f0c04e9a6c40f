/**
 * What reached the wallets. Each change gives a deposit a new, higher sequence, by which a client
 * reads on.
 */
import type { DatabaseSync } from 'node:sqlite'
import { amount } from '../amount.ts'
import type { Chain } from '../part.ts'
import type { World } from '../world.ts'
import { PART } from './wallets.ts'
import type { Wallets } from './wallets.ts'

type Deposit = {
  deposit_id: string
  sequence: number
  wallet_id: string
  asset: string
  network: string
  amount: string
  status: 'DETECTED' | 'CONFIRMED' | 'FAILED'
  transaction_hash: string
  output_index: number
  from_address: string
  to_address: string
  confirmations: number
  required_confirmations: number
  detected_at: number
}

export type Deposits = {
  /** In the order of their sequences, after this one. */
  list(after: number, limit: number): Deposit[]
}

const STATUSES = { PENDING: 'DETECTED', FINAL: 'CONFIRMED', FAILED: 'FAILED' } as const
const FIELDS = [
  'deposit_id',
  'sequence',
  'wallet_id',
  'asset',
  'network',
  'amount',
  'status',
  'transaction_hash',
  'output_index',
  'from_address',
  'to_address',
  'confirmations',
  'required_confirmations',
  'detected_at',
] as const satisfies readonly (keyof Deposit)[]
const COLUMNS = FIELDS.join(', ')

export function openDeposits(world: World, chain: Chain, wallets: Wallets): Deposits {
  const table = openDepositTable(world.db)
  chain.onArrival(PART, (transfer, wallet_id, state) => {
    if (state === 'FINAL')
      wallets.change(wallet_id, transfer.asset, { total: amount(transfer.quantity) })
    table.save({
      deposit_id: `${transfer.transaction_hash}:${transfer.output_index}`,
      wallet_id,
      asset: transfer.asset,
      network: transfer.protocol,
      amount: transfer.quantity,
      status: STATUSES[state],
      transaction_hash: transfer.transaction_hash,
      output_index: transfer.output_index,
      from_address: transfer.from_address,
      to_address: transfer.to_address,
      confirmations: transfer.confirmations,
      required_confirmations: transfer.required_confirmations,
      detected_at: world.now(),
    })
  })
  return { list: table.list }
}

type DepositTable = Deposits & {
  /** Inserts a new deposit, or stores the new status and confirmations of a known one. */
  save(deposit: Omit<Deposit, 'sequence'>): void
}

function openDepositTable(db: DatabaseSync): DepositTable {
  createTable(db)
  const newest = db.prepare('select coalesce(max(sequence), 0) as sequence from managed_deposits')
  const upsert = db.prepare(`
    insert into managed_deposits (${COLUMNS})
    values (${FIELDS.map((field) => `:${field}`).join(', ')})
    on conflict (deposit_id) do update
    set sequence = excluded.sequence,
      status = excluded.status,
      confirmations = excluded.confirmations`)
  const select = db.prepare(`
    select ${COLUMNS}
    from managed_deposits
    where sequence > ?
    order by sequence
    limit ?`)
  return {
    save(deposit) {
      const { sequence } = newest.get() as { sequence: number }
      upsert.run({ ...deposit, sequence: sequence + 1 })
    },
    list: (after, limit) => select.all(after, limit) as Deposit[],
  }
}

function createTable(db: DatabaseSync): void {
  db.exec(`
    create table if not exists managed_deposits (
      deposit_id text primary key,
      sequence integer not null unique,
      wallet_id text not null,
      asset text not null,
      network text not null,
      amount text not null,
      status text not null,
      transaction_hash text not null,
      output_index integer not null,
      from_address text not null,
      to_address text not null,
      confirmations integer not null,
      required_confirmations integer not null,
      detected_at integer not null
    )`)
}
