import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { ROOT } from '../setup/setup.mjs'
import { clausesIn } from './rules/sql.ts'
import { sourceOf } from './rules/rule.ts'
import { breachesOf, committed, isOurs, RULES } from './tidy.ts'

test('the repository is tidy', () => {
  assert.deepEqual(
    breachesOf(committed()).map(({ file, line, rule, what }) => `${file}:${line} ${rule}: ${what}`),
    [],
  )
})

/** A file of more than 300 lines at 120 columns is too much to read at once. */
test('few files are long', async () => {
  const MOST_FILES = 10
  const LINES = 300
  const folder = await mkdtemp(join(tmpdir(), 'kontor-columns-'))
  try {
    const files = committed().filter(({ file }) => /\.(ts|tsx|mjs)$/.test(file) && isOurs(file))
    for (const { file, text } of files) {
      await mkdir(join(folder, dirname(file)), { recursive: true })
      await writeFile(join(folder, file), text)
    }
    const settings = JSON.parse(await readFile(join(ROOT, '.oxfmtrc.json'), 'utf8')) as object
    await writeFile(join(folder, '.oxfmtrc.json'), JSON.stringify({ ...settings, printWidth: 120 }))
    const oxfmt = join(ROOT, 'node_modules/oxfmt/bin/oxfmt')
    const { status } = spawnSync(process.execPath, [oxfmt, '.'], { cwd: folder })
    assert.equal(status, 0)
    const long = files
      .map(({ file }) => file)
      .filter((file) => readFileSync(join(folder, file), 'utf8').split('\n').length - 1 > LINES)
    assert.ok(long.length <= MOST_FILES, `${long.length} files: ${long.join(', ')}`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

/** What the rules find in one file. */
const foundIn = (file: string, text: string) =>
  breachesOf([sourceOf(file, text)], [])
    .filter(({ rule }) => rule !== 'unused-export')
    .map(({ rule, line }) => `${rule}:${line}`)

const UNFINISHED = 'TODO'
const FILE = 'server/src/x.ts'
const lines = (count: number, line: string) => `${line}\n`.repeat(count)

type Example = { rule: string; file?: string; text: string; line?: number }

/** For each rule what it finds, at least once. */
const BREACHES: readonly Example[] = [
  { rule: 'unfinished', file: 'docs/x.md', text: `${UNFINISHED}: write this` },
  { rule: 'unfinished', text: `// ${UNFINISHED} later` },
  { rule: 'any', text: 'const a: any = 1' },
  { rule: 'any', file: 'tools/x.mjs', text: 'const a = b as any' },
  { rule: 'silenced-compiler', text: '// @ts-ignore' },
  { rule: 'floating-point', text: 'const a = parseFloat(text)' },
  { rule: 'floating-point', text: 'const a = amount.toFixed(2)' },
  { rule: 'console-log', text: "console.log('x')" },
  { rule: 'machine-path', file: 'README.md', text: 'see /home/somebody/kontor' },
  { rule: 'import-file', text: "import { a } from './a'" },
  { rule: 'comment-length', text: '  // a\n  // b\n  // c\n  // d\n', line: 4 },
  { rule: 'line-length', text: `const text = '${'x'.repeat(90)}'` },
  { rule: 'line-length', file: 'console/x.css', text: `/* ${'x'.repeat(100)} */` },
  { rule: 'file-length', text: lines(401, 'a()'), line: 401 },
  { rule: 'function-length', text: `function a() {\n${lines(70, '  b()')}}` },
  { rule: 'function-length', text: `const a = () => {\n${lines(70, '  b()')}}` },
  { rule: 'function-length', text: `it('a', () => {\n${lines(70, '  b()')}})` },
  { rule: 'parameters', text: 'function a(b, c, d, e, f) {}' },
  { rule: 'parameters', text: 'const a = (b, c, d, e, f) => b' },
  { rule: 'nested-ternary', text: 'const a = b ? c : d ? e : f' },
  { rule: 'nested-ternary', text: 'const a = b ? (c ? d : e) : f' },
  { rule: 'sql-clauses', text: 'sql`select a from b`' },
  { rule: 'sql-clauses', text: 'sql`\n  select a\n  from b where c = ${d}`', line: 3 },
  { rule: 'sql-clauses', text: 'sql`\n  select ${a(\n  b)}\n  from c where d = 1`', line: 4 },
  { rule: 'sql-clauses', file: 'bench/x.ts', text: 'db.query(`select a from b`)' },
  { rule: 'sql-states', text: "sql`where state = 'PENDING'`" },
  { rule: 'sql-states', text: "sql`and withdrawal.state not in ('PENDING', 'FAILED')`" },
  { rule: 'sql-states', text: "sql`where state = ${'PENDING'}`" },
  { rule: 'state-table', text: 'const A_MOVES: Moves<A> = { OPEN: [] }' },
  { rule: 'sql-inserts', text: 'sql`\n  insert into a (b)\n  values (${c})`', line: 2 },
  { rule: 'each', text: 'a.map((each) => each + 1)' },
  { rule: 'each', text: 'for (const each of a) b(each)' },
  { rule: 'workspace-string', text: 'function a(workspace: string) {}' },
  { rule: 'workspace-string', text: 'const a = (b: { workspace: string }) => b' },
]

describe('every rule bites', () => {
  for (const { rule, file = FILE, text, line = 1 } of BREACHES)
    test(`${rule}: ${text.slice(0, 40).replaceAll('\n', ' ').trim()}`, () => {
      assert.deepEqual(foundIn(file, text), [`${rule}:${line}`])
    })

  test('unused-export: across files', () => {
    const found = breachesOf(
      [
        sourceOf('server/src/a.ts', 'export const used = 1\nexport function unused() {}'),
        sourceOf(
          'server/src/b.ts',
          "import { used } from './a.ts'\nexport { unused } from './a.ts'",
        ),
        sourceOf('server/src/c.ts', 'export type Loaded = 1'),
        sourceOf('server/src/d.ts', "await import('./c.ts')"),
      ],
      [],
    )
    assert.deepEqual(
      found.map(({ file, line, rule, what }) => [file, line, rule, what]),
      [['server/src/b.ts', 2, 'unused-export', 'unused']],
    )
  })

  test('and has an example', () => {
    const shown = new Set([...BREACHES.map(({ rule }) => rule), 'unused-export'])
    assert.deepEqual(
      RULES.map(({ name }) => name).filter((name) => !shown.has(name)),
      [],
    )
  })
})

describe('what only looks like a breach', () => {
  const ALLOWED: readonly [file: string, text: string][] = [
    [FILE, "const text = 'many'\n// takes any text\nconst company: string = 'x'\n"],
    [FILE, "import a from './a.ts'"],
    ['sandbox/src/x.ts', "console.log('the sandbox may')"],
    [FILE, `describe('a', () => {\n${lines(90, '  b()')}})`],
    [FILE, `describe.skip('a', () => {\n${lines(90, '  b()')}})`],
    [FILE, 'const a = b ? c((d) => (d ? 1 : 2)) : e'],
    ['server/migrations/0001.sql', 'x'.repeat(120)],
    [FILE, 'sql`\n  select a, (select b from c where d = 1) as e\n  from f`'],
    [FILE, 'sql`\n  select a\n  from b\n  where c is distinct from d\n  for update`'],
    [FILE, 'sql`where state = ${state}`'],
    [FILE, 'type Row = { workspace: string }'],
    [FILE, "const A_MOVES: Moves<A> = { OPEN: [] }\nmove(A_MOVES, 'OPEN', 'CLOSED')"],
  ]
  for (const [file, text] of ALLOWED)
    test(text.slice(0, 40).replaceAll('\n', ' ').trim(), () => {
      assert.deepEqual(foundIn(file, text), [])
    })
})

test('clauses are counted outside of parentheses that the line opens', () => {
  const COUNTS: readonly [line: string, clauses: number][] = [
    ['select a, b', 1],
    ['select a from b', 2],
    ['from (select a from b where c) d', 1],
    ['  ) select a', 1],
    ["where text = 'select from where'", 1],
    ['on conflict (a) do update set b = 1', 1],
    ['update a set b = 1', 2],
    ['where a = 1 order by b limit 1', 3],
    ['with gone as (delete from a returning id)', 0],
  ]
  for (const [line, clauses] of COUNTS) assert.equal(clausesIn(line), clauses, line)
})

test('an exception counts for its rule, file and text, and fails once nothing needs it', () => {
  const source = sourceOf(FILE, 'const a = parseFloat(b)\nconst c = d.toFixed(2)')
  const exception = { rule: 'floating-point', file: FILE, of: 'parseFloat', reason: 'a test' }
  const other = { ...exception, of: 'Math.round' }
  assert.deepEqual(
    breachesOf([source], [exception, other]).map(({ line, says }) => [line, says]),
    [
      [2, 'no floating point near money'],
      [0, 'an exception that is no longer needed'],
    ],
  )
})

test('every rule has a name of its own', () => {
  assert.equal(new Set(RULES.map(({ name }) => name)).size, RULES.length)
})
