/** What the validator finds wrong with a request, in our codes and in plain words. */
import { ApiError } from '../core/errors.ts'
import type { DetailCode, ErrorDetail } from '../core/errors.ts'

type Names = Readonly<Record<string, unknown>>
type AjvError = {
  keyword: string
  instancePath: string
  message?: string
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
/** Where the validator's own words are not those that a person would use. */
const KEYWORD_TEXT: Readonly<Record<string, (params: Names) => string>> = {
  required: () => 'is required',
  additionalProperties: () => 'is not a known field',
  enum: ({ allowedValues }) =>
    `must be one of the allowed values (${(allowedValues as string[]).join(', ')})`,
  maxLength: ({ limit }) => `must have at most ${limit} characters`,
  minItems: ({ limit }) => `must have at least ${limit} ${limit === 1 ? 'item' : 'items'}`,
  maxItems: ({ limit }) => `must have at most ${limit} items`,
}
/** What a pattern asks for, by the kind of field that has it. */
const KIND_TEXT: Readonly<Record<string, string>> = {
  id: 'must be a UUID',
  decimal: 'must be a decimal in plain notation, at most 20 integer and 18 fraction digits',
  'positive decimal':
    'must be a decimal greater than 0 in plain notation, at most 20 integer and 18 fraction digits',
  'decimal not below zero':
    'must be a decimal not below 0 in plain notation, at most 20 integer and 18 fraction digits',
  asset: 'must be an asset code, e.g. BTC',
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
  return { path, code, message: `${shown} ${reasonOf(error, kind)}` }
}

function reasonOf({ keyword, params, message = 'is not valid' }: AjvError, kind: unknown): string {
  const text =
    keyword === 'pattern' ? patternText(params['pattern'], kind) : KEYWORD_TEXT[keyword]?.(params)
  return text ?? message
}

function patternText(pattern: unknown, kind: unknown): string | undefined {
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
