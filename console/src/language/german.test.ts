import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { ENGLISH } from './english.ts'
import { CODES, GERMAN, SERVICE } from './german/index.ts'
import { keys, textsBeside } from './keys.testing.ts'
import { sayer } from './service.ts'

/** What stands for values and parts in a text, in any order. */
const marksOf = (text: string): string[] =>
  [...text.matchAll(/\{\{.+?\}\}|<\/?[a-z]\w*\/?>/g)].map(([mark]) => mark).toSorted()

/** Codes and lower-case names that the API's document lists. */
function codesOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(codesOf)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    name === 'enum' && Array.isArray(inner)
      ? (inner as unknown[]).filter((code): code is string => /^[A-Z_]{2,}$/.test(String(code)))
      : codesOf(inner),
  )
}

describe('the console in German', () => {
  it('says every text', () => {
    assert.deepEqual(
      [...keys()].filter((key) => (GERMAN[key] ?? '') === ''),
      [],
    )
  })

  it('has no text that is not said', () => {
    const said = keys()
    assert.deepEqual(
      Object.keys(GERMAN).filter((key) => !said.has(key) && !(key in CODES)),
      [],
    )
  })

  it('keeps the values and the parts of each text', () => {
    const wrong = Object.entries({ ...GERMAN, ...SERVICE }).filter(([key, says]) => {
      // “Every day” does not say its one.
      const marks = key.endsWith('_one') && !says.includes('{{count}}') ? `${says}{{count}}` : says
      return marksOf(key).join() !== marksOf(marks).join()
    })
    assert.deepEqual(wrong, [])
  })

  it('has a word for each code of the API', () => {
    const document = join(import.meta.dirname, '../../../docs/generated/openapi.json')
    const codes = codesOf(JSON.parse(readFileSync(document, 'utf8')))
    assert.ok(codes.length > 300)
    assert.deepEqual(
      [...new Set(codes)].filter((code) => (CODES[code] ?? '') === ''),
      [],
    )
  })

  it('finds no text that is said in English whatever the language', () => {
    assert.deepEqual(textsBeside(), [])
  })
})

it('English says one of what it has several of', () => {
  assert.deepEqual(
    Object.keys(ENGLISH).filter((key) => !keys().has(key)),
    [],
  )
})

it('says a sentence of the service by its form, the one with the most words first', () => {
  const say = sayer({
    'the {{what}} is {{state}}': 'der Satz {{what}} ist {{state}}',
    'the deposit is {{state}}': 'die Einzahlung ist {{state}}',
    'nothing moves': 'nichts bewegt sich',
  })
  const words = (found: string): string => found.toLowerCase()
  assert.equal(say('nothing moves', words), 'nichts bewegt sich')
  assert.equal(say('the deposit is FAILED', words), 'die Einzahlung ist failed')
  assert.equal(say('the route is DOWN', words), 'der Satz route ist down')
  assert.equal(say('no such thing', words), undefined)
})

it('says values of one name in their order, and where there is none', () => {
  const say = sayer({
    '{{amount}} of {{amount}}{{why}}': 'von {{amount}} sind {{amount}} da{{why}}',
  })
  const words = (found: string): string => found
  assert.equal(say('3 of 5', words), 'von 3 sind 5 da')
  assert.equal(say('3 of 5: so', words), 'von 3 sind 5 da: so')
})

it('looks for the form of no sentence that somebody made long', () => {
  const say = sayer({
    'the venue reports {{a}} with {{b}}, {{c}} and {{d}}': '{{a}} {{b}} {{c}} {{d}}',
  })
  assert.equal(
    say(`the venue reports ${' with , and'.repeat(300)}!`, (found) => found),
    undefined,
  )
})
