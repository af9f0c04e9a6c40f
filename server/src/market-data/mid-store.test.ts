import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { manualClock } from '../core/clock.ts'
import { decimal, format } from '../core/decimal.ts'
import { newId } from '../core/ids.ts'
import type { Query } from '../store/sql.ts'
import { testDatabase } from '../store/testing.ts'
import type { TestDatabase } from '../store/testing.ts'
import { openMidStore } from './mid-store.ts'
import { openPriceBook } from './price-book.ts'
import { bookOf, fakePrices, pairOf, START } from './prices.testing.ts'
import type { FakePrices } from './prices.testing.ts'

describe('the price history', () => {
  const venue = newId()
  const BTC = { base_asset: 'BTC', quote_asset: 'EUR' }
  const clock = manualClock(START)
  let database: TestDatabase
  const errors: string[] = []
  const log = {
    error: (_details: object, message: string) => {
      errors.push(message)
    },
  }
  const at = (source: FakePrices, seconds: number, price: string) => {
    source.feed().book(bookOf('BTC/EUR', { bid: price, ask: price }, START + seconds * 1000))
  }
  before(async () => {
    database = await testDatabase()
  })
  after(() => database.drop())

  it('goes on after a restart, and the same moves stay the same array', async () => {
    const first = {
      memory: openMidStore({ db: database.db, clock, log }),
      source: fakePrices([pairOf('BTC/EUR')]),
    }
    const prices = openPriceBook({ memory: first.memory })
    await prices.follow(venue, first.source, [BTC])
    for (const [seconds, price] of [
      [0, '100'],
      [10, '110'],
      [20, '121'],
      [30, '121'],
    ] as const)
      at(first.source, seconds, price)
    const moves = prices.moves(venue, BTC)
    assert.deepEqual(moves.map(format), ['0.1', '0.1'])
    at(first.source, 39, '1000')
    assert.equal(prices.moves(venue, BTC), moves)
    await prices.close()
    await first.memory.close()

    const second = {
      memory: openMidStore({ db: database.db, clock, log }),
      source: fakePrices([pairOf('BTC/EUR')]),
    }
    const again = openPriceBook({ memory: second.memory })
    await again.follow(venue, second.source, [BTC])
    assert.deepEqual(again.moves(venue, BTC).map(format), ['0.1', '0.1'])
    // The bucket that was open at the end is a gap.
    for (const [seconds, price] of [
      [40, '121'],
      [50, '60.5'],
      [60, '1'],
    ] as const)
      at(second.source, seconds, price)
    assert.deepEqual(again.moves(venue, BTC).map(format), ['0.1', '0.1', '0.5'])
    await again.close()
    await second.memory.close()
    assert.deepEqual(errors, [])
  })

  it('is pruned to two hours, and the same bucket of two processes counts once', async () => {
    const stores = [
      openMidStore({ db: database.db, clock, log }),
      openMidStore({ db: database.db, clock, log }),
    ]
    clock.advance(3_600_000)
    const bucket = Math.floor(clock.now() / 10_000)
    for (const [index, store] of stores.entries()) {
      store.keep({ venue_id: venue, ...BTC, bucket, mid: decimal(String(1 + index)) })
      await store.close()
    }
    assert.equal(
      (await stores[0]?.load(venue))?.find((mid) => mid.bucket === bucket)?.mid,
      decimal('1'),
    )
    assert.ok((await stores[0]?.load(venue))?.length === 6)
    clock.advance(3_660_000)
    assert.deepEqual(
      (await stores[1]?.load(venue))?.map((mid) => mid.bucket),
      [bucket],
    )
    clock.set(START)
  })

  it('that cannot be written holds nobody up, is logged and written later', async () => {
    let down = true
    const db = {
      ...database.db,
      query: <Row>(query: Query) =>
        down ? Promise.reject(new Error('the database is away')) : database.db.query<Row>(query),
    }
    const store = openMidStore({ db, clock, log })
    const other = newId()
    store.keep({ venue_id: other, ...BTC, bucket: Math.floor(START / 10_000), mid: decimal('7') })
    await store.close()
    assert.deepEqual(errors, ['the price history cannot be written'])
    down = false
    await store.close()
    assert.deepEqual(
      (await store.load(other)).map(({ mid }) => format(mid)),
      ['7'],
    )
  })
})
