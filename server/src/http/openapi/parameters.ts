/** What an operation takes beside its body. */
import type { Endpoint } from '../endpoint.ts'
import { querySchemaOf } from '../query-schema.ts'
import { meaningOf } from '../query.ts'
import type { Schema, Schemas } from './schemas.ts'

type Parameter = {
  name: string
  in: 'path' | 'query'
  required: boolean
  description?: string
  style?: 'form'
  explode?: boolean
  schema: Schema
}
type Reference = { $ref: string }

/** Headers that several operations take. */
export const HEADERS_TAKEN = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Makes a repeat safe: the first successful answer is given again for 24 hours. Another ' +
      'request with the same key is refused (4091). Any text of your own, for example a UUID.',
    schema: { type: 'string', minLength: 1, maxLength: 128, pattern: '^[!-~]{1,128}$' },
    example: '5b0e3b5c-6d0f-4f6c-9f58-0a4b6f0e7a11',
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    required: false,
    description: 'The `id` of the last event that was read. The stream begins after it.',
    schema: { type: 'string', pattern: '^[0-9]{1,15}$' },
    example: '4711',
  },
} as const

/** What is done once, however often it is asked for with the same key. */
export const isRepeatable = ({ effect, permission }: Endpoint): boolean =>
  permission !== 'public' && !['read', 'list', 'stream', 'file'].includes(effect)

export function parametersOf(endpoint: Endpoint, schemas: Schemas): (Parameter | Reference)[] {
  return [
    ...fieldsOf(endpoint.params).map((field) => shown('path', field, schemas)),
    ...fieldsOf(querySchemaOf(endpoint)).map((field) => shown('query', field, schemas)),
    ...(isRepeatable(endpoint) ? [reference('IdempotencyKey')] : []),
    ...(endpoint.effect === 'stream' ? [reference('LastEventId')] : []),
  ]
}

const reference = (name: keyof typeof HEADERS_TAKEN): Reference => ({
  $ref: `#/components/parameters/${name}`,
})

type Field = { name: string; schema: Schema; required: boolean }

function fieldsOf(object: unknown): Field[] {
  const { properties = {}, required = [] } = (object ?? {}) as {
    properties?: Record<string, Schema>
    required?: readonly string[]
  }
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    required: required.includes(name),
  }))
}

function shown(place: 'path' | 'query', field: Field, schemas: Schemas): Parameter {
  const { description, ...schema } = schemas.shown(meaningOf(field.schema))
  return {
    name: field.name,
    in: place,
    required: place === 'path' || field.required,
    ...(typeof description === 'string' ? { description } : {}),
    // One parameter with commas.
    ...(schema['type'] === 'array' ? { style: 'form', explode: false } : {}),
    schema,
  }
}
