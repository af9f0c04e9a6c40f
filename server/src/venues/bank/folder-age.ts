/** Since when a folder has been there, without a break. */
import { open } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * A mark in the folder shows it: the last change of its entry, which nobody can set. So a folder
 * that was made anew begins now, and one that was copied back begins with the copy. A folder that
 * is put back in place (a snapshot) keeps it: a person removes the mark. Throws when it cannot be
 * read or written.
 */
export async function folderSince(directory: string): Promise<number> {
  const mark = await open(join(directory, '.since'), 'a', 0o600)
  try {
    return (await mark.stat()).ctimeMs
  } finally {
    await mark.close()
  }
}
