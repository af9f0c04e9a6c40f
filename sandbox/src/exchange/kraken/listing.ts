/** The exchange by Kraken's rules, and a prime broker by them: what they list, take and hold. */
import { randomBytes, randomInt } from 'node:crypto'
import { KONTOR } from '../../genesis.ts'
import { figure } from '../figures.ts'
import type { Rules } from '../rules.ts'
import { ASSETS } from './assets.ts'
import { PAIRS } from './pairs.ts'

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
