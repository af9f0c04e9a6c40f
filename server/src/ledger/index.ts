/**
 * The ledger: the double-entry books of each workspace, and the lane, which alone writes them.
 *
 * A module hands the lane a change (changes.ts): guards, ledger steps, rows, events and tasks that
 * are committed or refused as one. All rules of money are in lane/fold.ts. A transaction that moves
 * no money but publishes an event takes the lane's lock instead (lockLane, publishEvents).
 *
 * Cost: two round trips for a batch of up to 512 changes. Balances are rows. Those of a past moment
 * come from a mark and what was booked since (reports/), so that no read grows with history.
 */
export {
  accountById,
  changeAccount,
  customerAccount,
  freezeAccount,
  houseAccounts,
  openAccount,
  openBooks,
  openVenueAccounts,
  venueAccounts,
} from './accounts/accounts.ts'
export { balancesOf, isAccountInUse, withdrawableOf } from './accounts/balances.ts'
export { houseAccountsAmong } from './accounts/named-accounts.ts'
export { amountOf, assetByCode, assetIn, assetsOf, putAsset } from './assets.ts'
export type { Asset, Assets } from './assets.ts'
export { bookingsOf } from './bookings.ts'
export type { Change, EventDraft, Guard, Moved, PolicyAsk, TaskOfChange } from './changes.ts'
export { bookReversals, legsOf } from './drafts.ts'
export type { Entry } from './drafts.ts'
export { EVENT_DATA, EVENT_TYPES, EVENTS } from './event-types.ts'
export type { EventOf, EventType } from './event-types.ts'
export {
  EVENT_CHANNEL,
  EventRecord,
  eventAt,
  eventsAfter,
  lastEventSequences,
  lockLane,
  publishEvents,
} from './events.ts'
export type { Event, EventFilter } from './events.ts'
export { releaseOwnHalts, setOwnHalts, WATCHES } from './halts/own-halts.ts'
export { HALT_STATES, HaltRecord, PutHalt } from './halts.schema.ts'
export type { ActiveHalt, Halt, HaltScope } from './halts.schema.ts'
export {
  assertNoHaltStops,
  assertNotHalted,
  haltsRead,
  putHalt,
  SELECT_HALTS,
  waitReason,
} from './halts/halts.ts'
export { haltAfterSetBack, releaseAfterSetBack } from './halts/set-back.ts'
export { holdsOf, openHoldsOf, releaseExpiredHolds } from './holds/holds.ts'
export type { Hold } from './holds/holds.ts'
export { askedBy, commitWithReply, forgetOldWriters, openLane } from './lane/lane.ts'
export type { Lane } from './lane/lane.ts'
export { assertVersion, retryOnStale } from './lane/retry.ts'
export { countedTotals, forgetOldTotals, isPolicyChanged } from './lane/judging.ts'
export { forgetOldSpending, isLimitExceeded } from './lane/spending.ts'
export { ledgerEndpoints } from './ledger.http.ts'
export {
  ACCOUNT_TYPES,
  AccountRecord,
  BOOKING_TYPES,
  DEBIT_NORMAL,
  NAMED_ACCOUNTS,
} from './ledger.schema.ts'
export type {
  Account,
  AccountType,
  Booking,
  BookingDraft,
  BookingType,
  HoldDraft,
  LedgerStep,
  Leg,
  LegType,
} from './ledger.schema.ts'
export { APPROVAL_COLUMNS, approvalRow, APPROVALS, openApproval } from './policy/approval-rows.ts'
export type { ApprovalRow, AskedOperation } from './policy/approval-rows.ts'
export {
  APPROVAL_STATES,
  ApprovalInDetail,
  ApprovalRequestRecord,
  DecideApproval,
  DECISIONS,
  WithdrawApproval,
} from './policy/approvals.schema.ts'
export type {
  ApprovalRequest,
  DecideApprovalBody,
  WithdrawApprovalBody,
} from './policy/approvals.schema.ts'
export {
  aboutApproval,
  approvalMove,
  EXPIRE_APPROVAL_TASK,
  newApproval,
} from './lane/approval-moves.ts'
export type { ApprovalEnd } from './lane/approval-moves.ts'
export { groupsOf, isComplete, missingApprovals } from './policy/approvers.ts'
export { countedParts, deniedError, isPolicyDenied, judge } from './policy/judge.ts'
export type { Counted, Facts, Judgement, TotalKey, Totals } from './policy/judge.ts'
export { POLICY_COLUMNS, policyInForce, putPolicy } from './policy/policies.ts'
export {
  COMMAND_NAMES,
  isOff,
  PolicyAnswer,
  PolicyRecord,
  PolicyTrial,
  PreviewPolicy,
  PutPolicy,
  TryPolicy,
} from './policy/policy.schema.ts'
export type {
  ApprovalGroup,
  Approve,
  Command,
  Policy,
  PolicyInForce,
  PreviewPolicyBody,
  PutPolicyBody,
  Rule,
  TryPolicyBody,
  When,
} from './policy/policy.schema.ts'
export { findManualBooking } from './manual-bookings.ts'
export type { OpenPeriod } from './manual-bookings.ts'
export { eraseDescriptions, eraseEvents } from './reports/erasure.ts'
export { accountLabels, assetTotals, ledgerDeskFeed } from './reports/desk-feed.ts'
export { chainEvents } from './reports/event-chain.ts'
export { firstUnbookedSequence, nextSequence } from './reports/books.ts'
export type { BooksReader } from './reports/books.ts'
export type { StatementLine, TrialBalance } from './reports/books.schema.ts'
export { chainEnd, periodBalance } from './reports/period-balance.ts'
export { positionsBefore, typesBefore } from './reports/day-positions.ts'
export type { DayPosition, PositionFilter } from './reports/day-positions.ts'
export { keepMarks, markPositions, positionsAt } from './reports/position-marks.ts'
export type { PositionLine } from './reports/position-marks.ts'
export { historyOf, latestBookingCauses } from './reports/timeline.ts'
export type { RecordedBooking, RecordedEvent } from './reports/timeline.ts'
export { roundingsOf } from './reports/roundings.ts'
export { creditsOn } from './reports/statement.ts'
export type { BookedCredit } from './reports/statement.ts'
export { openCheckpoints } from './reports/checkpoints.ts'
export { verifyBooks } from './reports/verify.ts'
