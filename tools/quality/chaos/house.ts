/**
 * A Kontor on two machines whose clocks differ, each with an API and a worker process, with its
 * database and the sandbox: all real processes, each of which can be killed, and each of which
 * comes back.
 */
import { chmodSync, cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { prepareDatabase } from '../../../server/src/core/service.testing.ts'
import { freePort } from '../../../server/src/store/ports.ts'
import { startSandbox } from '../../../server/src/venues/sandbox-process.testing.ts'
import type { SandboxProcess } from '../../../server/src/venues/sandbox-process.testing.ts'
import { runCommand } from '../faults/command.ts'
import type { Ended } from '../faults/command.ts'
import { setMarkets } from '../faults/furniture.ts'
import type { Opened } from '../faults/opened.ts'
import { within } from '../faults/patience.ts'
import { VENUES, writeConfiguration } from '../faults/world-configuration.ts'
import { Database } from './database.ts'
import { Gate } from './gate.ts'
import { Line } from './line.ts'
import { Resident } from './resident.ts'
import type { Role } from './resident.ts'

const ADMIN = { email: 'admin@kontor.local', password: 'nobody knows this one' }
/** How far each machine is from the right time; up to two seconds it claims work. */
const SKEW_MILLISECONDS = 700
/** A start, an end or an answer of the sandbox, and the preparation of the database. */
const SANDBOX_MILLISECONDS = 60_000
const PREPARATION_MILLISECONDS = 120_000

type Place = { name: string; role: Role; skew: number }

/** Both processes of a machine have its clock. */
export const PLACES: readonly Place[] = [1, 2].flatMap((machine) =>
  (['api', 'worker'] as const).map((role) => ({
    name: `${role} ${machine}`,
    role,
    skew: machine === 1 ? SKEW_MILLISECONDS : -SKEW_MILLISECONDS,
  })),
)

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
    const control = this.#control(parts.sandbox)
    this.sandbox = {
      ...parts.sandbox,
      control,
      fault: async (venue, operation, kind, more = {}) => {
        await control('POST', 'faults', { venue, operation, kind, ...more })
      },
    }
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
    const sandbox = await ofSandbox('start', startSandbox())
    opened.add(() => ofSandbox('end', sandbox.stop()))
    const database = new Database(join(dir, 'data/postgres'), join(dir, 'archive'))
    opened.add(() => database.stop())
    await database.start()
    const residents: Resident[] = []
    opened.add(async () => {
      await Promise.all(residents.map((resident) => resident.stop()))
    })
    const ports: number[] = []
    for (const { name, role, skew } of PLACES) {
      const line = await Line.open(() => database.port)
      opened.add(() => line.close())
      const port = role === 'api' ? await freePort() : 0
      if (role === 'api') ports.push(port)
      const env = () => environmentOf(dir, database, line)
      residents.push(new Resident({ name, role, port, line, dir, skew, env, say }))
    }
    return new House({ dir, sandbox, database, ports, say }, residents)
  }

  /** Everybody moves in. Answers who may log in. */
  async start(): Promise<Login> {
    await setMarkets(this.sandbox)
    const { serviceUrl, ownerUrl } = this.database.urlsAt(this.database.port)
    const preparing = prepareDatabase(serviceUrl, ADMIN, ownerUrl)
    await within('the preparation of the database', PREPARATION_MILLISECONDS, preparing)
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
      await ofSandbox('end', this.sandbox.kill())
      await pause(milliseconds)
      await ofSandbox('start', this.sandbox.restart())
    })
  }

  /** How often each process, and the database, was seen to die of a kill. */
  deaths(): Map<string, number> {
    return new Map([
      ...this.residents.map(({ name, kills }) => [name, kills] as const),
      ['the database', this.database.kills],
    ])
  }

  /** As a person runs it beside the service. */
  command(...words: string[]): Promise<Ended> {
    return runCommand(words, { DATABASE_URL: '', DATA_DIR: join(this.dir, 'data') })
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
    return (method, path, body) =>
      this.#gate.pass(() => ofSandbox(`answer to ${path}`, sandbox.control(method, path, body)))
  }
}

const ofSandbox = <T>(what: string, coming: Promise<T>): Promise<T> =>
  within(`the sandbox's ${what}`, SANDBOX_MILLISECONDS, coming)

const environmentOf = (dir: string, database: Database, line: Line): Record<string, string> => ({
  DATABASE_URL: database.urlsAt(line.port).serviceUrl,
  DATA_DIR: join(dir, 'data'),
  KONTOR_DATABASE_FOLDER: database.folder,
})
