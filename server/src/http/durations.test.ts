import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Histogram, Registry } from 'prom-client'
import { BOUNDS, openDurations } from './durations.ts'

const requests = fc.array(fc.tuple(fc.constantFrom('GET', 'POST', 'HEAD'), fc.constantFrom('/api/a', '/api/b/:id', 'unknown'), fc.constantFrom(200, 400, 500), fc.oneof(fc.constantFrom(0, ...BOUNDS), fc.integer({ min: 0, max: 10_000 }).map((each) => each / 1000))))

test('what is told is what a histogram of prom-client tells, to the line', async () => {
  await fc.assert(fc.asyncProperty(requests, async (all) => {
    const [ours, theirs] = [new Registry(), new Registry()]
    const count = openDurations(ours)
    const histogram = new Histogram({ name: 'kontor_http_request_seconds', help: 'HTTP requests by route', labelNames: ['method', 'route', 'status'], buckets: BOUNDS, registers: [theirs] })
    for (const [method, route, status, seconds] of all) {
      count(method, route, status, seconds)
      histogram.observe({ method, route, status }, seconds)
    }
    const sorted = async (registry: Registry) => (await registry.metrics()).split('\n').toSorted()
    assert.deepEqual(await sorted(ours), await sorted(theirs))
  }), { numRuns: 50 })
})
