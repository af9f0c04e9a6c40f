/**
 * Market executions from request to DONE, closed loop: a number of them always under way, a new one
 * for each that has ended. Kraken takes one private call at a time (a nonce that only grows),
 * Bitstamp as many as come. Beside it the same rows, as one execution writes them, by bare
 * transactions on a pool of 8: asked for, sent, filled and booked.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { coresText, printProfile, profiled, watched } from './machine.ts'
import type { Parts } from './machine.ts'
import type { Service } from './report.ts'
import { each, eventually, sandboxAt } from './sandbox.ts'
import { BITSTAMP, freezePrices, KRAKEN, openDesk } from './trading.ts'
import type { Desk } from './trading.ts'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3)
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 5)
const UNDER_WAY = [1, 16, 64]
const POOL = 8
const BAR_PER_SECOND = 100
const PATIENCE_SECONDS = 60
/** Between two looks at how many are under way. */
const LOOK_MILLISECONDS = 3
const AMOUNT = '0.001'

type Case = { rate: number; p50_ms: number; p99_ms: number; cores: string }

export async function executions(
  service: Service,
  databaseUrl: string,
  sandboxUrl: string,
  parts: Parts,
): Promise<{ name: string; ratio: number; bar: string; met: boolean }[]> {
  const desks = [
    { venue: 'Kraken', desk: await openDesk(service, KRAKEN) },
    { venue: 'Bitstamp', desk: await openDesk(service, BITSTAMP) },
  ]
  const [{ desk }] = desks as [(typeof desks)[0]]
  const sandbox = sandboxAt(sandboxUrl)
  const pool = new pg.Pool({ connectionString: databaseUrl, max: POOL })
  await freezePrices(sandbox, true)
  try {
    const model = await request(desk, 0)
    await eventually('the first execution is done', PATIENCE_SECONDS, async () =>
      (await desk.api.call<{ state: string }>('GET', `/executions/${model}`)).state === 'DONE'
        ? true
        : undefined,
    )
    const bare = await bareExecution(pool, model)
    const through = new Map(
      desks.flatMap((desk) =>
        UNDER_WAY.map(
          (count) =>
            [
              `${desk.venue}, ${count} under way`,
              () => measure(pool, parts, desk.desk, count),
            ] as const,
        ),
      ),
    )
    const cases = new Map<string, () => Promise<Case>>(through)
    cases.set(`bare, pool of ${POOL}`, () => measureBare(bare, parts))
    const results = new Map<string, Case[]>([...cases.keys()].map((name) => [name, []]))
    for (let round = 0; round < ROUNDS; round += 1)
      for (const [name, work] of cases) results.get(name)?.push(await work())
    const median = (name: string) =>
      (results.get(name) ?? []).toSorted((a, b) => a.rate - b.rate)[Math.floor(ROUNDS / 2)] as Case
    process.stdout.write(
      `\nmarket executions to DONE\n${'case'.padEnd(26)}${'per second'.padStart(12)}` +
        `${'p50 ms'.padStart(10)}${'p99 ms'.padStart(10)}   cores\n`,
    )
    for (const name of cases.keys()) {
      const { rate, p50_ms, p99_ms, cores } = median(name)
      process.stdout.write(
        `${name.padEnd(26)}${rate.toFixed(1).padStart(12)}${p50_ms.toFixed(0).padStart(10)}` +
          `${p99_ms.toFixed(0).padStart(10)}   ${cores}\n`,
      )
    }
    if (parts.inspect_port > 0)
      printProfile(
        await profiled(parts, () =>
          measure(pool, parts, desks[1]?.desk ?? desk, UNDER_WAY.at(-1) ?? 0),
        ),
      )
    const best = Math.max(...[...through.keys()].map((name) => median(name).rate))
    return [
      {
        name: 'market executions a second to DONE',
        ratio: best,
        bar: `≥ ${BAR_PER_SECOND}`,
        met: best >= BAR_PER_SECOND,
      },
      {
        name: 'market executions ÷ the same rows by bare transactions (a figure, no bar)',
        ratio: best / median(`bare, pool of ${POOL}`).rate,
        bar: '',
        met: true,
      },
    ]
  } finally {
    await freezePrices(sandbox, false)
    await pool.query('drop schema if exists bench_bare cascade')
    await pool.end()
  }
}

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
    await each(Array.from({ length: Math.max(0, count - (await open())) }), count, async () => {
      await request(desk, (started += 1))
    })
  }
  await fill()
  const {
    result: { from, to },
    cores,
  } = await watched(parts, async () => {
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
  const { cores } = await watched(parts, () =>
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

/**
 * Copies of one execution's rows in tables without their keys' meaning, in the three transactions
 * that an execution needs.
 */
async function bareExecution(pool: pg.Pool, model: string): Promise<() => Promise<void>> {
  const from: Record<string, string> = {
    executions: 'id = $1',
    execution_customers: 'execution_id = $1',
    execution_orders: 'execution_id = $1',
    holds: 'cause_id = $1',
    fills: 'execution_id = $1',
    events: 'resource_id = $1',
    bookings: 'reference_id = $1',
    legs: 'booking_sequence in (select sequence from bookings where reference_id = $1)',
    tasks: 'true limit 1',
  }
  await pool.query('drop schema if exists bench_bare cascade; create schema bench_bare')
  const balances = `
      select distinct l.account_id, b.asset
      from legs l
      join bookings b on b.workspace = l.workspace and b.sequence = l.booking_sequence
      where b.reference_id = $1`
  await pool.query(`create table bench_bare.touched as ${balances.replace('$1', `'${model}'`)}`)
  await pool.query(
    `
      create table bench_bare.balances (like balances including all);
      insert into bench_bare.balances
      select distinct b.*
      from balances b
      join bench_bare.touched t on t.account_id = b.account_id and t.asset = b.asset`,
  )
  for (const [table, condition] of Object.entries(from)) {
    await pool.query(
      `
        create table bench_bare.model_${table} as
        select *
        from ${table}
        where ${condition.replace('$1', `'${model}'`)}`,
    )
    // The same columns and as many indexes; a copy may repeat what is unique elsewhere.
    await pool.query(
      `
        create table bench_bare.${table} (like ${table} including defaults, copy uuid not null);
        create index on bench_bare.${table} (copy)`,
    )
    const { rows } = await pool.query<{ columns: string }>(
      `
        select string_agg(
          quote_ident(a.attname),
          ', ' order by array_position(i.indkey::int[], a.attnum::int)
        ) as columns
        from pg_index i
        join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
        where i.indrelid = $1::regclass
        group by i.indexrelid`,
      [table],
    )
    for (const { columns } of rows)
      await pool.query(`create index on bench_bare.${table} (${columns}, copy)`)
  }
  const copied = (tables: string[]) =>
    tables.map(
      (table) =>
        `
          insert into bench_bare.${table}
          select m.*, $1::uuid
          from bench_bare.model_${table} m`,
    )
  const events = (which: string) =>
    `
      insert into bench_bare.events
      select m.*, $1::uuid
      from bench_bare.model_events m ${which}`
  const changed = (table: string, change: string) =>
    `update bench_bare.${table} set ${change} where copy = $1`
  const transactions = [
    [
      ...copied(['executions', 'execution_customers', 'execution_orders', 'holds', 'tasks']),
      events('limit 1'),
      `
        update bench_bare.balances
        set held_trading = held_trading + 1
        where account_id in (select account_id from bench_bare.touched limit 1)`,
    ],
    [changed('execution_orders', `sent_at = 1, state = 'PENDING_NEW'`)],
    [
      ...copied(['fills', 'bookings', 'legs']),
      events('offset 1'),
      `
        with locked as (
          select account_id, asset
          from bench_bare.balances
          order by account_id, asset
          for update
        )
        update bench_bare.balances b
        set total = b.total + 1
        from locked l
        where b.account_id = l.account_id
          and b.asset = l.asset`,
      changed('executions', 'completed_at = 1'),
      changed('execution_customers', 'filled_amount = 1'),
      changed('execution_orders', `state = 'FILLED'`),
      changed('holds', `state = 'ENDED', captured = quantity, released = 0`),
      `
        delete from bench_bare.tasks
        where copy = $1`,
    ],
  ]
  const named = transactions.map((statements, nth) =>
    statements.map((text, index) => ({
      name: `bare ${nth} ${index}`,
      text,
      takesCopy: text.includes('$1'),
    })),
  )
  return async () => {
    const client = await pool.connect()
    try {
      const copy = randomUUID()
      for (const statements of named) {
        await client.query('begin')
        for (const { name, text, takesCopy } of statements)
          await client.query({ name, text, values: takesCopy ? [copy] : [] })
        await client.query('commit')
      }
    } catch (error) {
      await client.query('rollback')
      throw error
    } finally {
      client.release()
    }
  }
}
