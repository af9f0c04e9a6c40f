/**
 * What comes in. A deposit is listed at first sight and credited when it is final. One that names
 * nobody (a wire from a stranger without the client's reference, a coin with the wrong tag) waits
 * on hold until somebody releases it.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { BankRails, Chain } from '../part.ts'
import type { World } from '../world.ts'
import type { Accounts } from './accounts.ts'
import { figure, floored, plain } from './figures.ts'
import { assetByWord, funderOf } from './rules.ts'
import type { Asset, Rules } from './rules.ts'
import { listFilterValues, MATCHES_LIST_FILTER } from './tables.ts'
import type { ListFilter } from './tables.ts'

export type Deposit = {
  refid: string
  asset: string
  txid: string
  output_index: number
  address: string
  amount: string
  status: 'Pending' | 'Success' | 'Failure'
  status_prop: string | null
  at: number
}

type Deposits = {
  list(filter: ListFilter): Deposit[]
  /** By hand: credits a deposit that waits on hold. */
  release(refid: string): boolean
  /** By hand: takes a credited deposit back; it waits unclaimed for its way back. */
  takeBack(refid: string): boolean
}

type Parts = {
  world: World
  rules: Rules
  chain: Chain
  bank: BankRails
  accounts: Accounts
  /** The code the client writes into a wire. */
  reference: string
  /** Whether a wire from this account is the client's even without the reference. */
  knowsPayer(iban: string): boolean
}

/** Coins or money on their way to an account of the exchange. */
type Arrival = {
  asset: Asset
  txid: string
  output_index: number
  address: string
  amount: string
  state: 'PENDING' | 'FINAL' | 'FAILED'
  /** Whether it is known to be the client's. */
  known: boolean
}

export function openDeposits(parts: Parts): Deposits {
  const { world, rules, chain, bank, accounts, reference } = parts
  const table = openDepositTable(world.db, `${rules.tables}_deposits`)

  chain.onArrival(rules.part, (transfer, _locator, state) => {
    const asset = assetByWord(rules, transfer.asset)
    if (state === 'FAILED') {
      const row = table.find(transfer.transaction_hash, transfer.output_index)
      if (row?.status === 'Pending') table.update(row.refid, 'Failure', null)
      return
    }
    receive(parts, table, {
      asset,
      txid: transfer.transaction_hash,
      output_index: transfer.output_index,
      address: transfer.to_address,
      amount: transfer.quantity,
      state,
      known: !asset.tagged || transfer.tag === rules.client_tag,
    })
  })
  bank.onArrival(rules.part, (wire) => {
    receive(parts, table, {
      asset: assetByWord(rules, wire.currency),
      txid: wire.wire_id,
      output_index: 0,
      address: wire.from_iban,
      amount: wire.quantity,
      state: 'FINAL',
      known: parts.knowsPayer(wire.from_iban) || wire.reference.toUpperCase().includes(reference),
    })
  })

  return {
    list: table.list,
    release: (refid) =>
      world.commit(() => {
        const row = table.onHold(refid)
        if (row === undefined) return false
        accounts.move('unclaimed', funderOf(rules), row.asset, figure(row.amount))
        table.update(refid, 'Success', null)
        return true
      }),
    takeBack: (refid) =>
      world.commit(() => {
        const row = table.byId(refid)
        if (row?.status !== 'Success' || row.status_prop !== null) return false
        accounts.move(funderOf(rules), 'unclaimed', row.asset, figure(row.amount))
        table.update(refid, 'Success', 'return')
        return true
      }),
  }
}

function receive({ world, rules, accounts }: Parts, table: DepositTable, arrival: Arrival): void {
  const { asset, txid, output_index, address, amount, state, known } = arrival
  let row = table.find(txid, output_index)
  if (row === undefined) {
    row = {
      refid: rules.transfer_id(),
      asset: asset.id,
      txid,
      output_index,
      address,
      amount: plain(floored(figure(amount), asset.decimals)),
      status: 'Pending',
      status_prop: null,
      at: world.now(),
    }
    table.insert(row)
  }
  if (row.status !== 'Pending' || row.status_prop !== null || state === 'PENDING') return
  if (state === 'FAILED') {
    table.update(row.refid, 'Failure', null)
    return
  }
  // What is finer than the exchange's own last digit stays with the house.
  const credited = figure(row.amount)
  accounts.change(known ? funderOf(rules) : 'unclaimed', asset.id, credited)
  accounts.change('house', asset.id, figure(amount) - credited)
  if (known) table.update(row.refid, 'Success', null)
  else table.update(row.refid, 'Pending', 'on-hold')
}

type DepositTable = {
  insert(deposit: Deposit): void
  find(txid: string, output_index: number): Deposit | undefined
  onHold(refid: string): Deposit | undefined
  byId(refid: string): Deposit | undefined
  update(refid: string, status: Deposit['status'], status_prop: string | null): void
  list(filter: ListFilter): Deposit[]
}

const COLUMNS = 'refid, asset, txid, output_index, address, amount, status, status_prop, at'

function openDepositTable(db: DatabaseSync, table: string): DepositTable {
  db.exec(`
    create table if not exists ${table} (
      refid text primary key,
      asset text not null,
      txid text not null,
      output_index integer not null,
      address text not null,
      amount text not null,
      status text not null,
      status_prop text,
      at integer not null,
      unique (txid, output_index)
    )`)
  const list = db.prepare(`
    select ${COLUMNS}
    from ${table}
    where ${MATCHES_LIST_FILTER}
    order by at desc, refid
    limit ?`)
  const insert = db.prepare(`
    insert into ${table} (${COLUMNS})
    values (:refid, :asset, :txid, :output_index, :address, :amount, :status, :status_prop, :at)`)
  const find = db.prepare(`
    select ${COLUMNS}
    from ${table}
    where txid = ?
      and output_index = ?`)
  const onHold = db.prepare(`
    select ${COLUMNS}
    from ${table}
    where refid = ?
      and status_prop = 'on-hold'`)
  const byId = db.prepare(`
    select ${COLUMNS}
    from ${table}
    where refid = ?`)
  const update = db.prepare(`
    update ${table}
    set status = ?, status_prop = ?
    where refid = ?`)
  return {
    insert: (deposit) => {
      insert.run(deposit)
    },
    find: (txid, output_index) => find.get(txid, output_index) as Deposit | undefined,
    onHold: (refid) => onHold.get(refid) as Deposit | undefined,
    byId: (refid) => byId.get(refid) as Deposit | undefined,
    update: (refid, status, status_prop) => {
      update.run(status, status_prop, refid)
    },
    list: (filter) => list.all(...listFilterValues(filter)) as Deposit[],
  }
}
