/**
 * OKX's websocket by ccxt's connection: the channels `books` and `tickers`. Each message of a book
 * names the one before it, so a lost one is noticed. Figures are texts and stay exact.
 */
import { tryDecimal } from '../../../core/decimal.ts'
import type { Decimal } from '../../../core/decimal.ts'
import type { Level } from '../../contract.ts'
import { exact, row, rows, unreadableAnswer } from '../answers.ts'
import type { Row } from '../answers.ts'
import { loadBooks } from '../ccxt.ts'
import type { Books, ExchangeConfig } from '../ccxt.ts'
import { BrokenBook } from '../book-source.ts'
import type { BookSource, Sides } from '../book-source.ts'

const DEPTH = 25
/** In a quiet market only the answers to these come. */
const KEEP_ALIVE_MILLISECONDS = 5_000

type OkxBooks = Books & {
  urls: { api: { ws: string } }
  watch(url: string, hash: string, request: object, subscription: string): Promise<unknown>
}

export function okxBooks(config: ExchangeConfig): BookSource<OkxBooks> {
  return {
    name: 'okx',
    open: () => loadBooks<OkxBooks>(config, KEEP_ALIVE_MILLISECONDS, (url) => ({ ws: url })),
    listen(source, to) {
      const own = source.handleMessage
      const followed = new Map<string, FollowedBook>()
      const symbolOf = (id: unknown) =>
        Object.entries(source.markets ?? {}).find(([, market]) => market.id === id)?.[0]
      source.handleMessage = (client, message) => {
        client.lastPong = Date.now()
        to.noteAlive()
        // The answer to a ping is a text of its own.
        if (typeof message !== 'object') return
        if (message['event'] === 'error')
          throw new BrokenBook('the exchange refuses the subscription')
        if (message['event'] !== undefined) return
        const { channel, instId } = row(message['arg'])
        const symbol = symbolOf(instId)
        if (symbol === undefined) return
        for (const data of rows(message['data'])) {
          if (channel === 'tickers') to.ticker(symbol, tickerOf(data))
          if (channel !== 'books') continue
          if (message['action'] === 'snapshot') followed.set(symbol, new FollowedBook())
          const book = followed.get(symbol)
          if (book?.take(data) === true) to.book(symbol, book.sides())
        }
        client.resolve(symbol, `${String(channel)}:${String(instId)}`)
      }
      return () => {
        source.handleMessage = own
      }
    },
    watchers(source, symbols) {
      const url = `${source.urls.api.ws}/public`
      return symbols.flatMap((symbol) =>
        ['books', 'tickers'].map((channel) => {
          const instId = source.markets?.[symbol]?.id
          const hash = `${channel}:${instId}`
          const request = { op: 'subscribe', args: [{ channel, instId }] }
          return () => source.watch(url, hash, request, hash)
        }),
      )
    },
  }
}

/** One book, from its snapshot on. */
class FollowedBook {
  readonly #bids = new Map<Decimal, Decimal>()
  readonly #asks = new Map<Decimal, Decimal>()
  #seqId: number | undefined

  /** False for a message that came before. */
  take(data: Row): boolean {
    const [seqId, prevSeqId] = [Number(data['seqId']), Number(data['prevSeqId'])]
    if (!Number.isFinite(seqId) || !Number.isFinite(prevSeqId)) throw unreadableAnswer('seqId')
    if (this.#seqId !== undefined) {
      if (seqId === this.#seqId && prevSeqId !== seqId) return false
      if (prevSeqId !== this.#seqId) throw new BrokenBook('a message of the order book is missing')
    }
    this.#seqId = seqId
    apply(this.#bids, data['bids'])
    apply(this.#asks, data['asks'])
    return true
  }

  sides(): Sides {
    return {
      bids: best(this.#bids, (a, b) => (a > b ? -1 : 1)),
      asks: best(this.#asks, (a, b) => (a < b ? -1 : 1)),
    }
  }
}

/** A level of no quantity is gone. */
function apply(side: Map<Decimal, Decimal>, levels: unknown): void {
  if (!Array.isArray(levels)) throw unreadableAnswer('a side of the book')
  for (const level of levels) {
    const [price, quantity] = [level].flat().map((figure) => tryDecimal(String(figure)))
    if (price === undefined || quantity === undefined) throw unreadableAnswer('a level of the book')
    if (quantity === 0n) side.delete(price)
    else side.set(price, quantity)
  }
}

const best = (side: Map<Decimal, Decimal>, order: (a: Decimal, b: Decimal) => number): Level[] =>
  [...side]
    .toSorted(([a], [b]) => order(a, b))
    .slice(0, DEPTH)
    .map(([price, quantity]) => ({ price, quantity }))

/** `vol24h` is in the base asset. */
function tickerOf(data: Row) {
  const [last, open] = [exact(data, 'last'), exact(data, 'open24h')]
  return {
    bid: exact(data, 'bidPx'),
    ask: exact(data, 'askPx'),
    last,
    volume_24h: exact(data, 'vol24h'),
    change_24h: open === 0n ? null : ((last - open) * 10n ** 18n) / open,
  }
}
