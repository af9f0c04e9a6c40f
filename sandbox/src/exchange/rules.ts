/**
 * What one simulated exchange has of its own; everything else (books, matching, market, funding)
 * is the same machinery.
 */
import type { Owner } from './accounts.ts'
import type { Figure } from './figures.ts'

/** The exchange's own id, its word on the chain and at the bank, and what it costs to move. */
export type Asset = {
  id: string
  /** The word on the chain and at the bank: BTC. */
  common: string
  decimals: number
  /** What can be moved in and out: banks know cents only. */
  transfer_decimals: number
  protocol: string
  withdraw_fee: string
  withdraw_minimum: string
  tagged: boolean
}

export type Pair = {
  id: string
  /** BTC/EUR. */
  symbol: string
  base: Asset
  quote: Asset
  pair_decimals: number
  lot_decimals: number
  ordermin: Figure
  costmin: Figure
  /** Where the price starts; the market then walks around it. */
  opening: Figure
  /** Base units on the first level of the maker's ladder. */
  lot: Figure
}

export type Rules = {
  /** Its name in paths, in faults and at bank and chain. */
  part: string
  /** Prefix of its tables in the world's file. */
  tables: string
  bank_name: string
  /** The client's destination tag where the chain has tags. */
  client_tag: string
  /**
   * Of the code that the client writes into a wire, and the word before the exchange's own id in
   * a wire of its own.
   */
  reference_prefix: string
  wire_word: string
  assets: readonly Asset[]
  /** The first two quote the same asset; a pair of their bases follows them. */
  pairs: readonly Pair[]
  /**
   * Of the volume traded; both fees are taken in the quote asset, or in what each side receives. A
   * negative one is a rebate.
   */
  taker_fee: Figure
  maker_fee: Figure
  /** Whether a client's reference names at most one open order. */
  unique_references: boolean
  fee_of_received?: true
  /** The client's coins come to and go from a wallet that does not trade. */
  funding_wallet?: true
  /**
   * What the client may owe, by common word: it trades without paying first, and settles
   * afterwards.
   */
  credit?: Readonly<Record<string, string>>
  order_id(): string
  trade_id(): string
  transfer_id(): string
  /**
   * What each owner holds when the world begins, by common word; the EUR of all is what the bank
   * gives each part.
   */
  shares: Readonly<Record<'kontor' | 'maker' | 'house', Readonly<Record<string, string>>>> & {
    readonly funding?: Readonly<Record<string, string>>
  }
}

export function pairOf(rules: Rules, id: string): Pair {
  return mustBeListed(
    rules.pairs.find((pair) => pair.id === id),
    id,
  )
}

export function assetOf(rules: Rules, id: string): Asset {
  return mustBeListed(
    rules.assets.find((asset) => asset.id === id),
    id,
  )
}

/** Whose coins come and go. */
export const funderOf = ({ funding_wallet }: Rules): Owner =>
  funding_wallet === true ? 'funding' : 'kontor'

export function assetByWord(rules: Rules, common: string): Asset {
  return mustBeListed(
    rules.assets.find((asset) => asset.common === common),
    common,
  )
}

/** Money, which moves by wire; everything else is a coin. */
export function isMoney(asset: Asset): boolean {
  return asset.protocol === 'SEPA'
}

function mustBeListed<Listed>(found: Listed | undefined, name: string): Listed {
  if (found === undefined) throw new Error(`${name} is not listed`)
  return found
}
