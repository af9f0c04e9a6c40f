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
import { keyFileFrom, sessionLimitsFrom } from './access/index.ts'
import type { SessionLimits } from './access/index.ts'
import { historyFolderOf, openApp, readyOf, serverOf } from './app.ts'
import type { App } from './app.ts'
import { systemClock } from './core/clock.ts'
import { keepDiskHalts } from './disk-halts.ts'
import { isLoopback } from './core/networks.ts'
import type { MailConfiguration } from './events/index.ts'
import { exitWithParent } from './core/parent.ts'
import { UsageError, wordsOf } from './core/usage.ts'
import { headRecipientsFrom, headsPlaceFrom } from './heads/index.ts'
import type { HeadsConfiguration } from './heads/index.ts'
import { doorFrom, limitsFrom, metricsPlaceFrom, openCertificate, urlOf } from './http/index.ts'
import type { Certificate, Door, Limits, MetricsPlace } from './http/index.ts'
import { openMonitoring } from './monitoring.ts'
import type { Monitoring } from './monitoring.ts'
import { startFault } from './preparation.ts'
import { configure } from './start-configuration.ts'
import { openDb } from './store/db.ts'
import { ownsTables, serviceRole } from './store/migrate.ts'
import { targetRulesFrom } from './webhooks/index.ts'
import type { TargetRules } from './webhooks/index.ts'
import { startWorker } from './worker.ts'

const { env } = process
const lines = pino.destination({ dest: 2, sync: false })
// A log that cannot be written, on a full disk, ends nothing.
lines.on('error', () => undefined)
const log = pino(
  {
    level: env['LOG_LEVEL'] ?? 'info',
    redact: ['authorization', 'password', '*.password', '*.authorization'],
  },
  lines,
)
const part = env['KONTOR_ROLE'] ?? 'all'
/** In less, a busy machine would lose the lease of the venues again and again. */
const SHORTEST_TERM_MILLISECONDS = 3_000
const HOUR_MILLISECONDS = 3_600_000

async function main(): Promise<void> {
  const url = env['DATABASE_URL']
  if (url === undefined)
    throw new Error(
      'DATABASE_URL is not set: start with `npm start`, or name a PostgreSQL 15 or newer',
    )
  const entrance = await openEntrance()
  const { certificate, place } = entrance
  const login = await loginTo(url)
  const app = await openApp({
    ...login,
    clock: systemClock,
    log,
    ...appConfiguration(env),
  })
  let starting = true
  const monitoring = await openMonitoring(app, {
    ...login,
    ready: async () => (starting ? 'the service is starting' : readyOf(app)()),
    certificate,
    ...(place === undefined ? {} : { place }),
  })
  if (env['KONTOR_CONFIG']) await configure(app, env['KONTOR_CONFIG'], env)
  const diskHalts = keepDiskHalts(app)
  const worker = part === 'api' ? undefined : await startWork(app)
  const server = await serve(app, entrance)
  starting = false

  let ending: Promise<void> | undefined
  const end = (why: string): Promise<void> => {
    ending ??= (async () => {
      log.info({ why }, 'ending')
      await server?.close()
      await worker?.stop()
      await diskHalts.stop()
      await monitoring.close()
      certificate?.close()
      await app.close()
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

  sayReady(entrance, server?.server.address(), monitoring)
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

type Entrance = {
  /** Absent in a role that answers no requests. */
  door: Door | undefined
  limits: Limits
  place: MetricsPlace | undefined
  certificate: Certificate | undefined
}

/** How requests come in. What cannot be so is refused before anything is changed. */
async function openEntrance(): Promise<Entrance> {
  const door = part === 'worker' ? undefined : doorFrom(env)
  const place = metricsPlaceFrom(env)
  if (door?.plain === true && !isLoopback(door.host))
    log.warn('passwords and tokens are sent in plain text: KONTOR_PLAIN_HTTP is on')
  const certificate = await openCertificate(door?.tls ?? place?.tls, log)
  return { door, limits: limitsFrom(env), place, certificate }
}

async function serve(
  app: App,
  { door, limits, certificate }: Entrance,
): Promise<FastifyInstance | undefined> {
  if (door === undefined) return undefined
  const server = await serverOf(app, {
    door,
    certificate,
    limits,
    ...publicConfiguration(env),
    ...builtConsole(),
  })
  await server.listen({ port: Number(env['PORT'] ?? 4000), host: door.host })
  return server
}

/** To whoever started the process. */
function sayReady(
  { door }: Entrance,
  address: AddressInfo | string | null | undefined,
  { port: metrics_port }: Monitoring,
): void {
  const port =
    typeof address === 'object' && address !== null ? address.port : Number(env['PORT'] ?? 4000)
  const url = door === undefined ? undefined : urlOf(door, port)
  const ready = { ready: true, port, url, metrics_port }
  process.stdout.write(`${JSON.stringify(ready)}\n`)
}

/** KONTOR_QUOTES_KEPT_HOURS: how long quotes are kept that nobody took. */
function workerConfiguration(from: Readonly<Record<string, string | undefined>>): {
  lease_ms?: number
  quotes_kept_ms?: number
} {
  const { KONTOR_LEASE_MS: lease, KONTOR_QUOTES_KEPT_HOURS: hours } = from
  if (hours && !/^[1-9][0-9]{0,5}$/.test(hours))
    throw new Error(`KONTOR_QUOTES_KEPT_HOURS must be a whole number above 0, not ${hours}`)
  return {
    ...(lease === undefined ? {} : { lease_ms: Number(lease) }),
    ...(hours ? { quotes_kept_ms: Number(hours) * HOUR_MILLISECONDS } : {}),
  }
}

type DiskConfiguration = { folder: string | undefined; limit_mb: number }

const DISK_FREE_MEGABYTES = 512

/**
 * KONTOR_DATABASE_FOLDER: where the database lies on this machine. KONTOR_DISK_FREE_MB: below it
 * money does not move.
 */
function diskConfiguration(from: Readonly<Record<string, string | undefined>>): DiskConfiguration {
  const { KONTOR_DATABASE_FOLDER: folder, KONTOR_DISK_FREE_MB: free } = from
  const limit_mb = Number(free || DISK_FREE_MEGABYTES)
  if (!Number.isInteger(limit_mb) || limit_mb < 0)
    throw new Error(`KONTOR_DISK_FREE_MB must be a whole number of megabytes, not ${free}`)
  return { folder: folder || undefined, limit_mb }
}

/** What was sent before is compared first. */
async function startWork(app: App): ReturnType<typeof startWorker> {
  await app.history.start()
  const heads = headsConfiguration(env)
  return startWorker(app, {
    ...workerConfiguration(env),
    ...(heads === undefined ? {} : { heads }),
  })
}

function headsConfiguration(
  from: Readonly<Record<string, string | undefined>>,
): HeadsConfiguration | undefined {
  const [place, recipients] = [headsPlaceFrom(from), headRecipientsFrom(from)]
  if (place !== undefined) return { ...place, recipients }
  log.warn('neither KONTOR_HEADS with KONTOR_HEADS_KEY nor DATA_DIR is set: no heads are signed')
  return undefined
}

/** KONTOR_LEASE_MS: of due work and, where it is long enough, of the venues. */
function leaseConfiguration(from: Readonly<Record<string, string | undefined>>): {
  contends: boolean
  term_ms?: number
} {
  const { lease_ms } = workerConfiguration(from)
  return {
    contends: part !== 'api',
    ...(lease_ms === undefined ? {} : { term_ms: Math.max(lease_ms, SHORTEST_TERM_MILLISECONDS) }),
  }
}

/** The console as it was built last (`npm start`, `npm run build`). */
function builtConsole(): { console?: string } {
  const builds = new URL('../../console/dist/', import.meta.url)
  const current = new URL('current', builds)
  if (existsSync(current))
    return { console: fileURLToPath(new URL(readFileSync(current, 'utf8').trim(), builds)) }
  log.warn('there is no console: npm run build makes it')
  return {}
}

/** What anybody may read. With the sandbox, who tries it finds the reference without asking. */
function publicConfiguration(from: Readonly<Record<string, string | undefined>>): {
  sandbox: boolean
  public_metrics: boolean
  public_documents: boolean
} {
  const sandbox = from['SANDBOX_URL'] !== undefined
  return {
    sandbox,
    public_metrics: from['KONTOR_PUBLIC_METRICS'] === 'on',
    public_documents: (from['KONTOR_PUBLIC_DOCUMENTS'] || (sandbox ? 'on' : 'off')) === 'on',
  }
}

function appConfiguration(from: Readonly<Record<string, string | undefined>>): {
  sessions: SessionLimits
  disk: DiskConfiguration
  lease: ReturnType<typeof leaseConfiguration>
  steady?: () => number
  historyFolder?: string
  keyFile?: string
  mail?: MailConfiguration
  targets: TargetRules
} {
  const [historyFolder, mail] = [historyFolderOf(from), mailConfiguration(from)]
  const keyFile = keyFileFrom(from)
  if (keyFile === undefined)
    log.warn(
      'neither KONTOR_KEY_FILE nor DATA_DIR is set: signing keys lie unwrapped, and there are ' +
        'no webhooks',
    )
  if (historyFolder === undefined)
    log.warn('neither KONTOR_HISTORY nor DATA_DIR is set: a restored backup is not noticed')
  return {
    sessions: sessionLimitsFrom(from),
    disk: diskConfiguration(from),
    lease: leaseConfiguration(from),
    targets: targetRulesFrom(from),
    // Programs that test Kontor move its clock by hours.
    ...(from['KONTOR_CLOCK'] === 'moved' ? {} : { steady: () => performance.now() }),
    ...(historyFolder === undefined ? {} : { historyFolder }),
    ...(keyFile === undefined ? {} : { keyFile }),
    ...(mail === undefined ? {} : { mail }),
  }
}

/**
 * KONTOR_SMTP_URL names the mail server, KONTOR_MAIL_FROM the sender; KONTOR_SMTP_PLAIN=on does
 * without TLS.
 */
function mailConfiguration(
  from: Readonly<Record<string, string | undefined>>,
): MailConfiguration | undefined {
  const { KONTOR_SMTP_URL: url, KONTOR_MAIL_FROM: sender, KONTOR_SMTP_PLAIN: plain } = from
  return url ? { url, plain: plain === 'on', ...(sender ? { from: sender } : {}) } : undefined
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
