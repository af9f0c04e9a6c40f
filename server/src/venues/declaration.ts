/** Venues as the configuration file declares them, and how they come into the database. */
import type { Clock } from '../core/clock.ts'
import { ApiError, refuse } from '../core/errors.ts'
import type { ErrorDetail } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { closed, optional, requiredText, text, Type, oneOf } from '../http/index.ts'
import type { Static } from '../http/index.ts'
import { only } from '../store/db.ts'
import type { Tx } from '../store/db.ts'
import { sql } from '../store/sql.ts'
import type { VenueKind } from './contract.ts'
import { venueById } from './registry.ts'
import type { AdapterConfig, SecretReference } from './registry.ts'
import { SERVICE_TYPES, SETTLEMENTS } from './venues.schema.ts'
import type { ServiceType, VenueRecord, VenueState } from './venues.schema.ts'

const MAXIMUM_KEY = 100
const MAXIMUM_PATH = 1_000
const DEFAULT_SETTLEMENT = 'PREFUNDED'

/** A name within the configuration file, by which its entry is found again. */
export const keyText = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: MAXIMUM_KEY,
    pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$',
    description,
  })

/** A secret in the configuration file. */
export const SecretReferenceShape = Type.Unsafe<SecretReference>({
  description: 'Where the secret lies; read when the adapter is opened',
  anyOf: [
    closed({
      file: requiredText(MAXIMUM_PATH, 'Path, relative to the configuration file'),
      field: optional(requiredText(MAXIMUM_KEY, 'One text of a JSON file')),
    }),
    closed({ env: requiredText(MAXIMUM_KEY, 'Name of an environment variable') }),
  ],
})

/** What each kind of adapter takes: its options, and what may only be given by reference. */
const ADAPTERS = {
  EXCHANGE: {
    required: ['exchange'],
    optional: [
      'base_url',
      'websocket_url',
      'request_timeout_ms',
      'listing_grace_ms',
      'request_window_ms',
      'keep_alive_ms',
    ],
    secrets: ['api_key', 'api_secret'],
    optional_secrets: [],
    services: ['TOMS', 'WOMS', 'PRICE_STREAM'],
  },
  CUSTODY_VAULT: {
    required: ['base_url'],
    optional: ['request_timeout_ms'],
    secrets: ['api_key', 'secret_pem'],
    optional_secrets: ['webhook_public_key_pem'],
    services: ['WOMS'],
  },
  MANAGED_WALLET: {
    required: ['base_url'],
    optional: ['request_timeout_ms'],
    secrets: ['api_key', 'api_secret'],
    optional_secrets: [],
    services: ['WOMS'],
  },
  BANK: {
    required: ['outbox_dir', 'inbox_dir', 'iban', 'bic', 'name', 'currency'],
    optional: ['foreign_fee'],
    secrets: [],
    optional_secrets: [],
    services: ['WOMS'],
  },
} as const satisfies Partial<
  Record<
    VenueKind,
    {
      required: readonly string[]
      optional: readonly string[]
      secrets: readonly string[]
      optional_secrets: readonly string[]
      services: readonly ServiceType[]
    }
  >
>
const KINDS = Object.keys(ADAPTERS) as (keyof typeof ADAPTERS)[]

export const VenueDeclaration = closed(
  {
    key: keyText(
      "The venue's name in this file; the venue keeps its id as long as it keeps its key",
    ),
    label: requiredText(),
    kind: oneOf(KINDS),
    settlement: optional(
      oneOf(
        SETTLEMENTS,
        `Default ${DEFAULT_SETTLEMENT}; changes only while nothing that was traded there is open`,
      ),
    ),
    services: optional(
      Type.Array(oneOf(SERVICE_TYPES), {
        uniqueItems: true,
        description: 'Default: all that the kind offers',
      }),
    ),
    options: optional(
      Type.Unsafe<Record<string, string>>({
        type: 'object',
        additionalProperties: text(MAXIMUM_PATH),
        description: 'What the adapter takes that is no secret',
      }),
    ),
    secrets: optional(
      Type.Unsafe<Record<string, SecretReference>>({
        type: 'object',
        additionalProperties: SecretReferenceShape,
        description: 'By reference only; anything the adapter takes may be given here',
      }),
    ),
  },
  { title: 'VenueDeclaration' },
)
export type DeclaredVenue = Static<typeof VenueDeclaration>

/**
 * Brings the venues and their services to what is declared, found by key; one that is no longer
 * named is DISABLED. Opens no adapter and no account. Answers the venues by key. Throws 3001 with
 * every entry that is wrong.
 */
export async function putVenues(
  tx: Tx,
  clock: Clock,
  workspace: WorkspaceId,
  declared: readonly DeclaredVenue[],
  by: string,
): Promise<Map<string, VenueRecord>> {
  const problems = declared.flatMap((each, index) => problemsOf(each, `venues[${index}]`))
  if (problems.length > 0)
    throw new ApiError(
      'BadRequest',
      problems.map((problem) => problem.message).join('; '),
      problems,
    )
  const venues = new Map<string, VenueRecord>()
  for (const [index, each] of declared.entries())
    venues.set(each.key, await putVenue(tx, clock, workspace, each, `venues[${index}]`, by))
  const now = clock.now()
  const gone = await tx.query<{ id: string }>(sql`
    update venues
    set state = 'DISABLED', version = version + 1, system_updated_at = ${now},
      system_updated_by = ${by}
    where workspace = ${workspace}
      and state <> 'DISABLED'
      and not key = any(${[...venues.keys()]}::text[])
    returning id`)
  await stopServices(
    tx,
    now,
    workspace,
    gone.map((each) => each.id),
    [],
    by,
  )
  return venues
}

export type ChangedSettlement = {
  path: string
  venue_id: string
  key: string
  from: VenueRecord['settlement']
  to: VenueRecord['settlement']
}

/** The venues that are to be paid otherwise from now on. */
export async function changedSettlements(
  tx: Tx,
  workspace: WorkspaceId,
  declared: readonly DeclaredVenue[],
): Promise<ChangedSettlement[]> {
  const known = await tx.query<{ id: string; key: string; settlement: VenueRecord['settlement'] }>(
    sql`
      select id, key, settlement
      from venues
      where workspace = ${workspace}
        and key = any(${declared.map((each) => each.key)}::text[])`,
  )
  return declared.flatMap(
    ({ key, settlement = DEFAULT_SETTLEMENT }, index): ChangedSettlement[] => {
      const venue = known.find((each) => each.key === key)
      return venue === undefined || venue.settlement === settlement
        ? []
        : [
            {
              path: `venues[${index}].settlement`,
              venue_id: venue.id,
              key,
              from: venue.settlement,
              to: settlement,
            },
          ]
    },
  )
}

function problemsOf(declared: DeclaredVenue, path: string): ErrorDetail[] {
  const { required, optional, secrets, optional_secrets, services } = ADAPTERS[declared.kind]
  const options = Object.keys(declared.options ?? {})
  const references = Object.keys(declared.secrets ?? {})
  const secretNames: readonly string[] = [...secrets, ...optional_secrets]
  const known: readonly string[] = [...required, ...optional, ...secretNames]
  const detail = (code: ErrorDetail['code'], at: string, message: string): ErrorDetail => ({
    code,
    path: `${path}.${at}`,
    message: `${path}.${at} ${message}`,
  })
  return [
    ...required
      .filter((name) => !options.includes(name) && !references.includes(name))
      .map((name) =>
        detail('REQUIRED', `options.${name}`, `is required for a venue of kind ${declared.kind}`),
      ),
    ...secrets
      .filter((name) => !references.includes(name) && !options.includes(name))
      .map((name) =>
        detail('REQUIRED', `secrets.${name}`, `is required for a venue of kind ${declared.kind}`),
      ),
    ...options
      .filter((name) => secretNames.includes(name))
      .map((name) =>
        detail('UNKNOWN_FIELD', `options.${name}`, 'is a secret: name where it lies, in secrets'),
      ),
    ...options
      .filter((name) => !known.includes(name))
      .map((name) =>
        detail(
          'UNKNOWN_FIELD',
          `options.${name}`,
          `is not known for a venue of kind ${declared.kind}`,
        ),
      ),
    ...references
      .filter((name) => !known.includes(name))
      .map((name) =>
        detail(
          'UNKNOWN_FIELD',
          `secrets.${name}`,
          `is not known for a venue of kind ${declared.kind}`,
        ),
      ),
    ...(declared.services ?? [])
      .filter((name) => !(services as readonly string[]).includes(name))
      .map((name) =>
        detail(
          'UNSUPPORTED_BY_VENUE',
          'services',
          `names ${name}, which a venue of kind ${declared.kind} does not offer`,
        ),
      ),
  ]
}

async function putVenue(
  tx: Tx,
  clock: Clock,
  workspace: WorkspaceId,
  declared: DeclaredVenue,
  path: string,
  by: string,
): Promise<VenueRecord> {
  const now = clock.now()
  const { key, label, kind, settlement = DEFAULT_SETTLEMENT } = declared
  const config = JSON.stringify({
    options: declared.options ?? {},
    secrets: declared.secrets ?? {},
  } satisfies AdapterConfig)
  const known = only(
    await tx.query<{ id: string; kind: VenueKind; state: VenueState; connected_at: number | null }>(
      sql`
        select id, kind, state, connected_at
        from venues
        where workspace = ${workspace}
          and key = ${key}
        for update`,
    ),
  )
  if (known !== undefined && known.kind !== kind)
    throw refuse(
      'IN_USE',
      `${path}.kind`,
      `${path}.kind: the venue ${key} is of kind ${known.kind}; another kind needs another key`,
    )
  const id = known?.id ?? newId()
  if (known === undefined) {
    await tx.query(sql`
      insert into venues (
        workspace, id, key, label, kind, settlement, state, config, system_created_at,
        system_created_by, system_updated_at, system_updated_by
      )
      values (
        ${workspace}, ${id}, ${key}, ${label}, ${kind}, ${settlement}, 'CONNECTING',
        ${config}::jsonb, ${now}, ${by}, ${now}, ${by}
      )`)
  } else {
    const state =
      known.state !== 'DISABLED'
        ? known.state
        : known.connected_at === null
          ? 'CONNECTING'
          : 'CONNECTED'
    await tx.query(sql`
      update venues
      set label = ${label}, settlement = ${settlement}, config = ${config}::jsonb, state = ${state},
        version = version + 1, system_updated_at = ${now}, system_updated_by = ${by}
      where workspace = ${workspace}
        and id = ${id}
        and (label, settlement, config, state) is distinct from (
          ${label}, ${settlement}, ${config}::jsonb, ${state}
        )`)
  }
  const services = declared.services ?? ADAPTERS[kind].services
  await tx.query(sql`
    insert into services (
      workspace, id, venue_id, type, state, system_created_at, system_created_by, system_updated_at,
      system_updated_by
    )
    select ${workspace}::uuid, s.id, ${id}::uuid, s.type, 'RUNNING', ${now}, ${by}, ${now}, ${by}
    from unnest(${services.map(() => newId())}::uuid[], ${[...services]}::text[]) as s (id, type)
    on conflict (workspace, venue_id, type) do update
    set state = 'RUNNING', version = services.version + 1,
      system_updated_at = excluded.system_updated_at, system_updated_by = excluded.system_updated_by
    where services.state = 'STOPPED'`)
  await stopServices(tx, now, workspace, [id], services, by)
  return venueById(tx, workspace, id)
}

async function stopServices(
  tx: Tx,
  now: number,
  workspace: WorkspaceId,
  venue_ids: readonly string[],
  except: readonly ServiceType[],
  by: string,
): Promise<void> {
  await tx.query(sql`
    update services
    set state = 'STOPPED', version = version + 1, system_updated_at = ${now},
      system_updated_by = ${by}
    where workspace = ${workspace}
      and venue_id = any(${venue_ids}::uuid[])
      and not type = any(${except}::text[])
      and state <> 'STOPPED'`)
}
