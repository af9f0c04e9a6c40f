/** How long notifications and the mails with them are kept. */
import type { Clock } from '../../core/clock.ts'
import type { Db } from '../../store/db.ts'
import { raw, sql } from '../../store/sql.ts'

const KEPT_MILLISECONDS = 90 * 86_400_000
const AT_ONCE = 1_000

/** Housekeeping. Of mails those that have ended long ago, too: none waits for longer. */
export async function forgetOldNotifications({
  db,
  clock,
}: {
  db: Db
  clock: Clock
}): Promise<void> {
  const before = clock.now() - KEPT_MILLISECONDS
  for (const table of ['notifications', 'notification_mails'].map(raw))
    for (;;) {
      const gone = await db.query(sql`
        delete from ${table}
        where (workspace, id) in (
          select workspace, id
          from ${table}
          where system_created_at < ${before}
          order by system_created_at
          limit ${AT_ONCE}
        )
        returning 1`)
      if (gone.length < AT_ONCE) break
    }
}
