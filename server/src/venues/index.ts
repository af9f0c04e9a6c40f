import type { TaskHandler } from '../store/tasks.ts'
import { snapshotTask } from './snapshots.ts'
import type { SnapshotApp } from './snapshots.ts'

export { adapterFactories } from './adapters.ts'
export {
  bareIban,
  checkAba,
  checkAddress,
  checkBic,
  checkCountry,
  checkIban,
  isInSepa,
} from './addresses.ts'
export { all, decodeXml, parseXml, text, UnreadableMessage } from './bank/xml.ts'
export type { Element } from './bank/xml.ts'
export { markSeen, noteFault } from './availability.ts'
export {
  addBalances,
  liveBalances,
  storeBalances,
  readStoredBalances,
  totalsByWallet,
} from './balances.ts'
export {
  MAXIMUM_NAME as MAXIMUM_PAYEE,
  MAXIMUM_REMITTANCE,
  charactersOutsideSepa,
  sepaText,
  sepaWords,
  toMessageId,
} from './bank/reference.ts'
export {
  CALENDAR_EXAMPLE,
  calendarIn,
  CalendarShape,
  checkedCalendar,
  putCalendar,
  readCalendars,
  withCalendar,
  withCalendarOf,
} from './calendars.ts'
export type { Calendar } from './calendars.ts'
export { assertKeyIsNew } from './connections.ts'
export type * from './contract.ts'
export {
  disableVenue,
  findChangedSettlements,
  markReachedAnew,
  putTheseVenues,
  putVenues,
  readConfiguredVenues,
  readStoredTerms,
} from './declaration.ts'
export type { VenueToPut } from './declaration.ts'
export { AssetProtocolDeclaration, declaredTerms } from './declared-terms.ts'
export type { PlacedTerm } from './declared-terms.ts'
export {
  keyText,
  problemsOf,
  secretNamesOf,
  SecretReferenceShape,
  VenueDeclaration,
} from './declaration.schema.ts'
export type { DeclaredVenue } from './declaration.schema.ts'
export { readVenueHoldings, venuesDeskFeed } from './desk-feed.ts'
export { openVenueLease } from './lease/lease.ts'
export type { VenueLease } from './lease/lease.ts'
export { forgetOldQuestions } from './lease/questions.ts'
export type { VenueHolding } from './desk-feed.ts'
export { venueFigures } from './figures.ts'
export { readConfiguredProtocols, readKnownProtocols, readStoredProtocols } from './protocols.ts'
export { openVenues } from './registry.ts'
export { readingPace } from './news.ts'
export type { AdapterFactories, HearVenue } from './open-adapters.ts'
export type { Venues } from './registry.ts'
export { assertOpened, readVenues, venueById, workspaceOfVenue } from './rows.ts'
export { problemsOfAccounts } from './same-account.ts'
export { secretAt } from './secrets.ts'
export type { Need, SecretReference, VenueNeeds, VenueSecretReference } from './secrets.ts'
export { bankFoldersFrom, folderOf, FOLDERS, hasOwnFolder, namedFolders } from './bank-folders.ts'
export { NO_BANK_FOLDERS } from './bank-folders.ts'
export { faultsHere, objectionToKey } from './start-checks.ts'
export {
  clearSecretsOfLostKeys,
  readSecrets,
  secretsWrappedBy,
  VenueSecret,
  writeSecret,
} from './stored-secrets.ts'
export { placeOfVenue, problemsOfPlace, venueRulesFrom } from './targets.ts'
export { SILENT_AFTER_MILLISECONDS, silenceTurns, storeSilence } from './silence.ts'
export type { SilenceTurn } from './silence.ts'
export { isUnreachable, NotAsked, withTimeLimit } from './time-limit.ts'
export { networkOf, shippedProtocols } from './terms.ts'
export type { Term } from './terms.ts'
export { clashesOf, problemsOfTerms } from './term-problems.ts'
export { countedTradeKey, tradeKey, TRADES_BEFORE_OPENING_MILLISECONDS } from './trades.ts'
export {
  assertOpen,
  dismissItem,
  itemById,
  itemsOf,
  keepItem,
  LONGEST_RAW,
  resolveItem,
  setAside,
} from './set-aside/items.ts'
export type { KnownItem, SetAsideParts } from './set-aside/items.ts'
export { listItems } from './set-aside/listed-items.ts'
export {
  DismissSetAsideItem,
  SET_ASIDE_MOVES,
  SET_ASIDE_STATES,
  SetAsideItemDetail,
  SetAsideItemRow,
} from './set-aside/items.schema.ts'
export { isFaultOfMovement, notBooked } from './set-aside/faults.ts'
export { findDismissedLike } from './set-aside/likenesses.ts'
export { setAsideMovement, setAsideTrade } from './set-aside/records.ts'
export { venuesEndpoints } from './venues.http.ts'
export type { VenueRecord } from './venues.schema.ts'
export { VENUE_MOVES } from './venues.schema.ts'

export const venuesTasks = (app: SnapshotApp): Record<string, TaskHandler> => ({
  snapshot_venue: snapshotTask(app),
})
