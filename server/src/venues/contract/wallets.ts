/** Wallets that a venue makes for us. */
import type { Lookup, Outcome } from './outcome.ts'

export type WalletOrder = {
  /** Ours, unique for ever; the venue keeps it, so that nothing is made twice. */
  external_id: string
  asset: string
  protocol: string
  label: string
  /** Vault: where it shall be made; null asks for a new vault named `vault_name`. */
  vault_id: string | null
  vault_name: string | null
  /** Managed wallets: for which customer of the venue. */
  customer_id: string | null
}

/**
 * ACTIVE: `wallet` locates it (see VenueBalance.wallet), and it can receive. FAILED is certain:
 * nothing was made that could.
 */
export type WalletReport =
  | { state: 'CREATING' }
  | { state: 'ACTIVE'; wallet: string; address: string; tag: string | null }
  | { state: 'FAILED'; reason: string }

export type WalletCreation = {
  /** Repeated under the same reference it goes on where it stopped, and answers what it made. */
  create(order: WalletOrder): Promise<Outcome<WalletReport>>
  /** `absent`: it was not made, or not wholly; then only `create` goes on. */
  find(order: WalletOrder): Promise<Lookup<WalletReport>>
}
