import type { Endpoint } from '../http/index.ts'
import type { TaskHandler } from '../store/tasks.ts'
import { allowRouteTask } from './routes/allowlist.ts'
import { assignmentsEndpoints } from './manual-assignments/assignments.http.ts'
import { batchesEndpoints } from './batches/batches.http.ts'
import { BATCH_EXPIRY_TASK } from './batches/batches.schema.ts'
import { batchExpiryTask } from './batches/ending.ts'
import { collectionTask } from './routes/collections.ts'
import { pollTask } from './polling/poll.ts'
import { setAsideEndpoints } from './polling/set-aside.http.ts'
import { settleTask } from './deposits/settling.ts'
import { depositsEndpoints } from './deposits/deposits.http.ts'
import { relationsEndpoints } from './deposits/relations.http.ts'
import { jobTask } from './jobs/runs.ts'
import { jobsEndpoints } from './jobs/jobs.http.ts'
import { paymentsEndpoints } from './withdrawals/payments/payments.http.ts'
import { paymentTask } from './withdrawals/payments/sending.ts'
import { matchingsEndpoints } from './matchings/matchings.http.ts'
import { connectVenueTask } from './opening/opening.ts'
import { rectificationsEndpoints } from './manual-assignments/rectifications.http.ts'
import { routesEndpoints } from './routes/routes.http.ts'
import { createWalletTask } from './wallets/creation.ts'
import { walletsEndpoints } from './wallets/wallets.http.ts'
import { JOB_TASK, PAYMENT_TASK, POLL_TASK, SETTLE_TASK, WITHDRAWAL_TASK } from './tasks.ts'
import { COLLECT_TASK, CREATE_WALLET_TASK } from './tasks.ts'
import type { TreasuryApp } from './app.ts'
import { withdrawalTask } from './withdrawals/sending.ts'
import { travelRuleEndpoints } from './withdrawals/travel-rule.http.ts'
import { withdrawalsEndpoints } from './withdrawals/withdrawals.http.ts'

export { requestAllow } from './routes/allow-requests.ts'
export {
  ARRIVAL_MOVES,
  arrivalGuard,
  creditArrivalTo,
  insertExpectedArrival,
  expectedArrival,
} from './deposits/expected-arrivals.ts'
export { agreedFee, currentEstimate } from './routes/fees.ts'
export { openedAssets } from './opening/opening.ts'
export { changeRoute, createRoute } from './routes/edits.ts'
export { routeById } from './routes/routes.ts'
export { hearTransfers } from './polling/hearing.ts'
export type { Route } from './routes/routes.ts'
export {
  assignToSettlement,
  transferOutcome,
  routesBetween,
} from './reports/settlement-transfers.ts'
export { customerAssets, placesOfCustomers } from './reports/customer-wallets.ts'
export type { CustomerAsset, CustomerPlace } from './reports/customer-wallets.ts'
export {
  MAXIMUM_IN_FLIGHT,
  bookedDepositCause,
  likelyCauseOf,
  inFlightAt,
  waysInFlight,
} from './reports/in-flight.ts'
export { bookedParts } from './reports/booked-parts.ts'
export type { AssignedMovement } from './reports/booked-parts.ts'
export {
  depositsByHour,
  depositsSince,
  pendingMovements,
  withdrawalsByHour,
  withdrawalsSince,
} from './reports/today.ts'
export { treasuryDeskFeed } from './reports/desk-feed.ts'
export { latestMovements } from './reports/timeline.ts'
export { toldMovements } from './reports/told-movements.ts'
export type { ToldMovement } from './reports/told-movements.ts'
export { suggestionsFor } from './deposits/suggestions.ts'
export type { InFlightMovement } from './reports/in-flight.ts'
export {
  addToWalletPositions,
  initializeWalletPositions,
  walletPositions,
} from './wallets/positions.ts'
export { changeWallet, createWallet } from './wallets/wallets.ts'
export type { TreasuryApp } from './app.ts'
export type { WalletDraft } from './wallets/wallets.schema.ts'
export { BATCH_REQUEST_MOVES } from './batches/batches.schema.ts'
export { DEPOSIT_MOVES } from './deposit-rows/deposits.schema.ts'
export type { Deposit } from './deposit-rows/deposits.schema.ts'
export { MATCHING_MOVES } from './matchings/matchings.schema.ts'
export { JOB_MOVES } from './jobs/jobs.schema.ts'
export { PAYMENT_MOVES } from './withdrawals/payments/payments.schema.ts'
export { JOB_TASK, POLL_TASK, WITHDRAWAL_TASK } from './tasks.ts'
export { mergeChanges } from './withdrawals/shared-transaction.ts'
export { askedMovements, factsOfMovement } from './reports/asked-movements.ts'
export type { AskedMovement } from './reports/asked-movements.ts'
export { previewWithdrawal } from './withdrawals/policy-preview.ts'
export { afterDepositScreening } from './withdrawals/held-deposits.ts'
export { afterScreening } from './withdrawals/screening.ts'
export { approvedWithdrawal, unapprovedWithdrawal } from './withdrawals/approval.ts'
export {
  OPEN_STATES as OPEN_WITHDRAWALS,
  WITHDRAWAL_MOVES,
} from './withdrawals/withdrawals.schema.ts'
export type { Withdrawal } from './withdrawals/withdrawals.schema.ts'
export { withdrawalDraft } from './withdrawals/withdrawals.ts'

export function treasuryEndpoints(app: TreasuryApp): Endpoint[] {
  return [
    ...walletsEndpoints(app),
    ...routesEndpoints(app),
    ...matchingsEndpoints(app),
    ...depositsEndpoints(app),
    ...relationsEndpoints(app),
    ...withdrawalsEndpoints(app),
    ...travelRuleEndpoints(app),
    ...paymentsEndpoints(app),
    ...setAsideEndpoints(app),
    ...batchesEndpoints(app),
    ...assignmentsEndpoints(app),
    ...rectificationsEndpoints(app),
    ...jobsEndpoints(app),
  ]
}

export function treasuryTasks(app: TreasuryApp): Record<string, TaskHandler> {
  return {
    connect_venue: connectVenueTask(app),
    allow_route: allowRouteTask(app),
    [CREATE_WALLET_TASK]: createWalletTask(app),
    [COLLECT_TASK]: collectionTask(app),
    [POLL_TASK]: pollTask(app),
    [SETTLE_TASK]: settleTask(app),
    [WITHDRAWAL_TASK]: withdrawalTask(app),
    [JOB_TASK]: jobTask(app),
    [PAYMENT_TASK]: paymentTask(app),
    [BATCH_EXPIRY_TASK]: batchExpiryTask(app),
  }
}
