import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { manualClock } from '../core/clock.ts'
import { decimal, format } from '../core/decimal.ts'
import { newId } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { testServer } from '../http/testing.ts'
import type { TestServer } from '../http/testing.ts'
import { putAsset } from '../ledger/index.ts'
import type { Query } from '../store/sql.ts'
import { testDatabase } from '../store/testing.ts'
import type { TestDatabase } from '../store/testing.ts'
import type { MarketPair, OrderBook, PriceFeed, Prices, VenueRecord } from '../venues/index.ts'
import { convert, indexRates } from './conversion.ts'
import type { Rate } from './conversion.ts'
import { marketDataEndpoints } from './market-data.http.ts'
import { pricesIn } from './market-data.ts'
import { openMidStore } from './mid-store.ts'
import { marketState, openPriceBook } from './price-book.ts'

const START = 1_800_000_000_000

const rate = (
  symbol: string,
  price: string,
  volume: string,
  change: string | null = null,
): Rate => {
  const [base_asset = '', quote_asset = ''] = symbol.split('/')
  return {
    base_asset,
    quote_asset,
    price: decimal(price),
    volume: decimal(volume),
    change: change === null ? null : decimal(change),
    at: START,
  }
}

describe('conversion', () => {
  const rates = indexRates([
    rate('BTC/EUR', '60000', '10', '0.02'),
    rate('ETH/EUR', '2400', '100'),
    rate('ETH/BTC', '0.05', '1'),
    rate('XRP/BTC', '0.00003', '1000'),
    rate('XRP/ETH', '0.0008', '500000'),
    rate('BTC/EUR', '61000', '5'),
  ])
  const table: [string, string, string | undefined, string][] = [
    ['BTC', 'EUR', '60000', 'BTC EUR'],
    ['ETH', 'BTC', '0.05', 'ETH BTC'],
    ['EUR', 'ETH', '0.000416666666666667', 'EUR ETH'],
    ['XRP', 'EUR', '1.92', 'XRP ETH EUR'],
    ['EUR', 'EUR', '1', 'EUR'],
    ['EUR', 'ADA', undefined, ''],
  ]
  for (const [from, to, price, path] of table) {
    it(`${from} in ${to}`, () => {
      const found = convert(rates, from, to)
      assert.equal(found === undefined ? undefined : format(found.price), price)
      assert.equal(found?.path.join(' ') ?? '', path)
    })
  }
  it('tells the change along the path, and none where a pair does not say', () => {
    assert.equal(format(convert(rates, 'BTC', 'EUR')?.change ?? 0n), '0.02')
    assert.equal(
      format(
        convert(indexRates([rate('BTC/EUR', '60000', '1', '0.25')]), 'EUR', 'BTC')?.change ?? 0n,
      ),
      '-0.2',
    )
    assert.equal(convert(rates, 'XRP', 'EUR')?.change, null)
    const moved = indexRates([
      rate('BTC/EUR', '60000', '1', '1.5'),
      rate('ETH/BTC', '0.05', '1', '-0.2'),
      rate('XRP/EUR', '1', '1', '-1'),
    ])
    assert.equal(format(convert(moved, 'BTC', 'EUR')?.change ?? 0n), '1.5')
    assert.equal(format(convert(moved, 'ETH', 'EUR')?.change ?? 0n), '1')
    assert.equal(convert(moved, 'XRP', 'EUR')?.change, null)
  })
})

function fakePrices(
  pairs: MarketPair[],
): Prices & { feed: () => PriceFeed; stopped: () => number } {
  let feed: PriceFeed | undefined
  let stopped = 0
  return {
    pairs: async () => pairs,
    watch: (_pairs, given) => {
      feed = given
      return async () => {
        stopped += 1
      }
    },
    feed: () => {
      assert.ok(feed)
      return feed
    },
    stopped: () => stopped,
  }
}

const pair = (base_asset: string, quote_asset: string): MarketPair => ({
  base_asset,
  quote_asset,
  price_step: decimal('0.1'),
  amount_step: decimal('0.00000001'),
  min_amount: decimal('0.0001'),
  taker_fee: decimal('0.0026'),
})
const book = (
  base_asset: string,
  quote_asset: string,
  bid: string,
  ask: string,
  received_at: number,
) => ({
  base_asset,
  quote_asset,
  bids: [{ price: decimal(bid), quantity: decimal('1') }],
  asks: [{ price: decimal(ask), quantity: decimal('1') }],
  received_at,
})
const ticker = (
  base_asset: string,
  quote_asset: string,
  bid: string,
  ask: string,
  received_at: number,
) => ({
  base_asset,
  quote_asset,
  bid: decimal(bid),
  ask: decimal(ask),
  last: decimal(bid),
  volume_24h: decimal('10'),
  change_24h: decimal('0.01'),
  received_at,
})

describe('the price book', () => {
  const venue = newId()
  const BTC = { base_asset: 'BTC', quote_asset: 'EUR' }

  it('follows what is wanted, tells the state, and forgets', async () => {
    const prices = openPriceBook()
    const source = fakePrices([pair('BTC', 'EUR'), pair('ETH', 'EUR')])
    await prices.follow(venue, source, [BTC, { base_asset: 'ADA', quote_asset: 'EUR' }])
    assert.equal(marketState(prices.market(venue, BTC), START), 'DOWN')
    assert.equal(prices.market(venue, { base_asset: 'ADA', quote_asset: 'EUR' }), undefined)
    source.feed().book(book('BTC', 'EUR', '60000', '60010', START))
    assert.equal(marketState(prices.market(venue, BTC), START + 5_000), 'UP')
    assert.equal(marketState(prices.market(venue, BTC), START + 5_001), 'STALE')
    source.feed().lost('BTC', 'EUR', 'connection closed')
    assert.equal(marketState(prices.market(venue, BTC), START), 'DOWN')
    source.feed().book(book('BTC', 'EUR', '60000', '60010', START + 1))
    assert.equal(marketState(prices.market(venue, BTC), START), 'UP')
    source.feed().book({ ...book('BTC', 'EUR', '60000', '60010', START + 2), asks: [] })
    assert.equal(marketState(prices.market(venue, BTC), START), 'DOWN')
    await prices.follow(venue, source, [BTC, { base_asset: 'ADA', quote_asset: 'EUR' }])
    assert.equal(source.stopped(), 0)
    await prices.follow(venue, source, [BTC, { base_asset: 'ETH', quote_asset: 'EUR' }])
    assert.equal(source.stopped(), 1)
    await prices.close()
    assert.equal(source.stopped(), 2)
    assert.deepEqual(prices.followed(), [])
  })

  it('keeps the moves of two hours in 10 s buckets; a gap gives none', async () => {
    const prices = openPriceBook()
    const source = fakePrices([pair('BTC', 'EUR')])
    await prices.follow(venue, source, [BTC])
    const at = (seconds: number, price: string) => {
      source.feed().book(book('BTC', 'EUR', price, price, START + seconds * 1000))
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
      const source = fakePrices([pair('BTC', 'EUR')])
      await prices.follow(venue, source, [BTC])
      source.feed().book(book('BTC', 'EUR', '60000', '60010', START))
      source.feed().book({ ...book('BTC', 'EUR', '60000', '60010', START + 1), ...change })
      assert.deepEqual(
        [marketState(prices.market(venue, BTC), START), prices.market(venue, BTC)?.lost],
        ['DOWN', reason],
      )
      source.feed().book(book('BTC', 'EUR', '60000', '60010', START + 2))
      assert.equal(marketState(prices.market(venue, BTC), START), 'UP')
      await prices.close()
    })
  }
})

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
  const at = (source: ReturnType<typeof fakePrices>, seconds: number, price: string) => {
    source.feed().book(book('BTC', 'EUR', price, price, START + seconds * 1000))
  }
  before(async () => {
    database = await testDatabase()
  })
  after(() => database.drop())

  it('goes on after a restart, and the same moves stay the same array', async () => {
    const first = {
      memory: openMidStore({ db: database.db, clock, log }),
      source: fakePrices([pair('BTC', 'EUR')]),
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
      source: fakePrices([pair('BTC', 'EUR')]),
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
      (await stores[0]?.load(venue))?.find((midOf) => midOf.bucket === bucket)?.mid,
      decimal('1'),
    )
    assert.ok((await stores[0]?.load(venue))?.length === 6)
    clock.advance(3_660_000)
    assert.deepEqual(
      (await stores[1]?.load(venue))?.map((midOf) => midOf.bucket),
      [bucket],
    )
    clock.set(START)
  })

  it('that cannot be written holds nobody up, is told and written later', async () => {
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
      (await store.load(other)).map((midOf) => format(midOf.mid)),
      ['7'],
    )
  })
})

describe('GET and POST /market-data/prices/v2/:asset', () => {
  let database: TestDatabase
  let api: TestServer
  const clock = manualClock(START)
  const workspace = newId<WorkspaceId>()
  const venue = newId()
  const prices = openPriceBook()
  const source = fakePrices([pair('BTC', 'EUR'), pair('ETH', 'EUR')])
  const venues = { list: async () => [{ id: venue } as VenueRecord] }

  before(async () => {
    database = await testDatabase()
    for (const [code, scale, supply] of [
      ['BTC', 8, '20000000'],
      ['ETH', 8, null],
      ['EUR', 2, null],
      ['XRP', 6, null],
    ] as const) {
      await putAsset(database.db, workspace, {
        code,
        label: code,
        kind: code === 'EUR' ? 'FIAT' : 'CRYPTO',
        scale,
        circulating_supply: supply,
      })
    }
    await prices.follow(venue, source, [pair('BTC', 'EUR'), pair('ETH', 'EUR')])
    const app = { db: database.db, clock, prices, venues }
    api = await testServer({
      db: database.db,
      clock,
      endpoints: marketDataEndpoints(app),
      authenticate: async () => ({
        workspace,
        user_id: newId(),
        session_id: newId(),
        permissions: new Set(['market-data.read']),
      }),
    })
  })
  after(async () => {
    await api.close()
    await prices.close()
    await database.drop()
  })

  it('converts what is fresh and names what is not', async () => {
    source.feed().ticker(ticker('BTC', 'EUR', '59990', '60010', START - 1_000))
    source.feed().book(book('ETH', 'EUR', '2399', '2401', START - 2_000))
    assert.deepEqual((await api.call('GET', '/market-data/prices/v2/EUR')).data, {
      prices: { BTC: '60000', ETH: '2400', EUR: '1' },
      ages: { BTC: 1000, ETH: 2000, EUR: 0 },
      stale: ['XRP'],
      timestamp: START,
    })
    assert.deepEqual(
      (await api.call('POST', '/market-data/prices/v2/BTC', { body: { assets: ['ETH', 'EUR'] } }))
        .data,
      {
        prices: { ETH: '0.04', EUR: '0.000016666667' },
        ages: { ETH: 2000, EUR: 1000 },
        stale: [],
        timestamp: START,
      },
    )
    clock.advance(59_001)
    assert.deepEqual(
      (await api.call('GET', '/market-data/prices/v2/EUR?assets=BTC,ETH')).data['stale'],
      ['BTC', 'ETH'],
    )
    clock.set(START)
  })

  it('tells details in the target asset', async () => {
    source.feed().ticker(ticker('BTC', 'EUR', '59990', '60010', START))
    const { data } = await api.call('GET', '/market-data/prices/v2/EUR/details?assets=BTC,ETH')
    assert.deepEqual(
      { ...data, ages: undefined },
      {
        prices: { BTC: '60000', ETH: '2400' },
        ages: undefined,
        stale: [],
        timestamp: START,
        market_cap: { BTC: '1200000000000' },
        market_cap_ages: {},
        market_cap_stale: ['ETH'],
        '24h_volume': { BTC: '600000' },
        '24h_change': { BTC: '0.01' },
      },
    )
    assert.deepEqual(
      (
        await api.call('POST', '/market-data/prices/v2/EUR/details', {
          body: { assets: ['BTC', 'ETH'] },
        })
      ).data,
      data,
    )
    assert.deepEqual(
      (await api.call('POST', '/market-data/prices/v2/EUR/details', { body: {} })).data['stale'],
      ['XRP'],
    )
  })

  it('answers by what the markets say now, from one request to the next', async () => {
    const of = async (asset: string) => {
      const { data } = await api.call<{
        prices: Record<string, string>
        ages: Record<string, number>
        '24h_volume': Record<string, string>
      }>('GET', `/market-data/prices/v2/EUR/details?assets=${asset}`)
      return [data.prices[asset], data.ages[asset], data['24h_volume'][asset]]
    }
    source.feed().ticker(ticker('BTC', 'EUR', '59990', '60010', clock.now()))
    assert.deepEqual(await of('BTC'), ['60000', 0, '600000'])
    source.feed().ticker(ticker('BTC', 'EUR', '49990', '50010', clock.now()))
    assert.deepEqual(await of('BTC'), ['50000', 0, '500000'])
    clock.advance(60_000)
    assert.deepEqual(await of('BTC'), ['50000', 60_000, '500000'])
    source.feed().book(book('BTC', 'EUR', '39999', '40001', clock.now()))
    clock.advance(1)
    assert.deepEqual(
      await of('BTC'),
      ['40000', 1, '400000'],
      'the figures of a day may be older than a price',
    )
    source.feed().book(book('BTC', 'EUR', '29999', '30001', clock.now()))
    assert.deepEqual(await of('BTC'), ['30000', 0, '300000'])
    source.feed().lost('BTC', 'EUR', 'connection closed')
    assert.deepEqual(await of('BTC'), [undefined, undefined, undefined])
    source.feed().book(book('BTC', 'EUR', '39999', '40001', clock.now()))
    clock.advance(60_001)
    assert.deepEqual(await of('BTC'), [undefined, undefined, undefined])
    clock.advance(839_999)
    source.feed().book(book('BTC', 'EUR', '39999', '40001', clock.now()))
    assert.deepEqual(await of('BTC'), ['40000', 0, undefined])
    clock.set(START)
  })

  it('takes no price from a ticker of which one side is empty', async () => {
    const told = async () =>
      (
        await api.call<{ prices: Record<string, string>; stale: string[] }>(
          'GET',
          '/market-data/prices/v2/EUR?assets=BTC',
        )
      ).data
    clock.advance(3_600_000)
    source.feed().ticker(ticker('BTC', 'EUR', '59990', '0', clock.now()))
    assert.deepEqual([(await told()).prices, (await told()).stale], [{}, ['BTC']])
    source.feed().book(book('BTC', 'EUR', '59990', '60010', clock.now()))
    assert.deepEqual((await told()).prices, { BTC: '60000' })
    source.feed().ticker(ticker('BTC', 'EUR', '0', '60010', clock.now()))
    assert.deepEqual((await told()).prices, { BTC: '60000' })
    clock.set(START)
  })

  it('answers the same to all who ask at the same moment, until a market, the assets or the time change', async () => {
    const read = () =>
      pricesIn({ db: database.db, clock, prices, venues }, workspace, 'EUR', undefined)
    source.feed().ticker(ticker('BTC', 'EUR', '59990', '60010', clock.now()))
    const first = await read()
    assert.equal(await read(), first)
    assert.throws(() => {
      first.timestamp = 0
    }, TypeError)
    source.feed().ticker(ticker('BTC', 'EUR', '49990', '50010', clock.now()))
    const second = await read()
    assert.deepEqual([first.prices['BTC'], second.prices['BTC']], ['60000', '50000'])
    source.feed().book(book('BTC', 'EUR', '39999', '40001', clock.now()))
    assert.equal(await read(), second, 'no price shows a book beside a fresh ticker')
    await putAsset(database.db, workspace, {
      code: 'SOL',
      label: 'SOL',
      kind: 'CRYPTO',
      scale: 9,
      circulating_supply: null,
    })
    assert.deepEqual(
      [second.stale.includes('SOL'), (await read()).stale.includes('SOL')],
      [false, true],
    )
    clock.advance(1)
    assert.equal((await read()).ages['BTC'], 1)
    clock.set(START)
  })

  it('refuses assets that are not configured', async () => {
    for (const url of [
      '/market-data/prices/v2/DOGE',
      '/market-data/prices/v2/EUR?assets=DOGE',
      '/market-data/prices/v2/EUR?assets=',
      '/market-data/prices/v2/eur',
    ]) {
      const answer = await api.call('GET', url)
      assert.deepEqual([answer.status, answer.error_code], [400, 3001], url)
    }
  })
})
