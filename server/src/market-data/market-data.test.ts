import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { manualClock } from '../core/clock.ts'
import { newId } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { workerCaller } from '../http/index.ts'
import { testServer } from '../http/testing.ts'
import type { TestServer } from '../http/testing.ts'
import { putAsset } from '../ledger/index.ts'
import { testDatabase } from '../store/testing.ts'
import type { TestDatabase } from '../store/testing.ts'
import type { VenueRecord } from '../venues/index.ts'
import { marketDataEndpoints } from './market-data.http.ts'
import { pricesIn } from './market-data.ts'
import { openPriceBook } from './price-book.ts'
import { bookOf, fakePrices, pairOf, START, tickerOf } from './prices.testing.ts'

describe('GET and POST /market-data/prices/v2/:asset', () => {
  let database: TestDatabase
  let api: TestServer
  const clock = manualClock(START)
  const workspace = newId<WorkspaceId>()
  const venue = newId()
  const prices = openPriceBook()
  const source = fakePrices([pairOf('BTC/EUR'), pairOf('ETH/EUR')])
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
    await prices.follow(venue, source, [pairOf('BTC/EUR'), pairOf('ETH/EUR')])
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
    source.feed().ticker(tickerOf('BTC/EUR', { bid: '59990', ask: '60010' }, START - 1_000))
    source.feed().book(bookOf('ETH/EUR', { bid: '2399', ask: '2401' }, START - 2_000))
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

  it('reads assets in any case', async () => {
    const url = '/market-data/prices/v2'
    const { data } = await api.call('GET', `${url}/EUR?assets=BTC,ETH`)
    assert.deepEqual(Object.keys(data['prices'] as object), ['BTC', 'ETH'])
    assert.deepEqual((await api.call('GET', `${url}/eur?assets=btc,Eth`)).data, data)
    const body = { assets: ['btc', 'Eth'] }
    assert.deepEqual((await api.call('POST', `${url}/eUr`, { body })).data, data)
    const details = (asset: string) => api.call('GET', `${url}/${asset}/details`)
    assert.deepEqual((await details('eur')).data, (await details('EUR')).data)
  })

  it('gives details in the target asset', async () => {
    source.feed().ticker(tickerOf('BTC/EUR', { bid: '59990', ask: '60010' }, START))
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
    const figuresOf = async (asset: string) => {
      const { data } = await api.call<{
        prices: Record<string, string>
        ages: Record<string, number>
        '24h_volume': Record<string, string>
      }>('GET', `/market-data/prices/v2/EUR/details?assets=${asset}`)
      return {
        price: data.prices[asset],
        age: data.ages[asset],
        volume: data['24h_volume'][asset],
      }
    }
    source.feed().ticker(tickerOf('BTC/EUR', { bid: '59990', ask: '60010' }, clock.now()))
    assert.deepEqual(await figuresOf('BTC'), { price: '60000', age: 0, volume: '600000' })
    source.feed().ticker(tickerOf('BTC/EUR', { bid: '49990', ask: '50010' }, clock.now()))
    assert.deepEqual(await figuresOf('BTC'), { price: '50000', age: 0, volume: '500000' })
    clock.advance(60_000)
    assert.deepEqual(await figuresOf('BTC'), { price: '50000', age: 60_000, volume: '500000' })
    source.feed().book(bookOf('BTC/EUR', { bid: '39999', ask: '40001' }, clock.now()))
    clock.advance(1)
    assert.deepEqual(
      await figuresOf('BTC'),
      { price: '40000', age: 1, volume: '400000' },
      'the figures of a day may be older than a price',
    )
    source.feed().book(bookOf('BTC/EUR', { bid: '29999', ask: '30001' }, clock.now()))
    assert.deepEqual(await figuresOf('BTC'), { price: '30000', age: 0, volume: '300000' })
    source.feed().lost('BTC', 'EUR', 'connection closed')
    assert.deepEqual(await figuresOf('BTC'), {
      price: undefined,
      age: undefined,
      volume: undefined,
    })
    source.feed().book(bookOf('BTC/EUR', { bid: '39999', ask: '40001' }, clock.now()))
    clock.advance(60_001)
    assert.deepEqual(await figuresOf('BTC'), {
      price: undefined,
      age: undefined,
      volume: undefined,
    })
    clock.advance(839_999)
    source.feed().book(bookOf('BTC/EUR', { bid: '39999', ask: '40001' }, clock.now()))
    assert.deepEqual(await figuresOf('BTC'), { price: '40000', age: 0, volume: undefined })
    clock.set(START)
  })

  it('takes no price from a ticker of which one side is empty', async () => {
    const read = async () =>
      (
        await api.call<{ prices: Record<string, string>; stale: string[] }>(
          'GET',
          '/market-data/prices/v2/EUR?assets=BTC',
        )
      ).data
    clock.advance(3_600_000)
    source.feed().ticker(tickerOf('BTC/EUR', { bid: '59990', ask: '0' }, clock.now()))
    const { prices: found, stale } = await read()
    assert.deepEqual({ found, stale }, { found: {}, stale: ['BTC'] })
    source.feed().book(bookOf('BTC/EUR', { bid: '59990', ask: '60010' }, clock.now()))
    assert.deepEqual((await read()).prices, { BTC: '60000' })
    source.feed().ticker(tickerOf('BTC/EUR', { bid: '0', ask: '60010' }, clock.now()))
    assert.deepEqual((await read()).prices, { BTC: '60000' })
    clock.set(START)
  })

  it('answers the same object until a market, the assets or the time change', async () => {
    const read = () =>
      pricesIn(
        workerCaller(workspace, 'test'),
        { db: database.db, clock, prices, venues },
        'EUR',
        undefined,
      )
    source.feed().ticker(tickerOf('BTC/EUR', { bid: '59990', ask: '60010' }, clock.now()))
    const first = await read()
    assert.equal(await read(), first)
    assert.throws(() => {
      first.timestamp = 0
    }, TypeError)
    source.feed().ticker(tickerOf('BTC/EUR', { bid: '49990', ask: '50010' }, clock.now()))
    const second = await read()
    assert.equal(first.prices['BTC'], '60000')
    assert.equal(second.prices['BTC'], '50000')
    source.feed().book(bookOf('BTC/EUR', { bid: '39999', ask: '40001' }, clock.now()))
    assert.equal(await read(), second, 'no price shows a book beside a fresh ticker')
    await putAsset(database.db, workspace, {
      code: 'SOL',
      label: 'SOL',
      kind: 'CRYPTO',
      scale: 9,
      circulating_supply: null,
    })
    assert.ok(!second.stale.includes('SOL'))
    assert.ok((await read()).stale.includes('SOL'))
    clock.advance(1)
    assert.equal((await read()).ages['BTC'], 1)
    clock.set(START)
  })

  it('refuses assets that are not configured', async () => {
    for (const url of [
      '/market-data/prices/v2/DOGE',
      '/market-data/prices/v2/EUR?assets=DOGE',
      '/market-data/prices/v2/EUR?assets=',
    ]) {
      const answer = await api.call('GET', url)
      const { status, error_code } = answer
      assert.deepEqual({ status, error_code }, { status: 400, error_code: 3001 }, url)
    }
  })
})
