/**
 * The PostgreSQL that comes with Kontor: real binaries from npm in a folder of ours. It listens on
 * a socket in that folder and on loopback TCP, with passwords on both; through the socket a query
 * costs a third less.
 *
 * The server runs in a session of its own, so Ctrl-C does not end it under a service that still
 * drains. It outlives a killed Kontor: the next start adopts it. A lock in the folder puts starting
 * and stopping in order.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { chmod, mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { identify, isAlive, takeLock, type Identity } from '../core/file-lock.mjs'
import { findBinaries, createCluster, startServer } from './embedded-launch.ts'
import { prepareDatabase, waitReady } from './embedded-logins.ts'
import { clusterFolder, databaseUrl, loadSecrets, superUrl } from './embedded-place.ts'
import type { Place, Secrets } from './embedded-place.ts'
import { stopServer, findRunning, waitForExit } from './embedded-process.ts'
import { changeOwner, chooseUser } from './embedded-user.ts'

export { superuserUrl } from './embedded-place.ts'

type EmbeddedOptions = {
  /**
   * The folder for everything: `cluster/`, `socket/`, `secrets.json`, `server.log`. Made when
   * missing.
   */
  dir: string
  /** False only in tests: no fsync, so a power cut loses data. */
  durable?: boolean
  /** True where several processes use one server: the last living user's `stop` ends it. */
  shared?: boolean
  /** Gets one sentence when something takes a while. */
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
  /**
   * Fast shutdown: sessions are cut off, everything acknowledged is kept. Also ends an adopted
   * server.
   */
  stop(): Promise<void>
}

/**
 * Starts the server in `dir`, or adopts the one that runs there. Throws an Error with the last
 * lines of the server's log.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { dir, say = () => {}, durable = true, shared = false } = options
  await mkdir(dir, { recursive: true })
  // The server's own user passes through; every file in it is closed.
  if (process.getuid?.() === 0) await chmod(dir, 0o711)
  const program = join(findBinaries(), 'postgres')
  const place: Place = { dir: await realpath(dir), say, durable }
  const lock = await takeLock(join(place.dir, 'start.lock'))
  try {
    const secrets = await loadSecrets(place)
    const running = await findRunning(place)
    if (running !== undefined && (await waitReady(place, secrets, running)) === 'ready') {
      await prepareDatabase(place, secrets)
      return await describe(place, secrets, { who: running, adopted: true, shared })
    }
    const as = await chooseUser(place.dir, program)
    if (!existsSync(clusterFolder(place))) await createCluster(place, secrets, as)
    await changeOwner(as, clusterFolder(place))
    const started = await startServer(place, secrets, as)
    await prepareDatabase(place, secrets)
    return await describe(place, secrets, { who: started, adopted: false, shared })
  } finally {
    await lock.release()
  }
}

/**
 * Ends whatever server runs in `dir`, however it was started; for folders whose owner was killed.
 */
export async function stopEmbedded(dir: string): Promise<void> {
  if (!existsSync(dir)) return
  const place: Place = { dir: await realpath(dir), say: () => {}, durable: true }
  const lock = await takeLock(join(place.dir, 'start.lock'))
  try {
    const running = await findRunning(place)
    if (running !== undefined) await stopServer(running)
  } finally {
    await lock.release()
  }
}

async function describe(
  place: Place,
  secrets: Secrets,
  { who, adopted, shared }: { who: Identity; adopted: boolean; shared: boolean },
): Promise<Embedded> {
  const exited = waitForExit(who)
  const use = shared ? await registerUse(place) : undefined
  return {
    ownerUrl: databaseUrl(place.dir, secrets, 'owner'),
    serviceUrl: databaseUrl(place.dir, secrets, 'service'),
    superUrl: superUrl(place.dir, secrets),
    port: secrets.port,
    pid: who.pid,
    adopted,
    exited,
    async stop() {
      const lock = await takeLock(join(place.dir, 'start.lock'))
      try {
        if (use !== undefined && (await endUse(place, use))) return
        await stopServer(who)
      } finally {
        await lock.release()
      }
    },
  }
}

/**
 * A file for this use of a shared server, which names the process so that a killed one does not
 * count.
 */
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
