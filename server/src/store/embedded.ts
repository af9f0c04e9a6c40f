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
import { identify, isAlive, takeLock, type Held, type Identity } from '../core/file-lock.mjs'
import { archiveOf, prepareArchive, probeArchive, rememberArchive } from './embedded-archive.ts'
import { assertSameMajor, createCluster, findBinaries, startServer } from './embedded-launch.ts'
import { changePasswords, prepareDatabase, waitReady } from './embedded-logins.ts'
import { clusterFolder, databaseUrl, loadSecrets, superUrl } from './embedded-place.ts'
import type { Place, Secrets } from './embedded-place.ts'
import { stopServer, findRunning, waitForExit } from './embedded-process.ts'
import { finishReplacing, replace } from './embedded-replacement.ts'
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
  /**
   * Settings of an archive recovery. The server takes its first login when the recovery has ended,
   * whenever that is.
   */
  recovery?: Readonly<Record<string, string>>
  /** Settings in the place of Kontor's own. */
  settings?: Readonly<Record<string, string>>
  /**
   * The folder that gets the log of the server as it is written; null for none. Without it the one
   * of the last start.
   */
  archive?: string | null
}

export type Embedded = {
  /** Database `kontor` as its owner, for migrations. */
  ownerUrl: string
  /** Database `kontor` as the service. The role owns nothing: migrations grant what it may do. */
  serviceUrl: string
  /** Database `postgres` as superuser. */
  superUrl: string
  /** Where its data lie. */
  folder: string
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
  const { dir, say = () => {}, durable = true, shared = false, recovery, settings } = options
  await mkdir(dir, { recursive: true })
  // The server's own user passes through; every file in it is closed.
  if (process.getuid?.() === 0) await chmod(dir, 0o711)
  const program = join(findBinaries(), 'postgres')
  const place: Place = {
    dir: await realpath(dir),
    say,
    durable,
    settings: { ...settings, ...recovery },
    isPatient: recovery !== undefined,
  }
  const lock = await takeLock(join(place.dir, 'start.lock'))
  try {
    const secrets = await loadSecrets(place)
    const archive = await chooseArchive(place, options.archive)
    const running = await findRunning(place)
    if (running !== undefined && (await waitReady(place, secrets, running)) === 'ready') {
      await prepareDatabase(place, secrets)
      return await describe(place, secrets, { who: running, adopted: true, shared })
    }
    const as = await chooseUser(place.dir, program)
    await finishReplacing(place)
    if (existsSync(clusterFolder(place))) await assertSameMajor(place)
    else await createCluster(place, secrets, as)
    await changeOwner(as, clusterFolder(place))
    if (archive !== undefined)
      place.settings = { ...settings, ...(await prepareArchive(archive, as)) }
    const started = await startServer(place, secrets, as)
    if (archive !== undefined) await assertArchived(place, secrets, { who: started, archive })
    await prepareDatabase(place, secrets)
    return await describe(place, secrets, { who: started, adopted: false, shared })
  } finally {
    await lock.release()
  }
}

/** A server that archives elsewhere than it is to do is ended. */
async function chooseArchive(
  place: Place,
  wanted: string | null | undefined,
): Promise<string | undefined> {
  const last = await archiveOf(place.dir)
  if (wanted === undefined || (wanted ?? undefined) === last) return last
  const running = await findRunning(place)
  if (running !== undefined) await stopServer(running)
  await rememberArchive(place.dir, wanted ?? undefined)
  return wanted ?? undefined
}

async function assertArchived(
  place: Place,
  secrets: Secrets,
  { who, archive }: { who: Identity; archive: string },
): Promise<void> {
  try {
    await probeArchive(superUrl(place.dir, secrets), archive)
  } catch (error) {
    await stopServer(who)
    throw error
  }
}

/**
 * Ends whatever server runs in `dir`, however it was started; for folders whose owner was killed.
 */
export async function stopEmbedded(dir: string): Promise<void> {
  if (!existsSync(dir)) return
  const place = quietPlace(await realpath(dir))
  const lock = await takeLock(join(place.dir, 'start.lock'))
  try {
    const running = await findRunning(place)
    if (running !== undefined) await stopServer(running)
  } finally {
    await lock.release()
  }
}

const quietPlace = (dir: string): Place => ({
  dir,
  say: () => {},
  durable: true,
  settings: {},
  isPatient: false,
})

/**
 * Puts the cluster at `restored`, which is on the same disk and whose server has ended cleanly, in
 * the place of the one in `dir`. Answers where the old one lies now, if there was one.
 * @param aside the name that the old one gets
 */
export async function replaceCluster(
  dir: string,
  restored: string,
  aside: string,
): Promise<string | undefined> {
  const place = quietPlace(await realpath(dir))
  const lock = await takeLock(join(place.dir, 'start.lock'))
  try {
    const running = await findRunning(place)
    if (running !== undefined) await stopServer(running)
    await finishReplacing(place)
    return await replace(place, restored, aside)
  } finally {
    await lock.release()
  }
}

/**
 * Makes the roles of a server know the passwords of `dir`, which are made when there are none yet.
 */
export async function takePasswordsOf(dir: string, { superUrl }: Embedded): Promise<void> {
  await changePasswords(superUrl, await loadSecrets(quietPlace(await realpath(dir))))
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
    folder: clusterFolder(place),
    port: secrets.port,
    pid: who.pid,
    adopted,
    exited,
    async stop() {
      const lock = await lockToStop(place)
      try {
        if (use !== undefined && (await endUse(place, use))) return
        await stopServer(who)
      } finally {
        await lock?.release()
      }
    },
  }
}

/** None on a full disk: a server must end there too. */
async function lockToStop(place: Place): Promise<Held | undefined> {
  try {
    return await takeLock(join(place.dir, 'start.lock'))
  } catch (error) {
    if (FULL.includes(String((error as NodeJS.ErrnoException).code))) return undefined
    throw error
  }
}

const FULL: readonly string[] = ['ENOSPC', 'EDQUOT', 'EROFS']

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
