/**
 * The venues of a workspace and their adapters. Adapters are opened lazily and once per process,
 * from the stored configuration; secrets are read where the configuration says they lie, at that
 * moment, and live only in the adapter. A changed configuration closes the old adapter and opens a
 * new one at the next use.
 *
 * An exchange is called by the process that holds the lease. In every other one its adapter answers
 * by itself only what needs no call with the credential, and asks the holder for the rest.
 */
import { ApiError, notFound } from '../core/errors.ts'
import type { VenueId, WorkspaceId } from '../core/ids.ts'
import { tracingInUse } from '../core/tracing.ts'
import { only } from '../store/db.ts'
import type { Db, Reader } from '../store/db.ts'
import { sql } from '../store/sql.ts'
import type { CallBudget, News, Venue, VenueKind } from './contract.ts'
import type { VenueLease } from './lease/lease.ts'
import { answerQuestions, HeldHere, Questions } from './lease/questions.ts'
import type { Place } from './lease/questions.ts'
import { readAt, withReach } from './lease/reads.ts'
import type { Reach } from './lease/reads.ts'
import { withRightClock } from './right-clock.ts'
import type { ClockFault } from './right-clock.ts'
import { readVenues, VENUE_COLUMNS } from './rows.ts'
import { digestOf, secretsOf } from './secrets.ts'
import type { AdapterConfig } from './secrets.ts'
import { withGate } from './set-aside/gate.ts'
import type { Term } from './terms.ts'
import type { VenueRecord } from './venues.schema.ts'
import { tracedVenue } from './traced.ts'

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

/** The record is that of the adapter's opening. `every_ms`: `news_every_ms` of the venue. */
export type HearVenue = (venue: VenueRecord, news: News, every_ms?: number) => void

/**
 * Opens an adapter of each kind from its options and secrets, by one set of names, and from what it
 * shall move.
 */
export type AdapterFactories = Partial<
  Record<VenueKind, (config: Record<string, string>, terms?: readonly Term[]) => Promise<Venue>>
>

type VenuesParts = {
  db: Db
  log: { error(details: object, message: string): void }
  lease: VenueLease
  adapters: AdapterFactories
  /** Without it the clock is taken for right. */
  clockFault?: ClockFault
}

export function openVenues({ db, log, lease, adapters, clockFault }: VenuesParts): Venues {
  const questions = new Questions(db, lease)
  const opened = new OpenAdapters(adapters, log, (place, adapter) => {
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
          const secrets = await secretsOf(config, venue.label)
          return onlyWhenHeld(lease, venue, await openAdapter(adapters, venue, config, secrets))
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

/** An adapter is opened anew when this changes. */
function openingOf({ needs: _checked, ...opening }: AdapterConfig): string {
  return JSON.stringify(opening)
}

async function readConfigured(
  reader: Reader,
  workspace: WorkspaceId,
  venue_id: VenueId,
): Promise<VenueRecord & { config: AdapterConfig }> {
  const venue = only(
    await reader.query<VenueRecord & { config: AdapterConfig }>(sql`
      select ${VENUE_COLUMNS}, v.config
      from venues v
      where v.workspace = ${workspace}
        and v.id = ${venue_id}`),
  )
  if (venue === undefined) throw notFound('venue', venue_id, 'venue_id')
  return venue
}

type OpenAdapter = {
  venue: VenueRecord
  config: string
  adapter: Promise<Venue>
  /** The digest of the secrets that it was opened with, and when they were last looked at. */
  secrets?: string
  looked_at: number
  heard?: true
  budget?(): CallBudget
}

const LOOK_AT_SECRETS_MILLISECONDS = 10_000

/** One adapter for each venue, as long as its configuration and its secrets stay the same. */
class OpenAdapters {
  readonly #factories: AdapterFactories
  readonly #log: VenuesParts['log']
  readonly #asCalled: (place: Place, adapter: Venue) => Venue
  readonly #opened = new Map<string, OpenAdapter>()
  readonly #hearers = new Set<HearVenue>()
  #closed = false

  /** `asCalled`: a venue as this process may call it. */
  constructor(
    factories: AdapterFactories,
    log: VenuesParts['log'],
    asCalled: (place: Place, adapter: Venue) => Venue,
  ) {
    this.#factories = factories
    this.#log = log
    this.#asCalled = asCalled
  }

  async get(venue: VenueRecord, config: AdapterConfig): Promise<Venue> {
    if (this.#closed) throw new ApiError('VenueUnreachable', 'the service is stopping')
    const text = openingOf(config)
    const known = this.#opened.get(venue.id)
    if (known?.config === text) {
      void this.#lookAtSecrets(known, config)
      return known.adapter
    }
    if (known !== undefined) void this.#close(venue.id, known)
    const place = { workspace: venue.workspace, venue_id: venue.id }
    const adapter = secretsOf(config, venue.label).then(async (secrets) => {
      fresh.secrets = digestOf(secrets)
      return this.#asCalled(place, await openAdapter(this.#factories, venue, config, secrets))
    })
    const fresh: OpenAdapter = { venue, config: text, adapter, looked_at: Date.now() }
    this.#opened.set(venue.id, fresh)
    if (this.#hearers.size > 0) this.#hear(fresh)
    fresh.adapter.then(
      ({ budget }) => {
        if (budget !== undefined) fresh.budget = budget
      },
      // What could not be opened is tried again at the next use.
      () => {
        if (this.#opened.get(venue.id) === fresh) this.#opened.delete(venue.id)
      },
    )
    return fresh.adapter
  }

  /** A key that was exchanged where it lies is used from the next call on. */
  async #lookAtSecrets(known: OpenAdapter, config: AdapterConfig): Promise<void> {
    const now = Date.now()
    if (known.secrets === undefined || now - known.looked_at < LOOK_AT_SECRETS_MILLISECONDS) return
    known.looked_at = now
    const { venue } = known
    // While they cannot be read, the adapter goes on with what it has.
    const secrets = await secretsOf(config, venue.label).catch(() => undefined)
    if (secrets === undefined || digestOf(secrets) === known.secrets) return
    if (this.#opened.get(venue.id) === known) this.end(venue.id)
  }

  listen(hear: HearVenue): () => void {
    this.#hearers.add(hear)
    for (const open of this.#opened.values()) this.#hear(open)
    return () => {
      this.#hearers.delete(hear)
    }
  }

  budgets(): { venue: VenueRecord; budget: CallBudget }[] {
    return [...this.#opened.values()].flatMap(({ venue, budget }) =>
      budget === undefined ? [] : [{ venue, budget: budget() }],
    )
  }

  /** Once for each adapter, until it is closed. */
  #hear(open: OpenAdapter): void {
    if (open.heard) return
    open.heard = true
    open.adapter.then(
      (adapter) =>
        adapter.listen?.((news) => {
          for (const hear of this.#hearers) hear(open.venue, news, adapter.news_every_ms)
        }),
      // Whoever wanted the adapter is told why it could not be opened.
      () => undefined,
    )
  }

  end(venue_id: VenueId): void {
    const unused = this.#opened.get(venue_id)
    this.#opened.delete(venue_id)
    if (unused !== undefined) void this.#close(venue_id, unused)
  }

  async endAll(): Promise<void> {
    this.#closed = true
    await Promise.all([...this.#opened].map(([venue_id, open]) => this.#close(venue_id, open)))
    this.#opened.clear()
  }

  #close(venue_id: string, { adapter }: OpenAdapter): Promise<void> {
    return adapter
      .then((venue) => venue.close())
      .catch((error: unknown) => {
        this.#log.error(
          { venue_id, error: error instanceof Error ? error.message : String(error) },
          'a venue did not close',
        )
      })
  }
}

async function openAdapter(
  adapters: AdapterFactories,
  venue: VenueRecord,
  config: AdapterConfig,
  secrets: Record<string, string>,
): Promise<Venue> {
  const open = adapters[venue.kind]
  if (open === undefined)
    throw new ApiError('VenueUnreachable', `there is no adapter for venues of kind ${venue.kind}`)
  const adapter = withGate(await open({ ...config.options, ...secrets }, config.terms))
  const tracing = tracingInUse()
  const about = { 'kontor.venue': venue.id, 'kontor.venue_kind': venue.kind }
  return tracing === undefined ? adapter : tracedVenue(adapter, about, tracing)
}
