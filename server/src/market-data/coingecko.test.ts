/** What is read from an answer of the aggregator, and what is not. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { format } from '../core/decimal.ts'
import { suppliesIn } from './coingecko.ts'

describe('an answer of the aggregator', () => {
  const supplyIn = (number: string) =>
    suppliesIn(
      `[{"id":"x","circulating_supply":${number},"last_updated":"2026-11-21T08:00:00.000Z"}]`,
    ).get('x')
  const table: [string, string | undefined][] = [
    ['19950000', '19950000'],
    ['19675962.0', '19675962'],
    ['120700000.123456789012345678', '120700000.123456789012345678'],
    ['589264883286605.26', '589264883286605.26'],
    ['1.5e9', '1500000000'],
    ['1.23456E+3', '1234.56'],
    ['0.1234567890123456789', '0.123456789012345678'],
    ['0', undefined],
    ['-1', undefined],
    ['null', undefined],
    ['"19950000"', undefined],
    ['1e99', undefined],
    ['1e-3', undefined],
    ['{}', undefined],
  ]
  for (const [number, supply] of table)
    it(`${number}: ${supply ?? 'no supply'}`, () => {
      assert.equal(
        supply,
        supplyIn(number) === undefined ? undefined : format(supplyIn(number)?.quantity ?? 0n),
      )
    })
  it('keeps the time of the report, where it is one', () => {
    assert.equal(supplyIn('1')?.told_at, Date.parse('2026-11-21T08:00:00Z'))
    assert.equal(
      suppliesIn('[{"id":"x","circulating_supply":1,"last_updated":null}]').get('x')?.told_at,
      undefined,
    )
  })
  for (const text of ['', '<html>', '{"status":{}}', 'null'])
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.throws(() => suppliesIn(text), /^AggregatorError/)
    })
})
