/** The imports of the console follow its floors, and none of them closes a circle. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { breach, floorOf, roomOf } from './floors.ts'
import { PAGES } from './pages/index.ts'

const SOURCE = import.meta.dirname
const FILES = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => name.replaceAll('\\', '/'))
const MODULES = FILES.filter((file) => !/^floors\.|\.test\.ts$|\.d\.ts$/.test(file))

/** Static, dynamic and type imports of other sources, as paths below console/src. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(SOURCE, file), 'utf8')
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+\.tsx?)'/g)].map(([, target = '']) =>
    relative(SOURCE, resolve(SOURCE, dirname(file), target)).replaceAll('\\', '/'),
  )
}

/** Every circle, as the chain of its files. */
function circlesOf(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>()
  const circles: string[] = []
  const visit = (file: string, path: string[]): void => {
    if (path.includes(file)) {
      circles.push([...path.slice(path.indexOf(file)), file].join(' → '))
      return
    }
    if (done.has(file)) return
    for (const next of imports.get(file) ?? []) visit(next, [...path, file])
    done.add(file)
  }
  for (const file of imports.keys()) visit(file, [])
  return circles
}

describe('the sources of the console', () => {
  it('import nothing above them or beside them', () => {
    const breaches = MODULES.flatMap((file) =>
      importsOf(file).flatMap((target) =>
        target.startsWith('..')
          ? [`${file} imports out of the console: ${target}`]
          : (breach(file, target) ?? []),
      ),
    )
    assert.deepEqual(breaches, [])
  })

  it('have no circle of imports', () => {
    assert.deepEqual(circlesOf(new Map(FILES.map((file) => [file, importsOf(file)]))), [])
  })

  it('stand on a floor, every one of them', () => {
    assert.deepEqual(
      MODULES.filter((file) => floorOf(roomOf(file)) === undefined),
      [],
    )
  })

  it('name each page and each shortcut once', () => {
    const twice = (words: readonly (string | undefined)[]): (string | undefined)[] =>
      words.filter((word, index) => word !== undefined && words.indexOf(word) !== index)
    assert.deepEqual(twice(PAGES.map(({ path }) => path)), [])
    assert.deepEqual(twice(PAGES.map(({ keys }) => keys)), [])
    assert.deepEqual(twice(PAGES.map(({ kind }) => kind)), [])
  })
})

describe('the rule of the floors', () => {
  it('refuses what breaks it', () => {
    assert.match(breach('parts/links.tsx', 'pages/books/accounts.tsx') ?? '', /up/)
    assert.match(breach('frame/layout.tsx', 'routes.tsx') ?? '', /up/)
    assert.match(breach('list/grid.tsx', 'action/action.tsx') ?? '', /sideways/)
    assert.match(breach('elsewhere/new.ts', 'parts/links.tsx') ?? '', /no floor/)
    assert.equal(breach('parts/links.tsx', 'pages/index.ts'), undefined)
    assert.equal(breach('routes.tsx', 'pages/books/accounts.tsx'), undefined)
  })

  it('finds a circle', () => {
    assert.deepEqual(
      circlesOf(
        new Map([
          ['a', ['b']],
          ['b', ['c']],
          ['c', ['a']],
        ]),
      ),
      ['a → b → c → a'],
    )
  })
})
