/** The embedded database of a house, killed and stopped as by somebody who hates it. */
import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { startEmbedded } from '../../../server/src/store/embedded.ts'
import type { Embedded } from '../../../server/src/store/embedded.ts'
import { within } from '../faults/patience.ts'

const START_MILLISECONDS = 120_000
const END_MILLISECONDS = 60_000

export class Database {
  readonly #dir: string
  readonly #archive: string
  #server: Embedded | undefined
  #kills = 0

  /** `archive` gets its log. */
  constructor(dir: string, archive: string) {
    this.#dir = dir
    this.#archive = archive
  }

  /** What a process has written a kill of the process cannot take: no disk is waited for. */
  async start(): Promise<void> {
    const starting = startEmbedded({ dir: this.#dir, durable: false, archive: this.#archive })
    this.#server = await within('the start of the database', START_MILLISECONDS, starting)
  }

  get port(): number {
    return this.#running.port
  }

  /** Of the service and of the owner of the tables, over a line of this port. */
  urlsAt(port: number): { serviceUrl: string; ownerUrl: string } {
    const { serviceUrl, ownerUrl } = this.#running
    return { serviceUrl: over(serviceUrl, port), ownerUrl: over(ownerUrl, port) }
  }

  get folder(): string {
    return this.#running.folder
  }

  /** The server without a word; its backends end when they notice. It comes back at once. */
  async kill(): Promise<void> {
    const { pid, exited } = this.#running
    signal(pid, 'SIGKILL')
    await within('the end of the database', END_MILLISECONDS, exited)
    this.#kills += 1
    await this.start()
  }

  /** How often it was seen to die of a kill. */
  get kills(): number {
    return this.#kills
  }

  /** One backend: the server ends all others, and recovers. `choice`: from 0 to below 1. */
  killBackend(choice: number): void {
    const backends = this.#processes().filter((pid) => pid !== this.#running.pid)
    const pid = backends[Math.floor(choice * backends.length)]
    if (pid !== undefined) signal(pid, 'SIGKILL')
  }

  /** It hangs: nothing of it runs, and no connection ends. */
  freeze(): void {
    // It starts no further backend meanwhile.
    signal(this.#running.pid, 'SIGSTOP')
    for (const pid of this.#processes()) signal(pid, 'SIGSTOP')
  }

  thaw(): void {
    for (const pid of this.#processes()) signal(pid, 'SIGCONT')
  }

  async stop(): Promise<void> {
    if (this.#server === undefined) return
    this.thaw()
    await within('the end of the database', END_MILLISECONDS, this.#server.stop())
    this.#server = undefined
  }

  get #running(): Embedded {
    if (this.#server === undefined) throw new Error('the database has not been started')
    return this.#server
  }

  /** They work in its folder. Where the system does not say so, the server alone. */
  #processes(): number[] {
    const { pid, folder } = this.#running
    if (!existsSync('/proc/self/cwd')) return [pid]
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && isIn(name, folder))
      .map(Number)
  }
}

function over(url: string, port: number): string {
  const own = new URL(url)
  own.hostname = '127.0.0.1'
  own.port = String(port)
  own.searchParams.delete('host')
  return own.href
}

function isIn(pid: string, folder: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === folder
  } catch {
    return false // it has ended
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
