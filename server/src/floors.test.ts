import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, it } from 'node:test'
import { breach, drawFloors, floorOf, roomBreach, roomOf, ROOMS } from './floors.ts'

const SOURCE = dirname(fileURLToPath(import.meta.url))
const REPOSITORY = resolve(SOURCE, '../..')

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|mjs)$/.test(name) && !name.includes('node_modules'))
    .map((name) => name.replaceAll('\\', '/'))

function importsOf(path: string): string[] {
  const text = readFileSync(path, 'utf8')
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) => match[1] ?? '')
}

/** Which file of a module imports which other file of it, tests and their helpers left out. */
function importsWithin(module: string): { from: string; to: string }[] {
  return filesBelow(join(SOURCE, module))
    .filter((file) => !/\.(test|testing|fixture)\.ts$/.test(file))
    .flatMap((from) =>
      importsOf(join(SOURCE, module, from)).map((target) => ({
        from,
        to: join(dirname(from), target).replaceAll('\\', '/'),
      })),
    )
    .filter(({ to }) => !to.startsWith('..'))
}

/**
 * How many rooms a module has, how many arrows run between them, and on how many floors they stand.
 */
function measureRooms(module: string) {
  const arrows = importsWithin(module)
    .map(({ from, to }) => `${roomOf(from)} → ${roomOf(to)}`)
    .filter((arrow) => new Set(arrow.split(' → ')).size === 2)
  const floors = ROOMS[module] ?? []
  return { rooms: floors.flat().length, arrows: new Set(arrows).size, floors: floors.length }
}

describe('the house', () => {
  it('has no import up, sideways or past a door', () => {
    const breaches = filesBelow(SOURCE).flatMap((file) =>
      importsOf(join(SOURCE, file)).flatMap((target) => {
        const to = relative(SOURCE, resolve(SOURCE, dirname(file), target)).replaceAll('\\', '/')
        if (to.startsWith('..')) return [`${file} imports out of the service: ${target}`]
        // Tests may look past doors, never up or sideways.
        const why = breach(file, to)
        return why === undefined ||
          (/\.(test|fixture)\.ts$|testing\.ts$|suite\.ts$/.test(file) &&
            why.includes('past the door'))
          ? []
          : [why]
      }),
    )
    assert.deepEqual(breaches, [])
  })

  it('has no import up or sideways between the rooms of a module', () => {
    const breaches = Object.keys(ROOMS).flatMap((module) =>
      importsWithin(module).flatMap(({ from, to }) => roomBreach(module, from, to) ?? []),
    )
    assert.deepEqual(breaches, [])
  })

  it('keeps the number of rooms and of arrows between them small', () => {
    const most = {
      treasury: { rooms: 20, arrows: 74, floors: 8 },
      trading: { rooms: 17, arrows: 60, floors: 10 },
      ledger: { rooms: 20, arrows: 60, floors: 10 },
    }
    for (const [module, limit] of Object.entries(most)) {
      const { rooms, arrows, floors } = measureRooms(module)
      assert.ok(rooms <= limit.rooms, `${module} has ${rooms} rooms, ${limit.rooms} at most`)
      assert.ok(arrows <= limit.arrows, `${module} has ${arrows} arrows, ${limit.arrows} at most`)
      assert.ok(floors <= limit.floors, `${module} has ${floors} floors, ${limit.floors} at most`)
    }
  })

  it('has every folder on a floor', () => {
    const folders = readdirSync(SOURCE, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name)
    assert.deepEqual(
      folders.filter((name) => floorOf(name) === undefined),
      [],
    )
  })

  it('has no circle of imports', () => {
    const graph = new Map(
      filesBelow(SOURCE).map((file) => [
        file,
        importsOf(join(SOURCE, file)).map((target) =>
          relative(SOURCE, resolve(SOURCE, dirname(file), target)).replaceAll('\\', '/'),
        ),
      ]),
    )
    const done = new Set<string>()
    const circles: string[] = []
    const visit = (file: string, path: string[]): void => {
      if (path.includes(file)) {
        circles.push([...path.slice(path.indexOf(file)), file].join(' → '))
        return
      }
      if (done.has(file)) return
      for (const next of graph.get(file) ?? []) visit(next, [...path, file])
      done.add(file)
    }
    for (const file of graph.keys()) visit(file, [])
    assert.deepEqual(circles, [])
  })

  it('keeps the other packages outside: they talk to the service over its public surfaces', () => {
    const breaches = ['sandbox', 'client', 'bench'].flatMap((name) =>
      filesBelow(join(REPOSITORY, name)).flatMap((file) =>
        // What is measured beside other ledgers is started here, as the tools start it.
        (name === 'bench' && file.startsWith('peers/')
          ? []
          : importsOf(join(REPOSITORY, name, file))
        )
          .filter((target) =>
            relative(
              join(REPOSITORY, name),
              resolve(REPOSITORY, name, dirname(file), target),
            ).startsWith('..'),
          )
          .map((target) => `${name}/${file} imports ${target}`),
      ),
    )
    assert.deepEqual(breaches, [])
  })

  it('is described as it is: ARCHITECTURE.md names every folder, and what is there', () => {
    const text = readFileSync(join(REPOSITORY, 'ARCHITECTURE.md'), 'utf8')
    const folders = [
      '.ci',
      ...readdirSync(REPOSITORY).filter((name) =>
        ['server', 'sandbox', 'console', 'client', 'bench', 'docs', 'tools'].includes(name),
      ),
    ]
    assert.deepEqual(
      folders.filter((name) => !new RegExp(`^${name.replace('.', '\\.')}/ `, 'm').test(text)),
      [],
    )
    assert.deepEqual(
      filesBelow(SOURCE)
        .map((file) => dirname(file))
        .filter(
          (folder) =>
            !folder.includes('/') && folder !== '.' && !new RegExp(`\\b${folder}\\b`).test(text),
        ),
      [],
    )
    const files = filesBelow(SOURCE)
    const named = [...text.matchAll(/`(?:server\/src\/)?([\w/.-]+\.ts)(?:::(\w+))?`/g)].map(
      ([, name = '', member]) => ({
        name,
        member,
        file: files.find((file) => file === name || file.endsWith(`/${name}`)),
      }),
    )
    assert.ok(named.length > 15)
    assert.deepEqual(
      named.filter(
        ({ file, member }) =>
          file === undefined ||
          (member !== undefined &&
            !new RegExp(`export .*\\b${member}\\b`).test(readFileSync(join(SOURCE, file), 'utf8'))),
      ),
      [],
    )
  })

  it('is drawn in README.md and ARCHITECTURE.md as it is', () => {
    for (const name of ['README.md', 'ARCHITECTURE.md']) {
      const text = readFileSync(join(REPOSITORY, name), 'utf8')
      assert.ok(text.includes(drawFloors()), `${name} has another picture: npm run generate`)
    }
  })

  it('breaks when a breach is made', () => {
    assert.match(breach('ledger/lane.ts', 'treasury/index.ts') ?? '', /up/)
    assert.match(breach('treasury/routes.ts', 'trading/index.ts') ?? '', /sideways/)
    assert.match(breach('treasury/routes.ts', 'ledger/lane.ts') ?? '', /past the door/)
    assert.equal(breach('treasury/routes.ts', 'ledger/index.ts'), undefined)
    assert.equal(breach('treasury/routes.ts', 'core/decimal.ts'), undefined)
    assert.match(roomBreach('treasury', 'wallets/wallets.ts', 'index.ts') ?? '', /up/)
    assert.match(roomBreach('treasury', 'jobs/jobs.ts', 'batches/batches.ts') ?? '', /sideways/)
    assert.match(roomBreach('treasury', 'cellar/a.ts', 'wallets/wallets.ts') ?? '', /no floor/)
    assert.equal(roomBreach('treasury', 'jobs/jobs.ts', 'routes/fees.ts'), undefined)
  })
})
