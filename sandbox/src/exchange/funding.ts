/**
 * Coins and wires in and out. A deposit is listed at first sight and credited when final; one that names nobody (a wire
 * without the client's reference from a stranger, a coin with the wrong tag) waits on hold. A withdrawal goes to a key that was
 * registered before; the fee comes out of the requested amount, as at Kraken: Initial → Pending → Settled (broadcast) → Success.
 */
import { randomBytes } from 'node:crypto'
import type { BankRails, Chain } from '../part.ts'
import type { World } from '../world.ts'
import type { Accounts } from './accounts.ts'
import { figure, floored, plain, tryFigure } from './figures.ts'
import type { Figure } from './figures.ts'
import { ASSETS, asset as assetOf, findAsset } from './listing.ts'
import type { Asset } from './listing.ts'
import type { Settings } from './settings.ts'

export const PART = 'kraken'
const INITIAL_MILLISECONDS = 1_500
const PENDING_MILLISECONDS = 1_500
const CLIENT_TAG = '3042017'
const BANK_NAME = 'Payward Ltd'

export type Deposit = {
  refid: string; asset: string; txid: string; output_index: number; address: string; amount: string
  status: 'Pending' | 'Success' | 'Failure'; status_prop: string | null; at: number
}
export type Withdrawal = {
  refid: string; asset: string; key: string; address: string; tag: string | null; amount: string; fee: string; txid: string | null
  status: 'Initial' | 'Pending' | 'Settled' | 'Success' | 'Failure'; status_prop: string | null; at: number; next_at: number
}
export type WithdrawalKey = { key: string; asset: string; address: string; tag: string | null }

export type Funding = {
  /** The exchange's own address of this asset, where the client pays in and from where the exchange sends; an IBAN for EUR. */
  address(asset: Asset): { address: string; tag: string | null }
  /** The code the client writes into a wire. */
  reference: string
  deposits(filter: ListFilter): Deposit[]
  withdrawals(filter: ListFilter): Withdrawal[]
  keys(): WithdrawalKey[]
  addKey(key: WithdrawalKey): void
  fee(asset: Asset): Figure
  setFee(asset: Asset, fee: string): void
  /** Kraken's error text, or what the withdrawal would do. */
  info(asset: Asset, key: string, amount: string): { error: string } | { amount: Figure; fee: Figure; limit: Figure }
  withdraw(asset: Asset, request: { key: string; amount: string; address: string | undefined; max_fee: string | undefined }): { error: string } | { refid: string }
  cancel(refid: string): boolean
  /** By hand: puts on hold, releases, or fails a withdrawal that is not sent yet. */
  decide(refid: string, action: 'hold' | 'release' | 'fail'): boolean
  /** By hand: credits a deposit that waits on hold. */
  releaseDeposit(refid: string): boolean
}

export type ListFilter = { asset?: string; from?: number; to?: number; limit: number }

const DEPOSIT = 'refid, asset, txid, output_index, address, amount, status, status_prop, at'
const WITHDRAWAL = 'refid, asset, key, address, tag, amount, fee, txid, status, status_prop, at, next_at'

const referenceId = () => `FT${randomBytes(4).toString('base64url').slice(0, 5)}-${randomBytes(18).toString('base64url').slice(0, 22)}`

export function openFunding(world: World, chain: Chain, bank: BankRails, accounts: Accounts, settings: Settings): Funding {
  const { db } = world
  db.exec(`
    create table if not exists exchange_deposits (
      refid text primary key, asset text not null, txid text not null, output_index integer not null, address text not null, amount text not null,
      status text not null, status_prop text, at integer not null, unique (txid, output_index));
    create table if not exists exchange_withdrawals (
      seq integer primary key autoincrement, refid text not null unique, asset text not null, key text not null, address text not null, tag text,
      amount text not null, fee text not null, txid text, status text not null, status_prop text, at integer not null, next_at integer not null);
    create index if not exists exchange_withdrawals_live on exchange_withdrawals (next_at) where status in ('Initial', 'Pending', 'Settled');
    create table if not exists exchange_withdrawal_keys (key text primary key, asset text not null, address text not null, tag text);
  `)
  const LISTED = '(? is null or asset = ?) and (? is null or at >= ?) and (? is null or at <= ?)'
  const listDeposits = db.prepare(`select ${DEPOSIT} from exchange_deposits where ${LISTED} order by at desc, refid limit ?`)
  const listWithdrawals = db.prepare(`select ${WITHDRAWAL} from exchange_withdrawals where ${LISTED} order by seq desc limit ?`)
  const live = db.prepare(`select ${WITHDRAWAL} from exchange_withdrawals where status in ('Initial', 'Pending', 'Settled') and status_prop is null and next_at <= ?`)
  const oneWithdrawal = db.prepare(`select ${WITHDRAWAL} from exchange_withdrawals where refid = ?`)
  const updateWithdrawal = db.prepare('update exchange_withdrawals set status = ?, status_prop = ?, txid = ?, next_at = ? where refid = ?')
  const insertDeposit = db.prepare(`insert into exchange_deposits (${DEPOSIT}) values (?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const oneDeposit = db.prepare(`select ${DEPOSIT} from exchange_deposits where txid = ? and output_index = ?`)
  const updateDeposit = db.prepare('update exchange_deposits set status = ?, status_prop = ? where refid = ?')
  const insertKey = db.prepare('insert or replace into exchange_withdrawal_keys (key, asset, address, tag) values (?, ?, ?, ?)')
  const keys = () => db.prepare('select key, asset, address, tag from exchange_withdrawal_keys order by key').all() as WithdrawalKey[]

  const reference = settings.once('reference', () => `KR${randomBytes(3).toString('hex').toUpperCase()}`)
  const iban = () => bank.account({ part: PART, locator: 'clients', name: BANK_NAME }, 'EUR').iban
  const address = (asset: Asset) => ({
    address: asset.id === 'ZEUR' ? iban() : settings.once(`address:${asset.id}`, () => chain.newAddress(asset.protocol, { part: PART, locator: asset.id })),
    tag: asset.tagged ? CLIENT_TAG : null,
  })
  world.commit(() => { for (const asset of ASSETS) address(asset) })
  const fee = (asset: Asset) => figure(settings.get(`fee:${asset.id}`) ?? asset.withdraw_fee)

  const sight = (seen: { asset: Asset; txid: string; output_index: number; address: string; amount: string; state: 'PENDING' | 'FINAL' | 'FAILED'; known: boolean }) => {
    let row = oneDeposit.get(seen.txid, seen.output_index) as Deposit | undefined
    if (row === undefined) {
      const refid = referenceId()
      insertDeposit.run(refid, seen.asset.id, seen.txid, seen.output_index, seen.address, plain(floored(figure(seen.amount), seen.asset.decimals)), 'Pending', null, world.now())
      row = oneDeposit.get(seen.txid, seen.output_index) as Deposit
    }
    if (row.status !== 'Pending' || row.status_prop !== null || seen.state === 'PENDING') return
    if (seen.state === 'FAILED') { updateDeposit.run('Failure', null, row.refid); return }
    // What is finer than the exchange's own last digit stays with the house.
    const credited = figure(row.amount)
    accounts.change(seen.known ? 'kontor' : 'unclaimed', seen.asset.id, credited)
    accounts.change('house', seen.asset.id, figure(seen.amount) - credited)
    if (seen.known) updateDeposit.run('Success', null, row.refid)
    else updateDeposit.run('Pending', 'on-hold', row.refid)
  }
  chain.onArrival(PART, (transfer, _locator, state) => {
    const asset = findAsset(transfer.asset)
    if (asset === undefined) throw new Error(`${transfer.asset} arrived, which is not listed`)
    if (state === 'FAILED') {
      const row = oneDeposit.get(transfer.transaction_hash, transfer.output_index) as Deposit | undefined
      if (row?.status === 'Pending') updateDeposit.run('Failure', null, row.refid)
      return
    }
    sight({
      asset, txid: transfer.transaction_hash, output_index: transfer.output_index, address: transfer.to_address, amount: transfer.quantity,
      state, known: !asset.tagged || transfer.tag === CLIENT_TAG,
    })
  })
  bank.onArrival(PART, (wire) => {
    const ours = keys().some((each) => each.asset === 'ZEUR' && each.address === wire.from_iban)
    const named = wire.reference.toUpperCase().includes(reference)
    sight({ asset: assetOf('ZEUR'), txid: wire.wire_id, output_index: 0, address: wire.from_iban, amount: wire.quantity, state: 'FINAL', known: ours || named })
  })

  const save = (row: Withdrawal) => { updateWithdrawal.run(row.status, row.status_prop, row.txid, row.next_at, row.refid) }
  const fail = (row: Withdrawal, prop: string | null) => {
    accounts.move('transit', 'kontor', row.asset, figure(row.amount))
    accounts.move('house', 'kontor', row.asset, figure(row.fee))
    save({ ...row, status: 'Failure', status_prop: prop })
  }
  const advance = (row: Withdrawal, now: number) => {
    const asset = assetOf(row.asset)
    if (row.status === 'Initial') return save({ ...row, status: 'Pending', next_at: now + PENDING_MILLISECONDS })
    if (row.status === 'Pending') {
      accounts.change('transit', asset.id, -figure(row.amount))
      if (asset.id === 'ZEUR') {
        const { wire_id } = bank.wire({ from_iban: iban(), to_iban: row.address, to_name: 'Kontor', quantity: row.amount, currency: 'EUR', reference: `KRAKEN ${row.refid}` })
        return save({ ...row, status: 'Success', txid: wire_id })
      }
      const network = chain.fee(asset.protocol, 'MEDIUM')
      accounts.change('house', assetId(network.asset), -figure(network.fee))
      const { transaction_hash } = chain.send({ asset: asset.common, protocol: asset.protocol, from_address: address(asset).address, to_address: row.address, tag: row.tag, quantity: row.amount, fee: network.fee })
      return save({ ...row, status: 'Settled', txid: transaction_hash })
    }
    const transaction = chain.transaction(row.txid ?? '')
    if (transaction?.state === 'FINAL') save({ ...row, status: 'Success' })
    if (transaction?.state === 'FAILED') {
      accounts.change('transit', asset.id, figure(row.amount))
      fail(row, null)
    }
  }
  world.onTick((now) => {
    const due = live.all(now) as Withdrawal[]
    if (due.length > 0) world.commit(() => { for (const row of due) advance(row, now) })
  })

  const info: Funding['info'] = (asset, key, text) => {
    const target = keys().find((each) => each.key === key && each.asset === asset.id)
    if (target === undefined) return { error: 'EFunding:Unknown withdraw key' }
    const amount = tryFigure(text)
    if (amount === undefined || amount === 0n || floored(amount, asset.transfer_decimals) !== amount) return { error: 'EFunding:Invalid amount' }
    const limit = accounts.free('kontor', asset.id)
    return { amount: amount - fee(asset), fee: fee(asset), limit }
  }
  const listed = (filter: ListFilter) => {
    const [asset, from, to] = [filter.asset ?? null, filter.from ?? null, filter.to ?? null]
    return [asset, asset, from, from, to, to, filter.limit]
  }
  const waiting = (refid: string) => {
    const row = oneWithdrawal.get(refid) as Withdrawal | undefined
    return row !== undefined && (row.status === 'Initial' || row.status === 'Pending') ? row : undefined
  }
  return {
    address, reference, keys, fee, info,
    addKey: ({ key, asset, address: to, tag }) => { insertKey.run(key, asset, to, tag) },
    setFee: (asset, value) => { settings.set(`fee:${asset.id}`, value) },
    deposits: (filter) => listDeposits.all(...listed(filter)) as Deposit[],
    withdrawals: (filter) => listWithdrawals.all(...listed(filter)) as Withdrawal[],
    withdraw: (asset, request) => world.commit(() => {
      const planned = info(asset, request.key, request.amount)
      if ('error' in planned) return planned
      const target = keys().find((each) => each.key === request.key) as WithdrawalKey
      if (request.address !== undefined && request.address !== target.address) return { error: 'EFunding:Invalid withdrawal address' }
      if (request.max_fee !== undefined && (tryFigure(request.max_fee) ?? 0n) < planned.fee) return { error: 'EFunding:Max fee exceeded' }
      const gross = figure(request.amount)
      if (gross < figure(asset.withdraw_minimum)) return { error: 'EFunding:Amount less than minimum' }
      if (planned.amount <= 0n) return { error: 'EFunding:Invalid amount' }
      if (accounts.free('kontor', asset.id) < gross) return { error: 'EFunding:Insufficient funds' }
      accounts.move('kontor', 'transit', asset.id, planned.amount)
      accounts.move('kontor', 'house', asset.id, planned.fee)
      const refid = referenceId()
      const now = world.now()
      db.prepare(`insert into exchange_withdrawals (${WITHDRAWAL}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
        .run(refid, asset.id, target.key, target.address, target.tag, plain(planned.amount), plain(planned.fee), null, 'Initial', null, now, now + INITIAL_MILLISECONDS)
      return { refid }
    }),
    cancel: (refid) => world.commit(() => {
      const row = waiting(refid)
      if (row === undefined) return false
      fail(row, 'canceled')
      return true
    }),
    decide: (refid, action) => world.commit(() => {
      const row = waiting(refid)
      if (row === undefined) return false
      if (action === 'fail') fail(row, null)
      else save({ ...row, status_prop: action === 'hold' ? 'onhold' : null })
      return true
    }),
    releaseDeposit: (refid) => world.commit(() => {
      const row = db.prepare(`select ${DEPOSIT} from exchange_deposits where refid = ? and status_prop = 'on-hold'`).get(refid) as Deposit | undefined
      if (row === undefined) return false
      accounts.move('unclaimed', 'kontor', row.asset, figure(row.amount))
      updateDeposit.run('Success', null, refid)
      return true
    }),
  }
}

function assetId(common: string): string {
  const found = findAsset(common)
  if (found === undefined) throw new Error(`${common} is not listed`)
  return found.id
}
