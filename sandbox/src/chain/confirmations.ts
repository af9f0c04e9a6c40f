/**
 * Confirms transactions block by block and tells the receiving parts. A transaction is final
 * after as many blocks as its protocol needs. A fault `confirm` (REFUSE) fails it instead of its
 * first confirmation: the coins return to the sender, the fee does not.
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
  const failed =
    confirmations > 0 &&
    first.confirmations === 0 &&
    chain.world.faults.takeNamed('chain', 'confirm')?.kind === 'REFUSE'
  for (const output of outputs) settle(chain, output, confirmations, failed)
}

function settle(
  chain: Confirming,
  output: LiveTransaction,
  confirmations: number,
  failed: boolean,
): void {
  const { confirmations: required, asset } = protocolOf(output.protocol)
  const reached: Transaction['state'] = confirmations === required ? 'FINAL' : 'PENDING'
  const state: Transaction['state'] = failed ? 'FAILED' : reached
  if (state !== 'PENDING') {
    const quantity = amount(output.quantity)
    const receiver = state === 'FINAL' ? output.to_address : output.from_address
    chain.holdings.change('transit', asset, -quantity)
    chain.holdings.change(chain.addresses.holderOf(receiver), asset, quantity)
  }
  const confirmed = { ...output, confirmations: failed ? 0 : confirmations, state }
  chain.transactions.update({ ...confirmed, notified: confirmations })
  const owner = chain.addresses.find(output.to_address)
  if (owner === undefined) return
  const handler = chain.handlers.get(owner.part)
  handler?.(transferOf(confirmed, required), owner.locator, state)
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
