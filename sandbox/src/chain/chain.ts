/**
 * One chain for all coins: addresses, transactions, blocks by the world's clock, network fees.
 *
 * It knows how much each part holds, apart from the parts' own books, and no holding falls below
 * 0. A sent coin is in `transit` until it is final; its fee goes into the `fees` pot at once. So
 * the sum per asset over all holders never changes. An address that nobody here made belongs to
 * the `outside`.
 *
 * A transaction has a row per output. Fault, venue `chain` (or the part that sends), operation
 * `confirm`: REFUSE drops the next transaction before its first confirmation, with all its outputs:
 * it is in no block, so it costs nothing. LATE leaves it in the mempool for `delay_ms`, unless a
 * child that spends its change pulls it into a block.
 */
import { randomBytes } from 'node:crypto'
import { amount, fits, plain, raise, times } from '../amount.ts'
import { OUTSIDE } from '../genesis.ts'
import type { Chain } from '../part.ts'
import type { World } from '../world.ts'
import { canonical, isAddress, randomAddress } from './address.ts'
import { confirmTransactions, dropTransaction } from './confirmations.ts'
import type { ArrivalHandler } from './confirmations.ts'
import { mountControl } from './control.ts'
import { COINS, coinOf, gasOf, PROTOCOLS, protocolOf } from './protocols.ts'
import type { ChainPart } from './protocols.ts'
import { createTables, openAddresses, openHoldings, openTransactions } from './records.ts'
import type { Addresses, Holdings, Transactions } from './records.ts'

const LEVELS = { LOW: '0.6', MEDIUM: '1', HIGH: '1.7' } as const
/** The fee swings between 0.85 and 1.15 of its base once in this time. */
const FEE_SWING_SECONDS = 1200

type Transfer = Parameters<Chain['sendMany']>[0]
type Books = {
  world: World
  addresses: Addresses
  holdings: Holdings
  transactions: Transactions
}

export function openChain(world: World): ChainPart {
  const { db } = world
  createTables(db)
  const addresses = openAddresses(db)
  const holdings = openHoldings(db)
  const transactions = openTransactions(db)
  const books = { world, addresses, holdings, transactions }
  const handlers = new Map<string, ArrivalHandler>()
  const delayed = new Set<string>()
  world.commit(() => {
    endowOutside(books)
  })
  world.onTick((now) => {
    confirmTransactions({ ...books, handlers, delayed }, now)
  })

  const chain: ChainPart = {
    name: 'chain',
    mount(server) {
      mountControl(server, world, chain)
    },
    newAddress: (protocol, owner) => newAddress(addresses, protocol, owner),
    endow({ asset, address, quantity }) {
      holdings.change(addresses.holderOf(address), asset, amount(quantity))
    },
    send: ({ to_address, tag, quantity, ...rest }) =>
      send(books, { ...rest, outputs: [{ to_address, tag, quantity }] }),
    sendMany: (transfer) => send(books, transfer),
    drop: (hash) => dropTransaction({ ...books, handlers, delayed }, hash),
    transaction(hash) {
      const [output] = transactions.find(hash)
      if (output === undefined) return undefined
      return {
        transaction_hash: hash,
        confirmations: output.confirmations,
        required_confirmations: protocolOf(output.protocol).confirmations,
        state: output.state,
        fee: output.fee,
      }
    },
    onArrival(part, arrived) {
      handlers.set(part, arrived)
    },
    fee: (protocol, level, asset) => networkFee(world, protocol, level, asset),
    holdings: holdings.all,
    outside: addresses.outside,
    received: transactions.receivedBy,
    find: transactions.find,
  }
  return chain
}

function endowOutside({ world, addresses, holdings }: Books): void {
  // Each once: a world from before a coin gets it now.
  const begun = world.db.prepare(
    "select 1 from chain_holdings where holder = 'outside' and asset = ?",
  )
  const mankind = addresses.outside().filter(({ locator }) => locator === 'mankind')
  for (const { protocol } of PROTOCOLS)
    if (!mankind.some((address) => address.protocol === protocol))
      newAddress(addresses, protocol, { part: 'outside', locator: 'mankind' })
  for (const { asset } of COINS)
    if (begun.get(asset) === undefined)
      holdings.change('outside', asset, amount(OUTSIDE[asset as keyof typeof OUTSIDE]))
}

function newAddress(
  addresses: Addresses,
  protocol: string,
  owner: { part: string; locator: string },
): string {
  const address = randomAddress(protocol)
  addresses.insert({ address, protocol, part: owner.part, locator: owner.locator })
  return address
}

function send(books: Books, transfer: Transfer): { transaction_hash: string } {
  const { spends = null } = transfer
  if (spends !== null) books.transactions.sendAgain(spends, books.world.now())
  takeFromSender(books, transfer)
  return { transaction_hash: insertOutputs(books, transfer) }
}

/** Checks the transfer and moves its coins into transit and its fee into the pot. */
function takeFromSender({ addresses, holdings }: Books, transfer: Transfer): void {
  const { asset, protocol, from_address, outputs, fee } = transfer
  const { decimals, protocol: home } = coinOf(asset)
  const { asset: payer, many_outputs, nonces } = home
  if (protocol !== home.protocol) throw new Error(`${asset} does not live on ${protocol}`)
  if (outputs.length !== 1 && !(many_outputs && outputs.length > 1))
    throw new Error(`a ${protocol} transaction cannot have ${outputs.length} destinations`)
  const sender = addresses.holderOf(from_address)
  for (const { to_address, quantity } of outputs) {
    if (!isAddress(protocol, to_address)) throw new Error(`${to_address} is no ${protocol} address`)
    const value = amount(quantity)
    if (value < 0n || (value === 0n && !nonces) || !fits(value, decimals))
      throw new Error(`${quantity} ${asset} cannot be sent`)
    holdings.change(sender, asset, -value)
    holdings.change('transit', asset, value)
  }
  // Of a token too the sender pays in the coin of the chain.
  holdings.change(sender, payer, -amount(fee))
  holdings.change('fees', payer, amount(fee))
}

/** The fee is stored with the first output. Answers the transaction's hash. */
function insertOutputs({ world, transactions }: Books, transfer: Transfer): string {
  const { asset, protocol, from_address, outputs, fee } = transfer
  const hex = randomBytes(32).toString('hex')
  const transaction_hash = hashOf(protocol, hex)
  // A BTC transaction has one more output, the change, at a random place.
  const change_index = protocolOf(protocol).many_outputs
    ? Number.parseInt(hex.slice(0, 4), 16) % (outputs.length + 1)
    : outputs.length
  for (const [place, { to_address, tag, quantity }] of outputs.entries()) {
    transactions.insert({
      transaction_hash,
      protocol,
      asset,
      from_address,
      to_address: canonical(protocol, to_address),
      tag,
      output_index: place < change_index ? place : place + 1,
      quantity: plain(amount(quantity)),
      fee: place === 0 ? plain(amount(fee)) : '0',
      sent_at: world.now(),
    })
  }
  return transaction_hash
}

function hashOf(protocol: string, hex: string): string {
  if (protocol === 'ETH') return `0x${hex}`
  return protocol === 'XRP' ? hex.toUpperCase() : hex
}

function networkFee(
  world: World,
  protocol: string,
  level: keyof typeof LEVELS,
  moved = protocolOf(protocol).asset,
): { asset: string; fee: string } {
  const { asset, base_fee, fee_decimals, fixed_fee = false } = protocolOf(protocol)
  if (fixed_fee) return { asset, fee: base_fee }
  const second = Math.floor(world.now() / 1000) % FEE_SWING_SECONDS
  const half = FEE_SWING_SECONDS / 2
  const permille = 850n + BigInt(Math.floor((300 * (half - Math.abs(second - half))) / half))
  const swung = (amount(base_fee) * permille) / 1000n
  const gas = (swung * gasOf(coinOf(moved))) / gasOf(coinOf(asset))
  return { asset, fee: plain(raise(times(gas, amount(LEVELS[level])), fee_decimals)) }
}
