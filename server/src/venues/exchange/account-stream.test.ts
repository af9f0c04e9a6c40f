/** What the messages of private streams mean: as documented or recorded, with ids of our own. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { describe, test } from 'node:test'
import { newId } from '../../core/ids.ts'
import { until } from '../../core/testing.ts'
import { LeasedCredential } from '../lease/credential.ts'
import { shippedTerms, termsOf } from '../terms.ts'
import { AccountStream } from './account-stream.ts'
import { bitstampDialect } from './bitstamp/account-stream.ts'
import type { BitstampMoney } from './bitstamp/money.ts'
import { krakenStream } from './kraken/account-stream.ts'
import { loginMessage, okxDialects } from './okx/account-stream.ts'
import { toClientId } from './okx/vocabulary.ts'

const KEYS = { api_key: 'key', api_secret: '22582BD0CFF14C41EDBF1AB98506286D', passphrase: 'words' }
const reference = newId()

describe('the private stream of bitstamp', () => {
  const markets = [
    { id: 'btceur', base: 'BTC', quote: 'EUR', active: true },
    { id: 'dogeeur', base: 'DOGE', quote: 'EUR', active: true },
    { id: 'xrpeur', base: 'XRP', quote: 'EUR', active: false },
  ]
  const money = {
    markets: Object.fromEntries(markets.map((market) => [market.id, market])),
    // "Websockets token", www.bitstamp.net/api.
    privatePostWebsocketsToken: async () => ({ token: 'T1', valid_sec: 60, user_id: 314159 }),
  } as unknown as BitstampMoney
  const dialect = bitstampDialect(
    { money, ready: async () => undefined, terms: termsOf('bitstamp', shippedTerms('bitstamp')) },
    { exchange: 'bitstamp', ...KEYS },
  )
  assert.ok(dialect !== undefined)

  test('subscribes with a token to the pairs of what we move there', async () => {
    assert.equal(dialect.url, 'wss://ws.bitstamp.net')
    const { say, channels } = await dialect.open()
    assert.deepEqual(channels, [
      'private-my_orders_btceur-314159',
      'private-my_trades_btceur-314159',
    ])
    assert.deepEqual(JSON.parse(say[0] ?? ''), {
      event: 'bts:subscribe',
      data: { channel: 'private-my_orders_btceur-314159', auth: 'T1' },
    })
  })

  test('its messages name orders, confirm, refuse, and ask for another connection', () => {
    const heard = (message: object) => dialect.hear(JSON.stringify(message))
    // thrasher-corp/gocryptotrader, exchanges/bitstamp/testdata/wsMyOrders.json.
    const order = {
      data: {
        id: 1658869033291777,
        id_str: '1658869033291777',
        order_type: 1,
        datetime: '1693832303',
        microtimestamp: '1693832302664000',
        amount: 0,
        amount_str: '0',
        amount_traded: '0.00038692',
        amount_at_create: '0.00038692',
        price: 25845,
        price_str: '25845',
        trade_account_id: 3141592,
        client_order_id: reference,
      },
      channel: 'private-my_orders_btcusd-314159',
      event: 'order_deleted',
    }
    assert.deepEqual(heard(order), {
      heard: 'NEWS',
      news: [{ about: 'ORDER', client_order_id: reference }],
    })
    // A trade of an order without a client id, as recorded before there were any.
    const trade = {
      data: {
        id: 256568732,
        amount: '15.00000',
        price: '0.99982',
        microtimestamp: '1669538134992000',
        fee: '0.003',
        order_id: 1559359938404352,
        side: 'buy',
      },
      channel: 'private-my_trades_usdtusd-1106202',
      event: 'trade',
    }
    assert.deepEqual(heard(trade), {
      heard: 'NEWS',
      news: [{ about: 'ORDER', client_order_id: null }],
    })
    const [channel, data] = ['private-my_orders_btceur-314159', {}]
    assert.deepEqual(heard({ event: 'bts:subscription_succeeded', channel, data }), {
      heard: 'CHANNEL',
      channel,
    })
    const unauthorized = { code: 4009, message: 'Connection is unauthorized.' }
    assert.deepEqual(heard({ event: 'bts:error', channel: '', data: unauthorized }), {
      heard: 'END',
    })
    assert.deepEqual(heard({ event: 'bts:request_reconnect', channel: '', data: '' }), {
      heard: 'END',
    })
    assert.deepEqual(heard({ event: 'bts:heartbeat', channel: '', data: { status: 'success' } }), {
      heard: 'LIFE',
    })
  })
})

describe('the private stream of okx', () => {
  const [orders, movements] = okxDialects({ exchange: 'okx', ...KEYS })
  assert.ok(orders !== undefined && movements !== undefined)
  const heard = (message: object) => orders.hear(JSON.stringify(message))

  test('logs in with a signature over the time, at its hosts of the EEA', () => {
    assert.deepEqual(
      [orders.url, movements.url],
      ['wss://wseea.okx.com:8443/ws/v5/private', 'wss://wseea.okx.com:8443/ws/v5/business'],
    )
    // 1704876947 stands in OKX's documents; the signature was made with openssl.
    assert.deepEqual(JSON.parse(loginMessage(KEYS, 1_704_876_947_000)), {
      op: 'login',
      args: [
        {
          apiKey: 'key',
          passphrase: 'words',
          timestamp: '1704876947',
          sign: '5/36BgGV6m/6pmdc20zdqk0mzF5ZalmzzPD2fo3wavU=',
        },
      ],
    })
  })

  test('subscribes when it is admitted, and begins anew when it is not', () => {
    assert.deepEqual(heard({ event: 'login', code: '0', msg: '', connId: 'a4d3ae55' }), {
      heard: 'ADMITTED',
      say: ['{"op":"subscribe","args":[{"channel":"orders","instType":"SPOT"}]}'],
    })
    const arg = { channel: 'orders', instType: 'SPOT' }
    assert.deepEqual(heard({ event: 'subscribe', arg, connId: 'a4d3ae55' }), {
      heard: 'CHANNEL',
      channel: 'orders',
    })
    const count = { channel: 'orders', connCount: '1', connId: 'a4d3ae55' }
    assert.deepEqual(heard({ event: 'channel-conn-count', ...count }), { heard: 'LIFE' })
    for (const end of [
      { event: 'error', code: '60009', msg: 'Login failed.', connId: 'a4d3ae55' },
      { event: 'channel-conn-count-error', ...count },
      { event: 'notice', code: '64008', msg: 'The connection will soon be closed' },
    ])
      assert.deepEqual(heard(end), { heard: 'END' })
    assert.deepEqual(orders.hear('pong'), { heard: 'LIFE' })
  })

  test('its messages name orders by our reference, and tell deposits and withdrawals', () => {
    // JKorf/OKX.Net, Subscriptions/Unified/Trading/Order.txt, in part.
    const order = {
      accFillSz: '0.001',
      clOrdId: toClientId(reference),
      fillPx: '31527.1',
      fillSz: '0.001',
      instId: 'BTC-USDT',
      instType: 'SPOT',
      ordId: '452197707845865472',
      state: 'filled',
      tradeId: '242589207',
    }
    const arg = { channel: 'orders', instType: 'SPOT', uid: '77982378738415879' }
    assert.deepEqual(heard({ arg, data: [order, { ...order, clOrdId: '' }] }), {
      heard: 'NEWS',
      news: [
        { about: 'ORDER', client_order_id: reference },
        { about: 'ORDER', client_order_id: null },
      ],
    })
    // The same, Subscriptions/Unified/Account/Deposit.txt and Withdrawal.txt, in part.
    const deposit = { amt: '1', ccy: 'USDT', chain: 'USDT-TRC20', depId: '88165462', state: '0' }
    const withdrawal = { amt: '2', ccy: 'USDT', clientId: '', state: '0', wdId: '63754560' }
    for (const [channel, data] of [
      ['deposit-info', deposit],
      ['withdrawal-info', withdrawal],
    ])
      assert.deepEqual(
        movements.hear(JSON.stringify({ arg: { channel, uid: '1' }, data: [data] })),
        { heard: 'NEWS', news: [{ about: 'TRANSFERS' }] },
      )
    assert.deepEqual(movements.hear('{'), { heard: 'NEWS', news: [{ about: 'ALL' }] })
  })
})

test('kraken says what changed a balance, and names orders', () => {
  const { hear } = krakenStream('wss://ws-auth.kraken.com/v2', async () => 'T1')
  const heard = (channel: string, ...data: object[]) =>
    hear(JSON.stringify({ channel, type: 'update', data, sequence: 4 }))
  // `category`: "Balances", docs.kraken.com; JKorf/Kraken.Net, KrakenBalanceUpdate.
  const balance = { asset: 'BTC', asset_class: 'currency', amount: 0.01, balance: 1.01 }
  assert.deepEqual(
    heard(
      'balances',
      { ...balance, type: 'deposit', category: 'deposit' },
      { ...balance, type: 'trade', category: 'trade' },
      balance,
    ),
    { heard: 'NEWS', news: [{ about: 'TRANSFERS' }, { about: 'ALL' }] },
  )
  assert.deepEqual(
    heard('executions', { order_id: 'O1', cl_ord_id: reference }, { order_id: 'O2' }),
    {
      heard: 'NEWS',
      news: [
        { about: 'ORDER', client_order_id: reference },
        { about: 'ORDER', client_order_id: null },
      ],
    },
  )
  assert.deepEqual(hear('{"channel":"heartbeat"}'), { heard: 'LIFE' })
})

test('a stream is open only while this process holds the lease of its credential', async () => {
  const sockets = new Set<Socket>()
  const server = createServer()
  server.on('upgrade', (request: IncomingMessage, socket: Socket) => {
    sockets.add(socket)
    // The next it says is its goodbye.
    socket.on('data', () => socket.end())
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined)
    const accept = createHash('sha1')
      .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest('base64')
    const head = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade']
    socket.write(`${[...head, `Sec-WebSocket-Accept: ${accept}`].join('\r\n')}\r\n\r\n`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  let tell = (_held: boolean): void => assert.fail('nobody hears of the lease')
  const lease = {
    held: false,
    onChange(hear: typeof tell) {
      tell = hear
      return () => undefined
    },
  }
  let opened = 0
  const stream = new AccountStream(
    {
      url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
      async open() {
        opened += 1
        return { say: [], channels: ['orders'] }
      },
      hear: () => ({ heard: 'LIFE' }),
      silent_ms: 60_000,
      again_ms: 10,
    },
    new LeasedCredential(lease),
  )
  const change = (held: boolean) => {
    lease.held = held
    tell(held)
  }
  stream.start()
  assert.equal(opened, 0)
  change(true)
  await until('a connection', () => sockets.size === 1)
  change(false)
  await until('its end', () => sockets.size === 0)
  assert.equal(opened, 1)
  change(true)
  await until('another connection', () => sockets.size === 1)
  assert.equal(opened, 2)
  stream.close()
  await until('the end', () => sockets.size === 0)
  server.close()
})
