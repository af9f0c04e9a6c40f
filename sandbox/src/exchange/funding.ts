/**
 * Coins and wires in and out. A deposit is listed at first sight and credited when final; one that names nobody (a wire
 * without the client's reference from a stranger, a coin with the wrong tag) waits on hold. A withdrawal takes what it sends and
 * its fee at once: Initial → Pending → Settled (broadcast) → Success. Each exchange words these states in its own way.
 */
import { randomBytes } from 'node:crypto'
import type { BankRails, Chain } from '../part.ts'
import type { World } from '../world.ts'
import type { Accounts } from './accounts.ts'
import { figure, floored, plain } from './figures.ts'
import type { Figure } from './figures.ts'
import { assetByWord, assetOf, isMoney } from './rules.ts'
import type { Asset, Rules } from './rules.ts'
import type { Settings } from './settings.ts'

const INITIAL_MILLISECONDS = 1_500
const PENDING_MILLISECONDS = 1_500

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

export type Funding = {
  /** The exchange's own address of this asset, where the client pays in and from where the exchange sends; an IBAN for EUR. */
  address(asset: Asset): { address: string; tag: string | null }
  /** The code the client writes into a wire. */
  reference: string
  deposits(filter: ListFilter): Deposit[]
  withdrawals(filter: ListFilter): Withdrawal[]
  payouts(limit: number): Withdrawal[]
  fee(asset: Asset): Figure
  setFee(asset: Asset, fee: string): void
  /** Takes `amount`, which will arrive, and `fee`; undefined when the client does not have both. `key` is the client's name for the destination, if any. */
  withdraw(
    asset: Asset,
    request: { key: string; address: string; tag: string | null; amount: Figure; fee: Figure },
  ): { refid: string } | undefined
  cancel(refid: string): boolean
  /** By hand: puts on hold, releases, or fails a withdrawal that is not sent yet. */
  decide(refid: string, action: 'hold' | 'release' | 'fail'): boolean
  /** By hand: credits a deposit that waits on hold. */
  releaseDeposit(refid: string): boolean
}

/** Under this name the exchange itself pays out what it owes; the client's list of withdrawals does not have it. */
export const PAYOUT_KEY = 'payout of the exchange'

export type ListFilter = { asset?: string; from?: number; to?: number; limit: number }

const DEPOSIT = 'refid, asset, txid, output_index, address, amount, status, status_prop, at'
const WITHDRAWAL =
  'refid, asset, key, address, tag, amount, fee, txid, status, status_prop, at, next_at'

/** `knowsPayer`: whether a wire from this account is the client's even without the reference. */
export function openFunding(
  world: World,
  rules: Rules,
  chain: Chain,
  bank: BankRails,
  accounts: Accounts,
  settings: Settings,
  knowsPayer: (iban: string) => boolean,
): Funding {
  const { db } = world
  const [DEPOSITS, WITHDRAWALS] = [`${rules.tables}_deposits`, `${rules.tables}_withdrawals`]
  db.exec(`
    create table if not exists ${DEPOSITS} (
      refid text primary key, asset text not null, txid text not null, output_index integer not null, address text not null, amount text not null,
      status text not null, status_prop text, at integer not null, unique (txid, output_index));
    create table if not exists ${WITHDRAWALS} (
      seq integer primary key autoincrement, refid text not null unique, asset text not null, key text not null, address text not null, tag text,
      amount text not null, fee text not null, txid text, status text not null, status_prop text, at integer not null, next_at integer not null);
    create index if not exists ${WITHDRAWALS}_live on ${WITHDRAWALS} (next_at) where status in ('Initial', 'Pending', 'Settled');
  `)
  const LISTED = '(? is null or asset = ?) and (? is null or at >= ?) and (? is null or at <= ?)'
  const listDeposits = db.prepare(
    `select ${DEPOSIT} from ${DEPOSITS} where ${LISTED} order by at desc, refid limit ?`,
  )
  const listWithdrawals = db.prepare(
    `select ${WITHDRAWAL} from ${WITHDRAWALS} where key <> '${PAYOUT_KEY}' and ${LISTED} order by seq desc limit ?`,
  )
  const listPayouts = db.prepare(
    `select ${WITHDRAWAL} from ${WITHDRAWALS} where key = '${PAYOUT_KEY}' order by seq desc limit ?`,
  )
  const live = db.prepare(
    `select ${WITHDRAWAL} from ${WITHDRAWALS} where status in ('Initial', 'Pending', 'Settled') and status_prop is null and next_at <= ?`,
  )
  const oneWithdrawal = db.prepare(`select ${WITHDRAWAL} from ${WITHDRAWALS} where refid = ?`)
  const updateWithdrawal = db.prepare(
    `update ${WITHDRAWALS} set status = ?, status_prop = ?, txid = ?, next_at = ? where refid = ?`,
  )
  const insertWithdrawal = db.prepare(
    `insert into ${WITHDRAWALS} (${WITHDRAWAL}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const insertDeposit = db.prepare(
    `insert into ${DEPOSITS} (${DEPOSIT}) values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const oneDeposit = db.prepare(
    `select ${DEPOSIT} from ${DEPOSITS} where txid = ? and output_index = ?`,
  )
  const updateDeposit = db.prepare(
    `update ${DEPOSITS} set status = ?, status_prop = ? where refid = ?`,
  )

  const reference = settings.once(
    'reference',
    () => `${rules.reference_prefix}${randomBytes(3).toString('hex').toUpperCase()}`,
  )
  const iban = () =>
    bank.account({ part: rules.part, locator: 'clients', name: rules.bank_name }, 'EUR').iban
  const address = (asset: Asset) => ({
    address: isMoney(asset)
      ? iban()
      : settings.once(`address:${asset.id}`, () =>
          chain.newAddress(asset.protocol, { part: rules.part, locator: asset.id }),
        ),
    tag: asset.tagged ? rules.client_tag : null,
  })
  world.commit(() => {
    for (const asset of rules.assets) address(asset)
  })
  const fee = (asset: Asset) => figure(settings.get(`fee:${asset.id}`) ?? asset.withdraw_fee)

  const sight = (seen: {
    asset: Asset
    txid: string
    output_index: number
    address: string
    amount: string
    state: 'PENDING' | 'FINAL' | 'FAILED'
    known: boolean
  }) => {
    let row = oneDeposit.get(seen.txid, seen.output_index) as Deposit | undefined
    if (row === undefined) {
      const refid = rules.transfer_id()
      insertDeposit.run(
        refid,
        seen.asset.id,
        seen.txid,
        seen.output_index,
        seen.address,
        plain(floored(figure(seen.amount), seen.asset.decimals)),
        'Pending',
        null,
        world.now(),
      )
      row = oneDeposit.get(seen.txid, seen.output_index) as Deposit
    }
    if (row.status !== 'Pending' || row.status_prop !== null || seen.state === 'PENDING') return
    if (seen.state === 'FAILED') {
      updateDeposit.run('Failure', null, row.refid)
      return
    }
    // What is finer than the exchange's own last digit stays with the house.
    const credited = figure(row.amount)
    accounts.change(seen.known ? 'kontor' : 'unclaimed', seen.asset.id, credited)
    accounts.change('house', seen.asset.id, figure(seen.amount) - credited)
    if (seen.known) updateDeposit.run('Success', null, row.refid)
    else updateDeposit.run('Pending', 'on-hold', row.refid)
  }
  chain.onArrival(rules.part, (transfer, _locator, state) => {
    const asset = assetByWord(rules, transfer.asset)
    if (state === 'FAILED') {
      const row = oneDeposit.get(transfer.transaction_hash, transfer.output_index) as
        | Deposit
        | undefined
      if (row?.status === 'Pending') updateDeposit.run('Failure', null, row.refid)
      return
    }
    sight({
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
    const known = knowsPayer(wire.from_iban) || wire.reference.toUpperCase().includes(reference)
    sight({
      asset: assetByWord(rules, wire.currency),
      txid: wire.wire_id,
      output_index: 0,
      address: wire.from_iban,
      amount: wire.quantity,
      state: 'FINAL',
      known,
    })
  })

  const save = (row: Withdrawal) => {
    updateWithdrawal.run(row.status, row.status_prop, row.txid, row.next_at, row.refid)
  }
  const fail = (row: Withdrawal, prop: string | null) => {
    accounts.move('transit', 'kontor', row.asset, figure(row.amount))
    accounts.move('house', 'kontor', row.asset, figure(row.fee))
    save({ ...row, status: 'Failure', status_prop: prop })
  }
  const advance = (row: Withdrawal, now: number) => {
    const asset = assetOf(rules, row.asset)
    if (row.status === 'Initial')
      return save({ ...row, status: 'Pending', next_at: now + PENDING_MILLISECONDS })
    if (row.status === 'Pending') {
      accounts.change('transit', asset.id, -figure(row.amount))
      if (isMoney(asset)) {
        const { wire_id } = bank.wire({
          from_iban: iban(),
          to_iban: row.address,
          to_name: 'Kontor',
          quantity: row.amount,
          currency: asset.common,
          reference: `${rules.wire_word} ${row.refid}`,
        })
        return save({ ...row, status: 'Success', txid: wire_id })
      }
      const network = chain.fee(asset.protocol, 'MEDIUM')
      accounts.change('house', assetByWord(rules, network.asset).id, -figure(network.fee))
      const { transaction_hash } = chain.send({
        asset: asset.common,
        protocol: asset.protocol,
        from_address: address(asset).address,
        to_address: row.address,
        tag: row.tag,
        quantity: row.amount,
        fee: network.fee,
      })
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
    if (due.length > 0)
      world.commit(() => {
        for (const row of due) advance(row, now)
      })
  })

  const listed = (filter: ListFilter) => {
    const [asset, from, to] = [filter.asset ?? null, filter.from ?? null, filter.to ?? null]
    return [asset, asset, from, from, to, to, filter.limit]
  }
  const waiting = (refid: string) => {
    const row = oneWithdrawal.get(refid) as Withdrawal | undefined
    return row !== undefined && (row.status === 'Initial' || row.status === 'Pending')
      ? row
      : undefined
  }
  return {
    address,
    reference,
    fee,
    setFee: (asset, value) => {
      settings.set(`fee:${asset.id}`, value)
    },
    deposits: (filter) => listDeposits.all(...listed(filter)) as Deposit[],
    withdrawals: (filter) => listWithdrawals.all(...listed(filter)) as Withdrawal[],
    payouts: (limit) => listPayouts.all(limit) as Withdrawal[],
    withdraw: (asset, { key, address: to, tag, amount, fee: taken }) =>
      world.commit(() => {
        // Who trades on credit takes out nothing: what is owed is paid out.
        const may = rules.credit === undefined || key === PAYOUT_KEY
        if (!may || accounts.free('kontor', asset.id) < amount + taken) return undefined
        accounts.move('kontor', 'transit', asset.id, amount)
        accounts.move('kontor', 'house', asset.id, taken)
        const refid = rules.transfer_id()
        const now = world.now()
        insertWithdrawal.run(
          refid,
          asset.id,
          key,
          to,
          tag,
          plain(amount),
          plain(taken),
          null,
          'Initial',
          null,
          now,
          now + INITIAL_MILLISECONDS,
        )
        return { refid }
      }),
    cancel: (refid) =>
      world.commit(() => {
        const row = waiting(refid)
        if (row === undefined) return false
        fail(row, 'canceled')
        return true
      }),
    decide: (refid, action) =>
      world.commit(() => {
        const row = waiting(refid)
        if (row === undefined) return false
        if (action === 'fail') fail(row, null)
        else save({ ...row, status_prop: action === 'hold' ? 'onhold' : null })
        return true
      }),
    releaseDeposit: (refid) =>
      world.commit(() => {
        const row = db
          .prepare(`select ${DEPOSIT} from ${DEPOSITS} where refid = ? and status_prop = 'on-hold'`)
          .get(refid) as Deposit | undefined
        if (row === undefined) return false
        accounts.move('unclaimed', 'kontor', row.asset, figure(row.amount))
        updateDeposit.run('Success', null, refid)
        return true
      }),
  }
}
