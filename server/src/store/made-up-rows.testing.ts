/** For tests: rows of which only a few fields matter, made up from the types of their columns. */
import pg from 'pg'
import { newId } from '../core/ids.ts'

export type MadeUpRows = readonly (readonly [table: string, fields: Record<string, unknown>])[]

/**
 * What must be there and is not given is made up. Nothing refers to anything, and the tables lose
 * their checks: for a database that the test has for this alone.
 */
export async function insertMadeUp(
  url: string,
  workspace: string,
  rows: MadeUpRows,
): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('set session_replication_role = replica')
    for (const table of new Set(rows.map(([name]) => name))) await dropChecks(client, table)
    for (const [table, given] of rows) {
      const fields = { ...(await madeUp(client, table)), workspace, ...given }
      const names = Object.keys(fields).join(', ')
      await client.query(
        `insert into ${table} (${names})
         select ${names}
         from jsonb_populate_record(null::${table}, $1)`,
        [JSON.stringify(fields)],
      )
    }
  } finally {
    await client.end()
  }
}

async function dropChecks(client: pg.Client, table: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select conname as name
     from pg_constraint
     where conrelid = $1::regclass
       and contype = 'c'`,
    [table],
  )
  for (const { name } of rows) await client.query(`alter table ${table} drop constraint ${name}`)
}

async function madeUp(client: pg.Client, table: string): Promise<Record<string, unknown>> {
  const { rows } = await client.query<{ name: string; type: string }>(
    `select column_name as name, data_type as type
     from information_schema.columns
     where table_name = $1
       and is_nullable = 'NO'
       and column_default is null`,
    [table],
  )
  return Object.fromEntries(rows.map(({ name, type }) => [name, valueOf(type)]))
}

function valueOf(type: string): unknown {
  if (type === 'uuid') return newId()
  if (type === 'text') return newId()
  if (type === 'boolean') return false
  if (type === 'jsonb') return {}
  return type === 'ARRAY' ? [] : 1
}
