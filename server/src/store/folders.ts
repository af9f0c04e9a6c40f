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

/** Names the file also `path`. What has this name already keeps it. */
export async function linkUnlessThere(file: string, path: string): Promise<void> {
  await link(file, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
}
