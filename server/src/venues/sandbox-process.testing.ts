/**
 * For tests of adapters: the sandbox as a process of its own, in a folder of its own, spoken to
 * over its port only.
 */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { quickFolder } from '../core/testing.ts'
import { freePort } from '../store/ports.ts'

export type FaultKind =
  | 'REFUSE'
  | 'TIMEOUT_AFTER_ACCEPT'
  | 'LATE'
  | 'TWICE'
  | 'DOWN'
  | 'CUT'
  | 'LIMIT'
  | 'ODD'

export type SandboxProcess = {
  port: number
  url: string
  dir: string
  credential(name: string): Promise<string>
  /**
   * The control interface; `path` without `/control/`. Throws with the answer's text when it is not
   * 2xx.
   */
  control<Answer = unknown>(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: unknown,
  ): Promise<Answer>
  fault(
    venue: string,
    operation: string,
    kind: FaultKind,
    more?: { remaining?: number; delay_ms?: number },
  ): Promise<void>
  /** How often the venue received this, over all references or for one. */
  received(venue: string, operation: string, reference?: string): Promise<number>
  /** kill -9, and the same world again on the same port. */
  restart(): Promise<void>
  /** kill -9; the port refuses connections until `restart`. */
  kill(): Promise<void>
  stop(): Promise<void>
}

const MAIN = new URL('../../../sandbox/src/main.ts', import.meta.url).pathname

const environmentOf = (dir: string, port: number, settings: Record<string, string>) => ({
  ...process.env,
  SANDBOX_TIER: 'AGREED',
  ...settings,
  SANDBOX_DIR: dir,
  SANDBOX_PORT: String(port),
  KONTOR_PARENT: 'stdin',
})

/** `settings` are environment variables of the sandbox. Exchanges have no limits without them. */
export async function startSandbox(settings: Record<string, string> = {}): Promise<SandboxProcess> {
  const dir = await quickFolder('sandbox-')
  let child: ChildProcess | undefined
  const port = await freePort()

  const start = async () => {
    const started = spawn(process.execPath, [MAIN], {
      env: environmentOf(dir, port, settings),
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    child = started
    const lines = createInterface({ input: started.stdout })
    const ready = (async () => {
      for await (const line of lines) if (line.startsWith('{"ready":true')) return
      throw new Error('the sandbox ended before it was ready')
    })()
    await ready
  }
  const end = async (signal: NodeJS.Signals) => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }
  const url = () => `http://127.0.0.1:${port}`
  const control = async <Answer>(method: string, path: string, body?: unknown): Promise<Answer> => {
    const content =
      body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
    const response = await fetch(`${url()}/control/${path}`, { method, ...content })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} /control/${path}: ${response.status} ${text}`)
    return (text === '' ? undefined : JSON.parse(text)) as Answer
  }

  await start()
  return {
    port,
    dir,
    control,
    url: url(),
    credential: (name) => readFile(join(dir, 'credentials', name), 'utf8'),
    fault: async (venue, operation, kind, more = {}) => {
      await control('POST', 'faults', { venue, operation, kind, ...more })
    },
    received: async (venue, operation, reference) => {
      const counts = await control<
        { venue: string; operation: string; reference: string; count: number }[]
      >('GET', 'counts')
      return counts
        .filter(
          (count) =>
            count.venue === venue &&
            count.operation === operation &&
            (reference === undefined || count.reference === reference),
        )
        .reduce((sum, count) => sum + count.count, 0)
    },
    restart: async () => {
      await end('SIGKILL')
      await start()
    },
    kill: () => end('SIGKILL'),
    stop: async () => {
      await end('SIGTERM')
      await rm(dir, { recursive: true, force: true })
    },
  }
}
