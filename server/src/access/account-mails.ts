/**
 * What a user is told of the account by mail: an invitation to choose a password, that an
 * administrator took the second factors, that a person at a provider signs in as this user. A mail
 * is stored without words; the link of an invitation is made when it is handed over, so that the
 * database never has it.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../core/clock.ts'
import { refuse } from '../core/errors.ts'
import { isId, newId } from '../core/ids.ts'
import type { UserId, WorkspaceId } from '../core/ids.ts'
import type { Moves } from '../core/moves.ts'
import { id, nullable, oneOf, record, text, time, Type } from '../http/index.ts'
import type { Static } from '../http/index.ts'
import { only } from '../store/db.ts'
import type { Reader, Tx } from '../store/db.ts'
import { columnsOf, insertRow, tableOf, updateRow } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import { stateIn } from '../store/states.ts'
import { putTasks } from '../store/tasks.ts'
import type { AccessApp } from './access.ts'
import { USER_MOVES } from './users.schema.ts'

export const ACCOUNT_MAIL_TASK = 'mail_account'
const INVITATION_MILLISECONDS = 7 * 86_400_000
const KEPT_MILLISECONDS = 90 * 86_400_000
const TOKEN_BYTES = 32

const STATES = ['PENDING', 'SENT', 'FAILED', 'CANCELED'] as const
export const ACCOUNT_MAIL_MOVES: Moves<(typeof STATES)[number]> = {
  PENDING: ['SENT', 'FAILED', 'CANCELED'],
  SENT: ['CANCELED'],
  FAILED: ['CANCELED'],
  CANCELED: [],
}

const AccountMail = record('AccountMail', {
  workspace: id<WorkspaceId>(),
  id: id(),
  user_id: id<UserId>(),
  kind: oneOf(['INVITATION', 'FACTORS_REMOVED', 'IDENTITY_LINKED']),
  state: oneOf(STATES),
  attempts: Type.Integer(),
  reason: nullable(text()),
  sent_at: nullable(time()),
  token_hashes: Type.Unsafe<Buffer[]>({ 'x-column': 'bytea[]' }),
  expires_at: nullable(time()),
  used_at: nullable(time()),
})
export type AccountMail = Static<typeof AccountMail>
export const ACCOUNT_MAILS = tableOf('account_mails', AccountMail)
const COLUMNS = columnsOf(AccountMail)

/** What sends mail, as far as it must be known whether it can. */
export type InvitingApp = AccessApp & {
  mailer?: object | undefined
}

type Of = { workspace: WorkspaceId; user_id: UserId }
type Stamp = { by: string; now: number }

/** Throws 3001 CONFLICT where no link can be sent. */
export function assertInviting({ mailer, console_url }: InvitingApp): void {
  if (mailer === undefined || console_url === undefined)
    throw refuse(
      'CONFLICT',
      '',
      'invitations go by mail: KONTOR_SMTP_URL and KONTOR_CONSOLE_URL must be set',
    )
}

/** In place of an earlier invitation. */
export async function mailInvitation(tx: Tx, of: Of, stamp: Stamp): Promise<void> {
  await cancelInvitations(tx, of, stamp)
  await putMail(tx, of, {
    kind: 'INVITATION',
    expires_at: stamp.now + INVITATION_MILLISECONDS,
    stamp,
  })
}

export const mailFactorsRemoved = (tx: Tx, of: Of, stamp: Stamp): Promise<void> =>
  putMail(tx, of, { kind: 'FACTORS_REMOVED', expires_at: null, stamp })

export const mailIdentityLinked = (tx: Tx, of: Of, stamp: Stamp): Promise<void> =>
  putMail(tx, of, { kind: 'IDENTITY_LINKED', expires_at: null, stamp })

/** Whoever has the mail gets in no more. */
export async function cancelInvitations(
  tx: Tx,
  { workspace, user_id }: Of,
  stamp: Stamp,
): Promise<void> {
  await tx.query(
    updateRow(ACCOUNT_MAILS, {
      where: { workspace, user_id, kind: 'INVITATION', used_at: null },
      set: { state: 'CANCELED', token_hashes: [] },
      ...stamp,
    }),
  )
}

async function putMail(
  tx: Tx,
  { workspace, user_id }: Of,
  { kind, expires_at, stamp }: Pick<AccountMail, 'kind' | 'expires_at'> & { stamp: Stamp },
): Promise<void> {
  const mail = {
    workspace,
    id: newId(),
    user_id,
    kind,
    state: 'PENDING' as const,
    attempts: 0,
    reason: null,
    sent_at: null,
    token_hashes: [],
    expires_at,
    used_at: null,
  }
  await tx.query(insertRow(ACCOUNT_MAILS, mail, stamp))
  await putTasks(tx, [
    { workspace, kind: ACCOUNT_MAIL_TASK, subject_id: mail.id, due_at: stamp.now },
  ])
}

/** With the address to which it goes, as it is now; undefined for a user who is disabled. */
export async function accountMail(
  reader: Reader,
  workspace: WorkspaceId,
  mail_id: string,
): Promise<(AccountMail & { recipient: string | null }) | undefined> {
  return only(
    await reader.query<AccountMail & { recipient: string | null }>(sql`
      select ${COLUMNS}, (
        select users.email
        from users
        where users.workspace = account_mails.workspace
          and users.id = account_mails.user_id
          and ${stateIn(USER_MOVES, 'ACTIVE', 'users.state')}
      ) as recipient
      from account_mails
      where workspace = ${workspace}
        and id = ${mail_id}`),
  )
}

const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest()

/** A link for this attempt to send it; those of before keep working. */
export async function newInvitationToken(
  reader: Reader,
  { workspace, id: mail_id }: AccountMail,
  stamp: Stamp,
): Promise<string> {
  const secret = randomBytes(TOKEN_BYTES).toString('base64url')
  await reader.query(
    updateRow(ACCOUNT_MAILS, {
      where: { workspace, id: mail_id, state: 'PENDING' },
      set: { token_hashes: sql`array_append(token_hashes, ${hashOf(secret)})` },
      ...stamp,
    }),
  )
  return `${mail_id}.${secret}`
}

export const invitationOver = () =>
  refuse('NOT_ACTIVE', 'token', 'the invitation is over, or was used')

/** Throws 3001 NOT_ACTIVE. */
export async function openInvitation(
  reader: Reader,
  token: string,
  now: number,
): Promise<AccountMail & { email: string }> {
  const [mail_id = '', secret = ''] = token.split('.')
  if (!isId(mail_id)) throw invitationOver()
  const mail = only(
    await reader.query<AccountMail & { email: string }>(sql`
      select ${columnsOf(AccountMail, { of: 'account_mails' })}, users.email
      from account_mails
      join users on users.workspace = account_mails.workspace and users.id = account_mails.user_id
      where account_mails.id = ${mail_id}
        and account_mails.kind = 'INVITATION'
        and account_mails.used_at is null
        and account_mails.expires_at > ${now}
        and ${stateIn(USER_MOVES, 'ACTIVE', 'users.state')}`),
  )
  const typed = hashOf(secret)
  if (!mail?.token_hashes.some((hash) => timingSafeEqual(hash, typed))) throw invitationOver()
  return mail
}

/** Whether this is the first time. */
export async function spendInvitation(
  tx: Tx,
  { workspace, id: mail_id }: AccountMail,
  stamp: Stamp,
): Promise<boolean> {
  const used = await tx.query(sql`
    ${updateRow(ACCOUNT_MAILS, {
      where: { workspace, id: mail_id, state: ['PENDING', 'SENT', 'FAILED'], used_at: null },
      set: { used_at: stamp.now, token_hashes: [] },
      ...stamp,
    })}
    returning 1`)
  return used.length > 0
}

/** Deletes what is older than 90 days; answers how many. */
export async function forgetOldAccountMails(reader: Reader, clock: Clock): Promise<number> {
  const forgotten = await reader.query(sql`
    delete from account_mails
    where system_created_at < ${clock.now() - KEPT_MILLISECONDS}
    returning 1`)
  return forgotten.length
}
