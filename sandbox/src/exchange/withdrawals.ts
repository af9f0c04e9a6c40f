/**
 * What goes out. A withdrawal takes what it sends and its fee at once: Initial → Pending →
 * Settled (broadcast) → Success; a wire goes from Pending to Success. Each exchange words these
 * states in its own way.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { BankRails, Chain } from '../part.ts'
import type { World } from '../world.ts'
import type { Accounts } from './accounts.ts'
import { figure, plain } from './figures.ts'
import type { Figure } from './figures.ts'
import { assetByWord, assetOf, funderOf, isMoney } from './rules.ts'
import type { Asset, Rules } from './rules.ts'
import { listFilterValues, MATCHES_LIST_FILTER } from './tables.ts'
import type { ListFilter } from './tables.ts'

const INITIAL_MILLISECONDS = 1_500
const PENDING_MILLISECONDS = 1_500

/**
 * Under this name the exchange pays out what it owes; the client's list of withdrawals leaves it
 * out.
 */
export const PAYOUT_KEY = 'payout of the exchange'

export type Withdrawal = {
  refid: string
  asset: string
  key: string
  address: string
  tag: string | null
  amount: string
  fee: string
  txid: string | null
  status: 'Initial' | 'Pending' | 'Settled' | 'Success' | 'Failure'
  status_prop: string | null
  at: number
  next_at: number
}

/** `key` is the client's name for the destination, if any. */
type WithdrawalRequest = {
  key: string
  address: string
  tag: string | null
  amount: Figure
  fee: Figure
}

export type Withdrawals = {
  list(filter: ListFilter): Withdrawal[]
  payouts(limit: number): Withdrawal[]
  /** Takes `amount`, which will arrive, and `fee`. Undefined when the client does not have both. */
  request(asset: Asset, request: WithdrawalRequest): { refid: string } | undefined
  cancel(refid: string): boolean
  /** By hand: puts on hold, releases, or fails a withdrawal that is not sent yet. */
  decide(refid: string, action: 'hold' | 'release' | 'fail'): boolean
  /** By hand: says that one which was done has come back. Its money is no part of that. */
  comeBack(refid: string): boolean
}

type Parts = {
  world: World
  rules: Rules
  chain: Chain
  bank: BankRails
  accounts: Accounts
  /** From where the exchange sends this asset; an IBAN for money. */
  senderOf(asset: Asset): string
}

export function openWithdrawals(parts: Parts): Withdrawals {
  const { world, rules } = parts
  const table = openWithdrawalTable(world.db, `${rules.tables}_withdrawals`)
  world.onTick((now) => {
    const due = table.due(now)
    if (due.length === 0) return
    world.commit(() => {
      for (const row of due) advance(parts, table, row, now)
    })
  })
  return {
    list: table.list,
    payouts: table.payouts,
    request: (asset, request) => world.commit(() => take(parts, table, asset, request)),
    cancel: (refid) =>
      world.commit(() => {
        const row = table.unsent(refid)
        if (row === undefined) return false
        fail(parts, table, row, 'canceled')
        return true
      }),
    decide: (refid, action) =>
      world.commit(() => {
        const row = table.unsent(refid)
        if (row === undefined) return false
        if (action === 'fail') fail(parts, table, row, null)
        else table.save({ ...row, status_prop: action === 'hold' ? 'onhold' : null })
        return true
      }),
    comeBack: (refid) =>
      world.commit(() => {
        const row = table.done(refid)
        if (row === undefined) return false
        table.save({ ...row, status_prop: 'return' })
        return true
      }),
  }
}

function take(
  { world, rules, accounts }: Parts,
  table: WithdrawalTable,
  asset: Asset,
  { key, address, tag, amount, fee }: WithdrawalRequest,
): { refid: string } | undefined {
  // A client that trades on credit withdraws nothing: the exchange pays out what it owes.
  const allowed = rules.credit === undefined || key === PAYOUT_KEY
  if (!allowed || accounts.free(funderOf(rules), asset.id) < amount + fee) return undefined
  accounts.move(funderOf(rules), 'transit', asset.id, amount)
  accounts.move(funderOf(rules), 'house', asset.id, fee)
  const refid = rules.transfer_id()
  const now = world.now()
  table.insert({
    refid,
    asset: asset.id,
    key,
    address,
    tag,
    amount: plain(amount),
    fee: plain(fee),
    txid: null,
    status: 'Initial',
    status_prop: null,
    at: now,
    next_at: now + INITIAL_MILLISECONDS,
  })
  return { refid }
}

/** The next step of a withdrawal that is due. */
function advance(parts: Parts, table: WithdrawalTable, row: Withdrawal, now: number): void {
  if (row.status === 'Initial')
    return table.save({ ...row, status: 'Pending', next_at: now + PENDING_MILLISECONDS })
  const asset = assetOf(parts.rules, row.asset)
  if (row.status === 'Settled') return confirm(parts, table, row, asset)
  parts.accounts.change('transit', asset.id, -figure(row.amount))
  if (isMoney(asset)) {
    const txid = wire(parts, row, asset)
    return table.save({ ...row, status: 'Success', txid })
  }
  const txid = broadcast(parts, row, asset)
  return table.save({ ...row, status: 'Settled', txid })
}

function wire({ bank, rules, senderOf }: Parts, row: Withdrawal, asset: Asset): string {
  const { wire_id } = bank.wire({
    from_iban: senderOf(asset),
    to_iban: row.address,
    to_name: 'Kontor',
    quantity: row.amount,
    currency: asset.common,
    reference: `${rules.wire_word} ${row.refid}`,
  })
  return wire_id
}

/** The exchange pays the network's fee itself. */
function broadcast(parts: Parts, row: Withdrawal, asset: Asset): string {
  const { chain, rules, accounts, senderOf } = parts
  const network = chain.fee(asset.protocol, 'MEDIUM', asset.common)
  accounts.change('house', assetByWord(rules, network.asset).id, -figure(network.fee))
  const { transaction_hash } = chain.send({
    asset: asset.common,
    protocol: asset.protocol,
    from_address: senderOf(asset),
    to_address: row.address,
    tag: row.tag,
    quantity: row.amount,
    fee: network.fee,
  })
  return transaction_hash
}

function confirm(parts: Parts, table: WithdrawalTable, row: Withdrawal, asset: Asset): void {
  const transaction = parts.chain.transaction(row.txid ?? '')
  if (transaction?.state === 'FINAL') table.save({ ...row, status: 'Success' })
  if (transaction?.state === 'FAILED') {
    const { accounts, rules } = parts
    const network = parts.chain.fee(asset.protocol, 'MEDIUM', asset.common)
    accounts.change('transit', asset.id, figure(row.amount))
    accounts.change('house', assetByWord(rules, network.asset).id, figure(transaction.fee))
    fail(parts, table, row, null)
  }
}

function fail(
  { accounts, rules }: Parts,
  table: WithdrawalTable,
  row: Withdrawal,
  status_prop: string | null,
): void {
  accounts.move('transit', funderOf(rules), row.asset, figure(row.amount))
  accounts.move('house', funderOf(rules), row.asset, figure(row.fee))
  table.save({ ...row, status: 'Failure', status_prop })
}

type WithdrawalTable = {
  insert(withdrawal: Withdrawal): void
  save(withdrawal: Withdrawal): void
  /** Those whose next step is due. */
  due(now: number): Withdrawal[]
  /** One that is not sent yet. */
  unsent(refid: string): Withdrawal | undefined
  done(refid: string): Withdrawal | undefined
  list(filter: ListFilter): Withdrawal[]
  payouts(limit: number): Withdrawal[]
}

const COLUMNS =
  'refid, asset, key, address, tag, amount, fee, txid, status, status_prop, at, next_at'
const IS_LIVE = "status in ('Initial', 'Pending', 'Settled')"

function createTable(db: DatabaseSync, table: string): void {
  db.exec(`
    create table if not exists ${table} (
      seq integer primary key autoincrement,
      refid text not null unique,
      asset text not null,
      key text not null,
      address text not null,
      tag text,
      amount text not null,
      fee text not null,
      txid text,
      status text not null,
      status_prop text,
      at integer not null,
      next_at integer not null
    );
    create index if not exists ${table}_live on ${table} (next_at) where ${IS_LIVE};
  `)
}

function openWithdrawalTable(db: DatabaseSync, table: string): WithdrawalTable {
  createTable(db, table)
  const list = db.prepare(`
    select ${COLUMNS}
    from ${table}
    where key <> '${PAYOUT_KEY}'
      and ${MATCHES_LIST_FILTER}
    order by seq desc
    limit ?`)
  const payouts = db.prepare(`
    select ${COLUMNS}
    from ${table}
    where key = '${PAYOUT_KEY}'
    order by seq desc
    limit ?`)
  const due = db.prepare(`
    select ${COLUMNS}
    from ${table}
    where ${IS_LIVE}
      and status_prop is null
      and next_at <= ?`)
  const one = db.prepare(`
    select ${COLUMNS}
    from ${table}
    where refid = ?`)
  const update = db.prepare(`
    update ${table}
    set status = ?, status_prop = ?, txid = ?, next_at = ?
    where refid = ?`)
  const insert = db.prepare(`
    insert into ${table} (${COLUMNS})
    values (:refid, :asset, :key, :address, :tag, :amount, :fee, :txid, :status, :status_prop,
      :at, :next_at)`)
  return {
    insert: (withdrawal) => {
      insert.run(withdrawal)
    },
    save: ({ status, status_prop, txid, next_at, refid }) => {
      update.run(status, status_prop, txid, next_at, refid)
    },
    due: (now) => due.all(now) as Withdrawal[],
    unsent(refid) {
      const row = one.get(refid) as Withdrawal | undefined
      return row?.status === 'Initial' || row?.status === 'Pending' ? row : undefined
    },
    done(refid) {
      const row = one.get(refid) as Withdrawal | undefined
      return row?.status === 'Success' && row.status_prop === null ? row : undefined
    },
    list: (filter) => list.all(...listFilterValues(filter)) as Withdrawal[],
    payouts: (limit) => payouts.all(limit) as Withdrawal[],
  }
}
