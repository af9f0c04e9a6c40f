export {
  accountById,
  balancesOf,
  balanceShape,
  changeAccount,
  customerAccount,
  freezeAccount,
  houseAccounts,
  isAccountInUse,
  openAccount,
  openBooks,
  openVenueAccounts,
  venueAccounts,
} from './accounts/accounts.ts'
export type { AccountDraft, Balance } from './accounts/accounts.ts'
export { amountOf, assetByCode, assetIn, assetsOf, putAsset } from './assets.ts'
export type { Asset, Assets } from './assets.ts'
export { markBooks } from './reports/books.ts'
export { bookingsOf, findManualBooking } from './bookings.ts'
export {
  assertNoHaltStops,
  assertNotHalted,
  HALT_COLUMNS,
  haltsRead,
  putHalt,
  waitReason,
} from './halts/halts.ts'
export { HALT_STATES, HaltRecord, PutHalt } from './halts.schema.ts'
export type { Halt, HaltScope, ActiveHalt } from './halts.schema.ts'
export type { OpenPeriod } from './bookings.ts'
export { EVENT_DATA, EVENT_TYPES, EVENTS } from './event-types.ts'
export type { EventOf, EventType } from './event-types.ts'
export {
  EVENT_CHANNEL,
  EventRecord,
  lastEventSequences,
  eventsAfter,
  lockLane,
  publishEvents,
} from './events.ts'
export type { Event, EventFilter } from './events.ts'
export type {
  Acceptance,
  CommittedBooking,
  Change,
  EventDraft,
  Guard,
  Replay,
  TaskOfChange,
} from './changes.ts'
export { commitWithReply } from './lane/reply.ts'
export { retryOnStale } from './lane/retry.ts'
export { holdsOf, releaseExpiredHolds } from './holds/holds.ts'
export type { Hold } from './holds/holds.ts'
export { forgetOldWriters, openLane } from './lane/lane.ts'
export type { Lane } from './lane/lane.ts'
export { ledgerEndpoints } from './ledger.http.ts'
export type { LedgerApp } from './ledger.http.ts'
export type {
  Account,
  AccountType,
  Booking,
  BookingDraft,
  BookingType,
  HoldDraft,
  HoldKind,
  HouseAccount,
  LedgerStep,
  Leg,
  LegType,
} from './ledger.schema.ts'
export { ACCOUNT_TYPES, AccountRecord, BOOKING_TYPES } from './ledger.schema.ts'
export { accountLabels, assetTotals, ledgerDeskFeed } from './reports/desk-feed.ts'
export type { AssetTotals } from './reports/desk-feed.ts'
export { latestBookingCauses, historyOf } from './reports/timeline.ts'
export type { RecordedBooking, RecordedEvent } from './reports/timeline.ts'
export { verifyBooks } from './reports/verify.ts'
export type { Verification } from './reports/verify.ts'
