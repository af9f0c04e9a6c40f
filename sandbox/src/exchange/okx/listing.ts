/** What OKX lists in the EEA, with the names and precisions it publishes, and what it charges. */
import { randomInt } from 'node:crypto'
import { KONTOR } from '../../genesis.ts'
import { figure } from '../figures.ts'
import type { Asset as CommonAsset, Pair, Rules } from '../rules.ts'

/** `chain` is null for money, which moves by other calls than coins do. */
export type Asset = CommonAsset & { chain: string | null }

const BTC: Asset = {
  id: 'BTC',
  common: 'BTC',
  decimals: 12,
  transfer_decimals: 8,
  protocol: 'BTC',
  withdraw_fee: '0.00005',
  withdraw_minimum: '0.001',
  tagged: false,
  chain: 'BTC-Bitcoin',
}
const ETH: Asset = {
  id: 'ETH',
  common: 'ETH',
  decimals: 12,
  transfer_decimals: 8,
  protocol: 'ETH',
  withdraw_fee: '0.0004',
  withdraw_minimum: '0.001',
  tagged: false,
  chain: 'ETH-ERC20',
}
const XRP: Asset = {
  id: 'XRP',
  common: 'XRP',
  decimals: 12,
  transfer_decimals: 6,
  protocol: 'XRP',
  withdraw_fee: '0.1',
  withdraw_minimum: '1',
  tagged: true,
  chain: 'XRP-Ripple',
}
const EUR: Asset = {
  id: 'EUR',
  common: 'EUR',
  decimals: 12,
  transfer_decimals: 2,
  protocol: 'SEPA',
  withdraw_fee: '0',
  withdraw_minimum: '1',
  tagged: false,
  chain: null,
}

export const ASSETS: readonly Asset[] = [BTC, ETH, XRP, EUR]

const PAIRS: readonly Pair[] = [
  {
    id: 'BTC-EUR',
    symbol: 'BTC/EUR',
    base: BTC,
    quote: EUR,
    pair_decimals: 1,
    lot_decimals: 8,
    ordermin: figure('0.00001'),
    costmin: 0n,
    opening: figure('60050'),
    lot: figure('0.25'),
  },
  {
    id: 'ETH-EUR',
    symbol: 'ETH/EUR',
    base: ETH,
    quote: EUR,
    pair_decimals: 2,
    lot_decimals: 6,
    ordermin: figure('0.001'),
    costmin: 0n,
    opening: figure('2401'),
    lot: figure('3'),
  },
  {
    id: 'ETH-BTC',
    symbol: 'ETH/BTC',
    base: ETH,
    quote: BTC,
    pair_decimals: 5,
    lot_decimals: 6,
    ordermin: figure('0.001'),
    costmin: 0n,
    opening: figure('0.04'),
    lot: figure('3'),
  },
  {
    id: 'XRP-EUR',
    symbol: 'XRP/EUR',
    base: XRP,
    quote: EUR,
    pair_decimals: 5,
    lot_decimals: 6,
    ordermin: figure('1'),
    costmin: 0n,
    opening: figure('1.901'),
    lot: figure('2500'),
  },
]

let last = 0n
/** Numbers that grow with time, so that they stay unique when the world is opened again. */
function growing(): string {
  const now = BigInt(Date.now()) * 1_000_000n
  last = now > last ? now : last + BigInt(randomInt(1, 1_000))
  return String(last)
}

export const OKX: Rules = {
  part: 'okx',
  tables: 'okx',
  // Assumed: no public record of a payout by OKX was found.
  bank_name: 'OKX Europe Limited',
  client_tag: '48120377',
  reference_prefix: 'OK',
  wire_word: 'OKX',
  unique_references: true,
  // "the fee of a buy is taken of what is bought": recorded, JKorf/OKX.Net GetOrderDetails.txt.
  fee_of_received: true,
  funding_wallet: true,
  assets: ASSETS,
  pairs: PAIRS,
  // More than at Kraken, less than at Bitstamp: the price list of the EEA is like that (assumed).
  taker_fee: figure('0.0035'),
  // An account of a high tier: its maker fee is a rebate (OKX, "Get fee rates": positive).
  maker_fee: figure('-0.00005'),
  order_id: growing,
  trade_id: growing,
  transfer_id: growing,
  shares: {
    kontor: KONTOR.okx,
    funding: KONTOR.okx_funding,
    maker: { EUR: '49750000', BTC: '2500', ETH: '50000', XRP: '40000000' },
    house: { EUR: '100000', BTC: '2', ETH: '50', XRP: '10000' },
  },
}

/** By `ccy`: BTC. */
export const findAsset = (name: string): Asset | undefined =>
  ASSETS.find((asset) => asset.id === name)

/** By `instId` or symbol. */
export const findPair = (name: string): Pair | undefined =>
  PAIRS.find((pair) => pair.id === name || pair.symbol === name)
