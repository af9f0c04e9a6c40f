/** Mail: one per event and recipient, retried, given up, and never lost to a killed process. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, before, beforeEach, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { newId } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { until, WITH_FAILPOINTS } from '../core/testing.ts'
import { sql } from '../store/sql.ts'
import { openMailServer, openPlace, RECIPIENTS } from './events.testing.ts'
import { mailTasks, openMailer, WRITE_TASK } from './index.ts'
import type { Mailer } from './index.ts'

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))
const silent = { warn: () => undefined, error: () => undefined }

type Stored = {
  id: string
  state: string
  recipient: string
  attempts: number
  reason: string | null
  event_type: string
}

describe('mails', () => {
  let place: Awaited<ReturnType<typeof openPlace>>
  let post: Awaited<ReturnType<typeof openMailServer>>
  let mailer: Mailer
  let ahead = 0
  const begun = Date.now()
  const clock = { now: () => begun + ahead }

  before(async () => {
    place = await openPlace()
    post = await openMailServer()
    mailer = openMailer({ url: post.url, from: 'Back Office <office@kontor.example>' })
  })
  beforeEach(async () => {
    ahead = 0
    await work({ send: false })
    await place.db.query(sql`delete from mails`)
    await place.db.query(sql`delete from tasks`)
    post.received.length = 0
    post.state.answer = 'take'
  })
  after(async () => {
    mailer.close()
    await post.close()
    await place.close()
  })

  const stored = () =>
    place.db.query<Stored>(
      sql`select id, state, recipient, attempts, reason, event_type from mails where workspace = ${place.workspace} order by event_sequence, recipient`,
    )

  /** One look at the events, and one attempt for each mail that is due. */
  async function work({ send = true, way = mailer as Mailer | 'none' } = {}): Promise<void> {
    const tasks = mailTasks({
      db: place.db,
      clock,
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
    const due = await place.db.query<{ workspace: WorkspaceId; kind: string; subject_id: string }>(
      sql`select workspace, kind, subject_id from tasks where kind = 'send_mail' and due_at <= ${clock.now()}`,
    )
    for (const task of due) {
      const result = await tasks['send_mail']?.({ ...task, attempts: 1 })
      if (result === 'done')
        await place.db.query(sql`delete from tasks where subject_id = ${task.subject_id}`)
      else
        await place.db.query(
          sql`update tasks set due_at = ${result?.again_at ?? 0} where subject_id = ${task.subject_id}`,
        )
    }
  }

  it('writes to every recipient of the customer, once, and in words that say what happened', async () => {
    await place.tell([
      place.assigned('12.5'),
      { type: 'deposit.detected', resource_id: newId(), data: { customer_id: place.customer.id } },
    ])
    await work()
    await work()
    assert.deepEqual(post.received.map((received) => received.to).toSorted(), RECIPIENTS.toSorted())
    const [first] = post.received
    assert.match(first?.message ?? '', /^From: Back Office <office@kontor.example>\r$/m)
    assert.match(first?.message ?? '', /^Subject: Deposit of 12\.5 EUR\r$/m)
    assert.match(first?.message ?? '', /A deposit of 12\.5 EUR was booked to your account\./)
    assert.deepEqual(
      (await stored()).map((stored) => [stored.state, stored.attempts]),
      [
        ['SENT', 1],
        ['SENT', 1],
      ],
    )
  })

  it('tells each customer of an execution its own part, and names the reason', async () => {
    await place.tell([
      {
        type: 'execution.failed',
        resource_id: newId(),
        data: {
          side: 'BUY',
          amount: '2',
          symbol: 'BTC/EUR',
          reason: 'no liquidity',
          filled_amount: '1.5',
          filled_volume: '9',
          customers: [{ customer_id: place.customer.id, filled_amount: '0.5', filled_volume: '3' }],
        },
      },
    ])
    await work()
    assert.equal(post.received.length, 2)
    assert.match(
      post.received[0]?.message.replaceAll('=\r\n', '') ?? '',
      /Your order BUY 2 BTC\/EUR has failed\. Filled: 0\.5 of 2, for 3 in total\. Reason: no liquidity\./,
    )
  })

  it('cannot be led astray by what a reason or a label says', async () => {
    await place.tell([
      {
        type: 'withdrawal.rejected',
        resource_id: newId(),
        data: {
          asset: 'EUR\r\nBcc: thief@evil.example',
          destination_address: 'x',
          reason: 'a\r\n.\r\nMAIL FROM:<x>',
          customers: [{ customer_id: place.customer.id, quantity: '1' }],
        },
      },
    ])
    await work()
    assert.deepEqual(post.received.map((received) => received.to).toSorted(), RECIPIENTS.toSorted())
    for (const { message } of post.received)
      assert.doesNotMatch(message.slice(0, message.indexOf('\r\n\r\n')), /^Bcc:/m)
  })

  it('tries again while the server does not take it, ever later, and gives up after three days', async () => {
    post.state.answer = 'later'
    await place.tell([place.assigned('1')])
    await work()
    const [due] = await place.db.query<{ wait: number }>(
      sql`select min(due_at) - ${clock.now()}::bigint as wait from tasks where kind = 'send_mail'`,
    )
    assert.ok((due?.wait ?? 0) > 1_000 && (due?.wait ?? 0) <= 2_000, `${due?.wait}`)
    await work()
    assert.deepEqual(
      (await stored()).map((stored) => [stored.state, stored.attempts]),
      [
        ['PENDING', 1],
        ['PENDING', 1],
      ],
    )
    ahead = 3_000
    await work()
    assert.deepEqual(
      (await stored()).map((stored) => [
        stored.state,
        stored.attempts,
        /try again later/.test(stored.reason ?? ''),
      ]),
      [
        ['PENDING', 2, true],
        ['PENDING', 2, true],
      ],
    )
    ahead = 4 * 86_400_000
    await work()
    assert.deepEqual(
      (await stored()).map((stored) => stored.state),
      ['FAILED', 'FAILED'],
    )
    assert.equal(post.received.length, 0)
  })

  it('gives up at once when there is no such mailbox, and goes on when the server is back', async () => {
    post.state.answer = 'refuse'
    await place.tell([place.assigned('1')])
    await work()
    assert.deepEqual(
      (await stored()).map((stored) => [stored.state, stored.attempts]),
      [
        ['FAILED', 1],
        ['FAILED', 1],
      ],
    )
    const nobody = openMailer({ url: 'smtp://127.0.0.1:1' })
    post.state.answer = 'take'
    await place.tell([place.assigned('2')])
    await work({ way: nobody })
    nobody.close()
    assert.deepEqual(
      (await stored()).slice(2).map((stored) => [stored.state, stored.attempts]),
      [
        ['PENDING', 1],
        ['PENDING', 1],
      ],
    )
    ahead = 3_000
    await work()
    assert.deepEqual(
      (await stored()).slice(2).map((stored) => stored.state),
      ['SENT', 'SENT'],
    )
  })

  it('writes nothing without a mail server, and does not catch up later', async () => {
    await place.tell([place.assigned('1')])
    await work({ way: 'none' })
    await work()
    assert.deepEqual([await stored(), post.received], [[], []])
  })

  it('books while the mail server does not answer', async () => {
    post.state.answer = 'later'
    await place.tell([place.assigned('1')])
    const working = work()
    await place.book('1')
    await working
  })

  /** A worker process that dies at the failpoint, or one that does its work and is ended. */
  function worker(failpoint?: string) {
    const child = spawn(process.execPath, [...WITH_FAILPOINTS, MAIN], {
      env: {
        PATH: process.env['PATH'],
        DATABASE_URL: place.url,
        KONTOR_ROLE: 'worker',
        KONTOR_SMTP_URL: post.url,
        KONTOR_LEASE_MS: '300',
        LOG_LEVEL: 'fatal',
        KONTOR_ADMIN_PASSWORD: 'correct horse battery',
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
      `killed at ${point}: every mail arrives, ${most === 1 ? 'once' : 'perhaps twice, but under one Message-ID'}`,
      { timeout: 300_000 },
      async () => {
        await place.tell([place.assigned('7')])
        const [, signal] = await worker(point).ended
        assert.equal(signal, 'SIGKILL')
        const next = worker()
        try {
          await until(
            'both are sent',
            async () => (await stored()).filter((stored) => stored.state === 'SENT').length === 2,
          )
        } finally {
          next.child.kill('SIGTERM')
          await next.ended
        }
        assert.equal((await stored()).length, 2)
        const byRecipient = Map.groupBy(post.received, (received) => received.to)
        assert.deepEqual([...byRecipient.keys()].toSorted(), RECIPIENTS.toSorted())
        const counts = [...byRecipient.values()].map((each) => each.length)
        assert.ok(
          counts.every((count) => count <= most),
          String(counts),
        )
        for (const each of byRecipient.values())
          assert.equal(new Set(each.map((mail) => mail.message_id)).size, 1)
      },
    )
  }
})
