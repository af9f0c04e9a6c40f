/**
 * POST /bookings over HTTP beside a bare transaction per booking and set-wise SQL; three
 * interleaved rounds, medians.
 */
import { randomUUID } from 'node:crypto'
import { bareTransactions, openBare, setWise } from './bare.ts'
import type { Bare } from './bare.ts'
import { keepInFlight, prepareWithdrawals } from './in-flight.ts'
import { post, run } from './load.ts'
import type { Measurement } from './load.ts'
import { connectTo, medianOf, table } from './report.ts'
import type { Api, Service } from './report.ts'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3)
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 4)
const CONNECTIONS = [1, 16, 64, 256]
const IN_FLIGHT = [4, 16]
const ACCOUNTS = 1000

type Bar = { name: string; ratio: number; bar: string; met: boolean }
type Case = { name: string; measure(): Promise<Measurement> }

export async function bookings(
  service: Service,
  databaseUrl: string,
  sandboxUrl: string,
): Promise<Bar[]> {
  const api = await connectTo(service)
  const requestOf = await requestsTo(service, api)
  const bare = await openBare(databaseUrl)
  const sending = await prepareWithdrawals(api, sandboxUrl)
  const inFlight = (count: number) => keepInFlight(api, sending, count)
  const cases = [false, true].flatMap((hot) => [
    ...overHttp(service, hot, requestOf(hot), inFlight),
    ...besides(bare, hot),
  ])
  const median = await mediansOf(cases)
  await bare.pool.end()
  table('POST /bookings', median)
  return barsOf(median)
}

/** Between random accounts, or always from one to another. */
async function requestsTo(service: Service, api: Api): Promise<(hot: boolean) => () => string> {
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
  return (hot) => () =>
    post({
      path: '/api/bookings',
      token: api.token(),
      host: `${service.host}:${service.port}`,
      key: randomUUID(),
      body: hot ? bodyOf(house, accounts[0] ?? '') : bodyOf(pick(), pick()),
    })
}

const kindOf = (hot: boolean) => (hot ? 'hot' : 'random')

function overHttp(
  service: Service,
  hot: boolean,
  request: () => string,
  inFlight: (count: number) => Promise<{ stop(): Promise<unknown> }>,
): Case[] {
  const measure = (connections: number) =>
    run({ ...service, connections, seconds: SECONDS, request })
  return [
    ...CONNECTIONS.map((connections) => ({
      name: `http ${connections} ${kindOf(hot)}`,
      measure: () => measure(connections),
    })),
    ...IN_FLIGHT.map((count) => ({
      name: `http 256 ${kindOf(hot)}, ${count} in flight`,
      async measure() {
        const withdrawals = await inFlight(count)
        const measured = await measure(256)
        await withdrawals.stop()
        return measured
      },
    })),
  ]
}

const besides = (bare: Bare, hot: boolean): Case[] => [
  {
    name: `bare 1 ${kindOf(hot)}`,
    measure: () => bareTransactions(bare, hot, 1, SECONDS),
  },
  {
    name: `bare 8 ${kindOf(hot)}`,
    measure: () => bareTransactions(bare, hot, 8, SECONDS),
  },
  { name: `set-wise ${kindOf(hot)}`, measure: () => setWise(bare, hot, SECONDS) },
]

async function mediansOf(cases: readonly Case[]): Promise<Map<string, Measurement>> {
  const results = new Map<string, Measurement[]>(cases.map(({ name }) => [name, []]))
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { name, measure } of cases) {
      const measured = await measure()
      if (measured.failed > 0)
        throw new Error(`${name}: ${measured.failed} requests were not answered with 200`)
      results.get(name)?.push(measured)
    }
  }
  return new Map([...results].map(([name, rounds]) => [name, medianOf(rounds)]))
}

function barsOf(median: ReadonlyMap<string, Measurement>): Bar[] {
  const rate = (name: string) => median.get(name)?.rate ?? Number.NaN
  const p50 = (name: string) => median.get(name)?.p50_ms ?? Number.NaN
  const bars = [
    {
      name: 'hot account, 256 connections ÷ bare transaction (pool of 8)',
      ratio: rate('http 256 hot') / rate('bare 8 hot'),
      at_least: 4,
    },
    {
      name: 'random accounts, 256 connections ÷ set-wise SQL',
      ratio: rate('http 256 random') / rate('set-wise random'),
      at_least: 0.3,
    },
    {
      name: 'random accounts, 256 connections: with 16 withdrawals in flight ÷ without',
      ratio: rate('http 256 random, 16 in flight') / rate('http 256 random'),
      at_least: 0.6,
    },
    {
      name: 'hot account, 256 connections: with 16 withdrawals in flight ÷ without',
      ratio: rate('http 256 hot, 16 in flight') / rate('http 256 hot'),
      at_least: 0.6,
    },
    {
      name: 'hot account, 256 connections ÷ set-wise SQL',
      ratio: rate('http 256 hot') / rate('set-wise hot'),
      at_least: 0.3,
    },
  ]
  const slow = p50('http 1 random') / p50('bare 1 random')
  return [
    ...bars.map(({ name, ratio, at_least }) => ({
      name,
      ratio,
      bar: `≥ ${at_least}`,
      met: ratio >= at_least,
    })),
    { name: 'p50 at 1 connection ÷ bare transaction’s', ratio: slow, bar: '≤ 2', met: slow <= 2 },
  ]
}
