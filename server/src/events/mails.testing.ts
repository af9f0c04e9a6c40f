/** For tests of mails: a world of events, a mail server, and the tasks done when a test says so. */
import assert from 'node:assert/strict'
import { putSettings } from '../access/index.ts'
import type { Settings } from '../access/index.ts'
import { newId } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { workerCaller } from '../http/index.ts'
import { sql } from '../store/sql.ts'
import { openEventsWorld, openMailServer } from './events.testing.ts'
import type { EventsWorld } from './events.testing.ts'
import { mailTasks, openMailer, WRITE_TASK } from './index.ts'
import type { Mailer } from './index.ts'

const silent = { warn: () => undefined, error: () => undefined }

/** Headers and body of a quoted-printable mail, as a person reads them. */
export const readable = (message: string): string =>
  Buffer.from(
    message
      .replaceAll('=\r\n', '')
      .replaceAll('\r\n', '\n')
      .replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  ).toString('utf8')

type StoredMail = {
  id: string
  state: string
  recipient: string
  attempts: number
  reason: string | null
  event_type: string
}

/** Mails wait for nothing, unless a test says otherwise. */
export async function openMailWorld(): Promise<MailWorld> {
  const world = new MailWorld(await openEventsWorld(), await openMailServer())
  await world.set({ mail_wait_minutes: 0 })
  return world
}

export class MailWorld {
  readonly events: EventsWorld
  readonly mailServer: Awaited<ReturnType<typeof openMailServer>>
  readonly #mailer: Mailer
  readonly #start = Date.now()
  #ahead = 0
  readonly clock = { now: () => this.#start + this.#ahead }

  constructor(events: EventsWorld, mailServer: Awaited<ReturnType<typeof openMailServer>>) {
    this.events = events
    this.mailServer = mailServer
    this.#mailer = openMailer({ url: mailServer.url, from: 'Back Office <office@kontor.example>' })
  }

  /** Changes settings of the workspace. */
  async set(changes: Partial<Settings>): Promise<void> {
    const { db, workspace } = this.events
    await db.tx((tx) => putSettings(workerCaller(workspace, 'test'), tx, this.clock, changes))
  }

  /** The text of the only mail that arrived for this recipient. */
  textTo(recipient: string): string {
    const mails = this.mailServer.received.filter(({ to }) => to === recipient)
    assert.equal(mails.length, 1)
    return readable(mails[0]?.message ?? '')
  }

  /** Sets the clock to `ahead` after the start of the test. */
  goTo(ahead: number): void {
    this.#ahead = ahead
  }

  /** No mail is stored or due, and the server takes what comes. */
  async reset(): Promise<void> {
    this.goTo(0)
    await this.work({ send: false })
    await this.events.db.query(sql`delete from mails`)
    await this.events.db.query(sql`delete from tasks`)
    this.mailServer.received.length = 0
    this.mailServer.state.answer = 'take'
  }

  storedMails(): Promise<StoredMail[]> {
    return this.events.db.query<StoredMail>(sql`
      select id, state, recipient, attempts, reason, event_type
      from mails
      where workspace = ${this.events.workspace}
      order by event_sequence, recipient`)
  }

  /** One look at the events, and one attempt for each mail that is due. */
  async work({ send = true, way = this.#mailer as Mailer | 'none' } = {}): Promise<void> {
    const { db } = this.events
    const tasks = mailTasks({
      db,
      clock: this.clock,
      mailer: way === 'none' ? undefined : way,
      log: silent,
    })
    await tasks[WRITE_TASK]?.({
      workspace: newId<WorkspaceId>(),
      kind: WRITE_TASK,
      subject_id: newId(),
      attempts: 1,
    })
    if (!send) return
    const due = await db.query<{ workspace: WorkspaceId; kind: string; subject_id: string }>(
      sql`
        select workspace, kind, subject_id
        from tasks
        where kind = 'send_mail'
          and due_at <= ${this.clock.now()}
        order by due_at, subject_id`,
    )
    for (const task of due) {
      const result = await tasks['send_mail']?.({ ...task, attempts: 1 })
      if (result === 'done')
        await db.query(sql`
          delete from tasks
          where subject_id = ${task.subject_id}`)
      else
        await db.query(sql`
          update tasks
          set due_at = ${result?.again_at ?? 0}
          where subject_id = ${task.subject_id}`)
    }
  }

  async close(): Promise<void> {
    this.#mailer.close()
    await this.mailServer.close()
    await this.events.close()
  }
}
