import { ERRORS } from '../core/errors.ts'
import { VERSION } from '../core/version.ts'
import type { Endpoint } from './endpoint.ts'

export const openApiInfo = {
  openapi: '3.1.0',
  info: {
    title: 'Kontor',
    version: VERSION,
    description: [
      [
        'Trading and treasury back office. Amounts are decimal strings, ids are UUIDs, times are',
        'Unix milliseconds (UTC).',
      ],
      ['On optional fields `null` counts as absence. Unknown fields are refused.'],
      [
        'Every POST, PUT, PATCH and DELETE takes an `Idempotency-Key`; the first successful answer',
        'is replayed for 24 hours.',
      ],
      [
        'Lists are newest first: without `limit` the whole result is streamed, with it a `Link`',
        'header leads to the next page; `Accept: text/csv` answers the same rows as CSV.',
      ],
    ]
      .map((lines) => lines.join(' '))
      .join('\n\n'),
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  servers: [{ url: '/api' }],
  components: {
    securitySchemes: { token: { type: 'http' as const, scheme: 'bearer', bearerFormat: 'JWT' } },
    schemas: {
      Error: {
        type: 'object' as const,
        additionalProperties: false,
        required: ['success', 'error_code', 'error_message'],
        properties: {
          success: { type: 'boolean' as const, enum: [false] },
          error_code: {
            type: 'integer' as const,
            enum: [...new Set(Object.values(ERRORS).map((error) => error.code))],
          },
          error_message: { type: 'string' as const },
          error_description: { type: 'string' as const },
          error_details: {
            type: 'array' as const,
            items: {
              type: 'object' as const,
              additionalProperties: false,
              required: ['path', 'code', 'message'],
              properties: {
                path: { type: 'string' as const },
                code: { type: 'string' as const },
                message: { type: 'string' as const },
              },
            },
          },
          request_id: { type: 'string' as const },
        },
      },
    },
  },
}

type Routed = {
  schema: Record<string, unknown> | undefined
  url: string
  route: { config?: { endpoint?: Endpoint } }
}

/** Adds to each operation what the declaration says beyond its schemas. */
export function openApiTransform({ schema, url, route }: Routed): {
  schema: Record<string, unknown>
  url: string
} {
  const endpoint = route.config?.endpoint
  if (endpoint === undefined) return { schema: { ...schema, hide: true }, url }
  const error = (description: string) => ({
    description,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  })
  return {
    // Relative to the server's /api, as the endpoints are declared.
    url: endpoint.path,
    schema: {
      ...schema,
      operationId: operationId(endpoint),
      tags: [endpoint.tag],
      summary: endpoint.summary,
      description: [endpoint.description, `Permission: \`${endpoint.permission}\``]
        .filter((part) => part !== undefined)
        .join('\n\n'),
      security: endpoint.permission === 'public' ? [] : [{ token: [] }],
      ...(endpoint.body === undefined
        ? {}
        : { body: { ...endpoint.body, examples: [endpoint.example] } }),
      response: {
        ...(schema?.['response'] as Record<string, unknown> | undefined),
        ...(endpoint.effect === 'stream'
          ? {
              200: {
                description: 'Server-sent events; the data of each is this',
                content: { 'text/event-stream': { schema: endpoint.data } },
              },
            }
          : {}),
        default: error('Refused or failed: see error_code'),
      },
    },
  }
}

function operationId(endpoint: Pick<Endpoint, 'method' | 'path'>): string {
  const words = endpoint.path
    .split('/')
    .filter((part) => part !== '')
    .map((part) => (part.startsWith(':') ? `by_${part.slice(1)}` : part))
  return [endpoint.method.toLowerCase(), ...words].join('_').replaceAll(/[^a-zA-Z0-9_]/g, '_')
}
