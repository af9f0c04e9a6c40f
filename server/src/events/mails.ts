/**
 * Mail to customers, an outbox: a task follows the events of each workspace and stores one mail per
 * event and recipient together with how far it has read; another task hands each to the mail
 * server. Nothing that books waits for any of it.
 *
 * Whether a server took a mail whose answer was lost cannot be known: it is handed over again, with
 * the same Message-ID. A mail may arrive twice rather than never. Without a mail server nothing is
 * stored, and what happens is not mailed later.
 */
import type { Clock } from '../core/clock.ts'
import { withFailpoints } from '../core/failpoint.ts'
import { newId } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { move } from '../core/moves.ts'
import { customerById } from '../customers/index.ts'
import { closed, id, Type } from '../http/index.ts'
import type { Static } from '../http/index.ts'
import { lastEventSequences } from '../ledger/index.ts'
import type { Event } from '../ledger/index.ts'
import { only } from '../store/db.ts'
import type { Db, Reader, Tx } from '../store/db.ts'
import { columnsOf, insertRow, tableOf, updateRow } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import { stateIn } from '../store/states.ts'
import { putTasks } from '../store/tasks.ts'
import type { TaskHandler, TaskResult } from '../store/tasks.ts'
import { nextEvents } from './follow.ts'
import { concernedCustomers, MAILED_TYPES, mailText } from './mail-texts.ts'
import type { Mailer } from './mailer.ts'
import { MAIL_MOVES, MailRecord } from './mails.schema.ts'
import type { Mail } from './mails.schema.ts'

type MailsApp = {
  db: Db
  clock: Clock
  mailer: Mailer | undefined
  log: { warn(fields: object, message: string): void; error(fields: object, message: string): void }
}

export const WRITE_TASK = 'write_mails'
const SEND_TASK = 'send_mail'
const WORKER = 'mail'
const PAGE_EVENTS = 500
const LOOK_MILLISECONDS = 1_000
const LOOK_WITHOUT_SERVER_MILLISECONDS = 60_000
const RETRY_FIRST_MILLISECONDS = 2_000
const RETRY_LONGEST_MILLISECONDS = 3_600_000
const GIVE_UP_MILLISECONDS = 3 * 86_400_000

const MAILS = tableOf('mails', MailRecord)
/** How far the events of a workspace have been read. */
const CursorRow = closed({ workspace: id<WorkspaceId>(), sequence: Type.Integer() })
type Cursor = Static<typeof CursorRow>
const MAIL_CURSORS = tableOf('mail_cursors', CursorRow)
export const MAIL_COLUMNS = columnsOf(MailRecord)

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

async function writeMails(app: MailsApp): Promise<void> {
  const heads = await lastEventSequences(app.db)
  const cursors = await readCursors(app.db)
  for (const [workspace, head] of heads) {
    const after = cursors.get(workspace) ?? 0
    if (after >= head) continue
    if (app.mailer === undefined) await moveCursor(app.db, app.clock, { workspace, sequence: head })
    else await writeMailsOf(app, workspace, { after, head })
  }
}

async function writeMailsOf(
  app: MailsApp,
  workspace: WorkspaceId,
  range: { after: number; head: number },
): Promise<void> {
  let { after } = range
  while (after < range.head) {
    const page = await nextEvents(app.db, workspace, { after, type: MAILED_TYPES }, PAGE_EVENTS)
    const mails = await mailsOf(app, workspace, page.events)
    await withFailpoints('mail.store', workspace, () =>
      app.db.tx(async (tx) => {
        for (const mail of mails) await storeMail(tx, app.clock, mail)
        await moveCursor(tx, app.clock, { workspace, sequence: page.after })
      }),
    )
    ;({ after } = page)
  }
}

async function readCursors(reader: Reader): Promise<Map<WorkspaceId, number>> {
  const rows = await reader.query<Cursor>(sql`
    select ${columnsOf(CursorRow)}
    from mail_cursors`)
  return new Map(rows.map((row) => [row.workspace, row.sequence]))
}

async function moveCursor(reader: Reader, clock: Clock, cursor: Cursor): Promise<void> {
  await reader.query(sql`
    ${insertRow(MAIL_CURSORS, cursor, { by: WORKER, now: clock.now() })}
    on conflict (workspace) do update
    set sequence = greatest(mail_cursors.sequence, excluded.sequence)`)
}

type MailDraft = Pick<
  Mail,
  | 'workspace'
  | 'event_sequence'
  | 'event_type'
  | 'resource_id'
  | 'customer_id'
  | 'recipient'
  | 'subject'
  | 'body'
>

async function mailsOf(
  { db }: MailsApp,
  workspace: WorkspaceId,
  events: readonly Event[],
): Promise<MailDraft[]> {
  const drafts: MailDraft[] = []
  for (const event of events) {
    for (const concerned of concernedCustomers(event)) {
      const customer = await customerById(db, workspace, concerned.customer_id)
      const text = mailText(event, concerned, customer.label)
      if (text === undefined) continue
      drafts.push(
        ...[...new Set(customer.notification_recipients)].map((recipient) => ({
          workspace,
          event_sequence: event.sequence,
          event_type: event.type,
          resource_id: event.resource_id,
          customer_id: customer.id,
          recipient,
          ...text,
        })),
      )
    }
  }
  return drafts
}

/** Already stored: the process that stored it died before it knew, or two read the same events. */
async function storeMail(tx: Tx, clock: Clock, mail: MailDraft): Promise<void> {
  const now = clock.now()
  const row = { ...mail, id: newId(now), state: 'PENDING' } as const
  const stored = await tx.query<{ id: string }>(sql`
    ${insertRow(MAILS, row, { by: WORKER, now })}
    on conflict (workspace, event_sequence, recipient, customer_id) do nothing
    returning id`)
  await putTasks(
    tx,
    stored.map(({ id }) => ({
      workspace: mail.workspace,
      kind: SEND_TASK,
      subject_id: id,
      due_at: now,
    })),
  )
}

async function sendMail(app: MailsApp, workspace: WorkspaceId, id: string): Promise<TaskResult> {
  const mail = await pendingMail(app.db, workspace, id)
  if (mail === undefined) return 'done'
  const { mailer } = app
  const now = app.clock.now()
  if (mailer === undefined) return { again_at: now + LOOK_WITHOUT_SERVER_MILLISECONDS }
  const delivery = await withFailpoints('mail.send', id, () => mailer.send(mail))
  if (delivery.handover === 'taken') {
    await recordDelivery(app, mail, 'SENT', { reason: null, sent_at: app.clock.now() })
    return 'done'
  }
  const { reason } = delivery
  const attempts = mail.attempts + 1
  const facts = { mail_id: id, workspace, event_type: mail.event_type, attempts, reason }
  if (delivery.handover === 'refused' || now - mail.system_created_at > GIVE_UP_MILLISECONDS) {
    await recordDelivery(app, mail, 'FAILED', { reason })
    app.log.error(facts, 'mail not sent')
    return 'done'
  }
  await recordDelivery(app, mail, 'PENDING', { reason })
  app.log.warn(facts, 'mail not sent yet')
  return { again_at: now + pauseAfter(mail.attempts) }
}

function pauseAfter(attempts: number): number {
  const pause = RETRY_FIRST_MILLISECONDS * 2 ** Math.min(attempts, 20)
  return Math.min(RETRY_LONGEST_MILLISECONDS, pause)
}

async function pendingMail(
  reader: Reader,
  workspace: WorkspaceId,
  id: string,
): Promise<Mail | undefined> {
  return only(
    await reader.query<Mail>(sql`
      select ${MAIL_COLUMNS}
      from mails
      where workspace = ${workspace}
        and id = ${id}
        and ${stateIn(MAIL_MOVES, 'PENDING')}`),
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
    set: { ...outcome, attempts: sql`attempts + 1` },
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
