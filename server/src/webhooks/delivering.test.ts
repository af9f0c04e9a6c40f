/** What a receiver gets, and of whom. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { newId } from '../core/ids.ts'
import { eventAt } from '../ledger/index.ts'
import { sql } from '../store/sql.ts'
import { deliver } from './delivering.ts'
import { followEvents } from './following.ts'
import type { Resting } from './following.ts'
import { answering, isSignedBy } from './receiver.testing.ts'
import { WebhookWorld } from './webhooks.testing.ts'
import type { Webhook } from './webhooks.schema.ts'

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000]

describe('deliveries', () => {
  let world: WebhookWorld
  before(async () => {
    world = await WebhookWorld.open()
  })
  beforeEach(() => world.reset())
  after(() => world.close())

  const typesAt = (path = '/') => world.receiver.at(path).map(({ event }) => event.type)
  const statesOf = async (webhook: Webhook) =>
    (await world.deliveries(webhook)).map(({ state }) => state)

  it('carry each event as the API shows it, signed, under its id', async () => {
    const webhook = await world.create()
    const booking = await world.events.book('5')
    await world.publish(world.event('deposit.assigned'))
    await world.work()
    assert.deepEqual(typesAt().toSorted(), ['booking.created', 'deposit.assigned'])
    const secret = await world.secretOf(webhook)
    for (const received of world.receiver.at('/')) {
      const { event, headers } = received
      const stored = await eventAt(world.app.db, world.events.workspace, event.sequence)
      assert.deepEqual(event, JSON.parse(JSON.stringify(stored)))
      assert.equal(headers['webhook-id'], event.id)
      assert.equal(headers['content-type'], 'application/json')
      assert.equal(headers['webhook-timestamp'], String(Math.floor(world.clock.now() / SECOND)))
      assert.ok(isSignedBy(secret, received))
      assert.ok(!isSignedBy(secret, { ...received, body: `${received.body} ` }))
    }
    const ids = world.receiver.at('/').map(({ event }) => event.id)
    assert.ok(ids.includes(booking))
    await world.work()
    assert.equal(world.receiver.received.length, 2)
  })

  it('are kept with what was sent and answered, without the body', async () => {
    world.receiver.behaviours.set('/', (response) => {
      response.writeHead(201, { 'content-type': 'text/plain' }).end('taken')
    })
    const webhook = await world.create()
    const record = newId()
    await world.publish(world.event('deposit.assigned', record))
    await world.work()
    const [delivery] = await world.deliveries(webhook)
    assert.equal(delivery?.state, 'DELIVERED')
    assert.deepEqual([delivery.status, delivery.attempts, delivery.reason], [201, 1, null])
    assert.equal(delivery.request_body, world.receiver.at('/')[0]?.body)
    const [attempt] = delivery.history
    const { headers } = world.receiver.at('/')[0] ?? {}
    assert.equal(attempt?.url, world.receiver.url())
    assert.equal(attempt.request_headers['webhook-signature'], headers?.['webhook-signature'])
    assert.deepEqual(
      [attempt.number, attempt.status, attempt.response_headers, attempt.response_body],
      [1, 201, { 'content-type': 'text/plain' }, 'taken'],
    )
    const [stored] = await world.app.db.query<{ text: string }>(sql`
      select (
        select string_agg(row_to_json(a)::text, '')
        from webhook_attempts a
      ) || (
        select string_agg(row_to_json(d)::text, '')
        from webhook_deliveries d
      ) as text`)
    assert.ok(!stored?.text.includes('about'))
  })

  it('are of the types asked for, from now on or from a sequence', async () => {
    await world.publish(world.event('deposit.assigned'), world.event('execution.done'))
    await world.create('/now', { types: ['deposit.assigned'] })
    await world.create('/all', { types: ['deposit.assigned'], after: 0 })
    await world.publish(world.event('execution.done'), world.event('deposit.assigned'))
    await world.work()
    assert.deepEqual(typesAt('/now'), ['deposit.assigned'])
    const all = typesAt('/all')
    assert.ok(all.length >= 2 && all.every((type) => type === 'deposit.assigned'), all.join())
  })

  it('are of what the owner may read now, and cease with the owner', async () => {
    const webhook = await world.create('/', {}, 'trader')
    await world.publish(world.event('deposit.assigned'), world.event('execution.done'))
    await world.work()
    assert.deepEqual(typesAt(), ['execution.done'])
    await setRoles(world, 'trader', ['READER'])
    await world.publish(world.event('deposit.assigned'))
    await world.work()
    assert.deepEqual(typesAt(), ['execution.done', 'deposit.assigned'])
    await setRoles(world, 'trader', ['ADMIN'])
    await world.publish(world.event('execution.done'))
    await world.work()
    const { state, pause_cause } = await world.read(webhook)
    assert.deepEqual([state, pause_cause], ['PAUSED', 'OWNER'])
    await setRoles(world, 'trader', ['ADMIN', 'TRADER'])
    assert.equal(world.receiver.received.length, 2)
  })

  it('that wait are canceled once the owner may not read them', async () => {
    world.receiver.behaviours.set('/', answering(500))
    const webhook = await world.create('/', {}, 'trader')
    await world.publish(world.event('execution.done'))
    await world.work()
    await world.app.db.query(sql`
      update webhook_deliveries
      set event_type = 'deposit.assigned'
      where webhook_id = ${webhook.id}`)
    world.clock.advance(MINUTE)
    await world.work()
    const list = await world.app.db.query<{ state: string; reason: string }>(sql`
      select state, reason
      from webhook_deliveries
      where webhook_id = ${webhook.id}`)
    assert.deepEqual(list, [
      { state: 'CANCELED', reason: 'the owner lacks treasury.deposits.read' },
    ])
    assert.equal(world.receiver.received.length, 1)
  })

  it('end while many go out, when the webhook is paused', async () => {
    const webhook = await world.create()
    let isAsked = false
    world.receiver.behaviours.set('/', async (response) => {
      if (!isAsked) {
        isAsked = true
        await world.ask('POST', `/webhooks/${webhook.id}/pause`, {})
      }
      response.writeHead(204).end()
    })
    await world.publish(...Array.from({ length: 30 }, () => world.event('deposit.assigned')))
    await world.work()
    assert.ok(world.receiver.received.length <= 16, String(world.receiver.received.length))
  })

  it('are shown to those alone who may read the events', async () => {
    const webhook = await world.create()
    await world.publish(world.event('deposit.assigned'), world.event('execution.done'))
    await world.work()
    const url = `/webhook-deliveries?webhook_id=${webhook.id}`
    const seen = await world.ask<{ event_type: string }[]>('GET', url, undefined, 'trader')
    assert.deepEqual(
      seen.map(({ event_type }) => event_type),
      ['execution.done'],
    )
    const [hidden] = await world.deliveries(webhook)
    for (const [method, path] of [
      ['GET', `/webhook-deliveries/${hidden?.id}`],
      ['POST', `/webhook-deliveries/${hidden?.id}/redeliver`],
    ] as const) {
      const answer = await world.server.call(method, path, { token: 'trader' })
      assert.equal(answer.error_code, 1003, answer.text)
    }
  })

  it('are signed by both secrets while one is rotated', async () => {
    const webhook = await world.create()
    const former = await world.secretOf(webhook)
    await world.ask('POST', `/webhooks/${webhook.id}/rotate-secret`, { overlap_hours: 1 })
    const present = await world.secretOf(webhook)
    await world.publish(world.event('deposit.assigned'))
    await world.work()
    const [both] = world.receiver.at('/')
    assert.ok(both !== undefined && isSignedBy(former, both) && isSignedBy(present, both))
    world.clock.advance(HOUR)
    await world.publish(world.event('deposit.assigned'))
    await world.work()
    const one = world.receiver.at('/')[1]
    assert.ok(one !== undefined && !isSignedBy(former, one) && isSignedBy(present, one))
  })

  it('pause where the secret cannot be opened, until there is a new one', async () => {
    const webhook = await world.create()
    await world.app.db.query(sql`
      update webhooks
      set wrapped_by = 'lost', wrapped_secret = decode('0001', 'hex')
      where id = ${webhook.id}`)
    await world.publish(world.event('deposit.assigned'))
    await world.work()
    const { pause_cause, pause_reason } = await world.read(webhook)
    assert.equal(pause_cause, 'SECRET')
    assert.match(pause_reason ?? '', /rotate it/)
    assert.deepEqual(await world.ask('GET', `/webhooks/${webhook.id}/secrets`), [])
    await world.ask('POST', `/webhooks/${webhook.id}/rotate-secret`, {})
    await world.ask('POST', `/webhooks/${webhook.id}/resume`, {})
    await world.work()
    const [received] = world.receiver.at('/')
    assert.ok(received !== undefined && isSignedBy(await world.secretOf(webhook), received))
  })

  it('can be tested before anything happens', async () => {
    const webhook = await world.create('/', { types: ['deposit.assigned'] })
    await world.ask('POST', `/webhooks/${webhook.id}/test`)
    await world.work()
    const [received] = world.receiver.at('/')
    assert.equal(received?.event.type, 'webhook.test')
    assert.equal(received.event.id, received.headers['webhook-id'])
    assert.ok(isSignedBy(await world.secretOf(webhook), received))
    assert.deepEqual(await statesOf(webhook), ['DELIVERED'])
  })

  it('go out once when two processes take the same ones', async () => {
    const webhook = await world.create()
    await world.publish(...Array.from({ length: 20 }, () => world.event('deposit.assigned')))
    await world.follow()
    const task = { workspace: world.events.workspace, subject_id: webhook.id }
    await Promise.all([deliver(world.app, task), deliver(world.app, task)])
    assert.equal(world.receiver.received.length, 20)
    assert.equal(new Set(world.receiver.received.map(({ event }) => event.id)).size, 20)
    assert.ok((await world.deliveries(webhook)).every(({ attempts }) => attempts === 1))
  })

  it('wait in the events once too many wait', async () => {
    const webhook = await world.create()
    await world.publish(world.event('deposit.assigned'))
    await world.app.db.query(sql`
      insert into webhook_deliveries (
        workspace, id, webhook_id, message_id, event_sequence, event_type, resource_id, state,
        due_at, system_created_at, system_updated_at
      )
      select ${world.events.workspace}, gen_random_uuid(), ${webhook.id}, gen_random_uuid(), n,
        'deposit.assigned', gen_random_uuid(), 'PENDING', ${world.clock.now() + HOUR}, 0, 0
      from generate_series(1, 10000) as n`)
    let queries = 0
    const { db } = world.app
    const query: typeof db.query = (asked) => {
      queries += 1
      return db.query(asked)
    }
    const counting = { ...world.app, db: { ...db, query } }
    const resting: Resting = new Map()
    await followEvents(counting, resting)
    queries = 0
    await followEvents(counting, resting)
    assert.equal(queries, 1, 'it is not counted at each look')
    await world.work()
    assert.equal(world.receiver.received.length, 0)
    await world.app.db.query(sql`
      delete from webhook_deliveries
      where webhook_id = ${webhook.id}`)
    await world.work()
    assert.equal(world.receiver.received.length, 1)
  })
})

async function setRoles(world: WebhookWorld, name: string, roles: string[]): Promise<void> {
  await world.app.db.query(sql`
    update users
    set roles = ${roles}
    where id = ${world.users.get(name)?.user_id ?? ''}`)
}
