/** How long deliveries are kept, which hold what receivers have answered. */
import type { Clock } from '../core/clock.ts'
import type { Db } from '../store/db.ts'
import { sql } from '../store/sql.ts'
import { stateIn, stateNotIn } from '../store/states.ts'
import { DELIVERY_MOVES } from './deliveries.schema.ts'

const KEPT_MILLISECONDS = 30 * 86_400_000
const AT_ONCE = 1_000

/** Housekeeping: deletes what ended thirty days ago, with its attempts. Answers how many. */
export async function forgetOldDeliveries({
  db,
  clock,
}: {
  db: Db
  clock: Clock
}): Promise<number> {
  let count = 0
  for (;;) {
    const gone = await db.query(sql`
      delete from webhook_deliveries
      where (workspace, id) in (
        select workspace, id
        from webhook_deliveries
        where ${stateNotIn(DELIVERY_MOVES, 'PENDING')}
          and system_updated_at < ${clock.now() - KEPT_MILLISECONDS}
        order by system_updated_at
        limit ${AT_ONCE}
      )
      returning 1`)
    count += gone.length
    if (gone.length < AT_ONCE) break
  }
  await forgetOldAnswers(db, clock)
  return count
}

/** Of deliveries that wait on, because their webhook is paused. */
const forgetOldAnswers = (db: Db, clock: Clock): Promise<unknown> =>
  db.query(sql`
    delete from webhook_attempts a
    using webhook_deliveries d
    where a.workspace = d.workspace
      and a.delivery_id = d.id
      and ${stateIn(DELIVERY_MOVES, 'PENDING', 'd.state')}
      and d.system_created_at < ${clock.now() - KEPT_MILLISECONDS}
      and a.started_at < ${clock.now() - KEPT_MILLISECONDS}`)
