/**
 * The operator's side of the history: a folder in which each process that sends has a file. A file
 * has two places, which are written in turn, so that a write that is cut off leaves the one before
 * it. The file names its own inode: a copy of it is not the file.
 */
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { assert } from '../core/assert.ts'
import { syncFolder } from './folders.ts'

/** `server`: which one, and which timeline of it. */
type Mark = { id: string; counter: number; server: string }

/** `null`: it cannot be read. */
export type StoredMark = { mark: Mark | null; copied: boolean }

const PLACE_BYTES = 512
/** A process that runs writes its file more often than this. */
const DEAD_AFTER_MILLISECONDS = 3_600_000

type Line = Mark & { turn: number; inode: string }

export type HistoryFile = { write(mark: Mark): Promise<void>; close(): Promise<void> }

/**
 * A new file with this mark. Removes the files of processes long dead. When somebody removes it
 * while its process lives, the process goes on in another one: it knows the mark itself.
 */
export async function createFile(folder: string, mark: Mark): Promise<HistoryFile> {
  let file = await makeFile(folder, mark)
  await removeDead(folder, file.path)
  return {
    async write(current) {
      await file.write(current)
      if (!(await file.isGone())) return
      await file.close()
      file = await makeFile(folder, current)
    },
    close: () => file.close(),
  }
}

type MadeFile = HistoryFile & { path: string; isGone(): Promise<boolean> }

/** On disk, with its name. */
async function makeFile(folder: string, mark: Mark): Promise<MadeFile> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `${randomUUID()}.history`)
  const handle = await open(`${path}.new`, 'wx', 0o600)
  const inode = String((await handle.stat({ bigint: true })).ino)
  let turn = 0
  const write = async (current: Mark) => {
    turn += 1
    await writePlace(handle, { ...current, turn, inode })
  }
  await write(mark)
  await rename(`${path}.new`, path)
  await syncFolder(folder)
  return {
    path,
    write,
    isGone: async () => (await handle.stat()).nlink === 0,
    close: () => handle.close(),
  }
}

async function writePlace(handle: FileHandle, line: Line): Promise<void> {
  const text = JSON.stringify(line)
  const bytes = Buffer.from(`${checksum(text)} ${text}`.padEnd(PLACE_BYTES - 1) + '\n')
  assert(bytes.length === PLACE_BYTES, 'a mark fits into its place')
  await handle.write(bytes, 0, PLACE_BYTES, (line.turn % 2) * PLACE_BYTES)
  await handle.datasync()
}

/** What each file says last. */
export async function readMarks(folder: string): Promise<StoredMark[]> {
  const names = await namesIn(folder)
  const marks = await Promise.all(names.map((name) => readMark(join(folder, name))))
  return marks.filter((mark) => mark !== undefined)
}

/** Undefined when another process has just removed it. */
async function readMark(path: string): Promise<StoredMark | undefined> {
  const read = await unlessGone(() =>
    Promise.all([readFile(path, 'latin1'), stat(path, { bigint: true })]),
  )
  if (read === undefined) return undefined
  const [content, { ino }] = read
  const lines = [0, PLACE_BYTES].flatMap((at) => readPlace(content.slice(at, at + PLACE_BYTES)))
  const [last] = lines.toSorted((a, b) => b.turn - a.turn)
  if (last === undefined) return { mark: null, copied: false }
  const { id, counter, server, inode } = last
  return { mark: { id, counter, server }, copied: inode !== String(ino) }
}

function readPlace(content: string): Line[] {
  const [sum, text = ''] = [content.slice(0, CHECKSUM), content.slice(CHECKSUM + 1).trimEnd()]
  return sum === checksum(text) ? [JSON.parse(text) as Line] : []
}

export async function removeUnreadable(folder: string): Promise<void> {
  for (const name of await namesIn(folder)) {
    const path = join(folder, name)
    if ((await readMark(path))?.mark === null) await rm(path, { force: true })
  }
}

const CHECKSUM = 32
const checksum = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, CHECKSUM)

async function namesIn(folder: string): Promise<string[]> {
  const names = (await unlessGone(() => readdir(folder))) ?? []
  return names.filter((name) => name.endsWith('.history'))
}

async function unlessGone<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Their marks were compared, and the new file goes on from them. Its time is the folder's. */
async function removeDead(folder: string, own: string): Promise<void> {
  const { mtimeMs: now } = await stat(own)
  for (const name of await namesIn(folder)) {
    const path = join(folder, name)
    const known = path === own ? undefined : await stat(path).catch(() => undefined)
    if (known !== undefined && now - known.mtimeMs > DEAD_AFTER_MILLISECONDS)
      await rm(path, { force: true })
  }
}
