/** Mails to users about their account: their words, and how they are handed over. */
import {
  ACCOUNT_MAIL_MOVES,
  ACCOUNT_MAIL_TASK,
  ACCOUNT_MAILS,
  accountMail,
  newInvitationToken,
  settingsOf,
} from '../access/index.ts'
import type { AccountMail, MailLanguage } from '../access/index.ts'
import type { Clock } from '../core/clock.ts'
import { withFailpoints } from '../core/failpoint.ts'
import { move } from '../core/moves.ts'
import type { Db } from '../store/db.ts'
import { updateRow } from '../store/rows.ts'
import type { TaskHandler, TaskKey, TaskResult } from '../store/tasks.ts'
import type { Mailer } from './mailer.ts'

const BY = 'account-mails'
const RETRY_MILLISECONDS = 60_000
const GIVE_UP_MILLISECONDS = 3 * 86_400_000

type MailsApp = {
  db: Db
  clock: Clock
  mailer: Mailer | undefined
  console_url: string | undefined
  log: { warn(fields: object, message: string): void }
}

type Words = (link: string) => { subject: string; body: string }

const WORDS: Readonly<Record<MailLanguage, Readonly<Record<AccountMail['kind'], Words>>>> = {
  en: {
    INVITATION: (link) => ({
      subject: 'Kontor: choose your password',
      body:
        'You have an account in Kontor. Choose your password here; the link works once, for ' +
        `seven days:\n\n${link}\n\nNobody else knows the password that you choose.\n`,
    }),
    FACTORS_REMOVED: (link) => ({
      subject: 'Kontor: your second factor was removed',
      body:
        'An administrator has removed the second factor of your account in Kontor, and all your ' +
        `sessions have ended. Set up another one when you sign in:\n\n${link}\n\n` +
        'If you did not ask for this, tell your security team at once.\n',
    }),
    IDENTITY_LINKED: (link) => ({
      subject: 'Kontor: your account was linked to a sign-in provider',
      body:
        'Your account in Kontor was linked to an account at a sign-in provider. Whoever has that ' +
        `account signs in as you:\n\n${link}\n\n` +
        'If you did not expect this, tell your security team at once.\n',
    }),
  },
  de: {
    INVITATION: (link) => ({
      subject: 'Kontor: Wählen Sie Ihr Passwort',
      body:
        'Für Sie gibt es ein Benutzerkonto in Kontor. Wählen Sie hier Ihr Passwort; der Link ' +
        `gilt einmal und sieben Tage lang:\n\n${link}\n\nNiemand sonst kennt Ihr Passwort.\n`,
    }),
    FACTORS_REMOVED: (link) => ({
      subject: 'Kontor: Ihr zweiter Faktor wurde entfernt',
      body:
        'Eine Administratorin oder ein Administrator hat den zweiten Faktor Ihres Benutzerkontos ' +
        'in Kontor entfernt, und alle Ihre Sitzungen sind beendet. Richten Sie bei der nächsten ' +
        `Anmeldung einen neuen ein:\n\n${link}\n\n` +
        'Wenn Sie nicht darum gebeten haben, melden Sie es sofort Ihrer IT-Sicherheit.\n',
    }),
    IDENTITY_LINKED: (link) => ({
      subject: 'Kontor: Ihr Konto wurde mit einem Anmeldeanbieter verknüpft',
      body:
        'Ihr Benutzerkonto in Kontor wurde mit einem Konto bei einem Anmeldeanbieter verknüpft. ' +
        `Wer dieses Konto hat, meldet sich als Sie an:\n\n${link}\n\n` +
        'Wenn Sie das nicht erwartet haben, melden Sie es sofort Ihrer IT-Sicherheit.\n',
    }),
  },
}

export const accountMailTasks = (app: MailsApp): Record<string, TaskHandler> => ({
  [ACCOUNT_MAIL_TASK]: (task) => mailAccount(app, task),
})

/** After a kill it is handed over again, with the same Message-ID and another link. */
async function mailAccount(app: MailsApp, { workspace, subject_id }: TaskKey): Promise<TaskResult> {
  const { db, clock, mailer, console_url } = app
  const mail = await accountMail(db, workspace, subject_id)
  if (mail?.state !== 'PENDING') return 'done'
  const isOver = (mail.expires_at ?? Infinity) <= clock.now()
  if (mail.recipient === null || isOver) return end(app, mail, 'CANCELED', null)
  if (mailer === undefined) return { again_at: clock.now() + RETRY_MILLISECONDS }
  const link = await linkFor(app, mail, console_url ?? '')
  const { mail_language } = await settingsOf(db, workspace)
  const { recipient } = mail
  const text = WORDS[mail_language][mail.kind](link)
  const sent = await withFailpoints('accounts.send', mail.id, () =>
    mailer.send({ id: mail.id, recipient, ...text }),
  )
  if (sent.handover === 'taken') return end(app, mail, 'SENT', null)
  const { reason } = sent
  app.log.warn({ workspace, mail_id: mail.id, reason }, 'a mail about an account was not sent')
  const isLate = clock.now() - mail.system_created_at > GIVE_UP_MILLISECONDS
  if (sent.handover === 'refused' || isLate) return end(app, mail, 'FAILED', reason)
  return { again_at: clock.now() + RETRY_MILLISECONDS }
}

/** What follows `#` is sent to no server, and stands in no log. */
async function linkFor({ db, clock }: MailsApp, mail: AccountMail, address: string) {
  if (mail.kind !== 'INVITATION') return address
  const token = await newInvitationToken(db, mail, { by: BY, now: clock.now() })
  return `${address}/invitation#${token}`
}

async function end(
  { db, clock }: MailsApp,
  { workspace, id, state }: AccountMail,
  to: AccountMail['state'],
  reason: string | null,
): Promise<TaskResult> {
  const now = clock.now()
  await db.query(
    updateRow(ACCOUNT_MAILS, {
      where: { workspace, id },
      move: move(ACCOUNT_MAIL_MOVES, state, to),
      set: { reason, sent_at: to === 'SENT' ? now : null },
      by: BY,
      now,
    }),
  )
  return 'done'
}
