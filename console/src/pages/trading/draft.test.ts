import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bestOf } from './best.ts'
import { askOf, BLANK, bodyOf, marketOf, missingOf } from './draft.ts'
import type { Written } from './draft.ts'
import type { PriceRoute } from './price-routes.tsx'
import type { Quote } from './quote-sides.tsx'

const routeOf = (id: string, more: Partial<PriceRoute> = {}) =>
  ({
    id,
    label: id,
    symbol: 'BTC/EUR',
    base_asset: 'BTC',
    quote_asset: 'EUR',
    active: true,
    ...more,
  }) as PriceRoute
const routes = [
  routeOf('one'),
  routeOf('two'),
  routeOf('off', { active: false }),
  routeOf('ether', { symbol: 'ETH/EUR', base_asset: 'ETH' }),
]
const written = (more: Partial<Written> = {}): Written => ({
  ...BLANK,
  customers: [{ customer_id: 'ann', quantity: '' }],
  quantity: '1250.5',
  ...more,
})
const present = <T>(value: T | undefined): T => {
  assert.ok(value !== undefined)
  return value
}
const best = present(marketOf('BTC/EUR', routes))
const one = present(marketOf('one', routes))

describe('a ticket', () => {
  it('is for a route or for the best of a symbol, never for one that is switched off', () => {
    assert.deepEqual([best.best, best.routes.map((route) => route.id)], [true, ['one', 'two']])
    assert.deepEqual([one.best, one.routes.map((route) => route.id)], [false, ['one']])
    assert.equal(marketOf('off', routes), undefined)
    assert.equal(marketOf(null, routes), undefined)
  })

  it('says what is missing, one thing after the other', () => {
    assert.equal(missingOf(written(), undefined), 'Choose a market')
    assert.equal(missingOf({ ...BLANK }, one), 'Choose a customer')
    assert.equal(
      missingOf(written({ quantity: '1e3' }), one),
      'Enter a quantity, for example 1250.5',
    )
    assert.equal(
      missingOf(
        written({
          customers: [
            { customer_id: 'ann', quantity: '' },
            { customer_id: 'bob', quantity: '' },
          ],
        }),
        one,
      ),
      'Only one customer can have an empty share',
    )
    assert.equal(missingOf(written({ type: 'LIMIT' }), one), 'Enter a limit')
    assert.equal(
      missingOf(written({ type: 'STOP_MARKET', price: '5', tif: 'GTD' }), one),
      'Enter an expiry time',
    )
    assert.equal(
      missingOf(written({ margin: 'much' }), one),
      'Enter margin and risk in per cent, for example 0.5',
    )
    assert.equal(missingOf(written(), one), undefined)
  })

  it('asks for a price with exact digits', () => {
    assert.deepEqual(askOf(written({ margin: '0.5' }), best), {
      customer_id: 'ann',
      request_asset: 'BTC',
      request_quantity: '1250.5',
      route_ids: ['one', 'two'],
      margin: '0.005',
    })
    assert.equal(askOf(written({ by: 'quote' }), one)?.request_asset, 'EUR')
    assert.equal(askOf(written({ quantity: '0' }), one), undefined)
  })

  it('becomes the order as the API takes it', () => {
    assert.deepEqual(bodyOf('BUY', written(), best, undefined), {
      side: 'BUY',
      execution_type: 'MARKET',
      symbol: 'BTC/EUR',
      amount: '1250.5',
      customers: [{ customer_id: 'ann' }],
    })
    assert.deepEqual(bodyOf('SELL', written({ by: 'quote', client_ref: ' x ' }), one, undefined), {
      side: 'SELL',
      execution_type: 'MARKET',
      route_id: 'one',
      mode: 'VOLUME',
      volume: '1250.5',
      customers: [{ customer_id: 'ann' }],
      client_ref: 'x',
    })
    const split = written({
      type: 'LIMIT',
      price: '60000',
      tif: 'GTD',
      expires_at: 5,
      by: 'quote',
      customers: [
        { customer_id: 'ann', quantity: '1' },
        { customer_id: 'bob', quantity: '' },
      ],
    })
    assert.deepEqual(bodyOf('BUY', split, one, undefined), {
      side: 'BUY',
      execution_type: 'LIMIT',
      route_id: 'one',
      amount: '1250.5',
      customers: [{ customer_id: 'ann', quantity_absolute: '1' }, { customer_id: 'bob' }],
      price: '60000',
      tif_mode: 'GTD',
      expires_at: 5,
    })
    assert.equal(
      bodyOf('SELL', written({ type: 'STOP_MARKET', price: '5' }), one, undefined)
        .stop_order_condition,
      'STOP_LOSS',
    )
    const held = { id: 'held', buy: { amount: '3' }, sell: { amount: '2' } } as Quote
    assert.deepEqual(bodyOf('SELL', written({ margin: '1' }), one, held), {
      side: 'SELL',
      execution_type: 'MARKET',
      route_id: 'one',
      amount: '2',
      customers: [{ customer_id: 'ann' }],
      quote_id: 'held',
    })
  })
})

describe('the best of several prices', () => {
  const quote = (id: string, side: Partial<Quote['buy']>, request_asset = 'BTC') =>
    ({
      id,
      symbol: 'BTC/EUR',
      request_asset,
      buy: { price: '1', complete: true, ...side },
      sell: { price: '1', complete: true, ...side },
    }) as Quote
  it('is the least paid, the most got; the most bought, the least sold', () => {
    const [cheap, dear] = [quote('cheap', { volume: '999.99' }), quote('dear', { volume: '1000' })]
    assert.deepEqual(
      [bestOf('BUY', [dear, cheap])?.id, bestOf('SELL', [cheap, dear])?.id],
      ['cheap', 'dear'],
    )
    const [much, little] = [
      quote('much', { amount: '10' }, 'EUR'),
      quote('little', { amount: '9' }, 'EUR'),
    ]
    assert.deepEqual(
      [bestOf('BUY', [little, much])?.id, bestOf('SELL', [much, little])?.id],
      ['much', 'little'],
    )
  })

  it('is whole rather than cheap, and never one without a price', () => {
    assert.equal(
      bestOf('BUY', [
        quote('part', { volume: '1', complete: false }),
        quote('whole', { volume: '2' }),
      ])?.id,
      'whole',
    )
    assert.equal(bestOf('BUY', [quote('none', { price: null, volume: '0' })]), undefined)
  })
})
