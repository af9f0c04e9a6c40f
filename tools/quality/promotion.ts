/**
 * `npm run quality promote [seconds]`: two processes of Kontor book under load on a primary with a
 * synchronous standby; the primary is killed with all its processes, the standby promoted, and the
 * load goes on. Every acknowledged booking must be there once, and none twice. Ends with 1 when
 * that is not so.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { mustExist } from '../../server/src/core/assert.ts'
import { systemClock } from '../../server/src/core/clock.ts'
import { newId } from '../../server/src/core/ids.ts'
import type { WorkspaceId } from '../../server/src/core/ids.ts'
import { houseAccounts, openAccount, putAsset, verifyBooks } from '../../server/src/ledger/index.ts'
import { ADMIN, startService } from '../../server/src/ledger/lane/processes.fixture.ts'
import type { Service } from '../../server/src/ledger/lane/processes.fixture.ts'
import { openDb } from '../../server/src/store/db.ts'
import { sql } from '../../server/src/store/sql.ts'
import { PairedServer } from './promotion/server.ts'

const CALLERS = 16
const LOAD_SECONDS = 5
const AGAIN_MILLISECONDS = 200
const REPLICATING_WITHIN_MILLISECONDS = 30_000
/** A transaction is acknowledged when the standby has it on its disk. */
const SYNCHRONOUS = { synchronous_standby_names: 'standby', synchronous_commit: 'on' }

type Books = { workspace: WorkspaceId; house: string; customer: string }

async function main(seconds: number): Promise<number> {
  const dir = mkdtempSync(join(tmpdir(), 'promotion-'))
  chmodSync(dir, 0o711)
  const services: Service[] = []
  let servers: PairedServer[] = []
  try {
    const first = await PairedServer.create(dir)
    servers = [first]
    await first.start()
    await first.query('create database kontor')
    await first.stop()
    const second = await first.copy(dir)
    servers.push(second)
    await first.start(SYNCHRONOUS)
    await second.start({
      primary_conninfo: `host=127.0.0.1 port=${first.port} user=postgres application_name=standby`,
    })
    await untilSynchronous(first)

    const hosts = servers.map(({ port }) => `127.0.0.1:${port}`).join()
    const url = `postgres://postgres@${hosts}/kontor?target_session_attrs=read-write`
    services.push(await startService(url), await startService(url))
    const books = await openBooksAt(first)
    const load = new Load(services, books, await tokenOf(services))
    const loading = load.run()
    await pause(seconds * 1_000)
    await first.kill()
    const killed = load.acknowledged.size
    const began = performance.now()
    await second.query('select pg_promote()')
    await load.untilMore(killed)
    const paused = Math.round(performance.now() - began)
    await pause(seconds * 1_000)
    load.end()
    await loading
    const wrong = await wrongIn(second, books, load.acknowledged)
    for (const reason of wrong) process.stdout.write(`WRONG ${reason}\n`)
    process.stdout.write(
      `${killed} bookings acknowledged before the primary was killed, ` +
        `${load.acknowledged.size} in all; ${load.repeated} requests repeated; ` +
        `bookings went on ${paused} ms after the kill; ${wrong.length} lost, doubled or unknown\n`,
    )
    return killed > 0 && load.repeated > 0 && wrong.length === 0 ? 0 : 1
  } finally {
    for (const service of services) service.signal('SIGKILL')
    await Promise.all(services.map(({ ended }) => ended))
    for (const server of servers) await server.kill()
    rmSync(dir, { recursive: true, force: true })
  }
}

async function untilSynchronous(primary: PairedServer): Promise<void> {
  const end = Date.now() + REPLICATING_WITHIN_MILLISECONDS
  for (;;) {
    const [row] = await primary.query<{ sync_state: string }>(
      'select sync_state from pg_stat_replication',
    )
    if (row?.sync_state === 'sync') return
    if (Date.now() > end) throw new Error('the standby does not follow the primary')
    await pause(AGAIN_MILLISECONDS)
  }
}

const databaseOf = ({ port }: PairedServer) =>
  openDb({ url: `postgres://postgres@127.0.0.1:${port}/kontor`, maximumConnections: 2 })

async function openBooksAt(server: PairedServer): Promise<Books> {
  const db = databaseOf(server)
  try {
    const [row] = await db.query<{ id: WorkspaceId }>(sql`
      select id
      from workspaces`)
    const workspace = mustExist(row, 'the first start').id
    await putAsset(db, workspace, {
      code: 'TST',
      label: 'Test',
      kind: 'FIAT',
      scale: 2,
      circulating_supply: null,
    })
    const house = (await houseAccounts(db, workspace)).HOUSE
    const draft = { type: 'CUSTOMER' as const, label: 'Alice', customer_id: newId() }
    const { id: customer } = await db.tx((tx) =>
      openAccount({ workspace, by: 'promotion' }, { tx, clock: systemClock }, draft),
    )
    return { workspace, house, customer }
  } finally {
    await db.close()
  }
}

async function tokenOf([service]: readonly Service[]): Promise<string> {
  const login = await service?.call('POST', '/auth/login', { body: ADMIN })
  return String(login?.body.data['access_token'])
}

/** Callers that repeat what was not answered, with the same key, as integrators do. */
class Load {
  /** What was answered 200: tag and id of the booking. */
  readonly acknowledged = new Map<string, string>()
  repeated = 0
  readonly #services: readonly Service[]
  readonly #books: Books
  readonly #token: string
  #ended = false

  constructor(services: readonly Service[], books: Books, token: string) {
    this.#services = services
    this.#books = books
    this.#token = token
  }

  async run(): Promise<void> {
    await Promise.all(
      Array.from({ length: CALLERS }, async (_, caller) => {
        for (let round = 0; !this.#ended; round += 1) await this.#book(caller, `${caller}-${round}`)
      }),
    )
  }

  end(): void {
    this.#ended = true
  }

  async untilMore(than: number): Promise<void> {
    while (this.acknowledged.size <= than) await pause(AGAIN_MILLISECONDS / 10)
  }

  async #book(caller: number, tag: string): Promise<void> {
    const { house, customer } = this.#books
    const body = {
      asset: 'TST',
      description: tag,
      legs: [
        { account_id: house, type: 'DEBIT', quantity: '1' },
        { account_id: customer, type: 'CREDIT', quantity: '1' },
      ],
    }
    for (let attempt = 0; ; attempt += 1) {
      const service = this.#services[(caller + attempt) % this.#services.length]
      const reply = await service
        ?.call('POST', '/bookings', { token: this.#token, key: `key-${tag}`, body })
        .catch(() => undefined)
      if (reply?.status === 200) {
        this.acknowledged.set(tag, String(reply.body.data['id']))
        return
      }
      this.repeated += 1
      await pause(AGAIN_MILLISECONDS)
    }
  }
}

/** Each acknowledged booking once, no other, and books that prove themselves. */
async function wrongIn(
  server: PairedServer,
  { workspace }: Books,
  acknowledged: ReadonlyMap<string, string>,
): Promise<string[]> {
  const db = databaseOf(server)
  try {
    const rows = await db.query<{ id: string; description: string }>(sql`
      select id, description
      from bookings
      where workspace = ${workspace}`)
    const booked = Map.groupBy(rows, ({ description }) => description)
    const lost = [...acknowledged].flatMap(([tag, id]) =>
      booked.get(tag)?.some((row) => row.id === id) === true ? [] : [`${tag} is lost`],
    )
    const others = [...booked].flatMap(([tag, found]) => {
      if (!acknowledged.has(tag)) return [`${tag} is there, and nobody was told`]
      return found.length === 1 ? [] : [`${tag} is there ${found.length} times`]
    })
    const { faults } = await verifyBooks(db, workspace)
    return [...lost, ...others, ...faults.map((fault) => `books: ${fault}`)]
  } finally {
    await db.close()
  }
}

const [seconds = LOAD_SECONDS] = process.argv.slice(2).map(Number)
process.exitCode = await main(seconds)
