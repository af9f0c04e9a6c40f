/**
 * A backup is a folder: `base.tar.gz` (PostgreSQL's files), `secrets.json` (the passwords of its
 * roles) and `manifest.json`. It is written under another name and renamed when it is whole, so
 * that one which was begun and not ended is never taken for a backup. Only its owner reads it.
 */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { UsageError } from '../core/usage.ts'
import { syncFolder } from '../store/folders.ts'
import { isManifest, isVerified } from './backups.schema.ts'
import type { BackupFile, Manifest, Verified } from './backups.schema.ts'
import { seal, unseal } from './sealing.ts'
import type { Key } from '../store/key-files.ts'

export type Backup = {
  path: string
  name: string
  manifest: Manifest
  verified: Verified | undefined
}

export const BASE = 'base.tar.gz'
export const SECRETS = 'secrets.json'
const SEALED = '.enc'
const MANIFEST = 'manifest.json'
const VERIFIED = 'verified.json'
const NAME = /^kontor-\d{8}T\d{6}\.\d{3}Z$/
const PART = '.part'

/** `20261123T101500.000Z`: names sort as times do. */
export const timeInName = (milliseconds: number): string =>
  new Date(milliseconds).toISOString().replaceAll(/[-:]/g, '')

export const nameAt = (milliseconds: number): string => `kontor-${timeInName(milliseconds)}`

/** `note` keeps its path where it outlives this process, before it is made. */
export async function createPart(
  folder: string,
  name: string,
  note: (path: string) => Promise<void>,
): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const part = join(folder, `${name}${PART}`)
  await note(part)
  await mkdir(part, { mode: 0o700 })
  return part
}

type Writing = { packing: Transform; key?: Key | undefined; signal?: AbortSignal | undefined }

export async function writeBackupFile(
  part: string,
  name: string,
  source: Readable,
  { packing, key, signal }: Writing,
): Promise<BackupFile> {
  const stored = key === undefined ? name : `${name}${SEALED}`
  const sha256 = createHash('sha256')
  let bytes = 0
  async function* counted(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const piece of pieces) {
      sha256.update(piece)
      bytes += piece.length
      yield piece
    }
  }
  await pipeline(
    source,
    packing,
    (packed: AsyncIterable<Buffer>) =>
      counted(key === undefined ? packed : seal(packed, key, name)),
    createWriteStream(join(part, stored), { flags: 'wx', mode: 0o600, flush: true }),
    signal === undefined ? {} : { signal },
  )
  return { name: stored, bytes, sha256: sha256.digest('hex') }
}

/** From here on it is a backup. */
export async function completeBackup(part: string, manifest: Manifest): Promise<Backup> {
  await writeClosed(join(part, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`)
  await syncFolder(part)
  const path = part.slice(0, -PART.length)
  await rename(part, path)
  await syncFolder(dirname(path))
  return { path, name: basename(path), manifest, verified: undefined }
}

export async function noteVerified({ path }: Backup, verified: Verified): Promise<void> {
  const file = join(path, VERIFIED)
  await writeClosed(`${file}${PART}`, `${JSON.stringify(verified, null, 2)}\n`)
  await rename(`${file}${PART}`, file)
}

const writeClosed = (path: string, text: string): Promise<void> =>
  writeFile(path, text, { mode: 0o600, flush: true })

export async function openBackup(path: string): Promise<Backup> {
  if (path.endsWith(PART)) throw new UsageError(`${path} was begun and not ended: it is no backup`)
  const manifest = await readJson(join(path, MANIFEST))
  if (!isManifest(manifest)) throw new UsageError(`${path} is no backup of Kontor`)
  const verified = await readJson(join(path, VERIFIED))
  return {
    path,
    name: basename(path),
    manifest,
    verified: isVerified(verified) ? verified : undefined,
  }
}

/** Undefined where there is no such file, or something else than JSON in it. */
async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as unknown
  } catch (error) {
    if (error instanceof SyntaxError || isAbsent(error)) return undefined
    throw error
  }
}

const isAbsent = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['ENOENT', 'ENOTDIR'].includes(String(error.code))

/** Every byte is the one that was written, as far as a disk can say. */
export async function checkFiles({ path, manifest }: Backup): Promise<void> {
  for (const { name, bytes, sha256 } of manifest.files) {
    const hash = createHash('sha256')
    let length = 0
    if (existsSync(join(path, name)))
      for await (const piece of createReadStream(join(path, name))) {
        hash.update(piece as Buffer)
        length += (piece as Buffer).length
      }
    if (length !== bytes)
      throw new UsageError(`${path} is damaged: ${name} has ${length} bytes instead of ${bytes}`)
    if (hash.digest('hex') !== sha256)
      throw new UsageError(`${path} is damaged: ${name} has another SHA-256 than when it was made`)
  }
}

export function readBackupFile(
  { path, manifest }: Backup,
  name: string,
  key: Key | undefined,
): AsyncIterable<Buffer> {
  if (manifest.key === null) return createReadStream(join(path, name)) as AsyncIterable<Buffer>
  if (key === undefined) throw new UsageError(`${path} is sealed: name its key with --key FILE`)
  if (key.id !== manifest.key)
    throw new UsageError(`${path} is sealed with another key than the one of --key`)
  return unseal(
    createReadStream(join(path, `${name}${SEALED}`)) as AsyncIterable<Buffer>,
    key,
    name,
  )
}

/** All in the folder that are whole, of this cluster, the newest first. */
export async function backupsIn(folder: string, system_identifier: string): Promise<Backup[]> {
  const found: Backup[] = []
  for (const name of (await readdir(folder)).filter((name) => NAME.test(name))) {
    const manifest = await readJson(join(folder, name, MANIFEST))
    if (isManifest(manifest) && manifest.system_identifier === system_identifier)
      found.push(await openBackup(join(folder, name)))
  }
  return found.toSorted((one, other) => (one.name < other.name ? 1 : -1))
}

/**
 * Takes away the files that are ours, the manifest first: what is left of a killed removal is no
 * backup. A file that is not ours keeps the folder.
 */
export async function removeBackup(path: string): Promise<void> {
  const names = [MANIFEST, VERIFIED, `${VERIFIED}${PART}`]
  for (const name of [BASE, SECRETS]) names.push(name, `${name}${SEALED}`)
  for (const name of names) await rm(join(path, name), { force: true })
  await rmdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTEMPTY') throw error
  })
}
