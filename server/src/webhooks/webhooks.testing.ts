/**
 * For the tests of this folder: a world of events with users, a receiver, the endpoints, and the
 * due work done when a test says so.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createUser } from '../access/index.ts'
import type { Role } from '../access/index.ts'
import { permissionsOf } from '../access/permissions.ts'
import { manualClock } from '../core/clock.ts'
import type { ManualClock } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { openEventsWorld } from '../events/events.testing.ts'
import type { EventsWorld } from '../events/events.testing.ts'
import { workerCaller } from '../http/index.ts'
import type { Principal } from '../http/index.ts'
import { testServer } from '../http/testing.ts'
import type { TestServer } from '../http/testing.ts'
import type { EventDraft } from '../ledger/index.ts'
import { sql } from '../store/sql.ts'
import { claimTasks, finishTask, putTasks } from '../store/tasks.ts'
import { WrappingKey } from '../store/wrapping-key.ts'
import type { WebhooksApp } from './app.ts'
import type { DeliveryDetails } from './deliveries.schema.ts'
import { deliveryTasks, FOLLOW_TASK, webhookMailTasks, webhookTasks } from './tasks.ts'
import { webhooksEndpoints } from './index.ts'
import { Receiver } from './receiver.testing.ts'
import type { Webhook, WebhookSecrets } from './webhooks.schema.ts'

type Mail = { id: string; recipient: string; subject: string; body: string }

/** Who calls, by the token. `other` is of the other workspace. */
const PEOPLE: Readonly<Record<string, readonly Role[]>> = {
  treasurer: ['TREASURER'],
  technician: ['ADMIN', 'READER'],
  trader: ['ADMIN', 'TRADER'],
  admin: ['ADMIN'],
  reader: ['READER'],
  other: ['TREASURER'],
}

const LOOKS = 50
const LEASE_MILLISECONDS = 60_000

export class WebhookWorld {
  readonly events: EventsWorld
  readonly receiver: Receiver
  readonly clock: ManualClock
  readonly mails: Mail[] = []
  readonly app: WebhooksApp
  readonly users = new Map<string, Principal>()
  server!: TestServer

  static async open(wrapping = new WrappingKey({ bytes: randomBytes(32), id: 'test' })) {
    const world = new WebhookWorld(await openEventsWorld(), await Receiver.open(), wrapping)
    await world.#addPeople()
    world.server = await testServer({
      db: world.app.db,
      clock: world.clock,
      endpoints: webhooksEndpoints(world.app),
      authenticate: (header) => world.#principalOf(header),
    })
    return world
  }

  private constructor(events: EventsWorld, receiver: Receiver, wrapping: WrappingKey) {
    this.events = events
    this.receiver = receiver
    this.clock = manualClock(Date.now())
    this.app = {
      db: events.db,
      clock: this.clock,
      targets: receiver.rules,
      wrapping,
      mailer: {
        send: async (mail) => {
          this.mails.push(mail)
          return { handover: 'taken' }
        },
        close: () => undefined,
      },
      log: { info: () => undefined, warn: () => undefined },
    }
  }

  async #addPeople(): Promise<void> {
    for (const [name, roles] of Object.entries(PEOPLE)) {
      const workspace = name === 'other' ? this.events.otherWorkspace : this.events.workspace
      await this.#addUser(name, workspace, roles)
    }
  }

  async #addUser(name: string, workspace: WorkspaceId, roles: readonly Role[]): Promise<void> {
    const { id: user_id } = await this.events.db.tx((tx) =>
      createUser(workerCaller(workspace, 'test'), tx, this.clock, {
        email: `${name}@kontor.test`,
        roles: [...roles],
        password: 'correct horse battery',
        must_change_password: false,
      }),
    )
    const permissions = permissionsOf(roles)
    this.users.set(name, { workspace, user_id, session_id: newId(), permissions })
  }

  #principalOf(header: string | undefined): Principal {
    const principal = this.users.get(header?.slice('Bearer '.length) ?? '')
    if (principal === undefined) throw new ApiError('MissingToken')
    return principal
  }

  /** Nothing is stored or due, and the receiver takes what comes. */
  async reset(): Promise<void> {
    await this.events.db.query(sql`delete from webhook_deliveries`)
    await this.events.db.query(sql`delete from webhook_redeliveries`)
    await this.events.db.query(sql`delete from webhook_progress`)
    await this.events.db.query(sql`delete from webhooks`)
    await this.events.db.query(sql`delete from tasks`)
    this.mails.length = 0
    this.receiver.reset()
  }

  /** Calls the API; throws what is refused. */
  async ask<Data>(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    url: string,
    body?: unknown,
    token = 'treasurer',
  ): Promise<Data> {
    const answer = await this.server.call<Data>(method, url, {
      token,
      ...(body === undefined ? {} : { body }),
    })
    assert.equal(answer.status, 200, answer.text)
    return answer.data
  }

  /** One to a path of its own at the receiver, made by the treasurer. */
  create(path = '/', body: Record<string, unknown> = {}, token = 'treasurer'): Promise<Webhook> {
    const whole = { label: `at ${path}`, url: this.receiver.url(path), ...body }
    return this.ask<Webhook>('POST', '/webhooks', whole, token)
  }

  async secretOf({ id }: Webhook): Promise<string> {
    const [first] = await this.ask<WebhookSecrets>('GET', `/webhooks/${id}/secrets`)
    return first?.secret ?? ''
  }

  read = ({ id }: Pick<Webhook, 'id'>): Promise<Webhook> =>
    this.ask<Webhook>('GET', `/webhooks/${id}`)

  /** Oldest first. */
  async deliveries({ id }: Pick<Webhook, 'id'>): Promise<DeliveryDetails[]> {
    const list = await this.ask<{ id: string }[]>('GET', `/webhook-deliveries?webhook_id=${id}`)
    const all = list.map((one) => this.ask<DeliveryDetails>('GET', `/webhook-deliveries/${one.id}`))
    return (await Promise.all(all)).toReversed()
  }

  publish = (...drafts: EventDraft[]): Promise<unknown> => this.events.publish(drafts)

  /** One event of each, about records of their own unless one is named. */
  event = (type: EventDraft['type'], resource_id: string = newId()): EventDraft => ({
    type,
    resource_id,
    data: { about: resource_id },
  })

  /** What is due now is done, until nothing is. */
  async work(): Promise<void> {
    await this.follow()
    await this.workOff({ ...deliveryTasks(this.app), ...webhookMailTasks(this.app) })
  }

  async follow(): Promise<void> {
    const none = '00000000-0000-0000-0000-000000000000' as WorkspaceId
    const due_at = this.clock.now()
    const task = { workspace: none, kind: FOLLOW_TASK, subject_id: none, due_at }
    await putTasks(this.events.db, [task])
    await this.workOff(webhookTasks(this.app))
  }

  async workOff(handlers: ReturnType<typeof webhookTasks>): Promise<void> {
    const { db } = this.events
    for (let look = 0; look < LOOKS; look += 1) {
      const claimed = await claimTasks(db, this.clock, {
        kinds: Object.keys(handlers),
        count: 10,
        lease_ms: LEASE_MILLISECONDS,
      })
      if (claimed.length === 0) return
      for (const task of claimed) {
        const result = await handlers[task.kind]?.(task)
        await finishTask(db, task, result ?? 'done')
      }
    }
    throw new Error('it is never done')
  }

  async close(): Promise<void> {
    await this.server.close()
    await this.receiver.close()
    await this.events.close()
  }
}
