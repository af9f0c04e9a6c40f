/**
 * What the adapter's tests do not reach: the wire itself, instant orders, a client's own cancel
 * of a withdrawal, the stream of differences.
 */
import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import Fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import { WebSocket } from 'ws'
import { openWorld } from '../../world.ts'
import type { World } from '../../world.ts'
import { figure } from '../figures.ts'
import { Listener } from '../listener.testing.ts'
import { BANK, CHAIN } from '../neighbours.testing.ts'
import { openSettings } from '../settings.ts'
import { openBitstamp } from './bitstamp.ts'
import { openLimits, OVER_LIMIT } from './limits.ts'

const dir = mkdtempSync(join(tmpdir(), 'bitstamp-'))
let world: World
let server: FastifyInstance
let base: string
let part: ReturnType<typeof openBitstamp>

before(async () => {
  world = openWorld(dir)
  part = openBitstamp(world, CHAIN, BANK)
  server = Fastify()
  part.mount(server)
  server.server.on('upgrade', (request, socket, head) => {
    part.upgrade?.(request, socket, head)
  })
  base = await server.listen({ port: 0, host: '127.0.0.1' })
})
after(async () => {
  await part.close?.()
  await server.close()
  world.close()
  rmSync(dir, { recursive: true })
})

type Answer = {
  status?: string
  reason?: unknown
  code?: string
  id?: string | number
  amount?: string
  amount_remaining?: string
  transactions?: { eur: string; fee: string }[]
}
async function call<Result = Answer>(
  path: string,
  fields: Record<string, string> = { foo: 'bar' },
  tamper: { nonce?: string; at?: number; key?: string; secret?: string } = {},
): Promise<Result> {
  const { api_key, api_secret } = JSON.parse(
    readFileSync(join(dir, 'credentials/bitstamp.json'), 'utf8'),
  ) as { api_key: string; api_secret: string }
  const [body, nonce, at, type] = [
    new URLSearchParams(fields).toString(),
    tamper.nonce ?? randomUUID(),
    String(tamper.at ?? Date.now()),
    'application/x-www-form-urlencoded',
  ]
  const auth = `BITSTAMP ${tamper.key ?? api_key}`
  const url = `${base}/bitstamp/api/v2/${path}`
  const signature = createHmac('sha256', tamper.secret ?? api_secret)
    .update(`${auth}POST${url.replace('http://', '')}${type}${nonce}${at}v2${body}`)
    .digest('hex')
  const headers = {
    'content-type': type,
    'x-auth': auth,
    'x-auth-nonce': nonce,
    'x-auth-timestamp': at,
    'x-auth-version': 'v2',
    'x-auth-signature': signature,
  }
  return (await (await fetch(url, { method: 'POST', body, headers })).json()) as Result
}
const available = async (currency: string) =>
  (await call<{ currency: string; available: string }[]>('account_balances/')).find(
    (balance) => balance.currency === currency,
  )?.available ?? ''

test('key, signature, time and nonce: each is checked, a nonce serves once', async () => {
  assert.equal((await call('account_balances/', {}, { key: 'nobody' })).code, 'API0001')
  assert.equal((await call('account_balances/', {}, { secret: 'wrong' })).code, 'API0005')
  assert.equal((await call('account_balances/', {}, { at: Date.now() - 151_000 })).code, 'API0017')
  const nonce = randomUUID()
  assert.equal((await call<unknown[]>('account_balances/', {}, { nonce })).length, 7)
  assert.equal((await call('account_balances/', {}, { nonce })).code, 'API0004')
})

test('after 400 calls in a second the next is turned away, with its code', async () => {
  const settings = openSettings(world, 'counted')
  settings.set('tier', 'STANDARD')
  const { call: count, counts } = openLimits(settings)
  for (let index = 0; index < 400; index += 1) count()
  assert.throws(count, OVER_LIMIT)
  assert.equal(counts.refused(), 1)
  const over = { venue: 'bitstamp', operation: 'account_balances', kind: 'LIMIT' } as const
  world.faults.add({ ...over, remaining: 1, delay_ms: 0 })
  assert.equal((await call('account_balances/')).code, '400.002')
})

test('an instant order spends the named amount, fee included, and is listed', async () => {
  await fetch(`${base}/control/bitstamp/market`, {
    method: 'POST',
    body: JSON.stringify({ pair: 'BTC/EUR', price: '60000', frozen: true }),
    headers: { 'content-type': 'application/json' },
  })
  const before = figure(await available('eur'))
  const placed = await call('buy/instant/btceur/', {
    amount: '1000.00',
    client_order_id: 'instant',
  })
  const spent = before - figure(await available('eur'))
  assert.ok(spent <= figure('1000') && spent > figure('999.9'), String(spent))
  const order = await call('order_status/', { client_order_id: 'instant' })
  assert.deepEqual(
    [order.id, order.status, figure(order.amount_remaining ?? '')],
    [placed.id, 'Finished', 0n],
  )
  assert.equal(
    order.transactions?.reduce(
      (sum, transaction) => sum + figure(transaction.eur) + figure(transaction.fee),
      0n,
    ),
    spent,
  )
  const [latest] = await call<{ type: string; order_id: number }[]>('user_transactions/', {
    limit: '1',
  })
  assert.deepEqual([latest?.type, String(latest?.order_id)], ['2', placed.id])
  assert.deepEqual((await call('order_status/', { id: '1' })).reason, 'Order not found.')
})

test('the client cancels a withdrawal before it is sent; amount and fee return', async () => {
  world.setPace(0)
  const before = await available('xrp')
  const { id } = await call('xrp_withdrawal/', {
    address: 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh',
    amount: '20',
    destination_tag: '7',
  })
  assert.equal(figure(before) - figure(await available('xrp')), figure('20.1'))
  await call('withdrawal/cancel/', { id: String(id) })
  assert.equal(await available('xrp'), before)
  const [request] = await call<{ status: number; address: string }[]>('withdrawal-requests/', {
    id: String(id),
  })
  assert.deepEqual(
    [request?.status, request?.address],
    [3, 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh?dt=7'],
  )
  world.setPace(1)
})

test('differences on top of the REST book give the whole book', async () => {
  await fetch(`${base}/control/bitstamp/market`, {
    method: 'POST',
    body: JSON.stringify({ pair: 'ETH/EUR', frozen: false, volatility_ppm: 2000 }),
    headers: { 'content-type': 'application/json' },
  })
  type Book = { microtimestamp: string; bids: string[][]; asks: string[][] }
  const socket = new WebSocket(`${base.replace('http', 'ws')}/bitstamp/ws`)
  const changes: Book[] = []
  let whole: Book | undefined
  let first: Book | undefined
  // The whole book is told right before what has changed in it: between two differences nothing
  // else has.
  const last = new Promise<Book>((resolve) => {
    socket.on('message', (data) => {
      const {
        channel,
        data: book,
        event,
      } = JSON.parse(String(data)) as { channel: string; data: Book; event: string }
      if (event !== 'data') return
      if (channel.startsWith('diff')) changes.push(book)
      else whole = book
      if (changes.length > 0) first ??= whole
      if (changes.length === 4 && whole !== undefined) resolve(whole)
    })
  })
  socket.on('open', () => {
    for (const channel of ['order_book_etheur', 'diff_order_book_etheur'])
      socket.send(JSON.stringify({ event: 'bts:subscribe', data: { channel } }))
  })
  const end = await last
  socket.terminate()
  const sides = {
    bids: new Map(first?.bids as [string, string][]),
    asks: new Map(first?.asks as [string, string][]),
  }
  for (const change of changes.slice(0, 4))
    for (const side of ['bids', 'asks'] as const) {
      for (const [price = '', quantity = ''] of change[side])
        if (figure(quantity) === 0n) sides[side].delete(price)
        else sides[side].set(price, quantity)
    }
  assert.deepEqual(
    [...sides.bids.keys()].toSorted((a, b) => Number(b) - Number(a)),
    end.bids.map(([price]) => price),
  )
  assert.deepEqual(Object.fromEntries(sides.asks), Object.fromEntries(end.asks))
})

test('the private channels need a token that lives, and tell an order from its start', async () => {
  const listener = new Listener(`${base}/bitstamp/ws`)
  const channel = (kind: string) => `private-my_${kind}_btceur-${user_id}`
  const subscribe = (kind: string, auth: string) =>
    listener.say({ event: 'bts:subscribe', data: { channel: channel(kind), auth } })
  const tokenOf = () =>
    call<{ token: string; user_id: number; valid_sec: number }>('websockets_token/')
  world.faults.add({
    venue: 'bitstamp',
    operation: 'token',
    kind: 'REFUSE',
    remaining: 1,
    delay_ms: 0,
  })
  const ended = await tokenOf()
  const { token, user_id, valid_sec } = await tokenOf()
  assert.equal(valid_sec, 60)
  for (const auth of ['another', ended.token]) {
    await subscribe('orders', auth)
    assert.deepEqual((await listener.next())['data'], {
      code: 4009,
      message: 'Connection is unauthorized.',
    })
  }
  for (const kind of ['orders', 'trades']) {
    await subscribe(kind, token)
    assert.deepEqual(await listener.next(), {
      event: 'bts:subscription_succeeded',
      channel: channel(kind),
      data: {},
    })
  }
  await call('buy/market/btceur/', { amount: '0.001', client_order_id: 'told' })
  const told: unknown[] = []
  for (const event of ['order_created', 'order_changed', 'order_deleted', 'trade']) {
    const { data, ...message } = await listener.hear((one) => one['event'] === event)
    const { client_order_id, amount_traded, side } = data as Record<string, unknown>
    told.push([message['channel'], client_order_id, amount_traded ?? side])
  }
  assert.deepEqual(told, [
    [channel('orders'), 'told', '0'],
    [channel('orders'), 'told', '0.00100000'],
    [channel('orders'), 'told', '0'],
    [channel('trades'), 'told', 'buy'],
  ])
  listener.socket.terminate()
})
