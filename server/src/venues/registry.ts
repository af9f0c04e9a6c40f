/**
 * The venues of a workspace and their adapters. Adapters are opened lazily and once per process,
 * from the stored configuration; secrets are read where the configuration says they lie, at that
 * moment, and live only in the adapter. A changed configuration closes the old adapter and opens a
 * new one at the next use.
 */
import { readFile } from 'node:fs/promises'
import type { Clock } from '../core/clock.ts'
import { ApiError, notFound } from '../core/errors.ts'
import type { ServiceId, VenueId, WorkspaceId } from '../core/ids.ts'
import { only } from '../store/db.ts'
import type { Db, Reader } from '../store/db.ts'
import { raw, sql } from '../store/sql.ts'
import type { Venue, VenueKind } from './contract.ts'
import type { ServiceRecord, VenueRecord } from './venues.schema.ts'

export type Venues = {
  /**
   * The adapter of a venue of this workspace; throws 4004 when there is none, 2003 when it is
   * disabled or cannot be opened.
   */
  connected(
    workspace: WorkspaceId,
    venue_id: VenueId,
  ): Promise<{ venue: VenueRecord; adapter: Venue }>
  list(workspace: WorkspaceId): Promise<VenueRecord[]>
  /** Throws 4004 when the workspace has no such service. */
  service(
    workspace: WorkspaceId,
    service_id: ServiceId,
  ): Promise<{ venue: VenueRecord; service: ServiceRecord }>
  close(): Promise<void>
}

/** Where a secret lies; `field` picks one text of a JSON file. */
export type SecretReference = { file: string; field?: string } | { env: string }

export type AdapterConfig = {
  options: Record<string, string>
  secrets: Record<string, SecretReference>
}

/** Opens an adapter of each kind from its options and secrets, by one set of names. */
export type AdapterFactories = Partial<
  Record<VenueKind, (config: Record<string, string>) => Promise<Venue>>
>

export type VenuesParts = {
  db: Db
  clock: Clock
  log: { error(details: object, message: string): void }
  adapters: AdapterFactories
}

export const VENUE_COLUMNS = raw(`
    v.id, v.workspace, v.label, v.kind, v.settlement, v.state, v.capabilities, v.connected_at,
      v.last_seen_at, v.system_created_at, v.system_created_by, v.system_updated_at,
      v.system_updated_by, v.version,
      (
        select coalesce(
          jsonb_agg(
          jsonb_build_object('id', s.id, 'type', s.type, 'state', s.state)
          order by s.type
        ),
          '[]'
        )
        from services s
        where s.workspace = v.workspace
          and s.venue_id = v.id
      ) as services`)

export async function venueById(
  reader: Reader,
  workspace: WorkspaceId,
  id: VenueId,
  path = 'venue_id',
): Promise<VenueRecord> {
  const venue = only(
    await reader.query<VenueRecord>(
      sql`
        select ${VENUE_COLUMNS}
        from venues v
        where v.workspace = ${workspace}
          and v.id = ${id}`,
    ),
  )
  if (venue === undefined) throw notFound('venue', id, path)
  return venue
}

/**
 * Whose venue this is, for a caller without a token: venue ids are unique over all workspaces.
 * Throws 4004.
 */
export async function workspaceOfVenue(reader: Reader, id: VenueId): Promise<WorkspaceId> {
  const row = only(
    await reader.query<{ workspace: WorkspaceId }>(sql`
      select workspace
      from venues
      where id = ${id}`),
  )
  if (row === undefined) throw notFound('venue', id, 'venue_id')
  return row.workspace
}

/**
 * Throws 2003 until what the venue held is in the books: money that moves before would be missing
 * from its opening balance.
 */
export function assertOpened(venue: Pick<VenueRecord, 'label' | 'connected_at'>): void {
  if (venue.connected_at === null)
    throw new ApiError(
      'VenueUnreachable',
      `venue ${venue.label} is not connected yet: what it holds is not in the books`,
    )
}

type OpenAdapter = { config: string; adapter: Promise<Venue> }

export function openVenues({ db, log, adapters }: VenuesParts): Venues {
  const opened = new Map<string, OpenAdapter>()
  let closed = false

  const end = (venue_id: VenueId, opened: OpenAdapter) =>
    opened.adapter
      .then((adapter) => adapter.close())
      .catch((error: unknown) => {
        log.error(
          { venue_id, error: error instanceof Error ? error.message : String(error) },
          'a venue did not close',
        )
      })

  const adapterOf = async (venue: VenueRecord, config: AdapterConfig): Promise<Venue> => {
    if (closed) throw new ApiError('VenueUnreachable', 'the service is stopping')
    const text = JSON.stringify(config)
    const known = opened.get(venue.id)
    if (known?.config === text) return known.adapter
    if (known !== undefined) void end(venue.id, known)
    const fresh: OpenAdapter = { config: text, adapter: openAdapter(adapters, venue, config) }
    opened.set(venue.id, fresh)
    // What could not be opened is tried again at the next use.
    fresh.adapter.catch(() => {
      if (opened.get(venue.id) === fresh) opened.delete(venue.id)
    })
    return fresh.adapter
  }

  return {
    async connected(workspace, venue_id) {
      const row = only(
        await db.query<VenueRecord & { config: AdapterConfig }>(
          sql`
            select ${VENUE_COLUMNS}, v.config
            from venues v
            where v.workspace = ${workspace}
              and v.id = ${venue_id}`,
        ),
      )
      if (row === undefined) throw notFound('venue', venue_id, 'venue_id')
      const { config, ...venue } = row
      if (venue.state === 'DISABLED') {
        const unused = opened.get(venue.id)
        opened.delete(venue.id)
        if (unused !== undefined) void end(venue.id, unused)
        throw new ApiError('VenueUnreachable', `venue ${venue.label} is no longer configured`)
      }
      return { venue, adapter: await adapterOf(venue, config) }
    },
    list: (workspace) =>
      db.query<VenueRecord>(
        sql`
          select ${VENUE_COLUMNS}
          from venues v
          where v.workspace = ${workspace}
          order by v.id`,
      ),
    async service(workspace, service_id) {
      const row = only(
        await db.query<{ venue_id: VenueId }>(
          sql`
            select venue_id
            from services
            where workspace = ${workspace}
              and id = ${service_id}`,
        ),
      )
      if (row === undefined) throw notFound('service', service_id, 'service_id')
      const venue = await venueById(db, workspace, row.venue_id)
      const service = venue.services.find((service) => service.id === service_id)
      if (service === undefined) throw notFound('service', service_id, 'service_id')
      return { venue, service }
    },
    async close() {
      closed = true
      await Promise.all([...opened].map(([venue_id, each]) => end(venue_id, each)))
      opened.clear()
    },
  }
}

async function openAdapter(
  adapters: AdapterFactories,
  venue: VenueRecord,
  config: AdapterConfig,
): Promise<Venue> {
  const open = adapters[venue.kind]
  if (open === undefined)
    throw new ApiError('VenueUnreachable', `there is no adapter for venues of kind ${venue.kind}`)
  const secrets = await Promise.all(
    Object.entries(config.secrets).map(
      async ([name, reference]) =>
        [name, await secretAt(reference, `${venue.label}: ${name}`)] as const,
    ),
  )
  return open({ ...config.options, ...Object.fromEntries(secrets) })
}

/** Throws 2003, naming the place of the secret and never its text. */
export async function secretAt(reference: SecretReference, what: string): Promise<string> {
  if ('env' in reference) {
    const value = process.env[reference.env]
    if (value === undefined || value === '')
      throw new ApiError(
        'VenueUnreachable',
        `${what} is missing: the environment has no ${reference.env}`,
      )
    return value
  }
  const text = await readFile(reference.file, 'utf8').catch(() => {
    throw new ApiError('VenueUnreachable', `${what} is missing: ${reference.file} cannot be read`)
  })
  if (reference.field === undefined) return text.trim()
  const value = fieldOf(text, reference.field)
  if (value === undefined)
    throw new ApiError(
      'VenueUnreachable',
      `${what} is missing: ${reference.file} has no text ${reference.field}`,
    )
  return value
}

function fieldOf(text: string, field: string): string | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return undefined
  }
  const value =
    typeof parsed === 'object' && parsed !== null
      ? (parsed as Record<string, unknown>)[field]
      : undefined
  return typeof value === 'string' ? value : undefined
}
