/**
 * What a policy costs: bookings and withdrawals while one is in force beside those of the same
 * round without any. Its rules look at every withdrawal, and the last one allows it.
 */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { prepareWithdrawals } from './in-flight.ts'
import { post, run } from './load.ts'
import type { Parts } from './machine.ts'
import { connectTo } from './report.ts'
import type { Api, Service } from './report.ts'
import { sandboxAt } from './sandbox.ts'
import { measure, starter } from './withdrawals.ts'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5)
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 4)
const CONNECTIONS = 256
const ACCOUNTS = 1000
const UNDER_WAY = 128
const PACE = 100
const LIMIT = '1000000000'

type Bar = { name: string; ratio: number; bar: string; met: boolean }

const LOOKED_AT = { commands: ['WITHDRAWAL'], assets: ['BTC'] }
const RULES = [
  { ...LOOKED_AT, amount_at_least: LIMIT },
  ...(['CUSTOMER', 'ROUTE', 'USER', 'WORKSPACE'] as const).map((per) => ({
    ...LOOKED_AT,
    amount_per_day_at_least: { per, amount: LIMIT },
  })),
  { ...LOOKED_AT, assets: ['EUR'] },
  { commands: ['MANUAL_BOOKING'], assets: ['EUR'], amount_at_least: LIMIT },
].map((when, place) => ({ name: `rule ${place}`, when, verdict: 'DENY' }))

async function putPolicy(api: Api, rules: readonly object[]): Promise<void> {
  const { version } = await api.call<{ version: number }>('GET', '/policy')
  await api.call('PUT', '/policy', { rules, otherwise: 'ALLOW', version })
}

export async function policy(
  service: Service,
  databaseUrl: string,
  sandboxUrl: string,
  parts: Parts,
): Promise<Bar[]> {
  const api = await connectTo(service)
  const route = await prepareWithdrawals(api, sandboxUrl)
  const start = await starter(api, route)
  const db = new pg.Client({ connectionString: databaseUrl })
  await db.connect()
  const accounts = await api.customerAccounts(ACCOUNTS)
  const anyAccount = () => accounts[Math.floor(Math.random() * accounts.length)]
  const request = () =>
    post({
      path: '/api/bookings',
      token: api.token(),
      host: `${service.host}:${service.port}`,
      key: randomUUID(),
      body: JSON.stringify({
        asset: 'EUR',
        legs: [
          { account_id: anyAccount(), type: 'DEBIT', quantity: '1' },
          { account_id: anyAccount(), type: 'CREDIT', quantity: '1' },
        ],
      }),
    })
  const rates = async () => ({
    bookings: (await run({ ...service, connections: CONNECTIONS, seconds: SECONDS, request })).rate,
    withdrawals: (await measure({ db, parts, start, route_id: route.route_id }, UNDER_WAY)).rate,
  })
  const ratios: Awaited<ReturnType<typeof rates>>[] = []
  try {
    await sandboxAt(sandboxUrl).atPace(PACE, async () => {
      await rates()
      for (let round = 0; round < ROUNDS; round += 1) {
        // Whichever is measured second meets a fuller database.
        const first = round % 2 === 0 ? [] : RULES
        await putPolicy(api, first)
        const one = await rates()
        await putPolicy(api, first.length === 0 ? RULES : [])
        const other = await rates()
        const [off, on] = round % 2 === 0 ? [one, other] : [other, one]
        process.stdout.write(
          `off ${off.bookings.toFixed(0)} ${off.withdrawals.toFixed(1)} · ` +
            `on ${on.bookings.toFixed(0)} ${on.withdrawals.toFixed(1)}\n`,
        )
        ratios.push({
          bookings: on.bookings / off.bookings,
          withdrawals: on.withdrawals / off.withdrawals,
        })
      }
    })
  } finally {
    await putPolicy(api, [])
    await db.end()
  }
  return (['bookings', 'withdrawals'] as const).map((name) => {
    const sorted = ratios.map((round) => round[name]).toSorted((a, b) => a - b)
    const ratio = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
    return { name: `${name} with a policy ÷ without`, ratio, bar: '≥ 0.9', met: ratio >= 0.9 }
  })
}
