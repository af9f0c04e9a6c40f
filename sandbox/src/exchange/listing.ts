/** What the exchange lists: assets, pairs and funding methods, with the names, precisions and fees Kraken publishes. */
import { figure } from './figures.ts'
import type { Figure } from './figures.ts'

export type Asset = {
  /** Kraken's id, as in balances: XXBT. */
  id: string
  altname: string
  /** The word on the chain and at the bank: BTC. */
  common: string
  decimals: number
  display_decimals: number
  /** What can be moved in and out: banks know cents only. */
  transfer_decimals: number
  protocol: string
  deposit_method: string
  withdraw_method: string
  network: string
  network_id: string
  withdraw_fee: string
  withdraw_minimum: string
  deposit_minimum: string
  withdraw_limit: string
  tagged: boolean
}

export const ASSETS: readonly Asset[] = [
  { id: 'XXBT', altname: 'XBT', common: 'BTC', decimals: 10, display_decimals: 5, transfer_decimals: 8, protocol: 'BTC', deposit_method: 'Bitcoin', withdraw_method: 'Bitcoin', network: 'Bitcoin', network_id: 'a1b0ae2a-6f23-4c1b-8a7e-2d7b0f6f0c11', withdraw_fee: '0.0001', withdraw_minimum: '0.0005', deposit_minimum: '0.0001', withdraw_limit: '500', tagged: false },
  { id: 'XETH', altname: 'ETH', common: 'ETH', decimals: 10, display_decimals: 5, transfer_decimals: 8, protocol: 'ETH', deposit_method: 'Ether (Hex)', withdraw_method: 'Ether', network: 'Ethereum', network_id: 'b2c1bf3b-7034-4d2c-9b8f-3e8c10701d22', withdraw_fee: '0.002', withdraw_minimum: '0.004', deposit_minimum: '0.001', withdraw_limit: '5000', tagged: false },
  { id: 'XXRP', altname: 'XRP', common: 'XRP', decimals: 8, display_decimals: 5, transfer_decimals: 6, protocol: 'XRP', deposit_method: 'Ripple XRP', withdraw_method: 'Ripple', network: 'Ripple', network_id: 'c3d2c04c-8145-4e3d-8c90-4f9d21812e33', withdraw_fee: '0.2', withdraw_minimum: '2', deposit_minimum: '1', withdraw_limit: '1000000', tagged: true },
  { id: 'ZEUR', altname: 'EUR', common: 'EUR', decimals: 4, display_decimals: 2, transfer_decimals: 2, protocol: 'SEPA', deposit_method: 'Clear Junction (SEPA)', withdraw_method: 'Clear Junction (SEPA)', network: 'SEPA', network_id: 'd4e3d15d-9256-4f4e-9da1-50ae32923f44', withdraw_fee: '1', withdraw_minimum: '2', deposit_minimum: '1', withdraw_limit: '10000000', tagged: false },
]

export type Pair = {
  id: string
  altname: string
  wsname: string
  /** Symbol on the second websocket version. */
  symbol: string
  base: Asset
  quote: Asset
  pair_decimals: number
  lot_decimals: number
  cost_decimals: number
  ordermin: Figure
  costmin: Figure
  /** Where the price starts; the market then walks around it. */
  opening: Figure
  /** Base units on the first level of the maker's ladder. */
  lot: Figure
}

export function asset(id: string): Asset {
  const found = findAsset(id)
  if (found === undefined) throw new Error(`no asset ${id}`)
  return found
}

/** By id, altname or common name. */
export function findAsset(name: string): Asset | undefined {
  return ASSETS.find((each) => each.id === name || each.altname === name || each.common === name)
}

export const PAIRS: readonly Pair[] = [
  { id: 'XXBTZEUR', altname: 'XBTEUR', wsname: 'XBT/EUR', symbol: 'BTC/EUR', base: asset('XXBT'), quote: asset('ZEUR'), pair_decimals: 1, lot_decimals: 8, cost_decimals: 5, ordermin: figure('0.00005'), costmin: figure('0.5'), opening: figure('60000'), lot: figure('0.4') },
  { id: 'XETHZEUR', altname: 'ETHEUR', wsname: 'ETH/EUR', symbol: 'ETH/EUR', base: asset('XETH'), quote: asset('ZEUR'), pair_decimals: 2, lot_decimals: 8, cost_decimals: 5, ordermin: figure('0.001'), costmin: figure('0.5'), opening: figure('2400'), lot: figure('5') },
  { id: 'XETHXXBT', altname: 'ETHXBT', wsname: 'ETH/XBT', symbol: 'ETH/BTC', base: asset('XETH'), quote: asset('XXBT'), pair_decimals: 5, lot_decimals: 8, cost_decimals: 10, ordermin: figure('0.001'), costmin: figure('0.00002'), opening: figure('0.04'), lot: figure('5') },
  { id: 'XXRPZEUR', altname: 'XRPEUR', wsname: 'XRP/EUR', symbol: 'XRP/EUR', base: asset('XXRP'), quote: asset('ZEUR'), pair_decimals: 5, lot_decimals: 8, cost_decimals: 8, ordermin: figure('2'), costmin: figure('0.5'), opening: figure('1.9'), lot: figure('4000') },
]

export function pair(id: string): Pair {
  const found = findPair(id)
  if (found === undefined) throw new Error(`no pair ${id}`)
  return found
}

/** By id, altname, websocket name or symbol. */
export function findPair(name: string): Pair | undefined {
  return PAIRS.find((each) => each.id === name || each.altname === name || each.wsname === name || each.symbol === name)
}

/** Of the volume traded; both fees are taken in the quote asset. */
export const TAKER_FEE = figure('0.0026')
export const MAKER_FEE = figure('0.0016')
