import { open } from 'node:fs/promises'

/** Names in a folder last through a power cut only after this. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
