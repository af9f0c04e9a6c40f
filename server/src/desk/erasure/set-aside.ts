/** Records of venues that were set aside hold what the venue said, so they hold whoever paid. */
import type { WorkspaceId } from '../../core/ids.ts'
import type { Tx } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import { SET_ASIDE_MOVES } from '../../venues/index.ts'
import { eraseTexts, withIds } from './texts.ts'

/**
 * By what a record is known to be of the customer: the venue's id of it, and marks that stand in
 * it. A mark is a transaction, or an address of the customer alone.
 */
type Traces = {
  venue_ids: readonly string[]
  foreign_ids: readonly string[]
  marks: readonly string[]
}

/** A shorter text may stand in any record. */
const SHORTEST_MARK = 12

/** Of those that need nobody any more. Answers their ids. */
export async function eraseSetAside(
  tx: Tx,
  workspace: WorkspaceId,
  { venue_ids, foreign_ids, marks }: Traces,
): Promise<string[]> {
  const telling = [...new Set(marks)].filter((mark) => mark.length >= SHORTEST_MARK)
  const found = await tx.query<{ id: string }>(sql`
    select i.id
    from set_aside_items i
    where i.workspace = ${workspace}
      and i.venue_id = any(${[...new Set(venue_ids)]}::uuid[])
      and ${stateIn(SET_ASIDE_MOVES, ['RESOLVED', 'DISMISSED'], 'i.state')}
      and (
        i.foreign_id = any(${foreign_ids}::text[])
        or exists (
          select 1
          from unnest(${telling}::text[]) as known (mark)
          where strpos(i.raw, known.mark) > 0
        )
      )`)
  const ids = found.map(({ id }) => id)
  await tx.query(eraseTexts('set_aside_items', withIds(workspace, ids)))
  await tx.query(eraseTexts('set_aside_likenesses', withIds(workspace, ids, 'item_id')))
  return ids
}
