/** What is asked of the bank's SFTP server about its files. */
import type { Sftp, SftpEntry } from 'ssh2'
import { FileProblem, hasStatus, type Line } from './line.ts'

const CHUNK_BYTES = 32_000
/** More than any inbox holds that somebody clears; more names are refused, not cut off. */
const MAXIMUM_NAMES = 20_000

/** From SSH_FXP_STATUS, draft-ietf-secsh-filexfer-02, section 7. */
const END_OF_FILE = 1
const NO_SUCH_FILE = 2
const UNSUPPORTED = 8

export type RemoteFile = { name: string; size: number; modified_at: number }

type FileParts = { head: Buffer; tail: Buffer }

/** What can be asked of the server. Each call throws when there is no answer, or a refusal. */
export type Session = {
  /** Plain files of a directory. */
  list(directory: string): Promise<RemoteFile[]>
  /** The whole file, which must be of this size. */
  read(path: string, size: number): Promise<Buffer>
  /**
   * Writes the head, asks, and writes the tail. False without the tail, where the answer was no.
   */
  write(path: string, parts: FileParts, mayEnd: () => Promise<boolean>): Promise<boolean>
  /** Null when there is no such file. */
  size(path: string): Promise<number | null>
  /** In one step where the server offers it. Then it overwrites, else it may. */
  rename(from: string, to: string): Promise<void>
  /** False when there was no such file. */
  remove(path: string): Promise<boolean>
}

export function openSession(sftp: Sftp, line: Line): Session {
  const open = (path: string, flags: 'r' | 'w') =>
    line.call<Buffer>((done) => {
      sftp.open(path, flags, done)
    })
  const close = (handle: Buffer) =>
    line.call<void>((done) => {
      sftp.close(handle, done)
    })
  /** A server has few handles: each is given back, whatever became of the work. */
  const closing = async <Result>(handle: Buffer, work: Promise<Result>): Promise<Result> => {
    try {
      await work
    } catch (error) {
      await close(handle).catch(() => undefined) // what the work says is what went wrong
      throw error
    }
    await close(handle)
    return work
  }
  return {
    async list(directory) {
      const handle = await line.call<Buffer>((done) => {
        sftp.opendir(directory === '' ? '/' : directory, done)
      })
      return closing(handle, listAll({ sftp, line, handle }))
    },
    async read(path, size) {
      const handle = await open(path, 'r')
      return closing(handle, readAll({ sftp, line, handle }, path, size))
    },
    async write(path, parts, mayEnd) {
      const handle = await open(path, 'w')
      return closing(handle, writeAll({ sftp, line, handle }, parts, mayEnd))
    },
    async size(path) {
      try {
        return (
          await line.call<{ size: number }>((done) => {
            sftp.stat(path, done)
          })
        ).size
      } catch (error) {
        if (hasStatus(error, NO_SUCH_FILE)) return null
        throw error
      }
    },
    rename: (from, to) => renameAtOnce({ sftp, line }, from, to),
    async remove(path) {
      try {
        await line.call<void>((done) => {
          sftp.unlink(path, done)
        })
        return true
      } catch (error) {
        if (hasStatus(error, NO_SUCH_FILE)) return false
        throw error
      }
    },
  }
}

type Opened = { sftp: Sftp; line: Line; handle: Buffer }

/**
 * OpenSSH's other rename is a link and an unlink: for a moment the file has both names (its
 * sftp-server.c, process_rename; PROTOCOL, `posix-rename@openssh.com`).
 */
async function renameAtOnce(
  { sftp, line }: Omit<Opened, 'handle'>,
  from: string,
  to: string,
): Promise<void> {
  const isDone = await isOffered(
    line.call<void>((done) => {
      sftp.ext_openssh_rename(from, to, done)
    }),
  )
  if (!isDone)
    await line.call<void>((done) => {
      sftp.rename(from, to, done)
    })
}

async function writeAll(
  opened: Opened,
  { head, tail }: FileParts,
  mayEnd: () => Promise<boolean>,
): Promise<boolean> {
  await writePart(opened, head, 0)
  if (!(await mayEnd())) return false
  await writePart(opened, tail, head.length)
  await isOffered(
    opened.line.call<void>((done) => {
      opened.sftp.ext_openssh_fsync(opened.handle, done)
    }),
  )
  return true
}

async function writePart({ sftp, line, handle }: Opened, part: Buffer, at: number): Promise<void> {
  for (let from = 0; from < part.length; from += CHUNK_BYTES) {
    const length = Math.min(CHUNK_BYTES, part.length - from)
    await line.call<void>((done) => {
      sftp.write(handle, part, from, length, at + from, done)
    })
  }
}

async function listAll({ sftp, line, handle }: Opened): Promise<RemoteFile[]> {
  const files: RemoteFile[] = []
  let names = 0
  for (;;) {
    let entries: SftpEntry[]
    try {
      entries = await line.call<SftpEntry[]>((done) => {
        sftp.readdir(handle, done)
      })
    } catch (error) {
      if (hasStatus(error, END_OF_FILE)) return files
      throw error
    }
    names += entries.length
    if (names > MAXIMUM_NAMES)
      throw new Error(`a directory has more than ${MAXIMUM_NAMES} files; old ones must be cleared`)
    for (const { filename, attrs } of entries)
      // A server need not say what kind of file it is.
      if (!attrs.isDirectory()) files.push(remoteFile(filename, attrs))
  }
}

function remoteFile(name: string, { size, mtime }: SftpEntry['attrs']): RemoteFile {
  if (size === undefined || mtime === undefined)
    throw new Error('it lists files without their size and time')
  return { name, size, modified_at: mtime * 1000 }
}

async function readAll(
  { sftp, line, handle }: Opened,
  path: string,
  size: number,
): Promise<Buffer> {
  // One byte more, so that a file that has grown is seen.
  const content = Buffer.alloc(size + 1)
  let at = 0
  while (at < content.length) {
    const length = Math.min(CHUNK_BYTES, content.length - at)
    const from = at
    const count = await line
      .call<number>((done) => {
        sftp.read(handle, content, from, length, from, done)
      })
      .catch((error: unknown) => {
        if (hasStatus(error, END_OF_FILE)) return 0
        throw error
      })
    if (count === 0) break
    at += count
  }
  if (at !== size) throw new FileProblem(`${path} has not the size that it was listed with`)
  return content.subarray(0, size)
}

/** False where the server does not offer what it was asked for by an extension. */
async function isOffered(answer: Promise<void>): Promise<boolean> {
  try {
    await answer
    return true
  } catch (error) {
    // The library asks nothing that the server has not named.
    const isNamed = error instanceof FileProblem || !/does not support/.test(String(error))
    if (isNamed && !hasStatus(error, UNSUPPORTED)) throw error
    return false
  }
}
