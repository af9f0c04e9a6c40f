import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { crc32 } from 'node:zlib'
import { WebSocket } from 'ws'
import { until } from '../../testing.ts'
import { KrakenRig, at } from './rig.ts'

const rig = new KrakenRig()
const { call, control, sums } = rig
before(() => rig.open())
after(() => rig.end())

test('counts and faults', async () => {
  const order = { pair: 'XBTEUR', type: 'buy', ordertype: 'market', volume: '0.001' }
  rig.world.faults.add({
    venue: 'kraken',
    operation: 'AddOrder',
    kind: 'REFUSE',
    remaining: 1,
    delay_ms: 0,
  })
  assert.deepEqual((await call('AddOrder', { ...order, cl_ord_id: 'refused' })).error, [
    'EOrder:Insufficient funds',
  ])
  rig.world.faults.add({
    venue: 'kraken',
    operation: 'AddOrder',
    kind: 'DOWN',
    remaining: 1,
    delay_ms: 0,
  })
  await assert.rejects(call('AddOrder', { ...order, cl_ord_id: 'down' }))
  rig.world.faults.add({
    venue: 'kraken',
    operation: 'AddOrder',
    kind: 'LATE',
    remaining: 1,
    delay_ms: 50,
  })
  assert.deepEqual((await call('AddOrder', { ...order, cl_ord_id: 'late' })).error, [])
  const counted = rig.world
    .counts()
    .filter(
      (count) =>
        count.operation === 'AddOrder' && ['refused', 'down', 'late'].includes(count.reference),
    )
  assert.deepEqual(
    counted.map(({ reference, count }) => [reference, count]),
    [
      ['late', 1],
      ['refused', 1],
    ],
  )
})

test('a book kept from snapshot and updates always has Kraken’s checksum', async () => {
  await control('market', { pair: 'BTC/EUR', frozen: false, volatility_ppm: 2000 })
  const socket = new WebSocket(`${rig.base.replace('http', 'ws')}/kraken/ws/v2`)
  const sides = { bids: new Map<string, string>(), asks: new Map<string, string>() }
  let updates = 0
  let pong = false
  socket.on('open', () => {
    socket.send(
      JSON.stringify({
        method: 'subscribe',
        params: { channel: 'book', symbol: ['BTC/EUR'], depth: 10 },
        req_id: 1,
      }),
    )
    socket.send(JSON.stringify({ method: 'ping', req_id: 2 }))
  })
  const failures: string[] = []
  socket.on('message', (data) => {
    const text = String(data)
    const message = JSON.parse(text) as { channel?: string; method?: string }
    if (message.method === 'pong') pong = true
    if (message.channel !== 'book') return
    updates += 1
    // Read as text: the checksum is over the digits as sent.
    for (const side of ['bids', 'asks'] as const) {
      const list = /\[(.*?)\]/.exec(text.slice(text.indexOf(`"${side}":`)))?.[1] ?? ''
      for (const [, price = '', quantity = ''] of list.matchAll(
        /"price":([0-9.]+),"qty":([0-9.]+)/g,
      )) {
        if (/^[0.]+$/.test(quantity)) sides[side].delete(price)
        else sides[side].set(price, quantity)
      }
      const sorted = [...sides[side].keys()].toSorted((a, b) =>
        side === 'asks' ? Number(a) - Number(b) : Number(b) - Number(a),
      )
      for (const price of sorted.slice(10)) sides[side].delete(price)
      sides[side] = new Map(
        sorted.slice(0, 10).map((price) => [price, sides[side].get(price) as string]),
      )
    }
    const digits = (value: string) => value.replace('.', '').replace(/^0+/, '')
    const content = [...sides.asks, ...sides.bids]
      .map(([price, quantity]) => digits(price) + digits(quantity))
      .join('')
    const expected = Number(/"checksum":([0-9]+)/.exec(text)?.[1])
    if (crc32(content) !== expected) failures.push(`update ${updates}`)
  })
  await until('updates', () => updates > 6 && pong)
  socket.terminate()
  assert.deepEqual(failures, [])
})

test('a run of random orders keeps every sum', async () => {
  const earlier = await sums()
  let seed = 7
  const random = (limit: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return seed % limit
  }
  for (let round = 0; round < 60; round += 1) {
    const market = random(2) === 0
    await call('AddOrder', {
      pair: ['XBTEUR', 'ETHEUR', 'ETHXBT', 'XRPEUR'][random(4)] as string,
      type: random(2) === 0 ? 'buy' : 'sell',
      ordertype: market ? 'market' : 'limit',
      volume: `${random(3)}.0${1 + random(98)}`,
      ...(market ? {} : { price: ['60000', '2400', '0.04', '1.9'][random(4)] as string }),
      ...(random(2) === 0 ? { timeinforce: 'IOC' } : {}),
    })
    rig.world.advance(random(700))
  }
  for (const id of Object.keys(((await call('OpenOrders')).result as { open: object }).open))
    await call('CancelOrder', { txid: id })
  assert.deepEqual(await sums(), earlier)
  for (const balance of Object.values((await call('BalanceEx')).result as object))
    assert.match(at(balance, 'hold_trade'), /^0\.0+$/)
})
