import { link, open } from 'node:fs/promises'
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

/** Names the file also `path`. What has this name already keeps it: then it answers false. */
export async function linkUnlessThere(file: string, path: string): Promise<boolean> {
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
