/** The way back in for somebody whose password is lost. Only the command line has it. */
import { mustExist } from '../core/assert.ts'
import type { Clock } from '../core/clock.ts'
import { notFound, refuse } from '../core/errors.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { move } from '../core/moves.ts'
import { only } from '../store/db.ts'
import type { Reader, Tx } from '../store/db.ts'
import { updateRow } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import { takeFactors } from './factors.ts'
import { generatePassword, hashPassword } from './passwords.ts'
import { securityEntries } from './security-log.ts'
import { endSessions } from './sessions.ts'
import { USER_MOVES } from './users.schema.ts'
import type { User } from './users.schema.ts'
import { normalizeEmail } from './emails.ts'
import { USER_COLUMNS, USERS } from './users.ts'

/** The row says who changed it last; the security log has the operator's name. */
const BY = 'kontor'

type ListedUser = User & { workspace: WorkspaceId; workspace_name: string }

/** Of every workspace. */
export const usersOfAll = (reader: Reader): Promise<ListedUser[]> =>
  reader.query<ListedUser>(sql`
    select ${USER_COLUMNS}, workspace, (
      select w.name
      from workspaces w
      where w.id = users.workspace
    ) as workspace_name
    from users
    order by workspace_name, email`)

/** Takes the second factors of a user, who is at the end of all codes. Throws 4004, 3001. */
export async function resetFactorsByOperator(
  tx: Tx,
  clock: Clock,
  { email, by }: { email: string; by: string },
): Promise<Pick<User, 'id' | 'email'>> {
  const address = normalizeEmail(email)
  const user = only(
    await tx.query<Pick<User, 'id' | 'email'> & { workspace: WorkspaceId }>(sql`
      select workspace, id, email
      from users
      where email = ${address}`),
  )
  if (user === undefined) throw notFound('user', address, 'email')
  await takeFactors({ access: { doubt: () => undefined }, clock }, tx, user, { by })
  return user
}

type Reset = {
  email: string
  /** Who does it, as the security log names them. */
  by: string
  /** A user who is disabled may log in again. */
  enable: boolean
}

/**
 * Gives a user another password, which must be changed at the next login, and ends every session.
 * Throws 4004 where there is no such user, 3001 for one who is disabled and stays so.
 */
export async function resetPassword(
  tx: Tx,
  clock: Clock,
  { email, by, enable }: Reset,
): Promise<{ user: User; password: string }> {
  const address = normalizeEmail(email)
  const before = only(
    await tx.query<User & { workspace: WorkspaceId }>(sql`
      select ${USER_COLUMNS}, workspace
      from users
      where email = ${address}
      for update`),
  )
  if (before === undefined) throw notFound('user', address, 'email')
  const { workspace, id, state } = before
  if (state !== 'ACTIVE' && !enable)
    throw refuse('STATE_NOT_ALLOWED', 'email', `${address} is disabled: --enable lets them in`)
  const password = generatePassword()
  const update = updateRow(USERS, {
    where: { workspace, id },
    ...(state === 'ACTIVE' ? {} : { move: move(USER_MOVES, state, 'ACTIVE') }),
    set: { password_hash: await hashPassword(password), must_change_password: true },
    by: BY,
    now: clock.now(),
  })
  const [user] = await tx.query<User>(sql`
    ${update}
    returning ${USER_COLUMNS}`)
  const after = mustExist(user, 'it is locked')
  const details = { before: { state }, after: { state: after.state } }
  await tx.query(
    securityEntries(workspace, clock.now(), [
      { kind: 'PASSWORD_CHANGED', user: after, actor: by, details: { reset: true } },
      ...(state === 'ACTIVE'
        ? []
        : [{ kind: 'USER_CHANGED' as const, user: after, actor: by, details }]),
    ]),
  )
  // Another process notices by itself.
  await endSessions({ access: { doubt: () => undefined }, clock }, tx, { workspace, user_id: id })
  return { user: after, password }
}
