/**
 * How a trade of an account differs from all others, and which of them a venue's opening balance
 * contains.
 */
import type { AccountTrade } from './contract.ts'

/**
 * How far before its opening a venue's trades are looked at one by one; older ones are in the
 * opening balance.
 */
export const TRADES_BEFORE_OPENING_MILLISECONDS = 900_000

type TradeIdentity = Pick<AccountTrade, 'foreign_id' | 'base_asset' | 'quote_asset' | 'side'>

/** Unique at its venue; the two sides of a trade with oneself may have one id. */
export const tradeKey = ({ foreign_id, base_asset, quote_asset, side }: TradeIdentity): string =>
  `${base_asset}/${quote_asset} ${side} ${foreign_id}`

/** Under which a trade is remembered as counted in the opening balance of this asset. */
export const countedTradeKey = (asset: string, trade: TradeIdentity): string =>
  `trade:${asset} ${tradeKey(trade)}`
