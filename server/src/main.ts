/**
 * The service as one program: reads its configuration from the environment, then serves the API and
 * works off what is due, on a database that preparation.ts has made ready. `KONTOR_ROLE=api` or
 * `worker` runs one half, so that an operator can start as many of each as needed.
 */
import { existsSync, readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { openApp } from './app.ts'
import { readyOf, serverOf } from './server.ts'
import type { App } from './app.ts'
import { systemClock } from './core/clock.ts'
import { keepDiskHalts } from './disk-halts.ts'
import { isLoopback } from './core/networks.ts'
import { exitWithParent } from './core/parent.ts'
import { useTracing } from './core/tracing.ts'
import { UsageError, wordsOf } from './core/usage.ts'
import { logLevelOf, settingsFrom } from './environment.ts'
import type { Settings } from './environment.ts'
import { headsPlaceFrom } from './heads/index.ts'
import type { HeadsConfiguration } from './heads/index.ts'
import { openCertificate, urlOf } from './http/index.ts'
import type { Certificate } from './http/index.ts'
import { openMonitoring } from './monitoring.ts'
import type { Monitoring } from './monitoring.ts'
import { startFault } from './preparation.ts'
import { keepMemorySmall } from './spare-memory.ts'
import { checkedConfig, configure } from './start-configuration.ts'
import { openDb } from './store/db.ts'
import { ownsTables, serviceRole } from './store/migrate.ts'
import type { Traces } from './traces.ts'
import { startWorker } from './worker.ts'

const { env } = process
const lines = pino.destination({ dest: 2, sync: false })
// A log that cannot be written, on a full disk, ends nothing.
lines.on('error', () => undefined)
const log = pino(
  {
    level: logLevelOf(env),
    redact: ['authorization', 'password', '*.password', '*.authorization'],
  },
  lines,
)

async function main(): Promise<void> {
  const settings = settingsFrom(env)
  const { place } = settings
  sayWhatLacks(settings)
  const { KONTOR_CONFIG: file } = env
  const config = file ? await checkedConfig(file, env, settings.role !== 'api') : undefined
  const certificate = await openCertificate(settings.door?.tls ?? place?.tls, log)
  const login = await loginTo(settings.url)
  const traces = await traced(settings)
  const app = await openApp({ ...login, clock: systemClock, log, ...settings.app })
  let starting = true
  const monitoring = await openMonitoring(app, {
    ...login,
    ready: async () => (starting ? 'the service is starting' : readyOf(app)()),
    certificate,
    ...(place === undefined ? {} : { place }),
  })
  if (config !== undefined) await configure(app, config)
  const diskHalts = keepDiskHalts(app)
  const worker = settings.role === 'api' ? undefined : await startWork(app, settings)
  const server = await serve(app, settings, certificate)
  const memory = keepMemorySmall()
  starting = false

  let ending: Promise<void> | undefined
  const end = (why: string): Promise<void> => {
    ending ??= (async () => {
      log.info({ why }, 'ending')
      memory.stop()
      await server?.close()
      await worker?.stop()
      await diskHalts.stop()
      await monitoring.close()
      certificate?.close()
      await app.close()
      await traces?.close()
      log.flush()
      process.exit(0)
    })()
    return ending
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      void end(signal)
    })
  exitWithParent(() => {
    void end('the starting process ended')
  })

  sayReady(settings, server?.server.address(), monitoring)
}

type Login = { url: string; role?: string }

/** Throws a sentence when the service cannot start on the database. */
async function loginTo(url: string): Promise<Login> {
  const role = await serviceRole(url)
  const login = { url, ...(role === undefined ? {} : { role }) }
  const db = openDb({ ...login, maximumConnections: 1 })
  try {
    const fault = await startFault(db)
    if (fault !== undefined) throw new UsageError(fault)
    if (await ownsTables(db))
      log.warn(
        'the login in DATABASE_URL owns the tables: give the service one that does not ' +
          '(docs/operations.md, Database)',
      )
  } finally {
    await db.close()
  }
  for (const name of ['KONTOR_OWNER_DATABASE_URL', 'KONTOR_ADMIN_PASSWORD'])
    if (env[name]) log.warn(`the service does not need ${name}: take it out of its environment`)
  return login
}

/** Loaded only where somebody asked for traces. */
async function traced({ traces, role }: Settings): Promise<Traces | undefined> {
  if (traces === undefined) return undefined
  const { openTraces } = await import('./traces.ts')
  const opened = openTraces({ ...traces, role, log })
  useTracing(opened)
  return opened
}

/** What works, and what an operator should know. */
function sayWhatLacks({ door, app: { keyFile, historyFolder } }: Settings): void {
  if (door?.plain === true && !isLoopback(door.host))
    log.warn('passwords and tokens are sent in plain text: KONTOR_PLAIN_HTTP is on')
  if (keyFile === undefined)
    log.warn(
      'neither KONTOR_KEY_FILE nor DATA_DIR is set: signing keys lie unwrapped, and there are ' +
        'no webhooks',
    )
  if (historyFolder === undefined)
    log.warn('neither KONTOR_HISTORY nor DATA_DIR is set: a restored backup is not noticed')
}

async function serve(
  app: App,
  { door, port, limits, documents }: Settings,
  certificate: Certificate | undefined,
): Promise<FastifyInstance | undefined> {
  if (door === undefined) return undefined
  const server = await serverOf(app, { door, certificate, limits, ...documents, ...builtPages() })
  try {
    await server.listen({ port, host: door.host })
  } catch (error) {
    throw cannotListen(error, `HOST=${door.host} PORT=${port}`)
  }
  return server
}

const LISTENING_FAULTS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'this machine knows no such address',
  EACCES: 'the user that Kontor runs as may not listen there',
}

function cannotListen(error: unknown, place: string): unknown {
  const fault = LISTENING_FAULTS[(error as NodeJS.ErrnoException).code ?? '']
  return fault === undefined ? error : new UsageError(`${place}: ${fault}`, { cause: error })
}

/** To whoever started the process. */
function sayReady(
  { door, port: wanted }: Settings,
  address: AddressInfo | string | null | undefined,
  { port: metrics_port }: Monitoring,
): void {
  const port = typeof address === 'object' && address !== null ? address.port : wanted
  const url = door === undefined ? undefined : urlOf(door, port)
  const ready = { ready: true, port, url, metrics_port }
  process.stdout.write(`${JSON.stringify(ready)}\n`)
}

/** The system's refusal of a file says whose it is. */
const naming = (variable: string) => (error: unknown) => {
  if (!(error instanceof Error && 'syscall' in error)) throw error
  throw new UsageError(`${variable}: ${error.message}`, { cause: error })
}

/** What was sent before is compared first. */
async function startWork(
  app: App,
  { work, head_recipients }: Settings,
): ReturnType<typeof startWorker> {
  await app.history.start().catch(naming('KONTOR_HISTORY'))
  const heads = headsConfiguration(head_recipients)
  return startWorker(app, { ...work, ...(heads === undefined ? {} : { heads }) })
}

function headsConfiguration(recipients: string[]): HeadsConfiguration | undefined {
  const place = headsPlaceFrom(env)
  if (place !== undefined) return { ...place, recipients }
  log.warn('neither KONTOR_HEADS with KONTOR_HEADS_KEY nor DATA_DIR is set: no heads are signed')
  return undefined
}

/** The console and the documentation as they were built last (`npm start`, `npm run build`). */
function builtPages(): { console?: string; documentation?: string } {
  const folder = lastBuild('../../console/dist/')
  if (folder === undefined) log.warn('there is no console: npm run build makes it')
  const documentation = lastBuild('../../tools/docs/dist/')
  return {
    ...(folder === undefined ? {} : { console: folder }),
    ...(documentation === undefined ? {} : { documentation }),
  }
}

function lastBuild(dist: string): string | undefined {
  const builds = new URL(dist, import.meta.url)
  const current = new URL('current', builds)
  if (!existsSync(current)) return undefined
  return fileURLToPath(new URL(readFileSync(current, 'utf8').trim(), builds))
}

process.on('unhandledRejection', (error) => {
  log.fatal({ error: String(error instanceof Error ? error.stack : error) }, 'unhandled rejection')
  log.flush()
  process.exit(1)
})

main().catch((error: unknown) => {
  process.stderr.write(`kontor: ${wordsOf(error)}\n`)
  process.exit(1)
})
