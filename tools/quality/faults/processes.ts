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

const MAIN = new URL('../../../server/src/main.ts', import.meta.url).pathname
const CLOCK = new URL('./clock-ahead.mjs', import.meta.url).pathname
export const PASSWORD = 'fault tests only'
const LEASE_MILLISECONDS = 2_000
const MAXIMUM_ENDS = 10
/**
 * Others are under way meanwhile; a row whose failpoint was passed before it was set is run again.
 */
const HELD_LONGEST_MILLISECONDS = 20_000

type Role = 'api' | 'worker'

export type Processes = {
  port: number
  start(more?: Record<string, string>): Promise<{ email: string }>
  stop(): Promise<void>
  /** Kills the process of this role that runs now, without a word. */
  kill(role: Role): void
  /**
   * Whoever of this role passes this point (for this subject) dies there, once; `name:2` is the
   * second passage.
   */
  arm(role: Role, point: string, subject?: string): { waits(): boolean; disarm(): void }
  /** What is due stands still at its next failpoint while `work` runs, for some seconds at most. */
  held<T>(work: () => Promise<T>): Promise<T>
  deaths(): number
  /** What they say and do is this much later from the next start on. */
  ahead(milliseconds: number): void
}

export async function openProcesses(options: {
  dir: string
  databaseUrl: string
  workers: number
}): Promise<Processes> {
  const port = await freePort()
  const folders: Record<Role, string> = {
    api: join(options.dir, 'failpoints-api'),
    worker: join(options.dir, 'failpoints-worker'),
  }
  for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true })
  const running = new Map<ChildProcess, Role>()
  let loops: Promise<void>[] = []
  let ended = true
  let deaths = 0
  let ahead = 0
  let held = 0
  let ends = 0

  const keep = async (
    role: Role,
    more: Record<string, string>,
    ready: (line: { admin: { email: string } }) => void,
  ): Promise<void> => {
    while (!ended) {
      const child = spawn(process.execPath, [MAIN], {
        env: {
          ...process.env,
          ...more,
          NODE_OPTIONS: `--import ${CLOCK} ${WITH_FAILPOINTS.join(' ')}`,
          NODE_COMPILE_CACHE: join(options.dir, 'compiled'),
          KONTOR_AHEAD_MS: String(ahead),
          DATABASE_URL: options.databaseUrl,
          KONTOR_ADMIN_PASSWORD: PASSWORD,
          KONTOR_LEASE_MS: String(LEASE_MILLISECONDS),
          KONTOR_PARENT: 'stdin',
          KONTOR_ROLE: role,
          KONTOR_FAILPOINTS: folders[role],
          PORT: String(port),
          LOG_LEVEL: process.env['FAULTS_LOG'] ?? 'silent',
        },
        stdio: ['pipe', 'pipe', 'inherit'],
      })
      running.set(child, role)
      createInterface({ input: child.stdout }).on('line', (line) => {
        if (line.includes('"ready":true')) ready(JSON.parse(line) as { admin: { email: string } })
      })
      const [code] = (await once(child, 'exit')) as [number | null]
      running.delete(child)
      // Failpoints kill it. One that ends of its own accord again and again is a program that does
      // not run at all.
      if (!ended && code !== null && (ends += 1) > MAXIMUM_ENDS)
        throw new Error(`the service (${role}) ended with ${code}`)
      if (!ended) deaths += 1
    }
  }

  /** Told at once; the rows then do not end. */
  const loud = (loop: Promise<void>): Promise<void> =>
    loop.catch((error: unknown) => {
      process.stderr.write(`${String(error)}\n`)
    })

  return {
    port,
    async start(more = {}) {
      ended = false
      const api = Promise.withResolvers<{ admin: { email: string } }>()
      const first = keep('api', more, api.resolve)
      first.catch(api.reject)
      loops = [first]
      const { admin } = await api.promise
      for (let worker = 0; worker < options.workers; worker += 1)
        loops.push(loud(keep('worker', {}, () => undefined)))
      return admin
    },
    async stop() {
      ended = true
      for (const child of running.keys()) child.kill('SIGKILL')
      await Promise.allSettled(loops)
    },
    kill(role) {
      for (const [child, its] of running)
        if (its === role) {
          child.kill('SIGKILL')
          return
        }
    },
    arm(role, point, subject) {
      const [name = '', passage = ''] = point.split(':')
      const file = join(folders[role], subject === undefined ? name : `${name} ${subject}`)
      writeFileSync(file, passage)
      return {
        waits: () => existsSync(file),
        disarm: () => {
          rmSync(file, { force: true })
        },
      }
    },
    async held(work) {
      const file = join(folders.worker, 'wait')
      const letGo = () => {
        rmSync(file, { force: true })
      }
      held += 1
      if (held === 1) writeFileSync(file, '')
      const longest = setTimeout(letGo, HELD_LONGEST_MILLISECONDS)
      try {
        return await work()
      } finally {
        clearTimeout(longest)
        held -= 1
        if (held === 0) letGo()
      }
    },
    deaths: () => deaths,
    ahead: (milliseconds) => {
      ahead += milliseconds
    },
  }
}
