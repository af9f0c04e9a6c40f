/** When a receiver is asked again, when it is left alone, and when its webhook pauses. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { newId } from '../core/ids.ts'
import { answering } from './receiver.testing.ts'
import { WebhookWorld } from './webhooks.testing.ts'
import type { Webhook } from './webhooks.schema.ts'

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000]
/** Standard Webhooks: before each attempt since the one before it. */
const LADDER = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
]

describe('deliveries that fail', () => {
  let world: WebhookWorld
  before(async () => {
    world = await WebhookWorld.open()
  })
  beforeEach(() => world.reset())
  after(() => world.close())

  const typesAt = (path = '/') => world.receiver.at(path).map(({ event }) => event.type)
  const recordsAt = (path = '/') => world.receiver.at(path).map(({ event }) => event.resource_id)
  const statesOf = async (webhook: Webhook) =>
    (await world.deliveries(webhook)).map(({ state }) => state)
  /** To the moment at which the oldest that waits is due. */
  const goToNext = async (webhook: Webhook): Promise<number> => {
    const waiting = (await world.deliveries(webhook)).filter(({ state }) => state === 'PENDING')
    const due = Math.min(...waiting.map(({ due_at }) => due_at))
    const wait = due - world.clock.now()
    world.clock.advance(Math.max(wait, 0))
    return wait
  }

  it('are tried again for three days, under the same id, and then given up', async () => {
    const poison = newId()
    world.receiver.behaviours.set('/', (response, { event }) => {
      response.writeHead(event.resource_id === poison ? 500 : 204).end()
    })
    const webhook = await world.create()
    await world.publish(world.event('deposit.assigned', poison))
    await world.work()
    for (const [index, pause] of LADDER.slice(1).entries()) {
      assert.equal(recordsAt().filter((one) => one === poison).length, index + 1)
      const wait = await goToNext(webhook)
      assert.ok(wait >= pause && wait <= pause * 1.1, `${index}: ${wait} for ${pause}`)
      // Others are taken meanwhile, so it is not the receiver.
      await world.publish(world.event('deposit.assigned'))
      await world.work()
    }
    const [first, ...others] = await world.deliveries(webhook)
    assert.deepEqual([first?.state, first?.attempts], ['FAILED', LADDER.length])
    assert.equal(first?.reason, 'it answered 500')
    assert.ok(others.every(({ state }) => state === 'DELIVERED'))
    const sent = world.receiver.at('/').filter(({ event }) => event.resource_id === poison)
    assert.equal(new Set(sent.map(({ headers }) => headers['webhook-id'])).size, 1)
    assert.equal(new Set(sent.map(({ headers }) => headers['webhook-timestamp'])).size, 10)
    assert.equal((await world.read(webhook)).state, 'ACTIVE')
  })

  it('for three days pause the webhook, and the owner is told', async () => {
    world.receiver.behaviours.set('/', answering(500))
    const webhook = await world.create()
    await world.publish(world.event('deposit.assigned'))
    await world.work()
    for (const _ of LADDER.slice(1)) {
      await goToNext(webhook)
      await world.work()
    }
    const paused = await world.read(webhook)
    assert.deepEqual([paused.state, paused.pause_cause], ['PAUSED', 'FAILING'])
    assert.match(paused.pause_reason ?? '', /taken nothing for three days \(it answered 500\)/)
    assert.deepEqual(
      world.mails.map(({ recipient }) => recipient),
      ['treasurer@kontor.test'],
    )
    assert.match(world.mails[0]?.body ?? '', /three days/)
    await world.publish(world.event('execution.done'))
    await world.work()
    assert.deepEqual(await statesOf(webhook), ['PENDING'])
    world.receiver.reset()
    await world.ask('POST', `/webhooks/${webhook.id}/resume`, {})
    await world.work()
    assert.deepEqual(typesAt().toSorted(), ['deposit.assigned', 'execution.done'])
  })

  it('can be left out when it is resumed', async () => {
    world.receiver.behaviours.set('/', answering(500))
    const webhook = await world.create()
    await world.publish(world.event('deposit.assigned'))
    await world.work()
    await world.ask('POST', `/webhooks/${webhook.id}/pause`, {})
    await world.publish(world.event('deposit.received'))
    world.receiver.reset()
    await world.ask('POST', `/webhooks/${webhook.id}/resume`, { skip: true })
    await world.publish(world.event('execution.done'))
    await world.work()
    assert.deepEqual(typesAt(), ['execution.done'])
    assert.deepEqual(await statesOf(webhook), ['CANCELED', 'DELIVERED'])
  })

  it('pause at once where the receiver wants no more', async () => {
    world.receiver.behaviours.set('/', answering(410))
    const webhook = await world.create()
    await world.publish(world.event('deposit.assigned'))
    await world.work()
    const { state, pause_cause } = await world.read(webhook)
    assert.deepEqual([state, pause_cause], ['PAUSED', 'GONE'])
    assert.equal(world.mails.length, 1)
  })

  for (const status of [429, 502, 503, 504])
    it(`leave a receiver alone for as long as it asks with ${status}`, async () => {
      world.receiver.behaviours.set('/', answering(status, { 'retry-after': '900' }))
      const webhook = await world.create()
      await world.publish(world.event('deposit.assigned'))
      await world.work()
      await world.publish(world.event('execution.done'))
      world.clock.advance(899 * SECOND)
      await world.work()
      assert.equal(world.receiver.received.length, 1)
      world.receiver.reset()
      world.clock.advance(2 * SECOND)
      await world.work()
      assert.deepEqual((await statesOf(webhook)).toSorted(), ['DELIVERED', 'DELIVERED'])
    })

  for (const hours of [1, 96])
    it(`go to a new address at once, ${hours} hours after the former failed`, async () => {
      world.receiver.behaviours.set('/', answering(503, { 'retry-after': '80000' }))
      world.receiver.behaviours.set('/new', answering(500))
      const webhook = await world.create()
      await world.publish(world.event('deposit.assigned'))
      await world.work()
      world.clock.advance(hours * HOUR)
      const { id, label, types, ordered } = await world.read(webhook)
      const url = world.receiver.url('/new')
      await world.ask('PUT', '/webhooks', { id, label, types, ordered, url })
      await world.work()
      assert.deepEqual(
        world.receiver.received.map(({ path }) => path),
        ['/', '/new'],
      )
      assert.equal((await world.read(webhook)).state, 'ACTIVE')
    })

  it('are sent at once when a person asks, although the receiver is left alone', async () => {
    world.receiver.behaviours.set('/', answering(503, { 'retry-after': '80000' }))
    const webhook = await world.create()
    await world.publish(world.event('deposit.assigned'))
    await world.work()
    const [delivery] = await world.deliveries(webhook)
    await world.ask('POST', `/webhook-deliveries/${delivery?.id}/redeliver`)
    await world.work()
    assert.equal(world.receiver.received.length, 2)
    await world.ask('POST', `/webhooks/${webhook.id}/test`)
    await world.work()
    assert.equal(typesAt().at(-1), 'webhook.test')
    await world.publish(world.event('execution.done'))
    await world.work()
    assert.equal(world.receiver.received.length, 3)
  })

  it('take a date to come back at, and no more than a day', async () => {
    const later = new Date(world.clock.now() + HOUR).toUTCString()
    world.receiver.behaviours.set('/', answering(503, { 'retry-after': later }))
    const webhook = await world.create()
    await world.publish(world.event('deposit.assigned'))
    await world.work()
    const [delivery] = await world.deliveries(webhook)
    const wait = (delivery?.due_at ?? 0) - world.clock.now()
    assert.ok(wait > HOUR - 2 * SECOND && wait <= HOUR, String(wait))
    world.receiver.behaviours.set('/', answering(503, { 'retry-after': '999999999' }))
    world.clock.advance(HOUR)
    await world.work()
    const [again] = await world.deliveries(webhook)
    assert.equal((again?.due_at ?? 0) - world.clock.now(), 24 * HOUR)
  })

  it('ask a dead receiver for one at a time, ever less often', async () => {
    world.receiver.behaviours.set('/', (response) => {
      response.socket?.destroy()
    })
    await world.create()
    await world.publish(...Array.from({ length: 30 }, () => world.event('deposit.assigned')))
    await world.work()
    const atFirst = world.receiver.received.length
    assert.ok(atFirst <= 8, String(atFirst))
    for (const [wait, more] of [
      [500, 0],
      [500, 1],
      [1_000, 0],
      [1_000, 1],
    ] as const) {
      const known = world.receiver.received.length
      world.clock.advance(wait)
      await world.work()
      assert.equal(world.receiver.received.length - known, more)
    }
    world.receiver.reset()
    world.clock.advance(10 * MINUTE)
    await world.work()
    assert.equal(world.receiver.received.length, 30)
  })

  it('hold up those of the same record where order is wished, and no other', async () => {
    const [a, b] = [newId(), newId()]
    world.receiver.behaviours.set('/ordered', answering(500))
    world.receiver.behaviours.set('/any', answering(500))
    await world.create('/ordered', { ordered: true })
    await world.create('/any')
    await world.publish(
      world.event('deposit.detected', a),
      world.event('deposit.received', a),
      world.event('deposit.detected', b),
      world.event('deposit.assigned', a),
    )
    await world.work()
    assert.deepEqual(recordsAt('/ordered').toSorted(), [a, b].toSorted())
    assert.equal(recordsAt('/any').length, 4)
    world.receiver.reset()
    world.clock.advance(MINUTE)
    await world.work()
    const inOrder = world.receiver
      .at('/ordered')
      .filter(({ event }) => event.resource_id === a)
      .map(({ event }) => event.type)
    assert.deepEqual(inOrder, ['deposit.detected', 'deposit.received', 'deposit.assigned'])
  })
})
