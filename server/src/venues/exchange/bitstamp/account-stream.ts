/**
 * What Bitstamp says of the account over its websocket, version 2: the channels
 * `private-my_orders_<pair>-<user>` and `private-my_trades_<pair>-<user>`
 * (www.bitstamp.net/websocket/v2). There is one for each pair, and none for deposits, withdrawals
 * and balances. A token lives for 60 seconds ("Websockets token", www.bitstamp.net/api): it is
 * needed to subscribe, so each connection takes a new one.
 */
import { messageIn } from '../account-stream.ts'
import type { Heard, StreamDialect } from '../account-stream.ts'
import { row, text, word } from '../answers.ts'
import type { Row } from '../answers.ts'
import type { ExchangeConfig } from '../ccxt.ts'
import type { Terms } from '../../terms.ts'
import type { BitstampMoney } from './money.ts'

const STREAM = 'wss://ws.bitstamp.net'
const CHANNELS = ['private-my_orders', 'private-my_trades'] as const
/** "bts:heartbeat" is answered. In an account where nothing happens only these answers come. */
const PING_MILLISECONDS = 10_000
const AGAIN_MILLISECONDS = 1_000

type Parts = {
  money: BitstampMoney
  ready(): Promise<void>
  terms: Terms
}

/** Undefined at a server of one's own that has none. */
export function bitstampDialect(
  { money, ready, terms }: Parts,
  { base_url, websocket_url, keep_alive_ms = PING_MILLISECONDS }: ExchangeConfig,
): StreamDialect | undefined {
  const url = websocket_url ?? (base_url === undefined ? STREAM : undefined)
  if (url === undefined) return undefined
  return {
    url,
    async open() {
      await ready()
      const answer = row(await money.privatePostWebsocketsToken({}))
      const auth = text(answer, 'token')
      const user = word(answer, 'user_id')
      const channels = CHANNELS.flatMap((channel) =>
        ourPairs(money, terms).map((pair) => `${channel}_${pair}-${user}`),
      )
      const say = channels.map((channel) =>
        JSON.stringify({ event: 'bts:subscribe', data: { channel, auth } }),
      )
      return { say, channels }
    },
    hear,
    ping: { text: JSON.stringify({ event: 'bts:heartbeat' }), after_ms: keep_alive_ms },
    silent_ms: 2 * keep_alive_ms,
    again_ms: AGAIN_MILLISECONDS,
  }
}

/** The pairs of what we move there. Trades of others are found by the list alone. */
function ourPairs({ markets }: BitstampMoney, { all }: Terms): string[] {
  const assets = new Set(all.map(({ asset }) => asset))
  return Object.values(markets ?? {})
    .filter(({ active, base, quote }) => active && assets.has(base) && assets.has(quote))
    .map(({ id }) => id)
}

/** The events `order_created`, `order_changed`, `order_deleted` and `trade` are one to us. */
function hear(text: string): Heard {
  const message = messageIn(text)
  const event = message?.['event']
  const channel = message?.['channel']
  if (event === 'bts:subscription_succeeded') return { heard: 'CHANNEL', channel: String(channel) }
  if (event === 'bts:error' || event === 'bts:request_reconnect') return { heard: 'END' }
  if (typeof event === 'string' && event.startsWith('bts:')) return { heard: 'LIFE' }
  const { client_order_id } = (message?.['data'] ?? {}) as Row
  const named = typeof client_order_id === 'string' && client_order_id !== ''
  return {
    heard: 'NEWS',
    news: [{ about: 'ORDER', client_order_id: named ? client_order_id : null }],
  }
}
