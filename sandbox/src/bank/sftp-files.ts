/** The file operations of one SFTP session: two directories, and the plain files in them. */
import {
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import type { Stats } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ServerSftp } from 'ssh2'
import type { World } from '../world.ts'

/** SSH_FXP_STATUS, draft-ietf-secsh-filexfer-02, section 7. */
const OK = 0
const END_OF_FILE = 1
const NO_SUCH_FILE = 2
const PERMISSION_DENIED = 3
const FAILURE = 4

/** SSH_FXF_WRITE of the flags of an open, section 6.3. */
const WRITE = 2
/** Names in one answer: a list of a hundred files takes several. */
const NAMES_AT_ONCE = 50
const READ_BYTES = 64_000
/** Servers have a limit (OpenSSH tells its own as `open-handles` of limits@openssh.com). */
const MAXIMUM_HANDLES = 20

type Served = { world: World; directory: string; cut(): void }
type Opened = { file: number; path: string } | { names: string[]; path: string }

/** The handles of one session. */
class Handles {
  readonly #opened = new Map<number, Opened>()
  #last = 0

  assertFree(): void {
    if (this.#opened.size >= MAXIMUM_HANDLES) throw new Error('too many handles are open')
  }

  open(what: Opened): Buffer {
    this.#last += 1
    this.#opened.set(this.#last, what)
    const handle = Buffer.alloc(4)
    handle.writeUInt32BE(this.#last)
    return handle
  }

  list(handle: Buffer) {
    const what = this.#opened.get(handle.readUInt32BE(0))
    return what !== undefined && 'names' in what ? what : undefined
  }

  file(handle: Buffer): number | undefined {
    const what = this.#opened.get(handle.readUInt32BE(0))
    return what !== undefined && 'file' in what ? what.file : undefined
  }

  /** Answers which file it was. */
  close(handle: Buffer): string | undefined {
    const what = this.#opened.get(handle.readUInt32BE(0))
    this.#opened.delete(handle.readUInt32BE(0))
    if (what === undefined || !('file' in what)) return undefined
    closeSync(what.file)
    return what.path
  }
}

export function serveFiles(session: ServerSftp, served: Served): void {
  const handles = new Handles()
  serveDirectories(session, served, handles)
  serveContents(session, served, handles)
  serveNames(session, served)
}

/** Answers what the file system says. */
function attempt(
  session: ServerSftp,
  id: number,
  local: string | undefined,
  work: (local: string) => void,
): void {
  if (local === undefined) return session.status(id, PERMISSION_DENIED)
  try {
    work(local)
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    session.status(id, isMissing ? NO_SUCH_FILE : FAILURE)
  }
}

function serveDirectories(session: ServerSftp, { directory }: Served, handles: Handles): void {
  const stat = (id: number, path: string) => {
    attempt(session, id, localPath(directory, path), (local) => {
      session.attrs(id, attributesOf(statSync(local)))
    })
  }
  session
    .on('REALPATH', (id, path) => {
      session.name(id, [{ filename: path === '.' ? '/' : path }])
    })
    .on('STAT', stat)
    .on('LSTAT', stat)
    .on('OPENDIR', (id, path) => {
      attempt(session, id, localPath(directory, path), (local) => {
        handles.assertFree()
        session.handle(id, handles.open({ names: readdirSync(local), path: local }))
      })
    })
    .on('READDIR', (id, handle) => {
      const list = handles.list(handle)
      if (list === undefined) return session.status(id, FAILURE)
      const names = list.names.splice(0, NAMES_AT_ONCE)
      if (names.length === 0) return session.status(id, END_OF_FILE)
      session.name(
        id,
        names.flatMap((filename) => entryOf(list.path, filename)),
      )
    })
}

function serveContents(
  session: ServerSftp,
  { world, directory, cut }: Served,
  handles: Handles,
): void {
  const isCutAt = (operation: string) =>
    world.faults.takeNamed('bank-sftp', operation)?.kind === 'DOWN'
  const isTakenEarly = () =>
    world.faults.takeNamed('bank-sftp', 'close')?.kind === 'TIMEOUT_AFTER_ACCEPT'
  session
    .on('OPEN', (id, path, flags) => {
      attempt(session, id, localPath(directory, path), (local) => {
        handles.assertFree()
        const file = openSync(local, (flags & WRITE) === 0 ? 'r' : 'w', 0o600)
        session.handle(id, handles.open({ file, path: local }))
      })
    })
    .on('CLOSE', (id, handle) => {
      const path = handles.close(handle)
      if (path?.endsWith('.part') && isTakenEarly()) renameSync(path, paymentName(path))
      session.status(id, OK)
    })
    .on('READ', (id, handle, offset, length) => {
      const file = handles.file(handle)
      if (file === undefined) return session.status(id, FAILURE)
      if (isCutAt('download')) return cut()
      const data = Buffer.alloc(Math.min(length, READ_BYTES))
      const count = readSync(file, data, 0, data.length, offset)
      if (count === 0) session.status(id, END_OF_FILE)
      else session.data(id, data.subarray(0, count))
    })
    .on('WRITE', (id, handle, offset, data) => {
      const file = handles.file(handle)
      if (file === undefined) return session.status(id, FAILURE)
      const isCut = isCutAt('upload')
      writeSync(file, data, 0, isCut ? Math.ceil(data.length / 2) : data.length, offset)
      if (isCut) cut()
      else session.status(id, OK)
    })
}

/** Of a payment file that is not renamed yet: where the bank takes it from. */
const paymentName = (path: string): string =>
  join(dirname(path), `${/[^/]+$/.exec(path)?.[0].split('-')[0] ?? ''}.xml`)

function serveNames(session: ServerSftp, { world, directory, cut }: Served): void {
  session
    .on('REMOVE', (id, path) => {
      attempt(session, id, localPath(directory, path), (local) => {
        unlinkSync(local)
        if (world.faults.takeNamed('bank-sftp', 'remove')?.kind === 'CUT') cut()
        else session.status(id, OK)
      })
    })
    .on('RENAME', (id, from, to) => {
      const fault = world.faults.takeNamed('bank-sftp', 'rename')?.kind
      const target = localPath(directory, to)
      if (fault === 'DOWN') return cut()
      attempt(session, id, localPath(directory, from), (local) => {
        if (target === undefined || fault === 'REFUSE') return session.status(id, PERMISSION_DENIED)
        if (existsSync(target)) return session.status(id, FAILURE)
        renameSync(local, target)
        if (fault === 'CUT') cut()
        else if (fault !== 'TIMEOUT_AFTER_ACCEPT') session.status(id, OK)
      })
    })
}

/** Undefined outside the two directories. */
function localPath(directory: string, path: string): string | undefined {
  const [, folder = '', name, ...more] = path.replace(/\/$/, '').split('/')
  if (!['outbox', 'inbox'].includes(folder) || more.length > 0) return undefined
  if (name === undefined) return join(directory, folder)
  return name === '.' || name === '..' ? undefined : join(directory, folder, name)
}

/** Of a link its own size, as OpenSSH lists it. Nothing for a file that was taken meanwhile. */
function entryOf(directory: string, filename: string) {
  try {
    return [
      { filename, longname: filename, attrs: attributesOf(lstatSync(join(directory, filename))) },
    ]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function attributesOf({ mode, size, mtimeMs, atimeMs }: Stats) {
  const seconds = (milliseconds: number) => Math.floor(milliseconds / 1000)
  return { mode, size, mtime: seconds(mtimeMs), atime: seconds(atimeMs) }
}
