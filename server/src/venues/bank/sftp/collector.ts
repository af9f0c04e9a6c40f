/**
 * Brings the bank's messages into a folder of ours, where each stays under one name:
 *
 *   <number>.<size at the bank>.<name at the bank>.xml
 *
 * The number grows with each file that is collected and is a time of the bank where it can be, so
 * names sort in the order of arrival, however the bank names its files. Nothing is removed at the
 * bank: banks do so themselves, and some compress first (so does Lyra's file exchange, after seven
 * days). A file is collected when two listings show the same size and time: not every bank writes
 * under another name first. One that has changed afterwards is collected again, beside the first.
 */
import { createHash } from 'node:crypto'
import { link, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { ApiError } from '../../../core/errors.ts'
import { takeLock } from '../../../core/file-lock.mjs'
import { syncDirectory, writeDurably } from '../durable-file.ts'
import { FileProblem } from './session.ts'
import type { RemoteFile, Session, Sessions } from './session.ts'
import type { SftpSettings } from './settings.ts'

/** Between two listings, while a file may not be whole. */
const SETTLE_MILLISECONDS = 1_000
const FILES_AT_ONCE = 8
const MAXIMUM_BYTES = 50_000_000
const MAXIMUM_NAME = 150
const HASH_DIGITS = 16
const PARTIAL = /^\.|\.(tmp|temp|part|filepart|writing|crdownload)$/i
const NUMBER_DIGITS = 15
const COLLECTED = /^(\d{15})\.(\d+)\.(.+)$/

type Places = {
  /** Ours. */
  directory: string
  remote: Pick<SftpSettings, 'inbox_dir' | 'part_suffix' | 'poll_ms' | 'timeout_ms'>
}

/** Brings what is new when a look is due. Throws VenueUnreachable. */
export function openCollector(
  places: Places,
  sessions: Sessions,
  report: (problem: string) => void,
): () => Promise<void> {
  const { poll_ms } = places.remote
  const seen = new Map<string, string>()
  const reported = new Set<string>()
  let dueAt = 0
  return async () => {
    if (performance.now() < dueAt) return
    const isWhole = await underLock(places, () =>
      sessions.run((session) =>
        collect(session, places, seen, (name, problem) => {
          if (!reported.has(name)) report(problem)
          reported.add(name)
        }),
      ),
    )
    dueAt = performance.now() + (isWhole ? poll_ms : Math.min(poll_ms, SETTLE_MILLISECONDS))
  }
}

/** Two processes that collect at a time would give one file two numbers. */
async function underLock<Result>(
  { directory, remote }: Places,
  work: () => Promise<Result>,
): Promise<Result> {
  const giveUpAt = performance.now() + remote.timeout_ms
  const lock = await takeLock(join(directory, '.collecting'), () => {
    if (performance.now() > giveUpAt)
      throw new ApiError('VenueUnreachable', "another process is reading the bank's files")
  })
  try {
    return await work()
  } finally {
    await lock.release()
  }
}

/** `seen`: what the listing before said. False when something is there that may not be whole. */
async function collect(
  session: Session,
  { directory, remote }: Places,
  seen: Map<string, string>,
  report: (name: string, problem: string) => void,
): Promise<boolean> {
  const files = (await session.list(remote.inbox_dir)).filter(
    ({ name, size }) => size > 0 && !PARTIAL.test(name) && !name.endsWith(remote.part_suffix),
  )
  const known = await readCollected(directory)
  const missing = files.filter((file) => !known.has(file))
  const settled = missing.filter((file) => seen.get(file.name) === stampOf(file))
  seen.clear()
  for (const file of missing) seen.set(file.name, stampOf(file))
  const plan = numbered(settled, known.last)
  let isWhole = settled.length === missing.length
  for (let at = 0; at < plan.length; at += FILES_AT_ONCE)
    await Promise.all(
      plan.slice(at, at + FILES_AT_ONCE).map(async ({ file, number }) => {
        try {
          await store(directory, await contentOf(session, remote.inbox_dir, file), file, number)
        } catch (error) {
          if (!(error instanceof FileProblem)) throw error
          isWhole = false
          report(file.name, `the bank's file ${file.name} cannot be collected: ${error.message}`)
        }
      }),
    )
  if (plan.length > 0) await syncDirectory(directory)
  return isWhole
}

const stampOf = ({ size, modified_at }: RemoteFile): string => `${size} ${modified_at}`

/** In the order of the bank's times, and after everything that was collected before. */
function numbered(
  files: readonly RemoteFile[],
  last: number,
): { file: RemoteFile; number: number }[] {
  let number = last
  return files
    .toSorted((a, b) => a.modified_at - b.modified_at || (a.name < b.name ? -1 : 1))
    .map((file) => {
      number = Math.max(file.modified_at, number + 1)
      return { file, number }
    })
}

/** As a name of ours: short, without slashes, and ending as a message does. */
function localName(name: string): string {
  const safe = encodeURIComponent(name)
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_DIGITS)
  const short = safe.length > MAXIMUM_NAME ? `${safe.slice(0, MAXIMUM_NAME)}-${hash}` : safe
  return short.toLowerCase().endsWith('.xml') ? short : `${short}.xml`
}

type Collected = { last: number; has(file: RemoteFile): boolean }

/** What was collected, wherever in the inbox it lies. */
async function readCollected(directory: string): Promise<Collected> {
  const aside = await readdir(join(directory, 'aside')).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  })
  const files = new Set<string>()
  const names = new Set<string>()
  let last = 0
  for (const local of [...(await readdir(directory)), ...aside]) {
    const [, number, size, name] = COLLECTED.exec(local) ?? []
    if (number === undefined || name === undefined) continue
    last = Math.max(last, Number(number))
    files.add(`${size} ${name}`)
    names.add(name)
  }
  return {
    last,
    has: ({ name, size }) =>
      files.has(`${size} ${localName(name)}`) ||
      // Compressed after it was collected.
      (name.endsWith('.gz') && names.has(localName(name.slice(0, -'.gz'.length)))),
  }
}

/** What is no message is set aside for a person, like any other file that cannot be read. */
async function contentOf(
  session: Session,
  directory: string,
  { name, size }: RemoteFile,
): Promise<Buffer> {
  if (size > MAXIMUM_BYTES) return Buffer.from(`too large to be collected: ${size} bytes`)
  const content = await session.read(`${directory}/${name}`, size)
  if (!name.endsWith('.gz')) return content
  try {
    return await promisify(gunzip)(content, { maxOutputLength: MAXIMUM_BYTES })
  } catch {
    return content
  }
}

async function store(
  directory: string,
  content: Buffer,
  { name, size }: RemoteFile,
  number: number,
): Promise<void> {
  const local = `${String(number).padStart(NUMBER_DIGITS, '0')}.${size}.${localName(name)}`
  const hidden = join(directory, `.${local}.${process.pid}`)
  await writeDurably(hidden, content)
  try {
    await link(hidden, join(directory, local))
  } finally {
    await rm(hidden, { force: true })
  }
}
