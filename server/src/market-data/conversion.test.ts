import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decimal, format } from '../core/decimal.ts'
import { convert, indexRates } from './conversion.ts'
import type { Rate } from './conversion.ts'
import { START } from './prices.testing.ts'

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
  it('gives the change along the path, and none where a pair does not say', () => {
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
