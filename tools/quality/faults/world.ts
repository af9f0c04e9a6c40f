/**
 * The world of the fault matrix: the whole sandbox, a database behind a proxy, the service as
 * processes that die and come back, two customers with money, and a client that repeats what was
 * not answered.
 */
import { rm } from 'node:fs/promises'
import { prepareDatabase } from '../../../server/src/core/service.testing.ts'
import { quickFolder } from '../../../server/src/core/testing.ts'
import { verifyBooks } from '../../../server/src/ledger/index.ts'
import type { Db } from '../../../server/src/store/db.ts'
import { putTasks } from '../../../server/src/store/tasks.ts'
import { testDatabase } from '../../../server/src/store/testing.ts'
import { startSandbox } from '../../../server/src/venues/sandbox-process.testing.ts'
import type { SandboxProcess } from '../../../server/src/venues/sandbox-process.testing.ts'
import { RepeatingClient } from './client.ts'
import { openDatabaseProxy } from './database-proxy.ts'
import type { Cut, CutAt } from './database-proxy.ts'
import { furnish, PACE, setMarkets } from './furniture.ts'
import type { Ground, Wallet } from './furniture.ts'
import { Opened } from './opened.ts'
import { readBooks } from './outside-books.ts'
import { ADMIN, Processes } from './processes.ts'
import { TRADING_VENUES, VENUES, writeConfiguration } from './world-configuration.ts'
import type { VenueKey } from './world-configuration.ts'

export { PACE, VENUES }
export type { VenueKey, Wallet }

const HOUR_MILLISECONDS = 3_600_000
const WORKERS = 2

export type World = Ground & {
  sandbox: SandboxProcess
  db: Db
  processes: Processes
  cut(at: CutAt, marks: string[]): Cut
  /** Reads deposits of this venue now. */
  poll(venue: VenueKey): Promise<void>
  /** Rows of the sandbox's own books. */
  outside<Row>(query: string, ...values: string[]): Row[]
  clear(venue: VenueKey): Promise<void>
  /**
   * An hour passes for the sandbox and the service, whose processes are killed and start again in
   * it.
   */
  hour(): Promise<void>
  /** The processes are killed and start again. */
  copyDatabase(): Promise<void>
  /** The database is again as it was copied; the processes are killed and start again. */
  putBackDatabase(): Promise<void>
  command: Processes['command']
  verify(): Promise<string[]>
  close(): Promise<void>
}

export async function openWorld(): Promise<World> {
  const opened = new Opened()
  try {
    const parts = await openParts(opened)
    return worldOf(parts, await furnish(parts.sandbox, parts.call), opened)
  } catch (error) {
    await opened.close()
    throw error
  }
}

type Parts = Pick<
  World,
  'sandbox' | 'db' | 'processes' | 'call' | 'cut' | 'command' | 'copyDatabase' | 'putBackDatabase'
>

async function openParts(opened: Opened): Promise<Parts> {
  const dir = await quickFolder('faults-')
  opened.add(() => rm(dir, { recursive: true, force: true }))
  const database = await testDatabase({ maximumConnections: 4 })
  opened.add(() => database.drop())
  const sandbox = await startSandbox()
  opened.add(() => sandbox.stop())
  const proxy = await openDatabaseProxy(database.url)
  opened.add(() => proxy.close())
  const processes = await Processes.open({ dir, databaseUrl: proxy.url, workers: WORKERS })
  opened.add(() => processes.stop())
  await setMarkets(sandbox)
  await prepareDatabase(database.url, ADMIN)
  await processes.start({ KONTOR_CONFIG: await writeConfiguration(sandbox) })
  const client = new RepeatingClient([processes.port], ADMIN)
  const whileStopped = async (work: () => Promise<void>): Promise<void> => {
    await processes.stop()
    await work()
    await processes.start()
  }
  return {
    sandbox,
    db: database.db,
    processes,
    command: (...words) => processes.command(...words),
    copyDatabase: () => whileStopped(() => database.copy()),
    putBackDatabase: () => whileStopped(() => database.putBack()),
    call: client.call,
    cut: proxy.cut,
  }
}

function worldOf(parts: Parts, ground: Ground, opened: Opened): World {
  const { sandbox, db } = parts
  const { workspace, venues } = ground
  const time = new WorldTime(parts)
  return {
    ...ground,
    ...parts,
    close: () => opened.close(),
    poll: (venue) =>
      putTasks(db, [{ workspace, kind: 'poll_venue', subject_id: venues[venue], due_at: 0 }]),
    outside: (query, ...values) => readBooks(sandbox.dir, query, values),
    clear: async (venue) => {
      await sandbox.control('DELETE', `faults?venue=${venue}`)
      if (venue === 'bank') await sandbox.control('DELETE', 'bank/habits')
      if (TRADING_VENUES.includes(venue))
        await sandbox.control('POST', `${venue}/halt`, { status: 'online' })
    },
    hour: () => time.passHour(),
    verify: async () => (await verifyBooks(db, workspace)).faults,
  }
}

class WorldTime {
  readonly #parts: Parts
  #hours = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async passHour(): Promise<void> {
    const { processes, sandbox } = this.#parts
    await processes.stop()
    await sandbox.control('POST', 'clock', { pace: 1 })
    processes.ahead(HOUR_MILLISECONDS)
    this.#hours += 1
    process.env['NODE_OPTIONS'] =
      `--import ${new URL('./clock-ahead.mjs', import.meta.url).pathname}`
    process.env['KONTOR_AHEAD_MS'] = String(this.#hours * HOUR_MILLISECONDS)
    await sandbox.restart()
    delete process.env['NODE_OPTIONS']
    delete process.env['KONTOR_AHEAD_MS']
    await sandbox.control('POST', 'clock', { pace: PACE })
    await processes.start()
  }
}
