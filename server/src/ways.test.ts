/**
 * Follows the tables in ARCHITECTURE.md under "The ways through". Each row names a function that
 * its file declares, and that the functions of earlier rows call. The number of files of a way
 * has a limit.
 */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const SOURCE = dirname(fileURLToPath(import.meta.url))
const DOCUMENT = resolve(SOURCE, '../../ARCHITECTURE.md')

/** How many files each way is meant to pass through. */
const AIMS: Readonly<Record<string, number>> = {
  'A booking': 6,
  "A withdrawal's request": 9,
  "A withdrawal's sending": 12,
  'A deposit': 13,
  'An execution': 16,
}

/**
 * The ways that pass through more, or have no aim. A number here becomes smaller, unless the way
 * gains a step.
 */
const LONGER: Readonly<Record<string, number>> = {
  // The queue and the transaction of a batch are two ideas; the check of the books uses the chain.
  'A booking': 8,
  // Two tasks. Reading needs wallet and opening balance; settling has rules for the owner, and
  // screening.
  'A deposit': 15,
  // It makes withdrawals and waits for deposits.
  'A settlement': 12,
}

type Step = { file: string; name: string }

/** The steps of each way, by the heading above its table. */
function readWays(): Map<string, Step[]> {
  const text = readFileSync(DOCUMENT, 'utf8')
  const [, after = ''] = text.split('\n## The ways through\n')
  const [section = ''] = after.split('\n## ')
  return new Map(
    section
      .split('\n### ')
      .slice(1)
      .map((part) => {
        const [heading = ''] = part.split('\n')
        const rows = [...part.matchAll(/^\| *\d+ *\| *`([^`]+)` *\| *`([^`]+)` *\|/gm)]
        return [heading, rows.map(([, file = '', name = '']) => ({ file, name }))]
      }),
  )
}

const withoutComments = (text: string): string =>
  text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '')

const read = new Map<string, string[]>()

function linesOf(path: string): string[] {
  const lines = read.get(path) ?? withoutComments(readFileSync(path, 'utf8')).split('\n')
  read.set(path, lines)
  return lines
}

const indentOf = (line: string): number => line.length - line.trimStart().length

/** What follows a declaration of the name, to the next declaration beside it. Empty for none. */
function bodyOf({ file, name }: Step): string {
  const path = join(SOURCE, file)
  if (!existsSync(path)) return ''
  const lines = linesOf(path)
  const declaration = new RegExp(
    `^\\s*(export )?(async )?(function ${name}\\b|const ${name}\\b|` +
      `#?${name}\\((\\w+: |\\)|$)|${name}: (async )?\\()`,
  )
  return lines
    .flatMap((line, index) => {
      if (!declaration.test(line)) return []
      const rest = lines.slice(index + 1)
      const end = rest.findIndex((next) => /^\s*\w/.test(next) && indentOf(next) <= indentOf(line))
      return [line, ...(end === -1 ? rest : rest.slice(0, end))]
    })
    .join('\n')
}

/** The function's own name, and the name that its module's door gives it. */
function namesOf({ file, name }: Step): string[] {
  const [module = ''] = file.split('/')
  const door = join(SOURCE, module, 'index.ts')
  const text = existsSync(door) ? linesOf(door).join('\n') : ''
  const renamed = [...text.matchAll(new RegExp(`\\b${name} as (\\w+)`, 'g'))]
  return [name, ...renamed.map(([, alias = '']) => alias)]
}

/** Whether the worker runs this function as a task: nothing above it calls it. */
function isTask({ file, name }: Step): boolean {
  const [module = ''] = file.split('/')
  const lists = [
    bodyOf({ file: 'worker.ts', name: 'taskGroupsOf' }),
    bodyOf({ file: `${module}/index.ts`, name: `${module}Tasks` }),
  ]
  return lists.some((list) => new RegExp(`\\b${name}\\(`).test(list))
}

/** The rows that no earlier row leads to. */
function unreached(steps: readonly Step[]): string[] {
  return steps.flatMap((step, index) => {
    const called = new RegExp(`\\b(${namesOf(step).join('|')})\\b`)
    return index === 0 ||
      isTask(step) ||
      steps.slice(0, index).some((earlier) => called.test(bodyOf(earlier)))
      ? []
      : [`${step.file}: ${step.name}`]
  })
}

const filesOf = (steps: readonly Step[]): number => new Set(steps.map((step) => step.file)).size

describe('the ways through', () => {
  const ways = readWays()

  it('are all there', () => {
    assert.deepEqual([...ways.keys()], Object.keys({ ...AIMS, ...LONGER }))
    for (const [way, steps] of ways) assert.ok(steps.length > 3, `${way} has a table`)
  })

  for (const [way, steps] of ways) {
    it(`${way}: every file declares its function`, () => {
      assert.deepEqual(
        steps.filter((step) => bodyOf(step) === ''),
        [],
      )
    })

    it(`${way}: every step is called by one above it`, () => {
      assert.deepEqual(unreached(steps), [])
    })

    it(`${way}: passes through no more files than it may`, () => {
      const most = LONGER[way] ?? AIMS[way] ?? 0
      assert.ok(filesOf(steps) <= most, `${filesOf(steps)} files, ${most} at most`)
    })
  }

  it('are not followed when a step leads nowhere', () => {
    const [start] = ways.get('A booking') ?? []
    assert.ok(start !== undefined)
    const elsewhere = { file: 'treasury/polling/incoming.ts', name: 'pollIncoming' }
    assert.deepEqual(unreached([start, elsewhere]), ['treasury/polling/incoming.ts: pollIncoming'])
    assert.equal(bodyOf({ file: 'treasury/polling/poll.ts', name: 'noSuchFunction' }), '')
    assert.equal(bodyOf({ file: 'no-such-file.ts', name: 'pollTask' }), '')
  })
})
