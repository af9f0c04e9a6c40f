/** Which of a venue's references belong to other withdrawals than the one that is looked for. */
import type { Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import type { WithdrawalRow } from './rows.ts'

/** The adapter learns which of the venue's references of this time belong to other withdrawals. */
const CLAIMED_MILLISECONDS = 3 * 86_400_000
const MAXIMUM_CLAIMED = 10_000
/** By how much a venue's clock may be behind ours. */
const SKEW_MILLISECONDS = 120_000

/** Whether it counts as sent since it was made, because nobody knows (first-lookup.ts). */
export const wasAssumed = (
  { system_created_at }: Pick<WithdrawalRow, 'system_created_at'>,
  submitted_at: number,
): boolean => submitted_at <= system_created_at

/**
 * The venue's references of other withdrawals, the latest first. What left since this one was made,
 * and seemed to be made outside, may be this one, if it is not known when it was sent.
 */
export async function claimedReferences(
  reader: Reader,
  row: WithdrawalRow,
  submitted_at: number,
): Promise<string[]> {
  const outside_before = wasAssumed(row, submitted_at)
    ? submitted_at - SKEW_MILLISECONDS
    : Number.MAX_SAFE_INTEGER
  const rows = await reader.query<{ foreign_id: string }>(sql`
    select foreign_id
    from withdrawals
    where workspace = ${row.workspace}
      and venue_id = ${row.venue_id}
      and submitted_at >= ${submitted_at - CLAIMED_MILLISECONDS}
      and (origin <> 'EXTERNAL' or submitted_at < ${outside_before})
      and foreign_id is not null
    order by submitted_at desc
    limit ${MAXIMUM_CLAIMED}`)
  return rows.map((claimed) => claimed.foreign_id)
}
