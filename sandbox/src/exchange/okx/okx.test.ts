/** What the adapter's tests do not reach: the wire itself, and what the adapter never asks for. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import Fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import { openWorld } from '../../world.ts'
import type { World } from '../../world.ts'
import { Listener } from '../listener.testing.ts'
import { BANK, CHAIN } from '../neighbours.testing.ts'
import { openOkx } from './okx.ts'

const dir = mkdtempSync(join(tmpdir(), 'okx-'))
const ADDRESS = '1BoatSLRHtKNngkdXEeobR76b53LETtpyT'
let world: World
let server: FastifyInstance
let base: string
let part: ReturnType<typeof openOkx>

before(async () => {
  world = openWorld(dir)
  part = openOkx(world, CHAIN, BANK)
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

const credentials = () =>
  JSON.parse(readFileSync(join(dir, 'credentials', 'okx.json'), 'utf8')) as {
    api_key: string
    api_secret: string
    passphrase: string
  }

type Answer = { status: number; code: string; data: Record<string, string>[] }
type Signing = { passphrase?: string; time?: string; secret?: string }

async function call(
  method: 'GET' | 'POST',
  path: string,
  fields: object = {},
  signing: Signing = {},
): Promise<Answer> {
  const keys = credentials()
  const query = new URLSearchParams(fields as Record<string, string>).toString()
  const target = `/api/v5/${path}${method === 'GET' && query !== '' ? `?${query}` : ''}`
  const body = method === 'POST' ? JSON.stringify(fields) : ''
  const time = signing.time ?? new Date().toISOString()
  const answer = await fetch(`${base}/okx${target}`, {
    method,
    headers: {
      'content-type': 'application/json',
      'ok-access-key': keys.api_key,
      'ok-access-passphrase': signing.passphrase ?? keys.passphrase,
      'ok-access-timestamp': time,
      'ok-access-sign': createHmac('sha256', signing.secret ?? keys.api_secret)
        .update(`${time}${method}${target}${body}`)
        .digest('base64'),
    },
    ...(method === 'POST' ? { body } : {}),
  })
  return { status: answer.status, ...((await answer.json()) as Omit<Answer, 'status'>) }
}

const order = (more: object) =>
  call('POST', 'trade/order', {
    instId: 'BTC-EUR',
    tdMode: 'cash',
    side: 'buy',
    ordType: 'market',
    ...more,
  })
const filledOf = async (placed: Answer): Promise<number> => {
  const ordId = placed.data[0]?.['ordId'] ?? ''
  const { data } = await call('GET', 'trade/order', { instId: 'BTC-EUR', ordId })
  return Number(data[0]?.['accFillSz'])
}

test('key, passphrase, signature and time: each is checked', async () => {
  const old = new Date(Date.now() - 31_000).toISOString()
  const codes = await Promise.all(
    [{}, { passphrase: 'another' }, { secret: 'another' }, { time: old }].map(
      async (signing) => (await call('GET', 'asset/balances', {}, signing)).code,
    ),
  )
  assert.deepEqual(codes, ['0', '50105', '50113', '50102'])
})

test('a market buy is meant in money, and cut to what is there by default', async () => {
  const inMoney = await filledOf(await order({ sz: '600' }))
  assert.ok(inMoney > 0.009 && inMoney < 0.011)
  assert.equal(await filledOf(await order({ sz: '0.02', tgtCcy: 'base_ccy' })), 0.02)
  const much = { sz: '50', side: 'sell', tgtCcy: 'base_ccy' }
  const refused = await order({ ...much, banAmend: true })
  assert.deepEqual([refused.code, refused.data[0]?.['sCode']], ['1', '51008'])
  const cut = await filledOf(await order(much))
  assert.ok(cut > 0.9 && cut < 2)
})

test('a withdrawal leaves the funding wallet, for a verified address alone', async () => {
  const withdrawal = { ccy: 'BTC', amt: '0.9', dest: '4', toAddr: ADDRESS, chain: 'BTC-Bitcoin' }
  assert.equal((await call('POST', 'asset/withdrawal', withdrawal)).code, '58207')
  part.addDestination('BTC', ADDRESS)
  const clientId = 'a1b2'
  assert.equal((await call('POST', 'asset/withdrawal', { ...withdrawal, clientId })).code, '0')
  assert.equal((await call('POST', 'asset/withdrawal', { ...withdrawal, clientId })).code, '58404')
  assert.equal((await call('POST', 'asset/withdrawal', withdrawal)).code, '58350')
  const listed = await call('GET', 'asset/withdrawal-history', { clientId })
  assert.deepEqual(
    listed.data.map(({ amt, fee, state, to }) => ({ amt, fee, state, to })),
    [{ amt: '0.9', fee: '0.00005', state: '0', to: ADDRESS }],
  )
})

test('each endpoint has its limit', async () => {
  const codes = await Promise.all(
    Array.from({ length: 8 }, async () => (await call('GET', 'asset/deposit-history')).code),
  )
  assert.deepEqual(codes.toSorted(), ['0', '0', '0', '0', '0', '0', '50011', '50011'])
  assert.equal((await call('GET', 'asset/withdrawal-history')).code, '0')
})

const loginWith = (more: { apiKey?: string; passphrase?: string; at?: number; sign?: string }) => {
  const { api_key, api_secret, passphrase } = credentials()
  const timestamp = String(Math.floor((more.at ?? Date.now()) / 1000))
  const sign = createHmac('sha256', api_secret)
    .update(`${timestamp}GET/users/self/verify`)
    .digest('base64')
  return { op: 'login', args: [{ apiKey: api_key, passphrase, sign, timestamp, ...more }] }
}

test('a private stream is for who logs in, and tells every fill and every movement', async () => {
  const orders = new Listener(`${base}/okx/ws/v5/private`)
  const subscribe = (channel: string, more = {}) => ({
    op: 'subscribe',
    args: [{ channel, ...more }],
  })
  await orders.say(subscribe('orders', { instType: 'SPOT' }))
  assert.equal((await orders.next())['code'], '60011')
  for (const [code, wrong] of [
    ['60005', { apiKey: 'another' }],
    ['60024', { passphrase: 'another' }],
    ['60006', { at: Date.now() - 31_000 }],
    ['60007', { sign: 'another' }],
  ] as const) {
    await orders.say(loginWith(wrong))
    assert.equal((await orders.next())['code'], code)
  }
  await orders.say(loginWith({}))
  assert.equal((await orders.next())['event'], 'login')
  await orders.say('ping')
  assert.deepEqual(await orders.next(), { text: 'pong' })
  await orders.say(subscribe('deposit-info'))
  assert.equal((await orders.next())['code'], '60018')
  await orders.say(subscribe('orders', { instType: 'SPOT' }))
  assert.equal((await orders.next())['event'], 'subscribe')
  assert.partialDeepStrictEqual(await orders.next(), {
    event: 'channel-conn-count',
    channel: 'orders',
    connCount: '1',
  })
  await order({ sz: '0.01', tgtCcy: 'base_ccy', clOrdId: 'told' })
  const dataOf = (message: Record<string, unknown>) =>
    (message['data'] as Record<string, string>[] | undefined)?.[0] ?? {}
  const fill = dataOf(await orders.hear((message) => dataOf(message)['tradeId'] !== ''))
  const { ordId = '' } = fill
  const [listed] = (await call('GET', 'trade/fills', { instId: 'BTC-EUR', ordId })).data
  assert.deepEqual(
    [fill['clOrdId'], fill['tradeId'], fill['fillSz'], fill['fillFee']],
    ['told', listed?.['tradeId'], listed?.['fillSz'], listed?.['fee']],
  )
  // "it's likely the orders channel will show order state as filled while … fillSz as 0"
  const last = dataOf(await orders.hear((message) => dataOf(message)['state'] === 'filled'))
  assert.deepEqual([last['accFillSz'], last['fillSz']], ['0.01', '0'])
  orders.socket.terminate()
})

test('a withdrawal is told by the other connection', async () => {
  const movements = new Listener(`${base}/okx/ws/v5/business`)
  await movements.say(loginWith({}))
  await movements.say({ op: 'subscribe', args: [{ channel: 'withdrawal-info' }] })
  await movements.hear((message) => message['event'] === 'subscribe')
  part.addDestination('XRP', 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh:7')
  const toAddr = 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh:7'
  const withdrawal = { ccy: 'XRP', amt: '20', dest: '4', toAddr, clientId: 'told' }
  assert.equal((await call('POST', 'asset/withdrawal', withdrawal)).code, '0')
  const { data } = await movements.hear((message) => message['data'] !== undefined)
  assert.partialDeepStrictEqual(data, [{ ccy: 'XRP', amt: '20', clientId: 'told' }])
  movements.socket.terminate()
})
