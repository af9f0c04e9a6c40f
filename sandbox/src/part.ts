/**
 * A part of the outside world: a venue, the bank or the chain. `main.ts` opens each part with the
 * world and mounts its routes. Parts meet only through the chain (coins) and the bank (money);
 * nothing is created or destroyed between them.
 */
import type { FastifyInstance } from 'fastify'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

export type Part = {
  name: string
  /**
   * Mounts the part's HTTP routes below `/${name}` and its control routes below
   * `/control/${name}`.
   */
  mount(server: FastifyInstance): void
  /** Takes over an HTTP upgrade whose path starts with `/${name}/`. */
  upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer): void
  close?(): Promise<void>
  /** What the part holds by its own books, for `GET /control/holdings`. */
  holdings?(): Holding[]
}

export type Holding = { holder: string; asset: string; quantity: string }

/**
 * Coins on their way or arrived, as their destination sees them. Quantities are decimal strings.
 */
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
  /** A new valid address that belongs to `owner`: a part, and the part's own name for it. */
  newAddress(protocol: string, owner: { part: string; locator: string }): string
  /** Creates coins at an address of a part, when the part's own books begin. */
  endow(coins: { asset: string; address: string; quantity: string }): void
  /**
   * Sends coins. The sender pays the network fee on top; it goes into the `fees` pot. Call it in
   * the commit of the debit. Throws when the sender's part does not hold that much, or when the
   * destination is not an address of the protocol.
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
  /**
   * The same to several addresses in one transaction with one fee. Throws when the protocol has
   * only one destination per transaction.
   */
  sendMany(transfer: {
    asset: string
    protocol: string
    from_address: string
    outputs: readonly { to_address: string; tag: string | null; quantity: string }[]
    fee: string
    /** A transaction whose change this one spends: it goes into the next block too. */
    spends?: string | null
  }): { transaction_hash: string }
  /**
   * Takes a transaction out of the mempool, as a replacement or time does: coins and fee are its
   * sender's again. False when it is in a block, or in the mempool no more.
   */
  drop(hash: string): boolean
  transaction(hash: string):
    | {
        transaction_hash: string
        confirmations: number
        required_confirmations: number
        state: 'PENDING' | 'FINAL' | 'FAILED'
        fee: string
      }
    | undefined
  /**
   * `arrived` is called for coins sent to an address of `part`: at first sight, at every
   * confirmation until they are final, or as FAILED instead of the first confirmation (coins and
   * fee return to their sender). It is called inside a commit.
   */
  onArrival(
    part: string,
    arrived: (
      transfer: CoinTransfer,
      locator: string,
      state: 'PENDING' | 'FINAL' | 'FAILED',
    ) => void,
  ): void
  /** The current network fee for one transfer, of `asset` or the coin, in the protocol's coin. */
  fee(
    protocol: string,
    level: 'LOW' | 'MEDIUM' | 'HIGH',
    asset?: string,
  ): { asset: string; fee: string }
}

/** The bank, as other parts use it: parts own accounts at the bank to receive and send wires. */
export type BankRails = {
  /** Finds an account of a part, or opens it. */
  account(
    owner: { part: string; locator: string; name: string },
    currency: string,
  ): { iban: string }
  /**
   * A wire from one of the part's accounts; call it inside a commit. The amount leaves the
   * account now and arrives after the bank's delay.
   */
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
