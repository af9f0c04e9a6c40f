import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { crc32 } from 'node:zlib'
import Fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import { WebSocket } from 'ws'
import type { BankRails, Chain } from '../../part.ts'
import { until } from '../../testing.ts'
import { openWorld } from '../../world.ts'
import type { World } from '../../world.ts'
import { figure, plain } from '../figures.ts'
import { openKraken } from './kraken.ts'
import type { KrakenPart } from './kraken.ts'

type Arrival = Parameters<Chain['onArrival']>[1]
type WireArrival = Parameters<BankRails['onArrival']>[1]
type Reply = { error: string[]; result: unknown }

const dir = mkdtempSync(join(tmpdir(), 'kraken-'))
let world: World
let part: KrakenPart
let server: FastifyInstance
let base: string
let arrived: Arrival
let wireArrived: WireArrival
const sent: { asset: string; to_address: string; quantity: string; fee: string }[] = []
const wires: { to_iban: string; quantity: string }[] = []
let chainState: 'PENDING' | 'FINAL' | 'FAILED' = 'PENDING'

const chain: Chain = {
  newAddress: (protocol) => `${protocol}-address`,
  endow: () => {},
  send: (transfer) => {
    sent.push(transfer)
    return { transaction_hash: `hash-${sent.length}` }
  },
  sendMany: () => {
    throw new Error('an exchange sends to one address at a time')
  },
  transaction: (hash) => ({
    transaction_hash: hash,
    confirmations: 1,
    required_confirmations: 2,
    state: chainState,
  }),
  onArrival: (_part, handler) => {
    arrived = handler
  },
  fee: (protocol) => ({ asset: protocol, fee: '0.00001' }),
}
const bank: BankRails = {
  account: () => ({ iban: 'DE02500204000000000001' }),
  wire: (transfer) => {
    wires.push(transfer)
    return { wire_id: `W${wires.length}` }
  },
  onArrival: (_part, handler) => {
    wireArrived = handler
  },
}

async function open() {
  world = openWorld(dir)
  part = openKraken(world, chain, bank)
  server = Fastify()
  part.mount(server)
  server.server.on('upgrade', (request, socket, head) => {
    part.upgrade?.(request, socket, head)
  })
  base = await server.listen({ port: 0, host: '127.0.0.1' })
}
async function close() {
  await part.close?.()
  await server.close()
  world.close()
}

before(open)
after(async () => {
  await close()
  rmSync(dir, { recursive: true })
})

let nonce = Date.now() * 1000
async function call(
  operation: string,
  fields: Record<string, string> = {},
  tamper: { nonce?: number; key?: string; secret?: string } = {},
): Promise<Reply> {
  const { api_key, api_secret } = JSON.parse(
    readFileSync(join(dir, 'credentials', 'kraken.json'), 'utf8'),
  ) as { api_key: string; api_secret: string }
  const used = String(tamper.nonce ?? ++nonce)
  const body = new URLSearchParams({ nonce: used, ...fields }).toString()
  const path = `/0/private/${operation}`
  const digest = createHash('sha256')
    .update(used + body)
    .digest()
  const sign = createHmac('sha512', Buffer.from(tamper.secret ?? api_secret, 'base64'))
    .update(path)
    .update(digest)
    .digest('base64')
  const response = await fetch(`${base}/kraken${path}`, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'api-key': tamper.key ?? api_key,
      'api-sign': sign,
    },
  })
  return (await response.json()) as Reply
}
/** What lies at a path of an answer, as text. */
function at(answer: unknown, ...path: (string | number)[]): string {
  return String(
    path.reduce(
      (value, key) => (value as Record<string | number, unknown> | undefined)?.[key],
      answer,
    ),
  )
}
async function control(path: string, body: unknown): Promise<{ done?: boolean }> {
  return (await (
    await fetch(`${base}/control/kraken/${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    })
  ).json()) as { done?: boolean }
}
/** Everything the exchange holds for anybody, per asset. */
async function sums(): Promise<Record<string, string>> {
  const rows = (await (await fetch(`${base}/control/kraken/holdings`)).json()) as {
    asset: string
    total: string
  }[]
  const totals = new Map<string, bigint>()
  for (const row of rows) totals.set(row.asset, (totals.get(row.asset) ?? 0n) + figure(row.total))
  return Object.fromEntries([...totals].map(([asset, total]) => [asset, plain(total)]))
}

test('the key file is private, a wrong key, signature or nonce is refused in Kraken’s words', async () => {
  assert.equal(statSync(join(dir, 'credentials', 'kraken.json')).mode & 0o777, 0o600)
  assert.deepEqual((await call('BalanceEx', {}, { key: 'nobody' })).error, ['EAPI:Invalid key'])
  assert.deepEqual((await call('BalanceEx', {}, { secret: 'AAAA' })).error, [
    'EAPI:Invalid signature',
  ])
  const balance = await call('BalanceEx')
  assert.deepEqual((balance.result as Record<string, unknown>)['ZEUR'], {
    balance: '250000.0000',
    hold_trade: '0.0000',
  })
  assert.deepEqual((await call('BalanceEx', {}, { nonce })).error, ['EAPI:Invalid nonce'])
})

test('a market order takes the maker’s levels, its trades and balances agree to the last digit, nothing is lost', async () => {
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

test('limit orders: rest and hold, fill when the market comes, cancel; IOC never rests', async () => {
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

  const kept = await call('AddOrder', {
    pair: 'ETHEUR',
    type: 'sell',
    ordertype: 'limit',
    price: '9000.00',
    volume: '1',
    cl_ord_id: 'kept',
  })
  await close()
  await open()
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

test('by hand: an order is placed, filled piece by piece and after its cancel, and a trade taken back; nothing is lost', async () => {
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
    Object.values(listed).map((each) => each.misc),
    ['busted', 'busted'],
  )
  const again = await fetch(`${base}/control/kraken/trades/${late.trades[0]?.id}/bust`, {
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

test('a coin is credited when final, a wire by its reference; what names nobody waits', async () => {
  const before = (await call('BalanceEx')).result
  const coin = {
    transaction_hash: 'aa',
    output_index: 0,
    asset: 'BTC',
    protocol: 'BTC',
    from_address: 'x',
    to_address: part.address('BTC').address,
    tag: null,
    quantity: '0.5',
    confirmations: 0,
    required_confirmations: 2,
  }
  world.commit(() => {
    arrived(coin, 'XXBT', 'PENDING')
  })
  assert.equal(at((await call('DepositStatus', { asset: 'XBT' })).result, 0, 'status'), 'Pending')
  assert.equal(
    at((await call('BalanceEx')).result, 'XXBT', 'balance'),
    at(before, 'XXBT', 'balance'),
  )
  world.commit(() => {
    arrived({ ...coin, confirmations: 2 }, 'XXBT', 'FINAL')
  })
  world.commit(() => {
    arrived({ ...coin, confirmations: 3 }, 'XXBT', 'FINAL')
  })
  const [listed] = (await call('DepositStatus', { asset: 'XBT' })).result as {
    status: string
    amount: string
    txid: string
  }[]
  assert.equal(listed?.status, 'Success')
  assert.equal(listed?.txid, 'aa')
  assert.equal(
    figure(at((await call('BalanceEx')).result, 'XXBT', 'balance')) -
      figure(at(before, 'XXBT', 'balance')),
    figure('0.5'),
  )

  const wire = {
    wire_id: 'W1',
    to_iban: 'x',
    from_iban: 'DE00',
    from_name: 'Stranger',
    quantity: '100',
    currency: 'EUR',
    reference: 'hello',
  }
  world.commit(() => {
    wireArrived(wire, 'clients')
  })
  world.commit(() => {
    wireArrived(
      { ...wire, wire_id: 'W2', quantity: '200', reference: `deposit ${part.reference}` },
      'clients',
    )
  })
  assert.equal(
    figure(at((await call('BalanceEx')).result, 'ZEUR', 'balance')) -
      figure(at(before, 'ZEUR', 'balance')),
    figure('200'),
  )
  const held = (
    (await call('DepositStatus', { asset: 'ZEUR' })).result as Record<string, string>[]
  ).find((each) => each['status-prop'] === 'on-hold')
  assert.equal((await control(`deposits/${held?.['refid']}/release`, {})).done, true)
  assert.equal(
    figure(at((await call('BalanceEx')).result, 'ZEUR', 'balance')) -
      figure(at(before, 'ZEUR', 'balance')),
    figure('300'),
  )
})

test('a withdrawal takes its fee out of the amount, goes out once and succeeds when final', async () => {
  world.setPace(0)
  part.addWithdrawalKey({ key: 'vault-btc', asset: 'BTC', address: 'vault-address', tag: null })
  const before = (await call('BalanceEx')).result
  const info = (await call('WithdrawInfo', { asset: 'XXBT', key: 'vault-btc', amount: '1.0001' }))
    .result
  assert.equal(at(info, 'amount'), '1.0000000000')
  assert.equal(at(info, 'fee'), '0.0001000000')
  assert.deepEqual((await call('Withdraw', { asset: 'XXBT', key: 'nobody', amount: '1' })).error, [
    'EFunding:Unknown withdraw key',
  ])
  assert.deepEqual(
    (await call('Withdraw', { asset: 'XXBT', key: 'vault-btc', amount: '100' })).error,
    ['EFunding:Insufficient funds'],
  )
  assert.deepEqual(
    (await call('Withdraw', { asset: 'XXBT', key: 'vault-btc', amount: '1', address: 'other' }))
      .error,
    ['EFunding:Invalid withdrawal address'],
  )
  assert.deepEqual(
    (await call('Withdraw', { asset: 'XXBT', key: 'vault-btc', amount: '1', max_fee: '0.00001' }))
      .error,
    ['EFunding:Max fee exceeded'],
  )
  const { refid } = (
    await call('Withdraw', { asset: 'XXBT', key: 'vault-btc', amount: '1.0001', max_fee: '0.0001' })
  ).result as { refid: string }
  const status = async () =>
    ((await call('WithdrawStatus', { asset: 'XXBT' })).result as Record<string, string>[]).find(
      (each) => each['refid'] === refid,
    )
  assert.equal((await status())?.['status'], 'Initial')
  assert.equal(
    figure(at(before, 'XXBT', 'balance')) -
      figure(at((await call('BalanceEx')).result, 'XXBT', 'balance')),
    figure('1.0001'),
  )
  world.advance(2_000)
  world.advance(2_000)
  const settled = await status()
  assert.equal(settled?.['status'], 'Settled')
  assert.equal(settled?.['amount'], '1.0000000000')
  assert.deepEqual(
    sent.map(({ to_address, quantity }) => ({ to_address, quantity })),
    [{ to_address: 'vault-address', quantity: '1' }],
  )
  chainState = 'FINAL'
  world.advance(1_000)
  assert.equal((await status())?.['status'], 'Success')

  const second = (await call('Withdraw', { asset: 'XXBT', key: 'vault-btc', amount: '0.1' }))
    .result as { refid: string }
  await control(`withdrawals/${second.refid}`, { action: 'hold' })
  world.advance(60_000)
  assert.equal(sent.length, 1)
  const held = figure(at((await call('BalanceEx')).result, 'XXBT', 'balance'))
  assert.equal((await call('WithdrawCancel', { asset: 'XXBT', refid: second.refid })).result, true)
  assert.equal(
    figure(at((await call('BalanceEx')).result, 'XXBT', 'balance')) - held,
    figure('0.1'),
  )
  world.setPace(1)
})

test('counts and faults', async () => {
  const order = { pair: 'XBTEUR', type: 'buy', ordertype: 'market', volume: '0.001' }
  world.faults.add({
    venue: 'kraken',
    operation: 'AddOrder',
    kind: 'REFUSE',
    remaining: 1,
    delay_ms: 0,
  })
  assert.deepEqual((await call('AddOrder', { ...order, cl_ord_id: 'refused' })).error, [
    'EOrder:Insufficient funds',
  ])
  world.faults.add({
    venue: 'kraken',
    operation: 'AddOrder',
    kind: 'DOWN',
    remaining: 1,
    delay_ms: 0,
  })
  await assert.rejects(call('AddOrder', { ...order, cl_ord_id: 'down' }))
  world.faults.add({
    venue: 'kraken',
    operation: 'AddOrder',
    kind: 'LATE',
    remaining: 1,
    delay_ms: 50,
  })
  assert.deepEqual((await call('AddOrder', { ...order, cl_ord_id: 'late' })).error, [])
  const counted = world
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

test('the book stream: an own copy kept from snapshot and updates has Kraken’s checksum all the time', async () => {
  await control('market', { pair: 'BTC/EUR', frozen: false, volatility_ppm: 2000 })
  const socket = new WebSocket(`${base.replace('http', 'ws')}/kraken/ws/v2`)
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
    world.advance(random(700))
  }
  for (const id of Object.keys(((await call('OpenOrders')).result as { open: object }).open))
    await call('CancelOrder', { txid: id })
  assert.deepEqual(await sums(), earlier)
  for (const balance of Object.values((await call('BalanceEx')).result as object))
    assert.match(at(balance, 'hold_trade'), /^0\.0+$/)
})
