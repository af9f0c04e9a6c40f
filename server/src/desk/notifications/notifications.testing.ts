/** For tests: people with roles, events that concern them, and tasks that a test does. */
import { createUser, createWorkspace, PERMISSIONS_OF } from '../../access/index.ts'
import type { Role } from '../../access/index.ts'
import { manualClock } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { UserId, WorkspaceId } from '../../core/ids.ts'
import { createCustomer } from '../../customers/index.ts'
import type { Mailer } from '../../events/index.ts'
import { workerCaller } from '../../http/index.ts'
import type { Principal } from '../../http/index.ts'
import { testServer } from '../../http/testing.ts'
import { openBooks, publishEvents } from '../../ledger/index.ts'
import type { EventDraft } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import { testDatabase } from '../../store/testing.ts'
import { notesEndpoints } from '../notes/notes.http.ts'
import { notificationsEndpoints } from './notifications.http.ts'
import { notificationMailTasks, tellingTasks } from './tasks.ts'
import { MAIL_TASK, TELL_TASK } from './telling.ts'

type OutgoingMail = Parameters<Mailer['send']>[0]
const START = 1_800_000_000_000
const silent = { warn: () => undefined }

export class NotificationsWorld {
  readonly clock = manualClock(START)
  readonly people = new Map<string, Principal>()
  readonly sent: OutgoingMail[] = []
  /** What the mail server answers. */
  answer: 'taken' | 'failed' | 'refused' = 'taken'
  readonly #database
  readonly #server
  readonly ours: WorkspaceId
  readonly theirs: WorkspaceId
  readonly customer: string

  static async open(): Promise<NotificationsWorld> {
    const database = await testDatabase()
    return new NotificationsWorld(database, await worldIn(database.db))
  }

  private constructor(
    database: Awaited<ReturnType<typeof testDatabase>>,
    { ours, theirs, customer }: Awaited<ReturnType<typeof worldIn>>,
  ) {
    this.#database = database
    this.ours = ours
    this.theirs = theirs
    this.customer = customer
    const app = { db: database.db, clock: this.clock }
    this.#server = testServer({
      ...app,
      endpoints: [...notesEndpoints(app, []), ...notificationsEndpoints(app, [])],
      authenticate: (header) => {
        const principal = this.people.get(header?.slice('Bearer '.length) ?? '')
        if (principal === undefined) throw new ApiError('MissingToken')
        return principal
      },
    })
  }

  get url(): string {
    return this.#database.url
  }

  get db() {
    return this.#database.db
  }

  async person(name: string, roles: Role[], workspace = this.ours): Promise<UserId> {
    const { id: user_id } = await this.db.tx((tx) =>
      createUser(workerCaller(workspace, 'test'), tx, this.clock, {
        email: `${name}@example.com`,
        name,
        roles,
        password: `a password for ${name}`,
      }),
    )
    const permissions = new Set<string>(roles.flatMap((role) => PERMISSIONS_OF[role]))
    this.people.set(name, { workspace, user_id, session_id: newId(), permissions })
    return user_id
  }

  async call<Data>(token: string, how: string, body?: object) {
    const [method, url = ''] = how.split(' ') as ['GET' | 'POST' | 'PUT', string?]
    return (await this.#server).call<Data>(method, url, {
      token,
      ...(body === undefined ? {} : { body }),
    })
  }

  publish(events: EventDraft[], workspace = this.ours): Promise<void> {
    return this.db.tx((tx) => publishEvents({ workspace }, { tx, clock: this.clock }, events))
  }

  /** As reconciliation leaves it. */
  async openBreak(id: string): Promise<void> {
    await this.db.query(sql`
      insert into breaks (
        workspace, id, state, venue_id, asset, ledger, venue, on_the_way, difference, cause,
        explanation, first_seen_at, last_seen_at, system_created_at, system_updated_at
      )
      values (
        ${this.ours}, ${id}, 'OPEN', ${newId()}, 'EUR', 10, 11, 0, 1, 'UNKNOWN', 'nobody knows',
        0, 0, 0, 0
      )`)
  }

  async closeBreak(id: string): Promise<void> {
    await this.db.query(sql`
      update breaks
      set state = 'CLOSED', closed_at = 0, closed_reason = 'RESOLVED'
      where id = ${id}`)
  }

  /** One look at the events; without a mail server when it is `none`. */
  async tell(mailer: 'none' | 'some' = 'some'): Promise<void> {
    const tasks = tellingTasks(this.#app(mailer), [])
    await tasks[TELL_TASK]?.({ ...this.#key, kind: TELL_TASK, attempts: 1 })
  }

  /** What is due to be mailed. */
  async mail(): Promise<void> {
    const tasks = notificationMailTasks(this.#app('some'), [])
    type Due = { workspace: WorkspaceId; kind: string; subject_id: string }
    const due = await this.db.query<Due>(sql`
      select workspace, kind, subject_id
      from tasks
      where kind = ${MAIL_TASK}
        and due_at <= ${this.clock.now()}
      order by due_at, subject_id`)
    for (const task of due) {
      const result = await tasks[MAIL_TASK]?.({ ...task, attempts: 1 })
      await this.db.query(
        result === 'done' || result === undefined
          ? sql`
            delete from tasks
            where subject_id = ${task.subject_id}`
          : sql`
            update tasks
            set due_at = ${result.again_at}
            where subject_id = ${task.subject_id}`,
      )
    }
  }

  readonly #key = { workspace: newId<WorkspaceId>(), subject_id: newId() }

  #app(mailer: 'none' | 'some') {
    const send: Mailer['send'] = (mail) => {
      this.sent.push(mail)
      return Promise.resolve(
        this.answer === 'taken'
          ? { handover: 'taken' }
          : { handover: this.answer, reason: 'the server is busy' },
      )
    }
    return {
      db: this.db,
      clock: this.clock,
      mailer: mailer === 'none' ? undefined : { send, close: () => undefined },
      console_url: 'https://kontor.example',
      log: silent,
    }
  }

  async close(): Promise<void> {
    await (await this.#server).close()
    await this.#database.drop()
  }
}

async function worldIn(db: Awaited<ReturnType<typeof testDatabase>>['db']) {
  const clock = manualClock(START)
  const workspaces = await db.tx(async (tx) => {
    const ids: WorkspaceId[] = []
    for (const name of ['ours', 'theirs']) {
      const { id } = await createWorkspace(tx, clock, { name })
      await openBooks({ workspace: id, by: 'test' }, { tx, clock })
      ids.push(id)
    }
    return ids
  })
  const [ours, theirs] = workspaces as [WorkspaceId, WorkspaceId]
  const { id: customer } = await db.tx((tx) =>
    createCustomer(workerCaller(ours, 'test'), tx, clock, {
      type: 'RETAIL',
      label: 'Jonas Keller',
      first_name: 'Jonas',
      last_name: 'Keller',
      margin: 'DEFAULT',
      booking_schema: 'SIMPLE',
      ignore_balance_check: false,
      ignore_margin: false,
    }),
  )
  return { ours, theirs, customer }
}
