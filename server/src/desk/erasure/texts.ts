/** Takes the texts of customers out of rows, as the table of what is personal says. */
import { assert } from '../../core/assert.ts'
import { ERASED_TEXT } from '../../core/erased.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { join, raw, sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { TABLES } from './tables.ts'
import type { Way } from './tables.ts'

/** What payments say in words. */
const PAYMENT_TEXTS = ['destination', 'note', 'purpose', 'client_ref']

const word = (column: string) => `case when ${column} is null then null else '${ERASED_TEXT}' end`
const outside = (column: string, else_: string) =>
  `case when access_type = 'EXTERNAL' then ${else_} else ${column} end`

/** What stands in the column afterwards; absent where it is not set. */
const LEFT: Readonly<Partial<Record<Way, (column: string) => string>>> = {
  word,
  none: () => 'null',
  list: () => `'{}'`,
  texts: (column) => `without_any_text(${column})`,
  payments: (column) =>
    `without_texts(${column}, array[${PAYMENT_TEXTS.map((name) => `'${name}'`).join(', ')}])`,
  outside: (column) => outside(column, word(column)),
  outside_texts: (column) => outside(column, `without_any_text(${column})`),
}

/** Rows without a version are no records that somebody may be changing. */
const WITHOUT_VERSION: ReadonlySet<string> = new Set(['set_aside_likenesses'])

/** Those that still have texts. A reader's version is outdated, so nothing is written back. */
export function eraseTexts(table: string, condition: Query): Query {
  const columns = Object.entries(TABLES[table]?.customers ?? {}).map(([column, way]) => {
    const left = LEFT[way]
    assert(left !== undefined, `${table}.${column} is not set by an erasure`)
    return { column, left: left(column) }
  })
  const set = [
    ...columns.map(({ column, left }) => raw(`${column} = ${left}`)),
    ...(WITHOUT_VERSION.has(table) ? [] : [raw('version = version + 1')]),
  ]
  const differs = columns.map(({ column, left }) => `${column} is distinct from ${left}`)
  return sql`
    update ${raw(table)}
    set ${join(set, ', ')}
    where ${condition}
      and (${raw(differs.join(' or '))})`
}

/** The rows with these ids, or with these in another column. */
export const withIds = (
  workspace: WorkspaceId,
  ids: readonly string[],
  column = 'id',
): Query => sql`
  workspace = ${workspace}
    and ${raw(column)} = any(${ids}::uuid[])`
