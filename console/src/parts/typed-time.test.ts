import assert from 'node:assert/strict'
import { test } from 'node:test'
import { typedTime } from './typed-time.ts'

test('a time is read as it is shown, as a day alone, and as German writes it', () => {
  const midnight = new Date(2026, 10, 29).getTime()
  const morning = new Date(2026, 10, 29, 9, 30).getTime()
  for (const text of ['2026-11-29', ' 29.11.2026 ']) assert.equal(typedTime(text), midnight, text)
  for (const text of [
    '2026-11-29 09:30',
    '2026-11-29 9:30',
    '2026-11-29T09:30',
    '29.11.2026 9:30',
    '29.11.2026, 09:30',
  ])
    assert.equal(typedTime(text), morning, text)
})

test('what is no such day or time is none, and nothing is guessed', () => {
  for (const text of [
    '',
    'x',
    '31.02.2026',
    '2026-02-30',
    '2026-13-01',
    '29.11.2026 25:00',
    '2026-11-29 9',
    '31/12/2026',
    '2026-11-29 10:300',
  ])
    assert.equal(typedTime(text), undefined, text)
})
