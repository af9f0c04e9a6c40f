/**
 * Withdrawals from the vault through to SUCCESS, closed loop: a number of them always under way, a
 * new one for each that has ended. The outside world runs fast, so that its blocks are not what is
 * waited for. Beside the rate: which part used which cores.
 */
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { prepareWithdrawals } from './in-flight.ts'
import { coresText, printProfile, recordProfile, watchCores } from './machine.ts'
import type { Parts } from './machine.ts'
import { connectTo } from './report.ts'
import type { Api, Service } from './report.ts'
import { inParallel, eventually, sandboxAt } from './sandbox.ts'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3)
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 6)
const UNDER_WAY = [16, 128, 512]
const PACE = 100
const WIDTH = 16
const PATIENCE_SECONDS = 120
/** Without a pause, counting what is under way would take a core of the service's machine. */
const LOOK_MILLISECONDS = 5

type Case = { rate: number; p50_ms: number; p99_ms: number; cores: string }
type Route = { route_id: string; account_id: string }

/**
 * Starts a withdrawal of a quantity that no other has: two of the same content at once wait for
 * each other. It names the fee that was estimated for the route, as a caller who asked first does;
 * otherwise the vault would be asked once more for each.
 */
export async function starter(
  api: Api,
  { route_id, account_id }: Route,
): Promise<() => Promise<string>> {
  const path = `/treasury/wallets/routes/${route_id}`
  const {
    speed_levels: {
      DEFAULT: { fee },
    },
  } = await api.call<{ speed_levels: { DEFAULT: { fee: string } } }>(
    'POST',
    `${path}/estimate-fee`,
    { quantity: '0.0001' },
  )
  let started = 0
  return async () => {
    started += 1
    return (
      await api.call<{ id: string }>('POST', `${path}/withdrawals`, {
        quantity: `0.${String(10_000 + started).padStart(8, '0')}`,
        speed_level: 'DEFAULT',
        fee,
        account_id,
      })
    ).id
  }
}

const underway = async (db: pg.Client, route_id: string): Promise<number> =>
  Number(
    (
      await db.query<{ count: string }>(
        `
          select count(*)
          from withdrawals
          where route_id = $1
            and state in ('PENDING', 'UNKNOWN', 'PENDING_REVIEW')`,
        [route_id],
      )
    ).rows[0]?.count,
  )

export async function withdrawals(
  service: Service,
  databaseUrl: string,
  sandboxUrl: string,
  parts: Parts,
): Promise<void> {
  const api = await connectTo(service)
  const sandbox = sandboxAt(sandboxUrl)
  const route = await prepareWithdrawals(api, sandboxUrl)
  const start = await starter(api, route)
  const db = new pg.Client({ connectionString: databaseUrl })
  await db.connect()
  const run: Run = { db, parts, start, route_id: route.route_id }
  try {
    await sandbox.atPace(PACE, async () => {
      const results = new Map<number, Case[]>(UNDER_WAY.map((count) => [count, []]))
      for (let round = 0; round < ROUNDS; round += 1)
        for (const count of UNDER_WAY) results.get(count)?.push(await measure(run, count))
      print(results)
      if (parts.inspect_port > 0)
        printProfile(await recordProfile(parts, () => measure(run, UNDER_WAY.at(-1) ?? 0)))
    })
  } finally {
    await db.end()
  }
}

function print(results: ReadonlyMap<number, Case[]>): void {
  process.stdout.write(
    `\nwithdrawals from the vault to SUCCESS\n${'under way'.padEnd(12)}` +
      `${'per second'.padStart(12)}${'p50 ms'.padStart(10)}${'p99 ms'.padStart(10)}` +
      '   cores\n',
  )
  for (const [count, rounds] of results) {
    const median = rounds.toSorted((a, b) => a.rate - b.rate)[Math.floor(rounds.length / 2)]
    if (median !== undefined)
      process.stdout.write(
        `${String(count).padEnd(12)}${median.rate.toFixed(1).padStart(12)}` +
          `${median.p50_ms.toFixed(0).padStart(10)}` +
          `${median.p99_ms.toFixed(0).padStart(10)}   ${median.cores}\n`,
      )
  }
}

type Run = { db: pg.Client; parts: Parts; start: () => Promise<string>; route_id: string }

/** With `count` in flight; all have ended at the end. */
export async function measure({ db, parts, start, route_id }: Run, count: number): Promise<Case> {
  const fill = async () => {
    await inParallel(
      Array.from({ length: Math.max(0, count - (await underway(db, route_id))) }),
      WIDTH,
      async () => {
        await start()
      },
    )
  }
  await fill()
  const {
    result: { from, to },
    cores,
  } = await watchCores(parts, async () => {
    const from = Date.now()
    while (Date.now() < from + SECONDS * 1000) {
      await fill()
      await pause(LOOK_MILLISECONDS)
    }
    return { from, to: Date.now() }
  })
  await eventually('all withdrawals end', PATIENCE_SECONDS, async () =>
    (await underway(db, route_id)) === 0 ? true : undefined,
  )
  const {
    rows: [ended],
  } = await db.query<{ succeeded: number; failed: number; p50: number; p99: number }>(
    `
      select count(*) filter (where state = 'SUCCESS')::int as succeeded,
        count(*) filter (where state <> 'SUCCESS')::int as failed,
        percentile_cont(0.5) within group (order by completed_at - system_created_at) as p50,
        percentile_cont(0.99) within group (order by completed_at - system_created_at) as p99
      from withdrawals
      where route_id = $1
        and completed_at between $2 and $3`,
    [route_id, from, to],
  )
  if (ended === undefined || ended.failed > 0)
    throw new Error(`${ended?.failed} withdrawals did not end in SUCCESS`)
  return {
    rate: ended.succeeded / ((to - from) / 1000),
    p50_ms: ended.p50,
    p99_ms: ended.p99,
    cores: coresText(cores),
  }
}
