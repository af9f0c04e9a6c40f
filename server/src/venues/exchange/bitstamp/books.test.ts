import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Message, Socket } from '../ccxt.ts'
import { BrokenBook } from '../book-source.ts'
import type { Sides } from '../book-source.ts'
import { bitstampBooks } from './books.ts'

test('a book may come twice; an older one after it is broken; a new connection starts anew', () => {
  const { listen } = bitstampBooks({ exchange: 'bitstamp', api_key: '', api_secret: '' })
  const source = {
    markets: { 'BTC/EUR': { id: 'btceur', info: {} } },
    handleMessage: () => undefined,
  } as unknown as Parameters<typeof listen>[0]
  const books: Sides[] = []
  const begin = () =>
    listen(source, {
      noteAlive: () => undefined,
      book: (_symbol, sides) => {
        books.push(sides)
      },
      ticker: () => undefined,
    })
  const client = { resolve: () => undefined } as Socket
  const book = (microtimestamp: string): Message => ({
    event: 'data',
    channel: 'order_book_btceur',
    data: { timestamp: '1', microtimestamp, bids: [['60000', '1']], asks: [['60001', '0.5']] },
  })
  let stop = begin()
  for (const time of ['1700000000000100', '1700000000000100', '1700000000000200'])
    source.handleMessage(client, book(time))
  assert.equal(books.length, 3)
  assert.throws(() => {
    source.handleMessage(client, book('1700000000000199'))
  }, BrokenBook)
  assert.equal(books.length, 3)
  stop()
  stop = begin()
  source.handleMessage(client, book('1700000000000150'))
  assert.equal(books.length, 4)
  stop()
})
