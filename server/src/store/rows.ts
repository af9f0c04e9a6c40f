/**
 * Rows from their schema. A table is declared once, with the record that the API shows and the
 * columns that stay inside; what is selected, inserted, updated and shown follows from it, so that
 * a new field is written down in one place.
 *
 *     const MAILS = tableOf('mails', MailRecord)
 *     sql`select ${columnsOf(MailRecord)} from mails where id = ${id}`
 *     insertRow(MAILS, { workspace, id, state: 'PENDING' }, { by, now })
 *     updateRow(MAILS, { where: { workspace, id }, set: { reason }, by, now })
 *
 * Who made and changed a row, when, and its version are written here alone. A value may be a Query
 * (`attempts + 1`). A field that a row does not have keeps the column's default; undefined is
 * stored as null. The text of a statement depends on the columns alone, so its plan is reused.
 */
import type { Static, TObject, TProperties, TSchema } from 'typebox'
import type { Move } from '../core/moves.ts'
import { isQuery, join, raw, sql } from './sql.ts'
import type { Query, Value } from './sql.ts'

/** Who changes a row, and when. */
export type Stamp = { by: string | null; now: number }

/** `Shown` is the record of the API, `Row` everything that is stored. */
type Table<Row, Shown = unknown> = {
  readonly name: string
  /** SQL types by column, in the order of the schema. */
  readonly columns: ReadonlyMap<string, string>
  readonly shown: readonly string[]
  readonly computed: ReadonlySet<string>
  readonly texts: Map<string, readonly string[]>
  /** For the types alone. */
  readonly types?: { row: Row; shown: Shown }
}

type Written<Row> = { readonly [Name in keyof Row]?: Row[Name] | Query | undefined }
type Conditions<Row> = {
  readonly [Name in keyof Row]?: Row[Name] | readonly NonNullable<Row[Name]>[] | null
}

const CREATED = ['system_created_at', 'system_created_by']
const UPDATED = ['system_updated_at', 'system_updated_by']
const VERSION = 'version'
const AUDIT = new Set([...CREATED, ...UPDATED, VERSION])

/** `inside`: columns that are not shown. `computed`: fields that are shown and not stored. */
export function tableOf<
  Shown extends TObject,
  Inside extends TProperties = Record<never, TSchema>,
  Computed extends keyof Static<Shown> & string = never,
>(
  name: string,
  record: Shown,
  more: { inside?: Inside; computed?: readonly Computed[] } = {},
): Table<Omit<Static<Shown>, Computed> & Static<TObject<Inside>>, Static<Shown>> {
  const computed = new Set<string>(more.computed)
  const fields = Object.entries<TSchema>({ ...record.properties, ...more.inside })
  return {
    name,
    columns: new Map(
      fields
        .filter(([field]) => !computed.has(field))
        .map(([field, schema]) => [field, columnType(schema)]),
    ),
    shown: Object.keys(record.properties),
    computed,
    texts: new Map(),
  }
}

type PlainSchema = {
  type?: string | readonly string[]
  anyOf?: readonly PlainSchema[]
  items?: PlainSchema
  'x-kind'?: string
  'x-column'?: string
}

/** The SQL type that holds a field. `x-column` names it where the schema cannot. */
function columnType(schema: PlainSchema): string {
  const stated = schema['x-column']
  if (stated !== undefined) return stated
  const some = schema.anyOf?.find((option) => option.type !== 'null')
  if (some !== undefined) return columnType(some)
  const type = [schema.type].flat().find((name) => name !== 'null')
  if (type === 'integer') return 'bigint'
  if (type === 'boolean') return 'boolean'
  if (type === 'string') return textType(schema['x-kind'] ?? '')
  if (type !== 'array' || schema.items === undefined) return 'jsonb'
  const items = columnType(schema.items)
  return items === 'jsonb' ? items : `${items}[]`
}

function textType(kind: string): string {
  if (kind === 'id') return 'uuid'
  return kind.includes('decimal') ? 'numeric' : 'text'
}

/**
 * The select list of a record. `of` is the table's name in the statement; `computed` says what
 * stands for a field that is not a column.
 */
export function columnsOf(
  record: TObject,
  { of, computed = {} }: { of?: string; computed?: Readonly<Record<string, Query>> } = {},
): Query {
  const prefix = of === undefined ? '' : `${of}.`
  const list = Object.keys(record.properties).map((field) => {
    const expression = computed[field]
    return expression === undefined ? raw(`${prefix}${field}`) : sql`${expression} as ${raw(field)}`
  })
  return join(list, ', ')
}

/** The select list of all columns, also of those that are not shown. */
export function allColumnsOf(table: Pick<Table<unknown>, 'columns'>): Query {
  return raw([...table.columns.keys()].join(', '))
}

/** What the API shows of a row. */
export function shownOf<Row, Shown>(table: Table<Row, Shown>, row: Shown): Shown {
  const fields = row as Readonly<Record<string, unknown>>
  return Object.fromEntries(table.shown.map((field) => [field, fields[field]])) as Shown
}

/** The audit fields of a row that this stamp creates, for an answer before the commit. */
export const createdBy = ({ by, now }: Stamp) => ({
  system_created_at: now,
  system_created_by: by,
  system_updated_at: now,
  system_updated_by: by,
  version: 1,
})

/** May be followed by `on conflict …` and `returning …`. */
export function insertRow<Row>(table: Table<Row>, row: Written<Row>, stamp: Stamp): Query {
  const { names, values } = inserted(table, row, stamp)
  const strings = textOf(table, `insert ${names.join()}`, () => [
    `${insertInto(table, names)} values (`,
    ...names.slice(1).map(() => ', '),
    ')',
  ])
  return { strings, values }
}

/** Inserts the row where the condition holds. */
export function insertRowWhere<Row>(
  table: Table<Row>,
  row: Written<Row>,
  stamp: Stamp,
  condition: Query,
): Query {
  const { names, values } = inserted(table, row, stamp)
  const strings = textOf(table, `insert where ${names.join()}`, () => {
    const casts = names.map((name) => `::${table.columns.get(name)}`)
    return [
      `${insertInto(table, names)} select `,
      ...casts.slice(0, -1).map((cast) => `${cast}, `),
      `${casts.at(-1)} where `,
      '',
    ]
  })
  return { strings, values: [...values, condition] }
}

/**
 * Inserts rows that have the same fields, at least one, as arrays. Of columns that hold an array:
 * one row at a time.
 */
export function insertRows<Row>(
  table: Table<Row>,
  rows: readonly Written<Row>[],
  stamp: Stamp,
): Query {
  const [first] = rows
  if (first === undefined) throw new TypeError(`no rows for ${table.name}`)
  const names = writtenNames(table, first)
  const stamps = stampsOf(table, [...CREATED, ...UPDATED], stamp)
  const strings = textOf(table, `insert rows ${names.join()}`, () => {
    const lists = names.map((name) => `::${table.columns.get(name)}[]`)
    if (lists.some((list) => list.endsWith('[][]')))
      throw new TypeError(`${table.name} has a column of arrays`)
    const audit = stamps.map(([name]) => `::${table.columns.get(name)}`)
    return [
      `${insertInto(table, [...stamps.map(([name]) => name), ...names])} select `,
      ...audit.map((cast, index) =>
        index < audit.length - 1 ? `${cast}, ` : `${cast}, u.* from unnest(`,
      ),
      ...lists.slice(0, -1).map((list) => `${list}, `),
      `${lists.at(-1)}) as u`,
    ]
  })
  const fields = rows.map((row) => row as Readonly<Record<string, unknown>>)
  const columns = names.map((name) => {
    const type = typeOf(table, name)
    return fields.map((row) => stored(type, row[name])) as unknown as Value
  })
  if (stamps.length > 0)
    return { strings, values: [...stamps.map(([, value]) => value), ...columns] }
  const [start = '', ...rest] = strings
  return { strings: [`${start}u.* from unnest(`, ...rest], values: columns }
}

type Update<Row> = {
  /** A list means any of its values. */
  where: Conditions<Row> | Query
  set?: Written<Row>
  /** From the table of the states: guards the state, and sets it. */
  move?: Move<string>
}

/** Changes rows, raises their version and stores who did it. May be followed by `returning …`. */
export function updateRow<Row>(table: Table<Row>, update: Update<Row> & Stamp): Query {
  const stamps = stampsOf(table, UPDATED, update).map(
    ([name, value]) => sql`${raw(name)} = ${value}`,
  )
  const version = table.columns.has(VERSION) ? [raw('version = version + 1')] : []
  return updated(table, update, [...version, ...stamps])
}

/**
 * For rows that a guard of the same change moves: the guard raises the version and stores who did
 * it.
 */
export function updateGuardedRow<Row>(table: Table<Row>, update: Update<Row>): Query {
  return updated(table, update, [])
}

function updated<Row>(table: Table<Row>, update: Update<Row>, stamps: readonly Query[]): Query {
  const { set = {}, where, move } = update
  const fields = set as Readonly<Record<string, unknown>>
  const assignments = [
    ...(move === undefined ? [] : [sql`state = ${move.to}`]),
    ...writtenNames(table, set).map(
      (name) => sql`${raw(name)} = ${stored(typeOf(table, name), fields[name])}`,
    ),
    ...stamps,
  ]
  const conditions = [
    ...(isQuery(where) ? [where] : wanted(table, where)),
    ...(move === undefined ? [] : [equals('state', move.from)]),
  ]
  return sql`
    update ${raw(table.name)}
    set ${join(assignments, ', ')}
    where ${join(conditions, ' and ')}`
}

function wanted<Row>(table: Table<Row>, where: Conditions<Row>): Query[] {
  return Object.entries(where).map(([name, value]) => {
    typeOf(table, name)
    return equals(name, value as Value)
  })
}

function equals(name: string, value: Value): Query {
  if (value === null) return raw(`${name} is null`)
  if (!Array.isArray(value)) return sql`${raw(name)} = ${value}`
  const [only] = value as readonly Value[]
  return value.length === 1 && only !== undefined
    ? sql`${raw(name)} = ${only}`
    : sql`${raw(name)} = any(${value})`
}

function inserted<Row>(table: Table<Row>, row: Written<Row>, stamp: Stamp) {
  const fields = row as Readonly<Record<string, unknown>>
  const names = writtenNames(table, row)
  const stamps = stampsOf(table, [...CREATED, ...UPDATED], stamp)
  return {
    names: [...names, ...stamps.map(([name]) => name)],
    values: [
      ...names.map((name) => stored(typeOf(table, name), fields[name])),
      ...stamps.map(([, value]) => value),
    ],
  }
}

function insertInto({ name }: Pick<Table<unknown>, 'name'>, names: readonly string[]): string {
  return `insert into ${name} (${names.join(', ')})`
}

/** The columns that a row names, without those of the audit, in the order of the schema. */
function writtenNames<Row>(table: Table<Row>, row: Written<Row>): string[] {
  for (const name of Object.keys(row))
    if (!table.columns.has(name) && !table.computed.has(name))
      throw new TypeError(`${table.name} has no column ${name}`)
  return [...table.columns.keys()].filter((name) => name in row && !AUDIT.has(name))
}

function stampsOf<Row>(
  table: Table<Row>,
  columns: readonly string[],
  { by, now }: Stamp,
): [string, Value][] {
  return columns
    .filter((name) => table.columns.has(name))
    .map((name) => [name, name.endsWith('_by') ? by : now])
}

function typeOf(table: Pick<Table<unknown>, 'name' | 'columns'>, name: string): string {
  const type = table.columns.get(name)
  if (type === undefined) throw new TypeError(`${table.name} has no column ${name}`)
  return type
}

function stored(type: string, value: unknown): Value | Query {
  if (value === undefined || value === null) return null
  if (isQuery(value)) return value
  return type === 'jsonb' ? JSON.stringify(value) : (value as Value)
}

function textOf(
  { texts }: Pick<Table<unknown>, 'texts'>,
  key: string,
  make: () => readonly string[],
): readonly string[] {
  let text = texts.get(key)
  if (text === undefined) texts.set(key, (text = make()))
  return text
}
