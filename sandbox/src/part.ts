/**
 * A part of the outside world: a venue or the chain. `main.ts` opens each part with the world and mounts what it serves.
 * Parts meet only through the chain (coins) and the bank (money); nothing is created or destroyed between them.
 */
import type { FastifyInstance } from 'fastify'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

export type Part = {
  name: string
  /** Mounts the part's HTTP routes below `/${name}` and its control routes below `/control/${name}`. */
  mount(server: FastifyInstance): void
  /** Takes over an HTTP upgrade whose path starts with `/${name}/`. */
  upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer): void
  close?(): Promise<void>
  /** What the part holds by its own books, for `GET /control/holdings`. */
  holdings?(): Holding[]
}

export type Holding = { holder: string; asset: string; quantity: string }

/** A coin on its way or arrived, as its destination sees it. Quantities are decimal strings. */
export type CoinTransfer = {
  transaction_hash: string
  output_index: number
  asset: string
  protocol: string
  from_address: string
  to_address: string
  tag: string | null
  quantity: string
  confirmations: number
  required_confirmations: number
}

/** The chain, as parts use it. */
export type Chain = {
  /** A new address of this protocol, belonging to `owner` (a part's name and its own locator). Checksummed, valid for its protocol. */
  newAddress(protocol: string, owner: { part: string; locator: string }): string
  /** Brings coins into being at an address of a part: only at the part's own beginning. */
  endow(coins: { asset: string; address: string; quantity: string }): void
  /**
   * Sends coins; the network fee is paid on top by the sender and burnt into the `fees` pot. Must be called inside `world.commit`
   * with the debit. Throws when the sender's part does not hold that much or the destination is no address of the protocol.
   */
  send(transfer: {
    asset: string
    protocol: string
    from_address: string
    to_address: string
    tag: string | null
    quantity: string
    fee: string
  }): { transaction_hash: string }
  /** The same to several addresses in one transaction with one fee; throws where the protocol's transactions have one destination. */
  sendMany(transfer: {
    asset: string
    protocol: string
    from_address: string
    outputs: readonly { to_address: string; tag: string | null; quantity: string }[]
    fee: string
  }): { transaction_hash: string }
  transaction(hash: string):
    | {
        transaction_hash: string
        confirmations: number
        required_confirmations: number
        state: 'PENDING' | 'FINAL' | 'FAILED'
      }
    | undefined
  /**
   * Called for coins that reach an address owned by `part`, at first sight and at every further confirmation until final, or FAILED
   * instead of the first confirmation (the coins are back with their sender, the fee is not); inside a commit.
   */
  onArrival(
    part: string,
    arrived: (
      transfer: CoinTransfer,
      locator: string,
      state: 'PENDING' | 'FINAL' | 'FAILED',
    ) => void,
  ): void
  /** Current network fee for one transfer, decimal string, in the protocol's fee asset. */
  fee(protocol: string, level: 'LOW' | 'MEDIUM' | 'HIGH'): { asset: string; fee: string }
}

/** The bank, as other parts use it: parts own accounts at the bank to receive and send wires. */
export type BankRails = {
  /** Opens (or finds) an account of a part; answers its IBAN. */
  account(
    owner: { part: string; locator: string; name: string },
    currency: string,
  ): { iban: string }
  /** A wire from one of the part's accounts; inside a commit. The amount leaves the account now and arrives after the bank's delay. */
  wire(transfer: {
    from_iban: string
    to_iban: string
    to_name: string
    quantity: string
    currency: string
    reference: string
  }): { wire_id: string }
  onArrival(
    part: string,
    arrived: (
      wire: {
        wire_id: string
        to_iban: string
        from_iban: string
        from_name: string
        quantity: string
        currency: string
        reference: string
      },
      locator: string,
    ) => void,
  ): void
}
