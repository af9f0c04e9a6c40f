/**
 * Connections to the bank's SFTP server. The server must show the configured host key before
 * anything else is said. A connection is kept for a minute, and dropped when an answer is late.
 */
import { Client, type Sftp } from 'ssh2'
import { ApiError } from '../../../core/errors.ts'
import { openSession, type Session } from './files.ts'
import { fingerprintOf, HOST_KEY_ALGORITHMS, OtherHostKey, withHostKey } from './host-keys.ts'
import { Line } from './line.ts'
import type { SftpSettings } from './settings.ts'

const IDLE_MILLISECONDS = 60_000
const KEEPALIVE_MILLISECONDS = 10_000
const FIRST_PAUSE_MILLISECONDS = 500
const LONGEST_PAUSE_MILLISECONDS = 60_000
const CLOSING = 'the bank is being closed'

type Connection = {
  session: Session
  /** With which the server showed a configured key. */
  algorithms: readonly string[]
  isLost(): boolean
  end(): void
}

export class Sessions {
  readonly #settings: SftpSettings
  #connection: Promise<Connection> | undefined
  #algorithms = HOST_KEY_ALGORITHMS
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
    if (this.#closed) throw new ApiError('VenueUnreachable', CLOSING)
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
    const before = this.#connection
    const kept = await before?.catch(() => undefined)
    if (this.#closed) throw new ApiError('VenueUnreachable', CLOSING)
    if (kept !== undefined && !kept.isLost()) return kept
    // Of several callers, the first has connected meanwhile.
    if (this.#connection !== before) return this.#connected()
    // Banks block a user who tries again and again.
    if (this.#failed !== undefined && this.#failed.until > performance.now())
      throw this.#failed.error
    const fresh = connect(this.#settings, this.#algorithms)
    this.#connection = fresh
    try {
      const connection = await fresh
      this.#pause = 0
      this.#failed = undefined
      this.#algorithms = connection.algorithms
      return connection
    } catch (error) {
      this.#algorithms = HOST_KEY_ALGORITHMS
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
    const dropped = this.#connection
    this.#connection = undefined
    const connection = await dropped?.catch(() => undefined)
    connection?.end()
  }
}

const placeOf = ({ user, host, port }: SftpSettings): string => `sftp://${user}@${host}:${port}`

function unreachable(settings: SftpSettings, error: unknown): ApiError {
  const problem = error instanceof Error ? error.message : String(error)
  return new ApiError('VenueUnreachable', `the bank's server ${placeOf(settings)}: ${problem}`)
}

const connect = (settings: SftpSettings, algorithms: readonly string[]): Promise<Connection> =>
  withHostKey(algorithms, (left) => connectOnce(settings, left))

async function connectOnce(
  settings: SftpSettings,
  algorithms: readonly string[],
): Promise<Connection> {
  const { host, port, user, host_keys, private_key, passphrase, password, timeout_ms } = settings
  const client = new Client()
  const line = new Line(client, timeout_ms)
  let refusedKey: Buffer | undefined
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
        algorithms: { serverHostKey: algorithms },
        readyTimeout: timeout_ms,
        keepaliveInterval: KEEPALIVE_MILLISECONDS,
        hostVerifier: (key) => {
          if (host_keys.includes(fingerprintOf(key))) return true
          refusedKey = key
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
      algorithms,
      isLost: () => line.isLost,
      end: () => {
        client.end()
      },
    }
  } catch (error) {
    client.destroy()
    throw refusedKey === undefined ? error : new OtherHostKey(refusedKey, error)
  }
}
