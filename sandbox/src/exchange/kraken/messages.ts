/**
 * The messages of Kraken's websocket version 2. Figures are JSON numbers with the pair's decimals.
 */
import { crc32 } from 'node:zlib'
import type { Exchange } from '../exchange.ts'
import { fixed } from '../figures.ts'
import type { Figure } from '../figures.ts'
import type { Level, Levels } from '../order-book.ts'
import type { Pair } from './pairs.ts'

const CHECKSUM_LEVELS = 10

type MessageType = 'snapshot' | 'update'

export function statusMessage({ status }: Exchange): string {
  return JSON.stringify({
    channel: 'status',
    type: 'update',
    data: [
      {
        version: '2.0.10',
        system: status(),
        api_version: 'v2',
        connection_id: 13834774380200032000,
      },
    ],
  })
}

/** `levels` is what the message tells, `top` the book after it, which the checksum covers. */
export function bookMessage(
  pair: Pair,
  levels: Levels,
  top: Levels,
  { type, now }: { type: MessageType; now: number },
): string {
  const fields = {
    symbol: `"${pair.symbol}"`,
    bids: levelsText(pair, levels.bids),
    asks: levelsText(pair, levels.asks),
    checksum: String(checksum(pair, top)),
    ...(type === 'update' ? { timestamp: `"${new Date(now).toISOString()}"` } : {}),
  }
  return `{"channel":"book","type":"${type}","data":[${objectText(fields)}]}`
}

export function tickerMessage(
  { matching, market }: Exchange,
  pair: Pair,
  type: MessageType,
): string {
  const { bids, asks } = matching.book(pair)
  const day = market.statistics(pair)
  const price = (value: Figure) => fixed(value, pair.pair_decimals)
  const quantity = (value: Figure) => fixed(value, pair.lot_decimals)
  const change = day.last - day.open
  const percent = day.open === 0n ? 0n : (change * 100n * 10n ** 18n) / day.open
  const fields = {
    symbol: `"${pair.symbol}"`,
    bid: price(bids[0]?.price ?? 0n),
    bid_qty: quantity(bids[0]?.quantity ?? 0n),
    ask: price(asks[0]?.price ?? 0n),
    ask_qty: quantity(asks[0]?.quantity ?? 0n),
    last: price(day.last),
    volume: quantity(day.volume),
    vwap: price(day.vwap),
    low: price(day.low),
    high: price(day.high),
    change: price(change),
    change_pct: fixed(percent, 2),
  }
  return `{"channel":"ticker","type":"${type}","data":[${objectText(fields)}]}`
}

/** A JSON object whose values are JSON texts already: numbers keep their zeros at the end. */
export function objectText(fields: Readonly<Record<string, string>>): string {
  return `{${Object.entries(fields)
    .map(([name, text]) => `"${name}":${text}`)
    .join(',')}}`
}

function levelsText(pair: Pair, levels: readonly Level[]): string {
  const texts = levels.map(({ price, quantity }) =>
    objectText({
      price: fixed(price, pair.pair_decimals),
      qty: fixed(quantity, pair.lot_decimals),
    }),
  )
  return `[${texts.join(',')}]`
}

/**
 * Kraken's: the best ten asks, then bids, each price and quantity without point and leading zeros,
 * as one text.
 */
function checksum(pair: Pair, top: Levels): number {
  const digits = (value: Figure, decimals: number) =>
    fixed(value, decimals).replace('.', '').replace(/^0+/, '')
  const side = (levels: Level[]) =>
    levels
      .slice(0, CHECKSUM_LEVELS)
      .map(
        (level) =>
          digits(level.price, pair.pair_decimals) + digits(level.quantity, pair.lot_decimals),
      )
      .join('')
  return crc32(side(top.asks) + side(top.bids))
}
