/** One request to the service, and its answer out of the envelope. */
import { KontorError, NoAnswerError } from './errors.ts'
import type { ErrorAnswer } from './errors.ts'
import type { Method } from './types.ts'

const TIMEOUT_MILLISECONDS = 60_000

export type ServiceAddress = {
  /** Address of the service, e.g. http://localhost:4000; with or without /api. */
  base_url: string
  /** Replaces the global fetch. */
  fetch?: (request: Request) => Promise<Response>
  /** For the answer to one request, of a stream for its beginning; a minute, or 0 for no end. */
  timeout_ms?: number
}

/** A request to any path. */
export type AnyRequest = {
  params?: object
  query?: object
  body?: unknown
  idempotency_key?: string
  signal?: AbortSignal
  timeout_ms?: number
  retries?: number
  accept?: string
  last_event_id?: string
}
export type Answer = { data: unknown; response: Response }

export type Send = (
  method: Method,
  path: string,
  request: AnyRequest,
  token?: string,
) => Promise<Answer>

type Envelope = ErrorAnswer & { success: boolean; data?: unknown }

/**
 * Returns the function that makes one call, without a session unless a token is passed. It throws
 * KontorError, NoAnswerError, or the reason for which the caller's signal was aborted.
 */
export function sender(service: ServiceAddress): Send {
  const base = apiUrl(service.base_url)
  const fetchIt = service.fetch ?? ((request: Request) => fetch(request))
  return async (method, path, request, token) => {
    const { idempotency_key } = request
    const late = new AbortController()
    const timeout = request.timeout_ms ?? service.timeout_ms ?? TIMEOUT_MILLISECONDS
    const timer =
      timeout === 0 || timeout === Infinity
        ? undefined
        : setTimeout(() => {
            late.abort()
          }, timeout)
    try {
      const response = await fetchIt(
        new Request(base + addressOf(path, request), {
          method: method.toUpperCase(),
          headers: headersOf(request, token),
          ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
          signal:
            request.signal === undefined
              ? late.signal
              : AbortSignal.any([request.signal, late.signal]),
        }),
      )
      if (request.accept !== undefined && response.ok) return { data: undefined, response }
      return { data: dataOf(response, await response.text(), idempotency_key), response }
    } catch (error) {
      if (error instanceof KontorError) throw error
      if (request.signal?.aborted === true) throw request.signal.reason
      throw new NoAnswerError(`${method.toUpperCase()} ${path}`, error, {
        timed_out: late.signal.aborted,
        idempotency_key,
      })
    } finally {
      clearTimeout(timer)
    }
  }
}

function dataOf(response: Response, text: string, idempotency_key: string | undefined): unknown {
  const envelope = envelopeIn(text)
  if (response.ok && envelope?.success === true) return envelope.data
  const after = Number(response.headers.get('retry-after') ?? Number.NaN)
  const request_id = response.headers.get('x-request-id')
  throw new KontorError(
    response.status,
    { ...(request_id === null ? {} : { request_id }), ...envelope },
    { retry_after: Number.isNaN(after) ? undefined : after, idempotency_key },
  )
}

/** Undefined when something else answered. */
function envelopeIn(text: string): Envelope | undefined {
  try {
    const answer: unknown = JSON.parse(text)
    return typeof answer === 'object' && answer !== null && 'success' in answer
      ? (answer as Envelope)
      : undefined
  } catch {
    return undefined
  }
}

function headersOf(request: AnyRequest, token: string | undefined): Record<string, string> {
  return {
    accept: request.accept ?? 'application/json',
    ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(request.idempotency_key === undefined
      ? {}
      : { 'idempotency-key': request.idempotency_key }),
    ...(request.last_event_id === undefined ? {} : { 'last-event-id': request.last_event_id }),
  }
}

/** The path with its parameters, and the query: lists with commas. */
function addressOf(path: string, { params = {}, query = {} }: AnyRequest): string {
  const values = new Map<string, unknown>(Object.entries(params))
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values.get(name)
    // An empty one would name another path.
    if (value === undefined || value === '') throw new TypeError(`${path} needs ${name}`)
    return encodeURIComponent(String(value))
  })
  const search = Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&')
  return search === '' ? filled : `${filled}?${search}`
}

function apiUrl(base: string): string {
  const plain = base.replace(/\/+$/, '')
  return plain.endsWith('/api') ? plain : `${plain}/api`
}
