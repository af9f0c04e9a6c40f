/**
 * Webhooks of version 2: every change of a transaction is stored and posted to one URL, signed
 * with a detached JWS (RS512) over the raw body, again and again until it is taken or given up.
 * No URL, no messages.
 *
 * Faults, venue `fireblocks`, operation `webhook`: TWICE posts it twice, LATE after delay_ms,
 * REFUSE and DOWN fail one attempt, TIMEOUT_AFTER_ACCEPT loses it.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { FlattenedSign } from 'jose'
import { credential } from '../credentials.ts'
import type { World } from '../world.ts'

const RETRY_MILLISECONDS = [1_000, 2_000, 5_000, 15_000, 60_000, 300_000]
const ANSWER_LIMIT_MILLISECONDS = 5_000

type WebhookEvent = { type: string; resource_id: string; data: unknown }

export type Webhooks = {
  url(): string | null
  setUrl(url: string | null): void
  post(event: WebhookEvent): void
  waiting(): number
  close(): void
}

type Message = { id: string; body: string; attempts: number; delayed: number }
type SigningKey = { key: KeyObject; kid: string }

export function openWebhooks(world: World): Webhooks {
  const { db } = world
  createTables(db)
  const url = openUrl(db)
  if (process.env['SANDBOX_WEBHOOK_URL']) url.setUrl(process.env['SANDBOX_WEBHOOK_URL'])
  const outbox = openOutbox(world)
  const courier = new Courier(world, outbox, signingKey(world.dir))
  world.onTick((now) => {
    const target = url.url()
    if (target !== null) courier.sendDue(target, now)
  })
  return {
    ...url,
    post: (event) => {
      if (url.url() !== null) outbox.add(event)
    },
    waiting: outbox.waiting,
    close: () => {
      courier.close()
    },
  }
}

function createTables(db: DatabaseSync): void {
  db.exec(`
    create table if not exists vault_webhook_url (
      id integer primary key check (id = 1),
      url text
    );
    create table if not exists vault_webhooks (
      seq integer primary key,
      id text not null unique,
      body text not null,
      attempts integer not null,
      delayed integer not null,
      next_at integer not null
    );
  `)
}

function openUrl(db: DatabaseSync): Pick<Webhooks, 'url' | 'setUrl'> {
  const select = db.prepare('select url from vault_webhook_url')
  const upsert = db.prepare(`
    insert or replace into vault_webhook_url (id, url)
    values (1, ?)`)
  return {
    url: () => (select.get() as { url: string | null } | undefined)?.url ?? null,
    setUrl: (url) => {
      upsert.run(url)
    },
  }
}

type Outbox = {
  add(event: WebhookEvent): void
  /** The oldest messages whose next attempt is due. */
  due(now: number): Message[]
  /** Plans the next attempt; without another one the message is given up. */
  retry(message: Message): void
  delay(message: Message, milliseconds: number): void
  remove(message: Message): void
  waiting(): number
}

function openOutbox(world: World): Outbox {
  const { db } = world
  const insert = db.prepare(`
    insert into vault_webhooks (id, body, attempts, delayed, next_at)
    values (?, ?, 0, 0, ?)`)
  const due = db.prepare(`
    select id, body, attempts, delayed
    from vault_webhooks
    where next_at <= ?
    order by seq
    limit 20`)
  const update = db.prepare(`
    update vault_webhooks
    set attempts = ?, delayed = ?, next_at = ?
    where id = ?`)
  const remove = db.prepare('delete from vault_webhooks where id = ?')
  const count = db.prepare('select count(*) as waiting from vault_webhooks')
  return {
    add(event) {
      const id = randomUUID()
      insert.run(id, bodyOf(id, event, world.now()), world.now())
    },
    due: (now) => due.all(now) as Message[],
    retry({ id, attempts, delayed }) {
      const wait = RETRY_MILLISECONDS[attempts]
      if (wait === undefined) remove.run(id)
      else update.run(attempts + 1, delayed, world.now() + wait, id)
    },
    delay({ id, attempts }, milliseconds) {
      update.run(attempts, 1, world.now() + milliseconds, id)
    },
    remove: ({ id }) => {
      remove.run(id)
    },
    waiting: () => (count.get() as { waiting: number }).waiting,
  }
}

function bodyOf(id: string, { type, resource_id, data }: WebhookEvent, createdAt: number): string {
  return JSON.stringify({
    id,
    resourceId: resource_id,
    workspaceId: 'sandbox',
    eventType: type,
    eventVersion: 1,
    createdAt,
    data,
  })
}

/** Carries messages to their target, one after the other. */
class Courier {
  readonly #faults: World['faults']
  readonly #outbox: Outbox
  readonly #signingKey: SigningKey
  #sending = false
  #closed = false

  constructor(world: World, outbox: Outbox, key: SigningKey) {
    this.#faults = world.faults
    this.#outbox = outbox
    this.#signingKey = key
  }

  close(): void {
    this.#closed = true
  }

  sendDue(target: string, now: number): void {
    if (this.#sending) return
    const due = this.#outbox.due(now)
    if (due.length === 0) return
    this.#sending = true
    void this.#sendAll(due, target).finally(() => {
      this.#sending = false
    })
  }

  async #sendAll(messages: Message[], target: string): Promise<void> {
    for (const message of messages) {
      if (!this.#closed) await this.#send(message, target)
    }
  }

  async #send(message: Message, target: string): Promise<void> {
    const fault = message.delayed === 1 ? undefined : this.#faults.take('fireblocks', 'webhook')
    if (fault?.kind === 'LATE') return this.#outbox.delay(message, fault.delay_ms)
    if (fault?.kind === 'TIMEOUT_AFTER_ACCEPT') return this.#outbox.remove(message)
    const fails = fault?.kind === 'REFUSE' || fault?.kind === 'DOWN'
    const accepted = !fails && (await deliver(target, message.body, this.#signingKey))
    if (this.#closed) return
    if (fault?.kind === 'TWICE') await deliver(target, message.body, this.#signingKey)
    if (this.#closed) return
    if (accepted) this.#outbox.remove(message)
    else this.#outbox.retry(message)
  }
}

/** Answers whether the target has taken it. */
async function deliver(target: string, body: string, { key, kid }: SigningKey): Promise<boolean> {
  const bytes = Buffer.from(body)
  const jws = await new FlattenedSign(bytes).setProtectedHeader({ alg: 'RS512', kid }).sign(key)
  try {
    const response = await fetch(target, {
      method: 'POST',
      body: bytes,
      signal: AbortSignal.timeout(ANSWER_LIMIT_MILLISECONDS),
      headers: {
        'content-type': 'application/json',
        'fireblocks-webhook-signature': `${jws.protected ?? ''}..${jws.signature}`,
      },
    })
    await response.arrayBuffer()
    return response.ok
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    process.stderr.write(`sandbox: a webhook was not taken: ${reason}\n`)
    return false
  }
}

/**
 * The private half stays with the vault; the public half is among the credentials that the client
 * configures.
 */
function signingKey(dir: string): SigningKey {
  const privatePem = credential(
    join(dir, 'fireblocks'),
    'webhook.private.pem',
    () =>
      generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
        type: 'pkcs8',
        format: 'pem',
      }) as string,
  )
  const key = createPrivateKey(privatePem)
  credential(
    dir,
    'fireblocks-webhook.pem',
    () => createPublicKey(key).export({ type: 'spki', format: 'pem' }) as string,
  )
  return { key, kid: 'sandbox-1' }
}
