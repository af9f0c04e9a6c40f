/** Papers say the same in every language. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_WORDS } from './day-words.ts'
import { WORDS } from './words.ts'

/** What is said, and how many values stand in it. */
function keysOf(words: object, path = ''): string[] {
  return Object.entries(words).flatMap(([key, said]: [string, unknown]) => {
    const here = `${path}${key}`
    if (typeof said === 'object' && said !== null) return keysOf(said, `${here}.`)
    if (typeof said === 'function') return [`${here}(${said.length})`]
    assert.ok(typeof said === 'string' && said.trim() !== '', here)
    return [here]
  })
}

test('every language has the same words', () => {
  for (const { en, ...others } of [WORDS, DAY_WORDS])
    for (const [language, words] of Object.entries(others))
      assert.deepEqual(keysOf(words).toSorted(), keysOf(en).toSorted(), language)
})
