/**
 * Brings the bank's messages into a folder of ours, where each stays under one name:
 *
 *   ~<number>.<size at the bank>-<its time there in seconds>.<name at the bank>.xml
 *
 * The number grows with each file that is collected and is a time of the bank where it can be, so
 * names sort in the order of arrival, however the bank names its files. They sort after what
 * another program carried before: `~` comes after letters and digits. Nothing is removed at the
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
import { ifThere, syncDirectory, writeDurably } from '../durable-file.ts'
import { FileProblem } from './line.ts'
import type { RemoteFile, Session } from './files.ts'
import type { Sessions } from './session.ts'
import type { SftpSettings } from './settings.ts'

/** Between two listings, while a file may not be whole. */
const SETTLE_MILLISECONDS = 1_000
const FILES_AT_ONCE = 8
const MAXIMUM_BYTES = 50_000_000
const MAXIMUM_NAME = 150
const HASH_DIGITS = 16
const PARTIAL = /^\.|\.(tmp|temp|part|filepart|writing|crdownload)$/i
const NUMBER_DIGITS = 15
const COLLECTED = /^~(\d{15})\.(\d+-\d+)\.(.+)$/
/** So often a file is asked for in vain before a person is told. */
const MAXIMUM_FAILURES = 10
const FAILED = 'not-collected.'
/** After a look that failed, the next callers are told so without asking again. */
const FAILED_MILLISECONDS = 5_000

type Places = {
  /** Ours. */
  directory: string
  remote: Pick<SftpSettings, 'inbox_dir' | 'part_suffix' | 'poll_ms' | 'timeout_ms'>
}

/** What the listing before said, by name, and how often a file was asked for in vain. */
type Watch = { seen: Map<string, string>; failures: Map<string, number> }

/** Brings what is new when a look is due. Throws VenueUnreachable. */
export function openCollector(
  places: Places,
  sessions: Pick<Sessions, 'run'>,
  report: (problem: string) => void,
): () => Promise<void> {
  const { poll_ms } = places.remote
  const watch: Watch = { seen: new Map(), failures: new Map() }
  let dueAt = 0
  let failed: { error: unknown } | undefined
  return async () => {
    if (performance.now() < dueAt) {
      if (failed === undefined) return
      throw failed.error
    }
    try {
      const isWhole = await underLock(places, () =>
        sessions.run((session) => collect(session, places, watch, report)),
      )
      failed = undefined
      dueAt = performance.now() + (isWhole ? poll_ms : Math.min(poll_ms, SETTLE_MILLISECONDS))
    } catch (error) {
      failed = { error }
      dueAt = performance.now() + Math.min(poll_ms, FAILED_MILLISECONDS)
      throw error
    }
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

/** False when something is there that may not be whole. */
async function collect(
  session: Session,
  { directory, remote }: Places,
  { seen, failures }: Watch,
  report: (problem: string) => void,
): Promise<boolean> {
  const files = (await session.list(remote.inbox_dir)).filter(
    ({ name, size }) => size > 0 && !PARTIAL.test(name) && !name.endsWith(remote.part_suffix),
  )
  const known = await readCollected(directory)
  const missing = files.filter((file) => !known.has(file))
  const settled = missing.filter((file) => seen.get(file.name) === stampOf(file))
  seen.clear()
  for (const file of missing) seen.set(file.name, stampOf(file))
  const present = new Set(settled.map(keyOf))
  for (const key of failures.keys()) if (!present.has(key)) failures.delete(key)
  const plan = numbered(settled, known.last)
  for (let at = 0; at < plan.length; at += FILES_AT_ONCE)
    await Promise.all(
      plan.slice(at, at + FILES_AT_ONCE).map(async ({ file, number }) => {
        try {
          const content = await contentOf(session, remote.inbox_dir, file)
          await store(directory, content, copyName(file, number))
        } catch (error) {
          if (!(error instanceof FileProblem)) throw error
          const problem = `cannot be collected: ${error.message}`
          const failed = (failures.get(keyOf(file)) ?? 0) + 1
          failures.set(keyOf(file), failed)
          if (failed === 1) report(`the bank's file ${file.name} ${problem}`)
          if (failed >= MAXIMUM_FAILURES && !known.hasFailed(file))
            await store(directory, Buffer.from(problem), failedName(file, number))
        }
      }),
    )
  if (plan.length > 0) await syncDirectory(directory)
  return settled.length === missing.length
}

/** A time of the bank is in whole seconds. */
const stampOf = ({ size, modified_at }: RemoteFile): string => `${size}-${modified_at / 1000}`

const keyOf = (file: RemoteFile): string => `${stampOf(file)} ${file.name}`

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

const copyName = (file: RemoteFile, number: number, name = localName(file.name)): string =>
  `~${String(number).padStart(NUMBER_DIGITS, '0')}.${stampOf(file)}.${name}`

/** Says that the file is missing. It is no message, so it is set aside, and the balance unknown. */
const failedName = (file: RemoteFile, number: number): string =>
  copyName(file, number, FAILED + localName(file.name))

type Collected = {
  last: number
  has(file: RemoteFile): boolean
  /** A person was told that it is missing. It is asked for all the same. */
  hasFailed(file: RemoteFile): boolean
}

/** What was collected, wherever in the inbox it lies. */
async function readCollected(directory: string): Promise<Collected> {
  const aside = (await ifThere(() => readdir(join(directory, 'aside')))) ?? []
  const files = new Set<string>()
  const names = new Set<string>()
  let last = 0
  for (const local of [...(await readdir(directory)), ...aside]) {
    const [, number, stamp, name] = COLLECTED.exec(local) ?? []
    if (number === undefined || name === undefined) continue
    last = Math.max(last, Number(number))
    files.add(`${stamp} ${name}`)
    names.add(name)
  }
  return {
    last,
    hasFailed: (file) => files.has(`${stampOf(file)} ${FAILED}${localName(file.name)}`),
    has: (file) =>
      files.has(`${stampOf(file)} ${localName(file.name)}`) ||
      // Compressed after it was collected.
      (file.name.endsWith('.gz') && names.has(localName(file.name.slice(0, -'.gz'.length)))),
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

async function store(directory: string, content: Buffer, local: string): Promise<void> {
  const hidden = join(directory, `.${local}.${process.pid}`)
  await writeDurably(hidden, content)
  try {
    await link(hidden, join(directory, local))
  } finally {
    await rm(hidden, { force: true })
  }
}
