import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { figure } from '../figures.ts'
import { KrakenRig, at } from './rig.ts'

const rig = new KrakenRig()
const { call, control, sums } = rig
before(() => rig.open())
after(() => rig.end())

test('the key file is private; a wrong key, signature or nonce is refused', async () => {
  assert.equal(statSync(join(rig.dir, 'credentials', 'kraken.json')).mode & 0o777, 0o600)
  assert.deepEqual((await call('BalanceEx', {}, { key: 'nobody' })).error, ['EAPI:Invalid key'])
  assert.deepEqual((await call('BalanceEx', {}, { secret: 'AAAA' })).error, [
    'EAPI:Invalid signature',
  ])
  const balance = await call('BalanceEx')
  assert.deepEqual((balance.result as Record<string, unknown>)['ZEUR'], {
    balance: '250000.0000',
    hold_trade: '0.0000',
  })
  assert.deepEqual((await call('BalanceEx', {}, { nonce: rig.nonce })).error, [
    'EAPI:Invalid nonce',
  ])
})

test('a market order takes the maker’s levels; trades agree with balances exactly', async () => {
  await control('market', { pair: 'BTC/EUR', price: '60000', frozen: true })
  const earlier = await sums()
  const placed = await call('AddOrder', {
    pair: 'XXBTZEUR',
    type: 'buy',
    ordertype: 'market',
    volume: '1.5',
    cl_ord_id: '0190a000-0000-7000-8000-000000000001',
  })
  assert.deepEqual(placed.error, [])
  const id = at(placed.result, 'txid', 0)
  const order = (
    (await call('QueryOrders', { txid: id, trades: 'true' })).result as Record<
      string,
      { status: string; vol_exec: string; trades: string[] }
    >
  )[id]
  assert.equal(order?.status, 'closed')
  assert.equal(order?.vol_exec, '1.50000000')
  const trades = Object.values(
    (await call('QueryTrades', { txid: order?.trades.join(',') ?? '' })).result as Record<
      string,
      { cost: string; fee: string; vol: string }
    >,
  )
  assert.ok(trades.length > 1)
  const spent = trades.reduce((sum, trade) => sum + figure(trade.cost) + figure(trade.fee), 0n)
  const balances = (await call('BalanceEx')).result
  assert.equal(at(balances, 'XXBT', 'balance'), '6.5000000000')
  assert.equal(figure(at(balances, 'ZEUR', 'balance')), figure('250000') - spent)
  assert.deepEqual(await sums(), earlier)
})

test('a limit order rests and holds, and fills when the market comes', async () => {
  await control('market', { pair: 'ETH/EUR', price: '2400', frozen: true })
  const resting = await call('AddOrder', {
    pair: 'ETHEUR',
    type: 'buy',
    ordertype: 'limit',
    price: '2300.00',
    volume: '2',
    cl_ord_id: 'limit-1',
  })
  const id = at(resting.result, 'txid', 0)
  assert.equal(at((await call('BalanceEx')).result, 'ZEUR', 'hold_trade'), '4611.9600')
  assert.equal(
    at((await call('OpenOrders', { cl_ord_id: 'limit-1' })).result, 'open', id, 'status'),
    'open',
  )
  assert.deepEqual(
    (
      await call('AddOrder', {
        pair: 'ETHEUR',
        type: 'buy',
        ordertype: 'limit',
        price: '2300.00',
        volume: '2',
        cl_ord_id: 'limit-1',
      })
    ).error,
    ['EGeneral:Invalid arguments:cl_ord_id'],
  )
  const { error } = await call('AddOrder', {
    pair: 'ETHEUR',
    type: 'sell',
    ordertype: 'limit',
    price: '2300.00',
    volume: '0.5',
    timeinforce: 'IOC',
    cl_ord_id: 'ioc',
  })
  assert.deepEqual(error, [])

  await control('market', { pair: 'ETH/EUR', price: '2290', frozen: true })
  const filled = (await call('ClosedOrders', { cl_ord_id: 'limit-1', trades: 'true' })).result
  assert.equal(at(filled, 'closed', id, 'status'), 'closed')
  assert.equal(at(filled, 'closed', id, 'price'), '2300.00')
  assert.equal(at((await call('BalanceEx')).result, 'ZEUR', 'hold_trade'), '0.0000')
})

test('an IOC order never rests', async () => {
  const ioc = await call('AddOrder', {
    pair: 'ETHEUR',
    type: 'buy',
    ordertype: 'limit',
    price: '2000.00',
    volume: '1',
    timeinforce: 'IOC',
  })
  const iocId = at(ioc.result, 'txid', 0)
  assert.equal(at((await call('QueryOrders', { txid: iocId })).result, iocId, 'status'), 'canceled')
})

test('a resting order survives a restart and can be canceled', async () => {
  const kept = await call('AddOrder', {
    pair: 'ETHEUR',
    type: 'sell',
    ordertype: 'limit',
    price: '9000.00',
    volume: '1',
    cl_ord_id: 'kept',
  })
  await rig.close()
  await rig.open()
  const keptId = at(kept.result, 'txid', 0)
  assert.equal(at((await call('BalanceEx')).result, 'XETH', 'hold_trade'), '1.0000000000')
  assert.deepEqual((await call('CancelOrder', { cl_ord_id: 'kept' })).result, { count: 1 })
  assert.equal(
    at((await call('QueryOrders', { txid: keptId })).result, keptId, 'status'),
    'canceled',
  )
  assert.deepEqual((await call('CancelOrder', { txid: keptId })).error, ['EOrder:Unknown order'])
})

test('refusals of an order', async () => {
  const refusals: [Record<string, string>, string][] = [
    [
      { pair: 'DOGEEUR', type: 'buy', ordertype: 'market', volume: '1' },
      'EQuery:Unknown asset pair',
    ],
    [
      { pair: 'XBTEUR', type: 'buy', ordertype: 'market', volume: '20' },
      'EOrder:Insufficient funds',
    ],
    [
      { pair: 'XBTEUR', type: 'sell', ordertype: 'market', volume: '20' },
      'EOrder:Insufficient funds',
    ],
    [
      { pair: 'XBTEUR', type: 'buy', ordertype: 'market', volume: '0.00001' },
      'EOrder:Order minimum not met',
    ],
    [
      { pair: 'XBTEUR', type: 'buy', ordertype: 'limit', price: '1000', volume: '0.0001' },
      'EOrder:Cost minimum not met',
    ],
    [
      { pair: 'XBTEUR', type: 'buy', ordertype: 'limit', price: '1000.05', volume: '1' },
      'EOrder:Tick size check failed',
    ],
    [
      { pair: 'XBTEUR', type: 'buy', ordertype: 'limit', price: '1e3', volume: '1' },
      'EGeneral:Invalid arguments:price',
    ],
    [
      { pair: 'XBTEUR', type: 'buy', ordertype: 'market', volume: '-1' },
      'EGeneral:Invalid arguments:volume',
    ],
    [
      { pair: 'XBTEUR', type: 'buy', ordertype: 'stop-loss', price: '1000', volume: '1' },
      'EGeneral:Invalid arguments:ordertype',
    ],
    [
      { pair: 'XBTEUR', type: 'buy', ordertype: 'market', volume: '1', timeinforce: 'FOK' },
      'EGeneral:Invalid arguments:timeinforce',
    ],
    [
      {
        pair: 'XBTEUR',
        type: 'buy',
        ordertype: 'market',
        volume: '1',
        cl_ord_id: 'much too long for free text',
      },
      'EGeneral:Invalid arguments:cl_ord_id',
    ],
  ]
  for (const [fields, error] of refusals)
    assert.deepEqual((await call('AddOrder', fields)).error, [error], JSON.stringify(fields))
  await control('halt', { status: 'cancel_only' })
  assert.deepEqual(
    (await call('AddOrder', { pair: 'XBTEUR', type: 'buy', ordertype: 'market', volume: '1' }))
      .error,
    ['EService:Market in cancel_only mode'],
  )
  await control('halt', { status: 'online' })
})

test('by hand: partial fills, fills after a cancel, busted trades; nothing is lost', async () => {
  await control('market', { pair: 'BTC/EUR', price: '60000', frozen: true })
  const earlier = await sums()
  const before = (await call('BalanceEx')).result
  const placed = (await control('orders', {
    pair: 'BTC/EUR',
    side: 'buy',
    type: 'limit',
    price: '50000',
    volume: '0.3',
    client_order_id: 'by-hand',
  })) as { id: string; status: string }
  assert.equal(placed.status, 'open')
  await control('orders/by-hand/fill', { quantity: '0.1' })
  await control(`orders/${placed.id}/cancel`, {})
  const late = (await control('orders/by-hand/fill', { quantity: '0.05' })) as {
    status: string
    executed: string
    trades: { id: string }[]
  }
  assert.deepEqual([late.status, late.executed, late.trades.length], ['canceled', '0.15', 2])
  assert.equal(at((await call('BalanceEx')).result, 'ZEUR', 'hold_trade'), '0.0000')
  for (const trade of late.trades) await control(`trades/${trade.id}/bust`, {})
  assert.deepEqual((await call('BalanceEx')).result, before)
  assert.deepEqual(await sums(), earlier)
  const listed = (
    await call('QueryTrades', { txid: late.trades.map((trade) => trade.id).join(',') })
  ).result as Record<string, { misc: string }>
  assert.deepEqual(
    Object.values(listed).map(({ misc }) => misc),
    ['busted', 'busted'],
  )
  const again = await fetch(`${rig.base}/control/kraken/trades/${late.trades[0]?.id}/bust`, {
    method: 'POST',
    body: '{}',
    headers: { 'content-type': 'application/json' },
  })
  assert.equal(again.status, 400)
  await control('market', { frozen: false })
})

test('a closed market stands still: what rests is not filled', async () => {
  await control('market', { pair: 'BTC/EUR', price: '60000', frozen: true })
  await control('orders', {
    pair: 'BTC/EUR',
    side: 'buy',
    type: 'limit',
    price: '59000',
    volume: '0.1',
    client_order_id: 'resting',
  })
  await control('halt', { status: 'cancel_only' })
  await control('market', { pair: 'BTC/EUR', price: '58000' })
  assert.equal(
    Object.keys(
      ((await call('OpenOrders', { cl_ord_id: 'resting' })).result as { open: object }).open,
    ).length,
    1,
  )
  await control('halt', { status: 'online' })
  await control('market', { pair: 'BTC/EUR', price: '58000' })
  assert.equal(
    Object.keys(
      ((await call('OpenOrders', { cl_ord_id: 'resting' })).result as { open: object }).open,
    ).length,
    0,
  )
  await control('market', { pair: 'BTC/EUR', price: '60000', frozen: false })
})
