/** What an operation answers: its data, and each way in which it may refuse. */
import { API_KEY_CODES, DETAIL_CODES, ERRORS } from '../../core/errors.ts'
import type { DetailCode, ErrorName } from '../../core/errors.ts'
import type { Endpoint } from '../endpoint.ts'
import { FILE_TYPE } from '../files.ts'
import { columnsOf } from '../handlers.ts'
import { csvFormat } from '../lists.ts'
import { PAPER_TYPES } from '../paper.ts'
import { querySchemaOf } from '../query-schema.ts'
import { detailOfKeyword } from '../validation-error.ts'
import type { Examples } from './examples.ts'
import type { Links } from './links.ts'
import { isRepeatable } from './parameters.ts'
import type { Schema, Schemas } from './schemas.ts'

type Reference = { $ref: string }
type Header = { description: string; schema: Schema; example?: unknown }
type MediaType = { schema: Schema; example?: unknown; examples?: Record<string, unknown> }
export type Response = {
  description: string
  headers?: Record<string, Reference>
  content: Record<string, MediaType>
  links?: Links
}
export type Responses = Record<string, Response | Reference>

/** Headers of answers, each by the name of its component. */
export const HEADERS_SENT: Readonly<Record<string, Header & { name: string }>> = {
  RequestId: {
    name: 'X-Request-Id',
    description: 'Of this request; the log names it too.',
    schema: { type: 'string', format: 'uuid' },
  },
  Link: {
    name: 'Link',
    description: 'With `limit`, where more rows follow: the address of the next page (RFC 8288).',
    schema: { type: 'string' },
    example: '</api/customers?limit=100&cursor=01a1fc75-ea2a-7589-aa8f-000000000002>; rel="next"',
  },
  RetryAfter: {
    name: 'Retry-After',
    description: 'Seconds after which a repeat makes sense.',
    schema: { type: 'integer', minimum: 1 },
  },
  WwwAuthenticate: {
    name: 'WWW-Authenticate',
    description: 'How to authenticate (RFC 6750).',
    schema: { type: 'string' },
    example: 'Bearer realm="kontor", error="invalid_token"',
  },
  RateLimitLimit: {
    name: 'X-RateLimit-Limit',
    description: 'Requests that an address may make in a minute.',
    schema: { type: 'integer', minimum: 0 },
  },
  RateLimitRemaining: {
    name: 'X-RateLimit-Remaining',
    description: 'How many of them are left.',
    schema: { type: 'integer', minimum: 0 },
  },
  RateLimitReset: {
    name: 'X-RateLimit-Reset',
    description: 'Seconds until they are counted anew.',
    schema: { type: 'integer', minimum: 0 },
  },
}

function headers(...names: readonly string[]): Record<string, Reference> {
  return Object.fromEntries(
    names.map((name) => [
      HEADERS_SENT[name]?.name ?? name,
      { $ref: `#/components/headers/${name}` },
    ]),
  )
}

const RATE_HEADERS = ['RateLimitLimit', 'RateLimitRemaining', 'RateLimitReset'] as const
const ERROR: Schema = { $ref: '#/components/schemas/Error' }

type AnswerParts = {
  schemas: Schemas
  examples: Examples
  links: Links
  /** Refusals that several operations share, by name; they are added here. */
  refusals: Map<string, Response>
}

export function responsesOf(endpoint: Endpoint, parts: AnswerParts): Responses {
  const refusals = [...Map.groupBy(errorsOf(endpoint), (name) => ERRORS[name].status)]
    .toSorted(([a], [b]) => a - b)
    .map(([status, names]) => [String(status), refusalOf(endpoint, names, parts)] as const)
  return {
    200: success(endpoint, parts),
    ...Object.fromEntries(refusals),
    default: { $ref: '#/components/responses/Failure' },
  }
}

function success(endpoint: Endpoint, { schemas, examples, links }: AnswerParts): Response {
  const isList = endpoint.effect === 'list'
  const names = [
    'RequestId',
    ...(isList ? ['Link'] : []),
    ...(endpoint.rate_limit === undefined ? [] : RATE_HEADERS),
  ]
  return {
    description: endpoint.summary,
    headers: headers(...names),
    content: {
      ...contentOf(endpoint, schemas, examples),
      ...(endpoint.papers?.pdf === undefined ? {} : { [PAPER_TYPES.pdf]: PDF }),
      ...(endpoint.papers?.xml === undefined ? {} : { [PAPER_TYPES.xml]: XML }),
      ...(endpoint.papers?.csv === undefined ? {} : { [PAPER_TYPES.csv]: CSV_FILE }),
    },
    ...(Object.keys(links).length === 0 ? {} : { links }),
  }
}

const PDF: MediaType = {
  schema: {
    type: 'string',
    contentMediaType: PAPER_TYPES.pdf,
    description: 'With `Accept: application/pdf`: a paper to keep or hand over',
  },
}

const XML: MediaType = {
  schema: {
    type: 'string',
    contentMediaType: PAPER_TYPES.xml,
    description: 'With `Accept: application/xml`: a message for other programs',
  },
}

const CSV_FILE: MediaType = {
  schema: {
    type: 'string',
    contentMediaType: PAPER_TYPES.csv,
    description: 'With `Accept: text/csv`: a file for other programs',
  },
}

function contentOf(
  endpoint: Endpoint,
  schemas: Schemas,
  examples: Examples,
): Record<string, MediaType> {
  const { data, effect } = endpoint
  const schema = schemas.shown(data)
  if (effect === 'stream') {
    const description = 'Of each event, `data` is this as JSON.'
    return { 'text/event-stream': { schema: { ...schema, description } } }
  }
  if (effect === 'file')
    return Object.fromEntries((endpoint.pictures ?? [FILE_TYPE]).map((type) => [type, { schema }]))
  const item = examples.of(data, endpoint.operation_id)
  if (effect !== 'list') return { 'application/json': envelope(schema, item) }
  const csv = csvFormat(columnsOf(data))
  return {
    'application/json': envelope({ type: 'array', items: schema }, [item]),
    'text/csv': {
      schema: { type: 'string', description: 'With `Accept: text/csv`: the same rows' },
      example: csv.begin + csv.write([item]),
    },
  }
}

const envelope = (data: Schema, example: unknown): MediaType => ({
  schema: {
    type: 'object',
    required: ['success', 'data'],
    properties: { success: { const: true }, data },
    additionalProperties: false,
  },
  example: { success: true, data: example },
})

/** In the order of the table of errors. */
function errorsOf(endpoint: Endpoint): ErrorName[] {
  const isPublic = endpoint.permission === 'public'
  const own = new Set<ErrorName>([
    'BadRequest',
    'RateLimited',
    'Busy',
    ...(isPublic ? [] : (['MissingToken', 'TokenExpired'] as const)),
    ...(isPublic || endpoint.permission === 'authenticated' ? [] : (['PermissionDenied'] as const)),
    ...(namesRecord(endpoint.params) || namesRecord(endpoint.body)
      ? (['NewResourceNotFound'] as const)
      : []),
    ...(isRepeatable(endpoint) ? (['IdempotencyConflict', 'IdempotencyInProgress'] as const) : []),
    ...(endpoint.effect === 'venue' && !isPublic ? (['VenueUnreachable'] as const) : []),
    ...(endpoint.errors ?? []),
  ])
  return (Object.keys(ERRORS) as ErrorName[]).filter((name) => own.has(name))
}

/** Whether an id stands in it, which may be that of no record. */
function namesRecord(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false
  if ((schema as Schema)['x-kind'] === 'id') return true
  return Object.values(schema).some(namesRecord)
}

function refusalOf(
  endpoint: Endpoint,
  names: readonly ErrorName[],
  { refusals }: AnswerParts,
): Response | Reference {
  if (names.includes('BadRequest')) return badRequest(endpoint)
  const isCounted = names.includes('RateLimited') && endpoint.rate_limit !== undefined
  const name = names.join('Or') + (isCounted ? 'PerAddress' : '')
  const shared = refusals.get(name) ?? refusal(names, isCounted ? RATE_HEADERS : [])
  refusals.set(name, shared)
  return { $ref: `#/components/responses/${name}` }
}

/** Which details a refusal other than 3001 may have. */
const DETAILS_OF: Partial<Record<ErrorName, readonly DetailCode[]>> = {
  MissingToken: API_KEY_CODES,
  PermissionDenied: ['PERMISSION_REQUIRED', 'LIMIT_EXCEEDED', 'DAILY_LIMIT_EXCEEDED'],
}

function refusal(names: readonly ErrorName[], rates: readonly string[]): Response {
  const [status] = names.map((name) => ERRORS[name].status)
  const wait = status === 429 || status === 503 ? ['RetryAfter'] : []
  const challenge = status === 401 ? ['WwwAuthenticate'] : []
  const told = (name: ErrorName): string => {
    const details = DETAILS_OF[name] ?? []
    const may = details.length === 0 ? '' : `. Details: ${details.join(', ')}`
    return `${ERRORS[name].code}: ${ERRORS[name].message}${may}`
  }
  return {
    description: names.map(told).join('. '),
    headers: headers('RequestId', ...wait, ...challenge, ...rates),
    content: {
      'application/json': {
        schema: ERROR,
        examples: Object.fromEntries(names.map((name) => [name, { value: errorOf(name) }])),
      },
    },
  }
}

function badRequest(endpoint: Endpoint): Response {
  const { code, message } = ERRORS.BadRequest
  const [first] = endpoint.body === undefined ? [] : requiredIn(endpoint.body)
  const detail =
    first === undefined
      ? { path: 'more', code: 'UNKNOWN_FIELD', message: 'more is not a known field' }
      : { path: first, code: 'REQUIRED', message: `${first} is required` }
  const refused = {
    ...errorOf('BadRequest'),
    error_description: detail.message,
    error_details: [detail],
  }
  return {
    description: `${code}: ${message}. Details: ${detailCodesOf(endpoint).join(', ')}`,
    headers: headers('RequestId'),
    content: { 'application/json': { schema: ERROR, example: refused } },
  }
}

const requiredIn = (body: unknown): readonly string[] =>
  (body as { required?: readonly string[] }).required ?? []

const errorOf = (name: ErrorName) => ({
  success: false,
  error_code: ERRORS[name].code,
  error_message: ERRORS[name].message,
  request_id: '01a1fc75-ea2a-7589-aa8f-0000000000ff',
})

/** Those that its description names and, before them, those that follow from its schemas. */
function detailCodesOf(endpoint: Endpoint): DetailCode[] {
  const named = new Set(endpoint.description?.match(/\b[A-Z]+(?:_[A-Z]+)*\b/g) ?? [])
  const implied = new Set<DetailCode>(['UNKNOWN_FIELD', 'ENCODING', 'FORMAT'])
  for (const schema of [endpoint.params, querySchemaOf(endpoint), endpoint.body])
    for (const code of impliedCodes(schema)) implied.add(code)
  if (endpoint.body !== undefined) {
    implied.add('MALFORMED_JSON')
    implied.add('TOO_LARGE')
  }
  return DETAIL_CODES.filter((code) => implied.has(code) || named.has(code))
}

function* impliedCodes(schema: unknown): Generator<DetailCode> {
  if (typeof schema !== 'object' || schema === null) return
  for (const [keyword, value] of Object.entries(schema)) {
    const code = detailOfKeyword(keyword)
    if (code !== undefined) yield code
    if (keyword === 'x-kind' && value === 'id') yield 'MALFORMED_ID'
    if (keyword === 'x-refused') yield 'CONFLICT'
    if (keyword === 'x-decode') yield* decodedCodes(String(value))
    yield* impliedCodes(value)
  }
}

/** Those with which a parameter is refused that does not decode. */
function* decodedCodes(kind: string): Generator<DetailCode> {
  if (kind.startsWith('integer')) yield 'RANGE'
  if (kind.startsWith('words')) yield 'ENUM'
}
