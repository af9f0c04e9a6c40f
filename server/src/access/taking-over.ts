/**
 * Once the workspace demands a second factor of anybody, nobody gets into the account of another
 * person.
 */
import { refuse } from '../core/errors.ts'
import type { WorkspaceId } from '../core/ids.ts'
import type { Tx } from '../store/db.ts'
import { cancelInvitations } from './account-mails.ts'
import { normalizeEmail } from './emails.ts'
import { settingsOf } from './settings.ts'
import type { ChangeUserBody, User } from './users.schema.ts'

const isStrict = async (tx: Tx, workspace: WorkspaceId): Promise<boolean> =>
  (await settingsOf(tx, workspace)).second_factor_roles.length > 0

/** Whoever sets a password can sign in with it. */
export async function assertMaySetPassword(tx: Tx, workspace: WorkspaceId): Promise<void> {
  if (await isStrict(tx, workspace))
    throw refuse(
      'CONFLICT',
      'password',
      'nobody sets the password of another person here: without one, they get an invitation',
    )
}

/** Whoever is linked to a user signs in as that user. */
export async function assertMayLink(
  tx: Tx,
  workspace: WorkspaceId,
  { user, by }: { user: User; by: string },
): Promise<void> {
  if (user.id === by || user.last_login_at === null) return
  if (await isStrict(tx, workspace))
    throw refuse(
      'CONFLICT',
      'user_id',
      'another person who has logged in is linked to nobody here: disable the user, and let them ' +
        'sign in as another one',
    )
}

/** Whoever declares the provider decides what it says of addresses. */
export async function assertMayLinkByEmail(tx: Tx, workspace: WorkspaceId): Promise<void> {
  if (await isStrict(tx, workspace))
    throw refuse(
      'CONFLICT',
      'links_by_email',
      'while a second factor is demanded here, nobody is let in by an e-mail address',
    )
}

/** By a password, or an address for an invitation, one gets into the account of another person. */
export async function assertMayTakeOver(
  tx: Tx,
  workspace: WorkspaceId,
  {
    before,
    body,
    stamp,
  }: { before: User; body: ChangeUserBody; stamp: { by: string; now: number } },
): Promise<void> {
  if (body.password !== undefined) await assertMaySetPassword(tx, workspace)
  if (normalizeEmail(body.email) === before.email) return
  await cancelInvitations(tx, { workspace, user_id: before.id }, stamp)
  if (before.id === stamp.by || before.last_login_at === null) return
  if (await isStrict(tx, workspace))
    throw refuse(
      'CONFLICT',
      'email',
      'the e-mail address of another person who has logged in stays: disable the user, and ' +
        'create another one',
    )
}
