import assert from 'node:assert/strict'
import { test } from 'node:test'
import { breachesOf, tidy } from './tidy.ts'

test('the repository is tidy', () => {
  assert.deepEqual(
    tidy().map(({ file, line, rule, text }) => `${file}:${line} ${rule}: ${text}`),
    [],
  )
})

const UNFINISHED = 'TODO'
const BREACHES: readonly [file: string, text: string, rule: RegExp][] = [
  ['docs/x.md', `${UNFINISHED}: write this`, /unfinished/],
  ['server/src/x.ts', `// ${UNFINISHED} later`, /unfinished/],
  ['server/src/x.ts', 'const a: any = 1', /any/],
  ['tools/x.mjs', 'const a = b as any', /any/],
  ['server/src/x.ts', '// @ts-ignore', /silenced/],
  ['server/src/x.ts', 'const a = parseFloat(text)', /floating/],
  ['server/src/x.ts', 'return amount.toFixed(2)', /floating/],
  ['server/src/x.ts', "console.log('x')", /log/],
  ['README.md', 'see /home/somebody/kontor', /machine/],
  ['server/src/x.ts', "import { a } from './a'", /import/],
  ['server/src/x.ts', 'x\n'.repeat(1000), /lines/],
  ['server/src/x.ts', '  // a\n  // b\n  // c\n  // d\n', /comment/],
]

for (const [file, text, rule] of BREACHES) {
  test(`refused in ${file}: ${text.slice(0, 40).trim()}`, () => {
    const found = breachesOf(file, text)
    assert.equal(found.length, 1, JSON.stringify(found))
    assert.match(found[0]?.rule ?? '', rule)
  })
}

test('what only looks like a breach is none', () => {
  assert.deepEqual(
    breachesOf(
      'server/src/x.ts',
      "const text = 'many'\n// takes any text\nconst company: string = 'x'\nimport a from './a.ts'\n",
    ),
    [],
  )
  assert.deepEqual(breachesOf('sandbox/src/x.ts', "console.log('the sandbox may')"), [])
})
