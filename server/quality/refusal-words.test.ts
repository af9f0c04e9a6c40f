/** Every refusal that a schema of an endpoint can give is said in a person's words. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv } from 'ajv'
import { declaredEndpoints } from '../../tools/check/generate.ts'
import { ApiError, DETAIL_CODES } from '../src/core/errors.ts'
import { decoderOf } from '../src/http/query.ts'
import { querySchemaOf } from '../src/http/query-schema.ts'
import { validationError } from '../src/http/validation-error.ts'

type Schema = Record<string, unknown>
type Place = { name: string; schema: Schema }

// As the server has it.
const ajv = new Ajv({ allErrors: true, verbose: true, strict: false })

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A schema and all inside it. */
function within(name: string, schema: unknown): Place[] {
  if (!isSchema(schema)) return []
  const { properties = {}, items, anyOf = [], additionalProperties } = schema
  return [
    { name, schema },
    ...Object.entries(properties as Schema).flatMap(([field, inner]) => within(field, inner)),
    ...[items, additionalProperties, ...(anyOf as unknown[])].flatMap((inner) =>
      within(name, inner),
    ),
  ]
}

const REFUSING = [
  'additionalProperties',
  'anyOf',
  'enum',
  'maxItems',
  'maxLength',
  'maxProperties',
  'maximum',
  'minItems',
  'minLength',
  'minimum',
  'pattern',
  'required',
  'type',
  'uniqueItems',
]
/** They say something about others, or about a value that is let in. */
const SILENT = ['properties', 'items', 'title', 'description', 'examples', 'default']

/** One value at least for each way in which this schema can refuse. */
function refusedBy({ maxLength, minimum, maximum, maxItems, maxProperties }: Schema): unknown[] {
  const some = (count: unknown) => Array.from({ length: Number(count) + 1 }, (_, n) => `f${n}`)
  return [
    '',
    ' ',
    '§ ',
    0.5,
    -1,
    true,
    null,
    {},
    [],
    { '§': 1 },
    ['a', 'a'],
    ...(maxLength === undefined ? [] : ['x'.repeat(Number(maxLength) + 1)]),
    ...(minimum === undefined ? [] : [Number(minimum) - 1]),
    ...(maximum === undefined ? [] : [Number(maximum) + 1]),
    ...(maxItems === undefined ? [] : [some(maxItems)]),
    ...(maxProperties === undefined
      ? []
      : [Object.fromEntries(some(maxProperties).map((name) => [name, 1]))]),
  ]
}

/** Itself, without what is inside it. */
const shallow = (schema: Schema): Schema => ({
  ...schema,
  ...(isSchema(schema['properties'])
    ? { properties: Object.fromEntries(Object.keys(schema['properties']).map((k) => [k, {}])) }
    : {}),
})

const places = declaredEndpoints().flatMap((one) => [
  ...within('', one.params),
  ...within('', querySchemaOf(one)),
  ...within('', one.body),
])
const distinct = [
  ...new Map(places.map(({ name, schema }) => [JSON.stringify([name, schema]), { name, schema }])),
].map(([, place]) => place)

const CODES = new RegExp(`\\b(${DETAIL_CODES.join('|')})\\b`)

function assertReadable(text: string): void {
  // The words that are allowed, and examples, are named as they are written.
  const said = text
    .replace(/ \([\w, .:/-]+\)$/, '')
    .replace(/must be one of [\w, ]+$/, '')
    .replace(/ such as [\w/]+$/, '')
  assert.doesNotMatch(said, /[\^$\\|*{}<>=/#]|\(\?|\[(?!\d+\])/, text)
  assert.doesNotMatch(
    said,
    /\b(undefined|schema|pattern|property|properties|match|NOT)\b|is not valid/,
    text,
  )
  assert.doesNotMatch(said, CODES, text)
}

test('what a schema refuses', () => {
  assert.ok(distinct.length > 200)
  for (const { name, schema } of distinct) {
    const shown = `${name} ${JSON.stringify(schema)}`
    const validate = ajv.compile(shallow(schema))
    const refused = new Set<string>()
    for (const value of refusedBy(schema)) {
      if (validate(value)) continue
      for (const error of validate.errors ?? []) refused.add(error.keyword)
      const { details } = validationError(validate.errors ?? [], name)
      for (const { message } of details)
        assertReadable(message.replaceAll(/10\.0\.0\.0\/8|https:\/\/|§/g, ''))
    }
    for (const [keyword, value] of Object.entries(schema)) {
      if (keyword.startsWith('x-') || SILENT.includes(keyword)) continue
      assert.ok(REFUSING.includes(keyword), `${keyword} has no words: ${shown}`)
      if (isSchema(value) || value === false || value === 0) continue
      assert.ok(refused.has(keyword), `${keyword} has refused nothing: ${shown}`)
    }
  }
})

test('what a parameter decodes to nothing', () => {
  let refusals = 0
  for (const { name, schema } of distinct) {
    const decode = decoderOf(schema)
    if (decode === undefined) continue
    const takes = ajv.compile(schema)
    for (const text of ['', ' ', '0', '9999999999999999', '2026-02-30', '§', 'a,b', 'true']) {
      if (!takes(text)) continue
      try {
        decode(text, name)
      } catch (error) {
        assert.ok(error instanceof ApiError, String(error))
        assertReadable(error.message)
        refusals += 1
      }
    }
  }
  assert.ok(refusals > 50)
})

test('a number out of its range reads as one that is none', () => {
  const list = declaredEndpoints().find(({ operation_id }) => operation_id === 'listDeposits')
  assert.ok(list)
  const { limit } = querySchemaOf(list).properties
  const schema = limit as unknown as Schema
  const expected = 'limit must be a whole number from 1 to 10000'
  const validate = ajv.compile(schema)
  assert.equal(validate('many'), false)
  assert.equal(validationError(validate.errors ?? [], 'limit').message, expected)
  assert.throws(() => decoderOf(schema)?.('0', 'limit'), { message: expected })
})
