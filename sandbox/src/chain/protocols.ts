/** The chain's protocols, and its records as its own parts see them. */
import type { Chain, Part } from '../part.ts'

type Protocol = {
  protocol: string
  asset: string
  decimals: number
  block_ms: number
  confirmations: number
  base_fee: string
  fee_decimals: number
  /** The fee stands still, whoever pays and how much is going on. */
  fixed_fee?: true
  tags: boolean
  many_outputs: boolean
  /** The sender's transactions are numbered: one may take the place of another, and pay nothing. */
  nonces: boolean
}

/** Final within 20, 15, 18, 4 and 5 seconds of world time. */
export const PROTOCOLS: readonly Protocol[] = [
  {
    protocol: 'BTC',
    asset: 'BTC',
    decimals: 8,
    block_ms: 10_000,
    confirmations: 2,
    base_fee: '0.00002',
    fee_decimals: 8,
    tags: false,
    many_outputs: true,
    nonces: false,
  },
  {
    protocol: 'LTC',
    asset: 'LTC',
    decimals: 8,
    block_ms: 5_000,
    confirmations: 3,
    base_fee: '0.0001',
    fee_decimals: 8,
    tags: false,
    many_outputs: true,
    nonces: false,
  },
  {
    protocol: 'ETH',
    asset: 'ETH',
    decimals: 18,
    block_ms: 3_000,
    confirmations: 6,
    base_fee: '0.0004',
    fee_decimals: 9,
    tags: false,
    many_outputs: false,
    nonces: true,
  },
  {
    protocol: 'XRP',
    asset: 'XRP',
    decimals: 6,
    block_ms: 4_000,
    confirmations: 1,
    base_fee: '0.00002',
    fee_decimals: 6,
    tags: true,
    many_outputs: false,
    nonces: false,
  },
  // 7 decimals, ledgers of about 5 seconds, 100 stroops for an operation: developers.stellar.org,
  // "Fees, Resource Limits, and Metering" and "Lumens (XLM)".
  {
    protocol: 'XLM',
    asset: 'XLM',
    decimals: 7,
    block_ms: 5_000,
    confirmations: 1,
    base_fee: '0.00001',
    fee_decimals: 7,
    fixed_fee: true,
    tags: true,
    many_outputs: false,
    nonces: false,
  },
]

/** What lives on a protocol: its coin, or a token, whose transfers are paid in the coin. */
export type Coin = {
  asset: string
  decimals: number
  protocol: Protocol
  /** Of a token. */
  contract: string | null
}

/** Its address and decimals: developers.circle.com/stablecoins/usdc-contract-addresses. */
const USDC = {
  asset: 'USDC',
  decimals: 6,
  protocol: protocolOf('ETH'),
  contract: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
}

export const COINS: readonly Coin[] = [
  ...PROTOCOLS.map((protocol) => ({
    asset: protocol.asset,
    decimals: protocol.decimals,
    protocol,
    contract: null,
  })),
  USDC,
]

/** What moving a coin and a token costs on Ethereum (ethereum.org/developers/docs/gas). */
const COIN_GAS = 21_000n
const TOKEN_GAS = 65_000n

export const gasOf = ({ contract }: Pick<Coin, 'contract'>): bigint =>
  contract === null ? COIN_GAS : TOKEN_GAS

export const findCoin = (asset: string | undefined): Coin | undefined =>
  COINS.find((coin) => coin.asset === asset)

export function coinOf(asset: string): Coin {
  const found = findCoin(asset)
  if (found === undefined) throw new Error(`no coin ${asset}`)
  return found
}

export function protocolOf(name: string): Protocol {
  const found = PROTOCOLS.find((protocol) => protocol.protocol === name)
  if (found === undefined) throw new Error(`no protocol ${name}`)
  return found
}

/** One output of a transaction; the fee stands with its first. */
export type Transaction = {
  transaction_hash: string
  protocol: string
  asset: string
  from_address: string
  to_address: string
  tag: string | null
  output_index: number
  quantity: string
  fee: string
  sent_at: number
  confirmations: number
  state: 'PENDING' | 'FINAL' | 'FAILED'
}
export type Address = { address: string; protocol: string; part: string; locator: string }

export type ChainPart = Chain &
  Part & {
    /** Addresses of the outside, also those that only received coins. */
    outside(): Address[]
    received(address: string): Transaction[]
    /** All outputs of a transaction but the change. */
    find(hash: string): Transaction[]
  }
