/** Kraken's limits: what it counts, and what it refuses. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { KrakenRig } from './rig.ts'

const rig = new KrakenRig()
before(() => rig.open('STARTER'))
after(() => rig.end())

const ORDER = { pair: 'XBTEUR', type: 'buy', ordertype: 'limit', price: '10000', volume: '0.001' }

/** How many of these calls are answered before one is refused, and how long that took. */
async function answered(
  refusal: string,
  call: () => Promise<{ error: string[] }>,
): Promise<{ count: number; seconds: number }> {
  const began = Date.now()
  for (let count = 0; count < 1_000; count += 1) {
    const { error } = await call()
    if (error.length === 0) continue
    assert.deepEqual(error, [refusal])
    return { count, seconds: (Date.now() - began) / 1000 }
  }
  throw new Error('none was refused')
}

/** As many as the counter has room for, and those for which time has made room. */
function assertRoom(
  { count, seconds }: { count: number; seconds: number },
  { room, per_second }: { room: number; per_second: number },
): void {
  assert.ok(count >= room && count <= room + seconds * per_second + 1, `${count} in ${seconds} s`)
}

test('reads raise the counter of the key, lists of trades by two, orders not at all', async () => {
  const refusal = 'EAPI:Rate limit exceeded'
  const reads = await answered(refusal, () => rig.call('Balance'))
  assertRoom(reads, { room: 15, per_second: 0.33 })
  assert.deepEqual((await rig.call('AddOrder', ORDER)).error, [])
  // Five points more, which are two lists.
  await rig.control('limits', { tier: 'INTERMEDIATE' })
  const lists = await answered(refusal, () => rig.call('TradesHistory'))
  assertRoom(lists, { room: 2, per_second: 0.25 })
})

test('orders raise the counter of their pair, and no other', async () => {
  await rig.control('limits', { tier: 'STARTER' })
  const refusal = 'EOrder:Rate limit exceeded'
  const placed = await answered(refusal, () => rig.call('AddOrder', ORDER))
  assertRoom(placed, { room: 59, per_second: 1 })
  const other = { ...ORDER, pair: 'ETHEUR', price: '1000' }
  assert.deepEqual((await rig.call('AddOrder', other)).error, [])
})

test('without limits nothing is refused', async () => {
  await rig.control('limits', { tier: 'AGREED' })
  for (let index = 0; index < 30; index += 1)
    assert.deepEqual((await rig.call('TradesHistory')).error, [])
})
