/**
 * Confirms transactions block by block and tells the receiving parts. A transaction is final
 * after as many blocks as its protocol needs. One that is dropped before its first confirmation
 * is in no block: coins and fee are the sender's again.
 */
import { amount } from '../amount.ts'
import type { Chain, CoinTransfer } from '../part.ts'
import type { World } from '../world.ts'
import { protocolOf } from './protocols.ts'
import type { Transaction } from './protocols.ts'
import type { Addresses, Holdings, LiveTransaction, Transactions } from './records.ts'

export type ArrivalHandler = Parameters<Chain['onArrival']>[1]

type Confirming = {
  world: World
  addresses: Addresses
  holdings: Holdings
  transactions: Transactions
  /** By part. */
  handlers: ReadonlyMap<string, ArrivalHandler>
  /** Hashes of what a fault has left in the mempool: once is enough. */
  delayed: Set<string>
}

export function confirmTransactions(chain: Confirming, now: number): void {
  const live = Map.groupBy(chain.transactions.live(), (output) => output.transaction_hash)
  if (live.size === 0) return
  chain.world.commit(() => {
    for (const outputs of live.values()) confirm(chain, outputs, now)
  })
}

function confirm(chain: Confirming, outputs: LiveTransaction[], now: number): void {
  const [first] = outputs
  if (first === undefined) return
  const { block_ms, confirmations: required } = protocolOf(first.protocol)
  // A transaction goes into the first block after it was sent.
  const blocks = Math.floor(now / block_ms) - Math.floor(first.sent_at / block_ms)
  const confirmations = Math.min(required, Math.max(0, blocks))
  if (confirmations === first.notified) return
  const fault =
    confirmations > 0 && first.confirmations === 0 && !chain.delayed.has(first.transaction_hash)
      ? faultOf(chain, first)
      : undefined
  if (fault?.kind === 'LATE') {
    chain.delayed.add(first.transaction_hash)
    return chain.transactions.sendAgain(first.transaction_hash, now + fault.delay_ms)
  }
  for (const output of outputs)
    if (fault?.kind === 'REFUSE') drop(chain, output)
    else settle(chain, output, confirmations)
}

/** One for every transaction, or one for those of the part that sends. */
const faultOf = ({ world, addresses }: Confirming, { from_address }: Transaction) =>
  world.faults.takeNamed('chain', 'confirm') ??
  world.faults.takeNamed(addresses.holderOf(from_address), 'confirm')

/** False when it is in a block, or in the mempool no more. */
export function dropTransaction(chain: Confirming, hash: string): boolean {
  const outputs = chain.transactions.find(hash)
  const [first] = outputs
  if (first?.state !== 'PENDING' || first.confirmations > 0) return false
  for (const output of outputs) drop(chain, output)
  return true
}

function settle(chain: Confirming, output: LiveTransaction, confirmations: number): void {
  const { confirmations: required } = protocolOf(output.protocol)
  const { asset } = output
  const state: Transaction['state'] = confirmations === required ? 'FINAL' : 'PENDING'
  if (state === 'FINAL') {
    const quantity = amount(output.quantity)
    chain.holdings.change('transit', asset, -quantity)
    chain.holdings.change(chain.addresses.holderOf(output.to_address), asset, quantity)
  }
  report(chain, { ...output, confirmations, state }, confirmations)
}

function drop(chain: Confirming, output: Transaction): void {
  const { asset: payer } = protocolOf(output.protocol)
  const { asset } = output
  const [quantity, fee] = [amount(output.quantity), amount(output.fee)]
  const sender = chain.addresses.holderOf(output.from_address)
  chain.holdings.change('transit', asset, -quantity)
  chain.holdings.change('fees', payer, -fee)
  chain.holdings.change(sender, asset, quantity)
  chain.holdings.change(sender, payer, fee)
  report(chain, { ...output, confirmations: 0, state: 'FAILED' }, 0)
}

/** Stores what the output has become, and tells the part that receives it. */
function report(chain: Confirming, output: Transaction, notified: number): void {
  chain.transactions.update({ ...output, notified })
  const owner = chain.addresses.find(output.to_address)
  if (owner === undefined) return
  const { confirmations: required } = protocolOf(output.protocol)
  chain.handlers.get(owner.part)?.(transferOf(output, required), owner.locator, output.state)
}

function transferOf(output: Transaction, required_confirmations: number): CoinTransfer {
  return {
    transaction_hash: output.transaction_hash,
    output_index: output.output_index,
    asset: output.asset,
    protocol: output.protocol,
    from_address: output.from_address,
    to_address: output.to_address,
    tag: output.tag,
    quantity: output.quantity,
    confirmations: output.confirmations,
    required_confirmations,
  }
}
