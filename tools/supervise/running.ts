/** For tests: real `npm start` processes, and a look at what runs below one DATA_DIR. */
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { identify, isAlive, type Identity, type Owner } from '../../server/src/core/file-lock.mjs'
import { superuserUrl } from '../../server/src/store/embedded.ts'

export type StartOptions = {
  root: string
  dataDir: string
  port: number
  /** Where the user stands; the repository is named by `--prefix` when it is elsewhere. */
  cwd?: string
  env?: NodeJS.ProcessEnv
  user?: { uid: number; gid: number }
}

export type RunningKontor = {
  npm: Identity
  process: ChildProcess
  /** All it has said so far, both channels. */
  said(): string
  /** The line with the address. Throws, with all it said, when the start ends without one. */
  ready: Promise<string>
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
}

/** Runs `npm start` in a process group of its own, as a terminal would. */
export function npmStart(options: StartOptions): RunningKontor {
  const { root, dataDir, port, cwd = root, env, user } = options
  const outer = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) =>
        !/^(npm_|INIT_CWD|NODE_TEST|NODE_COMPILE_CACHE|DATABASE_URL|KONTOR_CONFIG|SANDBOX)/.test(
          name,
        ),
    ),
  )
  const child = spawn('npm', cwd === root ? ['start'] : ['--prefix', root, 'start'], {
    cwd,
    env: { ...outer, PATH: systemPath(), DATA_DIR: dataDir, PORT: String(port), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    ...user,
  })
  let text = ''
  child.stdout.on('data', (chunk) => (text += chunk))
  child.stderr.on('data', (chunk) => (text += chunk))
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((done, fail) =>
    child.once('error', fail).once('close', (code, signal) => done({ code, signal })),
  )
  const ready = new Promise<string>((done, fail) => {
    child.stdout.on('data', () => {
      const line = /^Kontor is ready: .*$/m.exec(text)
      if (line !== null) done(line[0])
    })
    exited.then(
      ({ code }) => fail(new Error(`npm start ended with ${code} before it was ready:\n${text}`)),
      fail,
    )
  })
  ready.catch(() => undefined) // some starts are meant to be refused
  const npm = identify(child.pid ?? 0)
  if (npm === undefined) throw new Error('npm could not be started')
  return { npm, process: child, said: () => text, ready, exited }
}

/**
 * The caller's PATH without what an outer `npm test` put in front: the machine's own Node decides.
 */
function systemPath(): string {
  return (process.env['PATH'] ?? '')
    .split(':')
    .filter((folder) => !folder.includes('node_modules'))
    .join(':')
}

/**
 * Every process whose environment names `dataDir`, or that works in it: nothing of a Kontor escapes
 * this. Linux.
 */
export function processesOf(dataDir: string): Identity[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid && mentions(name, dataDir))
    .flatMap((name) => identify(Number(name)) ?? [])
}

function mentions(pid: string, dataDir: string): boolean {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8')
    return (
      environment.includes(`=${dataDir}\0`) ||
      environment.includes(`=${dataDir}/`) ||
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`${dataDir}/`)
    )
  } catch {
    return false // gone, or not ours to read
  }
}

/** Who runs on `dataDir`, by name; `supervisedOf` where PostgreSQL is not its own. */
export function partsOf(
  dataDir: string,
): ReturnType<typeof supervisedOf> & { postmaster: Identity; backend: Identity } {
  const postmasterPid = Number(
    readFileSync(join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8').split('\n')[0],
  )
  const postmaster = identify(postmasterPid)
  const backend = postmaster && childrenOf(postmaster.pid)[0]
  if (!postmaster || !backend) throw new Error(`not all parts run on ${dataDir}`)
  return { ...supervisedOf(dataDir), postmaster, backend }
}

type Supervising = Owner & { children: Record<string, Identity> }

/** The supervisor, and whom it has started, by name. */
export const ownerOf = (dataDir: string): Supervising =>
  JSON.parse(readFileSync(join(dataDir, 'kontor.lock'), 'utf8')) as Supervising

export function supervisedOf(dataDir: string): {
  supervisor: Identity
  service: Identity
  sandbox: Identity
} {
  const owner = ownerOf(dataDir)
  const { service, sandbox } = owner.children
  if (!service || !sandbox) throw new Error(`not all parts run on ${dataDir}`)
  return { supervisor: owner, service, sandbox }
}

/** What a process was started with. Linux. */
export function environmentOf({ pid }: Identity): Record<string, string> {
  const lines = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean)
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
}

function childrenOf(pid: number): Identity[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .flatMap((child) => identify(Number(child)) ?? [])
}

/** The embedded database as its superuser, once it is there. */
export function superUrlOf(dataDir: string): string {
  return superuserUrl(join(dataDir, 'postgres'))
}

/** Between two looks: who is asked all the time does nothing else. */
const [FIRST_LOOK_MS, LAST_LOOK_MS] = [20, 150]

/**
 * Waits for a condition; throws with `what` after `limitMs`, but never without a last look. A
 * condition that throws is not yet true.
 */
export async function until(
  what: string,
  limitMs: number,
  condition: () => unknown,
): Promise<void> {
  const limit = Date.now() + limitMs
  for (let last: unknown, wait = FIRST_LOOK_MS; ; wait = Math.min(LAST_LOOK_MS, wait * 1.5)) {
    const over = Date.now() > limit
    try {
      last = await condition()
      if (last === true) return
    } catch (error) {
      last = error
    }
    if (over) throw new Error(`${what}: not within ${limitMs} ms, last ${String(last)}`)
    await pause(wait)
  }
}

/**
 * How many times slower than an idle machine this one may be now, at least 1, twice what its load
 * says: limits of time hold for an idle one.
 */
export function slowness(): number {
  return Math.max(1, (2 * (loadavg()[0] ?? 0)) / availableParallelism())
}

const STALL_TICK_MS = 50

/**
 * How long this process has stood still since, though nothing kept it: a machine that is stopped,
 * or has given its cores away, holds up everybody for as long. Ends when asked.
 */
export function watchStalls(): () => number {
  let stalled = 0
  let last = performance.now()
  const look = (): void => {
    const now = performance.now()
    stalled += Math.max(0, now - last - STALL_TICK_MS)
    last = now
  }
  const timer = setInterval(look, STALL_TICK_MS).unref() // a test that fails must still end
  return () => {
    clearInterval(timer)
    look()
    return stalled
  }
}

/**
 * Ends all that still runs on `dataDir`, also what is started meanwhile by one that lives a moment
 * longer; true when there was nothing.
 */
export async function leaveNothing(dataDir: string): Promise<boolean> {
  if (!existsSync(dataDir)) return true
  let nothing = true
  for (let left = processesOf(dataDir); left.length > 0; left = processesOf(dataDir)) {
    nothing = false
    for (const who of left) if (isAlive(who)) process.kill(who.pid, 'SIGKILL')
    await until('the killed processes are gone', 60_000, () => !left.some(isAlive))
  }
  return nothing
}
