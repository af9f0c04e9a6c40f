/**
 * Rows for the lists, made set-wise: `n` of each table, with the states and references that a
 * desk's have, evenly over the last ninety days.
 */
import pg from 'pg'
import { BOOKS_ROWS } from './books.ts'
import { KIND, SPAN_MILLISECONDS } from './columns.ts'
import type { Fill, Kind } from './columns.ts'
import { DESK_ROWS } from './desk.ts'
import { MOVEMENTS_ROWS } from './movements.ts'
import { PARTIES_ROWS } from './parties.ts'
import { TRADING_ROWS } from './trading.ts'
import { TREASURY_ROWS } from './treasury.ts'

export const FILLS = {
  ...PARTIES_ROWS,
  ...TREASURY_ROWS,
  ...MOVEMENTS_ROWS,
  ...BOOKS_ROWS,
  ...TRADING_ROWS,
  ...DESK_ROWS,
} as const satisfies Record<string, Fill>

/** The name of a table's rows. */
export type RowsName = keyof typeof FILLS

/** A connection on which rows are made without the checks of keys between tables. */
export async function openRows(
  url: string,
  n: number,
): Promise<{ db: pg.Client; workspace: string; idAt(kind: Kind, i: number): Promise<string> }> {
  const db = new pg.Client({ connectionString: url })
  await db.connect()
  const {
    rows: [first],
  } = await db.query<{ id: string }>('select id from workspaces order by id limit 1')
  if (first === undefined) throw new Error('the database has no workspace')
  await db.query(
    `
      set session_replication_role = replica;
      set synchronous_commit = off;
      set maintenance_work_mem = '256MB'`,
  )
  const startsAt = Date.now() - SPAN_MILLISECONDS
  await db.query(
    `
      create
        or replace function bench_at(i bigint) returns bigint language sql immutable as 'select
          ${startsAt} + i * ${SPAN_MILLISECONDS} / ${n}'`,
  )
  await db.query(
    `
      create or replace function bench_rows() returns bigint language sql immutable
      as 'select ${n}::bigint'`,
  )
  await db.query(`
    create or replace function bench_id(kind integer, i bigint) returns uuid
    language sql immutable as $$
      select (
        lpad(to_hex(${startsAt} + i * ${SPAN_MILLISECONDS} / ${n}), 12, '0') || '7' ||
        lpad(to_hex(kind), 3, '0') || '8' || lpad(to_hex(i), 15, '0')
      )::uuid
    $$`)
  return {
    db,
    workspace: first.id,
    idAt: async (kind, i) =>
      (await db.query<{ id: string }>('select bench_id($1, $2) as id', [KIND[kind], i])).rows[0]
        ?.id ?? '',
  }
}

export async function fill(
  db: pg.Client,
  workspace: string,
  { table, columns, share = 1 }: Fill,
  n: number,
): Promise<void> {
  const names = Object.keys(columns)
  await db.query(
    `
      insert into ${table} (workspace, ${names.join(', ')})
      select $1, ${Object.values(columns).join(', ')}
      from generate_series(1, $2::bigint) as i`,
    [workspace, Math.ceil(n * share)],
  )
  await db.query(`vacuum analyze ${table}`)
}

export const empty = (db: pg.Client, table: string) => db.query(`truncate ${table} cascade`)
