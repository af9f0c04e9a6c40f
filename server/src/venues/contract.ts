/**
 * What Kontor asks of a venue. An adapter offers `balances` and `protocols` and those of the
 * optional groups that its venue has; what is absent is unsupported. Adapters keep no state of
 * their own that
 * matters: stores, references and retries belong to the modules that call them.
 *
 * Quantities are exact decimals in units of the asset. Times are Unix milliseconds.
 *
 * Reads throw `VenueUnreachable` (core/errors) when the venue does not answer. An act never throws
 * for what the venue or the wire does: it answers accepted, refused or unknown, and whoever sees
 * `unknown` must ask by our reference before anything is sent again.
 */
import type { Decimal } from '../core/decimal.ts'

export type VenueKind = 'EXCHANGE' | 'CUSTODY_VAULT' | 'MANAGED_WALLET' | 'BANK'
export type SpeedLevel = 'DEFAULT' | 'FAST' | 'SLOW' | 'CUSTOM'
export type Side = 'BUY' | 'SELL'

export type Venue = {
  kind: VenueKind
  balances(): Promise<VenueBalance[]>
  protocols(): Promise<AssetProtocols[]>
  transfers?: Transfers
  allowlist?: Allowlist
  wallets?: WalletCreation
  trading?: Trading
  prices?: Prices
  /** Ends sockets and timers. */
  close(): Promise<void>
}

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

export type AssetProtocols = { asset: string; protocols: Protocol[] }

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

/**
 * `accepted` carries the venue's report; `refused` is certain: nothing left and nothing will;
 * `unknown` is everything else.
 * `unreached`: the venue took no connection, so it has not decided anything and may be asked again.
 */
export type Outcome<Report> =
  | { outcome: 'accepted'; report: Report }
  | { outcome: 'refused'; reason: string; native: string | null; unreached?: true }
  | { outcome: 'unknown'; reason: string }

/**
 * The venue's answer about one of our references. `absent`: the venue knows for certain that it
 * never got it.
 */
export type Lookup<Report> =
  | { lookup: 'found'; report: Report }
  | { lookup: 'absent' }
  | { lookup: 'unknown'; reason: string }

// ---------------------------------------------------------------- transfers

/** One declared field of a route's `transfer.from` or `transfer.to`. */
export type TransferField = {
  name: string
  type: 'string' | 'boolean'
  required: boolean
  description: string
  enum?: string[]
  /** Checked with its checksum. */
  format?: 'BIC' | 'ABA'
}

/** Of the fields of `to` that `one_of` names, at least one is needed. */
export type TransferFields = { from: TransferField[]; to: TransferField[]; one_of?: string[] }

/** `transfer.from` and `transfer.to` of the treasury route, already valid by `fields`. */
export type TransferDetails = { from: Record<string, string>; to: Record<string, string> }

/** Where a transfer goes, and how much of it. */
export type TransferOutput = {
  /** What shall arrive at the destination. */
  quantity: Decimal
  destination_address: string
  tag: string | null
  transfer: TransferDetails
  /** Who is paid, for a bank. */
  recipient_name: string | null
  /** What the payment is for, at most 140 characters: sent where the protocol has room. */
  purpose?: string | null
}

export type TransferOrder = TransferOutput & {
  /** Ours, unique for ever; the venue's client id for this transfer. */
  external_id: string
  asset: string
  protocol: string
  speed_level: SpeedLevel
  /** The fee agreed with the caller, in the fee asset; binding only for CUSTOM. */
  fee: Decimal
  /**
   * Where the source wallet is inside the venue (see VenueBalance.wallet), null where the venue has
   * one pot.
   */
  source_wallet: string | null
  /**
   * Further destinations that the same transaction pays, whole or not at all; only of one
   * `output_group`.
   */
  further_outputs?: readonly TransferOutput[]
}

export type TransferState =
  | 'PENDING'
  | 'PENDING_REVIEW'
  | 'UNKNOWN'
  | 'SUCCESS'
  | 'FAILED'
  | 'REJECTED'
  | 'CANCELED'

export type TransferReport = {
  foreign_id: string
  state: TransferState
  /** The venue's own word. */
  sub_state: string
  reason: string | null
  transaction_hash: string | null
  confirmations: number | null
  /** The fee the venue really took, null while it is not known. */
  fee: Decimal | null
  fee_asset: string | null
}

/**
 * What a lookup needs where the venue keeps no reference of ours and the transfer has to be
 * recognised by its content.
 */
export type TransferLookup = TransferOrder & {
  foreign_id: string | null
  submitted_at: number
  /** Venue ids already known to belong to other withdrawals of ours. */
  claimed: readonly string[]
}

export type IncomingState = 'PENDING' | 'FINAL' | 'FAILED' | 'REVERSED'

export type Incoming = {
  /** Unique at this venue for this movement and output. */
  foreign_id: string
  state: IncomingState
  wallet: string | null
  asset: string
  protocol: string | null
  quantity: Decimal
  transaction_hash: string | null
  output_index: number | null
  source_address: string | null
  destination_address: string | null
  tag: string | null
  reference_text: string | null
  counterparty: { name: string | null; iban: string | null; bic: string | null } | null
  confirmations: number | null
  required_confirmations: number | null
  /**
   * Our reference of the withdrawal this returns or belongs to, when the venue says so (bank:
   * EndToEndId).
   */
  related_external_id: string | null
  occurred_at: number
}

/**
 * Money that leaves one of our wallets, whoever asked for it: through us, at the venue's own desk,
 * or the venue itself.
 */
export type Outgoing = {
  /** CHARGE: the venue took it for its service; all else is a TRANSFER. */
  kind: 'TRANSFER' | 'CHARGE'
  /**
   * Unique at this venue for this movement and output; of a transfer that was sent through us it
   * may be that of its report.
   */
  foreign_id: string
  /**
   * The reference it carries, which may be ours: of the transfer itself, or of the one it is
   * charged for.
   */
  external_id: string | null
  /** Of a transaction with several destinations: which one of the order, counted from 0. */
  output?: number
  state: TransferState
  /** The venue's total does not contain it any more. */
  left: boolean
  sub_state: string
  wallet: string | null
  asset: string
  protocol: string
  quantity: Decimal
  fee: Decimal | null
  fee_asset: string | null
  transaction_hash: string | null
  destination_address: string | null
  tag: string | null
  reference_text: string | null
  recipient_name: string | null
  occurred_at: number
}

export type FeeEstimate = {
  /** The asset the fee is paid in. */
  asset: string
  custom: boolean
  speed_levels: { DEFAULT: Decimal; FAST: Decimal; SLOW: Decimal }
}

export type Transfers = {
  /** Throws UNSUPPORTED_BY_VENUE for a protocol the asset does not have here. */
  fields(asset: string, protocol: string): TransferFields
  /**
   * How far a transfer is from our wallet: true when the venue takes the fee out of what is sent.
   */
  fee_deducted: boolean
  /**
   * Transfers of one group can be outputs of one transaction; null, or absent: each needs one of
   * its own.
   */
  output_group?(
    order: Pick<TransferOrder, 'asset' | 'protocol' | 'source_wallet' | 'transfer'>,
  ): string | null
  estimateFee(
    order: Omit<TransferOrder, 'external_id' | 'speed_level' | 'fee'>,
  ): Promise<FeeEstimate>
  send(order: TransferOrder): Promise<Outcome<TransferReport>>
  find(lookup: TransferLookup): Promise<Lookup<TransferReport>>
  /**
   * Movements into our wallets that are new or changed since the cursor (null: from the beginning
   * the venue offers), and the next cursor.
   */
  incoming(cursor: string | null): Promise<{ movements: Incoming[]; cursor: string | null }>
  /**
   * The same for what leaves: movements that are new or changed since the cursor. Absent where the
   * venue does not tell.
   */
  outgoing?(cursor: string | null): Promise<{ movements: Outgoing[]; cursor: string | null }>
  /**
   * Reads one pushed message (webhook body and headers); undefined when it does not concern
   * movements. Throws when its signature is wrong.
   */
  push?(body: Buffer, headers: Record<string, string | undefined>): Promise<Incoming[] | undefined>
}

// ---------------------------------------------------------------- allow-list

export type AllowlistState = 'PENDING_APPROVAL' | 'APPROVED' | 'REJECTED' | 'FAILED' | 'REMOVED'

export type AllowlistEntry = { state: AllowlistState; transfer: TransferDetails }

/** What stands on the list: where to, and the route's transfer as far as it is known. */
export type AllowlistDestination = {
  asset: string
  protocol: string
  destination_address: string
  tag: string | null
  transfer: TransferDetails
}

export type Allowlist = {
  /**
   * Makes the collection that shall hold the destination; repeated under the same reference, or
   * where one holds it already, it answers that one.
   */
  collect(
    order: AllowlistDestination & { label: string; external_id: string },
  ): Promise<Outcome<{ collection: string }>>
  /**
   * Puts the destination on the venue's allow-list; repeated for the same destination it answers
   * the existing entry.
   */
  allow(
    order: AllowlistDestination & { label: string; external_id: string },
  ): Promise<Outcome<AllowlistEntry>>
  state(order: AllowlistDestination): Promise<AllowlistState | null>
}

// ---------------------------------------------------------------- wallets

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

// ---------------------------------------------------------------- trading

export type OrderState =
  | 'PENDING_NEW'
  | 'NEW'
  | 'PARTIALLY_FILLED'
  | 'FILLED'
  | 'PENDING_CANCEL'
  | 'CANCELED'
  | 'REJECTED'
  | 'EXPIRED'
  | 'UNKNOWN'

/**
 * GTD: until `expires_at`; IOC: what is not filled at once is canceled; FOK: all at once or
 * nothing.
 */
export type TimeInForce = 'GTC' | 'GTD' | 'IOC' | 'FOK'

export type VenueOrder = {
  /** ClOrdID: ours, unique for ever. */
  client_order_id: string
  base_asset: string
  quote_asset: string
  side: Side
  type: 'MARKET' | 'LIMIT'
  /** Limit price in the quote asset, a multiple of the price step; null for MARKET. */
  price: Decimal | null
  /** In the base asset, a multiple of the amount step. */
  quantity: Decimal
  tif_mode: TimeInForce
  /** When a GTD order ends, in Unix milliseconds; null for all others. */
  expires_at: number | null
}

export type VenueFill = {
  /** The venue's trade id. */
  foreign_id: string
  price: Decimal
  quantity: Decimal
  /** price × quantity as the venue booked it, in the quote asset. */
  volume: Decimal
  fee: Decimal
  fee_asset: string
  liquidity: 'MAKER' | 'TAKER' | 'UNKNOWN'
  executed_at: number
  /** The venue took the trade back: it did not happen. */
  busted: boolean
}

/**
 * A trade of the account, whoever placed its order: we, a person at the venue's own desk, or
 * another program.
 */
export type AccountTrade = VenueFill & {
  order_foreign_id: string
  /** The order's client id as the venue keeps it; null when it has none. */
  client_order_id: string | null
  base_asset: string
  quote_asset: string
  side: Side
}

export type OrderReport = {
  foreign_id: string
  state: OrderState
  reason: string | null
  /** Of what stands: busted fills do not count. */
  filled_quantity: Decimal
  /** All fills the venue shows for this order so far, busted ones too. */
  fills: VenueFill[]
}

export type OrderLookup = VenueOrder & { foreign_id: string | null; sent_at: number }

export type Trading = {
  /** The order kinds this venue really has, proven by a wire-level test each. */
  supports(order: Pick<VenueOrder, 'type' | 'tif_mode'>): boolean
  send(order: VenueOrder): Promise<Outcome<OrderReport>>
  find(lookup: OrderLookup): Promise<Lookup<OrderReport>>
  cancel(lookup: OrderLookup): Promise<Outcome<OrderReport>>
  /**
   * Trades of the account that are new or changed since the cursor (null: from `from` on, in the
   * venue's time, or from the beginning the venue offers), and the next cursor. What was told may
   * be told again; nothing is left out. Absent where the venue does not tell.
   */
  trades?(
    cursor: string | null,
    from?: number,
  ): Promise<{ trades: AccountTrade[]; cursor: string | null }>
}

// ---------------------------------------------------------------- prices

export type Level = { price: Decimal; quantity: Decimal }

export type MarketPair = {
  base_asset: string
  quote_asset: string
  price_step: Decimal
  amount_step: Decimal
  min_amount: Decimal
  /** Taker fee as a factor: 0.0026 is 0.26 %. */
  taker_fee: Decimal
}

export type OrderBook = {
  base_asset: string
  quote_asset: string
  /** Best first. */
  bids: Level[]
  asks: Level[]
  received_at: number
}

export type Ticker = {
  base_asset: string
  quote_asset: string
  bid: Decimal
  ask: Decimal
  last: Decimal
  /** In the base asset, over the last 24 hours. */
  volume_24h: Decimal
  /** Change of the last 24 hours as a factor: 0.02 is 2 %; null when the venue does not say. */
  change_24h: Decimal | null
  received_at: number
}

export type PriceFeed = {
  /** Answers why nobody may trade by this book: its source then builds it anew. */
  book(book: OrderBook): string | undefined
  ticker(ticker: Ticker): void
  /** The feed of this pair is broken until the next book. */
  lost(base_asset: string, quote_asset: string, reason: string): void
}

export type Prices = {
  pairs(): Promise<MarketPair[]>
  /** Streams until the returned function is called; reconnects by itself. */
  watch(
    pairs: readonly { base_asset: string; quote_asset: string }[],
    feed: PriceFeed,
  ): () => Promise<void>
}
