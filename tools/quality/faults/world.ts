/**
 * The world of the fault matrix: the whole sandbox, a database behind a proxy, the service as
 * processes that die and come back, two customers with money, and a client that repeats what was
 * not answered.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { mustExist } from '../../../server/src/core/assert.ts'
import type { WorkspaceId } from '../../../server/src/core/ids.ts'
import { verifyBooks } from '../../../server/src/ledger/index.ts'
import type { Db } from '../../../server/src/store/db.ts'
import { putTasks } from '../../../server/src/store/tasks.ts'
import { testDatabase } from '../../../server/src/store/testing.ts'
import { startSandbox } from '../../../server/src/venues/sandbox-process.testing.ts'
import type { SandboxProcess } from '../../../server/src/venues/sandbox-process.testing.ts'
import { RepeatingClient } from './client.ts'
import type { Method } from './client.ts'
import { openDatabaseProxy } from './database-proxy.ts'
import type { Cut, CutAt } from './database-proxy.ts'
import { Opened } from './opened.ts'
import { until } from './patience.ts'
import { PASSWORD, Processes } from './processes.ts'
import { TRADING_VENUES, VENUES, writeConfiguration } from './world-configuration.ts'
import type { VenueKey } from './world-configuration.ts'

export { VENUES }
export type { VenueKey }

/** World seconds per second. */
export const PACE = 20
const HOUR_MILLISECONDS = 3_600_000
const WORKERS = 2
/** The markets stand: no row may end otherwise because a price went somewhere. */
const PRICES = { 'BTC/EUR': '60000', 'ETH/EUR': '2400', 'ETH/BTC': '0.04' }
const FUNDS: Readonly<Record<string, string>> = {
  EUR: '100000',
  BTC: '10',
  ETH: '100',
  USDC: '10000',
}
/** Of less a job finds the fee too high. */
const ENOUGH_FOR_GAS = '0.0'
/** Two decimals are enough for these, as banks have no more. */
const IN_CENTS = ['EUR', 'USDC']

export type World = {
  sandbox: SandboxProcess
  db: Db
  processes: Processes
  workspace: WorkspaceId
  customer: Customer
  /** Has the same money. */
  other: Customer
  venues: Readonly<Record<VenueKey, string>>
  call<Data>(method: Method, path: string, body?: unknown, key?: string): Promise<Data>
  wallet(label: string): Promise<Wallet>
  route(label: string): Promise<string>
  /** A quantity that nothing else has: by it a movement is known in every book. */
  quantity(asset: string): string
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

type Customer = { id: string; account_id: string }
export type Wallet = {
  id: string
  label: string
  address: string
  asset: string
  venue_id: string | null
  service_id: string | null
  type: string
  foreign_id: string | null
  state: string
}

type Call = World['call']

export async function openWorld(): Promise<World> {
  const opened = new Opened()
  try {
    const parts = await openParts(opened)
    return worldOf(parts, await furnish(parts.call), opened)
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
  const dir = await mkdtemp(join(tmpdir(), 'faults-'))
  opened.add(() => rm(dir, { recursive: true, force: true }))
  const database = await testDatabase({ maximumConnections: 4 })
  opened.add(() => database.drop())
  const sandbox = await startSandbox()
  opened.add(() => sandbox.stop())
  const proxy = await openDatabaseProxy(database.url)
  opened.add(() => proxy.close())
  const processes = await Processes.open({ dir, databaseUrl: proxy.url, workers: WORKERS })
  opened.add(() => processes.stop())
  await sandbox.control('POST', 'clock', { pace: PACE })
  for (const exchange of TRADING_VENUES)
    for (const [pair, price] of Object.entries(PRICES))
      await sandbox.control('POST', `${exchange}/market`, { pair, price, frozen: true })
  const { email } = await processes.start({ KONTOR_CONFIG: await writeConfiguration(sandbox) })
  const client = new RepeatingClient(processes.port, { email, password: PASSWORD })
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
    call: (method, path, body, key) => client.call(method, path, body, key),
    cut: proxy.cut,
  }
}

type Furniture = Pick<World, 'workspace' | 'venues' | 'customer' | 'other'>

/** Nobody's: a matching would give a customer what the broker pays here for a settlement. */
const UNMATCHED = 'Vault BTC'

/** Connected venues, two customers with money, and matchings that give what arrives to one. */
async function furnish(call: Call): Promise<Furniture> {
  const wallets = await call<(Wallet & { workspace: WorkspaceId })[]>('GET', '/treasury/wallets')
  const { workspace } = mustExist(wallets[0], 'a wallet')
  const venues = await connectedVenues(call)
  const customer = await createCustomer(call, 'Faults', 'ADVANCED')
  const other = await createCustomer(call, 'More faults', 'SIMPLE')
  for (const { address: destination_address, asset, label } of wallets) {
    if (label === UNMATCHED) continue
    await call('POST', '/accounts/matchings', {
      resource_id: customer.account_id,
      type: 'DESTINATION_WITHOUT_REFERENCE',
      details: { asset, is_withdrawal_matching: false, destination_address },
    })
  }
  return { workspace, venues, customer, other }
}

async function connectedVenues(call: Call): Promise<World['venues']> {
  const connected = await until('the connection of every venue', async () => {
    const all = await call<{ id: string; label: string; state: string }[]>('GET', '/venues')
    const isDone = all.length === VENUES.length && all.every((venue) => venue.state === 'CONNECTED')
    return isDone ? all : undefined
  })
  const idOf = (word: string) =>
    connected.find((venue) => venue.label.toLowerCase().includes(word))?.id ?? ''
  return Object.fromEntries(VENUES.map((key) => [key, idOf(key)])) as Record<VenueKey, string>
}

async function createCustomer(
  call: Call,
  label: string,
  booking_schema: string,
): Promise<Customer> {
  const customer = await call<Customer>('POST', '/customers', {
    type: 'RETAIL',
    label,
    margin: 'DEFAULT',
    booking_schema,
    ignore_balance_check: false,
    ignore_margin: false,
    first_name: 'F',
    last_name: 'T',
  })
  const accounts = await call<{ id: string; type: string }[]>('GET', '/accounts')
  const house = accounts.find((account) => account.type === 'HOUSE')
  for (const [asset, quantity] of Object.entries(FUNDS)) {
    await call('POST', '/bookings', {
      asset,
      legs: [
        { account_id: house?.id, type: 'DEBIT', quantity },
        { account_id: customer.account_id, type: 'CREDIT', quantity },
      ],
    })
  }
  return customer
}

function worldOf(parts: Parts, furniture: Furniture, opened: Opened): World {
  const { sandbox, db, call } = parts
  const { workspace, venues } = furniture
  const quantities = new Quantities()
  const time = new WorldTime(parts)
  return {
    ...parts,
    ...furniture,
    close: () => opened.close(),
    wallet: async (label) => {
      const wallets = await call<Wallet[]>('GET', '/treasury/wallets')
      return mustExist(
        wallets.find((wallet) => wallet.label === label),
        `a wallet ${label}`,
      )
    },
    route: async (label) => {
      const routes = await call<{ id: string; label: string }[]>('GET', '/treasury/wallets/routes')
      const route = routes.find((known) => known.label === label)
      return mustExist(route, `a route ${label}`).id
    },
    quantity: (asset) => quantities.next(asset),
    poll: (venue) =>
      putTasks(db, [{ workspace, kind: 'poll_venue', subject_id: venues[venue], due_at: 0 }]),
    outside: (query, ...values) => readBooks(sandbox, query, values),
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

function readBooks<Row>(sandbox: SandboxProcess, query: string, values: string[]): Row[] {
  const books = new DatabaseSync(join(sandbox.dir, 'world.sqlite'), { readOnly: true })
  try {
    return books.prepare(query).all(...values) as Row[]
  } finally {
    books.close()
  }
}

class Quantities {
  #drawn = 0

  /** Two apart: one and an exchange's fee of 1 is no other's. */
  next(asset: string): string {
    this.#drawn += this.#drawn % 10 === 9 ? 2 : 1
    if (!IN_CENTS.includes(asset)) {
      const figures = String(200_000 + this.#drawn * 7).replace(/0+$/, '')
      return `${asset === 'ETH' ? ENOUGH_FOR_GAS : '0.00'}${figures}`
    }
    const whole = 20 + 2 * Math.floor(this.#drawn / 100)
    const cents = String(this.#drawn % 100).padStart(2, '0')
    return `${whole}.${cents.replace(/0$/, '')}`
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
