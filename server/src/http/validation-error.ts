/** What the validator finds wrong with a request, in our codes and in plain words. */
import { ApiError } from '../core/errors.ts'
import type { DetailCode, ErrorDetail } from '../core/errors.ts'

type Names = Readonly<Record<string, unknown>>
type AjvError = {
  keyword: string
  instancePath: string
  params: Names
  parentSchema?: Names
}

const DETAIL_OF_KEYWORD: Readonly<Record<string, DetailCode>> = {
  required: 'REQUIRED',
  additionalProperties: 'UNKNOWN_FIELD',
  enum: 'ENUM',
  const: 'ENUM',
  type: 'TYPE',
  pattern: 'FORMAT',
  format: 'FORMAT',
  minimum: 'RANGE',
  maximum: 'RANGE',
  minLength: 'RANGE',
  maxLength: 'RANGE',
  minItems: 'RANGE',
  maxItems: 'RANGE',
  uniqueItems: 'DUPLICATE',
  anyOf: 'TYPE',
  oneOf: 'TYPE',
}
export const detailOfKeyword = (keyword: string): DetailCode | undefined =>
  DETAIL_OF_KEYWORD[keyword]

/** Where the validator names the field that is missing, or is too many. */
const FIELD_OF_KEYWORD: Readonly<Record<string, string>> = {
  required: 'missingProperty',
  additionalProperties: 'additionalProperty',
}
const KINDS_OF_VALUE: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
}
const count = (limit: unknown, one: string): string => `${limit} ${one}${limit === 1 ? '' : 's'}`

/** What a person would say. The validator's own words are never shown. */
const KEYWORD_TEXT: Readonly<Record<string, (params: Names, schema: Names) => string>> = {
  required: () => 'is required',
  additionalProperties: () => 'is not a known field',
  enum: ({ allowedValues }) =>
    `must be one of the allowed values (${(allowedValues as string[]).join(', ')})`,
  type: (_, { type }) => `must be ${kindsOf([type].flat())}`,
  anyOf: (_, { anyOf }) => `must be ${kindsOf((anyOf as Names[]).map((one) => one['type']))}`,
  minimum: ({ limit }) => `must be at least ${limit}`,
  maximum: ({ limit }) => `must be at most ${limit}`,
  minLength: ({ limit }) =>
    limit === 1 ? 'must not be empty' : `must have at least ${count(limit, 'character')}`,
  maxLength: ({ limit }) => `must have at most ${count(limit, 'character')}`,
  minItems: ({ limit }) => `must have at least ${count(limit, 'item')}`,
  maxItems: ({ limit }) => `must have at most ${count(limit, 'item')}`,
  maxProperties: ({ limit }) => `must have at most ${count(limit, 'field')}`,
  uniqueItems: () => 'must not have an item twice',
}

const kindsOf = (types: readonly unknown[]): string =>
  [
    ...new Set(types.map((type) => KINDS_OF_VALUE[String(type)] ?? 'of a form that is allowed')),
  ].join(' or ')

/** What a pattern asks for, by the kind of field that has it. Others say it by `x-form`. */
const KIND_TEXT: Readonly<Record<string, string>> = {
  id: 'must be a UUID',
  decimal: 'must be a decimal in plain notation, at most 20 integer and 18 fraction digits',
  'positive decimal':
    'must be a decimal greater than 0 in plain notation, at most 20 integer and 18 fraction digits',
  'decimal not below zero':
    'must be a decimal not below 0 in plain notation, at most 20 integer and 18 fraction digits',
  asset: 'must be an asset code, e.g. BTC',
  date: 'must be a day such as 2026-03-02',
}

/** Whoever sends more is told the rest once these are mended. */
export const MAXIMUM_FAULTS = 50

/** 3001 with the reasons, each naming its field. */
export function validationError(errors: readonly AjvError[], prefix: string): ApiError {
  const details = errors.slice(0, MAXIMUM_FAULTS).map((error) => detailOf(error, prefix))
  const first = details[0]
  return new ApiError('BadRequest', first === undefined ? 'BadRequest' : first.message, details)
}

function detailOf(error: AjvError, prefix: string): ErrorDetail {
  const field = error.params[FIELD_OF_KEYWORD[error.keyword] ?? '']
  const path = pathOf(error.instancePath, typeof field === 'string' ? field : undefined)
  const shown = path === '' ? prefix : path
  const kind = error.parentSchema?.['x-kind']
  const code =
    kind === 'id' && error.keyword === 'pattern'
      ? 'MALFORMED_ID'
      : (DETAIL_OF_KEYWORD[error.keyword] ?? 'FORMAT')
  return { path, code, message: `${shown} ${reasonOf(error)}` }
}

function reasonOf({ keyword, params, parentSchema = {} }: AjvError): string {
  const text =
    keyword === 'pattern' ? formOf(parentSchema) : KEYWORD_TEXT[keyword]?.(params, parentSchema)
  return text ?? 'is not valid'
}

function formOf({ pattern, 'x-kind': kind, 'x-form': form }: Names): string | undefined {
  if (typeof form === 'string') return form
  if (pattern === '\\S') return 'must not be blank'
  return typeof kind === 'string' ? KIND_TEXT[kind] : undefined
}

function pathOf(instancePath: string, field: string | undefined): string {
  const parts = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (field !== undefined) parts.push(field.slice(0, 100))
  return parts
    .map((part, index) => {
      if (/^[0-9]+$/.test(part)) return `[${part}]`
      return index === 0 ? part : `.${part}`
    })
    .join('')
}
