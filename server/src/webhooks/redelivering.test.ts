/** Once more: one delivery, and a range of events. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { refusalOf } from '../http/testing.ts'
import { sql } from '../store/sql.ts'
import { forgetOldDeliveries } from './keeping.ts'
import { answering } from './receiver.testing.ts'
import { webhookTasks } from './tasks.ts'
import { WebhookWorld } from './webhooks.testing.ts'
import type { Webhook } from './webhooks.schema.ts'

const DAY_MILLISECONDS = 86_400_000

describe('redelivery', () => {
  let world: WebhookWorld
  before(async () => {
    world = await WebhookWorld.open()
  })
  beforeEach(() => world.reset())
  after(() => world.close())

  /** With so many events, which all have arrived. */
  const withDelivered = async (count: number, body: object = {}): Promise<Webhook> => {
    const webhook = await world.create('/', { ...body })
    await world.publish(...Array.from({ length: count }, () => world.event('deposit.assigned')))
    await world.work()
    assert.equal(world.receiver.received.length, count)
    return webhook
  }
  const idsReceived = () => world.receiver.received.map(({ headers }) => headers['webhook-id'])
  const again = (webhook: Webhook, body: object) =>
    world.ask('POST', `/webhooks/${webhook.id}/redeliver`, body)
  const fail = (ids: readonly string[]) =>
    world.app.db.query(sql`
      update webhook_deliveries
      set state = 'FAILED'
      where id = any(${ids}::uuid[])`)

  it('of one has the same id, and its attempts go on counting', async () => {
    const webhook = await withDelivered(1)
    const [delivery] = await world.deliveries(webhook)
    await world.ask('POST', `/webhook-deliveries/${delivery?.id}/redeliver`)
    await world.work()
    const [first, second] = idsReceived()
    assert.equal(first, second)
    const [after_] = await world.deliveries(webhook)
    assert.deepEqual([after_?.state, after_?.attempts], ['DELIVERED', 2])
    assert.deepEqual(
      after_?.history.map(({ number }) => number),
      [2, 1],
    )
  })

  it('of one that waits tries it now', async () => {
    world.receiver.behaviours.set('/', answering(500))
    const webhook = await world.create()
    await world.publish(world.event('deposit.assigned'))
    await world.work()
    world.receiver.reset()
    const [delivery] = await world.deliveries(webhook)
    await world.ask('POST', `/webhook-deliveries/${delivery?.id}/redeliver`)
    await world.work()
    assert.equal(world.receiver.received.length, 1)
  })

  it('of a range sends what has failed in it, and nothing else', async () => {
    const webhook = await withDelivered(5)
    const deliveries = await world.deliveries(webhook)
    await fail(deliveries.slice(1).map(({ id }) => id))
    const sequences = deliveries.map(({ event_sequence }) => event_sequence ?? 0)
    world.receiver.reset()
    await again(webhook, { after: sequences[0], up_to: sequences[2] })
    await world.work()
    assert.deepEqual(
      idsReceived().toSorted(),
      deliveries
        .slice(1, 3)
        .map(({ message_id }) => message_id)
        .toSorted(),
    )
  })

  it('of all goes over pages, and beyond what is kept', async () => {
    const webhook = await withDelivered(250)
    const first = await world.deliveries(webhook)
    world.clock.advance(31 * DAY_MILLISECONDS)
    assert.equal(await forgetOldDeliveries(world.app), 250)
    assert.deepEqual(await world.deliveries(webhook), [])
    const attempts = await world.app.db.query(sql`
      select
      from webhook_attempts`)
    assert.equal(attempts.length, 0)
    world.receiver.reset()
    const after_ = (first[0]?.event_sequence ?? 1) - 1
    await again(webhook, { after: after_, only: 'ALL' })
    await world.work()
    assert.deepEqual(idsReceived().toSorted(), first.map(({ message_id }) => message_id).toSorted())
    const left = await world.app.db.query(sql`
      select
      from webhook_redeliveries`)
    assert.equal(left.length, 0)
  })

  it('of all keeps to the types of the webhook', async () => {
    const webhook = await withDelivered(1, { types: ['deposit.assigned'] })
    await world.publish(world.event('execution.done'))
    world.receiver.reset()
    await again(webhook, { after: 0, only: 'ALL' })
    await world.work()
    assert.ok(world.receiver.received.length > 0)
    assert.ok(world.receiver.received.every(({ event }) => event.type === 'deposit.assigned'))
  })

  it('keeps what waits, however old, and not for longer what was answered', async () => {
    world.receiver.behaviours.set('/', answering(500))
    const webhook = await world.create()
    await world.publish(world.event('deposit.assigned'))
    await world.work()
    world.clock.advance(31 * DAY_MILLISECONDS)
    await forgetOldDeliveries(world.app)
    const [waiting] = await world.deliveries(webhook)
    assert.deepEqual([waiting?.state, waiting?.attempts, waiting?.history], ['PENDING', 1, []])
  })

  it('of a range makes nothing wait for a webhook that is deleted meanwhile', async () => {
    const webhook = await withDelivered(3)
    await again(webhook, { after: 0, only: 'ALL' })
    const { db } = world.app
    let isDeleted = false
    const tx: typeof db.tx = async (work) => {
      if (!isDeleted) {
        isDeleted = true
        await world.ask('DELETE', `/webhooks/${webhook.id}`)
      }
      return db.tx(work)
    }
    await world.workOff(webhookTasks({ ...world.app, db: { ...db, tx } }))
    assert.deepEqual(
      (await world.deliveries(webhook)).map(({ state }) => state),
      ['DELIVERED', 'DELIVERED', 'DELIVERED'],
    )
  })

  it('is refused while the webhook is paused, and for a range that is none', async () => {
    const webhook = await withDelivered(1)
    const url = `/webhooks/${webhook.id}/redeliver`
    const ask = async (body: object) =>
      refusalOf(await world.server.call('POST', url, { token: 'treasurer', body }))
    assert.equal(await ask({ after: 5, up_to: 5 }), '400 3001 RANGE up_to')
    await world.ask('POST', `/webhooks/${webhook.id}/pause`, {})
    assert.equal(await ask({ after: 0 }), '400 3001 NOT_ACTIVE webhook_id')
    const [delivery] = await world.deliveries(webhook)
    const one = await world.server.call('POST', `/webhook-deliveries/${delivery?.id}/redeliver`, {
      token: 'treasurer',
    })
    assert.equal(refusalOf(one), '400 3001 NOT_ACTIVE webhook_id')
  })
})
