/** Which configurations of a bank are taken. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accountOf, bankConfig } from './config.ts'
import { IBAN } from './bank-files.testing.ts'

const VALUES = {
  outbox_dir: 'out',
  inbox_dir: 'in',
  iban: IBAN,
  bic: 'COBADEFFXXX',
  name: 'Kontor',
  currency: 'EUR',
}

test('by default notifications and statements book', () => {
  const { books, account_id } = accountOf(bankConfig(VALUES))
  assert.deepEqual([...books], ['camt.053', 'camt.054'])
  assert.equal(account_id, null)
})

test('the profile names the kinds of messages that book', () => {
  const { books } = accountOf(bankConfig({ ...VALUES, books: 'camt.054, camt.052' }))
  assert.deepEqual([...books].toSorted(), ['camt.052', 'camt.054'])
  for (const wrong of ['camt.055', 'camt.053;camt.054', 'camt.053,'])
    assert.throws(() => bankConfig({ ...VALUES, books: wrong }), RangeError, wrong)
})

test('a currency has a code and cents', () => {
  assert.equal(bankConfig({ ...VALUES, currency: 'CHF' }).currency, 'CHF')
  for (const currency of ['JPY', 'Euro', 'eur', '€'])
    assert.throws(() => bankConfig({ ...VALUES, currency }), RangeError, currency)
})
