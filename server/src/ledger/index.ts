export {
  accountById,
  balancesOf,
  balanceShape,
  changeAccount,
  customerAccount,
  freezeAccount,
  houseAccounts,
  isInUse,
  openAccount,
  openBooks,
  openVenueAccounts,
  venueAccounts,
} from './accounts.ts'
export type { AccountDraft, Balance } from './accounts.ts'
export { amountOf, assetByCode, assetIn, assetsOf, putAsset } from './assets.ts'
export type { Asset, Assets } from './assets.ts'
export { markBooks } from './books.ts'
export { bookingsOf, manualBookingOf } from './bookings.ts'
export {
  assertNoneStops,
  assertNotBraked,
  BRAKE_COLUMNS,
  brakesRead,
  putBrake,
  standstill,
} from './brakes.ts'
export { BRAKE_STATES, BrakeRecord, PutBrake } from './brakes.schema.ts'
export type { Brake, Braked, SetBrake } from './brakes.schema.ts'
export type { OpenPeriod } from './bookings.ts'
export { EVENT_TYPES, EVENTS } from './event-types.ts'
export type { EventOf, EventType } from './event-types.ts'
export {
  EVENT_CHANNEL,
  EventRecord,
  eventHeads,
  eventsAfter,
  lockLane,
  tellEvents,
} from './events.ts'
export type { Event, EventFilter } from './events.ts'
export type { Accepted, Booked, Change, EventDraft, Guard, Replayed, TaskOfChange } from './fold.ts'
export { onFreshRows } from './fresh-rows.ts'
export { holdsOf, releaseExpiredHolds } from './holds.ts'
export type { Hold } from './holds.ts'
export { forgetOldWriters, openLane } from './lane.ts'
export type { Lane } from './lane.ts'
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
export { accountLabels, assetTotals, ledgerOverseen } from './overseen.ts'
export type { AssetTotals } from './overseen.ts'
export { bookedFor, toldOf } from './story.ts'
export type { BookedIn, Told } from './story.ts'
export { verifyBooks } from './verify.ts'
export type { Verification } from './verify.ts'
