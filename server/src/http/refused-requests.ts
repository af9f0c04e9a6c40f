/** Requests that were refused for who sent them, told to whoever keeps the security log. */
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../core/errors.ts'
import type { RefusedRequest, Source } from './caller.ts'

export const sourceOf = ({ ip, headers, principal }: FastifyRequest): Source => ({
  address: ip,
  agent: headers['user-agent'],
  session_id: principal?.session_id,
})

/** An expired token is no refusal to speak of: its program renews it. */
export function tellRefused(
  onRefused: (refused: RefusedRequest) => void,
  error: Error,
  request: FastifyRequest,
): void {
  if (!(error instanceof ApiError)) return
  const { kind, message } = error
  if (kind !== 'PermissionDenied' && kind !== 'MissingToken') return
  const { principal, method, routeOptions } = request
  onRefused({
    error: kind,
    reason: message,
    principal,
    authorization: request.headers.authorization,
    source: sourceOf(request),
    method,
    path: routeOptions.url ?? '',
  })
}
