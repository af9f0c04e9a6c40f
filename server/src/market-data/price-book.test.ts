import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decimal, format } from '../core/decimal.ts'
import { newId } from '../core/ids.ts'
import type { OrderBook } from '../venues/index.ts'
import { marketState, openPriceBook } from './price-book.ts'
import { bookOf, fakePrices, pairOf, START } from './prices.testing.ts'

describe('the price book', () => {
  const venue = newId()
  const BTC = { base_asset: 'BTC', quote_asset: 'EUR' }

  it('follows the pairs that it must, gives their state, and forgets', async () => {
    const prices = openPriceBook()
    const source = fakePrices([pairOf('BTC/EUR'), pairOf('ETH/EUR')])
    await prices.follow(venue, source, [BTC, { base_asset: 'ADA', quote_asset: 'EUR' }])
    assert.equal(marketState(prices.market(venue, BTC), START), 'DOWN')
    assert.equal(prices.market(venue, { base_asset: 'ADA', quote_asset: 'EUR' }), undefined)
    source.feed().book(bookOf('BTC/EUR', { bid: '60000', ask: '60010' }, START))
    assert.equal(marketState(prices.market(venue, BTC), START + 5_000), 'UP')
    assert.equal(marketState(prices.market(venue, BTC), START + 5_001), 'STALE')
    source.feed().lost('BTC', 'EUR', 'connection closed')
    assert.equal(marketState(prices.market(venue, BTC), START), 'DOWN')
    source.feed().book(bookOf('BTC/EUR', { bid: '60000', ask: '60010' }, START + 1))
    assert.equal(marketState(prices.market(venue, BTC), START), 'UP')
    source
      .feed()
      .book({ ...bookOf('BTC/EUR', { bid: '60000', ask: '60010' }, START + 2), asks: [] })
    assert.equal(marketState(prices.market(venue, BTC), START), 'DOWN')
    await prices.follow(venue, source, [BTC, { base_asset: 'ADA', quote_asset: 'EUR' }])
    assert.equal(source.stops(), 0)
    await prices.follow(venue, source, [BTC, { base_asset: 'ETH', quote_asset: 'EUR' }])
    assert.equal(source.stops(), 1)
    await prices.close()
    assert.equal(source.stops(), 2)
    assert.deepEqual(prices.followed(), [])
  })

  it('keeps the moves of two hours in 10 s buckets; a gap gives none', async () => {
    const prices = openPriceBook()
    const source = fakePrices([pairOf('BTC/EUR')])
    await prices.follow(venue, source, [BTC])
    const at = (seconds: number, price: string) => {
      source.feed().book(bookOf('BTC/EUR', { bid: price, ask: price }, START + seconds * 1000))
    }
    at(0, '100')
    at(9, '110')
    at(10, '121')
    at(35, '50')
    at(45, '40')
    at(58, '40')
    at(62, '1')
    assert.deepEqual(prices.moves(venue, BTC).map(format), ['0.1', '0.2', '0'])
    for (let bucket = 0; bucket < 800; bucket += 1) at(100 + bucket * 10, '100')
    assert.equal(prices.moves(venue, BTC).length, 719)
    await prices.close()
  })
})

describe('a book that cannot be right', () => {
  const venue = newId()
  const BTC = { base_asset: 'BTC', quote_asset: 'EUR' }
  const levels = (...prices: string[]) =>
    prices.map((price) => ({ price: decimal(price), quantity: decimal('1') }))
  const faulty: [string, Partial<OrderBook>, string][] = [
    ['crossed', { bids: levels('60011') }, 'the order book is crossed'],
    ['bids that do not fall', { bids: levels('60000', '60000') }, 'the order book is out of order'],
    ['asks that do not rise', { asks: levels('60010', '60009') }, 'the order book is out of order'],
    [
      'a level of nothing',
      { asks: [{ price: decimal('60010'), quantity: 0n }] },
      'the order book is out of order',
    ],
    [
      'a price of nothing',
      { bids: [{ price: 0n, quantity: decimal('1') }] },
      'the order book is out of order',
    ],
  ]
  for (const [name, change, reason] of faulty) {
    it(`${name}: DOWN until the next good one`, async () => {
      const prices = openPriceBook()
      const source = fakePrices([pairOf('BTC/EUR')])
      await prices.follow(venue, source, [BTC])
      source.feed().book(bookOf('BTC/EUR', { bid: '60000', ask: '60010' }, START))
      source
        .feed()
        .book({ ...bookOf('BTC/EUR', { bid: '60000', ask: '60010' }, START + 1), ...change })
      assert.equal(marketState(prices.market(venue, BTC), START), 'DOWN')
      assert.equal(prices.market(venue, BTC)?.lost, reason)
      source.feed().book(bookOf('BTC/EUR', { bid: '60000', ask: '60010' }, START + 2))
      assert.equal(marketState(prices.market(venue, BTC), START), 'UP')
      await prices.close()
    })
  }
})
