import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { wordsOf } from '../../server/src/core/usage.ts'
import type { Prepared } from '../../server/src/preparation.ts'
import { isPortFree } from '../../server/src/store/ports.ts'
import { ROOT } from '../setup/setup.mjs'
import { adminPassword, type AdminPassword } from './admin-password.ts'
import type { Child } from './child.ts'
import { provideConsole, watchConsole } from './console-build.ts'
import { wantsDemoCustomers, wantsSandbox } from './demo-world.ts'
import { Refusal, say, startChild, undoAll, type Context, type Undo } from './context.ts'
import { noteKeeper, takeOver } from './data-dir-lock.ts'
import { provideDatabase, type Database } from './database.ts'
import { prepareDatabase } from './preparation.ts'
import { createDemoCustomers, startSandbox, type Sandbox } from './sandbox.ts'

/*
 * Starts PostgreSQL and the sandbox together, then the service. Keeps them alive, and ends them in
 * the opposite order.
 */

export type Supervision = {
  /** Aborted when all is to end. */
  ending: AbortSignal
  /** Starts service and sandbox again when their sources change. */
  watch: boolean
}

const DEFAULT_PORT = 4000
const SERVICE_STOP_MS = 30_000
const PORT_WAIT_MS = 5_000

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
      say(error instanceof Refusal ? error.message : wordsOf(error))
    }
  }
  return (await undoAll(undo)) ? code : 1
}

const aborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((done) =>
    signal.aborted
      ? done(undefined)
      : signal.addEventListener('abort', () => done(undefined), { once: true }),
  )

async function startAll(context: Context): Promise<void> {
  const port = portToServe()
  const password = await adminPassword(context.dataDir)
  const parts = await startParts(context, port, password)
  if (context.hasEnded()) return
  const service = startService(context, port, parts)
  parts.database.whenMoved(() => service.restart())
  if (context.watch) watchConsole(context, service)
  const ready = await Promise.race([service.firstReady, context.end])
  if (typeof ready !== 'object') return
  const url = ready.url ?? `http://localhost:${port}`
  const { sandbox, prepared } = parts
  const firstPassword = prepared.generated ?? password.value
  process.stdout.write(`Kontor is ready: ${url} · ${password.howToLogIn(prepared)}\n`)
  await password
    .shown()
    .catch((error: unknown) => say(`the password will be shown again: ${String(error)}`))
  const isDemo = sandbox !== undefined && wantsDemoCustomers(process.env)
  if (isDemo && prepared.created && firstPassword !== undefined)
    createDemoCustomers(context, {
      sandboxUrl: sandbox.url,
      url,
      email: prepared.email,
      password: firstPassword,
    })
}

function portToServe(): number {
  const { PORT } = process.env
  const port = Number(PORT || DEFAULT_PORT)
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Refusal(`PORT must be a number from 0 to 65535, not ${PORT}`)
  return port
}

type Parts = {
  database: Database
  sandbox: Sandbox | undefined
  prepared: Prepared
  password: AdminPassword
}

/** All that the service needs, at the same time. */
async function startParts(context: Context, port: number, password: AdminPassword): Promise<Parts> {
  const preparing = provideDatabase(context).then(async (database) => ({
    database,
    prepared: await prepareDatabase(context, database, password),
  }))
  const withSandbox = wantsSandbox({
    env: process.env,
    dataDir: context.dataDir,
    isConfigured: async () => (await preparing).prepared.configured,
  })
  const starts = [
    preparing,
    withSandbox.then((wanted) => (wanted ? startSandbox(context) : undefined)),
    waitForPort(port),
    provideConsole(context),
  ] as const
  // Also when one fails: what the others start must be known before it is ended.
  await Promise.allSettled(starts)
  const [{ database, prepared }, sandbox] = await Promise.all(starts)
  return { database, sandbox, prepared, password }
}

function startService(context: Context, port: number, parts: Parts): Child {
  let isPrepared = true
  return startChild(context, {
    name: 'service',
    program: process.env['KONTOR_TEST_SERVICE'] ?? join(ROOT, 'server/src/main.ts'),
    // The default lets the young generation keep over 100 MB that a back office never needs
    // (docs/operations.md); and its four threads beside, when they mark or compile, take both cores
    // of a small machine from whoever answers.
    flags: ['--max-semi-space-size=8', '--v8-pool-size=1'],
    env: async () => {
      // It may be a migration that was edited since.
      if (context.watch && !isPrepared)
        await prepareDatabase(context, parts.database, parts.password)
      isPrepared = false
      return serviceEnv(context, port, parts)
    },
    stopLimitMs: SERVICE_STOP_MS,
    sources: join(ROOT, 'server/src'),
  })
}

/** Any other variable may hold the secret of a venue, which the configuration names. */
async function serviceEnv(
  context: Context,
  port: number,
  { database, sandbox }: Parts,
): Promise<NodeJS.ProcessEnv> {
  const { KONTOR_OWNER_DATABASE_URL: _owner, KONTOR_ADMIN_PASSWORD: _first, ...env } = process.env
  const { serviceUrl, folder } = await database.place()
  return {
    ...env,
    PORT: String(port),
    DATA_DIR: context.dataDir,
    DATABASE_URL: serviceUrl,
    ...(folder !== undefined && { KONTOR_DATABASE_FOLDER: folder }),
    ...(sandbox !== undefined && {
      SANDBOX_URL: sandbox.url,
      KONTOR_CONFIG: env['KONTOR_CONFIG'] || join(context.dataDir, 'sandbox/kontor.json'),
    }),
    ...(sandbox?.mailUrl !== undefined && {
      KONTOR_SMTP_URL: env['KONTOR_SMTP_URL'] || sandbox.mailUrl,
    }),
  }
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
