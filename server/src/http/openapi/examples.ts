/**
 * Examples of answers. Most were taken from a day that was played (`npm run quality examples`), and
 * are brought into the shape that the schema has by now; what is missing is made up from it.
 */
import type { Json } from '../../core/json.ts'
import recorded from './examples.json' with { type: 'json' }
import type { Schema } from './schemas.ts'

/** Rows of a list that an example shows. */
const ROWS = 2
const MOMENT = 1_772_443_800_000
const SAMPLES: Readonly<Record<string, string>> = {
  id: '01a1fc75-ea2a-7589-aa8f-000000000001',
  date: '2026-03-02',
  asset: 'EUR',
  email: 'person@example.com',
  address: 'https://login.example.com/realms/staff',
  hash: '9f'.repeat(32),
  decimal: '12.5',
  'positive decimal': '12.5',
  'decimal not below zero': '12.5',
  'whole number': '125050',
  'list of the console': '/treasury/deposits',
  'query of the console': 'state=UNASSIGNED',
}

type Recorded = Readonly<Record<string, Json>>

export class Examples {
  readonly #recorded: Recorded

  constructor(known: Recorded = recorded as Recorded) {
    this.#recorded = known
  }

  /** Of an answer, or of a row of a list; `name` is used for one whose shape has no title. */
  of(schema: unknown, name: string): Json {
    return this.#fitted(schema as Schema, this.#recorded[name], name)
  }

  #fitted(schema: Schema, value: Json | undefined, field: string): Json {
    const { title, anyOf, enum: words, const: constant } = schema
    const known = value ?? (typeof title === 'string' ? this.#recorded[title] : undefined)
    if (constant !== undefined) return constant as Json
    if (Array.isArray(words)) return words.includes(known) ? (known as Json) : (words[0] as Json)
    if (Array.isArray(anyOf)) {
      const branches = anyOf as Schema[]
      return this.#fitted(branchOf(branches, known), known, field)
    }
    const types = [schema['type']].flat()
    if (types.includes('null') && (known ?? null) === null) return null
    switch (types[0]) {
      case 'object':
        return this.#object(schema, asObject(known))
      case 'array':
        return this.#rows(schema, known, field)
      case 'string':
        return text(schema, known, field)
      case 'integer':
        return integer(schema, known)
      case 'boolean':
        return known === true
      default:
        return known ?? {}
    }
  }

  #object(schema: Schema, known: Readonly<Record<string, Json>> | undefined): Json {
    const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Schema>)
    const required = (schema['required'] ?? []) as readonly string[]
    const named = properties
      .filter(([name]) => required.includes(name) || known?.[name] !== undefined)
      .map(([name, property]) => [name, this.#fitted(property, known?.[name], name)])
    const others = schema['additionalProperties']
    if (typeof others !== 'object' || others === null) return Object.fromEntries(named)
    const keys = Object.keys(known ?? { EUR: null }).slice(0, ROWS)
    const more = keys.map((key) => [key, this.#fitted(others as Schema, known?.[key], key)])
    return Object.fromEntries([...named, ...more])
  }

  #rows({ items, minItems = 0 }: Schema, known: Json | undefined, field: string): Json {
    const rows = Array.isArray(known) ? known.slice(0, Math.max(ROWS, Number(minItems))) : [null]
    return rows.map((row) => this.#fitted(items as Schema, row ?? undefined, field))
  }
}

/** The one that has the value's type. */
function branchOf(branches: readonly Schema[], value: Json | undefined): Schema {
  const type = typeOf(value ?? null)
  const fields = Object.keys(asObject(value) ?? {})
  const fits = (branch: Schema) =>
    branch['type'] === type &&
    fields.every((name) => name in ((branch['properties'] ?? {}) as object))
  return (
    branches.find(fits) ?? branches.find((branch) => branch['type'] === type) ?? branches[0] ?? {}
  )
}

function typeOf(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value === 'number' ? 'integer' : typeof value
}

const asObject = (value: Json | undefined): Readonly<Record<string, Json>> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, Json>>)
    : undefined

function text(schema: Schema, known: Json | undefined, field: string): string {
  const { pattern, maxLength = Infinity, minLength = 0 } = schema
  const fits = (value: string) =>
    value.length <= Number(maxLength) &&
    value.length >= Number(minLength) &&
    (typeof pattern !== 'string' || new RegExp(pattern).test(value))
  if (typeof known === 'string' && fits(known)) return known
  const sample = SAMPLES[String(schema['x-kind'])] ?? field.slice(0, Number(maxLength))
  return [sample, ...Object.values(SAMPLES)].find(fits) ?? sample
}

function integer({ minimum, maximum }: Schema, known: Json | undefined): number {
  const [least, most] = [Number(minimum ?? 0), Number(maximum ?? Number.MAX_SAFE_INTEGER)]
  if (typeof known === 'number' && known >= least && known <= most) return known
  return Math.min(Math.max(least === 0 && maximum === undefined ? MOMENT : 1, least), most)
}
