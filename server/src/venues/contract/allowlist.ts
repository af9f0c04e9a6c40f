/** A venue's list of destinations that it sends to. */
import type { Outcome } from './outcome.ts'
import type { TransferDetails } from './transfers.ts'

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
