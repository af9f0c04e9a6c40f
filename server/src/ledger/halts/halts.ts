/**
 * Halts: what a person has halted, for the whole workspace, a venue or an asset. The lane refuses
 * the commands that a halt stops (Change.halt), and no fact. Whoever prepares a command outside the
 * lane checks here first.
 */
import { mustExist } from '../../core/assert.ts'
import type { Clock } from '../../core/clock.ts'
import { refuse } from '../../core/errors.ts'
import type { ApiError } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { move } from '../../core/moves.ts'
import type { Caller } from '../../http/index.ts'
import { only } from '../../store/db.ts'
import type { Reader, Tx } from '../../store/db.ts'
import { markedRead, readAll, readOne } from '../../store/reads.ts'
import type { Read } from '../../store/reads.ts'
import { columnsOf, insertRow, tableOf, updateRow } from '../../store/rows.ts'
import { raw, sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import { lockLane, publishEvents } from '../events.ts'
import { HALT_MOVES, haltedError, haltFor, HaltRecord } from '../halts.schema.ts'
import type { ActiveHalt, Halt, HaltScope, PutHaltBody } from '../halts.schema.ts'
import { HOLD_MOVES } from '../ledger.schema.ts'

const HALTS = tableOf('brakes', HaltRecord)
const HALT_COLUMNS = columnsOf(HaltRecord)

export const SELECT_HALTS = sql`
  select ${HALT_COLUMNS}
  from brakes`

const IS_SET = stateIn(HALT_MOVES, 'SET')

type Stamp = { by: string; now: number }

/** The halts that are set. */
export const haltsRead = (workspace: WorkspaceId) =>
  markedRead(
    raw('action, venue_id, asset, reason, set_by'),
    sql`brakes where workspace = ${workspace} and ${IS_SET}`,
    (rows: readonly ActiveHalt[]): readonly ActiveHalt[] => rows,
  )

/** Throws 3001 HALTED for what one of these stops. */
export function assertNoHaltStops(halts: readonly ActiveHalt[], scope: HaltScope): void {
  const halt = haltFor(halts, scope)
  if (halt !== undefined) throw haltedError(halt)
}

/**
 * Throws 3001 HALTED: for commands that do not go through the lane, and before work that would be
 * in vain.
 */
export async function assertNotHalted(
  reader: Reader,
  workspace: WorkspaceId,
  scope: HaltScope,
): Promise<void> {
  assertNoHaltStops(await readOne(reader, haltsRead(workspace)), scope)
}

const IS_HOLD_OPEN = stateIn(HOLD_MOVES, 'OPEN', 'h.state')

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
      and ${IS_HOLD_OPEN}
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
  scope: HaltScope,
  cause_id: string,
): Promise<ApiError | undefined> {
  const {
    halts,
    frozen: [account],
  } = await readAll(reader, {
    halts: haltsRead(workspace),
    frozen: frozenAccountRead(workspace, cause_id),
  })
  const halt = haltFor(halts, scope)
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
  { workspace, by }: Pick<Caller, 'workspace' | 'by'>,
  { tx, clock }: { tx: Tx; clock: Clock },
  body: PutHaltBody,
): Promise<Halt> {
  await lockLane(tx, workspace)
  const stamp = { by, now: clock.now() }
  const halt = body.halted
    ? ((await changeReason(tx, workspace, body, stamp)) ??
      (await setHalt(tx, workspace, body, stamp)))
    : await releaseHalt(tx, workspace, body, stamp)
  const { action, venue_id, asset } = halt
  await publishEvents({ workspace }, { tx, clock }, [
    {
      type: body.halted ? 'halt.set' : 'halt.released',
      resource_id: halt.id,
      data: { action, venue_id, asset, reason: body.reason, by },
    },
  ])
  return halt
}

/** Undefined when none is set. */
async function changeReason(
  tx: Tx,
  workspace: WorkspaceId,
  body: PutHaltBody,
  stamp: Stamp,
): Promise<Halt | undefined> {
  const update = updateRow(HALTS, {
    where: setHere(workspace, body),
    set: { reason: body.reason },
    ...stamp,
  })
  return only(await tx.query<Halt>(sql`${update} returning ${HALT_COLUMNS}`))
}

async function setHalt(
  tx: Tx,
  workspace: WorkspaceId,
  { action, venue_id, asset, reason }: PutHaltBody,
  stamp: Stamp,
): Promise<Halt> {
  const insert = insertRow(
    HALTS,
    {
      workspace,
      id: newId(),
      state: 'SET',
      action,
      venue_id: venue_id ?? null,
      asset: asset ?? null,
      reason,
      set_by: stamp.by,
      set_at: stamp.now,
    },
    stamp,
  )
  const [halt] = await tx.query<Halt>(sql`${insert} returning ${HALT_COLUMNS}`)
  return mustExist(halt, 'an inserted halt is returned')
}

async function releaseHalt(
  tx: Tx,
  workspace: WorkspaceId,
  body: PutHaltBody,
  stamp: Stamp,
): Promise<Halt> {
  const { to } = move(HALT_MOVES, 'SET', 'RELEASED')
  const update = updateRow(HALTS, {
    where: setHere(workspace, body),
    set: {
      state: to,
      released_by: stamp.by,
      released_at: stamp.now,
      release_reason: body.reason,
    },
    ...stamp,
  })
  const released = only(await tx.query<Halt>(sql`${update} returning ${HALT_COLUMNS}`))
  if (released === undefined) throw refuse('STATE_NOT_ALLOWED', 'halted', 'no such halt is set')
  return released
}

/** The halt of just this scope, as long as it is set. */
const setHere = (workspace: WorkspaceId, { action, venue_id, asset }: PutHaltBody): Query =>
  sql`
    workspace = ${workspace}
      and action = ${action}
      and venue_id is not distinct from ${venue_id ?? null}::uuid
      and asset is not distinct from ${asset ?? null}::text
      and ${IS_SET}`
