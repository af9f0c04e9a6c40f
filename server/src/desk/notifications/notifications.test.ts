/** What staff are told, and by mail; never what they may not see, and never twice. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import type { UserId } from '../../core/ids.ts'
import type { EventDraft } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import { forgetOldNotifications } from './keeping.ts'
import type { Notification, Preferences } from './notifications.schema.ts'
import { NotificationsWorld } from './notifications.testing.ts'
import { PAGE_OF } from './pages.ts'

const MINUTE = 60_000
const DAY = 86_400_000

describe('notifications', () => {
  let world: NotificationsWorld
  let ben: UserId
  before(async () => {
    world = await NotificationsWorld.open()
    await world.person('ann', ['TREASURER'])
    ben = await world.person('ben', ['COMPLIANCE', 'TREASURER'])
    await world.person('tara', ['TRADER'])
    await world.person('admin', ['ADMIN'])
    await world.person('stranger', ['TREASURER'], world.theirs)
  })
  after(() => world.close())

  const list = async (name: string, query = '?unread=true') =>
    (await world.call<Notification[]>(name, `GET /notifications${query}`)).data
  const kinds = async (name: string) => (await list(name)).map(({ kind }) => kind)
  const unread = async (name: string) =>
    (await world.call<{ unread: number }>(name, 'GET /notifications/unread')).data.unread
  const comment = (name: string, text: string, mentions: UserId[] = []) =>
    world.call(name, `POST /notes/customer/${world.customer}/comments`, { text, mentions })
  const readAll = async () => {
    for (const name of ['ann', 'ben', 'tara', 'admin', 'stranger'])
      await world.call(name, 'POST /notifications/read', {})
  }
  const want = (name: string, wishes: object) =>
    world.call<Preferences>(name, 'PUT /notifications/preferences', wishes)
  const breakOpened = (data: object = {}): EventDraft => ({
    type: 'break.opened',
    resource_id: newId(),
    data: { ...data },
  })

  it('tell who is mentioned, and who has written on the record before, but no author', async () => {
    await comment('ben', 'I have called them')
    await world.tell()
    await comment('ann', '@ben and now?', [ben])
    await comment('ann', 'They have paid')
    await world.tell()
    await world.tell()
    assert.deepEqual(await kinds('ben'), ['comment', 'mention'])
    assert.deepEqual(await kinds('ann'), [])
    const [told] = await list('ben')
    assert.partialDeepStrictEqual(told, {
      record_kind: 'customer',
      record_id: world.customer,
      record_title: 'Jonas Keller',
      author_name: 'ann',
      count: 1,
      read_at: null,
    })
    assert.deepEqual(await kinds('stranger'), [])
  })

  it('are read one by one or all at once, by their own reader', async () => {
    const [first] = await list('ben')
    await world.call('ann', 'POST /notifications/read', { ids: [first?.id] })
    assert.equal(await unread('ben'), 2)
    const left = await world.call<{ unread: number }>('ben', 'POST /notifications/read', {
      ids: [first?.id],
    })
    assert.equal(left.data.unread, 1)
    await readAll()
    assert.equal(await unread('ben'), 0)
    assert.equal((await list('ben', '?unread=false')).length, 2)
  })

  it('of what waits go to who may act, and count until they are read', async () => {
    await readAll()
    await world.publish([breakOpened(), breakOpened()])
    await world.tell()
    const last = breakOpened()
    await world.publish([last])
    await world.tell()
    const [told, ...more] = await list('ann')
    assert.partialDeepStrictEqual(told, {
      kind: 'break_opened',
      count: 3,
      record_id: last.resource_id,
    })
    assert.deepEqual(more, [])
    assert.deepEqual(await kinds('tara'), [])
    assert.deepEqual(await kinds('stranger'), [])
    await readAll()
    await world.publish([breakOpened()])
    await world.tell()
    assert.deepEqual(
      (await list('ann')).map(({ count }) => count),
      [1],
    )
  })

  it('say how much still waits, as the overview does, and that what is over is over', async () => {
    await readAll()
    const [first, second] = [breakOpened(), breakOpened()]
    await world.openBreak(first.resource_id)
    await world.publish([first])
    await world.tell()
    const waiting = async () => (await list('ann')).map((told) => told.waiting)
    assert.deepEqual(await waiting(), [1])
    await world.closeBreak(first.resource_id)
    assert.deepEqual(await waiting(), [0])
    await world.openBreak(second.resource_id)
    assert.deepEqual(await waiting(), [0], 'another one is not this one')
    await world.publish([second])
    await world.tell()
    assert.partialDeepStrictEqual(await list('ann'), [{ count: 2, waiting: 1 }])
    await readAll()
    assert.partialDeepStrictEqual(await list('ann', ''), [{ count: 2, waiting: null }])
  })

  it('of deposits are only of those without an owner, and of halts not to who halts', async () => {
    await readAll()
    const deposit = (state: string, more: object = {}): EventDraft => ({
      type: 'deposit.received',
      resource_id: newId(),
      data: { state, ...more },
    })
    await world.publish([deposit('ASSIGNED'), deposit('ASSIGNED', { came_back: true })])
    await world.publish([{ type: 'halt.set', resource_id: newId(), data: { by: ben } }])
    await world.tell()
    assert.deepEqual((await kinds('ann')).toSorted(), ['halt_set', 'payment_failed'])
    assert.deepEqual(await kinds('ben'), ['payment_failed'])
    await world.publish([deposit('UNASSIGNED')])
    await world.tell()
    assert.ok((await kinds('ann')).includes('deposit_unassigned'))
  })

  it('are not listed of what one may not see any more', async () => {
    const ann = world.people.get('ann')
    assert.ok(ann !== undefined && (await unread('ann')) > 0)
    world.people.set('ann', { ...ann, permissions: new Set() })
    assert.deepEqual(await list('ann'), [])
    assert.equal(await unread('ann'), 0)
    world.people.set('ann', ann)
  })

  it('are as each wants them', async () => {
    await readAll()
    const { data } = await world.call<Preferences>('tara', 'GET /notifications/preferences')
    assert.deepEqual(
      data.kinds.map(({ kind, way }) => `${kind} ${way}`),
      ['mention MAIL', 'comment MENU'],
    )
    const off = await want('ann', { kinds: [{ kind: 'break_opened', way: 'OFF' }] })
    assert.ok(off.data.kinds.some(({ kind, way }) => kind === 'break_opened' && way === 'OFF'))
    await world.publish([breakOpened()])
    await world.tell()
    assert.deepEqual(await kinds('ann'), [])
    assert.deepEqual(await kinds('ben'), ['break_opened'])
    const zone = await want('ann', { time_zone: 'Mars/Olympus' })
    assert.equal(zone.error_details?.[0]?.path, 'time_zone')
    await want('ann', { kinds: [{ kind: 'break_opened', way: 'MENU' }] })
  })

  it('are mailed together, in the words of who reads them, and once', async () => {
    await readAll()
    await world.mail()
    world.sent.length = 0
    await want('ben', { language: 'de', time_zone: 'Europe/Berlin', kinds: [] })
    await comment('ann', '@ben secret words', [ben])
    await comment('ann', '@ben more of them', [ben])
    await world.tell()
    await world.mail()
    assert.equal(world.sent.length, 0, 'it waits for more')
    world.clock.advance(MINUTE)
    await world.mail()
    await world.mail()
    assert.equal(world.sent.length, 1)
    const [mail] = world.sent
    assert.equal(mail?.recipient, 'ben@example.com')
    assert.equal(mail?.subject, 'Kontor: 2 Benachrichtigungen')
    assert.match(mail?.body ?? '', /ann erwähnt Sie in einem Kommentar\.\nKunde C-[0-9A-F]{8}, /)
    assert.ok(mail?.body.includes(`https://kontor.example/customers/${world.customer}`))
    assert.doesNotMatch(
      mail?.body.replaceAll(/https:\S+/g, '') ?? '',
      /secret|[0-9a-f]{8}-[0-9a-f]{4}/,
    )
    await comment('ann', '@ben again', [ben])
    await world.tell()
    world.clock.advance(MINUTE)
    await world.mail()
    assert.equal(world.sent.length, 1, 'the next one waits')
    world.clock.advance(15 * MINUTE)
    await world.mail()
    assert.equal(world.sent.length, 2)
  })

  it('are mailed as one line of a name, and of a storm only the newest', async () => {
    await readAll()
    world.clock.advance(DAY)
    await world.mail()
    world.sent.length = 0
    const rename = (name: string) =>
      world.db.query(sql`
        update users
        set name = ${name}
        where email = 'ann@example.com'`)
    for (let number = 0; number < 23; number += 1) await comment('ann', `@ben ${number}`, [ben])
    await world.tell()
    await rename('Mallory\n\nYour password has run out:\u2028http://evil.test')
    world.clock.advance(MINUTE)
    await world.mail()
    await rename('ann')
    const body = world.sent[0]?.body ?? ''
    const line = /^Mallory Your password has run out: http:\/\/evil\.test erwähnt Sie/gm
    assert.equal(body.match(line)?.length, 20, body)
    assert.match(
      body,
      /\n\n3 weitere stehen in Kontor unter der Glocke\.\nhttps:\/\/kontor\.example\n/,
    )
    await readAll()
  })

  it('are handed over again with the same id after what nobody knows', async () => {
    await readAll()
    world.clock.advance(15 * MINUTE)
    world.answer = 'failed'
    world.sent.length = 0
    await comment('ann', '@ben look', [ben])
    await world.tell()
    world.clock.advance(MINUTE)
    await world.mail()
    world.answer = 'taken'
    world.clock.advance(10 * MINUTE)
    await world.mail()
    assert.equal(world.sent.length, 2)
    assert.equal(world.sent[0]?.id, world.sent[1]?.id)
    const states = await world.db.query<{ state: string; attempts: number }>(sql`
      select state, attempts
      from notification_mails
      where id = ${world.sent[0]?.id ?? ''}`)
    assert.deepEqual(states, [{ state: 'SENT', attempts: 2 }])
  })

  it('are not mailed once they are read, nor to who is disabled or may see nothing', async () => {
    world.clock.advance(DAY)
    world.sent.length = 0
    await comment('ann', '@ben read at once', [ben])
    await world.tell()
    await readAll()
    world.clock.advance(MINUTE)
    await world.mail()
    assert.deepEqual(world.sent, [])
    for (const change of [sql`roles = '{}'`, sql`state = 'DISABLED'`]) {
      await comment('ann', '@ben too late', [ben])
      await world.tell()
      await world.db.query(sql`
        update users
        set ${change}
        where id = ${ben}`)
      world.clock.advance(DAY)
      await world.mail()
      await world.db.query(sql`
        update users
        set state = 'ACTIVE', roles = '{TREASURER}'
        where id = ${ben}`)
    }
    assert.deepEqual(world.sent, [])
  })

  it('wait for no mail where there is no mail server', async () => {
    await readAll()
    world.sent.length = 0
    await comment('ann', '@ben look', [ben])
    await world.tell('none')
    assert.deepEqual(await kinds('ben'), ['mention'])
    world.clock.advance(DAY)
    await world.mail()
    assert.deepEqual(world.sent, [])
  })

  it('are forgotten in the end', async () => {
    await forgetOldNotifications(world)
    assert.equal((await list('ben', '')).length > 0, true)
    world.clock.advance(91 * DAY)
    await forgetOldNotifications(world)
    assert.deepEqual(await list('ben', ''), [])
  })

  it('lead to pages that the console has', async () => {
    const pages = await readFile('console/src/pages/index.ts', 'utf8')
    for (const page of Object.values(PAGE_OF)) assert.ok(pages.includes(`path: '${page}'`), page)
  })
})
