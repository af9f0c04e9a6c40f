/**
 * Halts: what a person has halted, for the whole workspace, a venue or an asset. The lane refuses
 * the commands that a halt is on (Change.halt); facts are never asked. Who prepares a command
 * outside the lane asks here first.
 */
import type { Clock } from '../../core/clock.ts'
import { refuse } from '../../core/errors.ts'
import type { ApiError } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { only } from '../../store/db.ts'
import type { Reader, Tx } from '../../store/db.ts'
import { markedRead, readAll, readOne } from '../../store/reads.ts'
import type { Read } from '../../store/reads.ts'
import { raw, sql } from '../../store/sql.ts'
import { haltedError, haltFor } from '../halts.schema.ts'
import type { Halt, HaltScope, PutHaltBody, ActiveHalt } from '../halts.schema.ts'
import { lockLane, publishEvents } from '../events.ts'

export const HALT_COLUMNS = raw(`
    id, workspace, state, action, venue_id, asset, reason, set_by, set_at, released_by, released_at,
      release_reason, system_created_at, system_created_by, system_updated_at, system_updated_by,
      version`)

/** Those that are set. */
export const haltsRead = (workspace: WorkspaceId) =>
  markedRead(
    raw('action, venue_id, asset, reason'),
    sql`brakes where workspace = ${workspace} and state = 'SET'`,
    (rows: readonly ActiveHalt[]): readonly ActiveHalt[] => rows,
  )

/** Throws 3001 HALTED for what one of these stops. */
export function assertNoHaltStops(halts: readonly ActiveHalt[], asked: HaltScope): void {
  const halt = haltFor(halts, asked)
  if (halt !== undefined) throw haltedError(halt)
}

/**
 * Throws 3001 HALTED: for commands that do not go through the lane, and before work that would be
 * in vain.
 */
export async function assertNotHalted(
  reader: Reader,
  workspace: WorkspaceId,
  asked: HaltScope,
): Promise<void> {
  assertNoHaltStops(await readOne(reader, haltsRead(workspace)), asked)
}

type FrozenAccount = { label: string; frozen_reason: string | null }

const frozenAccountRead = (
  workspace: WorkspaceId,
  cause_id: string,
): Read<readonly FrozenAccount[]> => ({
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
  answer: (rows: readonly FrozenAccount[]) => rows,
})

/**
 * Why what was accepted before must wait: a halt, or the frozen account that something is still
 * blocked on for it.
 */
export async function waitReason(
  reader: Reader,
  workspace: WorkspaceId,
  asked: HaltScope,
  cause_id: string,
): Promise<ApiError | undefined> {
  const {
    halts,
    frozen: [account],
  } = await readAll(reader, {
    halts: haltsRead(workspace),
    frozen: frozenAccountRead(workspace, cause_id),
  })
  const halt = haltFor(halts, asked)
  if (halt !== undefined) return haltedError(halt)
  return account === undefined
    ? undefined
    : refuse('FROZEN', '', `account ${account.label} is frozen: ${account.frozen_reason ?? ''}`)
}

/**
 * Sets the halt of this scope, or gives a set one another reason; releases it. Takes the lane's
 * lock, so that whatever command comes after it in the lane sees it. Throws 3001 STATE_NOT_ALLOWED
 * for the release of what is not set.
 */
export async function putHalt(
  tx: Tx,
  clock: Clock,
  workspace: WorkspaceId,
  body: PutHaltBody,
  by: string,
): Promise<Halt> {
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
      returning ${HALT_COLUMNS}`
    : sql`
      update brakes
      set state = 'RELEASED', released_by = ${by}, released_at = ${now},
        release_reason = ${body.reason}, version = version + 1, system_updated_at = ${now},
        system_updated_by = ${by}
      where ${scope}
      returning ${HALT_COLUMNS}`
  const known = only(await tx.query<Halt>(changed))
  if (known === undefined && !body.halted)
    throw refuse('STATE_NOT_ALLOWED', 'halted', 'no such halt is set')
  const halt =
    known ??
    ((
      await tx.query<Halt>(sql`
        insert into brakes (
          workspace, id, state, action, venue_id, asset, reason, set_by, set_at, system_created_at,
          system_created_by, system_updated_at, system_updated_by
        )
        values (
          ${workspace}, ${newId()}, 'SET', ${body.action}, ${body.venue_id ?? null},
          ${body.asset ?? null}, ${body.reason}, ${by}, ${now}, ${now}, ${by}, ${now}, ${by}
        )
        returning ${HALT_COLUMNS}`)
    )[0] as Halt)
  const { action, venue_id, asset: code } = halt
  await publishEvents(tx, clock, workspace, [
    {
      type: body.halted ? 'halt.set' : 'halt.released',
      resource_id: halt.id,
      data: { action, venue_id, asset: code, reason: body.reason, by },
    },
  ])
  return halt
}
