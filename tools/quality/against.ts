/**
 * `npm run quality against FOLDER`: bookings of this checkout beside those of another one, on the
 * same machine and in turns; with `withdrawals`, withdrawals through to SUCCESS. A host that is
 * faster for a minute is then faster for both. Prints the median of the ratios of neighbouring
 * turns.
 */
import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import pg from 'pg'
import { prepareWithdrawals } from '../../bench/src/in-flight.ts'
import { post, run } from '../../bench/src/load.ts'
import { partsFrom } from '../../bench/src/machine.ts'
import { connectTo } from '../../bench/src/report.ts'
import type { Service } from '../../bench/src/report.ts'
import { sandboxAt } from '../../bench/src/sandbox.ts'
import { measure, starter } from '../../bench/src/withdrawals.ts'
import { freePort } from '../../server/src/store/ports.ts'
import { ROOT } from '../setup/setup.mjs'
import { leaveNothing, npmStart, superUrlOf } from '../supervise/running.ts'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 8)
const SECONDS = 3
const ACCOUNTS = 1000
/** How fast the outside world runs, so that its blocks are not what is waited for. */
const PACE = 100
const WITHDRAWALS = process.argv[3] === 'withdrawals'
const CASES = WITHDRAWALS
  ? [
      { connections: 16, hot: true },
      { connections: 128, hot: true },
    ]
  : [
      { connections: 1, hot: false },
      { connections: 256, hot: false },
      { connections: 256, hot: true },
      { connections: 64, hot: false },
      { connections: 64, hot: true },
    ]
const PASSWORD = 'bench-password-of-this-run'

type Case = (typeof CASES)[number]
type Contender = { rateOf(one: Case): Promise<number>; end(): Promise<void> }

async function start(root: string): Promise<Contender> {
  const dataDir = await mkdtemp(join(tmpdir(), 'kontor-against-'))
  const port = await freePort()
  const started = npmStart({
    root,
    dataDir,
    port,
    env: { KONTOR_ADMIN_PASSWORD: PASSWORD, LOG_LEVEL: 'warn', SANDBOX_TIER: 'AGREED' },
  })
  const end = async () => {
    started.process.kill('SIGTERM')
    await started.exited
    await leaveNothing(dataDir)
    await rm(dataDir, { recursive: true, force: true })
  }
  try {
    await started.ready
    const service = { host: '127.0.0.1', port, email: 'admin@kontor.local', password: PASSWORD }
    return {
      rateOf: await (WITHDRAWALS ? withdrawalsOf(service, dataDir) : bookingsOf(service)),
      end,
    }
  } catch (error) {
    await end()
    throw error
  }
}

async function withdrawalsOf(service: Service, dataDir: string): Promise<Contender['rateOf']> {
  const api = await connectTo(service)
  const sandboxPort = (await readFile(join(dataDir, 'sandbox/port'), 'utf8')).trim()
  const sandboxUrl = `http://127.0.0.1:${sandboxPort}`
  const route = await prepareWithdrawals(api, sandboxUrl)
  const start = await starter(api, route)
  const url = new URL(superUrlOf(dataDir))
  url.pathname = '/kontor'
  return ({ connections }) =>
    sandboxAt(sandboxUrl).atPace(PACE, async () => {
      const db = new pg.Client({ connectionString: url.href })
      await db.connect()
      try {
        const run = { db, parts: partsFrom({}), start, route_id: route.route_id }
        return (await measure(run, connections)).rate
      } finally {
        await db.end()
      }
    })
}

async function bookingsOf(service: Service): Promise<Contender['rateOf']> {
  const api = await connectTo(service)
  const accounts = await api.customerAccounts(ACCOUNTS)
  const house = await api.houseAccount()
  const pick = () => accounts[Math.floor(Math.random() * accounts.length)] ?? ''
  const bodyOf = (debit: string, credit: string) =>
    JSON.stringify({
      asset: 'EUR',
      legs: [
        { account_id: debit, type: 'DEBIT', quantity: '1' },
        { account_id: credit, type: 'CREDIT', quantity: '1' },
      ],
    })
  return async ({ connections, hot }) => {
    const request = () =>
      post({
        path: '/api/bookings',
        token: api.token(),
        host: `${service.host}:${service.port}`,
        key: randomUUID(),
        body: hot ? bodyOf(house, accounts[0] ?? '') : bodyOf(pick(), pick()),
      })
    const measured = await run({ ...service, connections, seconds: SECONDS, request })
    if (measured.failed > 0) throw new Error(`${measured.failed} bookings were refused`)
    return measured.rate
  }
}

const medianOf = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** Who goes first changes with every round. */
async function compare(ours: Contender, theirs: Contender, one: Case): Promise<string> {
  const rounds: { ours: number; theirs: number }[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    if (round % 2 === 0) {
      const first = await ours.rateOf(one)
      rounds.push({ ours: first, theirs: await theirs.rateOf(one) })
    } else {
      const first = await theirs.rateOf(one)
      rounds.push({ ours: await ours.rateOf(one), theirs: first })
    }
  }
  const ratios = rounds.map((round) => round.ours / round.theirs)
  return (
    `${one.connections} ${WITHDRAWALS ? 'under way' : 'connections'}, ` +
    `${one.hot ? 'one busy account' : 'random accounts'}: ` +
    `${medianOf(rounds.map((round) => round.ours)).toFixed(0)} beside ` +
    `${medianOf(rounds.map((round) => round.theirs)).toFixed(0)} a second, ratio ` +
    `${medianOf(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ` +
    `${Math.max(...ratios).toFixed(2)})\n`
  )
}

const folder = process.argv[2]
if (folder === undefined) {
  process.stderr.write(
    'npm run quality against FOLDER [withdrawals]: name the folder of another checkout\n',
  )
  process.exit(2)
}
const contenders: Contender[] = []
try {
  contenders.push(await start(ROOT), await start(resolve(folder)))
  const [ours, theirs] = contenders
  if (ours === undefined || theirs === undefined) throw new Error('both have to start')
  // One turn each that is not counted: an empty database and a cold process are nobody's rate.
  for (const one of CASES) for (const contender of contenders) await contender.rateOf(one)
  for (const one of CASES) process.stdout.write(await compare(ours, theirs, one))
} finally {
  for (const contender of contenders) await contender.end()
}
