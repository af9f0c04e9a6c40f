/**
 * Mail to customers, an outbox: a task follows the events of each workspace and stores one mail per
 * event and recipient together with how far it has read (`mail-writing.ts`); another task hands
 * each to the mail server. Nothing that books waits for any of it.
 *
 * Whether a server took a mail whose answer was lost cannot be known: it is handed over again, with
 * the same Message-ID. A mail may arrive twice rather than never. Without a mail server nothing is
 * stored, and what happens is not mailed later.
 */
import { withFailpoints } from '../core/failpoint.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { move } from '../core/moves.ts'
import { only } from '../store/db.ts'
import { updateRow } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import type { TaskHandler, TaskResult } from '../store/tasks.ts'
import { writeMails } from './mail-writing.ts'
import { MAIL_COLUMNS, MAILS, SEND_TASK, WORKER } from './mails-table.ts'
import type { MailsApp } from './mails-table.ts'
import { MAIL_MOVES } from './mails.schema.ts'
import type { Mail } from './mails.schema.ts'

export const WRITE_TASK = 'write_mails'
const LOOK_MILLISECONDS = 1_000
const LOOK_WITHOUT_SERVER_MILLISECONDS = 60_000
const RETRY_FIRST_MILLISECONDS = 2_000
const RETRY_LONGEST_MILLISECONDS = 3_600_000
const GIVE_UP_MILLISECONDS = 3 * 86_400_000

/** `write_mails` is one for all workspaces; `send_mail` one per mail. */
export function mailTasks(app: MailsApp): Record<string, TaskHandler> {
  return {
    [WRITE_TASK]: async () => {
      await writeMails(app)
      return {
        again_at:
          app.clock.now() +
          (app.mailer === undefined ? LOOK_WITHOUT_SERVER_MILLISECONDS : LOOK_MILLISECONDS),
      }
    },
    [SEND_TASK]: ({ workspace, subject_id }) => sendMail(app, workspace, subject_id),
  }
}

async function sendMail(app: MailsApp, workspace: WorkspaceId, id: string): Promise<TaskResult> {
  const { mailer } = app
  const now = app.clock.now()
  if (mailer === undefined) return { again_at: now + LOOK_WITHOUT_SERVER_MILLISECONDS }
  const mail = await beginAttempt(app, workspace, id)
  if (mail === undefined) return 'done'
  const delivery = await withFailpoints('mail.send', id, () => mailer.send(mail))
  if (delivery.handover === 'taken') {
    await recordDelivery(app, mail, 'SENT', { reason: null, sent_at: app.clock.now() })
    return 'done'
  }
  const { reason } = delivery
  const { attempts } = mail
  const facts = { mail_id: id, workspace, event_type: mail.event_type, attempts, reason }
  if (delivery.handover === 'refused' || now - mail.system_created_at > GIVE_UP_MILLISECONDS) {
    await recordDelivery(app, mail, 'FAILED', { reason })
    app.log.error(facts, 'mail not sent')
    return 'done'
  }
  await recordDelivery(app, mail, 'PENDING', { reason })
  app.log.warn(facts, 'mail not sent yet')
  return { again_at: now + pauseAfter(attempts - 1) }
}

function pauseAfter(attempts: number): number {
  const pause = RETRY_FIRST_MILLISECONDS * 2 ** Math.min(attempts, 20)
  return Math.min(RETRY_LONGEST_MILLISECONDS, pause)
}

/**
 * Counts the attempt before it is made: a mail with attempts may have arrived, and is corrected
 * instead of canceled. Undefined for one that does not wait any more.
 */
async function beginAttempt(
  { db, clock }: MailsApp,
  workspace: WorkspaceId,
  id: string,
): Promise<Mail | undefined> {
  const update = updateRow(MAILS, {
    where: { workspace, id, state: 'PENDING' },
    set: { attempts: sql`attempts + 1` },
    by: WORKER,
    now: clock.now(),
  })
  return only(
    await db.query<Mail>(sql`
      ${update}
      returning ${MAIL_COLUMNS}`),
  )
}

/** Records what came of a handover. A mail that keeps its state is tried again later. */
async function recordDelivery(
  { db, clock }: MailsApp,
  mail: Mail,
  state: Mail['state'],
  outcome: Pick<Mail, 'reason'> & Partial<Pick<Mail, 'sent_at'>>,
): Promise<void> {
  const update = {
    set: outcome,
    by: WORKER,
    now: clock.now(),
  }
  const { workspace, id } = mail
  await db.query(
    state === mail.state
      ? updateRow(MAILS, { where: { workspace, id, state }, ...update })
      : updateRow(MAILS, {
          where: { workspace, id },
          move: move(MAIL_MOVES, mail.state, state),
          ...update,
        }),
  )
}
