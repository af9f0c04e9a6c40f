import assert from 'node:assert/strict'
import { test } from 'node:test'
import { typedTime } from './typed-time.ts'

test('a day alone, or as German writes it, is a time', () => {
  const midnight = new Date(2026, 10, 29).getTime()
  assert.equal(typedTime('2026-11-29'), midnight)
  assert.equal(typedTime(' 29.11.2026 '), midnight)
  assert.equal(typedTime('29.11.2026 10:30'), new Date(2026, 10, 29, 10, 30).getTime())
})

test('what is no such day is none, and what the picker reads is left to it', () => {
  for (const text of ['', 'x', '31.02.2026', '2026-13-01', '29.11.2026 25:00', '2026-11-29 10:30'])
    assert.equal(typedTime(text), undefined, text)
})
