/**
 * Blnk 0.15: `blnk start` and `blnk workers` on PostgreSQL and Redis, as its compose file has them,
 * with no setting changed but addresses. Synchronous, and through its queue.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { inParallel } from '../src/sandbox.ts'
import { freePort } from '../../server/src/store/ports.ts'
import { ACCOUNTS, HTTP_LOADS } from './peer.ts'
import type { Load, Peer, Running } from './peer.ts'
import { startPostgres } from './postgres.ts'
import { answering, call, isAnswered, output, startProgram } from './programs.ts'
import type { Program } from './programs.ts'
import { ask } from './wrk.ts'
import type { Bookings } from './wrk.ts'

/** Balances made at once. */
const WIDTH = 8
const QUEUED = { name: '64 connections, random accounts', connections: 64, is_busy: false }

/**
 * Each load has balances of its own: whoever hangs up, as wrk does at the end, can leave a lock
 * behind that has the next calls refused.
 */
export const blnk = (programs: string): Peer => ({
  name: 'Blnk, synchronous',
  start: (folder) =>
    startBlnk({ programs, folder, balances: ACCOUNTS * HTTP_LOADS.length }, (place) => ({
      loads: HTTP_LOADS.map((shape, load): Load => {
        const accounts = place.accounts.slice(load * ACCOUNTS, (load + 1) * ACCOUNTS)
        const bookings = bookingsOn({ ...place, accounts, skip_queue: true })
        return async (seconds) => [await ask(bookings, { ...shape, seconds })]
      }),
      warmUp: async () => {},
    })),
})

/** Its turns are its own, so that a backlog slows nobody else. */
export const queuedBlnk = (programs: string): Peer => ({
  name: 'Blnk, queued',
  start: (folder) =>
    startBlnk({ programs, folder, balances: ACCOUNTS }, (place) => ({
      loads: [queuedLoad(bookingsOn({ ...place, skip_queue: false }), place.databaseUrl)],
      warmUp: async () => {},
    })),
})

type Place = { folder: string; url: string; accounts: readonly string[]; databaseUrl: string }

async function startBlnk(
  { programs, folder, balances }: { programs: string; folder: string; balances: number },
  loadsOn: (place: Place) => Omit<Running, 'end'>,
): Promise<Running> {
  const database = await startPostgres(folder, 'blnk')
  const started: Program[] = []
  const end = async () => {
    for (const program of started.toReversed()) await program.end()
    await database.end()
  }
  try {
    const url = await startPrograms(programs, folder, { databaseUrl: database.url, started })
    const accounts = await makeBalances(url, balances)
    return { ...loadsOn({ folder, url, accounts, databaseUrl: database.url }), end }
  } catch (error) {
    await end()
    throw error
  }
}

/** Answers the address of the server; `started` gets what is to be ended. */
async function startPrograms(
  programs: string,
  folder: string,
  { databaseUrl, started }: { databaseUrl: string; started: Program[] },
): Promise<string> {
  const [port, redisPort, monitoringPort] = await portsOf(3)
  await mkdir(join(folder, 'redis'))
  const redis = await startProgram('redis', {
    program: 'redis-server',
    args: ['--bind', '127.0.0.1', '--port', String(redisPort), '--dir', join(folder, 'redis')],
    folder,
  })
  started.push(redis)
  await answering(redis, () => isPinged(redisPort))
  const command = (...args: string[]) => ({
    program: join(programs, 'blnk'),
    args,
    env: {
      BLNK_DATA_SOURCE_DNS: databaseUrl,
      BLNK_REDIS_DNS: `127.0.0.1:${redisPort}`,
      BLNK_SERVER_PORT: String(port),
      BLNK_QUEUE_MONITORING_PORT: String(monitoringPort),
      BLNK_ENABLE_TELEMETRY: 'false',
    },
    folder,
  })
  const migration = await startProgram('blnk-migrate', command('migrate', 'up'))
  await new Promise((done) => migration.process.once('exit', done))
  const server = await startProgram('blnk', command('start'))
  started.push(server, await startProgram('blnk-workers', command('workers')))
  await answering(server, () => isAnswered(`http://127.0.0.1:${port}/`))
  return `http://127.0.0.1:${port}`
}

/** Each is free now, and another one than those before. */
async function portsOf(count: number): Promise<number[]> {
  const ports = new Set<number>()
  while (ports.size < count) ports.add(await freePort())
  return [...ports]
}

const isPinged = (port: number | undefined): Promise<boolean> =>
  output('redis-cli', ['-p', String(port), 'ping']).then(
    (answer) => answer.trim() === 'PONG',
    () => false, // it does not listen yet
  )

async function makeBalances(url: string, count: number): Promise<string[]> {
  const { ledger_id } = await call<{ ledger_id: string }>(`${url}/ledgers`, { name: 'bench' })
  const balances: string[] = []
  await inParallel(Array.from({ length: count }), WIDTH, async () => {
    const body = { ledger_id, currency: 'EUR' }
    balances.push((await call<{ balance_id: string }>(`${url}/balances`, body)).balance_id)
  })
  return balances
}

function bookingsOn({
  folder,
  url,
  accounts,
  skip_queue,
}: Omit<Place, 'databaseUrl'> & { skip_queue: boolean }): Bookings {
  return {
    folder,
    url: `${url}/transactions`,
    headers: {},
    body: {
      reference: '{key}',
      source: '{debit}',
      destination: '{credit}',
      currency: 'EUR',
      amount: 1,
      precision: 100,
      description: 'bench',
      // No balance is checked, as for the accounts of Kontor.
      allow_overdraft: true,
      skip_queue,
    },
    accounts,
    busy: [accounts[0] ?? '', accounts[1] ?? ''],
  }
}

/** What is acknowledged, and what of it is in the books when the load ends. */
const queuedLoad =
  (bookings: Bookings, databaseUrl: string): Load =>
  async (seconds) => {
    const acknowledged = await ask(bookings, { ...QUEUED, seconds })
    const applied = await appliedIn(databaseUrl)
    return [
      { ...acknowledged, name: `${QUEUED.name}: acknowledged` },
      { name: `${QUEUED.name}: applied`, rate: applied / seconds, failed_share: 0 },
    ]
  }

async function appliedIn(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int as count
     from blnk.transactions
     where status = 'APPLIED'`,
  )
  await client.end()
  return rows[0]?.count ?? 0
}
