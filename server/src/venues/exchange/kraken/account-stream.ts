/**
 * What Kraken says of the account over its websocket, version 2: the channels `balances` and
 * `executions` (docs.kraken.com/exchange/api-reference/spot-websocket-v2/balances and
 * …/executions).
 */
import type { News } from '../../contract.ts'
import { messageIn } from '../account-stream.ts'
import type { Heard, StreamDialect } from '../account-stream.ts'
import type { Row } from '../answers.ts'

const CHANNELS = ['balances', 'executions'] as const
/** Kraken sends a heartbeat about every second ("Reconnection", docs.kraken.com). */
const SILENT_MILLISECONDS = 10_000
const AGAIN_MILLISECONDS = 5_000

/** `token` costs a call. */
export const krakenStream = (url: string, token: () => Promise<string>): StreamDialect => ({
  url,
  async open() {
    const given = await token()
    const say = CHANNELS.map((channel) =>
      JSON.stringify({ method: 'subscribe', params: { channel, token: given } }),
    )
    return { say, channels: CHANNELS }
  },
  hear,
  silent_ms: SILENT_MILLISECONDS,
  again_ms: AGAIN_MILLISECONDS,
})

function hear(text: string): Heard {
  const message = messageIn(text)
  if (message === undefined) return { heard: 'NEWS', news: [{ about: 'ALL' }] }
  if (message['method'] === 'subscribe') {
    const { channel } = (message['result'] ?? {}) as Row
    return message['success'] === true
      ? { heard: 'CHANNEL', channel: String(channel) }
      : { heard: 'END' }
  }
  const rows = Array.isArray(message['data']) ? (message['data'] as Row[]) : [{}]
  if (message['channel'] === 'balances') return { heard: 'NEWS', news: rows.flatMap(balanceNews) }
  if (message['channel'] === 'executions') return { heard: 'NEWS', news: rows.map(orderNews) }
  return { heard: 'LIFE' }
}

/**
 * `category` says what changed the balance ("Balances", docs.kraken.com). Of a trade the channel
 * `executions` tells too.
 */
function balanceNews({ category }: Row): News[] {
  if (category === 'trade') return []
  const isTransfer = category === 'deposit' || category === 'withdrawal'
  return [{ about: isTransfer ? 'TRANSFERS' : 'ALL' }]
}

function orderNews({ cl_ord_id }: Row): News {
  return { about: 'ORDER', client_order_id: typeof cl_ord_id === 'string' ? cl_ord_id : null }
}
