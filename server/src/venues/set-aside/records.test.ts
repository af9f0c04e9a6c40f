/** What a record that was set aside says of its amount. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { decimal } from '../../core/decimal.ts'
import { amountIn, rawText } from './records.ts'

const entry = '<Ntry><Amt Ccy="EUR">12.50</Amt><NtryDtls><Amt Ccy="EUR">7</Amt></NtryDtls></Ntry>'

it('names the amount of a row, a movement, a trade and an entry in their own words', () => {
  const cases: [unknown, string | null][] = [
    [{ direction: 'IN', row: { asset: 'XXBT', amount: '0.1', fee: '0' } }, '0.1 XXBT'],
    [{ direction: 'OUT', row: { ccy: 'BTC', amt: 0.25 } }, '0.25 BTC'],
    [{ reported: 'IN', movement: { quantity: decimal('5'), asset: 'EUR' } }, '5 EUR'],
    [{ quantity: decimal('2'), base_asset: 'ETH', side: 'BUY' }, '2 ETH'],
    [{ file: 'camt.xml', from: 90, xml: entry }, '12.50 EUR'],
    [{ file: 'camt.xml', from: 90, xml: entry.replaceAll('Amt', 'c:Amt') }, '12.50 EUR'],
    [{ file: 'camt.xml', xml: entry }, null],
    [{ direction: 'IN', row: { id: 7 } }, null],
    [{ direction: 'IN', row: { amount: '1\u0000' } }, null],
    [null, null],
  ]
  for (const [record, amount] of cases) assert.equal(amountIn(rawText(record)), amount)
  assert.equal(amountIn('<torn'), null)
})
