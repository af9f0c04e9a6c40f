/** What is answered, and logged, when a request is refused or fails. */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { LogController } from 'fastify'
import type { FastifyBaseLogger, FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, ERRORS, refuse } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import { MAXIMUM_BODY_BYTES } from './body.ts'
import { validationError } from './validation-error.ts'

export function answerError(
  log: FastifyBaseLogger,
  error: FastifyError | ApiError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const known = apiErrorOf(error)
  const kind = known?.kind ?? 'InternalServerError'
  const { code, status, message } = ERRORS[kind]
  if (status >= 500 && !(isClientGone(error) && reply.raw.destroyed))
    log.error(
      {
        request_id: request.id,
        method: request.method,
        url: request.url.split('?')[0],
        error: errorForLog(error),
      },
      'request failed',
    )
  if (known?.retryAfter !== undefined) reply.header('retry-after', known.retryAfter)
  return reply
    .code(status)
    .type('application/json; charset=utf-8')
    .send(
      JSON.stringify({
        success: false,
        error_code: code,
        error_message: message,
        // What broke inside is for the log; the caller gets the request id to name it.
        ...(known === undefined || known.message === message
          ? {}
          : { error_description: known.message }),
        ...(known === undefined || known.details.length === 0
          ? {}
          : { error_details: known.details }),
        request_id: request.id,
      }),
    )
}

const STATUS_OF_MALFORMED: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** What never became a request still gets the envelope, after the answers to those that did. */
export function answerMalformed(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const answering = (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage
  if (answering !== undefined && answering !== null) {
    answering.once('close', () => {
      answerMalformed(error, socket)
    })
    return
  }
  const status = STATUS_OF_MALFORMED[error.code ?? ''] ?? '400 Bad Request'
  const { code, message } = ERRORS.BadRequest
  const body = JSON.stringify({
    success: false,
    error_code: code,
    error_message: message,
    error_description: `not a valid HTTP request: ${status.slice(4)}`,
    request_id: newId(),
  })
  const head = [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

function errorForLog(error: Error): {
  name: string
  message: string
  stack: string | undefined
  code: unknown
} {
  return {
    name: error.name,
    message: error.message,
    stack: error.stack,
    code: (error as { code?: unknown }).code,
  }
}

function apiErrorOf(error: FastifyError | ApiError): ApiError | undefined {
  if (error instanceof ApiError) return error
  if (error.validation !== undefined)
    return validationError(error.validation as never, error.validationContext ?? '')
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return refuse('TOO_LARGE', '', `the body is larger than ${MAXIMUM_BODY_BYTES} bytes`)
  if (
    error.code === 'FST_ERR_CTP_EMPTY_JSON_BODY' ||
    error.code === 'FST_ERR_CTP_INVALID_JSON_BODY'
  )
    return refuse('MALFORMED_JSON', '', error.message)
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500)
    return refuse('FORMAT', '', error.message)
  return undefined
}

/**
 * A caller left before the end of an answer, which is no failure of ours. A venue that breaks off
 * has the same code.
 */
const isClientGone = (error: Error & { code?: unknown }): boolean =>
  error.code === 'ERR_STREAM_PREMATURE_CLOSE'

/** Puts what the framework reports of answers that break off into our log. */
export class BrokenAnswers extends LogController {
  readonly #log: FastifyBaseLogger
  constructor(log: FastifyBaseLogger) {
    super({ disableRequestLogging: true })
    this.#log = log
  }
  override streamError(error: Error & { code?: string }, request: FastifyRequest): void {
    if (!isClientGone(error)) this.#report(error, request)
  }
  override writeHeadError(error: Error, request: FastifyRequest): void {
    this.#report(error, request)
  }
  override serializerError(error: Error, request: FastifyRequest): void {
    this.#report(error, request)
  }
  #report(error: Error, request: FastifyRequest): void {
    this.#log.error(
      {
        request_id: request.id,
        method: request.method,
        url: request.url.split('?')[0],
        error: errorForLog(error),
      },
      'answer broken off',
    )
  }
}
