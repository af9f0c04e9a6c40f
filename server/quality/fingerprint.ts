/** What the tables of a database hold, in short: it tells whether anything was changed. */
import type { WorkspaceId } from '../src/core/ids.ts'
import type { Db } from '../src/store/db.ts'
import { join as joined, raw, sql } from '../src/store/sql.ts'

export async function fingerprint(db: Db, workspace?: WorkspaceId): Promise<Map<string, string>> {
  const tables = known.get(db) ?? (await tablesOf(db))
  known.set(db, tables)
  const states = tables
    .filter(({ owned }) => workspace === undefined || owned)
    .map(
      ({ name }) =>
        sql`
          select ${name}::text as name,
            count(*) || ' ' || coalesce(max(xmin::text::bigint), 0) as state
          from ${raw(name)}
          where ${workspace === undefined ? sql`true` : sql`workspace = ${workspace}`}`,
    )
  return new Map(
    (await db.query<{ name: string; state: string }>(joined(states, ' union all '))).map((row) => [
      row.name,
      row.state,
    ]),
  )
}

type Table = { name: string; owned: boolean }

/** To ask for them costs more than to read them all, and tables do not change. */
const known = new WeakMap<Db, readonly Table[]>()

function tablesOf(db: Db): Promise<Table[]> {
  return db.query<Table>(sql`
    select tablename as name,
      exists (
        select
        from information_schema.columns
        where table_schema = 'public'
          and table_name = tablename
          and column_name = 'workspace'
      ) as owned
    from pg_tables
    where schemaname = 'public'
      and tablename not in (
        'schema_migrations', 'price_mids', 'security_log', 'security_log_places', 'sessions',
        'venue_lease', 'credential_nonces', 'venue_questions'
      )
      and not exists (
        select
        from pg_class
        where relname = tablename
          and relispartition
      )
    order by 1`)
}
