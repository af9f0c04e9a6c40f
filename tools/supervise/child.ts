import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { COMPILE_CACHE } from '../setup/setup.mjs'
import { identify, type Identity } from '../../server/src/core/file-lock.mjs'

/*
 * Keeps one program of ours alive. It is started, says on standard output when it is ready, and is
 * started again with growing pauses when it dies. It gets a session of its own, so that Ctrl-C
 * reaches only the supervisor. Its standard input is a pipe that closes when the supervisor dies.
 */

type Ready = {
  ready: true
  url?: string
  port?: number
  smtp_port?: number
}

export type ChildPlan = {
  name: string
  program: string
  /** Options of Node's own. */
  flags?: readonly string[]
  /** Asked before each start, which waits for it, e.g. until PostgreSQL runs again. */
  env: () => Promise<NodeJS.ProcessEnv>
  /** Called at each start, so that a later supervisor knows what to wait for. */
  started: (who: Identity | undefined) => Promise<void>
  /** Called with each line of readiness. */
  ready: (line: Ready, nth: number) => void
  /** Called once, when starting again makes no sense. */
  gaveUp: (why: string) => void
  say: (line: string) => void
  stopLimitMs: number
}

export type Child = {
  /** The first readiness; never settles when the program gave up. */
  firstReady: Promise<Ready>
  /** Ends the running program in order and lets it start again. */
  restart(): Promise<void>
  /** Ends it for good: SIGTERM, after `stopLimitMs` SIGKILL. */
  stop(): Promise<void>
}

/** The pause before the next start, by how many failed in a row. After the last one: give up. */
const BACK_OFF_MS = [100, 500, 1_000, 2_000, 5_000]
/** A program that lived this long is taken for well: the next failure is a first one. */
const WELL_MS = 60_000

export function keepAlive(plan: ChildPlan): Child {
  const stopping = new AbortController()
  const first = Promise.withResolvers<Ready>()
  let running: Running | undefined
  let readyCount = 0
  let wanted = 0 // restarts asked for, which are no failures

  const keep = async (): Promise<void> => {
    for (let failures = 0; !stopping.signal.aborted;) {
      const env = await plan.env()
      if (stopping.signal.aborted) return
      const wantedBefore = wanted
      const startedAt = Date.now()
      running = startOnce(plan, env, (line) => {
        readyCount += 1
        plan.ready(line, readyCount)
        first.resolve(line)
      })
      await plan.started(running.who)
      const end = await running.exited
      if (stopping.signal.aborted) return
      if (wantedBefore !== wanted) continue
      failures = Date.now() - startedAt > WELL_MS ? 1 : failures + 1
      // An exit of its own accord before it ever ran is a reason that stays, and that it has shown.
      if (readyCount === 0 && end.code !== null)
        return plan.gaveUp(
          `the ${plan.name} could not start (exit code ${end.code}); its own words stand above`,
        )
      const wait = BACK_OFF_MS[failures - 1]
      if (wait === undefined)
        return plan.gaveUp(
          `the ${plan.name} ended ${failures} times in a row, last with ` +
            `${end.signal ?? `exit code ${end.code}`}`,
        )
      plan.say(
        `the ${plan.name} ended with ${end.signal ?? `exit code ${end.code}`}; starting it again`,
      )
      // When it is aborted, the loop's test ends it.
      await pause(wait, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }
  const kept = keep().catch((error: unknown) =>
    plan.gaveUp(
      `the ${plan.name} could not be started: ` +
        `${error instanceof Error ? error.message : String(error)}`,
    ),
  )

  return {
    firstReady: first.promise,
    async restart() {
      wanted += 1
      await running?.end()
    },
    async stop() {
      stopping.abort()
      await running?.end()
      await kept
    },
  }
}

type Running = { who: Identity | undefined; exited: Promise<Exit>; end(): Promise<void> }
type Exit = { code: number | null; signal: NodeJS.Signals | null }

function startOnce(
  plan: ChildPlan,
  env: NodeJS.ProcessEnv,
  onReady: (line: Ready) => void,
): Running {
  const child = spawn(process.execPath, [...(plan.flags ?? []), plan.program], {
    env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...env, KONTOR_PARENT: 'stdin' },
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  })
  child.stdin.on('error', () => undefined) // nothing is ever written; it may close under us
  createInterface({ input: child.stdout }).on('line', (line) => {
    const ready = parseReady(line)
    if (ready === undefined) process.stdout.write(`${line}\n`)
    else onReady(ready)
  })
  const exited = new Promise<Exit>((done, fail) =>
    child.once('error', fail).once('exit', (code, signal) => done({ code, signal })),
  )
  return {
    who: child.pid === undefined ? undefined : identify(child.pid),
    exited,
    async end() {
      child.kill('SIGTERM')
      const force = setTimeout(() => {
        plan.say(`the ${plan.name} did not end within ${plan.stopLimitMs / 1000} s; killing it`)
        child.kill('SIGKILL')
      }, plan.stopLimitMs)
      await exited
      clearTimeout(force)
    },
  }
}

function parseReady(line: string): Ready | undefined {
  if (!line.startsWith('{') || !line.includes('"ready":true')) return undefined
  try {
    return JSON.parse(line) as Ready
  } catch {
    return undefined // not ours: shown as it came
  }
}
