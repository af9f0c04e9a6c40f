import type { TaskHandler } from '../store/tasks.ts'
import { snapshotTask } from './snapshots.ts'
import type { SnapshotApp } from './snapshots.ts'

export { adapterFactories } from './adapters.ts'
export { checkAba, checkAddress, checkBic, checkIban } from './addresses.ts'
export type { AddressCheck, CheckedAddress } from './addresses.ts'
export type * from './contract.ts'
export { openVenues, venueById } from './registry.ts'
export type { AdapterConfig, AdapterFactories, SecretReference, Venues, VenuesParts } from './registry.ts'
export { added, knownProtocols, markSeen, SNAPSHOT_EVERY_MILLISECONDS, storeBalances, storedBalances, storedProtocols } from './snapshots.ts'
export type { SnapshotApp } from './snapshots.ts'
export { venuesEndpoints } from './venues.http.ts'
export type { AssetProtocolsRecord, Capability, ServiceRecord, ServiceState, ServiceType, VenueBalances, VenueRecord, VenueState } from './venues.schema.ts'
export { SERVICE_TYPES, SETTLEMENTS, VENUE_KINDS } from './venues.schema.ts'
export { isUnreachable, LIVE_ANSWER_MILLISECONDS, within } from './within.ts'

export const venuesTasks = (app: SnapshotApp): Record<string, TaskHandler> => ({ snapshot_venue: snapshotTask(app) })
