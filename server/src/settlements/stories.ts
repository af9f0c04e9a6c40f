import type { Reader } from '../store/db.ts'
import type { Storied, Story, Thread } from '../store/overseen.ts'
import { sql } from '../store/sql.ts'

/** The settlement, and the movements that paid its parts. */
async function settlementStory(
  reader: Reader,
  workspace: string,
  id: string,
): Promise<Story | undefined> {
  const known = await reader.query(
    sql`select 1 from settlements where workspace = ${workspace} and id = ${id}`,
  )
  if (known.length === 0) return undefined
  const parts = await reader.query<{ withdrawal_id: string | null; deposit_id: string | null }>(
    sql`select withdrawal_id, deposit_id from settlement_parts where workspace = ${workspace} and settlement_id = ${id} order by part_no`,
  )
  const moved = parts.flatMap(({ withdrawal_id, deposit_id }): Thread[] => [
    ...(withdrawal_id === null ? [] : [{ kind: 'withdrawal' as const, id: withdrawal_id }]),
    ...(deposit_id === null ? [] : [{ kind: 'deposit' as const, id: deposit_id }]),
  ])
  return { threads: [{ kind: 'settlement', id }, ...moved] }
}

export const settlementsStories: readonly Storied[] = [
  { kind: 'settlement', permission: 'settlements.read', story: settlementStory },
]
