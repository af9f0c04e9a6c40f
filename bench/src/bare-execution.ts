/**
 * Copies of one execution's rows in tables without their keys' meaning, in the three transactions
 * that an execution needs.
 */
import { randomUUID } from 'node:crypto'
import type pg from 'pg'

/** What belongs to the model, by table. */
const ROWS_OF: Readonly<Record<string, string>> = {
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

/** Answers what copies all rows once more. */
export async function bareExecution(pool: pg.Pool, model: string): Promise<() => Promise<void>> {
  await pool.query('drop schema if exists bench_bare cascade; create schema bench_bare')
  await copyBalances(pool, model)
  for (const [table, condition] of Object.entries(ROWS_OF))
    await copyTable(pool, table, condition.replace('$1', `'${model}'`))
  const transactions = TRANSACTIONS.map((statements, nth) =>
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
      for (const statements of transactions) {
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

async function copyBalances(pool: pg.Pool, model: string): Promise<void> {
  await pool.query(
    `
      create table bench_bare.touched as
      select distinct l.account_id, b.asset
      from legs l
      join bookings b on b.workspace = l.workspace and b.sequence = l.booking_sequence
      where b.reference_id = '${model}'`,
  )
  await pool.query(
    `
      create table bench_bare.balances (like balances including all);
      insert into bench_bare.balances
      select distinct b.*
      from balances b
      join bench_bare.touched t on t.account_id = b.account_id and t.asset = b.asset`,
  )
}

/** The same columns and as many indexes; a copy may repeat what is unique elsewhere. */
async function copyTable(pool: pg.Pool, table: string, condition: string): Promise<void> {
  await pool.query(
    `
      create table bench_bare.model_${table} as
      select *
      from ${table}
      where ${condition}`,
  )
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
/** Asked for; sent; filled and booked. */
const TRANSACTIONS: readonly string[][] = [
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
