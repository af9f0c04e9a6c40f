/**
 * Brakes: what a person has halted, for the whole workspace, a venue or an asset. The lane refuses
 * the commands that a brake is on (Change.brake); facts are never asked. Who prepares a command
 * outside the lane asks here first.
 */
import type { Clock } from '../../core/clock.ts'
import { refuse } from '../../core/errors.ts'
import type { ApiError } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import { only } from '../../store/db.ts'
import type { Reader, Tx } from '../../store/db.ts'
import { markedRead, readAll, readOne } from '../../store/reads.ts'
import type { Read } from '../../store/reads.ts'
import { raw, sql } from '../../store/sql.ts'
import { braked, brakeOn } from '../brakes.schema.ts'
import type { Brake, Braked, PutBrakeBody, SetBrake } from '../brakes.schema.ts'
import { lockLane, publishEvents } from '../events.ts'

export const BRAKE_COLUMNS = raw(`
    id, workspace, state, action, venue_id, asset, reason, set_by, set_at, released_by, released_at,
      release_reason, system_created_at, system_created_by, system_updated_at, system_updated_by,
      version`)

/** Those that are set. */
export const brakesRead = (workspace: string) =>
  markedRead(
    raw('action, venue_id, asset, reason'),
    sql`brakes where workspace = ${workspace} and state = 'SET'`,
    (rows: readonly SetBrake[]): readonly SetBrake[] => rows,
  )

/** Throws 3001 BRAKED for what one of these stops. */
export function assertNoneStops(brakes: readonly SetBrake[], asked: Braked): void {
  const brake = brakeOn(brakes, asked)
  if (brake !== undefined) throw braked(brake)
}

/**
 * Throws 3001 BRAKED: for commands that do not go through the lane, and before work that would be
 * in vain.
 */
export async function assertNotBraked(
  reader: Reader,
  workspace: string,
  asked: Braked,
): Promise<void> {
  assertNoneStops(await readOne(reader, brakesRead(workspace)), asked)
}

type Frozen = { label: string; frozen_reason: string | null }

const frozenRead = (workspace: string, cause_id: string): Read<readonly Frozen[]> => ({
  query: sql`
    select a.label, a.frozen_reason
    from holds h
    join accounts a on a.workspace = h.workspace
      and a.id = h.account_id
    where h.workspace = ${workspace}
      and h.cause_id = ${cause_id}
      and h.state = 'OPEN'
      and a.frozen
    limit 1`,
  answer: (rows: readonly Frozen[]) => rows,
})

/**
 * Why what was accepted before must wait: a brake, or the frozen account that something is still
 * blocked on for it.
 */
export async function standstill(
  reader: Reader,
  workspace: string,
  asked: Braked,
  cause_id: string,
): Promise<ApiError | undefined> {
  const {
    brakes,
    frozen: [account],
  } = await readAll(reader, {
    brakes: brakesRead(workspace),
    frozen: frozenRead(workspace, cause_id),
  })
  const brake = brakeOn(brakes, asked)
  if (brake !== undefined) return braked(brake)
  return account === undefined
    ? undefined
    : refuse('FROZEN', '', `account ${account.label} is frozen: ${account.frozen_reason ?? ''}`)
}

/**
 * Sets the brake of this scope, or gives a set one another reason; releases it. Takes the lane's
 * lock, so that whatever command comes after it in the lane sees it. Throws 3001 STATE_NOT_ALLOWED
 * for the release of what is not set.
 */
export async function putBrake(
  tx: Tx,
  clock: Clock,
  workspace: string,
  body: PutBrakeBody,
  by: string,
): Promise<Brake> {
  await lockLane(tx, workspace)
  const now = clock.now()
  const scope = sql`
    workspace = ${workspace}
      and action = ${body.action}
      and venue_id is not distinct from ${body.venue_id ?? null}::uuid
      and asset is not distinct from ${body.asset ?? null}::text
      and state = 'SET'`
  const changed = body.halted
    ? sql`
      update brakes
      set reason = ${body.reason}, version = version + 1, system_updated_at = ${now},
        system_updated_by = ${by}
      where ${scope}
      returning ${BRAKE_COLUMNS}`
    : sql`
      update brakes
      set state = 'RELEASED', released_by = ${by}, released_at = ${now},
        release_reason = ${body.reason}, version = version + 1, system_updated_at = ${now},
        system_updated_by = ${by}
      where ${scope}
      returning ${BRAKE_COLUMNS}`
  const known = only(await tx.query<Brake>(changed))
  if (known === undefined && !body.halted)
    throw refuse('STATE_NOT_ALLOWED', 'halted', 'no such brake is set')
  const brake =
    known ??
    ((
      await tx.query<Brake>(sql`
        insert into brakes (
          workspace, id, state, action, venue_id, asset, reason, set_by, set_at, system_created_at,
          system_created_by, system_updated_at, system_updated_by
        )
        values (
          ${workspace}, ${newId()}, 'SET', ${body.action}, ${body.venue_id ?? null},
          ${body.asset ?? null}, ${body.reason}, ${by}, ${now}, ${now}, ${by}, ${now}, ${by}
        )
        returning ${BRAKE_COLUMNS}`)
    )[0] as Brake)
  const { action, venue_id, asset: code } = brake
  await publishEvents(tx, clock, workspace, [
    {
      type: body.halted ? 'brake.set' : 'brake.released',
      resource_id: brake.id,
      data: { action, venue_id, asset: code, reason: body.reason, by },
    },
  ])
  return brake
}
