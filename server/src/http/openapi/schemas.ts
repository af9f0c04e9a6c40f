/**
 * Schemas as the document shows them. A schema with a title becomes a component of that name, and
 * is referred to from everywhere else; what only our own code reads is left out.
 */
import { isDeepStrictEqual } from 'node:util'
import { assert } from '../../core/assert.ts'

export type Schema = { readonly [name: string]: unknown }

const FORMATS: Readonly<Record<string, string>> = {
  id: 'uuid',
  date: 'date',
  decimal: 'decimal',
  'positive decimal': 'decimal',
  'decimal not below zero': 'decimal',
}
/** Keywords whose values are named schemas, not keywords. */
const NAMED: readonly string[] = ['properties', 'patternProperties', 'dependentSchemas']
const VALUES: readonly string[] = ['enum', 'const', 'examples', 'default', 'required']

export class Schemas {
  readonly #named = new Map<string, Schema>()

  /** A reference where the schema has a name. Throws when two shapes have the same. */
  shown(schema: unknown): Schema {
    const plain = schema as Schema
    const { title } = plain
    if (typeof title !== 'string') return this.#keywords(plain)
    const shape = this.#keywords(plain)
    const before = this.#named.get(title)
    assert(
      before === undefined || isDeepStrictEqual(before, shape),
      `two shapes are called ${title}`,
    )
    this.#named.set(title, shape)
    return { $ref: `#/components/schemas/${title}` }
  }

  /** All that have been shown, by name. */
  components(): Record<string, Schema> {
    return Object.fromEntries([...this.#named].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  }

  #keywords(schema: Schema): Schema {
    const { 'x-means': meaning, 'x-refused': refused, 'x-kind': kind, ...plain } = schema
    const format = FORMATS[String(kind)]
    const shown = Object.entries(meaning === undefined ? plain : withoutType(plain, meaning))
      .filter(([keyword]) => !keyword.startsWith('x-'))
      .map(([keyword, value]) => [keyword, this.#value(keyword, value)])
    return {
      ...Object.fromEntries(shown),
      ...(format === undefined ? {} : { format }),
      // Generators of clients pass over `not`, where `oneOf` would make them a union.
      ...(refused === undefined ? {} : { not: { anyOf: refused } }),
    }
  }

  #value(keyword: string, value: unknown): unknown {
    if (VALUES.includes(keyword)) return value
    if (Array.isArray(value)) return value.map((item) => this.#inner(item))
    if (NAMED.includes(keyword))
      return Object.fromEntries(
        Object.entries(value as Schema).map(([name, inner]) => [name, this.#inner(inner)]),
      )
    return this.#inner(value)
  }

  #inner(value: unknown): unknown {
    return typeof value === 'object' && value !== null ? this.shown(value) : value
  }
}

const withoutType = ({ description }: Schema, meaning: unknown): Schema => ({
  ...(meaning as Schema),
  ...(description === undefined ? {} : { description }),
})
