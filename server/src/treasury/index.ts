import type { Endpoint } from '../http/index.ts'
import type { TaskHandler } from '../store/tasks.ts'
import { allowRouteTask } from './allowlist.ts'
import { assignmentsEndpoints } from './assignments.http.ts'
import { batchesEndpoints } from './batches.http.ts'
import { collectTask } from './collections.ts'
import { pollTask } from './deposit-observing.ts'
import { settleTask } from './deposit-settling.ts'
import { depositsEndpoints } from './deposits.http.ts'
import { jobTask } from './job-runs.ts'
import { jobsEndpoints } from './jobs.http.ts'
import { matchingsEndpoints } from './matchings.http.ts'
import { connectVenueTask } from './opening.ts'
import { rectificationsEndpoints } from './rectifications.http.ts'
import { routesEndpoints } from './routes.http.ts'
import { createWalletTask } from './wallet-creation.ts'
import { walletsEndpoints } from './wallets.http.ts'
import { JOB_TASK, POLL_TASK, SETTLE_TASK, WITHDRAWAL_TASK } from './treasury-tasks.ts'
import { COLLECT_TASK, CREATE_WALLET_TASK } from './wallets.ts'
import type { TreasuryApp } from './wallets.ts'
import { withdrawalTask } from './withdrawal-sending.ts'
import { withdrawalsEndpoints } from './withdrawals.http.ts'

export { requestAllow } from './allowlist.ts'
export { arrivalGuard, creditInstead, expectArrival, expectedArrival } from './expected-arrivals.ts'
export { agreedFee, currentEstimate } from './fees.ts'
export { openAssets } from './opening.ts'
export { changeRoute, createRoute, routeById } from './routes.ts'
export type { Route } from './routes.ts'
export { assignToSettlement, outcomeOf, routesBetween } from './settlement-transfers.ts'
export { MAXIMUM_UNDERWAY, suspectOf, underwayAt } from './on-the-way.ts'
export { depositedSince, pendingMovements, withdrawnSince } from './movements-today.ts'
export { treasuryOverseen } from './overseen.ts'
export { movementsOf } from './stories.ts'
export { suggestionsFor } from './suggestions.ts'
export type { Underway } from './on-the-way.ts'
export { addToWallets, placeWallets, walletPositions } from './wallet-positions.ts'
export { changeWallet, createWallet } from './wallets.ts'
export type { TreasuryApp } from './wallets.ts'
export type { Wallet, WalletDraft } from './wallets.schema.ts'
export { WITHDRAWAL_TASK } from './treasury-tasks.ts'
export { withdrawalDraft } from './withdrawals.ts'

export function treasuryEndpoints(app: TreasuryApp): Endpoint[] {
  return [
    ...walletsEndpoints(app),
    ...routesEndpoints(app),
    ...matchingsEndpoints(app),
    ...depositsEndpoints(app),
    ...withdrawalsEndpoints(app),
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
    [COLLECT_TASK]: collectTask(app),
    [POLL_TASK]: pollTask(app),
    [SETTLE_TASK]: settleTask(app),
    [WITHDRAWAL_TASK]: withdrawalTask(app),
    [JOB_TASK]: jobTask(app),
  }
}
