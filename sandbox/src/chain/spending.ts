/** What a transfer takes from its sender, asset by asset: the fee of a token is in another. */
import { amount } from '../amount.ts'
import { coinOf } from './protocols.ts'

export type Spending = ReadonlyMap<string, bigint>

export const NOTHING: Spending = new Map()

/** What a transfer's network fee is paid in. */
export const payerOf = (asset: string): string => coinOf(asset).protocol.asset

export function spendingOf(sent: { asset: string; amount: string; fee: string }): Spending {
  const payer = payerOf(sent.asset)
  const [moved, fee] = [amount(sent.amount), amount(sent.fee)]
  return payer === sent.asset
    ? new Map([[payer, moved + fee]])
    : new Map([
        [sent.asset, moved],
        [payer, fee],
      ])
}

/** What it takes beyond what comes back to the sender. */
export const beyond = (spent: Spending, returned: Spending): Spending =>
  new Map(
    [...spent].map(([asset, quantity]) => {
      const more = quantity - (returned.get(asset) ?? 0n)
      return [asset, more > 0n ? more : 0n]
    }),
  )
