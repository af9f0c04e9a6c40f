/**
 * The `sql` tag: values become parameters, fragments are spliced in. Each distinct text gets one
 * name, so that PostgreSQL plans it once per connection.
 *
 *     sql`select label from accounts where workspace = ${workspace} and ${filter}`
 */
export type Value =
  | string
  | number
  | boolean
  | null
  | readonly string[]
  | readonly (string | null)[]
  | readonly number[]
  | readonly (number | null)[]
  | readonly boolean[]
  | Buffer
  | readonly (Buffer | null)[]

/**
 * Text with a value or another query after each piece but the last; put together once, by
 * `statement`.
 */
export type Query = {
  readonly strings: readonly string[]
  readonly values: readonly (Value | Query)[]
}

export type Statement = { text: string; values: Value[]; name: string }

export function sql(strings: TemplateStringsArray, ...values: readonly (Value | Query)[]): Query {
  return { strings, values }
}

/** Trusted text of our own (a column name, a direction), never input. */
export function raw(text: string): Query {
  return { strings: [text], values: [] }
}

export function join(values: readonly (Value | Query)[], separator: string): Query {
  if (values.length === 0) return raw('')
  return {
    strings: ['', ...Array.from({ length: values.length - 1 }, () => separator), ''],
    values,
  }
}

/**
 * One value by equality: only then does an index that leads on the column serve a list in its
 * order.
 */
export function columnIn(column: string, values: readonly string[]): Query {
  const [first] = values
  return values.length === 1 && first !== undefined
    ? sql`${raw(column)} = ${first}`
    : sql`${raw(column)} = any(${values})`
}

/** `where` of all conditions, or nothing. */
export function where(conditions: readonly Query[]): Query {
  return conditions.length === 0 ? raw('') : sql`where ${join(conditions, ' and ')}`
}

const names = new Map<string, string>()
const MAXIMUM_NAMES = 1000

/**
 * Throws TypeError for a value that is none. Here nothing was sent yet; when the driver finds it,
 * the rest of a pipeline has gone out.
 */
export function statement(query: Query): Statement {
  const values: Value[] = []
  const text = textOf(query, values)
  let name = names.get(text)
  if (name === undefined) {
    name = names.size < MAXIMUM_NAMES ? `s${names.size}` : ''
    if (name !== '') names.set(text, name)
  }
  return { text, values, name }
}

function textOf({ strings, values }: Query, parameters: Value[]): string {
  let text = strings[0] ?? ''
  for (let index = 1; index < strings.length; index += 1) {
    const value = values[index - 1] as Value | Query
    if (isQuery(value)) text += textOf(value, parameters)
    else {
      assertValue(value)
      text += `$${parameters.push(value)}`
    }
    text += strings[index]
  }
  return text
}

function assertValue(value: unknown): void {
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return
  if (
    !Array.isArray(value) ||
    value.some((item) => typeof item === 'object' && item !== null && !Buffer.isBuffer(item))
  )
    throw new TypeError(
      'an SQL parameter is text, a number, a flag, bytes, null or a list of these',
    )
}

export function isQuery(part: unknown): part is Query {
  return typeof part === 'object' && part !== null && 'strings' in part && 'values' in part
}
