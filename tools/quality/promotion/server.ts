/** One PostgreSQL server of a pair, with the embedded binaries, in a folder of its own. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { findBinaries } from '../../../server/src/store/embedded-launch.ts'
import { SETTINGS } from '../../../server/src/store/embedded-settings.ts'
import {
  changeOwner,
  chooseUser,
  commandOf,
  userOf,
} from '../../../server/src/store/embedded-user.ts'
import type { RunAs } from '../../../server/src/store/embedded-user.ts'
import { freePort } from '../../../server/src/store/ports.ts'

const LOOK_MILLISECONDS = 50
const STARTED_WITHIN_MILLISECONDS = 60_000
const REPLICATION = { max_wal_senders: '4', hot_standby: 'on', wal_level: 'replica' }
const USER = 'postgres'

export class PairedServer {
  readonly port: number
  readonly #folder: string
  readonly #as: RunAs
  #child: ChildProcess | undefined

  private constructor(folder: string, port: number, as: RunAs) {
    this.#folder = folder
    this.port = port
    this.#as = as
  }

  /** `dir` is a folder that other users may pass. */
  static async create(dir: string): Promise<PairedServer> {
    const server = await PairedServer.#at(join(dir, 'first'))
    mkdirSync(server.#folder, { mode: 0o700 })
    await changeOwner(server.#as, server.#folder)
    const initdb = server.#spawn('initdb', [
      '-D',
      server.#folder,
      '-U',
      USER,
      '--auth=trust',
      '--locale=C',
      '--encoding=UTF8',
      '--no-sync',
    ])
    const [code] = (await once(initdb, 'exit')) as [number | null]
    if (code !== 0) throw new Error(`initdb ended with ${code}`)
    return server
  }

  /** A standby of this server, which is stopped. */
  async copy(dir: string): Promise<PairedServer> {
    const standby = await PairedServer.#at(join(dir, 'second'))
    cpSync(this.#folder, standby.#folder, { recursive: true })
    writeFileSync(join(standby.#folder, 'standby.signal'), '')
    chmodSync(standby.#folder, 0o700)
    if (process.getuid?.() === 0) chownSync(standby.#folder, 0, 0)
    await changeOwner(standby.#as, standby.#folder)
    return standby
  }

  static async #at(folder: string): Promise<PairedServer> {
    const as = await chooseUser(join(folder, '..'), join(findBinaries(), 'postgres'))
    return new PairedServer(folder, await freePort(), as)
  }

  /** Until it takes logins. */
  async start(settings: Record<string, string> = {}): Promise<void> {
    const all = {
      ...SETTINGS,
      ...REPLICATION,
      port: String(this.port),
      unix_socket_directories: '',
      ...settings,
    }
    this.#child = this.#spawn('postgres', [
      '-D',
      this.#folder,
      ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ])
    const end = Date.now() + STARTED_WITHIN_MILLISECONDS
    for (;;) {
      try {
        await this.query('select 1')
        return
      } catch (error) {
        if (Date.now() > end) throw error
        await pause(LOOK_MILLISECONDS)
      }
    }
  }

  async query<Row extends object>(text: string, database = 'postgres'): Promise<Row[]> {
    const client = new pg.Client({
      connectionString: `postgres://${USER}@127.0.0.1:${this.port}/${database}`,
    })
    client.on('error', () => undefined)
    await client.connect()
    try {
      return (await client.query<Row>(text)).rows
    } finally {
      await client.end()
    }
  }

  /** In order, with everything written. */
  async stop(): Promise<void> {
    await this.#end('SIGINT')
  }

  /** As when the machine loses its power: every process of it at once. */
  async kill(): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    // It starts no further backend meanwhile.
    child.kill('SIGSTOP')
    for (const name of readdirSync('/proc'))
      if (/^\d+$/.test(name) && Number(name) !== child.pid && this.#isOurs(name))
        process.kill(Number(name), 'SIGKILL')
    await this.#end('SIGKILL')
  }

  #isOurs(pid: string): boolean {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === this.#folder
    } catch {
      return false
    }
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }

  #spawn(program: string, args: string[]): ChildProcess {
    const [command, words] = commandOf(this.#as, join(findBinaries(), program), args)
    return spawn(command, words, {
      ...userOf(this.#as),
      cwd: '/',
      env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
      stdio: 'ignore',
    })
  }
}
