/**
 * One chain for all coins: addresses, transactions, blocks by the world's clock, network fees.
 *
 * It knows which part holds how much, apart from the parts' own books, and never less than nothing. A sent coin is in
 * `transit` until final, its fee in the `fees` pot at once: the sum per asset over all holders never changes.
 * An address that nobody here made belongs to the `outside`.
 *
 * A transaction has a row per output. Fault, venue `chain`, operation `confirm`: REFUSE fails the transaction that would get
 * its first confirmation next, with all its outputs.
 */
import { randomBytes } from 'node:crypto'
import { amount, fits, plain, raise, times } from '../amount.ts'
import { OUTSIDE } from '../genesis.ts'
import type { Chain, CoinTransfer, Holding } from '../part.ts'
import type { World } from '../world.ts'
import { canonical, isAddress, randomAddress } from './address.ts'
import { mountControl } from './control.ts'
import { PROTOCOLS, protocolOf } from './protocols.ts'
import type { Address, ChainPart, Transaction } from './protocols.ts'

const LEVELS = { LOW: '0.6', MEDIUM: '1', HIGH: '1.7' } as const
/** The fee swings between 0.85 and 1.15 of its base once in this time. */
const FEE_SWING_SECONDS = 1200

const COLUMNS =
  'transaction_hash, protocol, asset, from_address, to_address, tag, output_index, quantity, fee, sent_at, confirmations, state'

const TRANSACTIONS = `create table if not exists chain_transactions (
  transaction_hash text not null, protocol text not null, asset text not null, from_address text not null, to_address text not null, tag text,
  output_index integer not null, quantity text not null, fee text not null, sent_at integer not null,
  confirmations integer not null, notified integer not null, state text not null, primary key (transaction_hash, output_index));`

/** In a world that was begun before transactions had several outputs a hash stood for one row: its rows go on in a table of today. */
function renewTransactions({ db }: World): void {
  const keys = (
    db.prepare('pragma table_info(chain_transactions)').all() as { pk: number }[]
  ).filter((each) => each.pk > 0)
  if (keys.length !== 1) return
  db.exec(`begin;
    alter table chain_transactions rename to chain_transactions_before;
    ${TRANSACTIONS}
    insert into chain_transactions (${COLUMNS}, notified) select ${COLUMNS}, notified from chain_transactions_before;
    drop table chain_transactions_before;
    commit;`)
}

export function openChain(world: World): ChainPart {
  const { db } = world
  renewTransactions(world)
  db.exec(`
    create table if not exists chain_addresses (address text primary key, protocol text not null, part text not null, locator text not null);
    create table if not exists chain_holdings (holder text not null, asset text not null, quantity text not null, primary key (holder, asset));
    ${TRANSACTIONS}
    create index if not exists chain_transactions_live on chain_transactions (sent_at) where state = 'PENDING';
    create index if not exists chain_transactions_to on chain_transactions (to_address);
  `)
  const selectAddress = db.prepare(
    'select address, protocol, part, locator from chain_addresses where address = ?',
  )
  const insertAddress = db.prepare(
    'insert into chain_addresses (address, protocol, part, locator) values (?, ?, ?, ?)',
  )
  const selectHolding = db.prepare(
    'select quantity from chain_holdings where holder = ? and asset = ?',
  )
  const upsertHolding = db.prepare(
    'insert or replace into chain_holdings (holder, asset, quantity) values (?, ?, ?)',
  )
  const insertTransaction = db.prepare(
    `insert into chain_transactions (${COLUMNS}, notified) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 'PENDING', -1)`,
  )
  const selectTransaction = db.prepare(
    `select ${COLUMNS} from chain_transactions where transaction_hash = ? order by output_index`,
  )
  const selectLive = db.prepare(
    `select ${COLUMNS}, notified from chain_transactions where state = 'PENDING' order by sent_at, transaction_hash, output_index`,
  )
  const update = db.prepare(
    'update chain_transactions set confirmations = ?, notified = ?, state = ? where transaction_hash = ? and output_index = ?',
  )
  const handlers = new Map<string, Parameters<Chain['onArrival']>[1]>()

  const addressOf = (address: string) => selectAddress.get(address) as Address | undefined
  const holderOf = (address: string) => addressOf(address)?.part ?? 'outside'
  const change = (holder: string, asset: string, by: bigint) => {
    const held =
      amount(
        (selectHolding.get(holder, asset) as { quantity: string } | undefined)?.quantity ?? '0',
      ) + by
    if (held < 0n) throw new Error(`${holder} does not hold ${plain(-by)} ${asset} on the chain`)
    upsertHolding.run(holder, asset, plain(held))
  }
  const newAddress: Chain['newAddress'] = (protocol, owner) => {
    const address = randomAddress(protocol)
    insertAddress.run(address, protocol, owner.part, owner.locator)
    return address
  }

  world.commit(() => {
    if (db.prepare("select 1 from chain_holdings where holder = 'outside'").get() !== undefined)
      return
    for (const { protocol, asset } of PROTOCOLS) {
      newAddress(protocol, { part: 'outside', locator: 'mankind' })
      change('outside', asset, amount(OUTSIDE[asset as keyof typeof OUTSIDE]))
    }
  })

  type Live = Transaction & { notified: number }
  const confirm = (outputs: Live[], now: number) => {
    const [any] = outputs
    if (any === undefined) return
    const { block_ms, confirmations: required } = protocolOf(any.protocol)
    // It goes into the first block after it was sent.
    const confirmations = Math.min(
      required,
      Math.max(0, Math.floor(now / block_ms) - Math.floor(any.sent_at / block_ms)),
    )
    if (confirmations === any.notified) return
    const first = confirmations > 0 && any.confirmations === 0
    const failed = first && world.faults.takeNamed('chain', 'confirm')?.kind === 'REFUSE'
    for (const row of outputs) settle(row, confirmations, failed)
  }
  const settle = (row: Live, confirmations: number, failed: boolean) => {
    const { confirmations: required, asset } = protocolOf(row.protocol)
    const state = failed ? 'FAILED' : confirmations === required ? 'FINAL' : 'PENDING'
    if (state !== 'PENDING') {
      change('transit', asset, -amount(row.quantity))
      change(
        holderOf(state === 'FINAL' ? row.to_address : row.from_address),
        asset,
        amount(row.quantity),
      )
    }
    update.run(
      failed ? 0 : confirmations,
      confirmations,
      state,
      row.transaction_hash,
      row.output_index,
    )
    const owner = addressOf(row.to_address)
    const transfer: CoinTransfer = {
      transaction_hash: row.transaction_hash,
      output_index: row.output_index,
      asset: row.asset,
      protocol: row.protocol,
      from_address: row.from_address,
      to_address: row.to_address,
      tag: row.tag,
      quantity: row.quantity,
      confirmations: failed ? 0 : confirmations,
      required_confirmations: required,
    }
    if (owner !== undefined) handlers.get(owner.part)?.(transfer, owner.locator, state)
  }
  world.onTick((now) => {
    const live = Map.groupBy(selectLive.all() as Live[], (live) => live.transaction_hash)
    if (live.size > 0)
      world.commit(() => {
        for (const outputs of live.values()) confirm(outputs, now)
      })
  })

  const find = (hash: string) => selectTransaction.all(hash) as Transaction[]
  const chain: ChainPart = {
    name: 'chain',
    mount(server) {
      mountControl(server, world, chain)
    },
    newAddress,
    endow({ asset, address, quantity }) {
      change(holderOf(address), asset, amount(quantity))
    },
    send: ({ to_address, tag, quantity, ...rest }) =>
      chain.sendMany({ ...rest, outputs: [{ to_address, tag, quantity }] }),
    sendMany({ asset, protocol, from_address, outputs, fee }) {
      const { decimals, asset: coin, many_outputs } = protocolOf(protocol)
      if (asset !== coin) throw new Error(`${asset} does not live on ${protocol}`)
      if (outputs.length !== 1 && !(many_outputs && outputs.length > 1))
        throw new Error(`a ${protocol} transaction cannot have ${outputs.length} destinations`)
      for (const { to_address, quantity } of outputs) {
        if (!isAddress(protocol, to_address))
          throw new Error(`${to_address} is no ${protocol} address`)
        const value = amount(quantity)
        if (value <= 0n || !fits(value, decimals))
          throw new Error(`${quantity} ${asset} cannot be sent`)
        change(holderOf(from_address), asset, -value)
        change('transit', asset, value)
      }
      change(holderOf(from_address), asset, -amount(fee))
      change('fees', asset, amount(fee))
      const hex = randomBytes(32).toString('hex')
      const transaction_hash =
        protocol === 'ETH' ? `0x${hex}` : protocol === 'XRP' ? hex.toUpperCase() : hex
      // A BTC transaction has one more output, the change; at which place is chance.
      const change_at = many_outputs
        ? Number.parseInt(hex.slice(0, 4), 16) % (outputs.length + 1)
        : outputs.length
      for (const [place, { to_address, tag, quantity }] of outputs.entries()) {
        insertTransaction.run(
          transaction_hash,
          protocol,
          asset,
          from_address,
          canonical(protocol, to_address),
          tag,
          place < change_at ? place : place + 1,
          plain(amount(quantity)),
          place === 0 ? plain(amount(fee)) : '0',
          world.now(),
        )
      }
      return { transaction_hash }
    },
    transaction(hash) {
      const [row] = find(hash)
      if (row === undefined) return undefined
      return {
        transaction_hash: hash,
        confirmations: row.confirmations,
        required_confirmations: protocolOf(row.protocol).confirmations,
        state: row.state,
      }
    },
    onArrival(part, arrived) {
      handlers.set(part, arrived)
    },
    fee(protocol, level) {
      const { asset, base_fee, fee_decimals } = protocolOf(protocol)
      const second = Math.floor(world.now() / 1000) % FEE_SWING_SECONDS
      const half = FEE_SWING_SECONDS / 2
      const permille = 850n + BigInt(Math.floor((300 * (half - Math.abs(second - half))) / half))
      const swung = (amount(base_fee) * permille) / 1000n
      return { asset, fee: plain(raise(times(swung, amount(LEVELS[level])), fee_decimals)) }
    },
    holdings: () =>
      db
        .prepare('select holder, asset, quantity from chain_holdings order by asset, holder')
        .all() as Holding[],
    outside: () =>
      db
        .prepare(
          "select address, protocol, part, locator from chain_addresses where part = 'outside' order by protocol, address",
        )
        .all() as Address[],
    received: (address) =>
      db
        .prepare(
          `select ${COLUMNS} from chain_transactions where to_address = ? order by sent_at, transaction_hash`,
        )
        .all(address) as Transaction[],
    find,
  }
  return chain
}
