/**
 * From events to mails: who is told, in which words, and who was told something that is wrong now.
 * The mails of a page of events are stored together with how far has been read.
 */
import { settingsOf } from '../access/index.ts'
import type { MailKind, Settings } from '../access/index.ts'
import type { Clock } from '../core/clock.ts'
import { withFailpoints } from '../core/failpoint.ts'
import { newId } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'
import type { Json } from '../core/json.ts'
import { move } from '../core/moves.ts'
import { customerById } from '../customers/index.ts'
import type { Customer } from '../customers/index.ts'
import { closed, id, Type } from '../http/index.ts'
import type { Static } from '../http/index.ts'
import { assetsOf, lastEventSequences } from '../ledger/index.ts'
import type { Event } from '../ledger/index.ts'
import type { Reader, Tx } from '../store/db.ts'
import { columnsOf, insertRow, tableOf, updateRow } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import { stateIn } from '../store/states.ts'
import { putTasks } from '../store/tasks.ts'
import { nextEvents } from './follow.ts'
import { defaultTemplate } from './mail-defaults.ts'
import {
  concernedCustomers,
  CORRECTIONS,
  frameOf,
  MAILED_TYPES,
  mailOf,
  textIn,
} from './mail-texts.ts'
import { fillTemplate, timeText } from './mail-words.ts'
import type { MailValues, Reader as MailReader } from './mail-words.ts'
import { MAIL_MOVES } from './mails.schema.ts'
import type { Mail } from './mails.schema.ts'
import { MAIL_COLUMNS, MAILS, SEND_TASK, WORKER } from './mails-table.ts'
import type { MailsApp } from './mails-table.ts'

const PAGE_EVENTS = 500
const MINUTE_MILLISECONDS = 60_000

/** How far the events of a workspace have been read. */
const CursorRow = closed({ workspace: id<WorkspaceId>(), sequence: Type.Integer() })
type Cursor = Static<typeof CursorRow>
const MAIL_CURSORS = tableOf('mail_cursors', CursorRow)

/** Writes the mails about what has happened in every workspace since the last time. */
export async function writeMails(app: MailsApp): Promise<void> {
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
    await withFailpoints('mail.store', workspace, () =>
      app.db.tx(async (tx) => {
        const settings = await settingsOf(tx, workspace)
        for (const event of page.events) {
          await writeMailsAbout({ tx, clock: app.clock, settings }, event)
          await correctMails({ tx, clock: app.clock, settings }, event)
        }
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

type Writing = { tx: Tx; clock: Clock; settings: Settings }
type MailDraft = Pick<
  Mail,
  | 'workspace'
  | 'event_sequence'
  | 'event_type'
  | 'resource_id'
  | 'customer_id'
  | 'assignment_id'
  | 'corrects'
  | 'recipient'
  | 'subject'
  | 'body'
>

async function writeMailsAbout(writing: Writing, event: Event): Promise<void> {
  for (const concerned of concernedCustomers(event)) {
    const customer = await customerById(writing.tx, event.workspace, concerned.customer_id)
    const reader = await readerOf(writing, customer)
    const mail = mailOf(event, concerned, reader)
    if (mail === undefined) continue
    const wait = mail.waits ? writing.settings.mail_wait_minutes * MINUTE_MILLISECONDS : 0
    const text = textOf(writing.settings, customer, { ...mail, reader })
    for (const recipient of new Set(customer.notification_recipients))
      await storeMail(writing, wait, {
        ...draftOf(event, customer),
        assignment_id: assignmentIn(concerned.data),
        corrects: null,
        recipient,
        ...text,
      })
  }
}

const draftOf = (event: Event, customer: Customer) => ({
  workspace: event.workspace,
  event_sequence: event.sequence,
  event_type: event.type,
  resource_id: event.resource_id,
  customer_id: customer.id,
})

const assignmentIn = (data: Readonly<Record<string, Json>>): string | null =>
  textIn(data['assignment_id']) || null

async function readerOf(
  { tx, settings }: Writing,
  { workspace, language, time_zone }: Customer,
): Promise<MailReader> {
  return {
    language: language ?? settings.mail_language,
    time_zone: time_zone ?? settings.mail_time_zone,
    assets: await assetsOf(tx, workspace),
  }
}

/** In the workspace's own words, else in ours. */
function textOf(
  settings: Settings,
  customer: Customer,
  { kind, values, reader }: { kind: MailKind; values: MailValues; reader: MailReader },
): { subject: string; body: string } {
  const { language } = reader
  const template = settings.mail_templates[language]?.[kind] ?? defaultTemplate(language, kind)
  return fillTemplate(template, {
    ...values,
    customer: customer.label,
    bank: settings.brand.name ?? '',
  })
}

/**
 * A mail that said what is wrong now: one that nobody was given yet is canceled. To everybody else
 * who was told, also if that is not known for sure, a correction is sent.
 */
async function correctMails(writing: Writing, event: Event): Promise<void> {
  for (const wrong of await wrongMails(writing.tx, event)) {
    if (wrong.state === 'PENDING') await cancelMail(writing, wrong)
    if (wrong.attempts > 0 && wrong.state !== 'FAILED') await writeCorrection(writing, event, wrong)
  }
}

async function wrongMails(tx: Tx, event: Event): Promise<Mail[]> {
  const correction = CORRECTIONS[event.type]
  if (correction === undefined) return []
  const mails = await tx.query<Mail>(sql`
    select ${MAIL_COLUMNS}
    from mails
    where workspace = ${event.workspace}
      and resource_id = ${event.resource_id}
      and event_sequence < ${event.sequence}
      and event_type = any(${correction.of})
      and corrects is null
      and ${stateIn(MAIL_MOVES, ['PENDING', 'SENT', 'FAILED'])}
      and not exists (
        select 1
        from mails correcting
        where correcting.workspace = mails.workspace
          and correcting.corrects = mails.id
      )
    order by event_sequence, recipient
    for update`)
  return mails.filter((mail) => isAbout(mail, event.data['origins']))
}

/** `origins`: the assignments that were reversed; absent where all that was told is wrong. */
function isAbout(mail: Mail, origins: Json | undefined): boolean {
  if (!Array.isArray(origins)) return true
  return origins.some((origin) => {
    const { assignment_id, customer_id } = origin as Readonly<Record<string, Json>>
    return (
      customer_id === mail.customer_id &&
      (mail.assignment_id === null || assignment_id === mail.assignment_id)
    )
  })
}

async function cancelMail({ tx, clock }: Writing, mail: Mail): Promise<void> {
  const { workspace } = mail
  await tx.query(
    updateRow(MAILS, {
      where: { workspace, id: mail.id },
      move: move(MAIL_MOVES, mail.state, 'CANCELED'),
      set: { reason: 'What it says was corrected before it was sent' },
      by: WORKER,
      now: clock.now(),
    }),
  )
}

async function writeCorrection(writing: Writing, event: Event, wrong: Mail): Promise<void> {
  const kind = CORRECTIONS[event.type]?.kind
  if (kind === undefined) return
  const customer = await customerById(writing.tx, event.workspace, wrong.customer_id)
  const reader = await readerOf(writing, customer)
  const values = {
    ...frameOf(event, reader),
    told: wrong.subject,
    told_time: timeText(wrong.sent_at ?? wrong.system_updated_at, reader),
  }
  await storeMail(writing, 0, {
    ...draftOf(event, customer),
    assignment_id: wrong.assignment_id,
    corrects: wrong.id,
    recipient: wrong.recipient,
    ...textOf(writing.settings, customer, { kind, values, reader }),
  })
}

/** Already stored: the process that stored it died before it knew, or two read the same events. */
async function storeMail({ tx, clock }: Writing, wait: number, mail: MailDraft): Promise<void> {
  const now = clock.now()
  const waits_until = wait === 0 ? null : now + wait
  const row = { ...mail, id: newId(now), state: 'PENDING', waits_until } as const
  const stored = await tx.query<{ id: string }>(sql`
    ${insertRow(MAILS, row, { by: WORKER, now })}
    on conflict do nothing
    returning id`)
  await putTasks(
    tx,
    stored.map(({ id }) => ({
      workspace: mail.workspace,
      kind: SEND_TASK,
      subject_id: id,
      due_at: waits_until ?? now,
    })),
  )
}
