import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { UnreadableMessage } from './xml.ts'

/** Not waiting: a pipe would hold up all other files. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/**
 * What stands in a file that a bank's carrier may have written: never what a link leads to, which
 * may be anything that Kontor may read. Throws UnreadableMessage for what is no file.
 */
export async function readRegularFile(path: string): Promise<Uint8Array> {
  const file = await open(path, FLAGS).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ELOOP') throw notRegular()
    throw error
  })
  try {
    if (!(await file.stat()).isFile()) throw notRegular()
    return await file.readFile()
  } finally {
    await file.close()
  }
}

const notRegular = () => new UnreadableMessage('it is a link or a folder, and only files are read')
