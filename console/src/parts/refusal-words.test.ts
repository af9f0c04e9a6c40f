import assert from 'node:assert/strict'
import { it } from 'node:test'
import { localTime } from './local-time.ts'
import { sentenceOf } from './refusal-words.ts'

it('says a stored reason without ids, and times as they are here', () => {
  const id = '01a227d2-c417-7716-a690-57c548d76d8f'
  assert.equal(
    sentenceOf(`account Jonas Keller (${id}) has 15000 EUR available, 99999 needed`),
    'Account Jonas Keller has 15,000.00 EUR available, 99,999 needed',
  )
  const at = '2026-11-29T15:14:56.987Z'
  assert.equal(
    sentenceOf(`this quote expired at ${at}`),
    `This quote expired at ${localTime(Date.parse(at))}`,
  )
})
