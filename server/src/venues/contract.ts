/**
 * What Kontor asks of a venue. An adapter offers `balances` and `protocols` and those of the
 * optional groups that its venue has; what is absent is unsupported. Adapters keep no state of
 * their own that matters: stores, references and retries belong to the modules that call them.
 * Each group stands in a file of its own.
 *
 * Quantities are exact decimals in units of the asset. Times are Unix milliseconds.
 *
 * Reads throw `VenueUnreachable` (core/errors) when the venue does not answer. An act never throws
 * for what the venue or the wire does: it answers accepted, refused or unknown, and whoever sees
 * `unknown` must ask by our reference before anything is sent again.
 */
import type { Decimal } from '../core/decimal.ts'
import type { Allowlist } from './contract/allowlist.ts'
import type { Asking } from './contract/asking.ts'
import type { Listen } from './contract/news.ts'
import type { Prices } from './contract/prices.ts'
import type { Trading } from './contract/trading.ts'
import type { Transfers } from './contract/transfers.ts'
import type { WalletCreation } from './contract/wallets.ts'

export type * from './contract/allowlist.ts'
export type * from './contract/asking.ts'
export type * from './contract/news.ts'
export type * from './contract/outcome.ts'
export type * from './contract/prices.ts'
export type * from './contract/trading.ts'
export type * from './contract/transfers.ts'
export type * from './contract/wallets.ts'

export type VenueKind = 'EXCHANGE' | 'CUSTODY_VAULT' | 'MANAGED_WALLET' | 'BANK'

export type Venue = {
  kind: VenueKind
  /** Names where it is reached, as whom and with which secrets; absent without a key file. */
  connection?: string
  /** Since when by this one, with what it knows; 0 or absent when it was never another. */
  reached_since?: number
  balances(asking?: Asking): Promise<VenueBalance[]>
  protocols(): Promise<AssetProtocols[]>
  transfers?: Transfers
  allowlist?: Allowlist
  wallets?: WalletCreation
  trading?: Trading
  prices?: Prices
  /** Where the venue says by itself that something is new. */
  listen?: Listen
  /** What it says makes each list, and each order, be read this often at most. */
  news_every_ms?: number
  /** Where the venue counts our calls. */
  budget?(): CallBudget
  /** Ends sockets and timers. */
  close(): Promise<void>
}

/** `used`: of what the venue allows now, from 0 to 1. `waiting`: calls that wait for their turn. */
export type CallBudget = { used: number; waiting: number }

/**
 * One holding; `wallet` locates it inside the venue (vault account id, bank account number), null
 * where the venue has one pot.
 */
export type VenueBalance = {
  wallet: string | null
  asset: string
  protocol: string | null
  free: Decimal | null
  used: Decimal | null
  total: Decimal | null
}

export type AssetProtocols = {
  asset: string
  protocols: Protocol[]
  /** What it should move and does not, and why. */
  unserved?: { protocol: string; reason: string }[]
}

export type Protocol = {
  protocol: string
  /** The venue's own word for the asset on this protocol. */
  native: string
  decimals: number
  tag_required: boolean
  min_withdrawal: Decimal | null
  max_withdrawal: Decimal | null
  deposit: boolean
  withdraw: boolean
}
