import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asOneWord, ONE_WORD } from './tag-text.ts'

test('a tag is one word; several are one with hyphens', () => {
  for (const text of ['urgent', ' urgent ', 'not-yet', 'größer']) assert.match(text, ONE_WORD)
  for (const text of ['', ' ', 'not yet', 'not,yet', 'a\tb']) assert.doesNotMatch(text, ONE_WORD)
  assert.equal(asOneWord(' not yet, really'), 'not-yet-really')
})
