/**
 * For tests: the starts of one test file, in a folder of its own below which nothing is left
 * running.
 */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach } from 'node:test'
import pg from 'pg'
import { freePort } from '../../server/src/store/ports.ts'
import {
  leaveNothing,
  npmStart,
  processesOf,
  slowness,
  superUrlOf,
  until,
  watchStalls,
  type StartOptions,
  type RunningKontor,
} from './running.ts'
import { ROOT } from '../setup/setup.mjs'

/** Where the time is not what is shown: other tests run beside this one. */
export const PATIENT_MS = 180_000
export const END_LIMIT_MS = 180_000
/** A start that is too slow for a reason of its own is so each time. */
const TRIES = 4

/** What the service answers to the question whether it is ready. */
export async function statusOf(line: string): Promise<number> {
  const address = /http:\/\/\S+/.exec(line)?.[0]
  assert.ok(address, line)
  return (await fetch(`${address}/readyz`)).status
}

/** To be called once by a test file: what it leaves is removed after each of its tests. */
export async function openStarts(): Promise<Starts> {
  // 0700, as mkdtemp makes it: for root the closed folder is the rule here.
  const folder = await mkdtemp(join(tmpdir(), 'kontor-start-'))
  const starts = new Starts(folder, await freePort())
  afterEach(() => starts.leaveNothing())
  after(async () => {
    await rm(folder, { recursive: true })
  })
  return starts
}

class Starts {
  readonly folder: string
  /** Of every start that names no other. */
  readonly dataDir: string
  readonly #port: number
  readonly #dataDirs: string[] = []
  #written = 0

  constructor(folder: string, port: number) {
    this.folder = folder
    this.#port = port
    this.dataDir = this.newDataDir('main')
  }

  newDataDir(name: string, parent = this.folder): string {
    const dir = join(parent, name)
    this.#dataDirs.push(dir)
    return dir
  }

  /** After a good test there is nothing. */
  async leaveNothing(): Promise<void> {
    for (const dir of this.#dataDirs) await leaveNothing(dir)
  }

  start(options: Partial<StartOptions> = {}): RunningKontor {
    return npmStart({ root: ROOT, dataDir: this.dataDir, port: this.#port, ...options })
  }

  /**
   * A start that is ready in this time, or as many times longer as the machine is busy; one that is
   * not is tried again as it was.
   */
  async startReady(limitMs: number, options: Partial<StartOptions> = {}): Promise<RunningKontor> {
    const dir = options.dataDir ?? this.dataDir
    const isFirst = !existsSync(dir)
    for (let tries = 1; ; tries += 1) {
      const before = slowness()
      const stalls = watchStalls()
      const startedAt = performance.now()
      const started = this.start(options)
      const line = await started.ready
      const took = performance.now() - startedAt - stalls()
      const allowed = limitMs * Math.max(before, slowness())
      // On a busy machine a probe of the database may be late once.
      await until('it serves', END_LIMIT_MS, async () => (await statusOf(line)) === 200)
      if (took < allowed) return started
      assert.ok(tries < TRIES, `ready after ${took} ms, allowed are ${allowed}, ${tries} times`)
      await this.endInOrder(started, dir)
      if (isFirst) await rm(dir, { recursive: true })
    }
  }

  async endInOrder(
    started: RunningKontor,
    dir = this.dataDir,
    signal: () => void = () => process.kill(started.npm.pid, 'SIGTERM'),
  ): Promise<void> {
    signal()
    const { code } = await started.exited
    assert.equal(code, 0, started.said())
    await until('every process is gone', END_LIMIT_MS, () => processesOf(dir).length === 0)
  }

  async inDatabase(text: string): Promise<number> {
    const client = new pg.Client({ connectionString: superUrlOf(this.dataDir) })
    await client.connect()
    try {
      return Number((await client.query<{ n: unknown }>(text)).rows[0]?.n)
    } finally {
      await client.end()
    }
  }

  async writeOne(): Promise<void> {
    await this.inDatabase('create table if not exists start_test (id int)')
    await this.inDatabase('insert into start_test values (1)')
    this.#written += 1
  }

  /** All that `writeOne` wrote is there. */
  async nothingLost(): Promise<void> {
    assert.equal(await this.inDatabase('select count(*) as n from start_test'), this.#written)
  }
}
