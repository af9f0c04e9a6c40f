import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { mustExist } from '../core/assert.ts'
import { decimal, divide } from '../core/decimal.ts'
import { newId } from '../core/ids.ts'
import { until } from '../core/testing.ts'
import { adapterFactories } from '../venues/index.ts'
import type { PriceFeed, Venue } from '../venues/index.ts'
import { HELD_LEASE } from '../venues/lease/lease.testing.ts'
import type { FaultKind, SandboxProcess } from '../venues/sandbox-process.testing.ts'
import { startSandbox } from '../venues/sandbox-process.testing.ts'
import { marketState, openPriceBook } from './price-book.ts'
import type { MarketState } from './price-book.ts'

const BTC = { base_asset: 'BTC', quote_asset: 'EUR' }

const PATHS = {
  kraken: ['kraken', 'kraken/ws/v2'],
  bitstamp: ['bitstamp/api', 'bitstamp/ws'],
} as const
type Exchange = keyof typeof PATHS
/**
 * After two of these without a word a connection counts as lost: long, that no slow machine ends
 * one, and short where one is silent.
 */
const KEEP_ALIVE = { calm: '20000', watchful: '1000' } as const

describe('the price book under faults of the exchanges', () => {
  const prices = openPriceBook()
  const ids: Record<Exchange, string> = { kraken: newId(), bitstamp: newId() }
  /** Every state that a message left the market in, and why it was lost. */
  const seen: Record<Exchange, { state: MarketState; lost: string | undefined }[]> = {
    kraken: [],
    bitstamp: [],
  }
  const opened: Venue[] = []
  let sandbox: SandboxProcess

  const follow = async (exchange: Exchange, keep_alive_ms: string = KEEP_ALIVE.calm) => {
    const { api_key, api_secret } = JSON.parse(await sandbox.credential(`${exchange}.json`)) as {
      api_key: string
      api_secret: string
    }
    const [rest, stream] = PATHS[exchange]
    const adapter = await mustExist(
      adapterFactories({ error: () => undefined }, HELD_LEASE).EXCHANGE,
      'there are exchanges',
    )({
      exchange,
      api_key,
      api_secret,
      base_url: `${sandbox.url}/${rest}`,
      websocket_url: `${sandbox.url.replace('http', 'ws')}/${stream}`,
      request_timeout_ms: '30000',
      keep_alive_ms,
    })
    opened.push(adapter)
    const own = mustExist(adapter.prices, 'an exchange has prices')
    const note = () => {
      const market = prices.market(ids[exchange], BTC)
      seen[exchange].push({ state: marketState(market, Date.now()), lost: market?.lost })
    }
    const noting = (feed: PriceFeed): PriceFeed => ({
      book: (book) => {
        const fault = feed.book(book)
        note()
        return fault
      },
      ticker: feed.ticker,
      lost: (...which) => {
        feed.lost(...which)
        note()
      },
    })
    await prices.follow(
      ids[exchange],
      { pairs: own.pairs, watch: (pairs, feed) => own.watch(pairs, noting(feed)) },
      [BTC],
    )
  }
  const ups = (exchange: Exchange) => seen[exchange].filter(({ state }) => state === 'UP').length
  const goesOn = async (exchange: Exchange, what: string) => {
    const known = ups(exchange)
    await until(`${exchange} ${what}`, () => ups(exchange) > known + 1)
  }

  before(async () => {
    sandbox = await startSandbox()
    for (const exchange of ['kraken', 'bitstamp'] as const) {
      await sandbox.control('POST', `${exchange}/market`, {
        pair: 'BTC/EUR',
        frozen: false,
        volatility_ppm: 300,
      })
      await follow(exchange)
    }
  })
  after(async () => {
    await prices.close()
    await Promise.all(opened.map((venue) => venue.close()))
    await sandbox.stop()
  })

  it('both come up', async () => {
    for (const exchange of ['kraken', 'bitstamp'] as const) await goesOn(exchange, 'comes up')
  })

  it('both tell by how much the price has changed in a day, and what was traded', async () => {
    for (const [exchange, opening] of [
      ['kraken', decimal('60000')],
      ['bitstamp', decimal('60090')],
    ] as const) {
      await sandbox.control('POST', `${exchange}/market`, {
        pair: 'BTC/EUR',
        price: '66000',
        frozen: false,
      })
      const { last, volume_24h, change_24h } = await until(`${exchange} has traded higher`, () => {
        const ticker = prices.market(ids[exchange], BTC)?.ticker
        return ticker !== undefined && ticker.last > decimal('65000') && ticker
      })
      // Two digits of a percentage.
      assert.equal(change_24h, divide(last - opening, opening, 4, 'down'))
      assert.ok(volume_24h > 0n)
    }
  })

  const table: [Exchange, string, string, FaultKind, RegExp][] = [
    ['kraken', 'a crossed book', 'crossed', 'REFUSE', /crossed/],
    ['bitstamp', 'a crossed book', 'crossed', 'REFUSE', /crossed/],
    // Below the checksum's ten levels, or where the next update tells it anyway, a loss may stay
    // unseen: then the next one is not.
    ['kraken', 'lost updates', 'book', 'REFUSE', /differs from the exchange/],
    ['kraken', 'a cut', 'websocket', 'DOWN', /./],
    ['bitstamp', 'a cut', 'websocket', 'DOWN', /./],
    ['kraken', 'silence', 'websocket', 'TIMEOUT_AFTER_ACCEPT', /./],
    ['bitstamp', 'silence', 'websocket', 'TIMEOUT_AFTER_ACCEPT', /./],
  ]
  for (const [exchange, what, operation, kind, reason] of table) {
    it(`${exchange}: ${what} makes one market DOWN until its next good book`, async () => {
      const other = exchange === 'kraken' ? 'bitstamp' : 'kraken'
      if (what === 'silence') {
        await follow(exchange, KEEP_ALIVE.watchful)
        await goesOn(exchange, 'comes up')
      }
      const [from, fromOther] = [seen[exchange].length, seen[other].length]
      const down = () => seen[exchange].slice(from).find(({ state }) => state === 'DOWN')
      let given = -1
      await until(`${exchange} goes down`, async () => {
        if (down() !== undefined) return true
        if (operation !== 'book' ? given < 0 : ups(exchange) > given + 3) {
          given = ups(exchange)
          await sandbox.fault(exchange, operation, kind)
        }
        return false
      })
      assert.match(down()?.lost ?? '', reason)
      await sandbox.control('DELETE', 'faults')
      await goesOn(exchange, 'comes back')
      assert.ok(seen[other].slice(fromOther).every(({ state }) => state === 'UP'))
      if (what === 'silence') await follow(exchange)
    })
  }

  it('a crossed book after which the market stands still is built anew', async () => {
    for (const exchange of ['kraken', 'bitstamp'] as const) {
      await sandbox.control('POST', `${exchange}/market`, { pair: 'BTC/EUR', frozen: true })
      const from = seen[exchange].length
      await sandbox.fault(exchange, 'crossed', 'REFUSE', { remaining: 1 })
      let price = 60_000
      await until(`${exchange} goes down`, async () => {
        if (seen[exchange].slice(from).some(({ lost }) => lost?.includes('crossed') === true))
          return true
        price += 100
        await sandbox.control('POST', `${exchange}/market`, {
          pair: 'BTC/EUR',
          price: String(price),
          frozen: true,
        })
        return false
      })
      await goesOn(exchange, 'comes back')
      await sandbox.control('POST', `${exchange}/market`, { pair: 'BTC/EUR', frozen: false })
    }
  })

  it('what is told twice, and what is lost of whole books, changes nothing', async () => {
    for (const exchange of ['kraken', 'bitstamp'] as const) await goesOn(exchange, 'is up')
    const from = { kraken: seen.kraken.length, bitstamp: seen.bitstamp.length }
    await sandbox.fault('kraken', 'book', 'TWICE', { remaining: 5 })
    await sandbox.fault('bitstamp', 'book', 'TWICE', { remaining: 3 })
    await sandbox.fault('bitstamp', 'book', 'REFUSE', { remaining: 3 })
    for (const exchange of ['kraken', 'bitstamp'] as const) {
      await goesOn(exchange, 'goes on')
      await goesOn(exchange, 'goes on further')
      assert.ok(seen[exchange].slice(from[exchange]).every(({ state }) => state === 'UP'))
    }
  })

  it('an exchange that ends makes its market DOWN, and comes back by itself', async () => {
    const from = seen.kraken.length
    await sandbox.kill()
    await until('DOWN', () => seen.kraken.slice(from).some(({ state }) => state === 'DOWN'))
    await sandbox.restart()
    for (const exchange of ['kraken', 'bitstamp'] as const) await goesOn(exchange, 'comes back')
  })
})
