import type { TaskHandler } from '../store/tasks.ts'
import { snapshotTask } from './snapshots.ts'
import type { SnapshotApp } from './snapshots.ts'

export { adapterFactories } from './adapters.ts'
export { checkAba, checkAddress, checkBic, checkIban } from './addresses.ts'
export type { AddressCheck, CheckedAddress } from './addresses.ts'
export type * from './contract.ts'
export {
  changedSettlements,
  keyText,
  putVenues,
  SecretReferenceShape,
  VenueDeclaration,
} from './declaration.ts'
export type { DeclaredVenue } from './declaration.ts'
export { assertOpened, openVenues, secretAt, venueById, workspaceOfVenue } from './registry.ts'
export { venueHoldings, venuesDeskFeed } from './desk-feed.ts'
export type { VenueHolding } from './desk-feed.ts'
export type {
  AdapterConfig,
  AdapterFactories,
  SecretReference,
  Venues,
  VenuesParts,
} from './registry.ts'
export {
  added,
  knownProtocols,
  markSeen,
  SNAPSHOT_EVERY_MILLISECONDS,
  storeBalances,
  storedBalances,
  storedProtocols,
  totalsByWallet,
} from './snapshots.ts'
export type { SnapshotApp } from './snapshots.ts'
export { countedTradeKey, tradeKey, TRADES_BEFORE_OPENING_MILLISECONDS } from './trades.ts'
export { venuesEndpoints } from './venues.http.ts'
export type {
  AssetProtocolsRecord,
  Capability,
  ServiceRecord,
  ServiceState,
  ServiceType,
  VenueBalances,
  VenueRecord,
  VenueState,
} from './venues.schema.ts'
export { SERVICE_TYPES, SETTLEMENTS, VENUE_KINDS } from './venues.schema.ts'
export { isUnreachable, LIVE_ANSWER_MILLISECONDS, withTimeLimit } from './time-limit.ts'

export const venuesTasks = (app: SnapshotApp): Record<string, TaskHandler> => ({
  snapshot_venue: snapshotTask(app),
})
