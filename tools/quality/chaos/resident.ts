/** One process of the service, started again whenever it ends, as a supervisor does. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { COMPILE_CACHE } from '../../setup/setup.mjs'
import { within } from '../faults/patience.ts'
import type { Line } from './line.ts'

const MAIN = new URL('../../../server/src/main.ts', import.meta.url).pathname
const PRETENCE = new URL('./pretence.mjs', import.meta.url).pathname
const AGAIN_MILLISECONDS = 300
const ENOUGH_MEGABYTES = 100_000
/** Above the least that the lease of the venues may last. */
const LEASE_MILLISECONDS = 3_000
/** It may have to start several times, while the database recovers. */
const READY_MILLISECONDS = 180_000
const END_MILLISECONDS = 30_000

export type Role = 'api' | 'worker'
type ResidentOptions = {
  name: string
  role: Role
  port: number
  line: Line
  dir: string
  /** How far its clock is ahead of that of the machine when all is well. */
  skew: number
  /** What is the same for all of them. */
  env(): Record<string, string>
  say(words: string): void
}

export class Resident {
  readonly name: string
  readonly line: Line
  readonly #options: ResidentOptions
  readonly #pretence: string
  #child: ChildProcess | undefined
  #loop: Promise<void> = Promise.resolve()
  #ended = true
  #ready = Promise.withResolvers<void>()
  #isReady = false
  #kills = 0

  constructor(options: ResidentOptions) {
    this.name = options.name
    this.line = options.line
    this.#options = options
    this.#pretence = join(options.dir, `${options.name}.pretence`)
    this.pretend({})
  }

  /** `more`: environment of the first start alone. Answers when it is ready. */
  async start(more: Record<string, string> = {}): Promise<void> {
    this.#ended = false
    this.#loop = this.#keep(more)
    await Promise.race([
      this.ready(),
      this.#loop.then(() => Promise.reject(new Error(`${this.name} was stopped`))),
    ])
  }

  /** Of the process that runs now, or of the next one. */
  ready(): Promise<void> {
    return within(`${this.name} that is ready`, READY_MILLISECONDS, this.#ready.promise)
  }

  /** Answers whether there was a process. */
  kill(): boolean {
    return this.#child?.kill('SIGKILL') ?? false
  }

  /** How many of its processes were seen to die of a kill. */
  get kills(): number {
    return this.#kills
  }

  /** A clock that is further ahead than it should be, or a disk with less space. */
  pretend({
    ahead_ms = 0,
    free_mb = ENOUGH_MEGABYTES,
  }: {
    ahead_ms?: number
    free_mb?: number
  }): void {
    const told = { ahead_ms: this.#options.skew + ahead_ms, free_mb }
    writeFileSync(`${this.#pretence}.new`, JSON.stringify(told))
    renameSync(`${this.#pretence}.new`, this.#pretence)
  }

  async stop(): Promise<void> {
    this.#ended = true
    this.kill()
    await within(`the end of ${this.name}`, END_MILLISECONDS, this.#loop)
  }

  async #keep(more: Record<string, string>): Promise<void> {
    for (let env = more; !this.#ended; env = {}) {
      const child = this.#spawn(env)
      this.#child = child
      createInterface({ input: child.stdout }).on('line', (line) => {
        if (!line.includes('"ready":true')) return
        this.#isReady = true
        this.#ready.resolve()
      })
      const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
      if (signal === 'SIGKILL' && !this.#ended) this.#kills += 1
      if (this.#isReady) this.#ready = Promise.withResolvers()
      this.#isReady = false
      if (this.#ended) return
      if (code !== null) this.#options.say(`${this.name} ended by itself with ${code}`)
      await pause(AGAIN_MILLISECONDS)
    }
  }

  #spawn(more: Record<string, string>) {
    const { dir, env, role, port, name } = this.#options
    const child = spawn(process.execPath, [MAIN], {
      env: {
        ...process.env,
        ...env(),
        ...more,
        NODE_OPTIONS: `--import ${PRETENCE}`,
        NODE_COMPILE_CACHE: COMPILE_CACHE,
        CHAOS_PRETENCE: this.#pretence,
        KONTOR_LEASE_MS: String(LEASE_MILLISECONDS),
        KONTOR_PARENT: 'stdin',
        KONTOR_ROLE: role,
        KONTOR_METRICS_PORT: 'off',
        PORT: String(port),
        LOG_LEVEL: process.env['CHAOS_LOG'] ?? 'warn',
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    child.stderr.pipe(createWriteStream(join(dir, `${name}.log`), { flags: 'a' }))
    return child
  }
}
