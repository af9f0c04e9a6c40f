import { randomUUID } from 'node:crypto'
import { link, mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { UsageError } from '../core/usage.ts'

const READABLE_BY_OTHERS = 0o077

/** Names in a folder last through a power cut only after this. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/**
 * A file that only its owner may open: whole or not at all, and never over another one. Answers
 * whether there was none.
 */
export const createFile = (path: string, content: string): Promise<boolean> =>
  placeFile(path, content, (draft) => linkUnlessThere(draft, path))

/** The same in the place of what stands there. */
export const replaceFile = (path: string, content: string): Promise<void> =>
  placeFile(path, content, (draft) => rename(draft, path))

async function placeFile<T>(
  path: string,
  content: string,
  place: (draft: string) => Promise<T>,
): Promise<T> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.${randomUUID()}.new`
  let placed: T
  try {
    await writeFile(draft, content, { mode: 0o600, flag: 'wx', flush: true })
    placed = await place(draft)
  } finally {
    await rm(draft, { force: true })
  }
  await syncFolder(dirname(path))
  return placed
}

/** Names the file also `path`. What has this name already keeps it: then it answers false. */
async function linkUnlessThere(file: string, path: string): Promise<boolean> {
  try {
    await link(file, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** A file with a secret. Undefined where there is none; throws when others can open it too. */
export async function readClosed(path: string): Promise<string | undefined> {
  try {
    const file = await open(path)
    try {
      const { mode } = await file.stat()
      if ((mode & READABLE_BY_OTHERS) !== 0)
        throw new UsageError(`${path} can be opened by others: chmod 600 ${path}`)
      return await file.readFile('utf8')
    } finally {
      await file.close()
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
