/** The metrics, and the port of their own. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { figures } from '../core/figures.ts'
import { Waits } from '../core/waits.ts'
import { metricsDoorFrom } from './door.ts'
import { exposeFigures } from './figures.ts'
import { metricsPlaceFrom, openMetricsPort } from './metrics-port.ts'
import type { MetricsPort } from './metrics-port.ts'

const log = pino({ level: 'silent' })
const HOST = '127.0.0.1'

const samplesIn = (text: string): string[] =>
  text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))

describe('figures', () => {
  const one = (name: string, read: () => Promise<number>) =>
    figures({
      name,
      gauges: { [`kontor_${name}`]: { help: name, labels: [] } },
      read: async () => ({ [`kontor_${name}`]: [{ labels: {}, value: await read() }] }),
    })

  it('that fail or take too long are left out, and the others are shown', async () => {
    const metrics = new Registry()
    const all = [
      one('good', async () => 7),
      one('broken', () => Promise.reject(new Error('no such table'))),
      one('slow', () => new Promise<number>(() => undefined)),
    ]
    exposeFigures(metrics, all, { log, limit_ms: 20 })
    assert.deepEqual(samplesIn(await metrics.metrics()), [
      'kontor_good 7',
      'kontor_scrape_failed{figures="good"} 0',
      'kontor_scrape_failed{figures="broken"} 1',
      'kontor_scrape_failed{figures="slow"} 1',
    ])
  })

  it('are read once for all who ask within some seconds', async () => {
    const metrics = new Registry()
    let reads = 0
    exposeFigures(metrics, [one('counted', async () => (reads += 1))], { log, kept_ms: 60_000 })
    const both = await Promise.all([metrics.metrics(), metrics.metrics()])
    assert.deepEqual(both.map(samplesIn), [
      ['kontor_counted 1', 'kontor_scrape_failed{figures="counted"} 0'],
      ['kontor_counted 1', 'kontor_scrape_failed{figures="counted"} 0'],
    ])
  })
})

it('who waits is counted until the work has ended, also when it failed', async () => {
  const took: number[] = []
  const waits = new Waits((seconds) => took.push(seconds))
  const { promise, reject } = Promise.withResolvers<never>()
  const [first, second] = [waits.during(() => promise), waits.during(async () => 'done')]
  assert.equal(waits.count, 2)
  assert.equal(await second, 'done')
  assert.equal(waits.count, 1)
  assert.ok(waits.longest > 0)
  reject(new Error('refused'))
  await assert.rejects(first, /refused/)
  assert.deepEqual({ count: waits.count, longest: waits.longest }, { count: 0, longest: 0 })
  assert.equal(took.length, 2)
})

describe('the port of the metrics', () => {
  const metrics = new Registry()
  const opened: MetricsPort[] = []
  let missing: string | undefined
  const open = async (port: number, fixed: boolean) => {
    const place = { ...metricsDoorFrom({}), port, fixed }
    const port_ = await openMetricsPort({ metrics, ready: async () => missing, log }, place)
    opened.push(port_)
    return port_
  }
  after(() => Promise.all(opened.map((port) => port.close())))

  it('answers probes and metrics, and nothing else', async () => {
    const { port } = await open(0, false)
    const statusOf = async (path: string, method = 'GET') =>
      (await fetch(`http://${HOST}:${port}${path}`, { method })).status
    assert.deepEqual(
      {
        metrics: await statusOf('/metrics?x=1'),
        live: await statusOf('/livez'),
        ready: await statusOf('/readyz'),
        api: await statusOf('/api/accounts'),
        prototype: await statusOf('/__proto__'),
        post: await statusOf('/metrics', 'POST'),
      },
      { metrics: 200, live: 200, ready: 200, api: 404, prototype: 404, post: 405 },
    )
    missing = 'the database does not answer'
    const answer = await fetch(`http://${HOST}:${port}/readyz`)
    assert.deepEqual(
      [answer.status, await answer.json()],
      [503, { status: 'not ready', reason: missing }],
    )
    assert.equal(await statusOf('/livez'), 200)
  })

  it('is another one when the usual one is taken, unless an operator named it', async () => {
    const first = await open(0, false)
    const second = await open(first.port, false)
    assert.notEqual(second.port, first.port)
    await assert.rejects(open(first.port, true), {
      message:
        `Port ${first.port} is taken by another program. ` +
        'Set KONTOR_METRICS_PORT to a free one, or off.',
    })
  })

  it('is named by the environment', () => {
    const usual = { ...metricsDoorFrom({}), port: 4001, fixed: false }
    assert.deepEqual(metricsPlaceFrom({}), usual)
    assert.deepEqual(metricsPlaceFrom({ KONTOR_METRICS_PORT: '' }), usual)
    assert.equal(metricsPlaceFrom({ KONTOR_METRICS_PORT: 'off' }), undefined)
    assert.deepEqual(
      metricsPlaceFrom({ KONTOR_METRICS_PORT: '9464', KONTOR_METRICS_HOST: '::1' }),
      { ...usual, host: '::1', port: 9464, fixed: true },
    )
    for (const wrong of ['65536', '-1', '80a', '1.5'])
      assert.throws(
        () => metricsPlaceFrom({ KONTOR_METRICS_PORT: wrong }),
        /KONTOR_METRICS_PORT must be off or a number from 0 to 65535/,
      )
  })
})
