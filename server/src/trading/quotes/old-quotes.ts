/** Quotes that nobody took: at five hundred a second they are 43 million a day. */
import type { Clock } from '../../core/clock.ts'
import type { Db } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import { QUOTE_MOVES } from '../states.ts'

const DELETED_AT_ONCE = 1_000
/** Of one run: what is left waits for the next, so that other housekeeping has its turn. */
const MOST_SLICES = 1_000

/** Deletes those that ended longer ago than this, slice by slice; answers how many. */
export async function forgetOldQuotes(
  { db, clock }: { db: Db; clock: Clock },
  kept_ms: number,
): Promise<number> {
  const before = clock.now() - kept_ms
  let forgotten = 0
  for (let slices = 0; slices < MOST_SLICES; slices += 1) {
    const count = await forgetSlice(db, before)
    forgotten += count
    if (count < DELETED_AT_ONCE) break
  }
  return forgotten
}

/** A quote that an execution names is ACCEPTED for good. */
async function forgetSlice(db: Db, before: number): Promise<number> {
  const [slice] = await db.query<{ count: number }>(sql`
    with gone as (
      delete from quotes
      where (workspace, id) in (
        select workspace, id
        from quotes
        where ${stateIn(QUOTE_MOVES, ['EXPIRED', 'CANCELED'])}
          and expires_at < ${before}
        order by expires_at
        limit ${DELETED_AT_ONCE}::int
        for update skip locked
      )
      returning 1
    )
    select count(*)::integer as count
    from gone`)
  return slice?.count ?? 0
}
