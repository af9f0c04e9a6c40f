/** What the adapter works with. */
import type { Outcome, TransferReport } from '../contract.ts'
import type { Collector } from './collecting.ts'
import type { BankAccount } from './config.ts'
import type { Entries } from './entries.ts'
import type { ForeignPayment } from './foreign-file.ts'
import type { Inbox, InboxFile } from './inbox.ts'
import type { SharedFiles } from './shared-files.ts'
import type { Transport } from './transport.ts'
import type { Turns } from './turns.ts'

/** A payment that was checked. `day`: the day for which it is asked. */
export type CheckedOrder = ForeignPayment & { protocol: string; day: string }

export type Bank = {
  account: BankAccount
  inbox: Inbox
  /** Of all files of the inbox, kept as long as they are the same. */
  entriesOf(files: readonly InboxFile[]): Promise<Entries>
  transport: Transport
  turns: Turns<Outcome<TransferReport>>
  shared: SharedFiles
  /** Of what was handed over before, nothing may be known here. */
  handedOverSince(): Promise<number>
  /** Null where each payment has a file of its own. */
  collector: Collector<CheckedOrder> | null
}
