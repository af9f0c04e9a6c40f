/**
 * POST /bookings over HTTP beside a bare transaction per booking and set-wise SQL; three
 * interleaved rounds, medians.
 */
import { randomUUID } from 'node:crypto'
import { bareTransactions, openBare, setWise } from './bare.ts'
import { keepInFlight, prepareWithdrawals } from './in-flight.ts'
import { post, run } from './load.ts'
import type { Measured } from './load.ts'
import { connectTo, middle, table } from './report.ts'
import type { Service } from './report.ts'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3)
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 4)
const CONNECTIONS = [1, 16, 64, 256]
const IN_FLIGHT = [4, 16]
const ACCOUNTS = 1000

export async function bookings(
  service: Service,
  databaseUrl: string,
  sandboxUrl: string,
): Promise<{ name: string; ratio: number; bar: string; met: boolean }[]> {
  const api = await connectTo(service)
  const accounts = await api.customerAccounts(ACCOUNTS)
  const house = await api.houseAccount()
  const bare = await openBare(databaseUrl)
  const sending = await prepareWithdrawals(api, sandboxUrl)
  const pick = () => accounts[Math.floor(Math.random() * accounts.length)] ?? ''
  const body = (debit: string, credit: string) =>
    JSON.stringify({
      asset: 'EUR',
      legs: [
        { account_id: debit, type: 'DEBIT', quantity: '1' },
        { account_id: credit, type: 'CREDIT', quantity: '1' },
      ],
    })
  const request = (hot: boolean) => () =>
    post(
      '/api/bookings',
      api.token(),
      randomUUID(),
      hot ? body(house, accounts[0] ?? '') : body(pick(), pick()),
      `${service.host}:${service.port}`,
    )

  const cases: { name: string; measure(): Promise<Measured> }[] = []
  for (const hot of [false, true]) {
    const kind = hot ? 'hot' : 'random'
    for (const connections of CONNECTIONS)
      cases.push({
        name: `http ${connections} ${kind}`,
        measure: () => run({ ...service, connections, seconds: SECONDS, request: request(hot) }),
      })
    for (const count of IN_FLIGHT) {
      cases.push({
        name: `http 256 ${kind}, ${count} in flight`,
        async measure() {
          const withdrawals = await keepInFlight(api, sending, count)
          const measured = await run({
            ...service,
            connections: 256,
            seconds: SECONDS,
            request: request(hot),
          })
          await withdrawals.stop()
          return measured
        },
      })
    }
    cases.push({ name: `bare 1 ${kind}`, measure: () => bareTransactions(bare, hot, 1, SECONDS) })
    cases.push({ name: `bare 8 ${kind}`, measure: () => bareTransactions(bare, hot, 8, SECONDS) })
    cases.push({ name: `set-wise ${kind}`, measure: () => setWise(bare, hot, SECONDS) })
  }
  const results = new Map<string, Measured[]>(cases.map((measurable) => [measurable.name, []]))
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const measurable of cases) {
      const measured = await measurable.measure()
      if (measured.failed > 0)
        throw new Error(
          `${measurable.name}: ${measured.failed} requests were not answered with 200`,
        )
      results.get(measurable.name)?.push(measured)
    }
  }
  await bare.pool.end()
  const median = new Map([...results].map(([name, rounds]) => [name, middle(rounds)]))
  table('POST /bookings', median)
  const rate = (name: string) => median.get(name)?.rate ?? Number.NaN
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
  const slow =
    (median.get('http 1 random')?.p50_ms ?? Number.NaN) /
    (median.get('bare 1 random')?.p50_ms ?? Number.NaN)
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
