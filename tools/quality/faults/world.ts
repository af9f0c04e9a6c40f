/**
 * The world of the fault matrix: the whole sandbox, a database behind a proxy, the service as
 * processes that die and come back, one customer with money, and a client that repeats what was not
 * answered with the same key, as an integrator does.
 */
import { mustExist } from '../../../server/src/core/assert.ts'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { newId } from '../../../server/src/core/ids.ts'
import type { WorkspaceId } from '../../../server/src/core/ids.ts'
import { verifyBooks } from '../../../server/src/ledger/index.ts'
import type { Db } from '../../../server/src/store/db.ts'
import { putTasks } from '../../../server/src/store/tasks.ts'
import { testDatabase } from '../../../server/src/store/testing.ts'
import { startSandbox } from '../../../server/src/venues/sandbox-process.ts'
import type { SandboxProcess } from '../../../server/src/venues/sandbox-process.ts'
import { openDatabaseProxy } from './database-proxy.ts'
import type { Cut, CutAt } from './database-proxy.ts'
import { openProcesses, PASSWORD } from './processes.ts'
import type { Processes } from './processes.ts'

/** The venues of the sandbox by the names under which faults are set there. */
export const VENUES = ['fireblocks', 'kraken', 'bitstamp', 'prime', 'managed', 'bank'] as const
export type VenueKey = (typeof VENUES)[number]

/** World seconds per second. */
export const PACE = 20
const VENUE_TIMEOUT_MILLISECONDS = 2_000
const PATIENCE_MILLISECONDS = 180_000
const LOOK_MILLISECONDS = 100
const REPEAT_MILLISECONDS = 200
const HOUR_MILLISECONDS = 3_600_000
const WORKERS = 2
const ASSETS = ['EUR', 'BTC', 'ETH']
/** What is traded over two hops is held at the exchanges only. */
const TRADED = ['ETH']
const TRADING_VENUES = ['kraken', 'bitstamp', 'prime']
const PRICE_ROUTES = ['btc-eur', 'btc-eur-bitstamp', 'eth-eur-over-btc', 'btc-eur-prime']
/** The markets stand: no row may end otherwise because a price went somewhere. */
const PRICES = { 'BTC/EUR': '60000', 'ETH/EUR': '2400', 'ETH/BTC': '0.04' }
const FUNDS: Readonly<Record<string, string>> = { EUR: '100000', BTC: '10' }

export type World = {
  sandbox: SandboxProcess
  db: Db
  processes: Processes
  workspace: WorkspaceId
  customer: Customer
  /** Has the same money. */
  other: Customer
  venues: Readonly<Record<VenueKey, string>>
  call<Data>(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: unknown,
    key?: string,
  ): Promise<Data>
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

const ENDING = ['SIGINT', 'SIGTERM'] as const

/** Waits for a condition, not for a time. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined>,
  patience = PATIENCE_MILLISECONDS,
): Promise<T> {
  const end = Date.now() + patience
  for (;;) {
    const seen = await look()
    if (seen !== undefined) return seen
    if (Date.now() > end) throw new Error(`${what} did not come within ${patience / 1000} s`)
    await pause(LOOK_MILLISECONDS)
  }
}

export async function openWorld(): Promise<World> {
  const opened: (() => Promise<void>)[] = []
  /**
   * The last one opened is the first one closed; one that cannot be closed keeps none of the others
   * open.
   */
  const close = async (): Promise<void> => {
    const errors: unknown[] = []
    for (let end = opened.pop(); end !== undefined; end = opened.pop())
      await end().catch((error: unknown) => {
        errors.push(error)
      })
    for (const signal of ENDING) process.off(signal, interrupted)
    if (errors.length > 0) throw new AggregateError(errors, 'the world could not be closed')
  }
  /** Who ends the run half-way leaves no process, folder or database behind either. */
  const interrupted = (signal: NodeJS.Signals): void => {
    void close()
      .catch(() => undefined)
      .then(() => process.kill(process.pid, signal))
  }
  for (const signal of ENDING) process.once(signal, interrupted)
  try {
    const dir = await mkdtemp(join(tmpdir(), 'faults-'))
    opened.push(() => rm(dir, { recursive: true, force: true }))
    const database = await testDatabase({ maximumConnections: 4 })
    opened.push(() => database.drop())
    const sandbox = await startSandbox()
    opened.push(() => sandbox.stop())
    const proxy = await openDatabaseProxy(database.url)
    opened.push(() => proxy.close())
    const processes = await openProcesses({ dir, databaseUrl: proxy.url, workers: WORKERS })
    opened.push(() => processes.stop())
    await sandbox.control('POST', 'clock', { pace: PACE })
    for (const exchange of TRADING_VENUES)
      for (const [pair, price] of Object.entries(PRICES))
        await sandbox.control('POST', `${exchange}/market`, { pair, price, frozen: true })
    const { email } = await processes.start({ KONTOR_CONFIG: await configuration(sandbox) })
    return await furnished()
    async function furnished(): Promise<World> {
      let token = ''
      const call = async <Data>(
        method: string,
        path: string,
        body?: unknown,
        key = newId(),
      ): Promise<Data> => {
        const end = Date.now() + PATIENCE_MILLISECONDS
        for (;;) {
          const answer = await ask(method, path, body, key)
          if (answer?.status === 401 && path !== '/auth/login')
            token = (
              await call<{ access_token: string }>('POST', '/auth/login', {
                email,
                password: PASSWORD,
              })
            ).access_token
          else if (answer !== undefined && answer.status < 500 && answer.status !== 409) {
            if (!answer.body.success)
              throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
            return answer.body.data as Data
          } else if (Date.now() > end)
            throw new Error(`${method} ${path} was not answered: ${JSON.stringify(answer?.body)}`)
          await pause(REPEAT_MILLISECONDS)
        }
      }
      /** Undefined when nobody answers. */
      const ask = async (
        method: string,
        path: string,
        body: unknown,
        key: string,
      ): Promise<{ status: number; body: { success: boolean; data: unknown } } | undefined> => {
        const headers = {
          ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
          ...(method === 'GET' || path === '/auth/login' ? {} : { 'idempotency-key': key }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        }
        try {
          const response = await fetch(`http://127.0.0.1:${processes.port}/api${path}`, {
            method,
            headers,
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          })
          return {
            status: response.status,
            body: (await response.json()) as { success: boolean; data: unknown },
          }
        } catch {
          return undefined
        }
      }

      const wallets = await call<(Wallet & { workspace: WorkspaceId })[]>(
        'GET',
        '/treasury/wallets',
      )
      const workspace = mustExist(wallets[0], 'a wallet').workspace
      const connected = await until('the connection of every venue', async () => {
        const all = await call<{ id: string; label: string; state: string }[]>('GET', '/venues')
        return all.length === VENUES.length && all.every((venue) => venue.state === 'CONNECTED')
          ? all
          : undefined
      })
      const idOf = (word: string) =>
        connected.find((venue) => venue.label.toLowerCase().includes(word))?.id ?? ''
      const venues = Object.fromEntries(VENUES.map((key) => [key, idOf(key)])) as Record<
        VenueKey,
        string
      >
      const house = (await call<{ id: string; type: string }[]>('GET', '/accounts')).find(
        (account) => account.type === 'HOUSE',
      )
      const rich = async (label: string, booking_schema: string): Promise<Customer> => {
        const made = await call<Customer>('POST', '/customers', {
          type: 'RETAIL',
          label,
          margin: 'DEFAULT',
          booking_schema,
          ignore_balance_check: false,
          ignore_margin: false,
          first_name: 'F',
          last_name: 'T',
        })
        for (const [asset, quantity] of Object.entries(FUNDS)) {
          await call('POST', '/bookings', {
            asset,
            legs: [
              { account_id: house?.id, type: 'DEBIT', quantity },
              { account_id: made.account_id, type: 'CREDIT', quantity },
            ],
          })
        }
        return made
      }
      const customer = await rich('Faults', 'ADVANCED')
      const other = await rich('More faults', 'SIMPLE')
      for (const { address: destination_address, asset } of wallets) {
        await call('POST', '/accounts/matchings', {
          resource_id: customer.account_id,
          type: 'DESTINATION_WITHOUT_REFERENCE',
          details: { asset, is_withdrawal_matching: false, destination_address },
        })
      }

      let asked = 0
      let hours = 0
      return {
        sandbox,
        db: database.db,
        processes,
        workspace,
        customer,
        other,
        venues,
        call,
        close,
        cut: proxy.cut,
        wallet: async (label) =>
          present(
            (await call<Wallet[]>('GET', '/treasury/wallets')).find(
              (wallet) => wallet.label === label,
            ),
            `a wallet ${label}`,
          ),
        route: async (label) =>
          present(
            (await call<{ id: string; label: string }[]>('GET', '/treasury/wallets/routes')).find(
              (route) => route.label === label,
            ),
            `a route ${label}`,
          ).id,
        quantity(asset) {
          asked += asked % 10 === 9 ? 2 : 1
          // Two apart: one and an exchange's fee of 1 is no other's.
          return asset === 'EUR'
            ? `${20 + 2 * Math.floor(asked / 100)}.${String(asked % 100)
                .padStart(2, '0')
                .replace(/0$/, '')}`
            : `0.00${200_000 + asked * 7}`.replace(/0+$/, '')
        },
        poll: (venue) =>
          putTasks(database.db, [
            { workspace, kind: 'poll_venue', subject_id: venues[venue], due_at: 0 },
          ]),
        outside(query, ...values) {
          const books = new DatabaseSync(join(sandbox.dir, 'world.sqlite'), { readOnly: true })
          try {
            return books.prepare(query).all(...values) as never[]
          } finally {
            books.close()
          }
        },
        clear: async (venue) => {
          await sandbox.control('DELETE', `faults?venue=${venue}`)
          if (TRADING_VENUES.includes(venue))
            await sandbox.control('POST', `${venue}/halt`, { status: 'online' })
        },
        async hour() {
          await processes.stop()
          await sandbox.control('POST', 'clock', { pace: 1 })
          processes.ahead(HOUR_MILLISECONDS)
          hours += 1
          process.env['NODE_OPTIONS'] =
            `--import ${new URL('./clock-ahead.mjs', import.meta.url).pathname}`
          process.env['KONTOR_AHEAD_MS'] = String(hours * HOUR_MILLISECONDS)
          await sandbox.restart()
          delete process.env['NODE_OPTIONS']
          delete process.env['KONTOR_AHEAD_MS']
          await sandbox.control('POST', 'clock', { pace: PACE })
          await processes.start()
        },
        verify: async () => (await verifyBooks(database.db, workspace)).faults,
      }
    }
  } catch (error) {
    await close()
    throw error
  }
}

const isKnown = (key: string): boolean => (VENUES as readonly string[]).includes(key)

/**
 * The demo world with a few assets and price routes, and with venues that are waited for two
 * seconds.
 */
async function configuration(sandbox: SandboxProcess): Promise<string> {
  const config = JSON.parse(await readFile(join(sandbox.dir, 'kontor.json'), 'utf8')) as {
    venues: { key: string; kind: string; options: Record<string, string> }[]
    wallets: { key: string; venue: string; asset: string }[]
    assets: { code: string }[]
    routes: { from: string; to: string }[]
    price_routes: { key: string }[]
    aggregator?: unknown
  }
  config.venues = config.venues.filter((venue) => isKnown(venue.key))
  for (const { kind, options } of config.venues) {
    if (kind !== 'BANK') options['request_timeout_ms'] = String(VENUE_TIMEOUT_MILLISECONDS)
    if (kind === 'EXCHANGE')
      Object.assign(options, { listing_grace_ms: '2000', request_window_ms: '3000' })
  }
  config.assets = config.assets.filter((asset) => ASSETS.includes(asset.code))
  config.wallets = config.wallets.filter(
    (wallet) =>
      ASSETS.includes(wallet.asset) &&
      isKnown(wallet.venue) &&
      (!TRADED.includes(wallet.asset) || TRADING_VENUES.includes(wallet.venue)),
  )
  const keys = new Set(config.wallets.map((wallet) => wallet.key))
  config.routes = config.routes.filter((route) => keys.has(route.from) && keys.has(route.to))
  config.price_routes = config.price_routes.filter((priceRoute) =>
    PRICE_ROUTES.includes(priceRoute.key),
  )
  delete config.aggregator
  const path = join(sandbox.dir, 'faults.json')
  await writeFile(path, JSON.stringify(config))
  return path
}

export function present<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`expected ${what}`)
  return value
}
