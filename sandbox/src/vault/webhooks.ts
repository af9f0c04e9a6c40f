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
import { FlattenedSign } from 'jose'
import { credential } from '../credentials.ts'
import type { World } from '../world.ts'

const RETRY_MILLISECONDS = [1_000, 2_000, 5_000, 15_000, 60_000, 300_000]
const ANSWER_LIMIT_MILLISECONDS = 5_000

export type Webhooks = {
  url(): string | null
  setUrl(url: string | null): void
  post(event: { type: string; resource_id: string; data: unknown }): void
  waiting(): number
  close(): void
}

type Message = { id: string; body: string; attempts: number; delayed: number }

export function openWebhooks(world: World): Webhooks {
  const { db } = world
  db.exec(`
    create table if not exists vault_webhook_url (id integer primary key check (id = 1), url text);
    create table if not exists vault_webhooks (seq integer primary key, id text not null unique, body text not null, attempts integer not null, delayed integer not null, next_at integer not null);
  `)
  const { key, kid } = signingKey(world.dir)
  const selectDue = db.prepare(
    'select id, body, attempts, delayed from vault_webhooks where next_at <= ? order by seq limit 20',
  )
  const again = db.prepare(
    'update vault_webhooks set attempts = ?, delayed = ?, next_at = ? where id = ?',
  )
  const done = db.prepare('delete from vault_webhooks where id = ?')
  const url = () =>
    (db.prepare('select url from vault_webhook_url').get() as { url: string | null } | undefined)
      ?.url ?? null
  const setUrl = (next: string | null) => {
    db.prepare('insert or replace into vault_webhook_url (id, url) values (1, ?)').run(next)
  }
  if (process.env['SANDBOX_WEBHOOK_URL']) setUrl(process.env['SANDBOX_WEBHOOK_URL'])

  async function deliver(target: string, body: string): Promise<boolean> {
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
      process.stderr.write(
        `sandbox: a webhook was not taken: ${error instanceof Error ? error.message : String(error)}\n`,
      )
      return false
    }
  }

  const retry = (message: Message) => {
    const wait = RETRY_MILLISECONDS[message.attempts]
    if (wait === undefined) done.run(message.id)
    else again.run(message.attempts + 1, message.delayed, world.now() + wait, message.id)
  }
  async function send(message: Message, target: string): Promise<void> {
    const fault = message.delayed === 1 ? undefined : world.faults.take('fireblocks', 'webhook')
    if (fault?.kind === 'LATE') {
      again.run(message.attempts, 1, world.now() + fault.delay_ms, message.id)
      return
    }
    if (fault?.kind === 'TIMEOUT_AFTER_ACCEPT') {
      done.run(message.id)
      return
    }
    const taken =
      fault?.kind !== 'REFUSE' && fault?.kind !== 'DOWN' && (await deliver(target, message.body))
    if (closed) return
    if (fault?.kind === 'TWICE') await deliver(target, message.body)
    if (closed) return
    if (taken) done.run(message.id)
    else retry(message)
  }

  let sending = false
  let closed = false
  world.onTick((now) => {
    const target = url()
    if (sending || target === null) return
    const due = selectDue.all(now) as Message[]
    if (due.length === 0) return
    sending = true
    void (async () => {
      for (const message of due) {
        if (!closed) await send(message, target)
      }
    })().finally(() => {
      sending = false
    })
  })
  return {
    url,
    setUrl,
    post({ type, resource_id, data }) {
      if (url() === null) return
      const id = randomUUID()
      const body = JSON.stringify({
        id,
        resourceId: resource_id,
        workspaceId: 'sandbox',
        eventType: type,
        eventVersion: 1,
        createdAt: world.now(),
        data,
      })
      db.prepare(
        'insert into vault_webhooks (id, body, attempts, delayed, next_at) values (?, ?, 0, 0, ?)',
      ).run(id, body, world.now())
    },
    waiting: () =>
      (db.prepare('select count(*) as waiting from vault_webhooks').get() as { waiting: number })
        .waiting,
    close: () => {
      closed = true
    },
  }
}

/**
 * The private half stays with the vault; the public half is among the credentials that the client
 * configures.
 */
function signingKey(dir: string): { key: KeyObject; kid: string } {
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
