/**
 * A session begins with a login. That of a program lives 30 days, that of the console as long as
 * the operator lets it, in all and without use; each unless it is ended. Its refresh token is known
 * here only as a hash.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../core/clock.ts'
import { notFound } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type { SignInProviderId, UserId, WorkspaceId } from '../core/ids.ts'
import { closed, id, nullable, oneOf, text, time, Type } from '../http/index.ts'
import type { Principal, Source } from '../http/index.ts'
import { only } from '../store/db.ts'
import type { Reader, Tx } from '../store/db.ts'
import { insertRowWhere, tableOf } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import type { Query } from '../store/sql.ts'
import { stateIn } from '../store/states.ts'
import type { AccessApp } from './access.ts'
import type { Role } from './permissions.ts'
import { MAXIMUM_ADDRESS, MAXIMUM_AGENT, placeOf } from '../store/calls.ts'
import type { Proof } from './proving.ts'
import { securityEntries, securityEntryWhere } from './security-log.ts'
import type { Identity } from './tokens.ts'
import { USER_MOVES } from './users.schema.ts'

/** CONSOLE: the refresh token is in a cookie that scripts cannot read. */
export const SESSION_KINDS = ['PROGRAM', 'CONSOLE'] as const
export type SessionKind = (typeof SESSION_KINDS)[number]

const SESSIONS = tableOf(
  'sessions',
  closed({
    id: id(),
    workspace: id<WorkspaceId>(),
    user_id: id<UserId>(),
    refresh_hash: Type.Unsafe<Buffer>({ 'x-column': 'bytea' }),
    created_at: time(),
    expires_at: time(),
    revoked_at: nullable(time()),
    kind: oneOf(SESSION_KINDS),
    last_used_at: time(),
    factor_at: nullable(time()),
    address: nullable(text(MAXIMUM_ADDRESS)),
    agent: nullable(text(MAXIMUM_AGENT)),
    provider_id: nullable(id<SignInProviderId>()),
    provider_session: nullable(text()),
  }),
)

const PROGRAM_MILLISECONDS = 30 * 24 * 60 * 60 * 1000
const REFRESH_TOKEN_BYTES = 32

const hashOf = (token: string) => createHash('sha256').update(token).digest()

type Owner = {
  workspace: WorkspaceId
  user_id: UserId
  email: string
  name: string | null
  roles: Role[]
}

/** By a password, and a second factor where there is one. */
type ByPassword = { password_hash: string; proof: Proof | undefined }
/** `factor_at`: when a second factor was shown there; null: none is asked for there. */
type ByProvider = {
  provider_id: SignInProviderId
  provider_session: string | null
  factor_at: number | null
}

type Beginning = { kind: SessionKind; source: Source; by: ByPassword | ByProvider }

/**
 * Undefined when the user is disabled, has another password than the one that was checked, or a
 * second factor that was not. One statement, so that it waits for such a change and then sees it.
 */
export async function beginSession(
  { db, clock, access }: Pick<AccessApp, 'clock' | 'access'> & { db: Reader },
  user: { workspace: WorkspaceId; id: UserId; email: string },
  { kind, source, by }: Beginning,
): Promise<{ identity: Identity; refresh_token: string } | undefined> {
  const now = clock.now()
  const lives_ms = kind === 'CONSOLE' ? access.limits.longest_ms : PROGRAM_MILLISECONDS
  const session_id = newId()
  const refresh_token = randomBytes(REFRESH_TOKEN_BYTES).toString('base64url')
  const { columns, told, condition } = waysIn(by, now)
  const session = {
    id: session_id,
    workspace: user.workspace,
    user_id: user.id,
    refresh_hash: hashOf(refresh_token),
    created_at: now,
    expires_at: now + lives_ms,
    last_used_at: now,
    kind,
    ...columns,
    ...placeOf(source),
  }
  const begun = sql`exists (select from owner)`
  const insert = insertRowWhere(SESSIONS, session, { by: user.id, now }, begun)
  const entry = securityEntryWhere(
    user.workspace,
    now,
    {
      kind: 'SIGNED_IN',
      user,
      actor: user.id,
      source: { ...source, session_id },
      details: { session: kind, ...told },
    },
    begun,
  )
  const owner = only(
    await db.query<Owner>(sql`
      with owner as (
        update users
        set last_login_at = ${now}
        where workspace = ${user.workspace}
          and id = ${user.id}
          and ${stateIn(USER_MOVES, 'ACTIVE')}
          and ${condition}
        returning workspace, id as user_id, email, name, roles
      ), inserted as (${insert}), logged as (${entry})
      select workspace, user_id, email, name, roles
      from owner`),
  )
  return owner === undefined ? undefined : { identity: { ...owner, session_id }, refresh_token }
}

/** What a session keeps of how it was begun, what the log tells of it, and what must still hold. */
function waysIn(by: Beginning['by'], now: number) {
  if ('provider_id' in by)
    return {
      columns: by,
      told: {
        provider_id: by.provider_id,
        ...(by.factor_at === null ? {} : { factor: 'PROVIDER' }),
      },
      condition: sql`true`,
    }
  const { password_hash, proof } = by
  return {
    columns: { factor_at: proof === undefined ? null : now },
    told: proof === undefined ? {} : { factor: proof },
    condition: sql`
      not must_change_password
        and password_hash = ${password_hash}
        and (${proof !== undefined} or not second_factor)`,
  }
}

/** Who the session belongs to, while it lives and the refresh token is its own. */
export async function continueSession(
  app: AccessApp,
  session_id: string,
  { refresh_token, kind }: { refresh_token: string; kind: SessionKind },
): Promise<Identity | undefined> {
  const now = app.clock.now()
  const row = only(
    await app.db.query<Owner & { refresh_hash: Buffer }>(sql`
      select
        sessions.workspace,
        sessions.user_id,
        users.email,
        users.name,
        users.roles,
        sessions.refresh_hash
      from sessions
      join users on users.workspace = sessions.workspace and users.id = sessions.user_id
      where sessions.id = ${session_id}
        and sessions.kind = ${kind}
        and ${isLive(app, now, app.access.usedAt(session_id))}
        and ${stateIn(USER_MOVES, 'ACTIVE', 'users.state')}
        and (sessions.provider_id is not null or not users.must_change_password)`),
  )
  if (row === undefined || !timingSafeEqual(row.refresh_hash, hashOf(refresh_token)))
    return undefined
  const { refresh_hash: _, ...owner } = row
  return { ...owner, session_id }
}

/** `used_at`: a use of the session that may not be stored yet. */
export const isLive = ({ access }: AccessApp, now: number, used_at = 0): Query => sql`
  sessions.revoked_at is null
  and sessions.expires_at > ${now}
  and (
    sessions.kind <> 'CONSOLE'
    or greatest(sessions.last_used_at, ${used_at}) > ${now - access.limits.idle_ms}
  )`

/** Throws 4004 when it is no live session of this user. */
export async function endOwnSession(
  app: AccessApp,
  tx: Tx,
  { workspace, user_id, ended_id }: Pick<Principal, 'workspace' | 'user_id'> & { ended_id: string },
  source: Source,
): Promise<void> {
  const now = app.clock.now()
  // First the user, as whoever changes a password does.
  await tx.query(sql`
    select 1
    from users
    where workspace = ${workspace}
      and id = ${user_id}
    for no key update`)
  const live = await tx.query(sql`
    select 1
    from sessions
    where id = ${ended_id}
      and workspace = ${workspace}
      and user_id = ${user_id}
      and ${isLive(app, now, app.access.usedAt(ended_id))}`)
  if (live.length === 0) throw notFound('session', ended_id)
  await endSessions(app, tx, { workspace, user_id, session_id: ended_id })
  await tx.query(
    securityEntries(workspace, now, [
      {
        kind: 'SESSION_ENDED',
        user: { id: user_id },
        actor: user_id,
        source,
        details: { ended_session_id: ended_id },
      },
    ]),
  )
}

/** A second factor was shown in it. */
export async function confirmSession(tx: Tx, session_id: string, at: number): Promise<void> {
  await tx.query(sql`
    update sessions
    set factor_at = ${at}
    where id = ${session_id}`)
}

type SessionChoice = {
  workspace: WorkspaceId
  user_id: UserId
  /** Only this one. */
  session_id?: string
  /** All but this one. */
  except?: string
}

/** Ends sessions of a user at once: session-cache.ts says how other processes notice. */
export async function endSessions(
  { access, clock }: Pick<AccessApp, 'clock'> & { access: Pick<AccessApp['access'], 'doubt'> },
  tx: Tx,
  { workspace, user_id, ...choice }: SessionChoice,
): Promise<void> {
  const [one, spared] = [choice.session_id ?? null, choice.except ?? null]
  access.doubt(user_id)
  await tx.query(sql`
    update sessions
    set revoked_at = ${clock.now()}
    where workspace = ${workspace}
      and user_id = ${user_id}
      and revoked_at is null
      and (${one}::uuid is null or id = ${one}::uuid)
      and (${spared}::uuid is null or id <> ${spared}::uuid)`)
  await tx.query(sql`
    with next as (
      update access_epoch
      set epoch = epoch + 1
      returning epoch
    )
    update users
    set access_epoch = next.epoch
    from next
    where workspace = ${workspace}
      and id = ${user_id}`)
}

/** Deletes sessions whose time is over; answers how many. */
export async function forgetOldSessions(reader: Reader, clock: Clock): Promise<number> {
  const forgotten = await reader.query(sql`
    delete from sessions
    where expires_at < ${clock.now()}
    returning 1`)
  return forgotten.length
}
