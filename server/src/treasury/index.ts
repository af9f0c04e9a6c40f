import type { Endpoint } from '../http/index.ts'
import type { TaskHandler } from '../store/tasks.ts'
import { allowRouteTask } from './allowlist.ts'
import { connectVenueTask } from './opening.ts'
import { routesEndpoints } from './routes.http.ts'
import { walletsEndpoints } from './wallets.http.ts'
import type { TreasuryApp } from './wallets.ts'

export { requestAllow } from './allowlist.ts'
export { agreedFee, currentEstimate } from './fees.ts'
export { integrationOf, lateOpening } from './opening.ts'
export type { Integration } from './opening.ts'
export { changeRoute, checkRoute, createRoute, routeById, routeShape } from './routes.ts'
export type { Route, RouteDeclared } from './routes.ts'
export type { RouteDraft, RouteRecord } from './routes.schema.ts'
export { changeWallet, createWallet, walletById, walletByVenueLocator } from './wallets.ts'
export type { Declared, TreasuryApp } from './wallets.ts'
export type { Wallet, WalletDraft } from './wallets.schema.ts'

export function treasuryEndpoints(app: TreasuryApp): Endpoint[] {
  return [...walletsEndpoints(app), ...routesEndpoints(app)]
}

export function treasuryTasks(app: TreasuryApp): Record<string, TaskHandler> {
  return { connect_venue: connectVenueTask(app), allow_route: allowRouteTask(app) }
}
