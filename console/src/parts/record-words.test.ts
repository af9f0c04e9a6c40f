import assert from 'node:assert/strict'
import { it } from 'node:test'
import { amountWords, percent } from './amount-words.ts'
import { doerWords, recordTitle, storedWords, titleWords, whyWords } from './record-words.ts'

it('writes amounts by their digits, of a currency with its decimals', () => {
  assert.equal(amountWords('1250.5', 'EUR'), '1,250.50 EUR')
  assert.equal(amountWords('14995.99999', 'XLM'), '14,995.99999 XLM')
  assert.equal(amountWords('-15072.6633'), '−15,072.6633')
  assert.equal(percent('0.00005502'), '0.005502 %')
  assert.equal(percent('-0.5'), '−50 %')
})

it('says the titles of steps by their parts', () => {
  assert.equal(
    titleWords('A part of the deposit was booked to an account: 300 EUR for Jonas Keller'),
    'A part of the deposit was booked to an account: 300.00 EUR for Jonas Keller',
  )
  assert.equal(
    titleWords('Order to Kraken: BUY 0.02 BTC/EUR, LIMIT at 60582.1'),
    'Order to Kraken: Buy 0.02 BTC/EUR, Limit at 60,582.1',
  )
})

it('says the titles of records by their kind, and lets labels be', () => {
  assert.equal(recordTitle('deposit', 'Deposit 4200 EUR'), 'Deposit 4,200.00 EUR')
  assert.equal(recordTitle('execution', 'BUY 0.02 BTC'), 'Buy 0.02 BTC')
  assert.equal(recordTitle('order', 'Order SELL 9 BTC'), 'Order: Sell 9 BTC')
  assert.equal(recordTitle('customer', 'Deposit 4200 EUR'), 'Deposit 4200 EUR')
})

it('says why without codes and ids, and leaves what only looks like an amount', () => {
  const id = '01a227d2-c417-7716-a690-57c548d76d8f'
  assert.equal(
    whyWords(`RETURN: the venue returns withdrawal ${id}: back to the accounts that paid it`),
    'The venue returns this withdrawal: back to the accounts that paid it',
  )
  assert.equal(whyWords('10.0.0.7 and version 1.2.3 of 2026'), '10.0.0.7 and version 1.2.3 of 2026')
  assert.equal(storedWords('see erp.example.com, 1.50'), 'see erp.example.com, 1.50')
  assert.equal(whyWords('the fee is 0.00001 XLM'), 'The fee is 0.00001 XLM')
})

it('names the part of Kontor that did it, and whoever else by name', () => {
  assert.equal(doerWords('treasury'), 'Kontor (Treasury)')
  assert.equal(doerWords('Anna Adler'), 'Anna Adler')
})
