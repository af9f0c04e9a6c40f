/**
 * Arbitraries from the endpoints' own schemas: values that a schema takes, as far as it says so.
 * `field` is the name that a value stands under.
 */
import fc from 'fast-check'
import type { KnownRecords } from './known-records.ts'

export type Schema = {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  additionalProperties?: boolean | Schema
  patternProperties?: Record<string, Schema>
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  'x-kind'?: string
  'x-decode'?: string
}

const DECIMALS = ['1', '0.5', '100', '2.25', '0.01', '1000', '0.00000001', '12345.67', '3', '0.1']
const ASSET_CODES = ['EUR', 'BTC', 'ETH', 'USD', 'XRP', 'EUR', 'BTC']
const WORDS = [
  'Alice',
  'Main',
  'DEFAULT',
  'Bärbel Ødegård',
  'rent May',
  'reference 4711',
  'x',
  'ACME AG',
  '日本',
  'A-1_b.c',
  'o’Neill & sons',
]
const ISO_TIMES = [
  '2026-01-01',
  '2026-11-20T10:00:00Z',
  '2026-11-20T10:00:00.123+01:00',
  '1700000000',
  '1700000000000',
  '1700000000000000',
  '1700000000000000000',
]

const PASSWORDS = ['correct horse battery', 'another good one 17']
const PROTOCOLS = ['BTC', 'BTC', 'SEPA', 'ETH']
const IS_TIME = /(_at|_from|_to|date)$/
/** A list holds at most this many more than it must. */
const MORE_ITEMS = 2

/** Ids are those that are known when a value is drawn. */
export class Arbitraries {
  readonly #known: KnownRecords
  readonly #made = new WeakMap<Schema, Map<string, fc.Arbitrary<unknown>>>()

  constructor(known: KnownRecords) {
    this.#known = known
  }

  of(schema: Schema, field: string): fc.Arbitrary<unknown> {
    const made = this.#made.get(schema) ?? new Map<string, fc.Arbitrary<unknown>>()
    this.#made.set(schema, made)
    const arbitrary = made.get(field) ?? this.#make(schema, field)
    made.set(field, arbitrary)
    return arbitrary
  }

  #make(schema: Schema, field: string): fc.Arbitrary<unknown> {
    if (schema['x-decode'] !== undefined) return this.#queryText(schema, field)
    if (schema.const !== undefined) return fc.constant(schema.const)
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
    if (schema.anyOf !== undefined)
      return fc.oneof(...schema.anyOf.map((choice) => this.of(choice, field)))
    const types = Array.isArray(schema.type) ? schema.type : [schema.type]
    return fc.oneof(...types.map((type) => this.#ofType(type, schema, field)))
  }

  #ofType(type: string | undefined, schema: Schema, field: string): fc.Arbitrary<unknown> {
    switch (type) {
      case 'object':
        return this.#object(schema)
      case 'array':
        return this.#list(schema, field)
      case 'string':
        return this.#text(schema, field)
      case 'boolean':
        return fc.boolean()
      case 'null':
        return fc.constant(null)
      case 'integer':
      case 'number':
        return integer(schema, field)
      default:
        return fc.constantFrom(...WORDS)
    }
  }

  #object(schema: Schema): fc.Arbitrary<Record<string, unknown>> {
    const fields = Object.entries(schema.properties ?? {}).map(([name, property]) => {
      const value = this.of(property, name)
      const isRequired = schema.required?.includes(name) === true
      return [name, isRequired ? value : sometimes(value)] as const
    })
    const others =
      typeof schema.additionalProperties === 'object'
        ? schema.additionalProperties
        : Object.values(schema.patternProperties ?? {})[0]
    const more =
      others === undefined
        ? fc.constant({})
        : fc.dictionary(fc.constantFrom(...ASSET_CODES, ...WORDS), this.of(others, ''), {
            maxKeys: 2,
            noNullPrototype: true,
          })
    return fc
      .tuple(fc.record(Object.fromEntries(fields), { noNullPrototype: true }), more)
      .map(([named, more]) => ({ ...withoutAbsent(named), ...more }))
  }

  #list(schema: Schema, field: string): fc.Arbitrary<unknown[]> {
    const { items = {}, minItems: minLength = 0, maxItems, uniqueItems } = schema
    const maxLength = Math.min(minLength + MORE_ITEMS, maxItems ?? Number.MAX_SAFE_INTEGER)
    const item = this.of(items, field)
    return uniqueItems === true
      ? fc.uniqueArray(item, { minLength, maxLength, comparator: 'SameValue' })
      : fc.array(item, { minLength, maxLength })
  }

  #text(schema: Schema, field: string): fc.Arbitrary<string> {
    const kind = schema['x-kind']
    if (kind === 'id') return this.#known.idFor(field)
    if (kind === 'asset') return fc.constantFrom(...ASSET_CODES)
    if (kind?.includes('decimal') === true) return fc.constantFrom(...DECIMALS)
    if (field.includes('email') || field === 'notification_recipients')
      return fc.nat(4_999).map((number) => `person${number}@example.com`)
    if (field.includes('password')) return fc.constantFrom(...PASSWORDS)
    if (IS_TIME.test(field)) return fc.constantFrom(...ISO_TIMES)
    if (field === 'protocol') return fc.constantFrom(...PROTOCOLS)
    return words(schema.maxLength ?? 500)
  }

  #queryText(schema: Schema, field: string): fc.Arbitrary<string> {
    const [kind, ...rest] = (schema['x-decode'] ?? '').split(' ')
    switch (kind) {
      case 'id':
      case 'required-id':
        return this.#known.idFor(field)
      case 'time':
        return fc.constantFrom(...ISO_TIMES)
      case 'integer': {
        const min = field === 'limit' ? 1 : Number(rest[0] ?? 0)
        return fc.integer({ min, max: min + (field === 'limit' ? 19 : 29) }).map(String)
      }
      case 'flag':
        return fc.constantFrom('true', 'false')
      case 'words':
        return fc
          .array(fc.constantFrom(...rest.join(' ').split(',')), { minLength: 1, maxLength: 3 })
          .map((list) => list.join(',').toLowerCase())
      case 'quantity':
        return fc.constantFrom(...DECIMALS.filter((text) => /[1-9]/.test(text)))
      case 'day':
        return fc.constantFrom('2026-01-01', '2023-11-14')
      case 'time-zone':
        return fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kathmandu')
      case 'asset':
        return fc.constantFrom('EUR', 'btc')
      case 'assets':
        return fc.constantFrom('EUR', 'BTC,EUR', 'ETH,XRP,USD')
      default:
        return schema.enum === undefined
          ? fc.constantFrom(...WORDS)
          : fc.constantFrom(...schema.enum).map(String)
    }
  }
}

const ABSENT = Symbol('absent')

/** Half of the optional fields are there. */
const sometimes = (value: fc.Arbitrary<unknown>) => fc.option(value, { nil: ABSENT, freq: 2 })

const withoutAbsent = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ABSENT))

/** Mostly words as people write them, now and then any text at all. */
const words = (maxLength: number): fc.Arbitrary<string> =>
  fc
    .oneof(
      { weight: 12, arbitrary: fc.constantFrom(...WORDS) },
      {
        weight: 6,
        arbitrary: fc
          .tuple(fc.constantFrom(...WORDS), fc.nat(99_999))
          .map(([word, number]) => `${word} ${number}`),
      },
      { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }) },
    )
    .map((text) => text.slice(0, maxLength))

function integer(schema: Schema, field: string): fc.Arbitrary<number> {
  const min = schema.minimum ?? 0
  const max = schema.maximum ?? Number.MAX_SAFE_INTEGER
  if (field === 'version') return fc.integer({ min, max: min + 2 })
  if (IS_TIME.test(field)) return fc.integer({ min: 1_700_000_000_000, max: 1_700_999_999_999 })
  return fc.integer({ min, max: Math.min(min + 19, max) })
}
