import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, watch as watchFiles } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import {
  identify,
  isAlive,
  takeLock,
  type Held,
  type Identity,
  type Owner,
} from '../../server/src/core/file-lock.mjs'
import { startEmbedded, type Embedded } from '../../server/src/store/embedded.ts'
import { freePort, isPortFree } from '../../server/src/store/ports.ts'
import { consoleIsBuilt } from '../setup/console.ts'
import { keepAlive, type Child, type ChildPlan, type Ready } from './child.ts'
import { ROOT } from '../setup/setup.mjs'

/*
 * Starts PostgreSQL and the sandbox together, then the service. Keeps them alive, and ends them in
 * the opposite order. There is one supervisor per DATA_DIR: the lock there names it and its
 * children, and the next one takes over from a dead one.
 */

export type Supervision = {
  /** Aborted when all is to end. */
  ending: AbortSignal
  /** Starts service and sandbox again when their sources change. */
  watch: boolean
}

const DEFAULT_PORT = 4000
const SERVICE_STOP_MS = 30_000
const SANDBOX_STOP_MS = 10_000
/** How long a start waits for the ending of the one before it. */
const HAND_OVER_MS = 60_000
/**
 * How long another Kontor may look well before a start beside it is refused: a killed npm is
 * noticed a little later.
 */
const REFUSE_AFTER_MS = 1_500
/** Children of a dead supervisor end by themselves; after this they are killed. */
const ORPHAN_MS = 15_000
const PORT_WAIT_MS = 5_000
const DATABASE_PAUSES_MS = [0, 500, 1_000, 2_000, 5_000]
const CALM_MS = 60_000
const WATCH_MS = 200

const say = (line: string): void => void process.stderr.write(`kontor: ${line}\n`)

/** A reason that is told in one sentence, without a stack. */
class Refusal extends Error {}

/** Runs until `ending` is aborted or a part fails for good; returns the exit code. */
export async function supervise({ ending, watch }: Supervision): Promise<number> {
  const dataDir = resolve(
    process.env['INIT_CWD'] ?? process.cwd(),
    process.env['DATA_DIR'] ?? join(ROOT, 'data'),
  )
  const undo: Undo[] = []
  const failed = Promise.withResolvers<string>()
  let hasEnded = false
  const end = Promise.race([failed.promise, aborted(ending)]).finally(() => (hasEnded = true))
  let code = 0
  try {
    await mkdir(dataDir, { recursive: true })
    const lock = await takeOver(dataDir, ending)
    undo.push(() => lock.release())
    const notes = noteKeeper(lock)
    await startAll({
      dataDir,
      notes,
      end,
      hasEnded: () => hasEnded,
      watch,
      undo,
      fail: failed.resolve,
    })
    const why = await end
    if (why !== undefined) throw new Refusal(why)
    say('ending')
    await notes.ending()
  } catch (error) {
    if (!ending.aborted) {
      code = 1
      say(error instanceof Refusal ? error.message : stackOf(error))
    }
  }
  for (const step of undo.toReversed()) await step()
  return code
}

const stackOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)

/** Ends one part. They run in the opposite order of the starts. */
type Undo = () => Promise<void>

type Context = {
  dataDir: string
  notes: Notes
  /** Settles when all is to end; with the reason when a part failed. */
  end: Promise<string | undefined>
  hasEnded: () => boolean
  watch: boolean
  undo: Undo[]
  fail: (why: string) => void
}

const aborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((done) =>
    signal.aborted
      ? done(undefined)
      : signal.addEventListener('abort', () => done(undefined), { once: true }),
  )

type Notes = {
  child(name: string, who: Identity | undefined): Promise<void>
  ending(): Promise<void>
}

/** Writes into the lock what the next start has to know when this process is killed. */
function noteKeeper(lock: Held): Notes {
  const children: Record<string, Identity> = {}
  let ending = false
  let last = Promise.resolve()
  const npm = process.env['npm_lifecycle_event'] === undefined ? undefined : identify(process.ppid)
  const write = (): Promise<void> => (last = last.then(() => lock.note({ ending, npm, children })))
  return {
    child(name, who) {
      if (who !== undefined) children[name] = who
      return write()
    },
    ending() {
      ending = true
      return write()
    },
  }
}

/**
 * The lock in DATA_DIR, when its owner is dead or ending. Throws a Refusal when another Kontor runs
 * there.
 */
async function takeOver(dataDir: string, ending: AbortSignal): Promise<Held> {
  const begun = Date.now()
  let told = false
  const lock = await takeLock(join(dataDir, 'kontor.lock'), (owner) => {
    ending.throwIfAborted()
    // Its npm was killed: it notices, and ends.
    const leaving = owner['ending'] === true || (isIdentity(owner['npm']) && !isAlive(owner['npm']))
    if (Date.now() - begun > (leaving ? HAND_OVER_MS : REFUSE_AFTER_MS)) {
      throw new Refusal(
        `Kontor already runs on ${dataDir} (process ${owner.pid}). Stop that one first, or ` +
          'set another DATA_DIR and PORT.',
      )
    }
    if (leaving && !told) say('the Kontor before this one is still ending, waiting for it')
    told ||= leaving
  })
  if (lock.dead !== undefined) await endOrphans(lock.dead)
  return lock
}

async function endOrphans(dead: Owner): Promise<void> {
  const children = Object.values(dead['children'] ?? {}).filter(isIdentity)
  const limit = Date.now() + ORPHAN_MS
  for (const child of children) {
    while (isAlive(child) && Date.now() < limit) await pause(20)
    if (isAlive(child)) process.kill(child.pid, 'SIGKILL')
  }
}

function isIdentity(value: unknown): value is Identity {
  return typeof value === 'object' && value !== null && 'pid' in value && 'born' in value
}

async function startAll(context: Context): Promise<void> {
  const { env } = process
  const port = Number(env['PORT'] || DEFAULT_PORT)
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Refusal(`PORT must be a number from 0 to 65535, not ${env['PORT']}`)
  const withSandbox = env['SANDBOX'] !== 'off' && (env['SANDBOX'] === 'on' || !env['KONTOR_CONFIG'])
  const starts = [
    provideDatabase(context),
    withSandbox ? startSandbox(context) : undefined,
    waitForPort(port),
    provideConsole(context),
  ] as const
  // Also when one fails: what the others start must be known before it is ended.
  await Promise.allSettled(starts)
  const [database, sandbox] = await Promise.all(starts)
  if (context.hasEnded()) return
  const password = await adminPassword(context.dataDir)
  const service = startChild(context, {
    name: 'service',
    program: env['KONTOR_TEST_SERVICE'] ?? join(ROOT, 'server/src/main.ts'),
    // The default lets the young generation keep over 100 MB that a back office never needs
    // (docs/operations.md); and its four threads beside, when they mark or compile, take both cores
    // of a small machine from whoever answers.
    flags: ['--max-semi-space-size=8', '--v8-pool-size=1'],
    env: async () => {
      const { serviceUrl, ownerUrl } = await database.place()
      return {
        ...env,
        PORT: String(port),
        DATA_DIR: context.dataDir,
        DATABASE_URL: serviceUrl,
        KONTOR_OWNER_DATABASE_URL: ownerUrl,
        ...(sandbox !== undefined && {
          SANDBOX_URL: sandbox.url,
          KONTOR_CONFIG: env['KONTOR_CONFIG'] || join(context.dataDir, 'sandbox/kontor.json'),
        }),
        ...(sandbox?.mailUrl !== undefined && {
          KONTOR_SMTP_URL: env['KONTOR_SMTP_URL'] || sandbox.mailUrl,
        }),
        ...(password.value !== undefined && { KONTOR_ADMIN_PASSWORD: password.value }),
      }
    },
    stopLimitMs: SERVICE_STOP_MS,
    sources: join(ROOT, 'server/src'),
  })
  database.whenMoved(() => service.restart())
  if (context.watch) watchConsole(context, service)
  const ready = await Promise.race([service.firstReady, context.end])
  if (typeof ready !== 'object') return
  process.stdout.write(
    `Kontor is ready: ${ready.url ?? `http://localhost:${port}`} · ${password.howToLogIn(ready)}\n`,
  )
  await password.shown()
  if (sandbox !== undefined && ready.admin?.password !== undefined)
    tellDemo(context, sandbox.url, ready)
}

/**
 * Brings the people of the demo world into the first workspace. Without them Kontor runs as well: a
 * failure is only told.
 */
function tellDemo(context: Context, sandboxUrl: string, { url, admin }: Ready): void {
  const { PATH = '' } = process.env
  const demo = spawn(process.execPath, [join(ROOT, 'tools/supervise/demo.ts')], {
    env: {
      PATH,
      DATA_DIR: context.dataDir,
      DEMO_URL: url,
      DEMO_EMAIL: admin?.email,
      DEMO_PASSWORD: admin?.password,
      DEMO_SANDBOX_URL: sandboxUrl,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let words = ''
  demo.stderr.on('data', (chunk) => {
    words += chunk
  })
  const ended = new Promise<void>((done) => {
    demo
      .once('error', (error) => {
        words += error.message
      })
      .once('close', (code) => {
        if (code !== 0 && !context.hasEnded())
          say(
            `the customers of the demo world could not be made: ${words.trim().split('\n').at(-1)}`,
          )
        done()
      })
  })
  context.undo.push(() => (demo.kill(), ended))
}

/**
 * Builds the console when its sources are newer, in a process that ends. Without it the API runs as
 * well: a failure is only told.
 */
async function provideConsole(context: Context): Promise<void> {
  if (await consoleIsBuilt()) return
  say('building the console')
  const builder = spawn(process.execPath, [join(ROOT, 'tools/setup/console.ts')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let words = ''
  builder.stderr.on('data', (chunk) => {
    words += chunk
  })
  const ended = new Promise<void>((done) => {
    builder
      .once('error', (error) => {
        words += error.message
      })
      .once('close', (code) => {
        if (code !== 0 && !context.hasEnded())
          say(`the console could not be built:\n${words.trim()}`)
        done()
      })
  })
  context.undo.push(() => (builder.kill(), ended))
  await Promise.race([ended, context.end])
}

/** Builds again what is edited; the service, started again, serves it. */
function watchConsole(context: Context, service: Child): void {
  let timer: NodeJS.Timeout | undefined
  const changed = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      provideConsole(context)
        .then(() => service.restart())
        .catch((error: unknown) => say(`the console could not be renewed: ${String(error)}`))
    }, WATCH_MS)
  }
  for (const folder of ['console/src', 'client/src']) {
    const watcher = watchFiles(join(ROOT, folder), { recursive: true }, changed)
    context.undo.push(async () => {
      clearTimeout(timer)
      watcher.close()
    })
  }
}

/** A child with the bookkeeping that all share. */
function startChild(
  context: Context,
  plan: Pick<ChildPlan, 'name' | 'program' | 'flags' | 'env' | 'stopLimitMs'> & { sources: string },
): Child {
  const child = keepAlive({
    ...plan,
    started: (who) => context.notes.child(plan.name, who),
    ready: (_line, nth) => nth > 1 && say(`the ${plan.name} is ready again`),
    gaveUp: context.fail,
    say,
  })
  context.undo.push(() => child.stop())
  if (context.watch) {
    const watcher = watchFiles(plan.sources, { recursive: true }, restartSoon(child, plan.name))
    context.undo.push(async () => watcher.close())
  }
  return child
}

/** Editors write a file in several strokes: one restart for all within WATCH_MS. */
function restartSoon(child: Child, name: string): (event: string, file: string | null) => void {
  let timer: NodeJS.Timeout | undefined
  return (_event, file) => {
    if (file === null || !/\.(ts|sql|json)$/.test(file) || file.endsWith('.test.ts')) return
    clearTimeout(timer)
    timer = setTimeout(() => {
      say(`${file} changed, starting the ${name} again`)
      child
        .restart()
        .catch((error: unknown) => say(`the ${name} could not be restarted: ${String(error)}`))
    }, WATCH_MS)
  }
}

async function startSandbox(
  context: Context,
): Promise<{ url: string; mailUrl: string | undefined } | undefined> {
  const dir = join(context.dataDir, 'sandbox')
  await mkdir(dir, { recursive: true })
  const port = await sandboxPort(dir)
  // It plays the outside world: nothing of our secrets is its business.
  const { DATABASE_URL: _database, KONTOR_ADMIN_PASSWORD: _password, ...env } = process.env
  const sandbox = startChild(context, {
    name: 'sandbox',
    program: process.env['KONTOR_TEST_SANDBOX'] ?? join(ROOT, 'sandbox/src/main.ts'),
    // It is in no hurry: rather collect often than keep much.
    flags: ['--max-semi-space-size=1', '--v8-pool-size=1'],
    env: async () => ({ ...env, SANDBOX_PORT: String(port), SANDBOX_DIR: dir }),
    stopLimitMs: SANDBOX_STOP_MS,
    sources: join(ROOT, 'sandbox/src'),
  })
  const ready = await Promise.race([sandbox.firstReady, context.end])
  if (typeof ready !== 'object') return undefined
  return {
    url: `http://127.0.0.1:${ready.port ?? port}`,
    mailUrl: ready.smtp_port === undefined ? undefined : `smtp://127.0.0.1:${ready.smtp_port}`,
  }
}

/**
 * One port for the sandbox's whole life, so that a restarted one is found again; SANDBOX_PORT sets
 * it.
 */
async function sandboxPort(dir: string): Promise<number> {
  if (process.env['SANDBOX_PORT']) return Number(process.env['SANDBOX_PORT'])
  const file = join(dir, 'port')
  const stored = existsSync(file) ? Number(await readFile(file, 'utf8')) : undefined
  if (stored !== undefined && (await isPortFree(stored))) return stored
  const port = await freePort()
  await writeFile(file, String(port))
  return port
}

/** An orphan of the run before may still be draining on it. */
async function waitForPort(port: number): Promise<void> {
  const limit = Date.now() + PORT_WAIT_MS
  while (!(await isPortFree(port))) {
    if (Date.now() > limit)
      throw new Refusal(`Port ${port} is taken by another program. Set PORT to a free one.`)
    await pause(50)
  }
}

type Database = {
  /** As soon as it runs. */
  place(): Promise<{ serviceUrl: string; ownerUrl: string }>
  /** It runs again elsewhere, its port being taken. */
  whenMoved(follow: () => Promise<void>): void
}

/** The operator's DATABASE_URL, or the embedded PostgreSQL, kept alive. */
async function provideDatabase(context: Context): Promise<Database> {
  const given = process.env['DATABASE_URL']
  if (given)
    return {
      place: async () => ({ serviceUrl: given, ownerUrl: given }),
      whenMoved: () => undefined,
    }
  const start = (): Promise<Embedded> =>
    startEmbedded({ dir: join(context.dataDir, 'postgres'), say })
  let current = start()
  let follow = async (): Promise<void> => undefined
  let stopping = false
  context.undo.push(async () => {
    stopping = true
    await (await current.catch(() => undefined))?.stop()
  })
  await current
  const keep = async (): Promise<void> => {
    for (let failures = 0; ;) {
      const startedAt = Date.now()
      const { exited, serviceUrl } = await current
      await exited
      if (stopping) return
      failures = Date.now() - startedAt > CALM_MS ? 1 : failures + 1
      const wait = DATABASE_PAUSES_MS[failures - 1]
      if (wait === undefined)
        return context.fail(
          `PostgreSQL ended ${failures} times in a row; its words are in ` +
            `${join(context.dataDir, 'postgres/server.log')}`,
        )
      say('PostgreSQL ended; starting it again')
      current = pause(wait).then(start)
      if ((await current).serviceUrl !== serviceUrl) await follow()
    }
  }
  keep().catch((error: unknown) =>
    context.fail(
      'PostgreSQL could not be started again: ' +
        `${error instanceof Error ? error.message : String(error)}`,
    ),
  )
  return {
    place: () => current,
    whenMoved: (listener) => {
      follow = listener
    },
  }
}

type AdminPassword = {
  value: string | undefined
  howToLogIn(ready: Ready): string
  shown(): Promise<void>
}

/**
 * The first password is made here and lies in a closed file until it has been shown: a first start
 * that is killed before that does not lose it.
 */
async function adminPassword(dataDir: string): Promise<AdminPassword> {
  const given = process.env['KONTOR_ADMIN_PASSWORD'] || undefined
  const marker = join(dataDir, 'admin-password-shown')
  const file = join(dataDir, 'admin-password')
  let made: string | undefined
  let again = false
  if (given === undefined && !existsSync(marker)) {
    again = existsSync(file)
    made = again ? await readFile(file, 'utf8') : randomBytes(15).toString('base64url')
    if (!again) await writeFile(file, made, { mode: 0o600, flush: true })
  }
  return {
    value: given ?? made,
    howToLogIn({ admin }) {
      const who =
        'log in as ' +
        `${admin?.email ?? (process.env['KONTOR_ADMIN_EMAIL'] || 'the administrator')}`
      if (given !== undefined) return `${who} with KONTOR_ADMIN_PASSWORD`
      // An operator's own database may hold an administrator from elsewhere, whose password is not
      // the one made here.
      const password = admin?.password ?? (again && !process.env['DATABASE_URL'] ? made : undefined)
      return password === undefined
        ? `${who}; the password was shown at the first start`
        : `${who} with the password ${password} (shown only this once)`
    },
    async shown() {
      await writeFile(marker, '')
      await rm(file, { force: true })
    },
  }
}
