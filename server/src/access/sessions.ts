/** A session begins with a login and lives 30 days, unless it is ended. Its refresh token is known here only as a hash. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../core/clock.ts'
import { newId } from '../core/ids.ts'
import type { UserId, WorkspaceId } from '../core/ids.ts'
import { only } from '../store/db.ts'
import type { Reader, Tx } from '../store/db.ts'
import { sql } from '../store/sql.ts'
import type { Access } from './access.ts'
import type { Role } from './permissions.ts'
import type { Identity } from './tokens.ts'

export const SESSION_MILLISECONDS = 30 * 24 * 60 * 60 * 1000
const REFRESH_TOKEN_BYTES = 32

const hashOf = (token: string) => createHash('sha256').update(token).digest()

type Owner = {
  workspace: WorkspaceId
  user_id: string
  email: string
  name: string | null
  roles: Role[]
}

/**
 * Undefined when the user is no longer the one whose password was checked: disabled or with another password since.
 * One statement, so that it waits for such a change and then sees it.
 */
export async function beginSession(
  reader: Reader,
  clock: Clock,
  user: { workspace: WorkspaceId; id: string; password_hash: string },
): Promise<{ identity: Identity; refresh_token: string } | undefined> {
  const now = clock.now()
  const session_id = newId()
  const refresh_token = randomBytes(REFRESH_TOKEN_BYTES).toString('base64url')
  const owner = only(
    await reader.query<Owner>(sql`
    with owner as (
      update users set last_login_at = ${now}
      where workspace = ${user.workspace} and id = ${user.id} and state = 'ACTIVE' and not must_change_password and password_hash = ${user.password_hash}
      returning workspace, id, email, name, roles
    ), begun as (
      insert into sessions (id, workspace, user_id, refresh_hash, created_at, expires_at)
      select ${session_id}::uuid, workspace, id, ${hashOf(refresh_token)}::bytea, ${now}::bigint, ${now + SESSION_MILLISECONDS}::bigint from owner
    ) select workspace, id as user_id, email, name, roles from owner`),
  )
  return owner === undefined ? undefined : { identity: { ...owner, session_id }, refresh_token }
}

/** Who the session belongs to, while it lives and the refresh token is its own; otherwise undefined. */
export async function continueSession(
  reader: Reader,
  clock: Clock,
  session_id: string,
  refresh_token: string,
): Promise<Identity | undefined> {
  const row = only(
    await reader.query<Owner & { refresh_hash: Buffer }>(sql`
    select sessions.workspace, sessions.user_id, users.email, users.name, users.roles, sessions.refresh_hash
    from sessions join users on users.workspace = sessions.workspace and users.id = sessions.user_id
    where sessions.id = ${session_id} and sessions.revoked_at is null and sessions.expires_at > ${clock.now()} and users.state = 'ACTIVE' and not users.must_change_password`),
  )
  if (row === undefined || !timingSafeEqual(row.refresh_hash, hashOf(refresh_token)))
    return undefined
  const { refresh_hash: _, ...owner } = row
  return { ...owner, session_id }
}

/** Ends one session of a user or all of them, but not `except`, at once: see access.ts. */
export async function endSessions(
  access: Access,
  tx: Tx,
  clock: Clock,
  {
    workspace,
    user_id,
    session_id,
    except,
  }: { workspace: WorkspaceId; user_id: UserId; session_id?: string; except?: string },
): Promise<void> {
  access.doubt(user_id)
  const [one, but] = [session_id ?? null, except ?? null]
  await tx.query(sql`
    update sessions set revoked_at = ${clock.now()} where workspace = ${workspace} and user_id = ${user_id} and revoked_at is null
      and (${one}::uuid is null or id = ${one}::uuid) and (${but}::uuid is null or id <> ${but}::uuid)`)
  await tx.query(sql`
    with next as (update access_epoch set epoch = epoch + 1 returning epoch)
    update users set access_epoch = next.epoch from next where workspace = ${workspace} and id = ${user_id}`)
}

/** Deletes sessions whose time is over; answers how many. */
export async function forgetOldSessions(reader: Reader, clock: Clock): Promise<number> {
  return (
    await reader.query(sql`delete from sessions where expires_at < ${clock.now()} returning 1`)
  ).length
}
