/** Cases of a venue whose prices are followed. */
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { until } from '../../core/testing.ts'
import type { Level, OrderBook } from '../contract.ts'
import type { Case } from './trial.testing.ts'

export const PRICE_CASES: readonly Case[] = [
  {
    title: 'C12 prices: listed pairs, sorted books, not crossed',
    async run({ fixture }, context) {
      const { prices } = fixture.venue
      const { prices: pair } = fixture
      if (prices === undefined || pair === undefined) return context.skip('no prices')
      const listed = await prices.pairs()
      assert.ok(
        listed.some(
          ({ base_asset, quote_asset }) =>
            base_asset === pair.base_asset && quote_asset === pair.quote_asset,
        ),
      )
      const books: OrderBook[] = []
      let tickers = 0
      const stop = prices.watch([pair], {
        book: (book) => {
          books.push(book)
        },
        ticker: () => {
          tickers += 1
        },
        lost: () => {},
      })
      await until('three books and a ticker', () => books.length >= 3 && tickers > 0)
      await stop()
      for (const book of books) assertSorted(book)
      const count = books.length
      await pause(300)
      assert.equal(books.length, count, 'nothing comes after the stop')
    },
  },
]

function assertSorted({ bids, asks }: OrderBook): void {
  const price = (side: readonly Level[], level: number) => side[level]?.price ?? 0n
  for (let level = 1; level < bids.length; level += 1)
    assert.ok(price(bids, level - 1) > price(bids, level))
  for (let level = 1; level < asks.length; level += 1)
    assert.ok(price(asks, level - 1) < price(asks, level))
  assert.ok(price(bids, 0) < price(asks, 0))
  for (const level of [...bids, ...asks]) assert.ok(level.quantity > 0n && level.price > 0n)
}
