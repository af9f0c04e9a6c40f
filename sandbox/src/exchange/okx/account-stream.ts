/**
 * Websockets at /okx/ws/v5/private (channel `orders`) and /okx/ws/v5/business (`deposit-info`,
 * `withdrawal-info`), with a login ("Login", "Order channel", "Deposit info channel", "Withdrawal
 * info channel", "Connection count limit"). Nothing is told again to who was away. A connection
 * that is told nothing for 30 seconds ends ("Connect"). The fault `notice` announces the end of the
 * connections at one of both ("Notification"): it takes two for both.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Exchange } from '../exchange.ts'
import { openSockets } from '../sockets.ts'
import type { SocketClient, Sockets } from '../sockets.ts'
import { depositsOf, withdrawalsOf } from './funding-operations.ts'
import { openOrderMessages } from './order-messages.ts'

const CHANNELS = {
  private: ['orders'],
  business: ['deposit-info', 'withdrawal-info'],
} as const
type Service = keyof typeof CHANNELS

const SILENT_MILLISECONDS = 30_000
const EXPIRED_SECONDS = 30
const CONNECTIONS_AT_MOST = 30
/** Movements are compared so often, and so many of the newest. */
const LOOK_MILLISECONDS = 250
const NEWEST_MOVEMENTS = 50

type Argument = { channel?: string; instType?: string; ccy?: string }
type Chosen = { admitted: boolean; channels: Map<string, Argument>; connId: string }
type Client = SocketClient<Chosen>
type Request = { op?: string; args?: Record<string, string>[] }

type AccountStream = {
  /** By its path. */
  upgradeTo(service: Service): Sockets<Chosen>['upgrade']
  close(): void
}

export function openAccountStream(exchange: Exchange): AccountStream {
  const { world } = exchange
  const orderMessages = openOrderMessages(exchange)
  const movementMessages = openMovementMessages(exchange)
  const services = {
    private: openService(exchange, 'private', () => undefined),
    business: openService(exchange, 'business', movementMessages.begin),
  }
  world.onTick(() => {
    const orders = orderMessages()
    for (const sockets of Object.values(services)) suffer(exchange, sockets)
    for (const data of orders) tell(exchange, services.private, 'orders', data)
    if (services.business.clients.size === 0) movementMessages.forget()
    else
      for (const { channel, data } of movementMessages.news())
        tell(exchange, services.business, channel, data)
  })
  return {
    upgradeTo: (service) => services[service].upgrade,
    close() {
      for (const sockets of Object.values(services)) sockets.close()
    },
  }
}

/** `begun`: somebody listens from now on. */
function openService(exchange: Exchange, service: Service, begun: () => void): Sockets<Chosen> {
  const begin = (): Chosen => ({
    admitted: false,
    channels: new Map(),
    connId: randomBytes(4).toString('hex'),
  })
  const sockets: Sockets<Chosen> = openSockets<Chosen>(exchange.world, exchange.rules.part, begin, {
    hear: (client, text) => {
      for (const reply of repliesTo({ exchange, sockets, service, begun }, client, text))
        sockets.say(client, reply)
    },
  })
  return sockets
}

function suffer({ world, rules }: Exchange, sockets: Sockets<Chosen>): void {
  if (sockets.clients.size === 0) return
  sockets.suffer()
  const isEnding = world.faults.takeNamed(rules.part, 'notice') !== undefined
  const msg = 'The connection will soon be closed for a service upgrade. Please reconnect.'
  for (const client of sockets.clients) {
    const { connId } = client.chosen
    if (isEnding)
      sockets.say(client, JSON.stringify({ event: 'notice', code: '64008', msg, connId }))
    if (Date.now() - client.spokenAt > SILENT_MILLISECONDS) client.socket.terminate()
  }
}

function tell({ rules }: Exchange, sockets: Sockets<Chosen>, channel: string, data: object): void {
  for (const client of sockets.clients) {
    const arg = client.chosen.channels.get(channel)
    if (arg !== undefined)
      sockets.say(client, JSON.stringify({ arg: { ...arg, uid: rules.client_tag }, data: [data] }))
  }
}

type Listening = {
  exchange: Exchange
  sockets: Sockets<Chosen>
  service: Service
  begun(): void
}

/** Follows a client's request and answers what is sent back. */
function repliesTo(listening: Listening, client: Client, text: string): string[] {
  if (text === 'ping') return ['pong']
  const { chosen } = client
  const refuse = (code: string, msg: string) => [
    JSON.stringify({ event: 'error', code, msg, connId: chosen.connId }),
  ]
  let request: Request
  try {
    request = JSON.parse(text) as Request
  } catch {
    return refuse('60012', `Illegal request: ${text}`)
  }
  const { op, args } = request
  if (!Array.isArray(args)) return refuse('60012', `Illegal request: ${text}`)
  if (op === 'login') {
    const objection = objectionTo(listening.exchange, args[0] ?? {})
    if (objection !== undefined) return refuse(...objection)
    chosen.admitted = true
    const { connId } = chosen
    return [JSON.stringify({ event: 'login', code: '0', msg: '', connId })]
  }
  if (op !== 'subscribe') return refuse('60019', `Invalid op: ${String(op)}`)
  if (!chosen.admitted) return refuse('60011', 'Please log in')
  return args.flatMap((arg) => subscribe(listening, client, arg))
}

function subscribe(
  { sockets, service, begun }: Listening,
  { chosen }: Client,
  arg: Argument,
): string[] {
  const { channel = '' } = arg
  const { connId } = chosen
  if (!CHANNELS[service].some((known) => known === channel)) {
    const msg = `Wrong URL or channel:${channel} doesn't exist. Please use the correct URL.`
    return [JSON.stringify({ event: 'error', code: '60018', msg, connId })]
  }
  const done = JSON.stringify({ event: 'subscribe', arg, connId })
  chosen.channels.set(channel, arg)
  begun()
  if (service !== 'private') return [done]
  const count = [...sockets.clients].filter(({ chosen }) => chosen.channels.has(channel)).length
  const isTooMany = count > CONNECTIONS_AT_MOST
  if (isTooMany) chosen.channels.delete(channel)
  const event = isTooMany ? 'channel-conn-count-error' : 'channel-conn-count'
  const connCount = String(Math.min(count, CONNECTIONS_AT_MOST))
  return [done, JSON.stringify({ event, channel, connCount, connId })]
}

/** Why somebody may not log in. */
function objectionTo(
  { credentials }: Exchange,
  { apiKey, passphrase, timestamp = '', sign = '' }: Record<string, string>,
): [code: string, msg: string] | undefined {
  if (apiKey !== credentials.api_key) return ['60005', 'Invalid apiKey']
  if (passphrase !== credentials.passphrase) return ['60024', 'Wrong passphrase']
  if (!/^[0-9]{10}(\.[0-9]+)?$/.test(timestamp)) return ['60004', 'Invalid timestamp']
  // Real time: the client's clock does not follow the world's.
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > EXPIRED_SECONDS)
    return ['60006', 'Timestamp request expired']
  const expected = createHmac('sha256', credentials.api_secret)
    .update(`${timestamp}GET/users/self/verify`)
    .digest()
  const given = Buffer.from(sign, 'base64')
  const isRight = given.length === expected.length && timingSafeEqual(given, expected)
  return isRight ? undefined : ['60007', 'Invalid sign']
}

type MovementMessages = {
  /** From now on. */
  begin(): void
  news(): { channel: string; data: object }[]
  /** Nobody listens. */
  forget(): void
}

function openMovementMessages(exchange: Exchange): MovementMessages {
  const { world, rules } = exchange
  let known: ReadonlyMap<string, string> | undefined
  let lookedAt = 0
  const list = () => [
    ...depositsOf(exchange, NEWEST_MOVEMENTS).map((row) => ({
      channel: 'deposit-info',
      id: `deposit ${row.depId}`,
      row,
    })),
    ...withdrawalsOf(exchange, NEWEST_MOVEMENTS).map((row) => ({
      channel: 'withdrawal-info',
      id: `withdrawal ${row.wdId}`,
      row,
    })),
  ]
  const statesOf = (listed: ReturnType<typeof list>) =>
    new Map(listed.map(({ id, row }) => [id, row.state]))
  return {
    begin() {
      known ??= statesOf(list())
    },
    forget() {
      known = undefined
    },
    news() {
      const before = known
      if (before === undefined || Date.now() - lookedAt < LOOK_MILLISECONDS) return []
      lookedAt = Date.now()
      const listed = list()
      known = statesOf(listed)
      const rest = { uid: rules.client_tag, subAcct: '', pTime: String(world.now()) }
      return listed
        .filter(({ id, row }) => before.get(id) !== row.state)
        .map(({ channel, row }) => ({ channel, data: { ...row, ...rest } }))
    },
  }
}
