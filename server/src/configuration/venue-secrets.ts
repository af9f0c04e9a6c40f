/** A person or a program writes a secret of a venue, which nobody can read again. */
import { securityEntries, userNames } from '../access/index.ts'
import type { Clock } from '../core/clock.ts'
import { mustExist } from '../core/assert.ts'
import { notFound, refuse } from '../core/errors.ts'
import type { VenueId, WorkspaceId } from '../core/ids.ts'
import type { Caller } from '../http/index.ts'
import { lockLane, publishEvents } from '../ledger/index.ts'
import type { Reader, Tx } from '../store/db.ts'
import { putTasks } from '../store/tasks.ts'
import type { WrappingKey } from '../store/wrapping-key.ts'
import {
  assertKeyIsNew,
  markReachedAnew,
  objectionToKey,
  readConfiguredVenues,
  readSecrets,
  secretNamesOf,
  venueById,
  writeSecret,
} from '../venues/index.ts'
import type { NamedVenueSecret } from './declarations.schema.ts'
import { tasksOfVenues } from './venue-tasks.ts'

/** Throws 4004. */
export async function listVenueSecrets(
  { db, wrapping }: { db: Reader; wrapping: WrappingKey | undefined },
  workspace: WorkspaceId,
  venue_id: VenueId,
): Promise<NamedVenueSecret[]> {
  await venueById(db, workspace, venue_id)
  const secrets = await readSecrets(db, { workspace, id: venue_id }, wrapping)
  const names = await userNames(
    db,
    workspace,
    secrets.map(({ set_by }) => set_by),
  )
  return secrets.map((secret) => ({ ...secret, set_by_name: names.get(secret.set_by) ?? null }))
}

type Written = { venue_id: VenueId; name: string; value: string }

/**
 * For the address that the venue has now. Throws 4004, 3001 for a name that a venue of this kind
 * does not take, and CONFLICT where nothing can be wrapped.
 */
export async function putVenueSecret(
  caller: Caller,
  { tx, clock, wrapping }: { tx: Tx; clock: Clock; wrapping: WrappingKey | undefined },
  { venue_id, name, value: given }: Written,
): Promise<NamedVenueSecret> {
  const { workspace, by, source } = caller
  const now = clock.now()
  await lockLane(tx, workspace)
  const { kind } = await venueById(tx, workspace, venue_id)
  if (!secretNamesOf(kind).includes(name)) throw notFound('secret', name, 'name')
  const configured = await readConfiguredVenues(tx, workspace)
  const found = [...configured.values()].find(({ venue }) => venue.id === venue_id)
  if (found === undefined)
    throw refuse('NOT_ACTIVE', 'venue_id', 'the venue is disabled: it is no longer declared')
  const value = given.trim()
  const objection = name === 'secret_pem' ? objectionToKey(value) : undefined
  if (objection !== undefined) throw refuse('FORMAT', 'value', `value: ${objection}`)
  const { options } = found.config
  const place = { workspace, id: venue_id, options }
  await writeSecret({ tx, wrapping, now, by }, place, { name, value })
  if (name === 'api_key')
    await assertKeyIsNew(tx, wrapping, { ...place, kind, label: found.venue.label }, value)
  await markReachedAnew({ tx, now }, place)
  const details = { venue_id, name }
  await tx.query(
    securityEntries(workspace, now, [
      { kind: 'VENUE_SECRET_WRITTEN', actor: by, source, details, record_id: venue_id },
    ]),
  )
  await publishEvents({ workspace, by }, { tx, clock }, [
    { type: 'venue.secret_written', resource_id: venue_id, data: { name, set_by: by } },
  ])
  await putTasks(tx, tasksOfVenues([found.venue], { workspace, due_at: now }))
  const secrets = await listVenueSecrets({ db: tx, wrapping }, workspace, venue_id)
  return mustExist(
    secrets.find((secret) => secret.name === name),
    'it was written',
  )
}
