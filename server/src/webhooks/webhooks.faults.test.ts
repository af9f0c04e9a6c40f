/**
 * Real worker processes: one is killed at each point of a delivery, two work at the same time, and
 * a receiver that never answers holds up no other.
 */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import { mustExist } from '../core/assert.ts'
import { openServices, prepareDatabase } from '../core/service.testing.ts'
import { until } from '../core/testing.ts'
import { createKeyFile, readKeyFile } from '../store/key-files.ts'
import { WrappingKey } from '../store/wrapping-key.ts'
import { WebhookWorld } from './webhooks.testing.ts'

const COUNT = 12

describe('workers that deliver', () => {
  let world: WebhookWorld
  let folder: string
  let services: ReturnType<typeof openServices>

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kontor-webhooks-'))
    const file = join(folder, 'kontor.key')
    await createKeyFile(file)
    const key = mustExist(await readKeyFile(file, 'wrapping'), file)
    world = await WebhookWorld.open(new WrappingKey(key))
    await prepareDatabase(world.events.url, {
      email: 'admin@example.com',
      password: 'correct horse battery',
    })
    await writeFile(join(folder, 'receiver.crt'), world.receiver.cert)
    services = openServices({
      DATABASE_URL: world.events.url,
      KONTOR_ROLE: 'worker',
      KONTOR_KEY_FILE: file,
      KONTOR_WEBHOOK_NETWORKS: '127.0.0.0/8',
      NODE_EXTRA_CA_CERTS: join(folder, 'receiver.crt'),
      KONTOR_LEASE_MS: '300',
    })
  })
  beforeEach(() => world.reset())
  after(async () => {
    await services.killAll()
    await world.close()
    await rm(folder, { recursive: true })
  })

  const events = () => Array.from({ length: COUNT }, () => world.event('deposit.assigned'))
  const idsAt = (path: string) =>
    world.receiver.at(path).map(({ headers }) => String(headers['webhook-id']))

  for (const [point, most] of [
    ['webhook.store.before', 1],
    ['webhook.store.after', 1],
    ['webhook.claimed', 1],
    ['webhook.send.before', 1],
    ['webhook.send.after', 2],
  ] as const)
    it(
      `killed at ${point}: every event arrives${most === 1 ? ' once' : ', under its id'}`,
      { timeout: 300_000 },
      async () => {
        const webhook = await world.create('/')
        await world.publish(...events())
        const { exited } = services.start({ KONTOR_FAILPOINT: point })
        assert.equal(await exited, 'SIGKILL')
        const next = services.start({})
        await until('all are delivered', async () => {
          const deliveries = await world.deliveries(webhook)
          return (
            deliveries.length === COUNT && deliveries.every(({ state }) => state === 'DELIVERED')
          )
        })
        await services.kill(next)
        const times = Map.groupBy(idsAt('/'), (id) => id)
        assert.equal(times.size, COUNT)
        for (const [id, all] of times) assert.ok(all.length <= most, `${id}: ${all.length}`)
      },
    )

  it('two at the same time deliver each event once', { timeout: 300_000 }, async () => {
    const webhooks = [await world.create('/a'), await world.create('/b')]
    const two = [services.start({}), services.start({})]
    await Promise.all(two.map(({ ready }) => ready))
    for (let round = 0; round < 5; round += 1) await world.publish(...events())
    await until('all are delivered', async () => {
      const all = await Promise.all(webhooks.map((webhook) => world.deliveries(webhook)))
      return all.every(
        (deliveries) =>
          deliveries.length === 5 * COUNT && deliveries.every(({ state }) => state === 'DELIVERED'),
      )
    })
    for (const service of two) await services.kill(service)
    for (const path of ['/a', '/b']) {
      assert.equal(idsAt(path).length, 5 * COUNT)
      assert.equal(new Set(idsAt(path)).size, 5 * COUNT)
    }
  })

  it('a receiver that never answers holds up no other', { timeout: 300_000 }, async () => {
    const open = new Set<string>()
    const silent = Array.from({ length: 10 }, (_, index) => `/silent/${index}`)
    for (const path of silent) {
      world.receiver.behaviours.set(path, (response) => {
        open.add(path)
        response.on('close', () => open.delete(path))
      })
      await world.create(path)
    }
    await world.create('/well')
    const worker = services.start({})
    await world.publish(world.event('deposit.detected'))
    await until('all are asked', () => open.size === silent.length)
    await world.publish(...events())
    await until('the other has everything', () => idsAt('/well').length === COUNT + 1)
    assert.equal(open.size, silent.length, 'they have not answered yet')
    await services.kill(worker)
  })
})
