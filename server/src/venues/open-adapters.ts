/**
 * The adapters that this process has opened: one for each venue, as long as its configuration and
 * its secrets stay the same.
 */
import { ApiError } from '../core/errors.ts'
import { tracingInUse } from '../core/tracing.ts'
import { withSameConnection } from './same-connection.ts'
import type { Connection } from './same-connection.ts'
import type { CallBudget, News, Venue, VenueKind } from './contract.ts'
import type { VenueId } from '../core/ids.ts'
import type { Place } from './lease/questions.ts'
import { digestOf } from './secrets.ts'
import type { AdapterConfig } from './secrets.ts'
import { withGate } from './set-aside/gate.ts'
import type { Term } from './terms.ts'
import { tracedVenue } from './traced.ts'
import type { VenueRecord } from './venues.schema.ts'

/** The record is that of the adapter's opening. `every_ms`: `news_every_ms` of the venue. */
export type HearVenue = (venue: VenueRecord, news: News, every_ms?: number) => void

/**
 * Opens an adapter of each kind from its options and secrets, by one set of names, and from what it
 * shall move.
 */
export type AdapterFactories = Partial<
  Record<VenueKind, (config: Record<string, string>, terms?: readonly Term[]) => Promise<Venue>>
>

/** What an adapter is opened with, beside its configuration. */
export type Ingredients = {
  /** By name. Throws 2003 for one that is missing. */
  secrets(venue: VenueRecord, config: AdapterConfig): Promise<Record<string, string>>
  /** Throws 2003 where the venue lies somewhere that may not be called. */
  judge(venue: VenueRecord, config: AdapterConfig): Promise<void>
  /** Those of a bank that names none, and since when they are there. Throws 2003. */
  folders(venue: VenueRecord, config: AdapterConfig): Promise<Folders>
  /** Over which connection; throws 2003 where that is another venue's. Absent: nothing is sent. */
  meet?(
    venue: VenueRecord,
    config: AdapterConfig,
    secrets: Record<string, string>,
  ): Promise<Connection>
  factories: AdapterFactories
}

export type Folders = { options: Record<string, string>; since: number | undefined }

type Log = { error(details: object, message: string): void }

/** An adapter is opened anew when this changes. */
export function openingOf({ needs: _checked, seen: _met, ...opening }: AdapterConfig): string {
  return JSON.stringify(opening)
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

export class OpenAdapters {
  readonly #from: Ingredients
  readonly #log: Log
  readonly #asCalled: (place: Place, adapter: Venue) => Venue
  readonly #opened = new Map<string, OpenAdapter>()
  readonly #hearers = new Set<HearVenue>()
  #closed = false

  /** `asCalled`: a venue as this process may call it. */
  constructor(from: Ingredients, log: Log, asCalled: (place: Place, adapter: Venue) => Venue) {
    this.#from = from
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
    const open = async () => {
      const { adapter, secrets } = await openAdapter(this.#from, venue, config)
      fresh.secrets = digestOf(secrets)
      return this.#asCalled(place, adapter)
    }
    const fresh: OpenAdapter = { venue, config: text, adapter: open(), looked_at: Date.now() }
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
    const secrets = await this.#from.secrets(venue, config).catch(() => undefined)
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

export async function openAdapter(
  { factories, secrets: secretsOf, judge, folders: foldersOf, meet }: Ingredients,
  venue: VenueRecord,
  config: AdapterConfig,
): Promise<{ adapter: Venue; secrets: Record<string, string> }> {
  await judge(venue, config)
  const secrets = await secretsOf(venue, config)
  const connection = await meet?.(venue, config, secrets)
  const open = factories[venue.kind]
  if (open === undefined)
    throw new ApiError('VenueUnreachable', `there is no adapter for venues of kind ${venue.kind}`)
  const { options, since: files_since } = await foldersOf(venue, config)
  const opened = await open({ ...config.options, ...secrets, ...options }, config.terms)
  const files = files_since === undefined ? {} : { files_since }
  const adapter = withSameConnection(withGate(opened), { ...connection, ...files })
  const tracing = tracingInUse()
  const about = { 'kontor.venue': venue.id, 'kontor.venue_kind': venue.kind }
  const traced = tracing === undefined ? adapter : tracedVenue(adapter, about, tracing)
  return { adapter: traced, secrets }
}
