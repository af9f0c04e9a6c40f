/**
 * Market executions from request to DONE, closed loop: a number of them always under way, a new one
 * for each that has ended. Kraken takes one private call at a time (a nonce that only grows),
 * Bitstamp as many as come. Beside it the same rows, as one execution writes them, by bare
 * transactions on a pool of 8: asked for, sent, filled and booked.
 */
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { bareExecution } from './bare-execution.ts'
import { coresText, printProfile, recordProfile, watchCores } from './machine.ts'
import type { Parts } from './machine.ts'
import type { Service } from './report.ts'
import { inParallel, eventually, sandboxAt } from './sandbox.ts'
import { BITSTAMP, freezePrices, KRAKEN, openDesk } from './trading.ts'
import type { Desk } from './trading.ts'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3)
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 5)
const UNDER_WAY = [1, 16, 64]
const POOL = 8
const BARE = `bare, pool of ${POOL}`
const BAR_PER_SECOND = 100
const PATIENCE_SECONDS = 60
/** Between two looks at how many are under way. */
const LOOK_MILLISECONDS = 3
const AMOUNT = '0.001'

type Case = { rate: number; p50_ms: number; p99_ms: number; cores: string }

type Bar = { name: string; ratio: number; bar: string; met: boolean }
type Desks = readonly { venue: string; desk: Desk }[]

export async function executions(
  service: Service,
  databaseUrl: string,
  sandboxUrl: string,
  parts: Parts,
): Promise<Bar[]> {
  const kraken = await openDesk(service, KRAKEN)
  const bitstamp = await openDesk(service, BITSTAMP)
  const desks = [
    { venue: 'Kraken', desk: kraken },
    { venue: 'Bitstamp', desk: bitstamp },
  ]
  const sandbox = sandboxAt(sandboxUrl)
  const pool = new pg.Pool({ connectionString: databaseUrl, max: POOL })
  await freezePrices(sandbox, true)
  try {
    const bare = await bareExecution(pool, await firstExecution(kraken))
    const through = casesOf(desks, pool, parts)
    const besides = new Map([[BARE, () => measureBare(bare, parts)]])
    const medians = await mediansOf(new Map([...through, ...besides]))
    print(medians)
    if (parts.inspect_port > 0)
      printProfile(
        await recordProfile(parts, () => measure(pool, parts, bitstamp, UNDER_WAY.at(-1) ?? 0)),
      )
    const rate = (name: string) => medians.get(name)?.rate ?? Number.NaN
    return barsOf(Math.max(...[...through.keys()].map(rate)), rate(BARE))
  } finally {
    await freezePrices(sandbox, false)
    await pool.query('drop schema if exists bench_bare cascade')
    await pool.end()
  }
}

/** Done: the model of the bare ones. */
async function firstExecution(desk: Desk): Promise<string> {
  const id = await request(desk, 0)
  await eventually('the first execution is done', PATIENCE_SECONDS, async () =>
    (await desk.api.call<{ state: string }>('GET', `/executions/${id}`)).state === 'DONE'
      ? true
      : undefined,
  )
  return id
}

const casesOf = (desks: Desks, pool: pg.Pool, parts: Parts): Map<string, () => Promise<Case>> =>
  new Map(
    desks.flatMap(({ venue, desk }) =>
      UNDER_WAY.map(
        (count) =>
          [`${venue}, ${count} under way`, () => measure(pool, parts, desk, count)] as const,
      ),
    ),
  )

async function mediansOf(
  cases: ReadonlyMap<string, () => Promise<Case>>,
): Promise<Map<string, Case>> {
  const results = new Map<string, Case[]>([...cases.keys()].map((name) => [name, []]))
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [name, work] of cases) results.get(name)?.push(await work())
  return new Map(
    [...results].map(([name, rounds]) => [
      name,
      rounds.toSorted((a, b) => a.rate - b.rate)[Math.floor(ROUNDS / 2)] as Case,
    ]),
  )
}

function print(medians: ReadonlyMap<string, Case>): void {
  process.stdout.write(
    `\nmarket executions to DONE\n${'case'.padEnd(26)}${'per second'.padStart(12)}` +
      `${'p50 ms'.padStart(10)}${'p99 ms'.padStart(10)}   cores\n`,
  )
  for (const [name, { rate, p50_ms, p99_ms, cores }] of medians)
    process.stdout.write(
      `${name.padEnd(26)}${rate.toFixed(1).padStart(12)}${p50_ms.toFixed(0).padStart(10)}` +
        `${p99_ms.toFixed(0).padStart(10)}   ${cores}\n`,
    )
}

const barsOf = (best: number, bare: number): Bar[] => [
  {
    name: 'market executions a second to DONE',
    ratio: best,
    bar: `≥ ${BAR_PER_SECOND}`,
    met: best >= BAR_PER_SECOND,
  },
  {
    name: 'market executions ÷ the same rows by bare transactions (a figure, no bar)',
    ratio: best / bare,
    bar: '',
    met: true,
  },
]

/** BUY and SELL in turns, so that neither side of the venue's account runs out. */
async function request({ api, route_id, customer_id }: Desk, index: number): Promise<string> {
  return (
    await api.call<{ id: string }>('POST', '/executions', {
      route_id,
      side: index % 2 === 0 ? 'BUY' : 'SELL',
      execution_type: 'MARKET',
      amount: AMOUNT,
      customers: [{ customer_id }],
    })
  ).id
}

async function measure(pool: pg.Pool, parts: Parts, desk: Desk, count: number): Promise<Case> {
  const since = Date.now()
  let started = 0
  // By an index: asked often, and what it takes of the database is taken from what is measured.
  const open = async () =>
    Number(
      (
        await pool.query<{ count: string }>({
          name: 'open',
          text: `
            select count(*)
            from executions
            where workspace = (select workspace from customers where id = $1)
              and state = any('{PROCESSING,CANCELING,UNKNOWN}')`,
          values: [desk.customer_id],
        })
      ).rows[0]?.count,
    )
  const fill = async () => {
    await inParallel(
      Array.from({ length: Math.max(0, count - (await open())) }),
      count,
      async () => {
        await request(desk, (started += 1))
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
  await eventually('all executions end', PATIENCE_SECONDS, async () =>
    (await open()) === 0 ? true : undefined,
  )
  const {
    rows: [ended],
  } = await pool.query<{ done: number; others: number; p50: number; p99: number }>(
    `
      select count(*) filter (where state = 'DONE')::int as done,
        count(*) filter (where state <> 'DONE')::int as others,
        percentile_cont(0.5) within group (order by completed_at - system_created_at) as p50,
        percentile_cont(0.99) within group (order by completed_at - system_created_at) as p99
      from executions
      where system_created_at >= $3
        and completed_at between $1 and $2`,
    [from, to, since],
  )
  if (ended === undefined || ended.others > 0)
    throw new Error(`${ended?.others} executions did not end DONE`)
  return {
    rate: ended.done / ((to - from) / 1000),
    p50_ms: ended.p50,
    p99_ms: ended.p99,
    cores: coresText(cores),
  }
}

async function measureBare(execute: () => Promise<void>, parts: Parts): Promise<Case> {
  const latencies: number[] = []
  const began = performance.now()
  const { cores } = await watchCores(parts, () =>
    Promise.all(
      Array.from({ length: POOL }, async () => {
        while (performance.now() < began + SECONDS * 1000) {
          const at = performance.now()
          await execute()
          latencies.push(performance.now() - at)
        }
      }),
    ),
  )
  const sorted = latencies.toSorted((a, b) => a - b)
  const share = (part: number) => sorted[Math.floor(sorted.length * part)] ?? Number.NaN
  return {
    rate: latencies.length / ((performance.now() - began) / 1000),
    p50_ms: share(0.5),
    p99_ms: share(0.99),
    cores: coresText(cores),
  }
}
