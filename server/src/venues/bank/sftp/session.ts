/**
 * Connections to the bank's SFTP server. The server must show the configured host key before
 * anything else is said. A connection is kept for a minute, and dropped when an answer is late.
 *
 * ssh2 forgets some callbacks when a connection breaks (its issues 1175 and 1490). So each call
 * here ends with the connection, or with its own time limit, whatever the library does.
 */
import { createHash } from 'node:crypto'
import { Client, type Sftp, type SftpEntry } from 'ssh2'
import { ApiError } from '../../../core/errors.ts'
import type { SftpSettings } from './settings.ts'

const IDLE_MILLISECONDS = 60_000
const KEEPALIVE_MILLISECONDS = 10_000
const FIRST_PAUSE_MILLISECONDS = 500
const LONGEST_PAUSE_MILLISECONDS = 60_000
const CHUNK_BYTES = 32_000
/** More than any inbox holds that somebody clears; more names are refused, not cut off. */
const MAXIMUM_NAMES = 20_000

/** From SSH_FXP_STATUS, draft-ietf-secsh-filexfer-02, section 7. */
const END_OF_FILE = 1
const NO_SUCH_FILE = 2
const UNSUPPORTED = 8

export type RemoteFile = { name: string; size: number; modified_at: number }

/** What can be asked of the server. Each call throws when there is no answer, or a refusal. */
export type Session = {
  /** Plain files of a directory. */
  list(directory: string): Promise<RemoteFile[]>
  /** The whole file, which must be of this size. */
  read(path: string, size: number): Promise<Buffer>
  write(path: string, content: Buffer): Promise<void>
  /** Null when there is no such file. */
  size(path: string): Promise<number | null>
  rename(from: string, to: string): Promise<void>
  /** False when there was no such file. */
  remove(path: string): Promise<boolean>
}

type Connection = { session: Session; isLost(): boolean; end(): void }

/** What concerns one file alone; the connection goes on. */
export class FileProblem extends Error {}

/** A refusal of the server. */
class ServerStatus extends FileProblem {
  readonly status: number
  constructor(status: number, message: string) {
    super(`${message} (status ${status})`)
    this.status = status
  }
}

export class Sessions {
  readonly #settings: SftpSettings
  #connection: Promise<Connection> | undefined
  #idle: NodeJS.Timeout | undefined
  #users = 0
  #closed = false
  #pause = 0
  #failed: { until: number; error: ApiError } | undefined

  constructor(settings: SftpSettings) {
    this.#settings = settings
  }

  /** Throws VenueUnreachable when the server does not answer or refuses. */
  async run<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
    if (this.#closed) throw new ApiError('VenueUnreachable', 'the bank is being closed')
    clearTimeout(this.#idle)
    this.#users += 1
    try {
      return await work((await this.#connected()).session)
    } catch (error) {
      throw error instanceof ApiError ? error : unreachable(this.#settings, error)
    } finally {
      this.#users -= 1
      if (this.#users === 0) this.#idle = setTimeout(() => void this.#drop(), IDLE_MILLISECONDS)
      this.#idle?.unref()
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#idle)
    await this.#drop()
  }

  async #connected(): Promise<Connection> {
    const kept = await this.#connection?.catch(() => undefined)
    if (kept !== undefined && !kept.isLost()) return kept
    // Banks block a user who tries again and again.
    if (this.#failed !== undefined && this.#failed.until > performance.now())
      throw this.#failed.error
    const fresh = connect(this.#settings)
    this.#connection = fresh
    try {
      const connection = await fresh
      this.#pause = 0
      this.#failed = undefined
      return connection
    } catch (error) {
      this.#pause = Math.min(
        LONGEST_PAUSE_MILLISECONDS,
        Math.max(FIRST_PAUSE_MILLISECONDS, this.#pause * 2),
      )
      const problem = unreachable(this.#settings, error)
      this.#failed = { until: performance.now() + this.#pause, error: problem }
      throw problem
    }
  }

  async #drop(): Promise<void> {
    const connection = await this.#connection?.catch(() => undefined)
    connection?.end()
  }
}

const placeOf = ({ user, host, port }: SftpSettings): string => `sftp://${user}@${host}:${port}`

function unreachable(settings: SftpSettings, error: unknown): ApiError {
  const problem = error instanceof Error ? error.message : String(error)
  return new ApiError('VenueUnreachable', `the bank's server ${placeOf(settings)}: ${problem}`)
}

/** As `ssh-keygen -lf` prints it. */
const fingerprintOf = (key: Buffer): string =>
  `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`

async function connect(settings: SftpSettings): Promise<Connection> {
  const { host, port, user, host_keys, private_key, passphrase, password, timeout_ms } = settings
  const client = new Client()
  const line = new Line(client, timeout_ms)
  let refusedKey: string | undefined
  client.on('keyboard-interactive', (...asked) => {
    const [, , , prompts, answer] = asked
    answer(prompts.length === 1 && password !== undefined ? [password] : [])
  })
  try {
    await line.call<void>((done) => {
      client.on('ready', () => {
        done(undefined)
      })
      client.connect({
        host,
        port,
        username: user,
        ...(private_key === undefined ? {} : { privateKey: private_key }),
        ...(passphrase === undefined ? {} : { passphrase }),
        ...(password === undefined ? {} : { password, tryKeyboard: true }),
        readyTimeout: timeout_ms,
        keepaliveInterval: KEEPALIVE_MILLISECONDS,
        hostVerifier: (key) => {
          const shown = fingerprintOf(key)
          if (host_keys.includes(shown)) return true
          refusedKey = shown
          return false
        },
      })
    })
    const sftp = await line.call<Sftp>((done) => {
      client.sftp(done)
    })
    line.follow(sftp)
    return {
      session: openSession(sftp, line),
      isLost: () => line.isLost,
      end: () => {
        client.end()
      },
    }
  } catch (error) {
    client.destroy()
    if (refusedKey === undefined) throw error
    throw new Error(
      `it shows the host key ${refusedKey}, which is not the configured one; ask the bank`,
      { cause: error },
    )
  }
}

/** Calls over one connection: each ends with an answer, with the connection, or by time. */
class Line {
  readonly #client: Client
  readonly #timeout: number
  readonly #lost: Promise<never>
  #lose: (error: Error) => void = () => undefined
  isLost = false

  constructor(client: Client, timeout: number) {
    this.#client = client
    this.#timeout = timeout
    this.#lost = new Promise((_resolve, reject) => {
      this.#lose = (error) => {
        this.isLost = true
        reject(error)
      }
    })
    // Whoever waits sees it; between calls nobody does.
    this.#lost.catch(() => undefined)
    client.on('error', (error) => {
      this.#lose(new Error(error.message))
    })
    const ended = () => {
      this.#lose(new Error('the connection ended'))
    }
    client.on('end', ended).on('close', ended)
  }

  follow(sftp: Sftp): void {
    const ended = () => {
      this.#lose(new Error('the connection ended'))
    }
    sftp.on('close', ended)
    sftp.on('error', ended)
  }

  async call<Value>(
    start: (done: (error: Error | null | undefined, value: Value) => void) => void,
  ): Promise<Value> {
    const timer = setTimeout(() => {
      this.#lose(new Error(`no answer within ${this.#timeout / 1000} s`))
      this.#client.destroy()
    }, this.#timeout)
    try {
      return await Promise.race([answerOf(start), this.#lost])
    } finally {
      clearTimeout(timer)
    }
  }
}

function answerOf<Value>(
  start: (done: (error: Error | null | undefined, value: Value) => void) => void,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    start((error, value) => {
      if (error === undefined || error === null) return resolve(value)
      const { code } = error as { code?: unknown }
      reject(typeof code === 'number' ? new ServerStatus(code, error.message) : error)
    })
  })
}

const hasStatus = (error: unknown, status: number): boolean =>
  error instanceof ServerStatus && error.status === status

function openSession(sftp: Sftp, line: Line): Session {
  const close = (handle: Buffer) =>
    line.call<void>((done) => {
      sftp.close(handle, done)
    })
  return {
    async list(directory) {
      const handle = await line.call<Buffer>((done) => {
        sftp.opendir(directory === '' ? '/' : directory, done)
      })
      const files = await listAll(sftp, line, handle)
      await close(handle)
      return files
    },
    async read(path, size) {
      const handle = await line.call<Buffer>((done) => {
        sftp.open(path, 'r', done)
      })
      const content = await readAll({ sftp, line, handle }, path, size)
      await close(handle)
      return content
    },
    async write(path, content) {
      const handle = await line.call<Buffer>((done) => {
        sftp.open(path, 'w', done)
      })
      for (let at = 0; at < content.length; at += CHUNK_BYTES) {
        const length = Math.min(CHUNK_BYTES, content.length - at)
        await line.call<void>((done) => {
          sftp.write(handle, content, at, length, at, done)
        })
      }
      await syncWhereOffered({ sftp, line, handle })
      await close(handle)
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
    rename: (from, to) =>
      line.call<void>((done) => {
        sftp.rename(from, to, done)
      }),
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

async function listAll(sftp: Sftp, line: Line, handle: Buffer): Promise<RemoteFile[]> {
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

async function syncWhereOffered({ sftp, line, handle }: Opened): Promise<void> {
  try {
    await line.call<void>((done) => {
      sftp.ext_openssh_fsync(handle, done)
    })
  } catch (error) {
    const isOffered = !(error instanceof Error && /does not support/.test(error.message))
    if (isOffered && !hasStatus(error, UNSUPPORTED)) throw error
  }
}
