/**
 * Mails with notifications: what has gathered for a user goes in one mail. The mail is stored, with
 * what stands in it, before it is handed over; its words are made then, by what the user may read
 * then. After a kill between the two it is handed over again, with the same Message-ID.
 */
import { activeCaller, settingsOf } from '../../access/index.ts'
import { withFailpoints } from '../../core/failpoint.ts'
import { newId } from '../../core/ids.ts'
import type { NotificationMailId, UserId, WorkspaceId } from '../../core/ids.ts'
import { move } from '../../core/moves.ts'
import type { MailReader, Mailer } from '../../events/index.ts'
import type { Static } from '../../http/index.ts'
import { assetsOf } from '../../ledger/index.ts'
import { only } from '../../store/db.ts'
import type { Reader } from '../../store/db.ts'
import { columnsOf, insertRow, tableOf, updateRow } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import type { TaskKey, TaskResult } from '../../store/tasks.ts'
import type { NotedPlaces } from '../notes/records.ts'
import { factsOf } from './facts.ts'
import { mailText } from './mail-words.ts'
import { NOTIFICATION_MAIL_MOVES, NotificationMail } from './notifications.schema.ts'
import type { Notification } from './notifications.schema.ts'
import { NOTIFICATION_COLUMNS, NOTIFICATIONS, visibleKinds } from './notifications.ts'
import { wishesOf } from './preferences.ts'
import { WORKER } from './telling.ts'
import type { TellingApp } from './telling.ts'

/** Between two mails to one user, however much happens. */
const PAUSE_MILLISECONDS = 15 * 60_000
const RETRY_MILLISECONDS = 5 * 60_000
const GIVE_UP_MILLISECONDS = 3 * 86_400_000

type Mail = Static<typeof NotificationMail>
const MAILS = tableOf('notification_mails', NotificationMail)

export type MailingApp = Omit<TellingApp, 'mailer'> & {
  mailer: Mailer | undefined
  places: NotedPlaces
  /** Where people open the console, where that is known. */
  console_url: string | undefined
  log: { warn(fields: object, message: string): void }
}
type Of = { workspace: WorkspaceId; user_id: UserId }

export async function mailStaff(
  app: MailingApp,
  { workspace, ...task }: TaskKey,
): Promise<TaskResult> {
  const of = { workspace, user_id: task.subject_id as UserId }
  if (app.mailer === undefined) return 'done'
  const last = await lastMail(app.db, of)
  if (last?.state === 'PENDING') return handOver(app, app.mailer, last)
  const now = app.clock.now()
  const next_at = (last?.system_created_at ?? 0) + PAUSE_MILLISECONDS
  if (next_at > now) return { again_at: next_at }
  const mail = await begin(app, of)
  return mail === undefined ? 'done' : handOver(app, app.mailer, mail)
}

const lastMail = async (reader: Reader, { workspace, user_id }: Of): Promise<Mail | undefined> =>
  only(
    await reader.query<Mail>(sql`
      select ${columnsOf(NotificationMail)}
      from notification_mails
      where workspace = ${workspace}
        and user_id = ${user_id}
      order by id desc
      limit 1`),
  )

/** Undefined where nothing waits any more: it was read in the meantime. */
function begin({ db, clock }: MailingApp, of: Of): Promise<Mail | undefined> {
  const now = clock.now()
  const stamp = { by: WORKER, now }
  const id = newId<NotificationMailId>(now)
  return withFailpoints('notifications.mail', of.user_id, () =>
    db.tx(async (tx) => {
      const taken = await tx.query(sql`
        ${updateRow(NOTIFICATIONS, {
          where: sql`
            workspace = ${of.workspace}
              and user_id = ${of.user_id}
              and to_mail`,
          set: { to_mail: false, mail_id: id },
          ...stamp,
        })}
        returning 1`)
      if (taken.length === 0) return undefined
      const row = { ...of, id, state: 'PENDING' as const, attempts: 0, reason: null, sent_at: null }
      return only(
        await tx.query<Mail>(sql`
          ${insertRow(MAILS, row, stamp)}
          returning ${columnsOf(NotificationMail)}`),
      )
    }),
  )
}

async function handOver(app: MailingApp, mailer: Mailer, mail: Mail): Promise<TaskResult> {
  const { clock, log } = app
  const text = await textFor(app, mail)
  if (text === undefined) return end(app, mail, 'CANCELED', null)
  const { workspace, id } = mail
  await app.db.query(
    updateRow(MAILS, {
      where: { workspace, id },
      set: { attempts: mail.attempts + 1 },
      by: WORKER,
      now: clock.now(),
    }),
  )
  const sent = await withFailpoints('notifications.send', id, () => mailer.send({ id, ...text }))
  if (sent.handover === 'taken') return end(app, mail, 'SENT', null)
  const { reason } = sent
  log.warn({ workspace, mail_id: id, reason }, 'a mail with notifications was not sent')
  const isOver = clock.now() - mail.system_created_at > GIVE_UP_MILLISECONDS
  if (sent.handover === 'refused' || isOver) return end(app, mail, 'FAILED', reason)
  return { again_at: clock.now() + RETRY_MILLISECONDS }
}

/** What has gathered meanwhile has its turn after the pause. */
async function end(
  { db, clock }: MailingApp,
  { workspace, id, state, system_created_at }: Mail,
  to: Mail['state'],
  reason: string | null,
): Promise<TaskResult> {
  const now = clock.now()
  await db.query(
    updateRow(MAILS, {
      where: { workspace, id },
      move: move(NOTIFICATION_MAIL_MOVES, state, to),
      set: { reason, sent_at: to === 'SENT' ? now : null },
      by: WORKER,
      now,
    }),
  )
  return { again_at: system_created_at + PAUSE_MILLISECONDS }
}

/** By who the user is now: undefined for one who is disabled, or may see nothing of it. */
async function textFor(
  { db, clock, places, console_url }: MailingApp,
  { workspace, id, user_id }: Mail,
): Promise<{ recipient: string; subject: string; body: string } | undefined> {
  const user = await activeCaller(db, workspace, user_id, clock.now())
  if (!user?.email) return undefined
  const rows = await db.query<Notification>(sql`
    select ${NOTIFICATION_COLUMNS}
    from notifications
    where workspace = ${workspace}
      and mail_id = ${id}
      and read_at is null
      and record_kind = any(${visibleKinds(places, user.permissions)})
    order by id desc`)
  if (rows.length === 0) return undefined
  const facts = await factsOf(db, { workspace, places }, rows)
  const reader = await readerOf(db, { workspace, user_id })
  return { recipient: user.email, ...mailText(rows, { facts, reader, console_url }) }
}

async function readerOf(db: Reader, { workspace, user_id }: Of): Promise<MailReader> {
  const [settings, wishes, assets] = await Promise.all([
    settingsOf(db, workspace),
    wishesOf(db, workspace, [user_id]),
    assetsOf(db, workspace),
  ])
  const own = wishes.get(user_id)
  return {
    language: own?.language ?? settings.mail_language,
    time_zone: own?.time_zone ?? settings.mail_time_zone,
    assets,
  }
}
