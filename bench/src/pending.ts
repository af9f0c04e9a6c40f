/**
 * Whether withdrawals that stay pending keep a new one waiting: the time of a few new ones to
 * SUCCESS, beside none and beside 10,000 that the vault holds for authorization; interleaved
 * rounds. The many are copies of one real withdrawal, made set-wise in the service's tables and in
 * the vault's, and taken away again.
 */
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { prepareWithdrawals } from './in-flight.ts'
import { coresText, watchCores } from './machine.ts'
import type { Parts } from './machine.ts'
import { connectTo } from './report.ts'
import type { Service } from './report.ts'
import { eventually, sandboxAt } from './sandbox.ts'
import { starter } from './withdrawals.ts'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3)
const PENDING = Number(process.env['BENCH_PENDING'] ?? 10_000)
const NEW = 10
const PACE = 20
/**
 * How far apart the service asks about each of many, and how old they are: an hour and more, as
 * what stays pending is.
 */
const ASKED_APART_MILLISECONDS = 25
const YOUNGEST_MILLISECONDS = 3_600_000
const OLDEST_MILLISECONDS = 7_200_000
const SETTLE_SECONDS = 60
const OVERDUE_MILLISECONDS = 1_000
const PATIENCE_SECONDS = 300
const COPIED = 'bench copy'

type Figures = { p50_ms: number; longest_ms: number; cores: string }
type Run = { db: pg.Client; parts: Parts; start: () => Promise<string> }
type Places = { databaseUrl: string; sandboxUrl: string; sandboxFile: string }

export async function pending(
  service: Service,
  { databaseUrl, sandboxUrl, sandboxFile }: Places,
  parts: Parts,
): Promise<void> {
  const api = await connectTo(service)
  const sandbox = sandboxAt(sandboxUrl)
  const start = await starter(api, await prepareWithdrawals(api, sandboxUrl))
  const db = new pg.Client({ connectionString: databaseUrl })
  await db.connect()
  const world = new DatabaseSync(sandboxFile)
  world.exec('pragma busy_timeout = 10000')
  try {
    const model = await heldAtVault(sandbox, start)
    await sandbox.atPace(PACE, async () => {
      print(await measureRounds({ db, parts, start }, world, model))
    })
    await sandbox.post(`fireblocks/transactions/${model}`, { action: 'CANCELLED' })
  } finally {
    await remove(db, world)
    world.close()
    await db.end()
  }
}

/** By how many are pending beside: none and many, in turns. */
async function measureRounds(
  run: Run,
  world: DatabaseSync,
  model: string,
): Promise<Map<number, Figures[]>> {
  const [besideNone, besideMany]: [Figures[], Figures[]] = [[], []]
  for (let round = 0; round < ROUNDS; round += 1) {
    besideNone.push(await measure(run))
    await copy(run.db, world, model, PENDING)
    await eventually('nothing is overdue', SETTLE_SECONDS, () => isNothingOverdue(run.db))
    besideMany.push(await measure(run))
    await remove(run.db, world)
  }
  return new Map([
    [0, besideNone],
    [PENDING, besideMany],
  ])
}

async function measure({ db, parts, start }: Run): Promise<Figures> {
  const { result: ids, cores } = await watchCores(parts, async () => {
    const withdrawals = await Promise.all(Array.from({ length: NEW }, start))
    await eventually('the new withdrawals end', PATIENCE_SECONDS, async () => {
      const {
        rows: [open],
      } = await db.query<{ count: string }>(
        `
          select count(*)
          from withdrawals
          where id = any($1::uuid[])
            and state <> 'SUCCESS'`,
        [withdrawals],
      )
      return open?.count === '0' ? true : undefined
    })
    return withdrawals
  })
  const {
    rows: [took],
  } = await db.query<{ p50: number; longest: string }>(
    `
      select percentile_cont(0.5) within group (
        order by completed_at - system_created_at
      ) as p50,
        max(completed_at - system_created_at) as longest
      from withdrawals
      where id = any($1::uuid[])`,
    [ids],
  )
  return {
    p50_ms: took?.p50 ?? Number.NaN,
    longest_ms: Number(took?.longest),
    cores: coresText(cores),
  }
}

async function isNothingOverdue(db: pg.Client): Promise<true | undefined> {
  const {
    rows: [overdue],
  } = await db.query<{ count: string }>(
    `
      select count(*)
      from tasks
      where kind = 'withdrawal'
        and due_at < $1`,
    [Date.now() - OVERDUE_MILLISECONDS],
  )
  return overdue?.count === '0' ? true : undefined
}

function print(results: ReadonlyMap<number, Figures[]>): void {
  const median = (count: number) =>
    (results.get(count) ?? []).toSorted((a, b) => a.p50_ms - b.p50_ms)[Math.floor(ROUNDS / 2)]
  const p50Of = (count: number) => median(count)?.p50_ms ?? Number.NaN
  process.stdout.write(
    `\na new withdrawal beside pending ones\n${'pending'.padEnd(12)}` +
      `${'p50 ms'.padStart(10)}${'longest ms'.padStart(12)}   cores\n`,
  )
  for (const count of results.keys())
    process.stdout.write(
      `${String(count).padEnd(12)}${median(count)?.p50_ms.toFixed(0).padStart(10)}` +
        `${median(count)?.longest_ms.toFixed(0).padStart(12)}   ${median(count)?.cores}\n`,
    )
  process.stdout.write(`ratio ${(p50Of(PENDING) / p50Of(0)).toFixed(2)}\n`)
}

/**
 * One real withdrawal that the vault does not broadcast; world time stands still until it is held.
 */
async function heldAtVault(
  sandbox: ReturnType<typeof sandboxAt>,
  start: () => Promise<string>,
): Promise<string> {
  return sandbox.atPace(0, async () => {
    const id = await start()
    return eventually('the vault holds the withdrawal', 20, () =>
      sandbox.post(`fireblocks/transactions/${id}`, { action: 'hold' }).then(
        () => id,
        () => undefined,
      ),
    )
  })
}

/** In the service's tables and in the vault's. */
async function copy(
  db: pg.Client,
  world: DatabaseSync,
  model: string,
  count: number,
): Promise<void> {
  await eventually('the model has its reference', 20, () => hasReference(db, model))
  const copies = await copyInService(db, model, count)
  copyAtVault(world, model, copies)
}

async function hasReference(db: pg.Client, model: string): Promise<true | undefined> {
  const { rowCount } = await db.query(
    `
      select 1
      from withdrawals
      where id = $1
        and foreign_id is not null`,
    [model],
  )
  return rowCount === 1 ? true : undefined
}

type Copy = { external_id: string; foreign_id: string }

async function copyInService(db: pg.Client, model: string, count: number): Promise<Copy[]> {
  const { rows: columns } = await db.query<{ name: string }>(
    `
      select column_name as name
      from information_schema.columns
      where table_name = 'withdrawals'
      order by ordinal_position`,
  )
  const others: Readonly<Record<string, string>> = {
    id: 'fresh.id',
    external_id: 'fresh.id::text',
    foreign_id: 'fresh.foreign_id::text',
    note: `'${COPIED}'`,
    submitted_at: '$3::bigint - fresh.age',
  }
  const values = columns.map(({ name }) => others[name] ?? `model.${name}`)
  const { rows } = await db.query<Copy>(
    `
      with fresh as (
        select gen_random_uuid() as id, gen_random_uuid() as foreign_id, n * $4::bigint as due_in,
          $5::bigint + (random() * ($6::bigint - $5::bigint))::bigint as age
        from generate_series(1, $2::int) n
      ),
        made as (
          insert into withdrawals (${columns.map(({ name }) => name).join(', ')})
          select ${values.join(', ')}
          from withdrawals model, fresh
          where model.id = $1
          returning workspace, id, external_id, foreign_id
        ),
        due as (
          insert into tasks (workspace, kind, subject_id, due_at)
          select workspace, 'withdrawal', made.id, $3::bigint + fresh.due_in
          from made
          join fresh using (id)
        )
      select external_id, foreign_id
      from made`,
    [
      model,
      count,
      Date.now(),
      ASKED_APART_MILLISECONDS,
      YOUNGEST_MILLISECONDS,
      OLDEST_MILLISECONDS,
    ],
  )
  return rows
}

function copyAtVault(world: DatabaseSync, model: string, copies: readonly Copy[]): void {
  const columns = world.prepare('pragma table_info(vault_transactions)').all() as { name: string }[]
  const names = columns.map(({ name }) => name)
  const others: Readonly<Record<string, string>> = {
    id: ':foreign_id',
    external_tx_id: ':external_id',
    note: `'${COPIED}'`,
  }
  const insert = world.prepare(
    `
      insert into vault_transactions (${names.join(', ')})
      select ${names.map((name) => others[name] ?? name).join(', ')}
      from vault_transactions
      where external_tx_id = :model`,
  )
  world.exec('begin immediate')
  for (const { external_id, foreign_id } of copies) insert.run({ external_id, foreign_id, model })
  world.exec('commit')
}

async function remove(db: pg.Client, world: DatabaseSync): Promise<void> {
  await db.query(
    `
      with gone as (delete from withdrawals where note = $1 returning id)
      delete from tasks using gone
      where subject_id = gone.id`,
    [COPIED],
  )
  world.exec(`
    delete from vault_transactions
    where note = '${COPIED}'`)
}
