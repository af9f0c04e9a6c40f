import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Quote } from './quote-sides.tsx'
import { lackOf, surpriseOf } from './surprises.ts'
import type { Surprise } from './surprises.ts'
import type { Side } from './words.tsx'

/** The market between 99 and 101, and with fee and margin between 98 and 102. */
const QUOTE = {
  buy: { vwap: '101', price: '102' },
  sell: { vwap: '99', price: '98' },
} as unknown as Quote
const NO_PRICE = { buy: { vwap: null, price: null }, sell: { vwap: null, price: null } }

type Order = ['LIMIT'] | ['STOP_MARKET', 'STOP_LOSS' | 'TAKE_PROFIT']
const CASES: readonly [Side, Order, string, Surprise['kind'] | undefined][] = [
  ['BUY', ['LIMIT'], '102', undefined],
  ['BUY', ['LIMIT'], '107.1', undefined],
  ['BUY', ['LIMIT'], '107.11', 'GIVES_AWAY'],
  ['BUY', ['LIMIT'], '96.9', undefined],
  ['BUY', ['LIMIT'], '96.89', 'OUT_OF_REACH'],
  ['SELL', ['LIMIT'], '93.1', undefined],
  ['SELL', ['LIMIT'], '93.09', 'GIVES_AWAY'],
  ['SELL', ['LIMIT'], '102.9', undefined],
  ['SELL', ['LIMIT'], '102.91', 'OUT_OF_REACH'],
  ['SELL', ['STOP_MARKET', 'STOP_LOSS'], '98.99', undefined],
  ['SELL', ['STOP_MARKET', 'STOP_LOSS'], '99', 'STOP_REACHED'],
  ['SELL', ['STOP_MARKET', 'TAKE_PROFIT'], '99', 'STOP_REACHED'],
  ['SELL', ['STOP_MARKET', 'TAKE_PROFIT'], '99.01', undefined],
  ['BUY', ['STOP_MARKET', 'STOP_LOSS'], '101', 'STOP_REACHED'],
  ['BUY', ['STOP_MARKET', 'STOP_LOSS'], '101.01', undefined],
  ['BUY', ['STOP_MARKET', 'TAKE_PROFIT'], '100.99', undefined],
  ['BUY', ['STOP_MARKET', 'TAKE_PROFIT'], '101', 'STOP_REACHED'],
]

describe('an order that may not do what is meant', () => {
  for (const [side, [type, condition = 'STOP_LOSS'], price, kind] of CASES)
    it(`${side} ${type} ${condition} ${price}: ${kind ?? 'no surprise'}`, () => {
      const written = { type, condition, price }
      assert.equal(surpriseOf(side, written, QUOTE)?.kind, kind)
    })

  it('is any but a market order while nobody knows the price', () => {
    const written = { condition: 'STOP_LOSS', price: '100' } as const
    for (const quote of [undefined, NO_PRICE as unknown as Quote]) {
      assert.equal(surpriseOf('BUY', { ...written, type: 'LIMIT' }, quote)?.kind, 'NO_MARKET')
      assert.equal(surpriseOf('BUY', { ...written, type: 'MARKET' }, quote), undefined)
    }
  })
})

describe('what a customer lacks', () => {
  const market = { base: 'BTC', quoted: 'EUR' }
  const order = { type: 'MARKET', by: 'base', quantity: '2', price: '' }
  const quote = {
    buy: { amount: '2', volume: '204' },
    sell: { amount: '2', volume: '196' },
  } as unknown as Quote
  const has = { EUR: '200', BTC: '1.5' }

  it('is of the asset that is given, as far as it is known', () => {
    assert.deepEqual(lackOf('SELL', order, market, { has, quote }), {
      asset: 'BTC',
      has: '1.5',
      needs: '2',
    })
    assert.deepEqual(lackOf('BUY', order, market, { has, quote }), {
      asset: 'EUR',
      has: '200',
      needs: '204',
    })
    assert.equal(lackOf('BUY', order, market, { has: { EUR: '204' }, quote }), undefined)
    assert.equal(lackOf('BUY', order, market, { has, quote: undefined }), undefined)
    assert.equal(lackOf('SELL', order, market, { has: undefined, quote }), undefined)
  })

  it('of a limit is what it may cost', () => {
    const limit = { ...order, type: 'LIMIT', price: '100.01' }
    assert.equal(lackOf('BUY', limit, market, { has, quote: undefined })?.needs, '200.02')
  })
})
