/** How the venues that the configuration file declares come into the database. */
import type { Clock } from '../core/clock.ts'
import { ApiError, refuse } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type { ServiceId, VenueId, WorkspaceId } from '../core/ids.ts'
import { canonicalJson } from '../core/json.ts'
import { move, moveFromAny } from '../core/moves.ts'
import type { Caller } from '../http/index.ts'
import { only } from '../store/db.ts'
import type { Reader, Tx } from '../store/db.ts'
import { insertRow, insertRows, updateRow } from '../store/rows.ts'
import type { Stamp } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import type { Query } from '../store/sql.ts'
import { stateIn, stateNotIn } from '../store/states.ts'
import { DEFAULT_SETTLEMENT, payoutIbansOf, problemsOf, servicesOf } from './declaration.schema.ts'
import type { DeclaredVenue } from './declaration.schema.ts'
import { SERVICES, VENUE_COLUMNS, venueById, VENUES } from './rows.ts'
import { clearMovedSecrets } from './stored-secrets.ts'
import type { AdapterConfig } from './secrets.ts'
import { placeOfVenue } from './targets.ts'
import type { Term } from './terms.ts'
import { SERVICE_MOVES, VENUE_MOVES } from './venues.schema.ts'
import type { ServiceType, VenueRecord } from './venues.schema.ts'

/** `moves`: what it shall move, in its words, and what is needed of it. */
export type VenueToPut = DeclaredVenue & {
  moves?: Pick<AdapterConfig, 'terms' | 'needs' | 'judged'>
}

/**
 * Brings the venues and their services to what is declared, found by key; one that is no longer
 * named is DISABLED. Opens no adapter and no account. Answers the venues by key. Throws 3001 with
 * every entry that is wrong.
 */
export async function putVenues(
  caller: Caller,
  tx: Tx,
  clock: Clock,
  declared: readonly VenueToPut[],
): Promise<Map<string, VenueRecord>> {
  const venues = await putTheseVenues(caller, tx, clock, declared)
  await disableOthers({ ...caller, tx, now: clock.now() }, [...venues.keys()])
  return venues
}

/** The same, and all others stay as they are. */
export async function putTheseVenues(
  caller: Caller,
  tx: Tx,
  clock: Clock,
  declared: readonly VenueToPut[],
): Promise<Map<string, VenueRecord>> {
  const problems = declared.flatMap((venue, index) => problemsOf(venue, `venues[${index}]`))
  if (problems.length > 0) {
    const message = problems.map((problem) => problem.message).join('; ')
    throw new ApiError('BadRequest', message, problems)
  }
  const work = { ...caller, tx, now: clock.now() }
  const venues = new Map<string, VenueRecord>()
  for (const [index, venue] of declared.entries())
    venues.set(venue.key, await putVenue(work, venue, `venues[${index}].kind`))
  return venues
}

/** One that is no longer declared. */
export async function disableVenue(
  caller: Caller,
  { tx, clock }: { tx: Tx; clock: Clock },
  key: string,
): Promise<void> {
  const { workspace } = caller
  await disableWhere(
    { ...caller, tx, now: clock.now() },
    sql`
      workspace = ${workspace}
      and key = ${key}`,
  )
}

/** What each step of it needs. */
type Work = Stamp & { workspace: WorkspaceId; tx: Tx }

async function putVenue(work: Work, declared: VenueToPut, path: string): Promise<VenueRecord> {
  const { tx, workspace } = work
  const { key, kind } = declared
  const known = await findByKey(tx, workspace, key)
  if (known !== undefined && known.kind !== kind)
    throw refuse(
      'IN_USE',
      path,
      `${path}: the venue ${key} is of kind ${known.kind}; another kind needs another key`,
    )
  const id = known?.id ?? newId<VenueId>()
  if (known === undefined) await addVenue(work, id, declared)
  else await changeVenue(work, known, declared)
  await clearMovedSecrets(tx, { workspace, id }, declared.options ?? {})
  await putServices(work, id, declared.services ?? servicesOf(kind))
  return venueById(tx, workspace, id)
}

type KnownVenue = Pick<VenueRecord, 'id' | 'kind' | 'state' | 'connected_at'> & {
  config: AdapterConfig
}

async function findByKey(
  tx: Tx,
  workspace: WorkspaceId,
  key: string,
): Promise<KnownVenue | undefined> {
  return only(
    await tx.query<KnownVenue>(sql`
      select id, kind, state, connected_at, config
      from venues
      where workspace = ${workspace}
        and key = ${key}
      for update`),
  )
}

/** What the row has of the declaration. */
function declaredFields(declared: VenueToPut) {
  const { label, settlement = DEFAULT_SETTLEMENT, options = {}, secrets = {} } = declared
  const payout_ibans = payoutIbansOf(declared)
  return { label, settlement, payout_ibans, config: { options, secrets, ...declared.moves } }
}

async function addVenue(work: Work, id: VenueId, declared: VenueToPut): Promise<void> {
  const { tx, workspace } = work
  const { key, kind } = declared
  const row = { workspace, id, key, kind, state: 'CONNECTING' as const, unserved: [] }
  await tx.query(insertRow(VENUES, { ...row, ...declaredFields(declared) }, work))
}

/** Leaves the row alone when nothing is different. */
async function changeVenue(
  { tx, workspace, by, now }: Work,
  known: KnownVenue,
  declared: VenueToPut,
): Promise<void> {
  const fields = declaredFields(declared)
  const { label, settlement, payout_ibans } = fields
  const reached_since = reachedSince(known, fields.config, now)
  const { seen } = known.config
  const config = {
    ...fields.config,
    ...(reached_since === undefined ? {} : { reached_since }),
    ...(seen === undefined ? {} : { seen }),
  }
  const text = JSON.stringify(config)
  const state = stateAgain(known)
  await tx.query(
    updateRow(VENUES, {
      where: sql`
        workspace = ${workspace}
        and id = ${known.id}
        and (label, settlement, payout_ibans, config, state) is distinct from (
          ${label}, ${settlement}, ${payout_ibans}::text[], ${text}::jsonb, ${state}
        )`,
      set: { ...fields, config, state },
      by,
      now,
    }),
  )
}

/** Another address, other secrets, or declared again: nobody knows that it is the same account. */
function reachedSince(
  { state, config }: KnownVenue,
  { options, secrets }: Pick<AdapterConfig, 'options' | 'secrets'>,
  now: number,
): number | undefined {
  const isSame =
    state !== 'DISABLED' &&
    placeOfVenue(config.options) === placeOfVenue(options) &&
    canonicalJson(config.secrets) === canonicalJson(secrets)
  return isSame ? config.reached_since : now
}

/** A secret was written: what was sent before may have gone out by another account. */
export async function markReachedAnew(
  { tx, now }: { tx: Tx; now: number },
  { workspace, id }: { workspace: WorkspaceId; id: VenueId },
): Promise<void> {
  await tx.query(sql`
    update venues
    set config = config || jsonb_build_object('reached_since', ${now}::bigint)
    where workspace = ${workspace}
      and id = ${id}`)
}

/** One that was DISABLED goes on where it stood. */
function stateAgain({ state, connected_at }: KnownVenue): VenueRecord['state'] {
  if (state !== 'DISABLED') return state
  return move(VENUE_MOVES, state, connected_at === null ? 'CONNECTING' : 'CONNECTED').to
}

/** A venue keeps the rows of services that it had; those left out are STOPPED. */
async function putServices(
  work: Work,
  venue_id: VenueId,
  types: readonly ServiceType[],
): Promise<void> {
  const { tx, workspace } = work
  const { from, to: state } = move(SERVICE_MOVES, 'STOPPED', 'RUNNING')
  const rows = types.map((type) => ({ workspace, id: newId<ServiceId>(), venue_id, type, state }))
  if (rows.length > 0)
    await tx.query(sql`
      ${insertRows(SERVICES, rows, work)}
      on conflict (workspace, venue_id, type) do update
      set state = excluded.state, version = services.version + 1,
        system_updated_at = excluded.system_updated_at,
        system_updated_by = excluded.system_updated_by
      where ${stateIn(SERVICE_MOVES, from, 'services.state')}`)
  await stopServices(work, [venue_id], types)
}

const disableOthers = (work: Work, keys: readonly string[]): Promise<void> =>
  disableWhere(
    work,
    sql`
      workspace = ${work.workspace}
      and not key = any(${keys}::text[])`,
  )

async function disableWhere(work: Work, where: Query): Promise<void> {
  const { tx, by, now } = work
  const disable = updateRow(VENUES, {
    where,
    move: moveFromAny(VENUE_MOVES, 'DISABLED'),
    by,
    now,
  })
  const gone = await tx.query<{ id: VenueId }>(sql`
    ${disable}
    returning id`)
  await stopServices(
    work,
    gone.map((venue) => venue.id),
    [],
  )
}

async function stopServices(
  { tx, workspace, by, now }: Work,
  venue_ids: readonly VenueId[],
  except: readonly ServiceType[],
): Promise<void> {
  await tx.query(
    updateRow(SERVICES, {
      where: sql`
        workspace = ${workspace}
        and venue_id = any(${venue_ids}::uuid[])
        and not type = any(${except}::text[])`,
      move: moveFromAny(SERVICE_MOVES, 'STOPPED'),
      by,
      now,
    }),
  )
}

type ChangedSettlement = {
  path: string
  venue_id: VenueId
  key: string
  from: VenueRecord['settlement']
  to: VenueRecord['settlement']
}

/** The venues that are to be paid otherwise from now on. */
export async function findChangedSettlements(
  reader: Reader,
  workspace: WorkspaceId,
  declared: readonly DeclaredVenue[],
): Promise<ChangedSettlement[]> {
  const keys = declared.map((venue) => venue.key)
  const known = await reader.query<Pick<VenueRecord, 'id' | 'settlement'> & { key: string }>(sql`
    select id, key, settlement
    from venues
    where workspace = ${workspace}
      and key = any(${keys}::text[])`)
  return declared.flatMap(({ key, settlement: to = DEFAULT_SETTLEMENT }, index) => {
    const venue = known.find((row) => row.key === key)
    if (venue === undefined || venue.settlement === to) return []
    const path = `venues[${index}].settlement`
    return [{ path, venue_id: venue.id, key, from: venue.settlement, to }]
  })
}

/** What each venue moves as it is configured now, by key. */
export async function readStoredTerms(
  reader: Reader,
  workspace: WorkspaceId,
): Promise<Map<string, { venue_id: VenueId; terms: readonly Term[] }>> {
  const rows = await reader.query<{ id: VenueId; key: string; terms: Term[] | null }>(sql`
    select id, key, config -> 'terms' as terms
    from venues
    where workspace = ${workspace}`)
  return new Map(rows.map(({ id, key, terms }) => [key, { venue_id: id, terms: terms ?? [] }]))
}

/** What is stored of each venue that is not DISABLED, by key. */
export async function readConfiguredVenues(
  reader: Reader,
  workspace: WorkspaceId,
): Promise<Map<string, { venue: VenueRecord; config: AdapterConfig }>> {
  const rows = await reader.query<VenueRecord & { key: string; config: AdapterConfig }>(sql`
    select ${VENUE_COLUMNS}, v.key, v.config
    from venues v
    where v.workspace = ${workspace}
      and ${stateNotIn(VENUE_MOVES, 'DISABLED', 'v.state')}
    order by v.id`)
  return new Map(rows.map(({ key, config, ...venue }) => [key, { venue, config }]))
}
