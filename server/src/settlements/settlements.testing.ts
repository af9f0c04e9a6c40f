/**
 * For tests: the sandbox's prime broker, bank and vault, a database, and the service as real
 * processes that may be killed. The broker trades on credit; it pays what it owes when nothing is
 * owed to it.
 */
import { spawn } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { WorkspaceId } from '../core/ids.ts'
import { openServices } from '../core/service.testing.ts'
import type { Service } from '../core/service.testing.ts'
import { until as waitUntil } from '../core/testing.ts'
import { balancesOf, verifyBooks } from '../ledger/index.ts'
import { sql } from '../store/sql.ts'
import { testDatabase } from '../store/testing.ts'
import type { TestDatabase } from '../store/testing.ts'
import { startSandbox } from '../venues/sandbox-process.ts'
import type { SandboxProcess } from '../venues/sandbox-process.ts'
import type { Settlement } from './settlements.schema.ts'

const COMMAND = new URL('../../../tools/setup/command.mjs', import.meta.url).pathname
const PASSWORD = 'settlement tests only'
const PACE = 20
const FAR_MILLISECONDS = 30 * 86_400_000
const KEPT = { venues: ['prime', 'bank', 'fireblocks'], assets: ['EUR', 'BTC'] }

export type Answer<Data> = {
  success: boolean
  data: Data
  error_code?: number
  error_details?: { path: string; code: string; message: string }[]
}
export type SettlementWorld = Awaited<ReturnType<typeof openSettlementWorld>>
export type Customer = { id: string; account_id: string }

export async function openSettlementWorld() {
  const database = await testDatabase({ maximumConnections: 3 })
  const sandbox = await startSandbox()
  try {
    return await open(database, sandbox)
  } catch (error) {
    await sandbox.stop()
    await database.drop()
    throw error
  }
}

async function open(database: TestDatabase, sandbox: SandboxProcess) {
  const failpoints = join(sandbox.dir, 'failpoints')
  await mkdir(failpoints)

  const services = openServices({
    DATABASE_URL: database.url,
    KONTOR_ADMIN_PASSWORD: PASSWORD,
    KONTOR_LEASE_MS: '2000',
    KONTOR_FAILPOINTS: failpoints,
  })
  const { start, kill } = services

  type Keyed = {
    key: string
    venue?: string
    from?: string
    to?: string
    asset?: string
    settlement?: string
  }
  const config = JSON.parse(await readFile(join(sandbox.dir, 'kontor.json'), 'utf8')) as {
    assets: { code: string }[]
    venues: Keyed[]
    wallets: Keyed[]
    routes: Keyed[]
    price_routes: Keyed[]
    aggregator?: unknown
  }
  delete config.aggregator
  config.assets = config.assets.filter((asset) => KEPT.assets.includes(asset.code))
  config.venues = config.venues.filter((venue) => KEPT.venues.includes(venue.key))
  config.wallets = config.wallets.filter(
    (wallet) =>
      KEPT.venues.includes(wallet.venue ?? '') && KEPT.assets.includes(wallet.asset ?? ''),
  )
  const wallets = new Set(config.wallets.map((wallet) => wallet.key))
  config.routes = config.routes.filter(
    (route) => wallets.has(route.from ?? '') && wallets.has(route.to ?? ''),
  )
  config.price_routes = config.price_routes.filter(
    (priceRoute) => priceRoute.key === 'btc-eur-prime',
  )
  const path = join(sandbox.dir, 'settlements.json')
  await writeFile(path, JSON.stringify(config))
  await sandbox.control('POST', 'clock', { pace: PACE })

  let api: Service
  let base = ''
  let token = ''
  const ask = async <Data>(
    method: string,
    url: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<Data>> => {
    const response = await fetch(`${base}${url}`, {
      method,
      headers: {
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return (await response.json()) as Answer<Data>
  }
  async function call<Data>(
    method: string,
    url: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Data> {
    const answer = await ask<Data>(method, url, body, headers)
    if (!answer.success) throw new Error(`${method} ${url}: ${JSON.stringify(answer)}`)
    return answer.data
  }
  async function startApi(env: Record<string, string> = {}): Promise<void> {
    api = start({ KONTOR_ROLE: 'api', ...env })
    const { port, admin } = await api.ready
    base = `http://127.0.0.1:${port}/api`
    if (token === '')
      token = (
        await call<{ access_token: string }>('POST', '/auth/login', {
          email: admin.email,
          password: PASSWORD,
        })
      ).access_token
  }
  /** Venues are read every ten seconds, settlements every two; here at once. */
  const lookNow = () =>
    database.db.query(
      sql`
        update tasks
        set due_at = 0
        where kind in ('poll_venue', 'settlement', 'withdrawal')
          and leased_until is null
          and due_at > 0`,
    )
  const until = <T>(what: string, look: () => Promise<T | undefined>) =>
    waitUntil(what, async () => {
      const seen = await look()
      if (seen === undefined) await lookNow()
      return seen
    })

  await startApi({ KONTOR_CONFIG: path })
  let worker = start({ KONTOR_ROLE: 'worker' })
  await until('the connection of the venues', async () =>
    (await call<{ state: string }[]>('GET', '/venues')).every((each) => each.state === 'CONNECTED')
      ? true
      : undefined,
  )
  const venues = await call<
    {
      id: string
      label: string
      workspace: WorkspaceId
      settlement: string
      services: { id: string; type: string }[]
    }[]
  >('GET', '/venues')
  const prime = venues.find((venue) => venue.settlement === 'POST_TRADE')
  if (prime === undefined) throw new Error('no venue settles after the trade')
  const { workspace } = prime
  const accounts = await call<
    { id: string; type: string; venue_id: string | null; label: string }[]
  >('GET', '/accounts')
  const accountOf = (type: string, venue_id: string | null = null): string =>
    accounts.find((account) => account.type === type && account.venue_id === venue_id)?.id ?? ''
  const [route] = await call<{ id: string }[]>('GET', '/price-stream/routes')

  // World time runs faster than ours.
  const timerange_to = Date.now() + FAR_MILLISECONDS

  let customers = 0
  async function customer(booking_schema: 'ADVANCED' | 'SIMPLE' = 'ADVANCED'): Promise<Customer> {
    customers += 1
    const made = await call<Customer>('POST', '/customers', {
      type: 'RETAIL',
      label: `Customer ${customers}`,
      margin: 'DEFAULT',
      booking_schema,
      ignore_balance_check: false,
      ignore_margin: false,
      first_name: 'S',
      last_name: String(customers),
    })
    for (const [asset, quantity] of [
      ['EUR', '100000'],
      ['BTC', '1'],
    ]) {
      await call('POST', '/bookings', {
        asset,
        legs: [
          { account_id: accountOf('HOUSE'), type: 'DEBIT', quantity },
          { account_id: made.account_id, type: 'CREDIT', quantity },
        ],
      })
    }
    return made
  }

  return {
    sandbox,
    database,
    workspace,
    prime,
    ask,
    call,
    until,
    customer,
    startApi,
    kill,
    start,
    api: () => api,
    worker: () => worker,
    /** The next process that passes there dies. */
    dieAt: (point: string) => writeFile(join(failpoints, point), ''),
    async restartWorker(): Promise<void> {
      await kill(worker)
      worker = start({ KONTOR_ROLE: 'worker' })
    },
    /** Applies the configuration beside the running service, with the broker paid so. */
    async configure(
      settlement: 'PREFUNDED' | 'POST_TRADE',
    ): Promise<{ code: number; told: string }> {
      await writeFile(
        path,
        JSON.stringify({
          ...config,
          venues: config.venues.map((venue) =>
            venue.key === 'prime' ? { ...venue, settlement } : venue,
          ),
        }),
      )
      const child = spawn(process.execPath, [COMMAND, 'configure', path], {
        env: { ...process.env, DATABASE_URL: database.url },
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      let told = ''
      child.stderr.on('data', (chunk) => (told += chunk))
      const code = await new Promise<number>((done, fail) =>
        child.once('error', fail).once('close', (status) => {
          done(status ?? -1)
        }),
      )
      return { code, told }
    },
    async trade(who: Customer, side: 'BUY' | 'SELL', amount: string): Promise<string> {
      const execution = await until('a fresh price', async () => {
        const answer = await ask<{ id: string }>('POST', '/executions', {
          route_id: route?.id,
          amount,
          side,
          execution_type: 'MARKET',
          customers: [{ customer_id: who.id }],
        })
        if (!answer.success && answer.error_details?.[0]?.code !== 'STALE_PRICE')
          throw new Error(JSON.stringify(answer))
        return answer.success ? answer.data : undefined
      })
      await until('the end of the execution', async () => {
        const { state, reason } = await call<{ state: string; reason: string | null }>(
          'GET',
          `/executions/${execution.id}`,
        )
        if (state === 'FAILED' || state === 'CANCELED')
          throw new Error(`the execution is ${state}: ${reason}`)
        return state === 'DONE' ? true : undefined
      })
      return execution.id
    },
    /** Everything that is not settled yet. */
    claim: (headers?: Record<string, string>) =>
      call<Settlement>(
        'POST',
        '/settlements',
        { timerange_from: 1_000_000_000_000, timerange_to },
        headers,
      ),
    settled: (id: string) =>
      until(`the end of settlement ${id}`, async () => {
        const settlement = await call<Settlement>('GET', `/settlements/${id}`)
        return settlement.state === 'SETTLED' ? settlement : undefined
      }),
    /** total of an account by asset; what is 0 is left out. */
    async totals(type: string, venue_id: string | null = null): Promise<Record<string, string>> {
      const balances = await call<Record<string, { total: string }>>(
        'GET',
        `/bookings/accounts/${accountOf(type, venue_id)}/balance`,
      )
      return Object.fromEntries(
        Object.entries(balances).flatMap(([asset, { total }]) =>
          total === '0' ? [] : [[asset, total]],
        ),
      )
    },
    async balance(who: Customer, asset: string) {
      return (
        await call<Record<string, { total: string; trading: string; withdrawing: string }>>(
          'GET',
          `/bookings/accounts/${who.account_id}/balance`,
        )
      )[asset]
    },
    unsettled: async (who: Customer, asset: string) =>
      (await balancesOf(database.db, workspace, who.account_id)).find(
        (balance) => balance.asset === asset,
      )?.unsettled,
    openHolds: async () =>
      (
        await database.db.query<{ count: number }>(
          sql`
            select count(*)::int as count
            from holds
            where workspace = ${workspace}
              and state = 'OPEN'`,
        )
      )[0]?.count,
    verify: async () => (await verifyBooks(database.db, workspace)).faults,
    async close(): Promise<void> {
      await services.killAll()
      await sandbox.stop()
      await database.drop()
    },
  }
}
