/**
 * The service as real processes, one for the API and some that work, each started again whenever it
 * dies. They reach the database through the proxy.
 */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { WITH_FAILPOINTS } from '../../../server/src/core/testing.ts'
import { freePort } from '../../../server/src/store/ports.ts'
import { COMPILE_CACHE } from '../../setup/setup.mjs'
import { runCommand } from './command.ts'
import type { Ended } from './command.ts'

const MAIN = new URL('../../../server/src/main.ts', import.meta.url).pathname
const CLOCK = new URL('./clock-ahead.mjs', import.meta.url).pathname
export const ADMIN = { email: 'admin@kontor.local', password: 'fault tests only' }
const LEASE_MILLISECONDS = 2_000
const MAXIMUM_ENDS = 10
/**
 * Others are under way meanwhile; a row whose failpoint was passed before it was set is run again.
 */
const HELD_LONGEST_MILLISECONDS = 20_000

type Role = 'api' | 'worker'
type Options = { dir: string; databaseUrl: string; workers: number }

export class Processes {
  readonly port: number
  readonly #options: Options
  readonly #folders: Record<Role, string>
  readonly #running = new Map<ChildProcess, Role>()
  #loops: Promise<void>[] = []
  #ended = true
  #deaths = 0
  #ahead = 0
  #held = 0
  /** Of their own accord. */
  #ends = 0

  private constructor(port: number, options: Options) {
    this.port = port
    this.#options = options
    this.#folders = {
      api: join(options.dir, 'failpoints-api'),
      worker: join(options.dir, 'failpoints-worker'),
    }
    for (const folder of Object.values(this.#folders)) mkdirSync(folder, { recursive: true })
  }

  static async open(options: Options): Promise<Processes> {
    return new Processes(await freePort(), options)
  }

  async start(more: Record<string, string> = {}): Promise<void> {
    this.#ended = false
    const api = Promise.withResolvers<void>()
    const first = this.#keep('api', more, api.resolve)
    first.catch(api.reject)
    this.#loops = [first]
    await api.promise
    for (let worker = 0; worker < this.#options.workers; worker += 1)
      this.#loops.push(loud(this.#keep('worker', {}, () => undefined)))
  }

  async stop(): Promise<void> {
    this.#ended = true
    for (const child of this.#running.keys()) child.kill('SIGKILL')
    await Promise.allSettled(this.#loops)
  }

  /** Kills the process of this role that runs now, without a word. */
  kill(role: Role): void {
    const [child] = [...this.#running].find(([, known]) => known === role) ?? []
    child?.kill('SIGKILL')
  }

  /**
   * Whoever of this role passes this point (for this subject) dies there, once; `name:2` is the
   * second passage.
   */
  arm(role: Role, point: string, subject?: string): { waits(): boolean; disarm(): void } {
    const [name = '', passage = ''] = point.split(':')
    const file = join(this.#folders[role], subject === undefined ? name : `${name} ${subject}`)
    writeFileSync(file, passage)
    return {
      waits: () => existsSync(file),
      disarm: () => {
        rmSync(file, { force: true })
      },
    }
  }

  /** What is due stands still at its next failpoint while `work` runs, for some seconds at most. */
  async held<T>(work: () => Promise<T>): Promise<T> {
    const file = join(this.#folders.worker, 'wait')
    const letGo = () => {
      rmSync(file, { force: true })
    }
    this.#held += 1
    if (this.#held === 1) writeFileSync(file, '')
    const longest = setTimeout(letGo, HELD_LONGEST_MILLISECONDS)
    try {
      return await work()
    } finally {
      clearTimeout(longest)
      this.#held -= 1
      if (this.#held === 0) letGo()
    }
  }

  /** As a person runs it beside the service. */
  command(...words: string[]): Promise<Ended> {
    const { dir, databaseUrl } = this.#options
    return runCommand(words, { DATABASE_URL: databaseUrl, KONTOR_HISTORY: join(dir, 'history') })
  }

  get deaths(): number {
    return this.#deaths
  }

  /** What they say and do is this much later from the next start on. */
  ahead(milliseconds: number): void {
    this.#ahead += milliseconds
  }

  /** Starts it again whenever it dies. */
  async #keep(role: Role, more: Record<string, string>, ready: () => void): Promise<void> {
    while (!this.#ended) {
      const child = this.#spawn(role, more)
      this.#running.set(child, role)
      createInterface({ input: child.stdout }).on('line', (line) => {
        if (line.includes('"ready":true')) ready()
      })
      const [code] = (await once(child, 'exit')) as [number | null]
      this.#running.delete(child)
      // Failpoints kill it. One that ends of its own accord again and again is a program that does
      // not run at all.
      if (!this.#ended && code !== null && (this.#ends += 1) > MAXIMUM_ENDS)
        throw new Error(`the service (${role}) ended with ${code}`)
      if (!this.#ended) this.#deaths += 1
    }
  }

  #spawn(role: Role, more: Record<string, string>) {
    const { dir, databaseUrl } = this.#options
    return spawn(process.execPath, [MAIN], {
      env: {
        ...process.env,
        ...more,
        NODE_OPTIONS: `--import ${CLOCK} ${WITH_FAILPOINTS.join(' ')}`,
        NODE_COMPILE_CACHE: COMPILE_CACHE,
        KONTOR_AHEAD_MS: String(this.#ahead),
        KONTOR_CLOCK: 'moved',
        DATABASE_URL: databaseUrl,
        KONTOR_LEASE_MS: String(LEASE_MILLISECONDS),
        KONTOR_PARENT: 'stdin',
        KONTOR_ROLE: role,
        KONTOR_FAILPOINTS: this.#folders[role],
        KONTOR_HISTORY: join(dir, 'history'),
        PORT: String(this.port),
        LOG_LEVEL: process.env['FAULTS_LOG'] ?? 'silent',
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
  }
}

/** Shown at once; the rows then do not end. */
const loud = (loop: Promise<void>): Promise<void> =>
  loop.catch((error: unknown) => {
    process.stderr.write(`${String(error)}\n`)
  })
