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
import { openEventsWorld, openMailServer, RECIPIENTS } from './events.testing.ts'
import type { EventsWorld } from './events.testing.ts'
import { mailTasks, openMailer, WRITE_TASK } from './index.ts'
import type { Mailer } from './index.ts'

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))
const silent = { warn: () => undefined, error: () => undefined }

type StoredMail = {
  id: string
  state: string
  recipient: string
  attempts: number
  reason: string | null
  event_type: string
}

describe('mails', () => {
  let world: EventsWorld
  let mailServer: Awaited<ReturnType<typeof openMailServer>>
  let mailer: Mailer
  let ahead = 0
  const start = Date.now()
  const clock = { now: () => start + ahead }

  before(async () => {
    world = await openEventsWorld()
    mailServer = await openMailServer()
    mailer = openMailer({ url: mailServer.url, from: 'Back Office <office@kontor.example>' })
  })
  beforeEach(async () => {
    ahead = 0
    await work({ send: false })
    await world.db.query(sql`delete from mails`)
    await world.db.query(sql`delete from tasks`)
    mailServer.received.length = 0
    mailServer.state.answer = 'take'
  })
  after(async () => {
    mailer.close()
    await mailServer.close()
    await world.close()
  })

  const storedMails = () =>
    world.db.query<StoredMail>(sql`
      select id, state, recipient, attempts, reason, event_type
      from mails
      where workspace = ${world.workspace}
      order by event_sequence, recipient`)

  /** One look at the events, and one attempt for each mail that is due. */
  async function work({ send = true, way = mailer as Mailer | 'none' } = {}): Promise<void> {
    const tasks = mailTasks({
      db: world.db,
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
    const due = await world.db.query<{ workspace: WorkspaceId; kind: string; subject_id: string }>(
      sql`
        select workspace, kind, subject_id
        from tasks
        where kind = 'send_mail'
          and due_at <= ${clock.now()}`,
    )
    for (const task of due) {
      const result = await tasks['send_mail']?.({ ...task, attempts: 1 })
      if (result === 'done')
        await world.db.query(sql`
          delete from tasks
          where subject_id = ${task.subject_id}`)
      else
        await world.db.query(sql`
          update tasks
          set due_at = ${result?.again_at ?? 0}
          where subject_id = ${task.subject_id}`)
    }
  }

  it('writes to every recipient of the customer once, and says what happened', async () => {
    await world.publish([
      world.depositAssigned('12.5'),
      { type: 'deposit.detected', resource_id: newId(), data: { customer_id: world.customer.id } },
    ])
    await work()
    await work()
    assert.deepEqual(mailServer.received.map(({ to }) => to).toSorted(), RECIPIENTS.toSorted())
    const [first] = mailServer.received
    assert.match(first?.message ?? '', /^From: Back Office <office@kontor.example>\r$/m)
    assert.match(first?.message ?? '', /^Subject: Deposit of 12\.5 EUR\r$/m)
    assert.match(first?.message ?? '', /A deposit of 12\.5 EUR was booked to your account\./)
    assert.deepEqual(
      (await storedMails()).map(({ state, attempts }) => ({ state, attempts })),
      [
        { state: 'SENT', attempts: 1 },
        { state: 'SENT', attempts: 1 },
      ],
    )
  })

  it('writes to each customer of an execution its own part, and names the reason', async () => {
    await world.publish([
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
          customers: [{ customer_id: world.customer.id, filled_amount: '0.5', filled_volume: '3' }],
        },
      },
    ])
    await work()
    assert.equal(mailServer.received.length, 2)
    const text = mailServer.received[0]?.message.replaceAll('=\r\n', '') ?? ''
    assert.ok(
      text.includes(
        'Your order BUY 2 BTC/EUR has failed. ' +
          'Filled: 0.5 of 2, for 3 in total. Reason: no liquidity.',
      ),
      text,
    )
  })

  it('says the sum of several payments to a customer', async () => {
    const { id: customer_id } = world.customer
    await world.publish([
      {
        type: 'withdrawal.succeeded',
        resource_id: newId(),
        data: {
          asset: 'EUR',
          quantity: '4',
          destination_address: 'x',
          customers: [
            { customer_id, quantity: '1' },
            { customer_id, quantity: '3' },
          ],
        },
      },
    ])
    await work()
    assert.deepEqual(mailServer.received.map((mail) => mail.to).toSorted(), RECIPIENTS.toSorted())
    for (const { message } of mailServer.received)
      assert.match(message, /Your withdrawal of 4 EUR to x has been sent/)
  })

  it('cannot be led astray by what a reason or a label says', async () => {
    await world.publish([
      {
        type: 'withdrawal.rejected',
        resource_id: newId(),
        data: {
          asset: 'EUR\r\nBcc: thief@evil.example',
          destination_address: 'x',
          reason: 'a\r\n.\r\nMAIL FROM:<x>',
          customers: [{ customer_id: world.customer.id, quantity: '1' }],
        },
      },
    ])
    await work()
    assert.deepEqual(mailServer.received.map((mail) => mail.to).toSorted(), RECIPIENTS.toSorted())
    for (const { message } of mailServer.received)
      assert.doesNotMatch(message.slice(0, message.indexOf('\r\n\r\n')), /^Bcc:/m)
  })

  it('tries again ever later, and gives up after three days', async () => {
    mailServer.state.answer = 'later'
    await world.publish([world.depositAssigned('1')])
    await work()
    const [due] = await world.db.query<{ wait: number }>(
      sql`
        select min(due_at) - ${clock.now()}::bigint as wait
        from tasks
        where kind = 'send_mail'`,
    )
    assert.ok((due?.wait ?? 0) > 1_000 && (due?.wait ?? 0) <= 2_000, `${due?.wait}`)
    await work()
    assert.deepEqual(
      (await storedMails()).map(({ state, attempts }) => ({ state, attempts })),
      [
        { state: 'PENDING', attempts: 1 },
        { state: 'PENDING', attempts: 1 },
      ],
    )
    ahead = 3_000
    await work()
    assert.deepEqual(
      (await storedMails()).map(({ state, attempts, reason }) => ({
        state,
        attempts,
        later: /try again later/.test(reason ?? ''),
      })),
      [
        { state: 'PENDING', attempts: 2, later: true },
        { state: 'PENDING', attempts: 2, later: true },
      ],
    )
    ahead = 4 * 86_400_000
    await work()
    assert.deepEqual(
      (await storedMails()).map((mail) => mail.state),
      ['FAILED', 'FAILED'],
    )
    assert.equal(mailServer.received.length, 0)
  })

  it('gives up at once without such a mailbox, and goes on when the server is back', async () => {
    mailServer.state.answer = 'refuse'
    await world.publish([world.depositAssigned('1')])
    await work()
    assert.deepEqual(
      (await storedMails()).map(({ state, attempts }) => ({ state, attempts })),
      [
        { state: 'FAILED', attempts: 1 },
        { state: 'FAILED', attempts: 1 },
      ],
    )
    const unreachable = openMailer({ url: 'smtp://127.0.0.1:1' })
    mailServer.state.answer = 'take'
    await world.publish([world.depositAssigned('2')])
    await work({ way: unreachable })
    unreachable.close()
    assert.deepEqual(
      (await storedMails()).slice(2).map(({ state, attempts }) => ({ state, attempts })),
      [
        { state: 'PENDING', attempts: 1 },
        { state: 'PENDING', attempts: 1 },
      ],
    )
    ahead = 3_000
    await work()
    assert.deepEqual(
      (await storedMails()).slice(2).map((mail) => mail.state),
      ['SENT', 'SENT'],
    )
  })

  it('writes nothing without a mail server, and does not catch up later', async () => {
    await world.publish([world.depositAssigned('1')])
    await work({ way: 'none' })
    await work()
    assert.deepEqual(await storedMails(), [])
    assert.deepEqual(mailServer.received, [])
  })

  it('books while the mail server does not answer', async () => {
    mailServer.state.answer = 'later'
    await world.publish([world.depositAssigned('1')])
    const working = work()
    await world.book('1')
    await working
  })

  /** A worker process that dies at the failpoint, or one that does its work and is ended. */
  function worker(failpoint?: string) {
    const child = spawn(process.execPath, [...WITH_FAILPOINTS, MAIN], {
      env: {
        PATH: process.env['PATH'],
        DATABASE_URL: world.url,
        KONTOR_ROLE: 'worker',
        KONTOR_SMTP_URL: mailServer.url,
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
      `killed at ${point}: every mail arrives${most === 1 ? ' once' : ', under one Message-ID'}`,
      { timeout: 300_000 },
      async () => {
        await world.publish([world.depositAssigned('7')])
        const [, signal] = await worker(point).ended
        assert.equal(signal, 'SIGKILL')
        const next = worker()
        try {
          await until(
            'both are sent',
            async () => (await storedMails()).filter((mail) => mail.state === 'SENT').length === 2,
          )
        } finally {
          next.child.kill('SIGTERM')
          await next.ended
        }
        assert.equal((await storedMails()).length, 2)
        const byRecipient = Map.groupBy(mailServer.received, (mail) => mail.to)
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
