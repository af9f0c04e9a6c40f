/**
 * What the environment says of a process of the service, read and checked as a whole before
 * anything is opened. docs/operations.md lists the variables.
 */
import { keyFileFrom, sessionLimitsFrom, signInRulesFrom } from './access/index.ts'
import type { SessionLimits } from './access/index.ts'
import { historyFolderOf } from './app.ts'
import { UsageError } from './core/usage.ts'
import { openMailer } from './events/index.ts'
import type { MailConfiguration } from './events/index.ts'
import { headRecipientsFrom } from './heads/index.ts'
import { doorFrom, limitsFrom, metricsPlaceFrom } from './http/index.ts'
import type { Door, Environment, Limits, MetricsPlace } from './http/index.ts'
import { bankFoldersFrom, venueRulesFrom } from './venues/index.ts'
import { targetRulesFrom } from './webhooks/index.ts'
import type { TargetRules } from './core/targets.ts'

type Env = Readonly<Record<string, string | undefined>>

const ROLES = ['all', 'api', 'worker'] as const
type Role = (typeof ROLES)[number]

/** As pino names them. */
const LEVELS: readonly string[] = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']
const USUAL_LEVEL = 'info'
const USUAL_PORT = 4000
const DISK_FREE_MEGABYTES = 512
const HOUR_MILLISECONDS = 3_600_000
/** In less, a busy machine would lose the lease of the venues again and again. */
const SHORTEST_TERM_MILLISECONDS = 3_000

export type Settings = {
  url: string
  role: Role
  port: number
  /** Absent in a role that answers no requests. */
  door: Door | undefined
  /** Absent where there shall be no metrics. */
  place: MetricsPlace | undefined
  limits: Limits
  documents: { environment: Environment; public_metrics: boolean; public_documents: boolean }
  work: { lease_ms?: number; quotes_kept_ms?: number }
  app: {
    sessions: SessionLimits
    disk: { folder: string | undefined; limit_mb: number }
    lease: { contends: boolean; term_ms?: number }
    steady?: () => number
    historyFolder?: string
    keyFile?: string
    bankFolders?: string
    mail?: MailConfiguration
    targets: TargetRules
    venueTargets: TargetRules
    signInTargets: TargetRules
  }
  head_recipients: string[]
  /** Absent where no traces are wanted. */
  traces: TracesSettings | undefined
}

export type TracesSettings = {
  /** Of the collector, without `/v1/traces`. */
  endpoint: string
  /** Of the requests and tasks that begin a trace here, from 0 to 1. */
  share: number
  service: string
}

/** Throws a UsageError with a sentence for each variable that is wrong. */
export function settingsFrom(env: Env): Settings {
  const faults: string[] = []
  const read = <T>(reader: (from: Env) => T): T => {
    try {
      return reader(env)
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      faults.push(error.message)
      // Nobody sees it: what is wrong ends the start.
      return undefined as T
    }
  }
  read(levelFrom)
  const role = read(roleFrom)
  const work = read(workFrom)
  const settings: Settings = {
    url: read(urlFrom),
    role,
    port: read(portFrom),
    door: role === 'worker' ? undefined : read(doorFrom),
    place: read(metricsPlaceFrom),
    limits: read(limitsFrom),
    documents: read(documentsFrom),
    work,
    app: {
      sessions: read(sessionLimitsFrom),
      disk: read(diskFrom),
      lease: leaseFrom(role, work),
      targets: read(targetRulesFrom),
      venueTargets: read(venueRulesFrom),
      signInTargets: read(signInRulesFrom),
      // Programs that test Kontor move its clock by hours.
      ...(env['KONTOR_CLOCK'] === 'moved' ? {} : { steady: () => performance.now() }),
      ...placesFrom(env),
      ...read(mailFrom),
      ...read(consoleFrom),
    },
    head_recipients: read(headRecipientsFrom),
    traces: read(tracesFrom),
  }
  if (faults.length > 0) throw new UsageError([...new Set(faults)].join('\n'))
  return settings
}

/** For a log that begins before anything is checked. */
export function logLevelOf({ LOG_LEVEL: level }: Env): string {
  return level !== undefined && LEVELS.includes(level) ? level : USUAL_LEVEL
}

function levelFrom({ LOG_LEVEL: level }: Env): void {
  if (level && !LEVELS.includes(level))
    throw new UsageError(`LOG_LEVEL must be one of ${LEVELS.join(', ')}, not ${level}`)
}

function urlFrom({ DATABASE_URL: url }: Env): string {
  if (!url)
    throw new UsageError(
      'DATABASE_URL is not set: start with `npm start`, or name a PostgreSQL 15 or newer',
    )
  return url
}

function roleFrom({ KONTOR_ROLE: text }: Env): Role {
  const role = ROLES.find((one) => one === (text || 'all'))
  if (role === undefined)
    throw new UsageError(`KONTOR_ROLE must be one of ${ROLES.join(', ')}, not ${text}`)
  return role
}

function portFrom({ PORT: text }: Env): number {
  const port = Number(text || USUAL_PORT)
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new UsageError(`PORT must be a number from 0 to 65535, not ${text}`)
  return port
}

/** What anybody may read. With the sandbox, who tries it finds the reference without asking. */
function documentsFrom(env: Env): Settings['documents'] {
  const environment = environmentFrom(env)
  const sandbox = environment === 'sandbox'
  return {
    environment,
    public_metrics: env['KONTOR_PUBLIC_METRICS'] === 'on',
    public_documents: (env['KONTOR_PUBLIC_DOCUMENTS'] || (sandbox ? 'on' : 'off')) === 'on',
  }
}

/** KONTOR_ENVIRONMENT: what every page of the console says of the venues. */
function environmentFrom({ SANDBOX_URL, KONTOR_ENVIRONMENT: text }: Env): Environment {
  const own = (['live', 'test'] as const).find((one) => one === (text || 'live'))
  if (own === undefined)
    throw new UsageError(`KONTOR_ENVIRONMENT must be live or test, not ${text}`)
  if (SANDBOX_URL === undefined) return own
  if (text === 'live')
    throw new UsageError('KONTOR_ENVIRONMENT is live, but the sandbox runs: set SANDBOX=off')
  return 'sandbox'
}

/** KONTOR_QUOTES_KEPT_HOURS: how long quotes are kept that nobody took. */
function workFrom({
  KONTOR_LEASE_MS: lease,
  KONTOR_QUOTES_KEPT_HOURS: hours,
}: Env): Settings['work'] {
  if (hours && !/^[1-9][0-9]{0,5}$/.test(hours))
    throw new UsageError(`KONTOR_QUOTES_KEPT_HOURS must be a whole number above 0, not ${hours}`)
  if (lease && !/^[1-9][0-9]{0,8}$/.test(lease))
    throw new UsageError(`KONTOR_LEASE_MS must be a whole number above 0, not ${lease}`)
  return {
    ...(lease ? { lease_ms: Number(lease) } : {}),
    ...(hours ? { quotes_kept_ms: Number(hours) * HOUR_MILLISECONDS } : {}),
  }
}

/** KONTOR_LEASE_MS: of due work and, where it is long enough, of the venues. */
function leaseFrom(role: Role, work: Settings['work'] | undefined): Settings['app']['lease'] {
  const { lease_ms } = work ?? {}
  return {
    contends: role !== 'api',
    ...(lease_ms === undefined ? {} : { term_ms: Math.max(lease_ms, SHORTEST_TERM_MILLISECONDS) }),
  }
}

/**
 * KONTOR_DATABASE_FOLDER: where the database lies on this machine. KONTOR_DISK_FREE_MB: below it
 * money does not move.
 */
function diskFrom({
  KONTOR_DATABASE_FOLDER: folder,
  KONTOR_DISK_FREE_MB: free,
}: Env): Settings['app']['disk'] {
  const limit_mb = Number(free || DISK_FREE_MEGABYTES)
  if (!Number.isInteger(limit_mb) || limit_mb < 0)
    throw new UsageError(`KONTOR_DISK_FREE_MB must be a whole number of megabytes, not ${free}`)
  return { folder: folder || undefined, limit_mb }
}

function placesFrom(env: Env): Pick<Settings['app'], 'historyFolder' | 'keyFile' | 'bankFolders'> {
  const [historyFolder, keyFile] = [historyFolderOf(env), keyFileFrom(env)]
  const bankFolders = bankFoldersFrom(env)
  return {
    ...(historyFolder === undefined ? {} : { historyFolder }),
    ...(keyFile === undefined ? {} : { keyFile }),
    ...(bankFolders === undefined ? {} : { bankFolders }),
  }
}

/**
 * KONTOR_SMTP_URL names the mail server, KONTOR_MAIL_FROM the sender; KONTOR_SMTP_PLAIN=on does
 * without TLS.
 */
function mailFrom({
  KONTOR_SMTP_URL: url,
  KONTOR_MAIL_FROM: sender,
  KONTOR_SMTP_PLAIN: plain,
}: Env): { mail?: MailConfiguration } {
  if (!url) return {}
  const mail = { url, plain: plain === 'on', ...(sender ? { from: sender } : {}) }
  openMailer(mail).close()
  return { mail }
}

/** KONTOR_CONSOLE_URL is where people open the console; mails to staff link there. */
function consoleFrom({ KONTOR_CONSOLE_URL: url }: Env): { consoleUrl?: string } {
  if (!url) return {}
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError('KONTOR_CONSOLE_URL must be an address such as https://kontor.example.com')
  return { consoleUrl: url.replace(/\/+$/, '') }
}

/** The names are those of OpenTelemetry. */
function tracesFrom({
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_TRACES_SAMPLER_ARG: text,
  OTEL_SERVICE_NAME: service,
}: Env): TracesSettings | undefined {
  if (!endpoint) return undefined
  if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol))
    throw new UsageError(
      'OTEL_EXPORTER_OTLP_ENDPOINT must be an address such as http://localhost:4318',
    )
  const share = Number(text || 1)
  if (!(share >= 0 && share <= 1))
    throw new UsageError(`OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, not ${text}`)
  return { endpoint, share, service: service || 'kontor' }
}
