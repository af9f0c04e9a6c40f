import { NUMBER_FORMATS } from '@kontor/client'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { soughtText } from './sought-text.ts'

test('an amount is sought as the service has it, and every other text as it is', () => {
  const english = { format: NUMBER_FORMATS.point, sure: false }
  const german = { format: NUMBER_FORMATS.comma, sure: true }
  assert.equal(soughtText('1,000.50', english), '1000.50')
  assert.equal(soughtText('1000,50', english), '1000.50')
  assert.equal(soughtText('1.000,50', german), '1000.50')
  for (const text of ['1000.50', 'Keller, Jonas', '1,000', 'AT61 1904'])
    assert.equal(soughtText(text, english), text)
})
