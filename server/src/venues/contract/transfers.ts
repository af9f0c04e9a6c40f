/** Transfers between our wallets at a venue and the world, both ways. */
import type { Decimal } from '../../core/decimal.ts'
import type { Asking } from './asking.ts'
import type { Lookup, Outcome } from './outcome.ts'

export type SpeedLevel = 'DEFAULT' | 'FAST' | 'SLOW' | 'CUSTOM'

/** One declared field of a route's `transfer.from` or `transfer.to`. */
export type TransferField = {
  name: string
  type: 'string' | 'boolean'
  required: boolean
  description: string
  enum?: string[]
  /** Checked with its checksum. */
  format?: 'BIC' | 'ABA' | 'COUNTRY'
  /** It is sent in the characters of SEPA (EPC217-08), with letters spelt out. */
  characters?: 'SEPA'
  /** In characters, as it is sent. */
  maximum?: number
  /** Other fields of this side that are needed with it. */
  needs?: string[]
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
  /** The day for which it is asked, as `2026-11-23`, where the venue executes by the day. */
  execution_date?: string | null
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

/** A transaction that lost its place to the one that stands for the transfer, or never got it. */
export type FormerTransaction = { foreign_id: string; transaction_hash: string }

export type TransferReport = {
  /** Of several transactions that were made for it, one in place of the other: of the last. */
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
  former?: readonly FormerTransaction[]
  /** From when the bank counts it, as `2026-11-23`. Null, or absent, where the venue names none. */
  value_date?: string | null
  /** Of an UNKNOWN one: the money has left for certain, and where it went it was not taken. */
  not_credited?: true
  /**
   * A bank holds it for what it found about the payee's name, and the name of the account where it
   * tells that.
   */
  payee_check?: { code: string; payee: string | null }
}

/**
 * What a lookup needs where the venue keeps no reference of ours and the transfer has to be
 * recognised by its content.
 */
export type TransferLookup = TransferOrder & {
  foreign_id: string | null
  submitted_at: number
  /** The connection of its sending; null, or absent, where that is not known. */
  sent_over?: string | null
  /** It may have been sent again until then: the database was set back. */
  sent_until?: number
  /** Venue ids already known to belong to other withdrawals of ours. */
  claimed: readonly string[]
}

/** PENDING_REVIEW: it is there, and the venue keeps it frozen. */
export type IncomingState = 'PENDING' | 'PENDING_REVIEW' | 'FINAL' | 'FAILED' | 'REVERSED'

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
  /** The reference that the payment itself carries, when it may be ours (bank: EndToEndId). */
  carried_external_id?: string | null
  /** The venue has sent it by itself, from what is no account of ours there. */
  by_venue?: true
  /** As in a report. */
  value_date?: string | null
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
  former?: readonly FormerTransaction[]
  /** Of an UNKNOWN one, as in a report. */
  not_credited?: true
  /** Where inside the venue it goes, when the venue moves it by itself from wallet to wallet. */
  to_wallet?: string | null
  destination_address: string | null
  tag: string | null
  reference_text: string | null
  recipient_name: string | null
  /** As in a report. */
  value_date?: string | null
  occurred_at: number
}

/** A record that the adapter does not understand, or must not decide alone. A person does. */
export type SetAsideRecord = {
  /** Unique at this venue and stable: the same record read again has the same id. */
  foreign_id: string
  direction: 'IN' | 'OUT' | null
  /** Why it was not understood, in a sentence. */
  reason: string
  /**
   * The record as the venue gave it: of a bank the file's name and the entry's XML, as JSON text.
   */
  raw: string
  occurred_at: number | null
  /** Where the id is none that the venue gave: by what a later record may be the same money. */
  like?: SetAsideLikeness
}

/** `quantity`: null where it could not be read. `names`: the venue's reference, and ours. */
export type SetAsideLikeness = { day: string; quantity: Decimal | null; names: string[] }

/**
 * What an adapter makes of a record that it reads once more. `set_aside`: of a record that holds
 * others, those that are not understood. `still`: why it is not understood itself.
 */
export type RereadRecord =
  | { incoming: Incoming[]; outgoing: Outgoing[]; set_aside?: SetAsideRecord[] }
  | { still: string }

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
  /**
   * The day on which an order that is sent now is executed, as `2026-11-23`. Null, or absent, where
   * the venue executes at once.
   */
  executionDate?(order: Pick<TransferOrder, 'asset' | 'protocol'>, now: number): string | null
  send(order: TransferOrder): Promise<Outcome<TransferReport>>
  find(lookup: TransferLookup): Promise<Lookup<TransferReport>>
  /**
   * Movements into our wallets that are new or changed since the cursor (null: from the beginning
   * the venue offers), and the next cursor. One unreadable record is set aside, and the others are
   * reported.
   */
  incoming(
    cursor: string | null,
    asking?: Asking,
  ): Promise<{
    movements: Incoming[]
    set_aside?: SetAsideRecord[]
    cursor: string | null
  }>
  /**
   * The same for what leaves: movements that are new or changed since the cursor. Absent where the
   * venue does not list them.
   */
  outgoing?(
    cursor: string | null,
    asking?: Asking,
  ): Promise<{
    movements: Outgoing[]
    set_aside?: SetAsideRecord[]
    cursor: string | null
  }>
  /** Reads a record that was set aside once more. Absent where none can be read alone. */
  reread?(record: Pick<SetAsideRecord, 'foreign_id' | 'raw'>): Promise<RereadRecord>
  /**
   * Reads one pushed message (webhook body and headers); undefined when it does not concern
   * movements. Throws when its signature is wrong.
   */
  push?(body: Buffer, headers: Record<string, string | undefined>): Promise<Incoming[] | undefined>
}
