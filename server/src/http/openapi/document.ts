/**
 * The OpenAPI document, made from the declarations of the endpoints alone. A shape is a component
 * under its title; everything else that is said more than once is one too.
 */
import { mustExist } from '../../core/assert.ts'
import { DETAIL_CODES, ERRORS } from '../../core/errors.ts'
import { VERSION } from '../../core/version.ts'
import type { Endpoint } from '../endpoint.ts'
import { HEADERS_SENT, responsesOf } from './answers.ts'
import type { Response, Responses } from './answers.ts'
import { Examples } from './examples.ts'
import { linksOf } from './links.ts'
import { HEADERS_TAKEN, parametersOf } from './parameters.ts'
import { Schemas } from './schemas.ts'
import type { Schema } from './schemas.ts'
import { TAGS } from './tags.ts'

type Operation = {
  operationId: string
  summary: string
  description: string
  tags: readonly string[]
  security: readonly Record<string, readonly string[]>[]
  parameters?: readonly unknown[]
  requestBody?: { required: true; content: Record<string, { schema: Schema; example: unknown }> }
  responses: Responses
}

const INFO = {
  title: 'Kontor',
  version: VERSION,
  description: [
    'Trading and treasury back office. Amounts are decimal strings, ids are UUIDs, times are ' +
      'Unix milliseconds (UTC).',
    'On optional fields `null` counts as absence. Unknown fields are refused, and so is text ' +
      'with a NUL character.',
    'Every POST, PUT, PATCH and DELETE takes an `Idempotency-Key`; the first successful answer ' +
      'is replayed for 24 hours.',
    'Lists are newest first: without `limit` the whole result is streamed, with it a `Link` ' +
      'header leads to the next page; `Accept: text/csv` answers the same rows as CSV.',
    'Every answer has the header `X-Request-Id`. A refusal says why in `error_code` and, where ' +
      'a field is wrong, in `error_details`.',
  ].join('\n\n'),
  contact: { name: 'The authors of Kontor' },
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
}

const TOKEN = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'JWT or API key',
  description:
    'Of a person: the access token that logging in answers, a JWT. Of a program: the secret of ' +
    'its API key, which begins with `kontor_`.',
}

const ERROR: Schema = {
  type: 'object',
  additionalProperties: false,
  description: 'Why a request was refused, or that it failed.',
  required: ['success', 'error_code', 'error_message', 'request_id'],
  properties: {
    success: { const: false },
    error_code: {
      type: 'integer',
      enum: [...new Set(Object.values(ERRORS).map((error) => error.code))],
    },
    error_message: { type: 'string', description: 'The same for every refusal with this code' },
    error_description: { type: 'string', description: 'What was wrong with this request' },
    error_details: {
      type: 'array',
      items: { $ref: '#/components/schemas/ErrorDetail' },
    },
    request_id: { type: 'string', format: 'uuid' },
  },
}

const ERROR_DETAIL: Schema = {
  type: 'object',
  additionalProperties: false,
  required: ['path', 'code', 'message'],
  properties: {
    path: { type: 'string', description: 'The field (`legs[0].quantity`); empty for all of it' },
    code: { type: 'string', enum: [...DETAIL_CODES] },
    message: { type: 'string', description: 'For people' },
    record_id: {
      type: 'string',
      format: 'uuid',
      description: 'The record that the message names, such as the approval request that waits',
    },
  },
}

const FAILURE = {
  description: [
    'Anything else: the request has not come as it must, or it failed.',
    ...(['MethodNotAllowed', 'Misdirected', 'InternalServerError'] as const).map(
      (name) => `${ERRORS[name].code}: ${ERRORS[name].message}`,
    ),
  ].join(' '),
  headers: { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } },
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
}

/** Of these endpoints. */
export function openApiDocument(endpoints: readonly Endpoint[]): Record<string, unknown> {
  const schemas = new Schemas()
  const examples = new Examples()
  const refusals = new Map<string, Response>()
  const paths: Record<string, Record<string, Operation>> = {}
  for (const endpoint of endpoints) {
    const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] ??= {}
    mustExist(paths[path], path)[endpoint.method.toLowerCase()] = operationOf(endpoint, {
      schemas,
      examples,
      refusals,
      links: linksOf(endpoint, endpoints),
    })
  }
  const used = new Set<string>(endpoints.map(({ tag }) => tag))
  return {
    openapi: '3.1.0',
    info: INFO,
    servers: [{ url: '/api' }],
    tags: Object.entries(TAGS)
      .filter(([name]) => used.has(name))
      .map(([name, description]) => ({ name, description })),
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: TOKEN },
      parameters: HEADERS_TAKEN,
      headers: componentsOf(HEADERS_SENT),
      responses: { ...Object.fromEntries(refusals), Failure: FAILURE },
      schemas: { ...schemas.components(), Error: ERROR, ErrorDetail: ERROR_DETAIL },
    },
  }
}

const componentsOf = (headers: typeof HEADERS_SENT) =>
  Object.fromEntries(
    Object.entries(headers).map(([key, { description, schema, example }]) => [
      key,
      { description, schema, ...(example === undefined ? {} : { example }) },
    ]),
  )

function operationOf(endpoint: Endpoint, parts: Parameters<typeof responsesOf>[1]): Operation {
  const { permission, body, example, form } = endpoint
  const type = form === true ? 'application/x-www-form-urlencoded' : 'application/json'
  const parameters = parametersOf(endpoint, parts.schemas)
  return {
    operationId: endpoint.operation_id,
    summary: endpoint.summary,
    description: [endpoint.description, `Permission: \`${permission}\``]
      .filter((part) => part !== undefined)
      .join('\n\n'),
    tags: [endpoint.tag],
    security: permission === 'public' ? [] : [{ token: [] }],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { [type]: { schema: parts.schemas.shown(body), example } },
          },
        }),
    responses: responsesOf(endpoint, parts),
  }
}
