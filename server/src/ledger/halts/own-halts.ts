/**
 * Halts that Kontor sets by itself, on all withdrawals and trading of every workspace, and releases
 * again. One that a person has set, or given another reason, is left alone.
 */
import type { Clock } from '../../core/clock.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import type { Db, Reader } from '../../store/db.ts'
import { raw, sql } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import { lockLane } from '../events.ts'
import { HALT_ACTIONS, HALT_MOVES } from '../halts.schema.ts'
import type { Halt } from '../halts.schema.ts'
import { putHalt } from './halts.ts'

/** They look again and again, and set what they have set anew when it is needed. */
export const WATCHES = { disk: 'disk watch', report: 'disk report' } as const

export const isWatch = (by: string): boolean => Object.values<string>(WATCHES).includes(by)

export type WholeHalt = Pick<Halt, 'action' | 'reason' | 'set_by' | 'system_updated_by'>

/** Who has set it, and nobody has given it another reason since. */
export const isOf = ({ set_by, system_updated_by }: WholeHalt, by: string): boolean =>
  set_by === by && system_updated_by === by

type HaltsApp = { db: Db; clock: Clock }

const IS_SET = stateIn(HALT_MOVES, 'SET')
const ON_EVERYTHING = raw('venue_id is null and asset is null')

/** Those of a workspace that are set on everything. */
export const wholeHalts = (reader: Reader, workspace: WorkspaceId): Promise<WholeHalt[]> =>
  reader.query<WholeHalt>(sql`
    select action, reason, set_by, system_updated_by
    from brakes
    where workspace = ${workspace} and ${IS_SET} and ${ON_EVERYTHING}
    order by action`)

/** `by` names who sets them, and releases them later. Where one is set already, nothing changes. */
export async function setOwnHalts(app: HaltsApp, by: string, reason: string): Promise<void> {
  const workspaces = await app.db.query<{ workspace: WorkspaceId }>(sql`
    select workspace
    from lanes
    where (
      select count(*)
      from brakes
      where brakes.workspace = lanes.workspace and ${IS_SET} and ${ON_EVERYTHING}
    ) < ${HALT_ACTIONS.length}::int
    order by workspace`)
  for (const { workspace } of workspaces)
    await app.db.tx(async (tx) => {
      await lockLane(tx, workspace)
      const set = await wholeHalts(tx, workspace)
      for (const action of HALT_ACTIONS.filter((name) => !set.some((halt) => halt.action === name)))
        await putHalt({ workspace, by }, { tx, clock: app.clock }, { action, halted: true, reason })
    })
}

export async function releaseOwnHalts(app: HaltsApp, by: string, reason: string): Promise<void> {
  const ours = sql`${IS_SET} and ${ON_EVERYTHING} and set_by = ${by} and system_updated_by = ${by}`
  const workspaces = await app.db.query<{ workspace: WorkspaceId }>(sql`
    select lanes.workspace
    from lanes
    where exists (
      select
      from brakes
      where brakes.workspace = lanes.workspace and ${ours}
    )
    order by lanes.workspace`)
  for (const { workspace } of workspaces)
    await app.db.tx(async (tx) => {
      await lockLane(tx, workspace)
      const set = await wholeHalts(tx, workspace)
      for (const { action } of set.filter((halt) => isOf(halt, by)))
        await putHalt(
          { workspace, by },
          { tx, clock: app.clock },
          { action, halted: false, reason },
        )
    })
}
