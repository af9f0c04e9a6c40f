/**
 * The `sql` tag: values become parameters, fragments are spliced in. Each distinct text gets one name, so that
 * PostgreSQL plans it once per connection.
 *
 *     sql`select label from accounts where workspace = ${workspace} and ${filter}`
 */
export type Value = string | number | boolean | null | readonly string[] | readonly (string | null)[] | readonly number[] | readonly (number | null)[] | readonly boolean[] | Buffer | readonly Buffer[]

export type Query = { readonly strings: readonly string[]; readonly values: readonly Value[] }

export type Statement = { text: string; values: Value[]; name: string }

export function sql(strings: TemplateStringsArray, ...parts: readonly (Value | Query)[]): Query {
  const texts: string[] = [strings[0] ?? '']
  const values: Value[] = []
  parts.forEach((part, index) => {
    const after = strings[index + 1] ?? ''
    if (isQuery(part)) {
      texts[texts.length - 1] += part.strings[0] ?? ''
      texts.push(...part.strings.slice(1))
      values.push(...part.values)
      texts[texts.length - 1] += after
    } else {
      values.push(part)
      texts.push(after)
    }
  })
  return { strings: texts, values }
}

/** Trusted text of our own (a column name, a direction), never input. */
export function raw(text: string): Query {
  return { strings: [text], values: [] }
}

export function join(queries: readonly Query[], separator: string): Query {
  const strings = ['']
  const values: Value[] = []
  queries.forEach((query, index) => {
    strings[strings.length - 1] += `${index === 0 ? '' : separator}${query.strings[0] ?? ''}`
    strings.push(...query.strings.slice(1))
    values.push(...query.values)
  })
  return { strings, values }
}

/** One value by equality: only then does an index that leads on the column serve a list in its order. */
export function among(column: string, values: readonly string[]): Query {
  const [first] = values
  return values.length === 1 && first !== undefined ? sql`${raw(column)} = ${first}` : sql`${raw(column)} = any(${values})`
}

/** `where` of all conditions, or nothing. */
export function where(conditions: readonly Query[]): Query {
  return conditions.length === 0 ? raw('') : sql`where ${join(conditions, ' and ')}`
}

const names = new Map<string, string>()
const MAXIMUM_NAMES = 1000

/** Throws TypeError for a value that is none: found here, nothing was sent; found by the driver, the rest of a pipeline had gone out. */
export function statement(query: Query): Statement {
  for (const value of query.values) assertValue(value)
  let text = query.strings[0] ?? ''
  for (let index = 1; index < query.strings.length; index += 1) text += `$${index}${query.strings[index]}`
  let name = names.get(text)
  if (name === undefined) {
    name = names.size < MAXIMUM_NAMES ? `s${names.size}` : ''
    if (name !== '') names.set(text, name)
  }
  return { text, values: [...query.values], name }
}

function assertValue(value: unknown): void {
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return
  if (!Array.isArray(value) || value.some((each) => typeof each === 'object' && each !== null && !Buffer.isBuffer(each))) throw new TypeError('an SQL parameter is text, a number, a flag, bytes, null or a list of these')
}

function isQuery(part: Value | Query): part is Query {
  return typeof part === 'object' && part !== null && 'strings' in part
}
