/**
 * Websocket version 2, private channels `balances` and `executions`, with a token of
 * GetWebSocketsToken (docs.kraken.com/exchange/api-reference/spot-websocket-v2/balances and
 * …/executions). Each message has a sequence of its connection. Assumed: the error of a wrong
 * token, and that a hold for an order is no message of `balances`.
 */
import { randomBytes } from 'node:crypto'
import type { Exchange } from '../exchange.ts'
import { figure, fixed } from '../figures.ts'
import { openSockets } from '../sockets.ts'
import type { SocketClient, Sockets } from '../sockets.ts'
import type { Order } from '../orders.ts'
import { ASSETS } from './assets.ts'
import { objectText, statusMessage } from './messages.ts'
import { pair as pairOf } from './pairs.ts'
import type { Operation } from './request.ts'

const CHANNELS = ['balances', 'executions'] as const
type Channel = (typeof CHANNELS)[number]
type Subscriptions = { channels: Set<Channel>; sequence: number }
type Client = SocketClient<Subscriptions>

const HEARTBEAT_MILLISECONDS = 1_000
const TOKEN_SECONDS = 900

type Request = {
  method?: string
  req_id?: number
  params?: { channel?: string; token?: string }
}

type AccountStream = Pick<Sockets<Subscriptions>, 'upgrade' | 'close'> & {
  operations: Record<string, Operation>
}

export function openAccountStream(exchange: Exchange): AccountStream {
  const { world, rules } = exchange
  const tokens = new Map<string, number>()
  const sockets = openSockets<Subscriptions>(
    world,
    rules.part,
    () => ({ channels: new Set(), sequence: 0 }),
    {
      greet: (client) => {
        sockets.say(client, statusMessage(exchange))
      },
      hear: (client, text) => {
        hear({ exchange, sockets, isValid }, client, text)
      },
    },
  )
  const isValid = (token: string) => Date.now() < (tokens.get(token) ?? 0)
  const publish = publisher(exchange, sockets)
  world.onTick(publish)
  return {
    upgrade: sockets.upgrade,
    close: sockets.close,
    operations: {
      GetWebSocketsToken: () => {
        const token = randomBytes(32).toString('base64')
        tokens.set(token, Date.now() + TOKEN_SECONDS * 1000)
        return { token, expires: TOKEN_SECONDS }
      },
    },
  }
}

type Listening = {
  exchange: Exchange
  sockets: Sockets<Subscriptions>
  isValid(token: string): boolean
}

function hear({ exchange, sockets, isValid }: Listening, client: Client, text: string): void {
  let message: Request
  try {
    message = JSON.parse(text) as Request
  } catch {
    sockets.say(client, JSON.stringify({ error: 'Malformed request', success: false }))
    return
  }
  const { method, params, req_id } = message
  const now = new Date(exchange.world.now()).toISOString()
  const reply = { ...(req_id === undefined ? {} : { req_id }), time_in: now, time_out: now }
  const refuse = (error: string) => {
    sockets.say(client, JSON.stringify({ error, method, success: false, ...reply }))
  }
  if (method === 'ping') {
    sockets.say(client, JSON.stringify({ method: 'pong', ...reply }))
    return
  }
  const channel = CHANNELS.find((known) => known === params?.channel)
  if (method !== 'subscribe' || channel === undefined) return refuse('Subscription name invalid')
  if (!isValid(params?.token ?? '')) return refuse('ESession:Invalid session')
  client.chosen.channels.add(channel)
  const result = { channel, snapshot: true }
  sockets.say(client, JSON.stringify({ method, result, success: true, ...reply }))
  const data = channel === 'balances' ? balances(exchange).map(snapshotText) : openOrders(exchange)
  tell(sockets, client, { channel, type: 'snapshot', data })
}

type Telling = { channel: Channel; type: 'snapshot' | 'update'; data: readonly string[] }

function tell(
  { say }: Sockets<Subscriptions>,
  client: Client,
  { channel, type, data }: Telling,
): void {
  client.chosen.sequence += 1
  say(
    client,
    `{"channel":"${channel}","type":"${type}","data":[${data.join()}],` +
      `"sequence":${client.chosen.sequence}}`,
  )
}

type Balance = { asset: string; balance: string }

const balances = ({ accounts }: Exchange): Balance[] =>
  ASSETS.map(({ id, common, decimals }) => ({
    asset: common,
    balance: fixed(accounts.of('kontor', id).total, decimals),
  }))

const snapshotText = ({ asset, balance }: Balance): string =>
  objectText({
    asset: `"${asset}"`,
    asset_class: '"currency"',
    balance,
    wallets: `[{"type":"spot","id":"main","balance":${balance}}]`,
  })

const openOrders = ({ orders }: Exchange): string[] => orders.open().map(executionText)

/** What an order is now; a fill is not told apart from it. */
function executionText(order: Order): string {
  const { lot_decimals } = pairOf(order.pair)
  const filled = figure(order.executed)
  const quantity = fixed(figure(order.volume), lot_decimals)
  const status = statusOf(order)
  return objectText({
    order_id: `"${order.id}"`,
    ...(order.cl_ord_id === null ? {} : { cl_ord_id: JSON.stringify(order.cl_ord_id) }),
    symbol: `"${pairOf(order.pair).symbol}"`,
    side: `"${order.side}"`,
    order_type: `"${order.type}"`,
    order_qty: quantity,
    cum_qty: fixed(filled, lot_decimals),
    exec_type: `"${status === 'partially_filled' ? 'trade' : status}"`,
    order_status: `"${status}"`,
    timestamp: `"${new Date(order.closed_at ?? order.opened_at).toISOString()}"`,
  })
}

function statusOf({ status, executed }: Order): string {
  if (status === 'open') return figure(executed) === 0n ? 'new' : 'partially_filled'
  return status === 'closed' ? 'filled' : status
}

/** Tells at each tick what is another than at the last one. */
function publisher(exchange: Exchange, sockets: Sockets<Subscriptions>): () => void {
  let known = new Map<string, string>()
  return () => {
    const changed = exchange.orders.takeChanged()
    if (sockets.clients.size === 0) {
      // Who comes next is told every balance once more.
      known = new Map()
      return
    }
    const held = new Map(balances(exchange).map(({ asset, balance }) => [asset, balance]))
    const moved = [...held].filter(([asset, balance]) => known.get(asset) !== balance)
    known = held
    sockets.suffer()
    const now = new Date(exchange.world.now()).toISOString()
    const news: Record<Channel, string[]> = {
      balances: moved.map(([asset, balance]) =>
        objectText({
          asset: `"${asset}"`,
          asset_class: '"currency"',
          balance,
          timestamp: `"${now}"`,
          wallet_type: '"spot"',
          wallet_id: '"main"',
        }),
      ),
      executions: changed.map(executionText),
    }
    for (const client of sockets.clients) {
      for (const channel of CHANNELS)
        if (client.chosen.channels.has(channel) && news[channel].length > 0)
          tell(sockets, client, { channel, type: 'update', data: news[channel] })
      if (client.chosen.channels.size > 0 && Date.now() - client.spokenAt >= HEARTBEAT_MILLISECONDS)
        sockets.say(client, '{"channel":"heartbeat"}')
    }
  }
}
