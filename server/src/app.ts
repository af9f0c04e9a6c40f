/** Builds the long-lived parts of the service. */
import { join, resolve } from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import { Registry } from 'prom-client'
import { openAccess, settingsOf, signInRulesFrom } from './access/index.ts'
import type { Access, SessionLimits } from './access/index.ts'
import type { Clock } from './core/clock.ts'
import type { WorkspaceId } from './core/ids.ts'
import type { TargetRules } from './core/targets.ts'
import { measureWaits } from './http/index.ts'
import { RECONCILE_TASK } from './desk/index.ts'
import { openMailer, watchEvents } from './events/index.ts'
import type { EventWatch, MailConfiguration, Mailer } from './events/index.ts'
import { haltAfterSetBack, openLane } from './ledger/index.ts'
import type { Lane, OpenPeriod } from './ledger/index.ts'
import { openMidStore, openPriceBook } from './market-data/index.ts'
import type { PriceBook } from './market-data/index.ts'
import { BACKGROUND_MILLISECONDS, connectionOf, openPool } from './pools.ts'
import { PROBE_LIMITS, Readiness } from './readiness.ts'
import { watchClock } from './store/clock-watch.ts'
import type { ClockWatch } from './store/clock-watch.ts'
import { recordingCalls } from './store/calls.ts'
import { DiskWatch } from './store/disk-watch.ts'
import { openDb } from './store/db.ts'
import type { Db } from './store/db.ts'
import { openHistory } from './store/history.ts'
import type { History } from './store/history.ts'
import { startFollowing } from './trading/index.ts'
import { targetRulesFrom } from './webhooks/index.ts'
import { adapterFactories, openVenueLease, openVenues, venueRulesFrom } from './venues/index.ts'
import type { AdapterFactories, VenueLease, Venues } from './venues/index.ts'

export type App = {
  /** For requests, whose callers wait. */
  db: Db
  /**
   * For what is due and what venues report: however much that is, no request waits behind it for
   * a connection.
   */
  background: Db
  clock: Clock
  /** Absent where the clock is no real one. */
  clockWatch: ClockWatch | undefined
  diskWatch: DiskWatch
  readiness: Readiness
  lane: Lane
  access: Access
  /** Whether this process works with the venues. */
  lease: VenueLease
  venues: Venues
  history: History
  prices: PriceBook
  events: EventWatch
  /** Absent: no mail is written. */
  mailer: Mailer | undefined
  /** Where people open the console; without it mails to staff have no links. */
  console_url: string | undefined
  /** Where webhooks may go. */
  targets: TargetRules
  /** Where venues that are declared over the API may lie. */
  venueTargets: TargetRules
  /** Where providers of single sign-on may lie. */
  signInTargets: TargetRules
  /** Where banks that name no folders have theirs. */
  bankFolders: string | undefined
  log: FastifyBaseLogger
  /** Of this process. */
  metrics: Registry
  openPeriod(workspace: WorkspaceId): Promise<OpenPeriod>
  /** Looks now, instead of at the next turn, which pairs the price routes need. */
  followPrices(): Promise<void>
  close(): Promise<void>
}

type AppOptions = {
  /** The service's own connection; the schema is already there. */
  url: string
  /**
   * Role taken on by every connection; none where the operator's login is the service's own role.
   */
  role?: string
  clock: Clock
  /** A time in milliseconds that nobody can set: with it the clock is compared. */
  steady?: () => number
  /** The folder of the database, where it is on this machine, and the space that it needs. */
  disk?: { folder: string | undefined; limit_mb: number }
  log: FastifyBaseLogger
  /** Of each of the two. */
  maximumConnections?: number
  /** Of sessions in the console; those of an empty environment when absent. */
  sessions?: SessionLimits
  /** The file of the key that wraps others; without it none is wrapped. */
  keyFile?: string
  /** The operator's folder by which a database that was set back is noticed. */
  historyFolder?: string
  /** The mail server; without it customers get no mail. */
  mail?: MailConfiguration
  /** Where people open the console. */
  consoleUrl?: string
  /** Where webhooks may go; over HTTPS to public addresses when absent. */
  targets?: TargetRules
  /** Where venues that are declared over the API may lie; at public addresses when absent. */
  venueTargets?: TargetRules
  /** Where providers of single sign-on may lie; at public addresses when absent. */
  signInTargets?: TargetRules
  /** Where banks that name no folders have theirs; without it they cannot be opened. */
  bankFolders?: string
  /** Absent: it wants to work with the venues, as one that answers requests alone does not. */
  lease?: { contends?: boolean; term_ms?: number }
  /** Other adapters than the real ones, for tests. */
  adapters?: AdapterFactories
}

/** KONTOR_HISTORY names the folder; else it lies in DATA_DIR, beside the embedded database. */
export function historyFolderOf({
  KONTOR_HISTORY: folder,
  DATA_DIR: data,
}: Readonly<Record<string, string | undefined>>): string | undefined {
  if (folder) return resolve(folder)
  return data ? join(data, 'history') : undefined
}

export async function openApp(options: AppOptions): Promise<App> {
  const { clock, steady, log } = options
  const metrics = new Registry()
  const waits = measureWaits(metrics, ['lane', 'requests', 'background'])
  const diskWatch = new DiskWatch(options.disk ?? { limit_mb: 0 })
  const [db, background] = [
    openPool({ ...options, diskWatch, waits: waits.requests }),
    openPool({ ...options, diskWatch, waits: waits.background }, BACKGROUND_MILLISECONDS),
  ]
  const probe = openDb({ ...connectionOf(options), ...PROBE_LIMITS })
  const clockWatch = steady && (await watchClock(background, { clock, steady }, log))
  const fault = (): string | undefined => clockWatch?.fault()
  const access = await openDoor(db, options).catch(async (error: unknown) => {
    clockWatch?.stop()
    for (const pool of [background, db, probe]) await pool.close()
    throw error
  })
  const lane = openLane(db, clock, { fault, waits: waits.lane })
  const lease = await openLease(options, { db: background, clockWatch })
  const venues = openVenues({
    ...venueParts(options, lease),
    db: background,
    clockFault: fault,
    wrapping: access.tokens.wrapping,
  })
  const history = historyOf(background, options, fault)
  const memory = openMidStore({ db: background, clock, log })
  const prices = openPriceBook({ memory })
  const events = watchEvents({ db, log })
  const mailer = options.mail === undefined ? undefined : openMailer(options.mail)
  const following = startFollowing({ db: background, prices, venues, log })
  return {
    db: recordingCalls(db, () => clock.now()),
    background,
    clock,
    clockWatch,
    diskWatch,
    readiness: new Readiness(probe, () => fault() ?? diskWatch.shortage()),
    lane,
    access,
    lease,
    venues,
    history,
    prices,
    events,
    mailer,
    ...addressesOf(options),
    log,
    metrics,
    openPeriod: openPeriods(db),
    followPrices: () => following.refresh(),
    async close() {
      clockWatch?.stop()
      await events.close()
      mailer?.close()
      await following.stop()
      await prices.close()
      await memory.close()
      await venues.close()
      await history.close()
      await lease.close()
      await lane.close()
      await access.close()
      await background.close()
      await db.close()
      await probe.close()
    },
  }
}

const addressesOf = (options: AppOptions) => ({
  targets: options.targets ?? targetRulesFrom({}),
  venueTargets: options.venueTargets ?? venueRulesFrom({}),
  signInTargets: options.signInTargets ?? signInRulesFrom({}),
  bankFolders: options.bankFolders,
  console_url: options.consoleUrl,
})

/** Throws a UsageError where the signing keys cannot be opened. */
const openDoor = (db: Db, { clock, log, sessions, keyFile }: AppOptions): Promise<Access> =>
  openAccess(db, clock, {
    ...(sessions === undefined ? {} : { limits: sessions }),
    ...(keyFile === undefined ? {} : { key_file: keyFile }),
    onKeyFault: (error) => {
      log.error({ error: String(error) }, 'the signing keys could not be read, and are tried again')
    },
    report: (error) => {
      log.error({ error: String(error) }, 'the security log was not written, and is tried again')
    },
  })

const historyOf = (
  db: Db,
  { clock, log, historyFolder }: AppOptions,
  clockFault: () => string | undefined,
): History =>
  openHistory({
    db,
    clock,
    clockFault,
    log,
    onSetBack: (tx, reason) => haltAfterSetBack(tx, clock, reason),
    ...(historyFolder === undefined ? {} : { folder: historyFolder }),
  })

/** A process whose clock is wrong claims no work, so it leaves the venues to another. */
const openLease = (
  { log, lease }: AppOptions,
  { db, clockWatch }: Pick<App, 'db' | 'clockWatch'>,
): Promise<VenueLease> =>
  openVenueLease({
    db,
    log,
    contends: true,
    mayHold: () => clockWatch?.mayClaim() ?? true,
    ...lease,
  })

const venueParts = (
  { log, clock, adapters, venueTargets, bankFolders }: AppOptions,
  lease: VenueLease,
) => ({
  log,
  clock,
  lease,
  adapters: adapters ?? adapterFactories(log, lease),
  targets: venueTargets,
  bankFolders,
})

/** The open period of each workspace. */
const openPeriods =
  (db: Db) =>
  async (workspace: WorkspaceId): Promise<OpenPeriod> => ({
    from: (await settingsOf(db, workspace)).open_period_from,
    to: null,
  })

/** What webhooks and venues need of the service: secrets are wrapped like its signing keys. */
export const webhooksPart = (app: App): App & Pick<Access['tokens'], 'wrapping'> => ({
  ...app,
  wrapping: app.access.tokens.wrapping,
})

/** Kinds of due work that every workspace has. */
export const WORKSPACE_TASKS: readonly string[] = [RECONCILE_TASK]
