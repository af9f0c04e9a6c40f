/**
 * A Kontor of two API and two worker processes, whose clocks differ, with its database and the
 * sandbox: all real processes, each of which can be killed, and each of which comes back.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { prepareDatabase } from '../../../server/src/core/service.testing.ts'
import { freePort } from '../../../server/src/store/ports.ts'
import { startSandbox } from '../../../server/src/venues/sandbox-process.testing.ts'
import type { SandboxProcess } from '../../../server/src/venues/sandbox-process.testing.ts'
import { setMarkets } from '../faults/furniture.ts'
import type { Opened } from '../faults/opened.ts'
import { VENUES, writeConfiguration } from '../faults/world-configuration.ts'
import { Database } from './database.ts'
import { Gate } from './gate.ts'
import { Line } from './line.ts'
import { Resident } from './resident.ts'
import type { Role } from './resident.ts'

const COMMAND = new URL('../../setup/command.mjs', import.meta.url).pathname
const ADMIN = { email: 'admin@kontor.local', password: 'nobody knows this one' }
const ROLES: readonly Role[] = ['api', 'worker', 'api', 'worker']
/** Two machines are never quite as late. */
const SKEW_MILLISECONDS = 700

type Login = { email: string; password: string }
type Say = (words: string) => void

export class House {
  readonly dir: string
  readonly sandbox: SandboxProcess
  readonly database: Database
  readonly residents: readonly Resident[]
  /** Of the API processes. */
  readonly ports: readonly number[]
  readonly say: Say
  /** The sandbox is not killed while somebody tells it something. */
  readonly #gate = new Gate()

  private constructor(
    parts: Pick<House, 'dir' | 'sandbox' | 'database' | 'ports' | 'say'>,
    residents: Resident[],
  ) {
    this.dir = parts.dir
    this.sandbox = { ...parts.sandbox, control: this.#control(parts.sandbox) }
    this.database = parts.database
    this.ports = parts.ports
    this.say = parts.say
    this.residents = residents
  }

  /** Nothing runs in it yet but sandbox and database. */
  static async open(dir: string, opened: Opened, say: Say): Promise<House> {
    // The server's own user passes through.
    chmodSync(dir, 0o711)
    mkdirSync(join(dir, 'data'), { mode: 0o711 })
    const sandbox = await startSandbox()
    opened.add(() => sandbox.stop())
    const database = new Database(join(dir, 'data/postgres'), join(dir, 'archive'))
    opened.add(() => database.stop())
    await database.start()
    const residents: Resident[] = []
    opened.add(async () => {
      await Promise.all(residents.map((resident) => resident.stop()))
    })
    const ports: number[] = []
    for (const [place, role] of ROLES.entries()) {
      const line = await Line.open(() => database.port)
      opened.add(() => line.close())
      const port = role === 'api' ? await freePort() : 0
      if (role === 'api') ports.push(port)
      const skew = (-1) ** place * SKEW_MILLISECONDS
      const name = `${role} ${1 + Math.floor(place / 2)}`
      const env = () => environmentOf(dir, database, line)
      residents.push(new Resident({ name, role, port, line, dir, skew, env, say }))
    }
    return new House({ dir, sandbox, database, ports, say }, residents)
  }

  /** Everybody moves in. Answers who may log in. */
  async start(): Promise<Login> {
    await setMarkets(this.sandbox)
    const { serviceUrl, ownerUrl } = this.database.urlsAt(this.database.port)
    await prepareDatabase(serviceUrl, ADMIN, ownerUrl)
    const [first, ...others] = this.residents
    await first?.start({ KONTOR_CONFIG: await writeConfiguration(this.sandbox) })
    await Promise.all(others.map((resident) => resident.start()))
    return ADMIN
  }

  async stopAll(): Promise<void> {
    await Promise.all(this.residents.map((resident) => resident.stop()))
  }

  async startAll(): Promise<void> {
    await Promise.all(this.residents.map((resident) => resident.start()))
  }

  /** It is away for so long. */
  killSandbox(milliseconds: number): Promise<void> {
    return this.#gate.close(async () => {
      await this.sandbox.kill()
      await pause(milliseconds)
      await this.sandbox.restart()
    })
  }

  /** As a person runs it beside the service. */
  async command(...words: string[]): Promise<{ code: number; out: string }> {
    const env = { ...process.env, DATABASE_URL: '', DATA_DIR: join(this.dir, 'data') }
    const child = spawn(process.execPath, [COMMAND, ...words], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let out = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (out += chunk))
    const [code] = (await once(child, 'close')) as [number | null]
    return { code: code ?? -1, out }
  }

  /** Everybody has what they need again, and nobody is disturbed. */
  async heal(): Promise<void> {
    this.database.thaw()
    for (const resident of this.residents) {
      resident.line.speak()
      resident.pretend({})
    }
    for (const venue of [...VENUES, 'chain'])
      await this.sandbox.control('DELETE', `faults?venue=${venue}`)
    await Promise.all(this.residents.map((resident) => resident.ready()))
  }

  /** What the sandbox has written, beside the logs. */
  keepSandbox(): void {
    cpSync(this.sandbox.dir, join(this.dir, 'sandbox'), { recursive: true })
  }

  #control(sandbox: SandboxProcess): SandboxProcess['control'] {
    return (method, path, body) => this.#gate.pass(() => sandbox.control(method, path, body))
  }
}

const environmentOf = (dir: string, database: Database, line: Line): Record<string, string> => ({
  DATABASE_URL: database.urlsAt(line.port).serviceUrl,
  DATA_DIR: join(dir, 'data'),
  KONTOR_DATABASE_FOLDER: database.folder,
})
