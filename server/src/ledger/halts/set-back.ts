/**
 * Withdrawals and trading of all workspaces, halted because the database was set back. A halt of a
 * person that is set already keeps its reason behind ours, and gets it back.
 */
import type { Clock } from '../../core/clock.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { SET_BACK } from '../../store/history.ts'
import type { Reader, Tx } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import { lockLane } from '../events.ts'
import { HALT_ACTIONS } from '../halts.schema.ts'
import { putHalt } from './halts.ts'
import { isOf, isWatch, wholeHalts } from './own-halts.ts'
import type { WholeHalt } from './own-halts.ts'

const BEFORE = ' It was halted before: '

const isOurs = ({ reason }: WholeHalt): boolean => reason.startsWith(SET_BACK)
/** It sets its own again when it still must. */
const isOfWatch = (halt: WholeHalt): boolean => isWatch(halt.set_by) && isOf(halt, halt.set_by)

export async function haltAfterSetBack(tx: Tx, clock: Clock, reason: string): Promise<void> {
  for (const workspace of await allWorkspaces(tx)) {
    // Nobody releases meanwhile what is kept here.
    await lockLane(tx, workspace)
    const set = await wholeHalts(tx, workspace)
    for (const action of HALT_ACTIONS) {
      const before = set.find((halt) => halt.action === action)
      if (before !== undefined && isOurs(before)) continue
      const kept = before !== undefined && !isOfWatch(before)
      const behind = kept ? `${BEFORE}${before.reason}` : ''
      const body = { action, halted: true, reason: `${reason}${behind}` }
      await putHalt({ workspace, by: 'kontor' }, { tx, clock }, body)
    }
  }
}

/** Answers how many halts were set for this reason. */
export async function releaseAfterSetBack(
  tx: Tx,
  clock: Clock,
  { by, reason }: { by: string; reason: string },
): Promise<number> {
  let released = 0
  for (const workspace of await allWorkspaces(tx)) {
    // Nobody releases meanwhile what is kept here.
    await lockLane(tx, workspace)
    const set = (await wholeHalts(tx, workspace)).filter(isOurs)
    for (const { action, reason: ours, set_by } of set) {
      const [, before] = ours.split(BEFORE)
      const body =
        before === undefined
          ? { action, halted: false, reason }
          : { action, halted: true, reason: before }
      // Who set it before has it back. A watch would release it: a person had taken it over.
      const owner = before === undefined || isWatch(set_by) ? by : set_by
      await putHalt({ workspace, by: owner }, { tx, clock }, body)
      released += 1
    }
  }
  return released
}

async function allWorkspaces(reader: Reader): Promise<WorkspaceId[]> {
  const rows = await reader.query<{ id: WorkspaceId }>(sql`
    select id
    from workspaces
    order by id`)
  return rows.map((row) => row.id)
}
