/** What changed nothing and is recorded all the same, told to whoever keeps the security log. */
import type { FastifyError, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify'
import { ApiError, ERRORS } from '../core/errors.ts'
import { isId } from '../core/ids.ts'
import type { NotedCall, RefusedRequest, Source } from './caller.ts'
import type { Endpoint } from './endpoint.ts'
import { apiErrorOf } from './error-answers.ts'

/** Told of requests; must not throw. */
export type Noting = {
  /** Those that are refused for who sends them. */
  onRefused?(refused: RefusedRequest): void
  /** Calls that were refused or failed, and reads of personal data. */
  onNoted?(noted: NotedCall): void
}

export const sourceOf = ({ ip, headers, principal }: FastifyRequest): Source => ({
  address: ip,
  agent: headers['user-agent'],
  session_id: principal?.session_id,
})

/** The record that an address names: the last of its ids. */
export function recordIn(params: unknown): string | null {
  const values = Object.values((params ?? {}) as Readonly<Record<string, unknown>>)
  const record_id = values.findLast((value) => typeof value === 'string' && isId(value))
  return typeof record_id === 'string' ? record_id : null
}

const callOf = (request: FastifyRequest) => ({
  source: sourceOf(request),
  request_id: request.id,
  operation: request.routeOptions.config.endpoint?.operation_id,
  record_id: recordIn(request.params),
})

/** An expired token is no refusal to speak of: its program renews it. */
export function tellRefused(
  { onRefused, onNoted }: Noting,
  error: FastifyError | ApiError,
  request: FastifyRequest,
): void {
  const { principal, method, routeOptions } = request
  if (error instanceof ApiError && isOfCaller(error.kind)) {
    onRefused?.({
      ...callOf(request),
      error: error.kind,
      reason: error.message,
      principal,
      authorization: request.headers.authorization,
      record_id: null,
      method,
      path: routeOptions.url ?? '',
    })
    return
  }
  const { endpoint } = routeOptions.config
  if (principal === undefined || endpoint === undefined || method === 'GET') return
  if (endpoint.effect === 'read') return
  const { operation_id: operation } = endpoint
  const call = callOf(request)
  const fault = faultOf(apiErrorOf(error, request))
  if (!isFound(fault.details)) call.record_id = null
  onNoted?.({ ...call, principal, operation, ...fault })
}

/** Else what the caller has named may be a record of somebody else. */
const isFound = ({ codes = [] }: { codes?: readonly string[] }): boolean =>
  codes.includes('STATE_NOT_ALLOWED') || codes.includes('STALE_VERSION')

const isOfCaller = (kind: string): kind is RefusedRequest['error'] =>
  kind === 'PermissionDenied' || kind === 'MissingToken'

/** What was asked for is not kept, so neither is what the answer says of it: only the codes. */
function faultOf(error: ApiError | undefined) {
  const kind = error?.kind ?? 'InternalServerError'
  const { status } = ERRORS[kind]
  if (status >= 500) return { kind: 'CALL_FAILED' as const, details: { status, error: kind } }
  const codes = [...new Set(error?.details.map(({ code }) => code))]
  return { kind: 'CALL_REFUSED' as const, details: { status, error: kind, codes } }
}

/** Of an endpoint that answers personal data, or papers: who was answered is noted. */
export function readNoting(
  { personal, papers, operation_id: operation }: Endpoint,
  { onNoted }: Noting,
): Pick<RouteShorthandOptions, 'onResponse'> {
  if (onNoted === undefined || (personal !== true && papers === undefined)) return {}
  return {
    onResponse: (request, reply, done) => {
      const { principal } = request
      const format = formatOf(reply)
      const isRead = personal === true || format === 'pdf' || format === 'xml'
      // What was refused showed nothing.
      if (isRead && principal !== undefined && reply.statusCode < 300)
        onNoted({ ...callOf(request), principal, operation, kind: 'READ', details: { format } })
      done()
    },
  }
}

const formatOf = (reply: FastifyReply): string =>
  /^(?:application|text)\/(pdf|csv|xml)/.exec(String(reply.getHeader('content-type')))?.[1] ??
  'json'
