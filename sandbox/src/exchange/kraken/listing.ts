/**
 * What the exchange lists: assets, pairs and funding methods, with the names, precisions and fees
 * Kraken publishes.
 */
import { randomBytes, randomInt } from 'node:crypto'
import { KONTOR } from '../../genesis.ts'
import { figure } from '../figures.ts'
import type { Asset as CommonAsset, Pair as CommonPair, Rules } from '../rules.ts'

/** `id` is Kraken's, as in balances: XXBT. */
export type Asset = CommonAsset & {
  altname: string
  display_decimals: number
  deposit_method: string
  withdraw_method: string
  network: string
  network_id: string
  deposit_minimum: string
  withdraw_limit: string
  /** Its tag is called `memo`: Kraken.Net, Account/GetDepositAddresses.txt, has either word. */
  memo?: true
}

export const ASSETS: readonly Asset[] = [
  {
    id: 'XXBT',
    altname: 'XBT',
    common: 'BTC',
    decimals: 10,
    display_decimals: 5,
    transfer_decimals: 8,
    protocol: 'BTC',
    deposit_method: 'Bitcoin',
    withdraw_method: 'Bitcoin',
    network: 'Bitcoin',
    network_id: 'a1b0ae2a-6f23-4c1b-8a7e-2d7b0f6f0c11',
    withdraw_fee: '0.0001',
    withdraw_minimum: '0.0005',
    deposit_minimum: '0.0001',
    withdraw_limit: '500',
    tagged: false,
  },
  {
    id: 'XETH',
    altname: 'ETH',
    common: 'ETH',
    decimals: 10,
    display_decimals: 5,
    transfer_decimals: 8,
    protocol: 'ETH',
    deposit_method: 'Ether (Hex)',
    withdraw_method: 'Ether',
    network: 'Ethereum',
    network_id: 'b2c1bf3b-7034-4d2c-9b8f-3e8c10701d22',
    withdraw_fee: '0.002',
    withdraw_minimum: '0.004',
    deposit_minimum: '0.001',
    withdraw_limit: '5000',
    tagged: false,
  },
  {
    id: 'XXRP',
    altname: 'XRP',
    common: 'XRP',
    decimals: 8,
    display_decimals: 5,
    transfer_decimals: 6,
    protocol: 'XRP',
    deposit_method: 'Ripple XRP',
    withdraw_method: 'Ripple',
    network: 'Ripple',
    network_id: 'c3d2c04c-8145-4e3d-8c90-4f9d21812e33',
    withdraw_fee: '0.2',
    withdraw_minimum: '2',
    deposit_minimum: '1',
    withdraw_limit: '1000000',
    tagged: true,
  },
  {
    id: 'USDC',
    altname: 'USDC',
    common: 'USDC',
    decimals: 8,
    display_decimals: 4,
    transfer_decimals: 6,
    protocol: 'ETH',
    deposit_method: 'USDC - Ethereum (Unified)',
    withdraw_method: 'USDC - Ethereum (Unified)',
    network: 'Ethereum',
    network_id: 'b2c1bf3b-7034-4d2c-9b8f-3e8c10701d22',
    withdraw_fee: '4',
    withdraw_minimum: '10',
    deposit_minimum: '2',
    withdraw_limit: '5000000',
    tagged: false,
  },
  {
    id: 'XLTC',
    altname: 'LTC',
    common: 'LTC',
    decimals: 10,
    display_decimals: 5,
    transfer_decimals: 8,
    protocol: 'LTC',
    deposit_method: 'Litecoin',
    withdraw_method: 'Litecoin',
    network: 'Litecoin',
    network_id: 'e5f4e26e-a367-4a5f-8eb2-61bf43a34055',
    withdraw_fee: '0.002',
    withdraw_minimum: '0.01',
    deposit_minimum: '0.01',
    withdraw_limit: '10000',
    tagged: false,
  },
  {
    id: 'XXLM',
    altname: 'XLM',
    common: 'XLM',
    decimals: 8,
    display_decimals: 5,
    transfer_decimals: 7,
    protocol: 'XLM',
    deposit_method: 'Stellar XLM',
    withdraw_method: 'Stellar XLM',
    network: 'Stellar',
    network_id: 'f6a5f37f-b485-4b60-9fc3-72c054b45166',
    withdraw_fee: '0.00002',
    withdraw_minimum: '20',
    deposit_minimum: '10',
    withdraw_limit: '5000000',
    tagged: true,
    memo: true,
  },
  {
    id: 'ZEUR',
    altname: 'EUR',
    common: 'EUR',
    decimals: 4,
    display_decimals: 2,
    transfer_decimals: 2,
    protocol: 'SEPA',
    deposit_method: 'Clear Junction (SEPA)',
    withdraw_method: 'Clear Junction (SEPA)',
    network: 'SEPA',
    network_id: 'd4e3d15d-9256-4f4e-9da1-50ae32923f44',
    withdraw_fee: '1',
    withdraw_minimum: '2',
    deposit_minimum: '1',
    withdraw_limit: '10000000',
    tagged: false,
  },
]

export type Pair = CommonPair & {
  altname: string
  wsname: string
  base: Asset
  quote: Asset
  cost_decimals: number
}

export function asset(id: string): Asset {
  const found = findAsset(id)
  if (found === undefined) throw new Error(`no asset ${id}`)
  return found
}

/** By id, altname or common name. */
export function findAsset(name: string): Asset | undefined {
  return ASSETS.find(
    (asset) => asset.id === name || asset.altname === name || asset.common === name,
  )
}

export const PAIRS: readonly Pair[] = [
  {
    id: 'XXBTZEUR',
    altname: 'XBTEUR',
    wsname: 'XBT/EUR',
    symbol: 'BTC/EUR',
    base: asset('XXBT'),
    quote: asset('ZEUR'),
    pair_decimals: 1,
    lot_decimals: 8,
    cost_decimals: 5,
    ordermin: figure('0.00005'),
    costmin: figure('0.5'),
    opening: figure('60000'),
    lot: figure('0.4'),
  },
  {
    id: 'XETHZEUR',
    altname: 'ETHEUR',
    wsname: 'ETH/EUR',
    symbol: 'ETH/EUR',
    base: asset('XETH'),
    quote: asset('ZEUR'),
    pair_decimals: 2,
    lot_decimals: 8,
    cost_decimals: 5,
    ordermin: figure('0.001'),
    costmin: figure('0.5'),
    opening: figure('2400'),
    lot: figure('5'),
  },
  {
    id: 'XETHXXBT',
    altname: 'ETHXBT',
    wsname: 'ETH/XBT',
    symbol: 'ETH/BTC',
    base: asset('XETH'),
    quote: asset('XXBT'),
    pair_decimals: 5,
    lot_decimals: 8,
    cost_decimals: 10,
    ordermin: figure('0.001'),
    costmin: figure('0.00002'),
    opening: figure('0.04'),
    lot: figure('5'),
  },
  {
    id: 'XXRPZEUR',
    altname: 'XRPEUR',
    wsname: 'XRP/EUR',
    symbol: 'XRP/EUR',
    base: asset('XXRP'),
    quote: asset('ZEUR'),
    pair_decimals: 5,
    lot_decimals: 8,
    cost_decimals: 8,
    ordermin: figure('2'),
    costmin: figure('0.5'),
    opening: figure('1.9'),
    lot: figure('4000'),
  },
  {
    id: 'USDCEUR',
    altname: 'USDCEUR',
    wsname: 'USDC/EUR',
    symbol: 'USDC/EUR',
    base: asset('USDC'),
    quote: asset('ZEUR'),
    pair_decimals: 4,
    lot_decimals: 8,
    cost_decimals: 6,
    ordermin: figure('5'),
    costmin: figure('0.5'),
    opening: figure('0.86'),
    lot: figure('5000'),
  },
  {
    id: 'XLTCZEUR',
    altname: 'LTCEUR',
    wsname: 'LTC/EUR',
    symbol: 'LTC/EUR',
    base: asset('XLTC'),
    quote: asset('ZEUR'),
    pair_decimals: 2,
    lot_decimals: 8,
    cost_decimals: 5,
    ordermin: figure('0.05'),
    costmin: figure('0.5'),
    opening: figure('90'),
    lot: figure('60'),
  },
  {
    id: 'XXLMZEUR',
    altname: 'XLMEUR',
    wsname: 'XLM/EUR',
    symbol: 'XLM/EUR',
    base: asset('XXLM'),
    quote: asset('ZEUR'),
    pair_decimals: 6,
    lot_decimals: 8,
    cost_decimals: 8,
    ordermin: figure('20'),
    costmin: figure('0.5'),
    opening: figure('0.25'),
    lot: figure('20000'),
  },
]

export function pair(id: string): Pair {
  const found = findPair(id)
  if (found === undefined) throw new Error(`no pair ${id}`)
  return found
}

/** By id, altname, websocket name or symbol. */
export function findPair(name: string): Pair | undefined {
  return PAIRS.find(
    (pair) =>
      pair.id === name || pair.altname === name || pair.wsname === name || pair.symbol === name,
  )
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const characters = (count: number) =>
  Array.from({ length: count }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('')

/** Kraken's transaction ids: `OQCLML-BW3P3-BUCMWZ`. */
const transactionId = (prefix: string) =>
  `${prefix}${characters(5)}-${characters(5)}-${characters(6)}`

/**
 * The price list begins higher than what the client pays: its volume has reached the second step
 * (fees fall with the volume: "Get Trade Volume",
 * docs.kraken.com/api-reference/account-data/get-trade-volume).
 */
export const FIRST_STEP = figure('0.0014')
export const FIRST_STEP_VOLUME = 10_000

/**
 * A prime broker that speaks Kraken's protocol: its client trades on credit and pays afterwards,
 * and is then paid.
 */
const PRIME_CREDIT = { EUR: '500000', BTC: '10', ETH: '100', XRP: '200000' }

const HOUSE = {
  EUR: '100000',
  BTC: '2',
  ETH: '50',
  XRP: '10000',
  USDC: '1000',
  LTC: '10',
  XLM: '1000',
}

export const KRAKEN: Rules = {
  // The tables of the first exchange there was keep their names, so that an existing world goes on.
  part: 'kraken',
  tables: 'exchange',
  bank_name: 'Payward Ltd',
  client_tag: '3042017',
  reference_prefix: 'KR',
  // A payout that rotki recorded (rotkehlchen/tests/external_apis/test_monerium.py) came from
  // Payward Ltd with the text "Kraken Tx" and an id.
  wire_word: 'Kraken Tx',
  unique_references: true,
  assets: ASSETS,
  pairs: PAIRS,
  taker_fee: figure('0.0026'),
  maker_fee: figure('0.0016'),
  order_id: () => transactionId('O'),
  trade_id: () => transactionId('T'),
  transfer_id: () => {
    const text = (bytes: number) => randomBytes(bytes).toString('base64url')
    return `FT${text(4).slice(0, 5)}-${text(18).slice(0, 22)}`
  },
  shares: {
    kontor: KONTOR.kraken,
    maker: {
      EUR: '49650000',
      BTC: '3000',
      ETH: '60000',
      XRP: '50000000',
      USDC: '20000000',
      LTC: '200000',
      XLM: '80000000',
    },
    house: HOUSE,
  },
}

export const PRIME: Rules = {
  ...KRAKEN,
  part: 'prime',
  tables: 'prime',
  bank_name: 'Prime Brokerage SE',
  client_tag: '5501234',
  reference_prefix: 'PB',
  wire_word: 'PRIME',
  credit: PRIME_CREDIT,
  taker_fee: figure('0.0050'),
  maker_fee: figure('0.0030'),
  shares: {
    kontor: {},
    maker: {
      EUR: '49900000',
      BTC: '3000',
      ETH: '60000',
      XRP: '50000000',
      USDC: '20000000',
      LTC: '200000',
      XLM: '80000000',
    },
    house: HOUSE,
  },
}
