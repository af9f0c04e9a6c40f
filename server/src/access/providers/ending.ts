/** A provider ends sessions of several people: it is removed, or says that they have logged out. */
import type { UserId, WorkspaceId } from '../../core/ids.ts'
import type { Tx } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import type { AccessApp } from '../access.ts'
import { endSessions } from '../sessions.ts'

/** `chosen`: a condition on sessions. Answers those that have ended. */
export async function endSessionsWhere(
  app: AccessApp,
  tx: Tx,
  { workspace, chosen }: { workspace: WorkspaceId; chosen: Query },
): Promise<{ id: string; user_id: UserId }[]> {
  // First the users, in one order, as whoever changes a password does.
  const users = await tx.query<{ id: UserId }>(sql`
    select id
    from users
    where workspace = ${workspace}
      and id in (
        select user_id
        from sessions
        where workspace = ${workspace}
          and revoked_at is null
          and ${chosen}
      )
    order by id
    for no key update`)
  const sessions = await tx.query<{ id: string; user_id: UserId }>(sql`
    select id, user_id
    from sessions
    where workspace = ${workspace}
      and user_id = any(${users.map(({ id }) => id)}::uuid[])
      and revoked_at is null
      and ${chosen}
    order by user_id, id`)
  for (const { id: session_id, user_id } of sessions)
    await endSessions(app, tx, { workspace, user_id, session_id })
  return sessions
}
