/**
 * What OKX says of the account by itself: the channel `orders` at /private, `deposit-info` and
 * `withdrawal-info` at /business ("Order channel", "Deposit info channel", "Withdrawal info
 * channel", www.okx.com/docs-v5). Each connection logs in with a signature of its own ("Login").
 *
 * The channels of balances are not used: they show the trading wallet alone, which trades and moves
 * between the wallets change, and the former are told by `orders`.
 */
import { createHmac } from 'node:crypto'
import { messageIn } from '../account-stream.ts'
import type { Heard, StreamDialect } from '../account-stream.ts'
import type { Row } from '../answers.ts'
import type { ExchangeConfig } from '../ccxt.ts'
import { fromClientId } from './vocabulary.ts'

const STREAM = 'wss://wseea.okx.com:8443/ws/v5'
/**
 * "The connection will break automatically if … data has not been pushed for more than 30 seconds"
 * ("Connect"); the text `ping` is answered by `pong`.
 */
const PING_MILLISECONDS = 14_000
const AGAIN_MILLISECONDS = 1_000

type Channel = { channel: string; instType?: string }
const SERVICES: Readonly<Record<'private' | 'business', readonly Channel[]>> = {
  private: [{ channel: 'orders', instType: 'SPOT' }],
  business: [{ channel: 'deposit-info' }, { channel: 'withdrawal-info' }],
}

/** None at a server of one's own that has none. */
export function okxDialects(config: ExchangeConfig): StreamDialect[] {
  const { base_url, websocket_url, keep_alive_ms = PING_MILLISECONDS } = config
  const url = websocket_url ?? (base_url === undefined ? STREAM : undefined)
  if (url === undefined) return []
  return Object.entries(SERVICES).map(([service, channels]) => ({
    url: `${url}/${service}`,
    open: async () => ({
      say: [loginMessage(config, Date.now())],
      channels: channels.map(({ channel }) => channel),
    }),
    hear: (text) => hear(text, channels),
    ping: { text: 'ping', after_ms: keep_alive_ms },
    silent_ms: 2 * keep_alive_ms,
    again_ms: AGAIN_MILLISECONDS,
  }))
}

/** "timestamp + 'GET' + '/users/self/verify'", signed as a request is ("Login"). */
export function loginMessage(
  {
    api_key,
    api_secret,
    passphrase = '',
  }: Pick<ExchangeConfig, 'api_key' | 'api_secret' | 'passphrase'>,
  now: number,
): string {
  const timestamp = String(Math.floor(now / 1000))
  const sign = createHmac('sha256', api_secret)
    .update(`${timestamp}GET/users/self/verify`)
    .digest('base64')
  return JSON.stringify({ op: 'login', args: [{ apiKey: api_key, passphrase, timestamp, sign }] })
}

/** `notice`: OKX is about to end the connection ("Notification"). */
const ENDS: ReadonlySet<unknown> = new Set(['error', 'channel-conn-count-error', 'notice'])

function hear(text: string, channels: readonly Channel[]): Heard {
  if (text === 'pong') return { heard: 'LIFE' }
  const message = messageIn(text)
  const event = message?.['event']
  const { channel } = (message?.['arg'] ?? {}) as Row
  if (ENDS.has(event)) return { heard: 'END' }
  if (event === 'login')
    return message?.['code'] === '0'
      ? { heard: 'ADMITTED', say: [JSON.stringify({ op: 'subscribe', args: channels })] }
      : { heard: 'END' }
  if (event === 'subscribe') return { heard: 'CHANNEL', channel: String(channel) }
  if (event !== undefined) return { heard: 'LIFE' }
  if (channel === 'deposit-info' || channel === 'withdrawal-info')
    return { heard: 'NEWS', news: [{ about: 'TRANSFERS' }] }
  const rows = Array.isArray(message?.['data']) ? (message['data'] as Row[]) : [{}]
  return {
    heard: 'NEWS',
    news:
      channel === 'orders'
        ? rows.map((row) => ({ about: 'ORDER', client_order_id: fromClientId(row, 'clOrdId') }))
        : [{ about: 'ALL' }],
  }
}
