/**
 * For the fault tests: the sandbox, a database, and the service as real processes that are killed
 * and started again. An API process takes the requests; worker processes send, and die. The lease
 * is short, so that the next worker takes over soon.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { apiClient, openServices, prepareDatabase } from '../../core/service.testing.ts'
import type { Service } from '../../core/service.testing.ts'
import { until } from '../../core/testing.ts'
import { verifyBooks } from '../../ledger/index.ts'
import type { Db } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import { testDatabase } from '../../store/testing.ts'
import { startSandbox } from '../../venues/sandbox-process.testing.ts'

const ADMIN = { email: 'admin@example.com', password: 'fault tests only' }
const LEASE_MILLISECONDS = 2_000
const VENUE_TIMEOUT_MILLISECONDS = 2_000
const PACE = 20
const FUNDS = '3'

type Facts = {
  id: string
  state: string
  /** How often the vault was asked to send it, and how often it arrived outside. */
  received: number
  arrived: number
  /**
   * `captured` or `released` when the one hold ended wholly that way, else what is odd about it.
   */
  hold: string
  bookings: string[]
}

export type FaultWorld = Awaited<ReturnType<typeof openFaultWorld>>

export async function openFaultWorld() {
  const database = await testDatabase({ maximumConnections: 3 })
  const [sandbox] = await Promise.all([startSandbox(), prepareDatabase(database.url, ADMIN)])
  const services = openServices({
    DATABASE_URL: database.url,
    KONTOR_LEASE_MS: String(LEASE_MILLISECONDS),
    KONTOR_KEY_FILE: join(sandbox.dir, 'kontor.key'),
  })
  let starts = 0
  const start = (env: Record<string, string>): Service => {
    starts += 1
    return services.start(env)
  }
  const config = await vaultAlone(sandbox)
  await sandbox.control('POST', 'clock', { pace: PACE })

  const client = apiClient(ADMIN)
  let api: Service
  async function startApi(env: Record<string, string> = {}): Promise<void> {
    api = start({ KONTOR_ROLE: 'api', ...env })
    await client.connect((await api.ready).port)
  }
  await startApi({ KONTOR_CONFIG: config })
  const setUp = start({ KONTOR_ROLE: 'worker' })
  const payout = await openPayout(client.call, sandbox)
  await services.kill(setUp)
  const { workspace, customer } = payout
  return {
    sandbox,
    db: database.db,
    call: client.call,
    workspace,
    customer,
    starts: () => starts,
    startApi,
    killApi: () => services.kill(api),
    /** The configuration file that counts. */
    config,
    api: () => api,
    withdraw: withdrawer(client.call, payout),
    worker: (failpoint?: string, subject?: string) =>
      start({
        KONTOR_ROLE: 'worker',
        ...(failpoint === undefined ? {} : { KONTOR_FAILPOINT: failpoint }),
        ...(subject === undefined ? {} : { KONTOR_FAILPOINT_SUBJECT: subject }),
      }),
    kill: services.kill,
    mode: (outcome: SendOutcome) => setSendOutcome(sandbox, outcome),
    stateOf: async (id: string) =>
      (await client.call<{ state: string }>('GET', `/treasury/withdrawals/${id}`)).state,
    facts: (id: string) => factsOf({ call: client.call, db: database.db, sandbox, payout }, id),
    /** Faults of the books, none when all is well. */
    verify: async () =>
      (await verifyBooks(database.db, workspace)).faults.map((fault) => JSON.stringify(fault)),
    async close(): Promise<void> {
      await services.killAll()
      await sandbox.stop()
      await database.drop()
    },
  }
}

type Sandbox = Awaited<ReturnType<typeof startSandbox>>
type Call = ReturnType<typeof apiClient>['call']

/** The configuration with the vault alone: the rest of the demo world would only take time here. */
async function vaultAlone(sandbox: Sandbox): Promise<string> {
  const path = join(sandbox.dir, 'kontor.json')
  const config = JSON.parse(await readFile(path, 'utf8')) as {
    venues: { key: string; options: Record<string, string> }[]
    wallets: { key: string }[]
    assets: { code: string }[]
    routes?: unknown
    price_routes?: unknown
    aggregator?: unknown
  }
  config.venues = config.venues.filter((venue) => venue.key === 'fireblocks')
  for (const venue of config.venues)
    venue.options['request_timeout_ms'] = String(VENUE_TIMEOUT_MILLISECONDS)
  config.wallets = config.wallets.filter((wallet) => wallet.key === 'vault-btc')
  config.assets = config.assets.filter((asset) => asset.code === 'BTC')
  delete config.routes
  delete config.price_routes
  delete config.aggregator
  const vaultOnly = join(sandbox.dir, 'vault-only.json')
  await writeFile(vaultOnly, JSON.stringify(config))
  return vaultOnly
}

/** A customer with funds, and an allow-listed route from the vault to an address outside. */
async function openPayout(call: Call, sandbox: Sandbox) {
  const [from] = await call<{ id: string; venue_id: string; workspace: WorkspaceId }[]>(
    'GET',
    '/treasury/wallets',
  )
  if (from === undefined) throw new Error('the vault has no wallet')
  await until('the connection of the vault', async () =>
    (await call<{ state: string }[]>('GET', '/venues')).find((row) => row.state === 'CONNECTED'),
  )
  const customer = await openCustomer(call)
  const { address } = await sandbox.control<{ address: string }>('POST', 'chain/addresses', {
    protocol: 'BTC',
  })
  const to = await call<{ id: string }>('POST', '/treasury/wallets', {
    type: 'CUSTOMER',
    asset: 'BTC',
    address,
    label: 'outside',
    account_id: customer.account_id,
    customer_id: customer.id,
    access_type: 'EXTERNAL',
  })
  const route = await call<{ id: string }>('POST', '/treasury/wallets/routes', {
    from_wallet_id: from.id,
    to_wallet_id: to.id,
    protocol: 'BTC',
    label: 'payout',
    transfer: { from: {}, to: {} },
  })
  await call('PUT', `/treasury/wallets/routes/${route.id}/allow`, {})
  await until('the allow-list', async () =>
    (
      await call<{ id: string; transfer: { to: { on_allowlist: boolean } } }[]>(
        'GET',
        '/treasury/wallets/routes',
      )
    ).find((row) => row.id === route.id && row.transfer.to.on_allowlist),
  )
  return { workspace: from.workspace, customer, address, route_id: route.id }
}

type Payout = Awaited<ReturnType<typeof openPayout>>

async function openCustomer(call: Call) {
  const customer = await call<{ id: string; account_id: string }>('POST', '/customers', {
    type: 'RETAIL',
    label: 'Faults',
    margin: 'DEFAULT',
    booking_schema: 'ADVANCED',
    ignore_balance_check: false,
    ignore_margin: false,
    first_name: 'F',
    last_name: 'T',
  })
  const accounts = await call<{ id: string; type: string }[]>('GET', '/accounts')
  const house = accounts.find((account) => account.type === 'HOUSE')?.id
  await call('POST', '/bookings', {
    asset: 'BTC',
    legs: [
      { account_id: house, type: 'DEBIT', quantity: FUNDS },
      { account_id: customer.account_id, type: 'CREDIT', quantity: FUNDS },
    ],
  })
  return customer
}

/** Each of its own quantity, by which it is recognised on the chain; `key` repeats a request. */
function withdrawer(call: Call, { customer, route_id }: Payout) {
  let asked = 0
  return async (key: string = newId(), quantity?: string): Promise<string> => {
    if (quantity === undefined) asked += asked % 10 === 9 ? 2 : 1
    const body = {
      account_id: customer.account_id,
      speed_level: 'DEFAULT',
      quantity: quantity ?? `0.001${String(asked).padStart(5, '0').replace(/0+$/, '')}`,
    }
    const withdrawal = await call<{ id: string }>(
      'POST',
      `/treasury/wallets/routes/${route_id}/withdrawals`,
      body,
      { 'idempotency-key': key },
    )
    return withdrawal.id
  }
}

type SendOutcome = 'accepted' | 'refused' | 'time-out after accept'

/** What the vault does with every request to send, until it is set to something else. */
async function setSendOutcome(sandbox: Sandbox, outcome: SendOutcome): Promise<void> {
  await sandbox.control('DELETE', 'faults')
  if (outcome !== 'accepted')
    await sandbox.fault(
      'fireblocks',
      'create_transaction',
      outcome === 'refused' ? 'REFUSE' : 'TIMEOUT_AFTER_ACCEPT',
      { remaining: -1 },
    )
}

type Hold = { state: string; quantity: string; captured: string; released: string }

type Sources = { call: Call; db: Db; sandbox: Sandbox; payout: Payout }

async function factsOf({ call, db, sandbox, payout }: Sources, id: string): Promise<Facts> {
  const holds = await db.query<Hold>(
    sql`
      select state, quantity, captured, released
      from holds
      where workspace = ${payout.workspace}
        and cause_id = ${id}`,
  )
  const bookings = await call<{ type: string }[]>('GET', `/bookings?reference_id=${id}`)
  const { state, quantity } = await call<{ state: string; quantity: string }>(
    'GET',
    `/treasury/withdrawals/${id}`,
  )
  const { received: arrived } = await sandbox.control<{ received: { quantity: string }[] }>(
    'GET',
    `chain/addresses/${payout.address}`,
  )
  return {
    id,
    state,
    received: await sandbox.received('fireblocks', 'create_transaction', id),
    arrived: arrived.filter((row) => row.quantity === quantity).length,
    hold: endOf(holds),
    bookings: bookings.map((booking) => booking.type).toSorted(),
  }
}

/** How the one hold ended, else what is odd about it. */
function endOf(holds: readonly Hold[]): string {
  const [hold] = holds
  if (hold === undefined || holds.length !== 1) return `${holds.length} holds`
  if (hold.captured === hold.quantity) return 'captured'
  if (hold.released === hold.quantity) return 'released'
  return `${hold.state} ${hold.captured} ${hold.released}`
}
