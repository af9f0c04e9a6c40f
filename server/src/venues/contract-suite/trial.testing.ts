/** What the numbered cases work with: the venue under test, and what happens around it. */
import type { TestContext } from 'node:test'
import type { Decimal } from '../../core/decimal.ts'
import type {
  AccountTrade,
  Incoming,
  Side,
  TransferOrder,
  TransferReport,
  Venue,
  VenueOrder,
  WalletOrder,
} from '../contract.ts'

export type ContractFixture = {
  /** Waits long: no answer is lost because a machine is slow. */
  venue: Venue
  /**
   * The same, but it waits a short time only: for answers that never come. Absent where nothing is
   * waited for.
   */
  hasty?: Venue
  /** Ends the venue's availability (no connection at all), and restores it. */
  down(): Promise<void>
  up(): Promise<void>
  transfers?: TransferStage
  trading?: TradingStage
  news?: NewsStage
  prices?: { base_asset: string; quote_asset: string }
  wallets?: WalletStage
}

export type TransferStage = {
  /** A transfer that the venue will execute; each call another one. */
  good(): TransferOrder
  /** One that the venue itself will refuse: absent where the venue refuses only later. */
  refused?(): TransferOrder
  /**
   * One with further outputs, and what makes it refused: absent where a transaction has one
   * destination.
   */
  many?(): { good: TransferOrder; refused: TransferOrder }
  /** Makes the venue accept the next transfer and never answer. */
  losesAnswer(): Promise<void>
  /**
   * After how many milliseconds a transfer that was never sent is absent; 0 where it is at once.
   */
  absentAfter?: number
  /** How many transfers the venue received so far. */
  received(): Promise<number>
  /** Lets a movement from outside arrive; answers whether a movement is that one. */
  arrive(): Promise<(movement: Incoming) => boolean>
  oddRecords: OddRecords
  /** The next transfer is turned away because of the limit of calls. Absent where none is. */
  overLimit?(): Promise<void>
  records?: RecordStage
  surprises?: SurpriseStage
}

/** Records that are not as the manual says, among others in these lists. */
export type OddRecords = {
  lists: readonly ('incoming' | 'outgoing')[]
  /** From now on, until what it answers is called. */
  begin(): Promise<() => Promise<unknown>>
}

/** What a venue's lists may hold that is easily misread. Absent where they hold no such thing. */
export type RecordStage = {
  /** The venue takes a credited movement back. Absent where it documents nothing of the kind. */
  sendBack?(foreign_id: string): Promise<void>
  /** Says that a transfer which was done has come back. */
  comeBack(foreign_id: string): Promise<void>
  /**
   * A transfer to a bank account that the venue will execute. Absent where it moves coins alone.
   */
  toBank?(): TransferOrder
  waitDays(days: number): Promise<void>
  /** A movement of a new type. Absent where no list has types. */
  unheardOf?(): Promise<void>
}

/** What a venue, or somebody at its desk, does with movements. Absent where nothing of the kind. */
export type SurpriseStage = {
  mempool?: {
    /** A transfer of a chain with numbered transactions, which will be left in the mempool. */
    stuck(): Promise<TransferOrder>
    isStuck(report: TransferReport): boolean
    boost(external_id: string): Promise<unknown>
    /** Absent where nothing is documented, or assumed, to take its place. */
    drop?(external_id: string): Promise<unknown>
  }
  screening?: {
    freezeNext(): Promise<void>
    release(foreign_id: string): Promise<unknown>
  }
  /** Takes back what arrived last. */
  recall?(): Promise<unknown>
  /** From now on another amount is booked, until what it answers is called. */
  otherAmount?(): Promise<() => Promise<unknown>>
  entries?: EntryStage
}

/** How a bank may write its entries: from now on, until what it answers is called. */
type EntryStage = {
  /** All of them under the name NONREF. */
  unnamed(): Promise<() => Promise<unknown>>
  /** Each once more, under another name. */
  toldAgain(): Promise<() => Promise<unknown>>
  /** Writes all that is booked since the last statement into another one. */
  statement(): Promise<unknown>
  /** The bank's own balance. */
  total(): Promise<Decimal>
}

export type TradingStage = {
  good(): VenueOrder
  refused(): VenueOrder
  losesAnswer(): Promise<void>
  /** The next order is turned away because of the limit of calls. */
  overLimit(): Promise<void>
  absentAfter: number
  received(): Promise<number>
  /**
   * An order of this side and quantity is placed at the venue's own desk and filled at once;
   * answers the venue's id of it.
   */
  outside(side: Side, quantity: Decimal): Promise<string>
  /** The venue takes this trade back. Absent where it documents nothing of the kind. */
  bust?(trade: AccountTrade): Promise<void>
}

/** What a venue says by itself. Absent where it says nothing. */
export type NewsStage = {
  /** Whether it tells deposits. */
  tellsTransfers: boolean
  /** Ends the connections over which it speaks, so that each must be made again. */
  cut(): Promise<void>
}

export type WalletStage = {
  /** A wallet that the venue will make; each call another one. */
  good(): WalletOrder
  /** One that it will not, refused at once or reported FAILED later. */
  refused(): WalletOrder
  /** Makes the venue do what it is asked next and never answer. */
  losesAnswer(): Promise<void>
  /** How many wallets the venue was asked to make so far. */
  received(): Promise<number>
}

/** One run of the suite. Cases leave here what later ones need. */
export type Trial = {
  readonly fixture: ContractFixture
  /** Waits a short time only. */
  readonly hasty: Venue
  /** Foreign ids of transfers that are known to be ours. */
  readonly claimed: string[]
  /** The transfer of C05. */
  succeeded?: { order: TransferOrder; foreign_id: string }
}

export type Case = {
  title: string
  run(trial: Trial, context: TestContext): Promise<void> | void
}
