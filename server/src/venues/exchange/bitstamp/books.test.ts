import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Message, Socket } from '../ccxt.ts'
import { BrokenBook } from '../prices.ts'
import type { Sides } from '../prices.ts'
import { bitstampBooks } from './books.ts'

test('a book may be told twice; an older one after a newer one is broken, and a new connection starts anew', () => {
  const { listen } = bitstampBooks({ exchange: 'bitstamp', api_key: '', api_secret: '' })
  const source = {
    markets: { 'BTC/EUR': { id: 'btceur', info: {} } },
    handleMessage: () => undefined,
  } as unknown as Parameters<typeof listen>[0]
  const told: Sides[] = []
  const begin = () =>
    listen(source, {
      heard: () => undefined,
      book: (_symbol, sides) => {
        told.push(sides)
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
  assert.equal(told.length, 3)
  assert.throws(() => {
    source.handleMessage(client, book('1700000000000199'))
  }, BrokenBook)
  assert.equal(told.length, 3)
  stop()
  stop = begin()
  source.handleMessage(client, book('1700000000000150'))
  assert.equal(told.length, 4)
  stop()
})
