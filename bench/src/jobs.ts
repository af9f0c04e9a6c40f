/**
 * What a tick of a thousand transfer jobs costs: all due at the same moment, once with nothing to
 * move (venues asked, a record each), once with an amount whose fee is asked and which is too
 * little to send. Nothing is transferred. No bar: figures only.
 */
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { connectTo } from './report.ts'
import type { Api, Service } from './report.ts'

const JOBS = Number(process.env['BENCH_JOBS'] ?? 1_000)
const LOOK_MILLISECONDS = 50
const PATIENCE_MILLISECONDS = 300_000

const CASES = [
  {
    name: 'nothing due',
    body: { condition_type: 'SWEEPING', conditions: [{ target: '1000000' }] },
    reason: 'BALANCE_NOT_DUE',
    asks_fee: false,
  },
  {
    name: 'due, fee asked, too little',
    body: {
      condition_type: 'CONDITIONAL',
      quantity: '0.00001',
      conditions: [{ balance_side: 'from', predicate: 'GT', quantity: '0' }],
    },
    reason: 'BELOW_VENUE_MINIMUM',
    asks_fee: true,
  },
] as const

type RunFigures = { runs: number; expected: number; p50: number; p99: number; last: string }

export async function jobs(service: Service, databaseUrl: string): Promise<void> {
  const api = await connectTo(service)
  const routes = await api.call<{ id: string; label: string }[]>('GET', '/treasury/wallets/routes')
  const route = routes.find((route) => route.label === 'Kraken to vault BTC')?.id
  if (route === undefined) throw new Error('the demo world has no route from Kraken to the vault')
  const db = new pg.Client({ connectionString: databaseUrl })
  await db.connect()
  try {
    process.stdout.write(
      `\na tick of ${JOBS} jobs\n${'case'.padEnd(34)}${'per second'.padStart(12)}` +
        `${'wall s'.padStart(10)}${'p50 ms'.padStart(10)}${'p99 ms'.padStart(10)}\n`,
    )
    for (const measured of CASES) await tick(api, db, route, measured)
  } finally {
    await db.end()
  }
}

/** All jobs of one case run once, at the same moment. */
async function tick(
  api: Api,
  db: pg.Client,
  route: string,
  { name, body, reason, asks_fee }: (typeof CASES)[number],
): Promise<void> {
  const ids: string[] = []
  while (ids.length < JOBS) ids.push(await createJob(api, route, body))
  const due = Date.now()
  await activate(db, ids, due)
  const ran = await finished(db, ids, reason, asks_fee)
  await stop(db, ids)
  if (ran.expected !== JOBS)
    throw new Error(`${JOBS - ran.expected} of ${JOBS} runs ended otherwise than expected`)
  const wall = (Number(ran.last) - due) / 1000
  process.stdout.write(
    `${name.padEnd(34)}${(JOBS / wall).toFixed(0).padStart(12)}` +
      `${wall.toFixed(1).padStart(10)}${ran.p50.toFixed(0).padStart(10)}` +
      `${ran.p99.toFixed(0).padStart(10)}\n`,
  )
}

async function createJob(api: Api, route: string, body: object): Promise<string> {
  const { id } = await api.call<{ id: string }>('POST', '/treasury/jobs', {
    route,
    active: false,
    interval: 1440,
    speed_level: 'DEFAULT',
    ...body,
  })
  return id
}

async function activate(db: pg.Client, ids: readonly string[], due: number): Promise<void> {
  await db.query('begin')
  await db.query(
    `
      update transfer_jobs
      set state = 'ACTIVE'
      where id = any($1::uuid[])`,
    [ids],
  )
  await db.query(
    `
      update job_schedules
      set state = 'ACTIVE', next_run_at = $2
      where id = any($1::uuid[])`,
    [ids, due],
  )
  await db.query(
    `
      insert into tasks (workspace, kind, subject_id, due_at)
      select workspace, 'run_job', id, $2
      from transfer_jobs
      where id = any($1::uuid[])`,
    [ids, due],
  )
  await db.query('commit')
}

async function stop(db: pg.Client, ids: readonly string[]): Promise<void> {
  await db.query(
    `
      update job_schedules
      set state = 'INACTIVE', next_run_at = null
      where id = any($1::uuid[])`,
    [ids],
  )
  await db.query(
    `
      update transfer_jobs
      set state = 'INACTIVE'
      where id = any($1::uuid[])`,
    [ids],
  )
}

/**
 * The runs of these jobs when all of them are there; how long each took, from its measuring to its
 * record.
 */
async function finished(
  db: pg.Client,
  ids: readonly string[],
  reason: string,
  asks_fee: boolean,
): Promise<RunFigures> {
  const limit = Date.now() + PATIENCE_MILLISECONDS
  for (;;) {
    const {
      rows: [ran],
    } = await db.query<RunFigures>(
      `
        select count(*)::int as runs,
          count(*) filter (where reason = $2 and (fee_estimate is not null) = $3)::int as expected,
          max(finished_at) as last,
          percentile_cont(0.5) within group (order by finished_at - started_at) as p50,
          percentile_cont(0.99) within group (order by finished_at - started_at) as p99
        from job_runs
        where job_id = any($1::uuid[])`,
      [ids, reason, asks_fee],
    )
    if (ran !== undefined && ran.runs >= ids.length) return ran
    if (Date.now() > limit)
      throw new Error(
        `${ran?.runs ?? 0} of ${ids.length} jobs ran in ${PATIENCE_MILLISECONDS / 1000} s`,
      )
    await pause(LOOK_MILLISECONDS)
  }
}
