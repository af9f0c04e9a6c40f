// `npm test [word …] [--option …]`: set-up, a PostgreSQL of its own, every *.test.ts whose path
// holds one of the words. It shares nothing with a running Kontor: own folder, free ports, and no
// install while the stamp fits.
import { existsSync } from 'node:fs'
import { mkdir, readFile, readdir, rm, statfs, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { identify, isAlive } from '../../server/src/core/file-lock.mjs'
import {
  COMPILE_CACHE,
  ROOT,
  SetupError,
  endingSignal,
  findNode,
  handOver,
  setUp,
} from '../setup/setup.mjs'
import { inTurns } from './order.mjs'
import { NOTES, costsIn } from './processor-time.mjs'
import { inSharedProcesses } from './shared-processes.mjs'

const FOLDERS = ['tools', 'console', 'server', 'sandbox', 'client', 'bench']
/** More than a small machine has cores: many wait. With eight, two cores were too slow for some. */
const FILES_AT_ONCE = 5
/** For one file. */
const LIMIT_MS = 1_500_000
/** A folder in memory, where there is one. */
const IN_MEMORY = '/dev/shm'
/** The databases take some hundred megabytes of it, beside browsers and services. */
const PLENTY_OF_BYTES = 6 * 2 ** 30

const ending = endingSignal()

try {
  await setUp(ending)
  const node = findNode()
  process.exitCode = node === process.execPath ? await runAll() : await handOver(node, ending)
} catch (error) {
  if (!(error instanceof SetupError)) throw error
  process.stderr.write(`kontor: set-up failed: ${error.message}\n`)
  process.exitCode = 1
}

async function runAll() {
  const args = process.argv.slice(2)
  const words = args.filter((arg) => !arg.startsWith('-'))
  const files = (await testFiles()).filter(
    (file) => words.length === 0 || words.some((word) => file.includes(word)),
  )
  if (files.length === 0) throw new Error(`no test file has ${words.join(' or ')} in its path`)
  // Ahead, so that no test that measures a start pays for it.
  await (await import('../setup/console.ts')).buildPages()
  const { stopEmbedded, startEmbedded } = await import('../../server/src/store/embedded.ts')
  const name = `kontor-npm-test-${userInfo().username}`
  for (const place of [tmpdir(), IN_MEMORY]) await sweep(join(place, name), stopEmbedded)
  const mine = join(await cheapPlace(), name, String(process.pid))
  await mkdir(mine, { recursive: true })
  await writeFile(join(mine, 'owner.json'), JSON.stringify(identify(process.pid)))
  try {
    const database = await startEmbedded({ dir: join(mine, 'postgres'), durable: false })
    const costs = join(mine, 'processor-time')
    const folders = join(mine, 'folders')
    await mkdir(folders)
    const tests = run({
      cwd: ROOT,
      files: inTurns(await inSharedProcesses(ROOT, files, join(mine, 'shared'))),
      concurrency: FILES_AT_ONCE,
      timeout: LIMIT_MS,
      signal: ending,
      execArgv: [
        // The client as it is in this tree, and not as it was packed.
        '--conditions=kontor-source',
        `--import=${join(import.meta.dirname, 'processor-time.mjs')}`,
        ...args.filter((arg) => arg.startsWith('-')),
      ],
      env: {
        ...process.env,
        NODE_COMPILE_CACHE: COMPILE_CACHE,
        KONTOR_TEST_DATABASE_URL: database.superUrl,
        KONTOR_TEST_FOLDER: folders,
        [NOTES]: costs,
      },
    })
    let good = false
    tests.on('test:summary', ({ file, success }) => {
      if (file === undefined) good = success
    })
    await pipeline(tests, new spec(), process.stdout, { end: false })
    process.stdout.write(costsIn(costs, database.pid))
    return good ? 0 : 1
  } finally {
    await stopEmbedded(join(mine, 'postgres'))
    await rm(mine, { recursive: true, force: true })
  }
}

/**
 * Hundreds of databases are made and dropped. On a disk that costs PostgreSQL twice the processor
 * time, for the file system.
 */
async function cheapPlace() {
  if (!existsSync(IN_MEMORY) || process.availableMemory() < PLENTY_OF_BYTES) return tmpdir()
  const { bavail, bsize } = await statfs(IN_MEMORY)
  return bavail * bsize < PLENTY_OF_BYTES ? tmpdir() : IN_MEMORY
}

async function testFiles() {
  const files = []
  for (const folder of FOLDERS.filter((name) => existsSync(join(ROOT, name)))) {
    for (const name of (await readdir(join(ROOT, folder), { recursive: true })).toSorted()) {
      if (name.endsWith('.test.ts') && !name.includes('node_modules'))
        files.push(join(folder, name))
    }
  }
  return files
}

/**
 * Ends and removes what killed runs left behind. @param {string} all @param {(dir: string) =>
 * Promise<void>} stopEmbedded
 */
async function sweep(all, stopEmbedded) {
  if (!existsSync(all)) return
  for (const name of await readdir(all)) {
    const owner = await readFile(join(all, name, 'owner.json'), 'utf8').then(
      JSON.parse,
      () => undefined,
    )
    if (owner !== undefined && isAlive(owner)) continue
    await stopEmbedded(join(all, name, 'postgres'))
    await rm(join(all, name), { recursive: true, force: true })
  }
}
