/**
 * Firm quotes: at a steady 500 a second (open loop: an answer that comes late does not hold back
 * the next request), beside bare durable inserts at the same pace, which show what the disk takes
 * of it; and as many as come through. And how long a new price in an exchange's book takes to stand
 * in a quote.
 */
import pg from 'pg'
import { coresText, printProfile, recordProfile, watchCores } from './machine.ts'
import type { Parts } from './machine.ts'
import { runPaced, paceWork, post, run } from './load.ts'
import type { Measurement } from './load.ts'
import { medianOf, table } from './report.ts'
import type { Service } from './report.ts'
import { sandboxAt } from './sandbox.ts'
import { freezePrices, openDesk } from './trading.ts'
import type { Desk } from './trading.ts'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3)
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 10)
/** Measured as a process that has run for a while: what is compiled late is compiled. */
const WARM_SECONDS = 20
/** Sixty-four connections that begin at one moment are no steady load. */
const BEGINNING_SECONDS = 1
const PER_SECOND = 500
const CONNECTIONS = 64
/** As many as the service has for its requests. */
const BARE_CONNECTIONS = 5
const BAR_MILLISECONDS = 10
const CHANGES = 60
const PATIENCE_MILLISECONDS = 10_000

type Bar = { name: string; ratio: number; bar: string; met: boolean }

const PACE_OF_QUOTES = {
  per_second: PER_SECOND,
  uncounted_seconds: BEGINNING_SECONDS,
  seconds: SECONDS,
}

type Rounds = { steady: Measurement[]; inserts: Measurement[]; most: Measurement[]; cores: string }

export async function quotes(service: Service, databaseUrl: string, parts: Parts): Promise<Bar[]> {
  const desk = await openDesk(service)
  const bare = new pg.Pool({ connectionString: databaseUrl, max: BARE_CONNECTIONS })
  const body = JSON.stringify({
    route_id: desk.route_id,
    customer_id: desk.customer_id,
    request_asset: 'BTC',
    request_quantity: '0.1',
    risk_duration_ms: 30_000,
  })
  const load: Parameters<typeof run>[0] = {
    ...service,
    seconds: SECONDS,
    connections: CONNECTIONS,
    request: () =>
      post({ path: '/api/price-stream/quotes', token: desk.api.token(), host: desk.host, body }),
  }
  const rounds = await measureRounds(load, parts, await bareInserts(bare, body))
  await bare.query('drop table bench_quotes')
  await bare.end()
  const failed = [...rounds.steady, ...rounds.most].reduce((sum, round) => sum + round.failed, 0)
  if (failed > 0) throw new Error(`${failed} quotes were not answered with 200`)
  const bars = print(rounds)
  if (parts.inspect_port > 0) printProfile(await recordProfile(parts, () => run(load)))
  return bars
}

/** One durable insert each time. */
async function bareInserts(bare: pg.Pool, body: string): Promise<() => Promise<void>> {
  await bare.query(
    `
      create table if not exists bench_quotes (
        id bigint generated always as identity primary key,
        body text not null
      )`,
  )
  return async () => {
    await bare.query({
      name: 'bare',
      text: `
        insert into bench_quotes (body)
        values ($1)`,
      values: [body],
    })
  }
}

async function measureRounds(
  load: Parameters<typeof run>[0],
  parts: Parts,
  insert: () => Promise<void>,
): Promise<Rounds> {
  const rounds: Rounds = { steady: [], inserts: [], most: [], cores: '' }
  await runPaced({ ...load, ...PACE_OF_QUOTES, seconds: WARM_SECONDS })
  for (let round = 0; round < ROUNDS; round += 1) {
    const { result, cores } = await watchCores(parts, () =>
      runPaced({ ...load, ...PACE_OF_QUOTES }),
    )
    rounds.steady.push(result)
    rounds.cores = coresText(cores)
    rounds.inserts.push(await paceWork(PACE_OF_QUOTES, insert))
  }
  // Afterwards: what it leaves to be marked and flushed would be in the way of a steady load.
  for (let round = 0; round < ROUNDS; round += 1) rounds.most.push(await run(load))
  return rounds
}

function print({ steady, inserts, most, cores }: Rounds): Bar[] {
  const byTail = (rounds: Measurement[]) =>
    rounds.toSorted((a, b) => a.p99_ms - b.p99_ms)[Math.floor(rounds.length / 2)] as Measurement
  const [median, insert] = [byTail(steady), byTail(inserts)]
  table(
    'quotes',
    new Map([
      [`${PER_SECOND} a second, open loop`, median],
      ['bare inserts, the same pace', insert],
      [`${CONNECTIONS} connections`, medianOf(most)],
    ]),
  )
  process.stdout.write(`at ${PER_SECOND} a second: cores ${cores}\n`)
  return [
    {
      name: `p99 in ms of quotes at ${PER_SECOND} a second`,
      ratio: median.p99_ms,
      bar: `≤ ${BAR_MILLISECONDS}`,
      met: median.p99_ms <= BAR_MILLISECONDS,
    },
    {
      name: 'p99 of quotes ÷ p99 of bare inserts (a figure, no bar)',
      ratio: median.p99_ms / insert.p99_ms,
      bar: '',
      met: true,
    },
  ]
}

/**
 * From the moment the exchange gets its new price to the first quote that has it, asked one
 * after the other.
 */
export async function bookUpdates(service: Service, sandboxUrl: string): Promise<void> {
  const desk = await openDesk(service)
  const sandbox = sandboxAt(sandboxUrl)
  await freezePrices(sandbox, true)
  const delays: number[] = []
  const quoting: number[] = []
  try {
    const [market] = (await sandbox.get<{ pair: string; bid: string }[]>('kraken/market')).filter(
      (market) => market.pair === 'BTC/EUR',
    )
    const middlePrice = Number(market?.bid)
    for (let change = 0; change < CHANGES; change += 1) {
      const before = await priceOf(desk, quoting)
      const price = (middlePrice * (change % 2 === 0 ? 1.002 : 0.998)).toFixed(1)
      const began = performance.now()
      await sandbox.post('kraken/market', { pair: 'BTC/EUR', price })
      while ((await priceOf(desk, quoting)) === before)
        if (performance.now() - began > PATIENCE_MILLISECONDS)
          throw new Error('no quote had the new price in time')
      delays.push(performance.now() - began)
    }
  } finally {
    await freezePrices(sandbox, false)
  }
  const at = (values: number[], share: number) =>
    (values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN).toFixed(1)
  process.stdout.write(
    `\nfrom a new price in the book to the next quote with it: p50 ${at(delays, 0.5)} ms, ` +
      `p99 ${at(delays, 0.99)} ms (one quote alone: p50 ${at(quoting, 0.5)} ms; the exchange ` +
      'sends books every 50 ms)\n',
  )
}

async function priceOf({ api, route_id, customer_id }: Desk, delays: number[]): Promise<string> {
  const began = performance.now()
  const { buy } = await api.call<{ buy: { vwap: string } }>('POST', '/price-stream/quotes', {
    route_id,
    customer_id,
    request_asset: 'BTC',
    request_quantity: '0.01',
    risk_duration_ms: 0,
  })
  delays.push(performance.now() - began)
  return buy.vwap
}
