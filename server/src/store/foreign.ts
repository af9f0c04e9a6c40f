/** Whose database this is: Kontor's, nobody's yet, or somebody else's. */
import type pg from 'pg'

const NAMED = 3
/** The columns of our list of migrations; other programs have a table of this name too. */
const OURS = ['applied_at', 'hash', 'name']

type Relation = { name: string; total: number }

/**
 * Why nothing may be made in this database; undefined where it is Kontor's or empty. Changes
 * nothing. What an extension brought does not count.
 */
export async function foreignFault(
  client: pg.Client,
  migrations: readonly string[],
): Promise<string | undefined> {
  const { rows } = await client.query<Relation>(
    `select format('%I.%I', nspname, relname) as name, (count(*) over ())::int as total
    from pg_class
    join pg_namespace on pg_namespace.oid = relnamespace
    where relkind in ('r', 'p', 'v', 'm', 'f')
      and nspname !~ '^(pg_|information_schema$)'
      and not exists (
        select
        from pg_depend
        where classid = 'pg_class'::regclass
          and objid = pg_class.oid
          and deptype = 'e'
      )
    order by relname <> 'schema_migrations', nspname, relname
    limit ${NAMED}`,
  )
  const [first] = rows
  if (first === undefined || (await isOurs(client, migrations, first.total))) return undefined
  const { total } = first
  const names = rows.map(({ name }) => name).join(', ')
  const { database } = client
  return (
    `the database ${database ?? ''} is not Kontor's: it holds ` +
    `${total === 1 ? 'a table' : `${total} tables`} of another program (${names}` +
    `${total > NAMED ? ', …' : ''}); nothing was changed. Give Kontor an empty database of its own`
  )
}

/** It has a migration of ours, or nothing but the empty list that a start left that was killed. */
async function isOurs(
  client: pg.Client,
  migrations: readonly string[],
  total: number,
): Promise<boolean> {
  const { rows: columns } = await client.query<{ name: string }>(
    `select attname as name
    from pg_attribute
    where attrelid = to_regclass('schema_migrations')
      and attnum > 0
      and not attisdropped`,
  )
  if (!OURS.every((name) => columns.some((column) => column.name === name))) return false
  const { rows } = await client.query<{ ours: boolean; empty: boolean }>(
    `select count(*) filter (where name = any($1)) > 0 as ours, count(*) = 0 as empty
    from schema_migrations`,
    [migrations],
  )
  return rows[0]?.ours === true || (rows[0]?.empty === true && total === 1)
}
