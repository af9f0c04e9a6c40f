/** The table of attacks. The attacks themselves: `npm run attack`. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { ATTACKS } from './attacks.ts'
import { lineOf, PARTS, summaryOf } from './table.ts'
import type { Attack } from './table.ts'

test('every part has attacks, and each says what is done and wanted', () => {
  const names = ATTACKS.map(({ of, name }) => `${of} ${name}`)
  assert.equal(new Set(names).size, names.length, 'no name twice')
  assert.deepEqual(
    Object.keys(PARTS).filter((part) => !ATTACKS.some(({ of }) => of === part)),
    [],
  )
  for (const { does, wanted, name } of ATTACKS) assert.ok(does !== '' && wanted !== '', name)
})

test('docs/attack.md has every part with the number of its attacks', () => {
  const page = readFileSync(new URL('../../../docs/attack.md', import.meta.url), 'utf8')
  const documented = [...page.matchAll(/^\| ([^|]+?) +\| +(\d+) \|/gm)].map(([, part, count]) => [
    part,
    Number(count),
  ])
  const counted = Object.entries(PARTS).map(([part, title]) => [
    title,
    ATTACKS.filter(({ of }) => of === part).length,
  ])
  assert.deepEqual(documented, counted)
})

test('a row shows what was wanted and seen, and what did not hold', () => {
  const attack: Attack = {
    of: 'API1',
    name: 'a name',
    does: 'a deed',
    wanted: '0 answered',
    run: async () => ({ seen: '1 answered', wrong: ['GET /x → 200'] }),
  }
  const broken = { attack, seen: '1 answered', wrong: ['GET /x → 200'], ms: 120 }
  assert.match(lineOf(broken), /^BROKE API1 .*a name \| wanted 0 answered \| seen 1 answered/)
  assert.match(lineOf(broken), /\n +GET \/x → 200$/)
  assert.match(lineOf({ ...broken, wrong: [] }), /^held /)
  assert.equal(summaryOf([broken, { ...broken, wrong: [] }]), `${PARTS.API1}: 1 of 2 held`)
})
