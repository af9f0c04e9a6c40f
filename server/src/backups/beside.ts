/**
 * A server of its own on a copy that was unpacked from a backup, in `postgres/beside` of the data
 * folder. It has its own port and its own process, and nothing else knows of it.
 */
import { spawn } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { takeLock } from '../core/file-lock.mjs'
import { UsageError } from '../core/usage.ts'
import { startEmbedded, stopEmbedded } from '../store/embedded.ts'
import type { Embedded } from '../store/embedded.ts'
import { freePort } from '../store/ports.ts'
import { BASE, checkFiles, readBackupFile, SECRETS } from './folders.ts'
import type { Backup } from './folders.ts'
import { NotOpened } from './sealing.ts'
import type { Key } from '../store/key-files.ts'

export type Unpacking = {
  backup: Backup
  key?: Key | undefined
  signal?: AbortSignal | undefined
  /** False where the copy is only looked at. */
  durable: boolean
  /** Settings of an archive recovery; without them the server replays the backup's own log. */
  recovery?: Readonly<Record<string, string>>
}

/** Whatever the cluster's own settings say: its log belongs in no archive. */
const ONLY_LOOKED_AT = { archive_mode: 'off' }

/**
 * Checks the backup, unpacks it, starts a server on it and takes everything away again, whatever
 * happens. `afterwards` gets the cluster's folder when the server has ended cleanly.
 */
export async function withCopy<T>(
  dataDir: string,
  unpacking: Unpacking,
  work: (server: Embedded) => Promise<T>,
  afterwards: (cluster: string, result: T) => Promise<T> = async (_cluster, result) => result,
): Promise<T> {
  const dir = join(dataDir, 'postgres/beside')
  await mkdir(join(dataDir, 'postgres'), { recursive: true })
  const lock = await takeLock(join(dataDir, 'postgres/beside.lock'), ({ pid }) => {
    throw new UsageError(`another backup is being unpacked beside ${dataDir} (process ${pid})`)
  })
  try {
    await clear(dir) // one before may have been killed
    await checkFiles(unpacking.backup)
    const server = await startCopy(dir, unpacking)
    const result = await work(server).finally(() => server.stop())
    return await afterwards(join(dir, 'cluster'), result)
  } finally {
    await clear(dir)
    await lock.release()
  }
}

async function clear(dir: string): Promise<void> {
  await stopEmbedded(dir)
  await rm(dir, { recursive: true, force: true })
}

async function startCopy(dir: string, unpacking: Unpacking): Promise<Embedded> {
  const { backup, key, durable, recovery } = unpacking
  const cluster = join(dir, 'cluster')
  await mkdir(cluster, { recursive: true, mode: 0o700 })
  try {
    await unpack(unpacking, cluster)
    const secrets = JSON.parse(await readText(backup, SECRETS, key)) as object
    // A port of its own: a client of the old server must not come here.
    const text = JSON.stringify({ ...secrets, port: await freePort() })
    await writeFile(join(dir, SECRETS), text, { mode: 0o600 })
  } catch (error) {
    if (error instanceof NotOpened) throw new UsageError(`${backup.path}: ${error.message}`)
    throw error
  }
  if (recovery !== undefined) await writeFile(join(cluster, 'recovery.signal'), '')
  try {
    return await startEmbedded({ dir, durable, recovery: recovery ?? ONLY_LOOKED_AT })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

async function readText(backup: Backup, name: string, key: Key | undefined): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of readBackupFile(backup, name, key)) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

/** With the machine's own tar, which every system has. */
async function unpack({ backup, key, signal }: Unpacking, into: string): Promise<void> {
  const source = readBackupFile(backup, BASE, key)
  const tar = spawn('tar', ['-x', '-o', '-f', '-', '-C', into], {
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  let words = ''
  tar.stderr.on('data', (chunk) => (words += chunk))
  const ended = new Promise<number | null>((done, fail) =>
    tar.once('error', fail).once('close', done),
  )
  const [written, code] = await Promise.allSettled([
    pipeline(source, createGunzip(), tar.stdin, signal === undefined ? {} : { signal }),
    ended,
  ])
  if (code.status === 'rejected')
    throw new UsageError(`tar could not be run: ${(code.reason as Error).message}`)
  if (code.value !== 0 && words.trim() !== '')
    throw new UsageError(`the backup could not be unpacked: ${words.trim().split('\n')[0]}`)
  if (written.status === 'rejected') throw written.reason
  if (code.value !== 0) throw new UsageError(`tar ended with code ${code.value}`)
}
