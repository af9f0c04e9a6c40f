import { link, open } from 'node:fs/promises'

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
