/**
 * The pieces that every request and answer is made of. An object is always closed; amounts are
 * decimal text; ids are UUIDs. `optional` fields may be sent as null, and optional ids, addresses,
 * tags and references also as "": both are absence.
 */
import { Type } from 'typebox'
import type { Static, TObject, TOptional, TProperties, TSchema, TUnsafe } from 'typebox'
import { DECIMAL_PATTERN, NOT_NEGATIVE_PATTERN, POSITIVE_PATTERN } from '../core/decimal.ts'
import { UUID_PATTERN } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'

export { Type }
export type { Static, TObject, TSchema }

export const MAXIMUM_TEXT = 500

type ClosedOptions = {
  title?: string
  description?: string
  /** Fields that a caller may send back as read; they are ignored. */
  'x-read-only'?: readonly string[]
  /** What the use case refuses, for the OpenAPI document. */
  'x-refused'?: readonly Record<string, unknown>[]
}

export function closed<P extends TProperties>(
  properties: P,
  options: ClosedOptions = {},
): TObject<P> {
  return Type.Object(properties, { additionalProperties: false, ...options }) as TObject<P>
}

/**
 * Requests with these fields, without those (`details.reference` is a field of a field), and with
 * one of these values in others.
 */
export function refusedForm({
  having = [],
  lacking = [],
  where = {},
}: {
  having?: readonly string[]
  lacking?: readonly string[]
  where?: Readonly<Record<string, readonly string[]>>
}): Record<string, unknown> {
  const values = Object.entries(where).map(([field, words]) => [field, { enum: words }])
  const absent = lacking.map((path) => {
    const [field = '', inner] = path.split('.')
    return [field, inner === undefined ? false : { properties: { [inner]: false } }]
  })
  const present = having.map((field) => [field, true])
  return {
    properties: Object.fromEntries([...values, ...absent, ...present]),
    required: [...having, ...Object.keys(where)],
  }
}

export function optional<S extends TSchema>(schema: S): TOptional<S> {
  return Type.Optional(schema) as unknown as TOptional<S>
}

/** An optional id, address, tag or reference: `""` means absent. */
export function optionalBlank<S extends TSchema>(schema: S): TOptional<S> {
  return Type.Optional({
    ...schema,
    'x-blank-is-absent': true,
  } as unknown as S) as unknown as TOptional<S>
}

export function nullable<S extends TSchema>(schema: S): TUnsafe<Static<S> | null> {
  const plain = schema as unknown as { type?: string; enum?: unknown[] }
  if (plain.type === undefined || plain.type === 'object' || plain.type === 'array')
    return Type.Unsafe<Static<S> | null>({ anyOf: [schema, { type: 'null' }] })
  return Type.Unsafe<Static<S> | null>({
    ...schema,
    type: [plain.type, 'null'],
    ...(plain.enum === undefined ? {} : { enum: [...plain.enum, null] }),
  })
}

/** A string of one of these words. */
export function oneOf<const W extends readonly string[]>(
  words: W,
  description?: string,
): TUnsafe<W[number]> {
  return Type.Unsafe<W[number]>({
    type: 'string',
    enum: [...words],
    ...(description === undefined ? {} : { description }),
  })
}

/** `id<AccountId>()` names whose id it is, for the types alone. */
export const id = <I extends string = string>(description?: string): TUnsafe<I> =>
  Type.String({
    pattern: UUID_PATTERN,
    'x-kind': 'id',
    ...(description === undefined ? {} : { description }),
  }) as unknown as TUnsafe<I>

/** Decimal text in plain notation, positive or negative or zero. */
export const decimalText = (description?: string) =>
  Type.String({
    pattern: DECIMAL_PATTERN,
    maxLength: 40,
    'x-kind': 'decimal',
    ...(description === undefined ? {} : { description }),
  })

/** Decimal text greater than zero. */
export const positiveText = (description?: string) =>
  Type.String({
    pattern: POSITIVE_PATTERN,
    maxLength: 40,
    'x-kind': 'positive decimal',
    ...(description === undefined ? {} : { description }),
  })

/** Decimal text not below zero. */
export const notNegativeText = (description?: string) =>
  Type.String({
    pattern: NOT_NEGATIVE_PATTERN,
    maxLength: 40,
    'x-kind': 'decimal not below zero',
    ...(description === undefined ? {} : { description }),
  })

export const text = (maximum = MAXIMUM_TEXT, description?: string) =>
  Type.String({ maxLength: maximum, ...(description === undefined ? {} : { description }) })

/** A day without a time, as in `2026-11-23`. */
export const dateText = (description: string) =>
  Type.String({
    pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$',
    maxLength: 10,
    'x-kind': 'date',
    description,
  })

export const MAXIMUM_EMAIL = 254

export const emailText = (description?: string) =>
  Type.String({
    maxLength: MAXIMUM_EMAIL,
    pattern: '^[^\\s@]+@[^\\s@]+$',
    'x-form': 'must be an e-mail address',
    ...(description === undefined ? {} : { description }),
  })

export const requiredText = (maximum = MAXIMUM_TEXT, description?: string) =>
  Type.String({
    minLength: 1,
    maxLength: maximum,
    pattern: '\\S',
    ...(description === undefined ? {} : { description }),
  })

const assetCode = (pattern: string) => (description?: string) =>
  Type.String({
    minLength: 1,
    maxLength: 20,
    pattern,
    'x-kind': 'asset',
    ...(description === undefined ? {} : { description }),
  })

/** An asset's code, e.g. BTC or EUR. */
export const asset = assetCode('^[A-Z0-9][A-Z0-9._-]*$')

/** An asset's code as callers write it: in any case. */
export const assetInAnyCase = assetCode('^[A-Za-z0-9][A-Za-z0-9._-]*$')

/** Unix milliseconds, UTC. */
export const time = (description = 'Unix milliseconds, UTC') =>
  Type.Integer({ description, minimum: 0 })

export const integer = (minimum: number, maximum: number, description?: string) =>
  Type.Integer({ minimum, maximum, ...(description === undefined ? {} : { description }) })

/** What the caller has seen of the record that a request changes. */
export const currentVersion = () =>
  integer(1, 2_147_483_647, 'Refused when it is not the current one')

export const flag = (description?: string) =>
  Type.Boolean(description === undefined ? {} : { description })

/** The fields every record carries (docs/domain.md, part 1). */
const recordFields = {
  id: id(),
  workspace: id<WorkspaceId>(),
  system_created_at: time(),
  system_created_by: nullable(text()),
  system_updated_at: time(),
  system_updated_by: nullable(text()),
  version: Type.Integer({ minimum: 1, description: 'Grows with each change' }),
}

export const RECORD_FIELDS = Object.keys(recordFields) as (keyof typeof recordFields)[]

/** A closed object with the common fields and these. */
export function record<P extends TProperties>(title: string, properties: P) {
  type Fields = Omit<typeof recordFields, keyof P> & P
  return closed<Fields>({ ...recordFields, ...properties } as Fields, { title })
}
