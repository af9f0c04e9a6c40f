import type { DepositId, WithdrawalId, WorkspaceId } from '../core/ids.ts'
import type { Reader } from '../store/db.ts'
import type { TimelineSource, TimelineParts, TimelineResource } from '../store/desk-feed.ts'
import { sql } from '../store/sql.ts'

/** The settlement, and the movements that paid its parts. */
async function settlementTimeline(
  reader: Reader,
  workspace: WorkspaceId,
  id: string,
): Promise<TimelineParts | undefined> {
  const known = await reader.query(
    sql`
      select 1
      from settlements
      where workspace = ${workspace}
        and id = ${id}`,
  )
  if (known.length === 0) return undefined
  const parts = await reader.query<{
    withdrawal_id: WithdrawalId | null
    deposit_id: DepositId | null
  }>(
    sql`
      select withdrawal_id, deposit_id
      from settlement_parts
      where workspace = ${workspace}
        and settlement_id = ${id}
      order by part_no, id`,
  )
  const moved = parts.flatMap(({ withdrawal_id, deposit_id }): TimelineResource[] => [
    ...(withdrawal_id === null ? [] : [{ kind: 'withdrawal' as const, id: withdrawal_id }]),
    ...(deposit_id === null ? [] : [{ kind: 'deposit' as const, id: deposit_id }]),
  ])
  return { resources: [{ kind: 'settlement', id }, ...moved] }
}

export const settlementsTimelines: readonly TimelineSource[] = [
  { kind: 'settlement', permission: 'settlements.read', parts: settlementTimeline },
]
