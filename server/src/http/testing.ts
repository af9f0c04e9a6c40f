/** For tests: a server around some endpoints, spoken to without a socket. */
import type { KeyObject } from 'node:crypto'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import type { Clock } from '../core/clock.ts'
import { newId } from '../core/ids.ts'
import type { ApiKeyId } from '../core/ids.ts'
import type { Db } from '../store/db.ts'
import type { Certificate } from './certificate.ts'
import type { Door } from './door.ts'
import type { Endpoint } from './endpoint.ts'
import { limitsFrom } from './limits.ts'
import type { Limits } from './limits.ts'
import { buildServer } from './server.ts'
import type { Authenticate, Principal, RefusedRequest } from './caller.ts'

/** What an answer looks like to a caller who takes nothing for granted. */
export type Answer<Data> = {
  status: number
  headers: Record<string, string | string[] | number | undefined>
  text: string
  success: boolean
  data: Data
  error_code?: number
  error_message?: string
  error_description?: string
  error_details?: { path: string; code: string; message: string }[]
  request_id?: string
}

type Request = {
  token?: string | undefined
  body?: unknown
  headers?: Record<string, string>
  address?: string
}

export type TestServer = {
  server: FastifyInstance
  /** `url` relative to /api. `body` is sent as JSON, or as it is when it is text or bytes. */
  call<Data = Record<string, unknown>>(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    url: string,
    request?: Request,
  ): Promise<Answer<Data>>
  close(): Promise<void>
}

/** As the caller of a request. */
export const A_PROGRAM: NonNullable<Principal['api_key']> = {
  id: newId<ApiKeyId>(),
  permissions: new Set<string>(),
  networks: [],
  expires_at: Number.MAX_SAFE_INTEGER,
  limited: false,
}

export async function testServer(parts: {
  db: Db
  clock: Clock
  endpoints: readonly Endpoint[]
  authenticate: Authenticate
  request_key?: KeyObject
  onRefused?(refused: RefusedRequest): void
  drain_ms?: number
  log?: FastifyBaseLogger
  /** Others than the defaults. */
  limits?: Partial<Limits>
  door?: Door
  certificate?: Certificate
}): Promise<TestServer> {
  const server = await buildServer({
    log: pino({ level: 'silent' }),
    ...parts,
    limits: { ...limitsFrom({}), ...parts.limits },
    ready: async () => undefined,
    metrics: new Registry(),
    public_metrics: true,
    public_documents: true,
  })
  return {
    server,
    async call<Data>(
      method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
      url: string,
      { token, body, headers = {}, address = '127.0.0.1' }: Request = {},
    ) {
      const raw = typeof body === 'string' || Buffer.isBuffer(body)
      const reply = await server.inject({
        method,
        url: `/api${url}`,
        remoteAddress: address,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { payload: raw ? body : JSON.stringify(body) }),
      })
      const json = /json/.test(String(reply.headers['content-type']))
        ? (JSON.parse(reply.body) as Answer<Data>)
        : undefined
      return {
        ...json,
        status: reply.statusCode,
        headers: reply.headers,
        text: reply.body,
      } as Answer<Data>
    },
    close: () => server.close(),
  }
}

/** A refusal in one line: status, error code, and the first detail's code and path. */
/** The status, and all that was refused: `400 value.name FORMAT value.accent FORMAT`. */
export const refusalsOf = ({ status, error_details = [] }: Answer<unknown>): string =>
  [status, ...error_details.map(({ path, code }) => `${path} ${code}`)].join(' ')

export function refusalOf({ status, error_code, error_details }: Answer<unknown>): string {
  const [detail] = error_details ?? []
  return `${status} ${error_code} ${detail?.code} ${detail?.path}`
}
