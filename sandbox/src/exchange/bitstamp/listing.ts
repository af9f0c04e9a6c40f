/** What Bitstamp lists, with the names and precisions it publishes, and what it charges. */
import { KONTOR } from '../../genesis.ts'
import { figure } from '../figures.ts'
import type { Asset as CommonAsset, Pair, Rules } from '../rules.ts'

/**
 * `withdrawal_type` is Bitstamp's number for the way out (`WithdrawalRequestsResponse` of its
 * published API), `tag_field` its word for a tag where that is not `destination_tag`.
 */
export type Asset = CommonAsset & {
  network: string
  withdrawal_type: number
  tag_field?: 'memo_id'
}

const BTC: Asset = {
  id: 'BTC',
  common: 'BTC',
  decimals: 8,
  transfer_decimals: 8,
  protocol: 'BTC',
  withdraw_fee: '0.00008',
  withdraw_minimum: '0.0002',
  tagged: false,
  network: 'bitcoin',
  withdrawal_type: 1,
}
const ETH: Asset = {
  id: 'ETH',
  common: 'ETH',
  decimals: 8,
  transfer_decimals: 8,
  protocol: 'ETH',
  withdraw_fee: '0.0015',
  withdraw_minimum: '0.002',
  tagged: false,
  network: 'ethereum',
  withdrawal_type: 16,
}
const XRP: Asset = {
  id: 'XRP',
  common: 'XRP',
  decimals: 6,
  transfer_decimals: 6,
  protocol: 'XRP',
  withdraw_fee: '0.1',
  withdraw_minimum: '1',
  tagged: true,
  network: 'xrpl',
  withdrawal_type: 14,
}
const USDC: Asset = {
  id: 'USDC',
  common: 'USDC',
  decimals: 5,
  transfer_decimals: 5,
  protocol: 'ETH',
  withdraw_fee: '3',
  withdraw_minimum: '10',
  tagged: false,
  network: 'ethereum',
  withdrawal_type: 22,
}
const LTC: Asset = {
  id: 'LTC',
  common: 'LTC',
  decimals: 8,
  transfer_decimals: 8,
  protocol: 'LTC',
  withdraw_fee: '0.001',
  withdraw_minimum: '0.01',
  tagged: false,
  network: 'litecoin',
  withdrawal_type: 15,
}
const XLM: Asset = {
  id: 'XLM',
  common: 'XLM',
  decimals: 7,
  transfer_decimals: 7,
  protocol: 'XLM',
  withdraw_fee: '0.005',
  withdraw_minimum: '5',
  tagged: true,
  tag_field: 'memo_id',
  network: 'stellar',
  withdrawal_type: 19,
}
const EUR: Asset = {
  id: 'EUR',
  common: 'EUR',
  decimals: 5,
  transfer_decimals: 2,
  protocol: 'SEPA',
  withdraw_fee: '3',
  withdraw_minimum: '10',
  tagged: false,
  network: 'SEPA',
  withdrawal_type: 0,
}

export const ASSETS: readonly Asset[] = [BTC, ETH, XRP, USDC, LTC, XLM, EUR]

// Bitstamp has a least value, not a least amount: one step is the least.
const PAIRS: readonly Pair[] = [
  {
    id: 'btceur',
    symbol: 'BTC/EUR',
    base: BTC,
    quote: EUR,
    pair_decimals: 0,
    lot_decimals: 8,
    ordermin: figure('0.00000001'),
    costmin: figure('10'),
    opening: figure('60090'),
    lot: figure('0.3'),
  },
  {
    id: 'etheur',
    symbol: 'ETH/EUR',
    base: ETH,
    quote: EUR,
    pair_decimals: 1,
    lot_decimals: 8,
    ordermin: figure('0.00000001'),
    costmin: figure('10'),
    opening: figure('2403'),
    lot: figure('4'),
  },
  {
    id: 'ethbtc',
    symbol: 'ETH/BTC',
    base: ETH,
    quote: BTC,
    pair_decimals: 6,
    lot_decimals: 8,
    ordermin: figure('0.00000001'),
    costmin: figure('0.0002'),
    opening: figure('0.04'),
    lot: figure('4'),
  },
  {
    id: 'xrpeur',
    symbol: 'XRP/EUR',
    base: XRP,
    quote: EUR,
    pair_decimals: 5,
    lot_decimals: 6,
    ordermin: figure('0.000001'),
    costmin: figure('10'),
    opening: figure('1.903'),
    lot: figure('3000'),
  },
  {
    id: 'usdceur',
    symbol: 'USDC/EUR',
    base: USDC,
    quote: EUR,
    pair_decimals: 5,
    lot_decimals: 5,
    ordermin: figure('0.00001'),
    costmin: figure('10'),
    opening: figure('0.8601'),
    lot: figure('4000'),
  },
  {
    id: 'ltceur',
    symbol: 'LTC/EUR',
    base: LTC,
    quote: EUR,
    pair_decimals: 2,
    lot_decimals: 8,
    ordermin: figure('0.00000001'),
    costmin: figure('10'),
    opening: figure('90.1'),
    lot: figure('50'),
  },
  {
    id: 'xlmeur',
    symbol: 'XLM/EUR',
    base: XLM,
    quote: EUR,
    pair_decimals: 5,
    lot_decimals: 7,
    ordermin: figure('0.0000001'),
    costmin: figure('10'),
    opening: figure('0.2502'),
    lot: figure('15000'),
  },
]

let lastOrder = 0
let lastTrade = 0
let lastTransfer = 0
/** Numbers that grow with time, so that they stay unique when the world is opened again. */
const growing = (last: number, unit: number) => Math.max(last + 1, Math.floor(Date.now() * unit))

export const BITSTAMP: Rules = {
  part: 'bitstamp',
  tables: 'bitstamp',
  bank_name: 'Bitstamp Europe S.A.',
  client_tag: '71290418',
  reference_prefix: 'BS',
  // Assumed: no public record of a payout by Bitstamp was found.
  wire_word: 'BITSTAMP',
  unique_references: false,
  assets: ASSETS,
  pairs: PAIRS,
  taker_fee: figure('0.004'),
  maker_fee: figure('0.003'),
  order_id: () => {
    lastOrder = growing(lastOrder, 1_000)
    return String(lastOrder)
  },
  trade_id: () => {
    lastTrade = growing(lastTrade, 1_000)
    return String(lastTrade)
  },
  transfer_id: () => {
    lastTransfer = growing(lastTransfer, 1)
    return String(lastTransfer)
  },
  shares: {
    kontor: KONTOR.bitstamp,
    maker: {
      EUR: '49750000',
      BTC: '2500',
      ETH: '50000',
      XRP: '40000000',
      USDC: '15000000',
      LTC: '150000',
      XLM: '60000000',
    },
    house: {
      EUR: '100000',
      BTC: '2',
      ETH: '50',
      XRP: '10000',
      USDC: '1000',
      LTC: '10',
      XLM: '1000',
    },
  },
}

/** By the lower-case word of a path or field: btc. */
export function findAsset(name: string): Asset | undefined {
  return ASSETS.find((asset) => asset.id === name.toUpperCase())
}

/** By id or symbol. */
export function findPair(name: string): Pair | undefined {
  return PAIRS.find((pair) => pair.id === name || pair.symbol === name)
}
