/** Files that are still there after the power was cut, and whether one is there. */
import { access, open } from 'node:fs/promises'

/** The file is; its name is after `syncDirectory`. With `wx` it must be new. */
export async function writeDurably(
  path: string,
  content: string | Uint8Array,
  flag: 'w' | 'wx' = 'w',
): Promise<void> {
  const file = await open(path, flag, 0o600)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
}

export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

export const exists = async (path: string): Promise<boolean> =>
  (await ifThere(() => access(path).then(() => true))) ?? false

/** Null when there is no such file. */
export async function ifThere<Value>(work: () => Promise<Value>): Promise<Value | null> {
  try {
    return await work()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
