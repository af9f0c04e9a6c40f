/** Mail: one per event and recipient, retried, given up, and never lost to a killed process. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, before, beforeEach, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { prepareDatabase } from '../core/service.testing.ts'
import { newId } from '../core/ids.ts'
import { until, WITH_FAILPOINTS } from '../core/testing.ts'
import { sql } from '../store/sql.ts'
import { RECIPIENTS } from './events.testing.ts'
import { openMailer } from './index.ts'
import { openMailWorld } from './mails.testing.ts'
import type { MailWorld } from './mails.testing.ts'

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))

describe('mails', () => {
  let world: MailWorld
  before(async () => {
    world = await openMailWorld()
    // Without a user no service starts.
    await prepareDatabase(world.events.url, {
      email: 'admin@example.com',
      password: 'correct horse battery',
    })
  })
  beforeEach(() => world.reset())
  after(() => world.close())

  it('tries again ever later, and gives up after three days', async () => {
    world.mailServer.state.answer = 'later'
    await world.events.publish([world.events.depositAssigned('1')])
    await world.work()
    const [due] = await world.events.db.query<{ wait: number }>(
      sql`
        select min(due_at) - ${world.clock.now()}::bigint as wait
        from tasks
        where kind = 'send_mail'`,
    )
    assert.ok((due?.wait ?? 0) > 1_000 && (due?.wait ?? 0) <= 2_000, `${due?.wait}`)
    await world.work()
    assert.deepEqual(
      (await world.storedMails()).map(({ state, attempts }) => ({ state, attempts })),
      [
        { state: 'PENDING', attempts: 1 },
        { state: 'PENDING', attempts: 1 },
      ],
    )
    world.goTo(3_000)
    await world.work()
    assert.deepEqual(
      (await world.storedMails()).map(({ state, attempts, reason }) => ({
        state,
        attempts,
        later: /try again later/.test(reason ?? ''),
      })),
      [
        { state: 'PENDING', attempts: 2, later: true },
        { state: 'PENDING', attempts: 2, later: true },
      ],
    )
    world.goTo(4 * 86_400_000)
    await world.work()
    assert.deepEqual(
      (await world.storedMails()).map((mail) => mail.state),
      ['FAILED', 'FAILED'],
    )
    assert.equal(world.mailServer.received.length, 0)
  })

  it('gives up at once without such a mailbox, and goes on when the server is back', async () => {
    world.mailServer.state.answer = 'refuse'
    await world.events.publish([world.events.depositAssigned('1')])
    await world.work()
    assert.deepEqual(
      (await world.storedMails()).map(({ state, attempts }) => ({ state, attempts })),
      [
        { state: 'FAILED', attempts: 1 },
        { state: 'FAILED', attempts: 1 },
      ],
    )
    const unreachable = openMailer({ url: 'smtp://127.0.0.1:1' })
    world.mailServer.state.answer = 'take'
    await world.events.publish([world.events.depositAssigned('2')])
    await world.work({ way: unreachable })
    unreachable.close()
    assert.deepEqual(
      (await world.storedMails()).slice(2).map(({ state, attempts }) => ({ state, attempts })),
      [
        { state: 'PENDING', attempts: 1 },
        { state: 'PENDING', attempts: 1 },
      ],
    )
    world.goTo(3_000)
    await world.work()
    assert.deepEqual(
      (await world.storedMails()).slice(2).map((mail) => mail.state),
      ['SENT', 'SENT'],
    )
  })

  it('gives no mail to a server beyond this machine without TLS, unless told to', async () => {
    // It leads to this machine too, and is not one of the names that say so.
    const url = world.mailServer.url.replace('127.0.0.1', '0.0.0.0')
    const { received, state } = world.mailServer
    const before = state.asked
    await world.events.publish([world.events.depositAssigned('1')])
    const way = openMailer({ url })
    await world.work({ way })
    way.close()
    assert.deepEqual([received.length, state.asked], [0, before])
    for (const mail of await world.storedMails()) {
      assert.equal(mail.state, 'PENDING')
      assert.match(mail.reason ?? '', /STARTTLS/)
    }
    world.goTo(3_000)
    const plain = openMailer({ url, plain: true })
    await world.work({ way: plain })
    plain.close()
    assert.equal(received.length, RECIPIENTS.length)
  })

  it('reaches a server of this machine by its IPv6 address', async () => {
    const way = openMailer({ url: 'smtp://[::1]:1' })
    const mail = { id: newId(), recipient: 'a@b.example', subject: 'x', body: 'x' }
    const sent = await way.send(mail)
    way.close()
    // Nobody listens there; with its brackets it would be a name that nobody knows.
    assert.ok(sent.handover === 'failed')
    assert.match(sent.reason, /connect E[A-Z]+ ::1:1/)
  })

  it('writes nothing without a mail server, and does not catch up later', async () => {
    await world.events.publish([world.events.depositAssigned('1')])
    await world.work({ way: 'none' })
    await world.work()
    assert.deepEqual(await world.storedMails(), [])
    assert.deepEqual(world.mailServer.received, [])
  })

  it('books while the mail server does not answer', async () => {
    world.mailServer.state.answer = 'later'
    await world.events.publish([world.events.depositAssigned('1')])
    const working = world.work()
    await world.events.book('1')
    await working
  })

  /** A worker process that dies at the failpoint, or one that does its work and is ended. */
  function worker(failpoint?: string) {
    const child = spawn(process.execPath, [...WITH_FAILPOINTS, MAIN], {
      env: {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        DATABASE_URL: world.events.url,
        KONTOR_ROLE: 'worker',
        KONTOR_SMTP_URL: world.mailServer.url,
        KONTOR_LEASE_MS: '300',
        LOG_LEVEL: 'fatal',
        ...(failpoint === undefined ? {} : { KONTOR_FAILPOINT: failpoint }),
      },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    return { child, ended: once(child, 'exit') as Promise<[number | null, string | null]> }
  }

  for (const [point, most] of [
    ['mail.store.before', 1],
    ['mail.store.after', 1],
    ['mail.send.before', 1],
    ['mail.send.after', 2],
  ] as const) {
    it(
      `killed at ${point}: every mail arrives${most === 1 ? ' once' : ', under one Message-ID'}`,
      { timeout: 300_000 },
      async () => {
        await world.events.publish([world.events.depositAssigned('7')])
        const [, signal] = await worker(point).ended
        assert.equal(signal, 'SIGKILL')
        const next = worker()
        try {
          await until(
            'both are sent',
            async () =>
              (await world.storedMails()).filter((mail) => mail.state === 'SENT').length === 2,
          )
        } finally {
          next.child.kill('SIGTERM')
          await next.ended
        }
        assert.equal((await world.storedMails()).length, 2)
        const byRecipient = Map.groupBy(world.mailServer.received, (mail) => mail.to)
        assert.deepEqual([...byRecipient.keys()].toSorted(), RECIPIENTS.toSorted())
        const counts = [...byRecipient.values()].map((mails) => mails.length)
        assert.ok(
          counts.every((count) => count <= most),
          String(counts),
        )
        for (const mails of byRecipient.values())
          assert.equal(new Set(mails.map((mail) => mail.message_id)).size, 1)
      },
    )
  }
})
