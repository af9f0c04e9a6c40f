/**
 * The venues of a workspace and their adapters. Adapters are opened lazily and once per process,
 * from the stored configuration; secrets are read where the configuration says they lie, at that
 * moment, and live only in the adapter. A changed configuration closes the old adapter and opens a
 * new one at the next use.
 *
 * An exchange is called by the process that holds the lease. In every other one its adapter answers
 * by itself only what needs no call with the credential, and asks the holder for the rest.
 */
import type { Clock } from '../core/clock.ts'
import { ApiError, notFound } from '../core/errors.ts'
import type { VenueId, WorkspaceId } from '../core/ids.ts'
import type { TargetRules } from '../core/targets.ts'
import { only } from '../store/db.ts'
import type { Db, Reader } from '../store/db.ts'
import { sql } from '../store/sql.ts'
import type { WrappingKey } from '../store/wrapping-key.ts'
import { folderOf, hasOwnFolder, NO_BANK_FOLDERS, ownFolders } from './bank-folders.ts'
import { connectionsOf } from './connections.ts'
import type { CallBudget, Venue } from './contract.ts'
import type { VenueLease } from './lease/lease.ts'
import { answerQuestions, HeldHere, Questions } from './lease/questions.ts'
import type { Place } from './lease/questions.ts'
import { readAt, withReach } from './lease/reads.ts'
import type { Reach } from './lease/reads.ts'
import { withRightClock } from './right-clock.ts'
import type { ClockFault } from './right-clock.ts'
import { readVenues, VENUE_COLUMNS } from './rows.ts'
import { OpenAdapters, openAdapter, openingOf } from './open-adapters.ts'
import type { AdapterFactories, Folders, HearVenue, Ingredients } from './open-adapters.ts'
import { secretsOf } from './secrets.ts'
import type { AdapterConfig } from './secrets.ts'
import { storedSecretsOf } from './stored-secrets.ts'
import { assertMayBeCalled, venueRulesFrom } from './targets.ts'
import type { VenueRecord } from './venues.schema.ts'

export type Venues = {
  /**
   * The adapter of a venue of this workspace; throws 4004 when there is none, 2003 when it is
   * disabled or cannot be opened.
   */
  connect(
    workspace: WorkspaceId,
    venue_id: VenueId,
  ): Promise<{ venue: VenueRecord; adapter: Venue }>
  /** A venue as `reader` sees it, also one that is not committed yet. Throws 4004. */
  look(reader: Reader, workspace: WorkspaceId, venue_id: VenueId): Promise<SeenVenue>
  list(workspace: WorkspaceId): Promise<VenueRecord[]>
  /**
   * Hears what venues with an open adapter say by themselves, until the returned function is
   * called. Nobody listens to a venue before somebody wants to hear.
   */
  listen(hear: HearVenue): () => void
  /** Of the adapters that are open and count calls. */
  budgets(): { venue: VenueRecord; budget: CallBudget }[]
  close(): Promise<void>
}

type SeenVenue = {
  venue: VenueRecord
  /** By what it is opened. */
  opening: string
  /** An adapter that nobody else uses; whoever opens it closes it. */
  open(): Promise<Venue>
}

type VenuesParts = {
  db: Db
  log: { error(details: object, message: string): void }
  lease: VenueLease
  adapters: AdapterFactories
  /** Opens the secrets that were written over the API. */
  wrapping?: WrappingKey | undefined
  /** Where venues that were declared over the API may lie; at public addresses when absent. */
  targets?: TargetRules | undefined
  /** Where banks that name no folders have theirs; without it they cannot be opened. */
  bankFolders?: string | undefined
  /** Without it the clock is taken for right. */
  clockFault?: ClockFault
  clock?: Pick<Clock, 'now'>
}

export function openVenues(parts: VenuesParts): Venues {
  const { db, log, lease, clockFault } = parts
  const questions = new Questions(db, lease)
  const ingredients = ingredientsOf(parts)
  const opened = new OpenAdapters(ingredients, log, (place, adapter) => {
    const timed = clockFault === undefined ? adapter : withRightClock(adapter, clockFault)
    if (adapter.kind !== 'EXCHANGE') return timed
    return withReach(timed, reachOf({ lease, questions }, place, timed))
  })
  const connect: Venues['connect'] = async (workspace, venue_id) => {
    const { config, ...venue } = await readConfigured(db, workspace, venue_id)
    if (venue.state === 'DISABLED') {
      opened.end(venue.id)
      throw new ApiError('VenueUnreachable', `venue ${venue.label} is no longer configured`)
    }
    return { venue, adapter: await opened.get(venue, config) }
  }
  const answering = answerQuestions({
    db,
    lease,
    log,
    async read({ workspace, venue_id }, name, asked) {
      const { adapter } = await connect(workspace, venue_id)
      return readAt(adapter, name, asked)
    },
  })
  return {
    connect,
    async look(reader, workspace, venue_id) {
      const { config, ...venue } = await readConfigured(reader, workspace, venue_id)
      return {
        venue,
        opening: `${venue.label} ${venue.kind} ${openingOf(config)}`,
        open: async () => {
          const { meet: _later, ...rehearsed } = ingredients
          const { adapter } = await openAdapter(rehearsed, venue, config)
          return onlyWhenHeld(lease, venue, adapter)
        },
      }
    },
    list: (workspace) => readVenues(db, workspace),
    listen: (hear) => opened.listen(hear),
    budgets: () => opened.budgets(),
    async close() {
      await questions.close()
      await opened.endAll()
      await answering.close()
    },
  }
}

function ingredientsOf(parts: VenuesParts): Ingredients {
  const { db, adapters, wrapping, targets, clock } = parts
  const rules = targets ?? venueRulesFrom({})
  return {
    meet: connectionsOf({ db, wrapping, now: () => clock?.now() ?? Date.now() }),
    factories: adapters,
    secrets: (venue, config) =>
      secretsOf(config, venue.label, storedSecretsOf({ db, wrapping }, venue, config)),
    judge: async (venue, { judged, options, secrets }) => {
      if (judged !== true) return
      assertOwnSecrets(venue, secrets)
      await assertMayBeCalled(venue, options, rules)
    },
    folders: (venue, { folder }) => foldersOf(parts, venue, folder),
  }
}

async function foldersOf(
  { log, bankFolders }: VenuesParts,
  { id, label }: VenueRecord,
  folder: string | undefined,
): Promise<Folders> {
  if (folder === undefined) return { options: {}, since: undefined }
  if (bankFolders === undefined)
    throw new ApiError('VenueUnreachable', `${label}: ${NO_BANK_FOLDERS}`)
  return ownFolders(bankFolders, folder, (error) => {
    log.error({ venue_id: id, error }, 'the folders of a bank could not be made')
  })
}

/**
 * The file has moved the venue, and somebody has changed its record: the secrets of the file go
 * where the file says, and nowhere else.
 */
function assertOwnSecrets({ label }: VenueRecord, secrets: AdapterConfig['secrets']): void {
  const [name] = Object.entries(secrets).find(([, reference]) => !('stored' in reference)) ?? []
  if (name === undefined) return
  throw new ApiError(
    'VenueUnreachable',
    `${label}: the configuration file says another address, to which alone its ${name} goes: ` +
      'take what the file declares, or write secrets for this address',
  )
}

type Reaching = { lease: VenueLease; questions: Questions }

/** Here while this process holds the lease, and where it does not, by the holder. */
function reachOf({ lease, questions }: Reaching, place: Place, adapter: Venue): Reach {
  return (name, asked) =>
    lease.held
      ? readAt(adapter, name, asked)
      : questions.ask(place, name, asked).catch((error: unknown) => {
          if (error instanceof HeldHere) return readAt(adapter, name, asked)
          throw error
        })
}

/** What the holder of the lease does not know yet it cannot be asked about. */
function onlyWhenHeld(lease: VenueLease, { kind, label }: VenueRecord, adapter: Venue): Venue {
  if (kind !== 'EXCHANGE') return adapter
  const protocols = async () => {
    if (lease.held) return adapter.protocols()
    throw new ApiError('VenueUnreachable', `another process works with ${label}`)
  }
  return { ...adapter, protocols }
}

async function readConfigured(
  reader: Reader,
  workspace: WorkspaceId,
  venue_id: VenueId,
): Promise<VenueRecord & { config: AdapterConfig }> {
  const row = only(
    await reader.query<VenueRecord & { key: string; config: AdapterConfig }>(sql`
      select ${VENUE_COLUMNS}, v.key, v.config
      from venues v
      where v.workspace = ${workspace}
        and v.id = ${venue_id}`),
  )
  if (row === undefined) throw notFound('venue', venue_id, 'venue_id')
  const { key, ...venue } = row
  const { kind, config } = venue
  const own = hasOwnFolder({ ...config, kind })
  return own ? { ...venue, config: { ...config, folder: folderOf(workspace, key) } } : venue
}
