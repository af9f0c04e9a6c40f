/**
 * For tests: the service as real processes that may be killed, over the sandbox's prime broker,
 * bank and vault, and a database. The broker trades on credit; it pays what it owes when nothing is
 * owed to it.
 */
import { spawn } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openServices, prepareDatabase } from '../core/service.testing.ts'
import type { Service } from '../core/service.testing.ts'
import { until as waitUntil } from '../core/testing.ts'
import { sql } from '../store/sql.ts'
import type { TestDatabase } from '../store/testing.ts'
import type { SandboxProcess } from '../venues/sandbox-process.testing.ts'

const COMMAND = new URL('../../../tools/setup/command.mjs', import.meta.url).pathname
const ADMIN = { email: 'admin@example.com', password: 'settlement tests only' }
const KEPT = { venues: ['prime', 'bank', 'fireblocks'], assets: ['EUR', 'BTC'] }

type Answer<Data> = {
  success: boolean
  data: Data
  error_code?: number
  error_details?: { path: string; code: string; message: string }[]
}

type Keyed = {
  key: string
  venue?: string
  from?: string
  to?: string
  asset?: string
  settlement?: string
}
type Config = {
  assets: { code: string }[]
  venues: Keyed[]
  wallets: Keyed[]
  routes: Keyed[]
  price_routes: Keyed[]
}

/** The sandbox's configuration, with what settlements need. */
async function readConfig(file: string): Promise<Config> {
  const config = JSON.parse(await readFile(file, 'utf8')) as Config & { aggregator?: unknown }
  delete config.aggregator
  const isKept = ({ venue = '', asset = '' }: Keyed) =>
    KEPT.venues.includes(venue) && KEPT.assets.includes(asset)
  const wallets = config.wallets.filter(isKept)
  const keys = new Set(wallets.map((wallet) => wallet.key))
  return {
    ...config,
    assets: config.assets.filter((asset) => KEPT.assets.includes(asset.code)),
    venues: config.venues.filter((venue) => KEPT.venues.includes(venue.key)),
    wallets,
    routes: config.routes.filter(({ from = '', to = '' }) => keys.has(from) && keys.has(to)),
    price_routes: config.price_routes.filter(({ key }) => key === 'btc-eur-prime'),
  }
}

export class SettlementService {
  readonly database: TestDatabase
  readonly sandbox: SandboxProcess
  readonly #services: ReturnType<typeof openServices>
  readonly #failpoints: string
  readonly #configFile: string
  #config: Config | undefined
  #api: Service | undefined
  #worker: Service | undefined
  #base = ''
  #token = ''

  constructor(database: TestDatabase, sandbox: SandboxProcess) {
    this.database = database
    this.sandbox = sandbox
    this.#failpoints = join(sandbox.dir, 'failpoints')
    this.#configFile = join(sandbox.dir, 'settlements.json')
    this.#services = openServices({
      DATABASE_URL: database.url,
      KONTOR_LEASE_MS: '2000',
      KONTOR_FAILPOINTS: this.#failpoints,
    })
  }

  /** Until the venues are connected. */
  async start(): Promise<void> {
    await mkdir(this.#failpoints)
    this.#config = await readConfig(join(this.sandbox.dir, 'kontor.json'))
    await writeFile(this.#configFile, JSON.stringify(this.#config))
    await prepareDatabase(this.database.url, ADMIN)
    await this.startApi({ KONTOR_CONFIG: this.#configFile })
    this.#worker = this.#services.start({ KONTOR_ROLE: 'worker' })
    await this.until('the connection of the venues', async () => {
      const venues = await this.call<{ state: string }[]>('GET', '/venues')
      return venues.every((venue) => venue.state === 'CONNECTED') ? true : undefined
    })
  }

  get api(): Service {
    if (this.#api === undefined) throw new Error('the service is not started')
    return this.#api
  }

  get worker(): Service {
    if (this.#worker === undefined) throw new Error('the worker is not started')
    return this.#worker
  }

  async startApi(env: Record<string, string> = {}): Promise<void> {
    this.#api = this.#services.start({ KONTOR_ROLE: 'api', ...env })
    const { port } = await this.#api.ready
    this.#base = `http://127.0.0.1:${port}/api`
    if (this.#token !== '') return
    const { access_token } = await this.call<{ access_token: string }>('POST', '/auth/login', ADMIN)
    this.#token = access_token
  }

  async restartWorker(): Promise<void> {
    await this.#services.kill(this.worker)
    this.#worker = this.#services.start({ KONTOR_ROLE: 'worker' })
  }

  /** The next process that passes there dies. */
  dieAt(point: string): Promise<void> {
    return writeFile(join(this.#failpoints, point), '')
  }

  async ask<Data>(
    method: string,
    url: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<Data>> {
    const response = await fetch(`${this.#base}${url}`, {
      method,
      headers: {
        ...(this.#token === '' ? {} : { authorization: `Bearer ${this.#token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return (await response.json()) as Answer<Data>
  }

  async call<Data>(
    method: string,
    url: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Data> {
    const answer = await this.ask<Data>(method, url, body, headers)
    if (!answer.success) throw new Error(`${method} ${url}: ${JSON.stringify(answer)}`)
    return answer.data
  }

  /** Venues are read every ten seconds, settlements every two; here at once. */
  until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
    return waitUntil(what, async () => {
      const seen = await look()
      if (seen === undefined) await this.#lookNow()
      return seen
    })
  }

  #lookNow(): Promise<unknown> {
    return this.database.db.query(
      sql`
        update tasks
        set due_at = 0
        where kind in ('poll_venue', 'settlement', 'withdrawal')
          and leased_until is null
          and due_at > 0`,
    )
  }

  /** Applies the configuration beside the running service, with the broker paid so. */
  async configure(
    settlement: 'PREFUNDED' | 'POST_TRADE',
  ): Promise<{ code: number; output: string }> {
    const venues = (this.#config?.venues ?? []).map((venue) =>
      venue.key === 'prime' ? { ...venue, settlement } : venue,
    )
    await writeFile(this.#configFile, JSON.stringify({ ...this.#config, venues }))
    const child = spawn(process.execPath, [COMMAND, 'configure', this.#configFile], {
      env: { ...process.env, DATABASE_URL: this.database.url },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let output = ''
    child.stderr.on('data', (chunk) => (output += chunk))
    const code = await new Promise<number>((done, fail) =>
      child.once('error', fail).once('close', (status) => {
        done(status ?? -1)
      }),
    )
    return { code, output }
  }

  async close(): Promise<void> {
    await this.#services.killAll()
    await this.sandbox.stop()
    await this.database.drop()
  }
}
