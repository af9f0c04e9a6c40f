/** Kraken's limits: what it counts, and what it refuses. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { KrakenRig } from './rig.ts'

const rig = new KrakenRig()
before(() => rig.open('STARTER'))
after(() => rig.end())

const ORDER = { pair: 'XBTEUR', type: 'buy', ordertype: 'limit', price: '10000', volume: '0.001' }

/** How many of these calls are answered before one is refused. */
async function answered(
  refusal: string,
  call: (index: number) => Promise<{ error: string[] }>,
): Promise<number> {
  for (let index = 0; index < 100; index += 1) {
    const { error } = await call(index)
    if (error.length > 0) {
      assert.deepEqual(error, [refusal])
      return index
    }
  }
  throw new Error('none was refused')
}

test('reads raise the counter of the key, lists of trades by two, orders not at all', async () => {
  assert.equal(await answered('EAPI:Rate limit exceeded', () => rig.call('Balance')), 15)
  assert.deepEqual((await rig.call('AddOrder', ORDER)).error, [])
  await rig.control('limits', { tier: 'INTERMEDIATE' })
  const twice = await answered('EAPI:Rate limit exceeded', () => rig.call('TradesHistory'))
  assert.ok(twice === 2 || twice === 3, `${twice}`)
})

test('orders raise the counter of their pair, and say so', async () => {
  await rig.control('limits', { tier: 'STARTER' })
  const placed = await answered('EOrder:Rate limit exceeded', () => rig.call('AddOrder', ORDER))
  assert.ok(placed >= 58 && placed <= 61, `${placed}`)
  assert.deepEqual(
    (await rig.call('AddOrder', { ...ORDER, pair: 'ETHEUR', price: '1000' })).error,
    [],
  )
})

test('without limits nothing is refused', async () => {
  await rig.control('limits', { tier: 'AGREED' })
  for (let index = 0; index < 30; index += 1)
    assert.deepEqual((await rig.call('TradesHistory')).error, [])
})
