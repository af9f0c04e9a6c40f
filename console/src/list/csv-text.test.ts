import assert from 'node:assert/strict'
import { it } from 'node:test'
import { lineOf, withDecimals } from './csv-text.ts'

it('gives an amount the decimals of its currency, and cuts no digit', () => {
  assert.equal(withDecimals('7', 'EUR'), '7.00')
  assert.equal(withDecimals('7.125', 'EUR'), '7.125')
  assert.equal(withDecimals('-7.1', 'CHF'), '-7.10')
  assert.equal(withDecimals('7', 'JPY'), '7')
  assert.equal(withDecimals('7', 'BTC'), '7')
  assert.equal(withDecimals('7', undefined), '7')
})

it('quotes what needs it, and takes from a formula that it runs', () => {
  assert.equal(
    lineOf(['plain', 'say "hi", twice', '-7.10', '=1+1', '-cmd', '@a', 'two\nlines']),
    `plain,"say ""hi"", twice",-7.10,'=1+1,'-cmd,'@a,"two\nlines"`,
  )
})
