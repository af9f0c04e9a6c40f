/**
 * For the fault tests: the sandbox, a database, and the service as real processes that are killed
 * and started again. An API process takes the requests; worker processes send, and die. The lease
 * is short, so that the next worker takes over soon.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { openServices } from '../../core/service.testing.ts'
import type { Service } from '../../core/service.testing.ts'
import { until } from '../../core/testing.ts'
import { verifyBooks } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import { testDatabase } from '../../store/testing.ts'
import { startSandbox } from '../../venues/sandbox-process.ts'

const PASSWORD = 'fault tests only'
const LEASE_MILLISECONDS = 2_000
const VENUE_TIMEOUT_MILLISECONDS = 2_000
const PACE = 20

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
  const sandbox = await startSandbox()
  const services = openServices({
    DATABASE_URL: database.url,
    KONTOR_ADMIN_PASSWORD: PASSWORD,
    KONTOR_LEASE_MS: String(LEASE_MILLISECONDS),
  })
  let starts = 0

  function start(env: Record<string, string>): Service {
    starts += 1
    return services.start(env)
  }

  // The vault alone: what else the demo world has would only take time here.
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
  await sandbox.control('POST', 'clock', { pace: PACE })

  let api: Service
  let base = ''
  let token = ''
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
  async function call<Data>(
    method: string,
    url: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Data> {
    const response = await fetch(`${base}${url}`, {
      method,
      headers: {
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const answer = (await response.json()) as { success: boolean; data: Data }
    if (!answer.success) throw new Error(`${method} ${url}: ${JSON.stringify(answer)}`)
    return answer.data
  }

  await startApi({ KONTOR_CONFIG: vaultOnly })
  const setUp = start({ KONTOR_ROLE: 'worker' })
  const [from] = await call<{ id: string; venue_id: string; workspace: WorkspaceId }[]>(
    'GET',
    '/treasury/wallets',
  )
  if (from === undefined) throw new Error('the vault has no wallet')
  const { workspace } = from
  await until('the connection of the vault', async () =>
    (await call<{ state: string }[]>('GET', '/venues')).find((row) => row.state === 'CONNECTED'),
  )
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
  const FUNDS = '3'
  await call('POST', '/bookings', {
    asset: 'BTC',
    legs: [
      {
        account_id: accounts.find((account) => account.type === 'HOUSE')?.id,
        type: 'DEBIT',
        quantity: FUNDS,
      },
      { account_id: customer.account_id, type: 'CREDIT', quantity: FUNDS },
    ],
  })
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
  await services.kill(setUp)

  let asked = 0
  return {
    sandbox,
    call,
    workspace,
    customer,
    starts: () => starts,
    startApi,
    killApi: () => services.kill(api),
    api: () => api,
    /**
     * Each of its own quantity, by which it is recognised on the chain; `key` repeats a request.
     */
    async withdraw(key: string = newId(), quantity?: string): Promise<string> {
      if (quantity === undefined) asked += asked % 10 === 9 ? 2 : 1
      const body = {
        account_id: customer.account_id,
        speed_level: 'DEFAULT',
        quantity: quantity ?? `0.001${String(asked).padStart(5, '0').replace(/0+$/, '')}`,
      }
      return (
        await call<{ id: string }>(
          'POST',
          `/treasury/wallets/routes/${route.id}/withdrawals`,
          body,
          { 'idempotency-key': key },
        )
      ).id
    },
    worker: (failpoint?: string, subject?: string) =>
      start({
        KONTOR_ROLE: 'worker',
        ...(failpoint === undefined ? {} : { KONTOR_FAILPOINT: failpoint }),
        ...(subject === undefined ? {} : { KONTOR_FAILPOINT_SUBJECT: subject }),
      }),
    kill: services.kill,
    /** What the vault does with every request to send, until it is set to something else. */
    async mode(outcome: 'accepted' | 'refused' | 'time-out after accept'): Promise<void> {
      await sandbox.control('DELETE', 'faults')
      if (outcome !== 'accepted')
        await sandbox.fault(
          'fireblocks',
          'create_transaction',
          outcome === 'refused' ? 'REFUSE' : 'TIMEOUT_AFTER_ACCEPT',
          { remaining: -1 },
        )
    },
    stateOf: async (id: string) =>
      (await call<{ state: string }>('GET', `/treasury/withdrawals/${id}`)).state,
    async facts(id: string): Promise<Facts> {
      const holds = await database.db.query<{
        state: string
        quantity: string
        captured: string
        released: string
      }>(
        sql`
          select state, quantity, captured, released
          from holds
          where workspace = ${workspace}
            and cause_id = ${id}`,
      )
      const [hold] = holds
      const ended =
        holds.length !== 1 || hold === undefined
          ? `${holds.length} holds`
          : hold.captured === hold.quantity
            ? 'captured'
            : hold.released === hold.quantity
              ? 'released'
              : `${hold.state} ${hold.captured} ${hold.released}`
      const bookings = await call<{ type: string }[]>('GET', `/bookings?reference_id=${id}`)
      const { state, quantity } = await call<{ state: string; quantity: string }>(
        'GET',
        `/treasury/withdrawals/${id}`,
      )
      const { received: arrived } = await sandbox.control<{ received: { quantity: string }[] }>(
        'GET',
        `chain/addresses/${address}`,
      )
      return {
        id,
        state,
        received: await sandbox.received('fireblocks', 'create_transaction', id),
        arrived: arrived.filter((row) => row.quantity === quantity).length,
        hold: ended,
        bookings: bookings.map((booking) => booking.type).toSorted(),
      }
    },
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
