/**
 * The comparison, in this process and over the same tables: one plain transaction per booking on a
 * pool of 8, and set-wise SQL that books many at once. Neither keeps the gapless sequence, the
 * floors or the chain.
 */
import pg from 'pg'
import { randomUUID } from 'node:crypto'
import { summary } from './load.ts'
import type { Measurement } from './load.ts'

export type Bare = { workspace: string; accounts: string[]; house: string; pool: pg.Pool }

const POOL = 8
const BATCH = 256

export async function openBare(url: string): Promise<Bare> {
  const pool = new pg.Pool({ connectionString: url, max: POOL })
  const workspace = randomUUID()
  const house = randomUUID()
  const accounts = Array.from({ length: 1000 }, () => randomUUID())
  await pool.query('create sequence if not exists bench_sequence')
  const insertAccount = `
    insert into accounts (workspace, id, type, label, customer_id, overdraft, system_created_at,
      system_updated_at)
    select $1, a, 'CUSTOMER', 'bench', gen_random_uuid(), true, 0, 0
    from unnest($2::uuid[]) a`
  await pool.query(insertAccount, [workspace, [house, ...accounts]])
  await pool.query(
    `
      insert into balances (workspace, account_id, asset, total, held_withdrawal, held_trading)
      select $1, a, 'EUR', 0, 0, 0
      from unnest($2::uuid[]) a`,
    [workspace, [house, ...accounts]],
  )
  return { workspace, accounts, house, pool }
}

const pick = (accounts: readonly string[]) =>
  accounts[Math.floor(Math.random() * accounts.length)] ?? ''

export async function bareTransactions(
  bare: Bare,
  hot: boolean,
  callers: number,
  seconds: number,
): Promise<Measurement> {
  const latencies: number[] = []
  const start = performance.now()
  const end = start + seconds * 1000
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (performance.now() < end) {
        const began = performance.now()
        await bookOnce(
          bare,
          hot ? [bare.house, bare.accounts[0] ?? ''] : [pick(bare.accounts), pick(bare.accounts)],
        )
        latencies.push(performance.now() - began)
      }
    }),
  )
  return { ...summary(latencies, (performance.now() - start) / 1000), failed: 0 }
}

async function bookOnce(bare: Bare, [debit = '', credit = '']: string[]): Promise<void> {
  const client = await bare.pool.connect()
  try {
    const { workspace } = bare
    await client.query('begin')
    await client.query({
      name: 'key',
      text: `
        insert into idempotency_keys (workspace, key, request_hash, state)
        values ($1, $2, '\\x00', 'DONE')`,
      values: [workspace, randomUUID()],
    })
    const balances = new Map<string, string>()
    for (const [account, delta] of [
      [debit, '-1'],
      [credit, '1'],
    ].toSorted() as [string, string][]) {
      const { rows } = await client.query<{ total: string }>({
        name: 'balance',
        text: `
          update balances
          set total = total + $3::numeric
          where workspace = $1
            and account_id = $2
            and asset = 'EUR'
          returning total`,
        values: [workspace, account, delta],
      })
      balances.set(account, rows[0]?.total ?? '0')
    }
    const { rows } = await client.query<{ sequence: string }>({
      name: 'booking',
      text: `
        insert into bookings (workspace, sequence, id, event_sequence, batch_no, type, asset,
          value_date, booked_at)
        select $1, n, $2, n, 0, 'MANUAL', 'EUR', 0, 0
        from nextval('bench_sequence') n
        returning sequence`,
      values: [workspace, randomUUID()],
    })
    await client.query({
      name: 'legs',
      text: `
        insert into legs (workspace, booking_sequence, leg_no, account_id, type, quantity,
          balance_after, booking_type)
        values ($1, $2, 1, $3, 'DEBIT', 1, $4, 'MANUAL'),
          ($1, $2, 2, $5, 'CREDIT', 1, $6, 'MANUAL')`,
      values: [
        workspace,
        rows[0]?.sequence,
        debit,
        balances.get(debit),
        credit,
        balances.get(credit),
      ],
    })
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}

/**
 * Bookings by the batch in five statements: what the database gives when nobody asks about a single
 * one.
 */
export async function setWise(bare: Bare, hot: boolean, seconds: number): Promise<Measurement> {
  const latencies: number[] = []
  let bookings = 0
  const start = performance.now()
  const end = start + seconds * 1000
  const client = await bare.pool.connect()
  try {
    while (performance.now() < end) {
      const began = performance.now()
      const pairs = Array.from({ length: BATCH }, () =>
        hot ? [bare.house, bare.accounts[0] ?? ''] : [pick(bare.accounts), pick(bare.accounts)],
      )
      await bookBatch(
        client,
        bare.workspace,
        pairs.map(([debit = '']) => debit),
        pairs.map(([, credit = '']) => credit),
      )
      bookings += BATCH
      latencies.push(performance.now() - began)
    }
  } finally {
    client.release()
  }
  const elapsed = (performance.now() - start) / 1000
  return { ...summary(latencies, elapsed), rate: bookings / elapsed, answered: bookings, failed: 0 }
}

async function bookBatch(
  client: pg.PoolClient,
  workspace: string,
  debits: string[],
  credits: string[],
): Promise<void> {
  const keys = debits.map(() => randomUUID())
  await client.query('begin')
  await client.query({
    name: 'keys',
    text: `
      insert into idempotency_keys (workspace, key, request_hash, state)
      select $1, k, '\\x00', 'DONE'
      from unnest($2::text[]) k`,
    values: [workspace, keys],
  })
  const { rows } = await client.query<{ sequence: string }>({
    name: 'bookings',
    text: `
      insert into bookings (workspace, sequence, id, event_sequence, batch_no, type, asset,
        value_date, booked_at)
      select $1, n, k, n, 0, 'MANUAL', 'EUR', 0, 0
      from (select k, nextval('bench_sequence') as n from unnest($2::uuid[]) k) as made
      returning sequence`,
    values: [workspace, keys],
  })
  const sequences = rows.map((row) => row.sequence)
  await client.query({
    name: 'all legs',
    text: `
      insert into legs (workspace, booking_sequence, leg_no, account_id, type, quantity,
        balance_after, booking_type)
      select $1, s, n, a, t, 1, 0, 'MANUAL'
      from unnest($2::bigint[], $3::smallint[], $4::uuid[], $5::text[]) as l (s, n, a, t)`,
    values: [
      workspace,
      [...sequences, ...sequences],
      [...debits.map(() => 1), ...credits.map(() => 2)],
      [...debits, ...credits],
      [...debits.map(() => 'DEBIT'), ...credits.map(() => 'CREDIT')],
    ],
  })
  await client.query({
    name: 'balances',
    text: `
      update balances b
      set total = b.total + d.delta
      from (
        select a, sum(q)::numeric as delta
        from unnest($2::uuid[], $3::integer[]) as x (a, q)
        group by a
      ) d
      where b.workspace = $1
        and b.account_id = d.a
        and b.asset = 'EUR'`,
    values: [
      workspace,
      [...debits, ...credits],
      [...debits.map(() => -1), ...credits.map(() => 1)],
    ],
  })
  await client.query('commit')
}
