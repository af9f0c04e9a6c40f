/** Keys of repeats that are not needed any more. */
import type { WorkspaceId } from '../core/ids.ts'
import type { Db } from '../store/db.ts'
import { sql } from '../store/sql.ts'
import type { Query } from '../store/sql.ts'

const KEPT_HOURS = 24
const FORGOTTEN_AT_ONCE = 10_000

/** Forgets the key of work that is not repeated any more. */
export const forgetKey = (workspace: WorkspaceId, key: string): Query => sql`
  delete from idempotency_keys
  where workspace = ${workspace}
    and key = ${key}`

/** Deletes keys whose time is over, a slice at a time; answers how many. */
export async function forgetOldKeys(db: Db): Promise<number> {
  let forgotten = 0
  for (;;) {
    const [slice] = await db.query<{ count: number }>(sql`
      with gone as (
        delete from idempotency_keys
        where (workspace, key) in (
          select workspace, key
          from idempotency_keys
          where stored_at <= now() - make_interval(hours => ${KEPT_HOURS})
          order by stored_at
          limit ${FORGOTTEN_AT_ONCE}::int
          for update skip locked
        )
        returning 1
      )
      select count(*) as count
      from gone`)
    const count = slice?.count ?? 0
    forgotten += count
    if (count < FORGOTTEN_AT_ONCE) return forgotten
  }
}
