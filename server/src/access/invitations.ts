/** Invitations: by the link in a mail people choose their password, which nobody else knows. */
import { notFound, refuse } from '../core/errors.ts'
import { withFailpoints } from '../core/failpoint.ts'
import type { UserId } from '../core/ids.ts'
import type { Caller, Source } from '../http/index.ts'
import { only } from '../store/db.ts'
import type { Tx } from '../store/db.ts'
import { updateRow } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import type { AccessApp } from './access.ts'
import {
  assertInviting,
  invitationOver,
  mailInvitation,
  openInvitation,
  spendInvitation,
} from './account-mails.ts'
import type { InvitingApp } from './account-mails.ts'
import { assertStrongPassword, generatePassword, hashPassword } from './passwords.ts'
import { securityEntries } from './security-log.ts'
import { endSessions } from './sessions.ts'
import { assertMaySetPassword } from './taking-over.ts'
import type { CreateUserBody, User } from './users.schema.ts'
import { createUser, USER_COLUMNS, USERS } from './users.ts'

/** Without a password it is theirs to choose, by a link in a mail. Throws 3001 CONFLICT. */
export async function createInvitedUser(
  caller: Caller,
  app: InvitingApp,
  tx: Tx,
  { password, ...body }: CreateUserBody,
): Promise<User> {
  const { clock } = app
  if (password !== undefined) {
    await assertMaySetPassword(tx, caller.workspace)
    return createUser(caller, tx, clock, { ...body, password })
  }
  assertInviting(app)
  const draft = { ...body, password: generatePassword(), must_change_password: true }
  const user = await createUser(caller, tx, clock, draft)
  const { workspace, by, source } = caller
  const now = clock.now()
  await mailInvitation(tx, { workspace, user_id: user.id }, { by, now })
  await tx.query(
    securityEntries(workspace, now, [{ kind: 'USER_INVITED', user, actor: by, source }]),
  )
  return user
}

/** Throws 4004, and 3001 for a user who is disabled or where no mail can be sent. */
export async function inviteUser(
  app: InvitingApp,
  { workspace, by, source }: Caller,
  tx: Tx,
  user_id: UserId,
): Promise<User> {
  assertInviting(app)
  const user = only(
    await tx.query<User>(sql`
      select ${USER_COLUMNS}
      from users
      where workspace = ${workspace}
        and id = ${user_id}
      for no key update`),
  )
  if (user === undefined) throw notFound('user', user_id, 'user_id')
  if (user.state !== 'ACTIVE') throw refuse('NOT_ACTIVE', 'user_id', 'the user is disabled')
  const now = app.clock.now()
  await mailInvitation(tx, { workspace, user_id }, { by, now })
  await tx.query(
    securityEntries(workspace, now, [{ kind: 'USER_INVITED', user, actor: by, source }]),
  )
  return user
}

/**
 * The invited choose their password. It lets nobody in by itself: a login follows, with a second
 * factor where there is one. Throws 3001 NOT_ACTIVE for a link that is over, WEAK_PASSWORD.
 */
export async function acceptInvitation(
  app: AccessApp,
  { token, new_password }: { token: string; new_password: string },
  source: Source,
): Promise<{ email: string }> {
  const { db, clock } = app
  const now = clock.now()
  const open = await openInvitation(db, token, now)
  await assertStrongPassword(new_password, open.email, 'new_password')
  const password_hash = await hashPassword(new_password)
  const { workspace, user_id } = open
  const accept = async (tx: Tx): Promise<{ email: string }> => {
    const stamp = { by: user_id, now }
    const changed = await tx.query(sql`
      ${updateRow(USERS, {
        where: { workspace, id: user_id, state: 'ACTIVE' },
        set: { password_hash, must_change_password: false },
        ...stamp,
      })}
      returning 1`)
    if (changed.length === 0 || !(await spendInvitation(tx, open, stamp))) throw invitationOver()
    const user = { id: user_id, email: open.email }
    await tx.query(
      securityEntries(workspace, now, [
        { kind: 'PASSWORD_CHANGED', user, actor: user_id, source, details: { invitation: true } },
      ]),
    )
    await endSessions(app, tx, { workspace, user_id })
    return { email: open.email }
  }
  return withFailpoints('invitation.accept', user_id, () => db.tx(accept))
}
