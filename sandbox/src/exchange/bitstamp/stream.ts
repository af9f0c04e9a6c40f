/**
 * Websocket at /bitstamp/ws: `order_book_<pair>` tells the best hundred levels of each side
 * whenever they changed, and once after the subscription; `diff_order_book_<pair>` tells what
 * changed, without a snapshot. Figures are texts.
 */
import type { Exchange } from '../exchange.ts'
import { fixed } from '../figures.ts'
import type { Pair } from '../rules.ts'
import { changesOf, crossed, openSockets, topOf } from '../sockets.ts'
import type { SocketClient, Sockets, Top } from '../sockets.ts'
import { bookView } from './operations.ts'

const WHOLE = 100_000

export type Stream = Pick<Sockets<Set<string>>, 'upgrade' | 'close'>

export function openStream({ world, rules, matching, status }: Exchange): Stream {
  const published = new Map<string, Top>(
    rules.pairs.map((pair) => [pair.id, topOf(matching, pair, WHOLE)]),
  )
  const sockets = openSockets<Set<string>>(world, rules.part, () => new Set(), { hear })
  const { clients, say } = sockets
  const channelsOf = (pair: Pair) => ({
    whole: `order_book_${pair.id}`,
    changes: `diff_order_book_${pair.id}`,
  })
  const message = (channel: string, data: object) =>
    JSON.stringify({ data, channel, event: 'data' })

  function hear(client: SocketClient<Set<string>>, text: string) {
    const refuse = (reason: string) => {
      say(
        client,
        JSON.stringify({ event: 'bts:error', channel: '', data: { code: null, message: reason } }),
      )
    }
    let request: { event?: string; data?: { channel?: string } }
    try {
      request = JSON.parse(text) as typeof request
    } catch {
      return refuse('Incorrect JSON format.')
    }
    if (request.event === 'bts:heartbeat') {
      say(
        client,
        JSON.stringify({ event: 'bts:heartbeat', channel: '', data: { status: 'success' } }),
      )
      return
    }
    const channel = request.data?.channel ?? ''
    const pair = rules.pairs.find((pair) => Object.values(channelsOf(pair)).includes(channel))
    if (pair === undefined) return refuse('Bad subscription string.')
    if (request.event === 'bts:unsubscribe') {
      client.chosen.delete(channel)
      say(client, JSON.stringify({ event: 'bts:unsubscription_succeeded', channel, data: {} }))
      return
    }
    if (request.event !== 'bts:subscribe') return refuse('Unknown event.')
    client.chosen.add(channel)
    say(client, JSON.stringify({ event: 'bts:subscription_succeeded', channel, data: {} }))
    if (channel === channelsOf(pair).whole)
      say(client, message(channel, bookView(pair, matching.book(pair), world.now())))
  }

  const differences = (pair: Pair, changes: Top, now: number) => {
    const rows = (levels: Top['bids']) =>
      levels.map((level) => [
        fixed(level.price, pair.pair_decimals),
        fixed(level.quantity, pair.lot_decimals),
      ])
    return {
      timestamp: String(Math.floor(now / 1000)),
      microtimestamp: String(now * 1000),
      bids: rows(changes.bids),
      asks: rows(changes.asks),
    }
  }
  const publish = (pair: Pair) => {
    const before = published.get(pair.id) ?? { bids: [], asks: [] }
    const after = topOf(matching, pair, WHOLE)
    published.set(pair.id, after)
    const changes = changesOf(before, after, after)
    if (changes.bids.length + changes.asks.length === 0) return
    const listeners = [...clients].filter((client) =>
      Object.values(channelsOf(pair)).some((channel) => client.chosen.has(channel)),
    )
    if (listeners.length === 0) return
    const fault = sockets.faultOf('book')
    if (fault?.kind === 'REFUSE') return
    const told =
      world.faults.takeNamed(rules.part, 'crossed') === undefined ? after : crossed(after)
    const { whole, changes: changed } = channelsOf(pair)
    for (const client of listeners) {
      for (let times = fault?.kind === 'TWICE' ? 2 : 1; times > 0; times -= 1) {
        if (client.chosen.has(whole)) say(client, message(whole, bookView(pair, told, world.now())))
        if (client.chosen.has(changed))
          say(client, message(changed, differences(pair, changes, world.now())))
      }
    }
  }

  world.onTick(() => {
    const changed = matching.changed()
    if (clients.size === 0) return
    sockets.suffer()
    if (status() === 'maintenance') return
    for (const pair of rules.pairs) if (changed.has(pair.id)) publish(pair)
  })
  return { upgrade: sockets.upgrade, close: sockets.close }
}
