/** Which files of the bank are collected, and when, by what its listings say. */
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { mustExist } from '../../../core/assert.ts'
import { openCollector } from './collector.ts'
import { FileProblem } from './line.ts'
import type { RemoteFile, Session } from './files.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kontor-collector-'))
})
afterEach(() => rm(directory, { recursive: true }))

type Shown = RemoteFile & { content: string | FileProblem }

const shown = (name: string, content: Shown['content'], seconds = 1): Shown => ({
  name,
  content,
  size: content instanceof FileProblem ? 1 : content.length,
  modified_at: seconds * 1000,
})

/** A server whose files the test sets. `look` asks until there has been one more listing. */
function openServer(poll_ms = 1) {
  const server = { files: [] as Shown[], listings: 0, isDown: false, problems: [] as string[] }
  const session: Session = {
    list: async () => {
      server.listings += 1
      if (server.isDown) throw new Error('down')
      return server.files
    },
    read: async (path) => {
      const file = server.files.find(({ name }) => path.endsWith(`/${name}`))
      const { content } = mustExist(file, 'it is listed')
      if (content instanceof FileProblem) throw content
      return Buffer.from(content)
    },
    write: () => assert.fail('nothing is written'),
    size: () => assert.fail('no size is asked for'),
    rename: () => assert.fail('nothing is renamed'),
    remove: () => assert.fail('nothing is removed'),
  }
  const remote = { inbox_dir: '/inbox', part_suffix: '.part', poll_ms, timeout_ms: 1000 }
  const collect = openCollector(
    { directory, remote },
    { run: (work) => work(session) },
    (problem) => server.problems.push(problem),
  )
  const look = async () => {
    const before = server.listings
    while (server.listings === before) await collect()
  }
  return Object.assign(server, { collect, look })
}

const contents = async () => {
  const names = (await readdir(directory)).filter((name) => name.startsWith('~')).toSorted()
  return Promise.all(names.map((name) => readFile(join(directory, name), 'utf8')))
}

test('a file is collected when two listings in a row say the same of it', async () => {
  const server = openServer()
  for (const content of ['<hal', '<half>', '<half></half>']) {
    server.files = [shown('a.xml', content)]
    await server.look()
    assert.deepEqual(await contents(), [])
  }
  await server.look()
  assert.deepEqual(await contents(), ['<half></half>'])
})

test('a file of the same name and size is another when it is of another time', async () => {
  const server = openServer()
  for (const seconds of [1, 2]) {
    server.files = [shown('a.xml', `<a>${seconds}</a>`, seconds)]
    for (const _look of [1, 2, 3]) await server.look()
  }
  assert.deepEqual(await contents(), ['<a>1</a>', '<a>2</a>'])
})

test('copies sort after the names of what another program carried', async () => {
  const server = openServer()
  server.files = [shown('a.xml', '<a/>', 1_795_000_000)]
  for (const _look of [1, 2]) await server.look()
  const [name] = await readdir(directory)
  for (const before of ['20261123T1015.camt.054.xml', 'Zz.xml', 'zz.xml', 'camt_054.xml'])
    assert.ok(mustExist(name, 'it was collected') > before, before)
})

test('what cannot be read is told, in the end set aside, and still asked for', async () => {
  const server = openServer()
  server.files = [shown('a.xml', new FileProblem('it is refused')), shown('b.xml', '<b/>')]
  for (const _look of [1, 2, 3]) await server.look()
  assert.deepEqual(await contents(), ['<b/>'])
  for (let looks = 0; looks < 20; looks += 1) await server.look()
  assert.deepEqual(await contents(), ['<b/>', 'cannot be collected: it is refused'])
  server.files = [shown('a.xml', '<')]
  await server.look()
  assert.deepEqual((await contents()).slice(2), ['<'])
  assert.deepEqual(server.problems, ["the bank's file a.xml cannot be collected: it is refused"])
})

test('after a look that failed, callers are told without asking again', async () => {
  const server = openServer(60_000)
  server.isDown = true
  for (const _caller of [1, 2, 3]) await assert.rejects(server.collect(), /down/)
  assert.equal(server.listings, 1)
})
