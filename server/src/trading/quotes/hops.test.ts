import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { decimal, format } from '../../core/decimal.ts'
import { freshMarket } from '../routes/market.ts'
import { gridOf, withState } from '../routes/routes.ts'
import { refusal } from '../testing/pricing-world.fixture.ts'
import type { PricingWorld } from '../testing/pricing-world.fixture.ts'
import { quoteById } from './quotes.ts'
import { QuoteDesk } from './quotes.testing.ts'

let desk: QuoteDesk
let world: PricingWorld
before(async () => {
  desk = await QuoteDesk.open()
  world = desk.world
})
after(() => desk.close())
beforeEach(() => desk.reset())

describe('a quote over several hops', () => {
  it('walks both books, takes the fees of both hops, and adds up', async () => {
    const quote = await desk.ask('across', { request_quantity: '12', margin: '0.005' })
    // 10 ETH at 0.04 and 2 at 0.0402 BTC, of which 0.4804 BTC at 60000; back: 0.399 + 0.0796 at
    // 59980.
    const notional = (side: typeof quote.buy, sign: bigint) =>
      decimal(side.volume) - sign * (decimal(side.fee) + decimal(side.risk) + decimal(side.margin))
    assert.equal(format(notional(quote.buy, 1n)), '28824')
    assert.equal(format(notional(quote.sell, -1n)), '28706.42')
    const { vwap, fee, risk, margin, volume, complete } = quote.buy
    assert.deepEqual(
      { vwap, fee, risk, margin, volume, complete },
      {
        vwap: '2402',
        fee: '190.24',
        risk: '29.02',
        margin: '145.08',
        volume: '29188.34',
        complete: true,
      },
    )
    assert.equal(quote.sell.complete, true)
    assert.equal((await quoteById(world.app.db, world.workspace, quote.id)).taker_fee, '0.0066')
  })

  it('is limited by the hop that holds least, within the slippage of the whole', async () => {
    // 0.5 BTC at 60000 within 1 %, 1 at 60200; 20 ETH need 0.802 BTC.
    const offer = async () => {
      const { buy } = await desk.ask('across', { request_quantity: '90' })
      return {
        amount: buy.amount,
        available_amount: buy.available_amount,
        complete: buy.complete,
      }
    }
    assert.deepEqual(await offer(), { amount: '20', available_amount: '20', complete: false })
    world.market('south', 'BTC/EUR', '60000×0.2 60200×0.1', '59980×0.5')
    assert.deepEqual(await offer(), { amount: '7.5', available_amount: '7.5', complete: false })
    world.market('south', 'BTC/EUR', '60000×0.2 66000×9', '59980×0.5')
    assert.deepEqual(await offer(), { amount: '5', available_amount: '5', complete: false })
  })

  it('asked in the quote asset binds the volume', async () => {
    const { buy, sell, request_asset, request_quantity } = await desk.ask('across', {
      request_asset: 'EUR',
      request_quantity: '1000',
    })
    assert.deepEqual(
      { request_asset, request_quantity, bought: buy.volume, sold: sell.volume, risk: buy.risk },
      { request_asset: 'EUR', request_quantity: '1000', bought: '1000', sold: '1000', risk: '0' },
    )
    assert.deepEqual({ buy: buy.complete, sell: sell.complete }, { buy: true, sell: true })
    assert.ok(decimal(buy.amount) < decimal(sell.amount))
  })

  it('needs every hop fresh: the route is as good as the worst', async () => {
    const state = async () =>
      withState(world.app.prices, world.clock, await world.routeOf('across')).state
    assert.equal(await state(), 'UP')
    world.clock.advance(5_001)
    world.market('north', 'ETH/BTC', '0.04×10', '0.0399×10')
    assert.equal(await state(), 'STALE')
    assert.deepEqual(await refusal(desk.ask('across')), { code: 'STALE_PRICE', path: 'route_id' })
    world.market('south', 'BTC/EUR', '60000×0.5', '59980×0.5')
    assert.equal(await state(), 'UP')
    // Crossed: as broken as a closed connection.
    world.market('north', 'ETH/BTC', '0.04×10', '0.0401×10')
    assert.equal(await state(), 'DOWN')
    await assert.rejects(desk.ask('across'), /ETH\/BTC: it is DOWN \(the order book is crossed\)/)
    world.market('north', 'ETH/BTC', '0.04×10', '0.0399×10')
    world.lost('south', 'BTC/EUR', 'closed')
    assert.equal(await state(), 'DOWN')
    assert.deepEqual(await refusal(desk.ask('across')), { code: 'STALE_PRICE', path: 'route_id' })
    world.market('north', 'ETH/EUR', '2402×10', '2398×10')
    assert.equal((await desk.ask('direct')).state, 'ACTIVE')
  })

  it('has a least amount that is enough at every hop, on the step of the first', async () => {
    const route = await world.routeOf('across')
    const grid = gridOf(route, freshMarket(world.app, route))
    // 0.01 BTC at the second hop, and 5 % in case the first falls, at 0.0399 BTC each.
    assert.equal(format(grid.min_amount), '0.2631579')
  })
})
