/** Real worker processes, killed at each point between an event and the mail about it. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import type { UserId } from '../../core/ids.ts'
import { openServices, prepareDatabase } from '../../core/service.testing.ts'
import { until } from '../../core/testing.ts'
import { openMailServer } from '../../events/events.testing.ts'
import { sql } from '../../store/sql.ts'
import { NotificationsWorld } from './notifications.testing.ts'
import { MAIL_TASK } from './telling.ts'

describe('workers that tell staff', () => {
  let world: NotificationsWorld
  let ann: UserId
  let mailServer: Awaited<ReturnType<typeof openMailServer>>
  let services: ReturnType<typeof openServices>

  before(async () => {
    world = await NotificationsWorld.open()
    ann = await world.person('ann', ['TREASURER'])
    mailServer = await openMailServer()
    await world.call('ann', 'PUT /notifications/preferences', {
      kinds: [{ kind: 'break_opened', way: 'MAIL' }],
    })
    await prepareDatabase(world.url, {
      email: 'admin@example.com',
      password: 'correct horse battery',
    })
    services = openServices({
      DATABASE_URL: world.url,
      KONTOR_ROLE: 'worker',
      KONTOR_SMTP_URL: mailServer.url,
      KONTOR_LEASE_MS: '300',
    })
  })
  after(async () => {
    await services?.killAll()
    await mailServer?.close()
    await world?.close()
  })

  /** Nobody waits in a test for what shall gather. */
  const hasten = async (): Promise<void> => {
    await world.db.query(sql`
      update tasks
      set due_at = 0
      where kind = ${MAIL_TASK}
        and leased_until is null`)
  }
  const countOf = async (): Promise<number> => {
    const [row] = await world.db.query<{ count: number }>(sql`
      select coalesce(sum(count), 0)::int as count
      from notifications
      where user_id = ${ann}`)
    return row?.count ?? 0
  }
  const states = async (): Promise<string[]> =>
    (
      await world.db.query<{ state: string }>(sql`
        select state
        from notification_mails`)
    ).map(({ state }) => state)

  for (const [point, most] of [
    ['notifications.store.before', 1],
    ['notifications.store.after', 1],
    ['notifications.mail.before', 1],
    ['notifications.mail.after', 1],
    ['notifications.send.before', 1],
    ['notifications.send.after', 2],
  ] as const)
    it(`killed at ${point}: told once, by one mail`, { timeout: 300_000 }, async () => {
      await world.db.query(sql`delete from notifications`)
      await world.db.query(sql`delete from notification_mails`)
      await world.db.query(sql`
        delete from tasks
        where kind = ${MAIL_TASK}`)
      mailServer.received.length = 0
      await world.publish([{ type: 'break.opened', resource_id: newId(), data: {} }])
      const dying = services.start({ KONTOR_FAILPOINT: point })
      let isDead = false
      const exited = dying.exited.then((signal) => {
        isDead = true
        return signal
      })
      await until('it is killed', async () => {
        await hasten()
        return isDead
      })
      assert.equal(await exited, 'SIGKILL')
      const next = services.start({})
      await until('the mail is sent', async () => {
        await hasten()
        return (await states()).includes('SENT')
      })
      await services.kill(next)
      assert.equal(await countOf(), 1)
      assert.deepEqual(await states(), ['SENT'])
      assert.ok(mailServer.received.length <= most)
      assert.equal(new Set(mailServer.received.map(({ message_id }) => message_id)).size, 1)
    })
})
