/** What is answered, and logged, when a request is refused or fails. */
import { STATUS_CODES } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { LogController } from 'fastify'
import type { FastifyBaseLogger, FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, ERRORS, refuse } from '../core/errors.ts'
import type { ErrorName } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import { NoAnswer, NoConnection, sqlState } from '../store/db.ts'
import { validationError } from './validation-error.ts'

/** How long the other side may take to read why its connection is closed. */
const LINGER_MILLISECONDS = 1_000

export function answerError(
  log: FastifyBaseLogger,
  error: FastifyError | ApiError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const known = apiErrorOf(error, request)
  const { status } = ERRORS[known?.kind ?? 'InternalServerError']
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
  const seconds = known?.retryAfter ?? RETRY_SECONDS[known?.kind ?? 'InternalServerError']
  if (seconds !== undefined) reply.header('retry-after', seconds)
  if (status === 401) reply.header('www-authenticate', challengeOf(known))
  return reply
    .code(status)
    .type('application/json; charset=utf-8')
    .send(envelopeOf(known, request.id))
}

/** Where the refusal does not know better. A venue is looked at again about as often. */
const RETRY_SECONDS: Partial<Record<ErrorName, number>> = {
  VenueUnreachable: 10,
  Busy: 2,
  RateLimited: 60,
}

/** RFC 6750, part 3: a token that was sent and does not do is an error of its own. */
function challengeOf(refusal: ApiError | undefined): string {
  const isOfToken = refusal?.kind === 'TokenExpired' || refusal?.details[0] !== undefined
  return isOfToken ? 'Bearer realm="kontor", error="invalid_token"' : 'Bearer realm="kontor"'
}

/** What broke inside is for the log; the caller gets the request id to name it. */
export function envelopeOf(refusal: ApiError | undefined, request_id: string): string {
  const { code, message } = ERRORS[refusal?.kind ?? 'InternalServerError']
  return JSON.stringify({
    success: false,
    error_code: code,
    error_message: message,
    ...(refusal === undefined || refusal.message === message
      ? {}
      : { error_description: refusal.message }),
    ...(refusal === undefined || refusal.details.length === 0
      ? {}
      : { error_details: refusal.details }),
    request_id,
  })
}

const TIMED_OUT = 'ERR_HTTP_REQUEST_TIMEOUT'
/** Of other errors, such as those of TLS, nobody could be told. */
const OF_HTTP = /^(?:HPE|ERR_HTTP)_/
const STATUS_OF_MALFORMED: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  [TIMED_OUT]: 408,
}

/** As the runtime has it: with the answer that is under way. */
export type AnsweringSocket = Socket & { _httpMessage?: ServerResponse | null }

/** Sockets that are told what was wrong once what came before is answered. */
const told = new WeakSet<Socket>()

/** What never became a request still gets the envelope, after the answers to those that did. */
export function answerMalformed(error: Error & { code?: string }, socket: AnsweringSocket): void {
  if (!OF_HTTP.test(error.code ?? '') || !socket.writable) {
    socket.destroy()
    return
  }
  const { _httpMessage: answering } = socket
  if (answering?.req.complete === true) {
    if (told.has(socket)) return
    told.add(socket)
    answering.once('close', () => {
      told.delete(socket)
      answerMalformed(error, socket)
    })
    return
  }
  // The body of what is being answered is broken or never ends: nothing else would come.
  if (answering?.headersSent === true) {
    socket.destroy()
    return
  }
  const status = STATUS_OF_MALFORMED[error.code ?? ''] ?? 400
  const reason = `not a valid HTTP request: ${STATUS_CODES[status]}`
  refuseSocket(socket, { kind: 'BadRequest', status, reason })
}

export const isTimedOut = ({ code }: Error & { code?: string }): boolean => code === TIMED_OUT

type SocketRefusal = {
  kind: ErrorName
  /** That of the kind when absent. */
  status?: number
  reason: string
  /** Seconds. */
  retry_after?: number
}

/** Says what is wrong on a connection that carries no request, and closes it. */
export function refuseSocket(
  socket: Socket,
  { kind, reason, retry_after, status = ERRORS[kind].status }: SocketRefusal,
): void {
  const error = kind === 'BadRequest' ? refuse('FORMAT', '', reason) : new ApiError(kind, reason)
  const request_id = newId()
  const body = envelopeOf(error, request_id)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${request_id}`,
    ...(retry_after === undefined ? [] : [`Retry-After: ${retry_after}`]),
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  const linger = setTimeout(() => {
    socket.destroy()
  }, LINGER_MILLISECONDS)
  socket.once('close', () => {
    clearTimeout(linger)
  })
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

/** A statement took too long, a lock did not come free, or there is no connection left. */
const BUSY_STATES: ReadonlySet<string> = new Set(['57014', '55P03', '53300'])
const DISK_FULL = '53100'
const BUSY_SECONDS = 2
const UNKNOWN_OUTCOME =
  'the database did not answer in time: a change may have been made; ' +
  'repeat it with the same Idempotency-Key'

/** As it is answered; undefined for what broke inside. */
export function apiErrorOf(
  error: FastifyError | ApiError,
  request: FastifyRequest,
): ApiError | undefined {
  if (error instanceof ApiError) return error
  if (error instanceof NoAnswer) return new ApiError('Busy', UNKNOWN_OUTCOME, [], BUSY_SECONDS)
  if (sqlState(error) === DISK_FULL)
    return new ApiError('Busy', 'the disk of the database is full', [], BUSY_SECONDS)
  if (error instanceof NoConnection || BUSY_STATES.has(sqlState(error) ?? ''))
    return new ApiError('Busy', 'the database is too busy', [], BUSY_SECONDS)
  if (error.validation !== undefined)
    return validationError(error.validation as never, error.validationContext ?? '')
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return refuse(
      'TOO_LARGE',
      '',
      `the body is larger than ${request.routeOptions.bodyLimit} bytes`,
    )
  if (
    error.code === 'FST_ERR_CTP_EMPTY_JSON_BODY' ||
    error.code === 'FST_ERR_CTP_INVALID_JSON_BODY'
  )
    return refuse('MALFORMED_JSON', '', error.message)
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500)
    return refuse('FORMAT', '', error.message)
  return undefined
}

/** Ends the work for a caller who has left; it is no failure of ours. */
export const callerGone = (): Error =>
  Object.assign(new Error('the caller has left'), { code: CALLER_GONE })

const CALLER_GONE = 'ERR_STREAM_PREMATURE_CLOSE'

/**
 * A caller left before the end of an answer, which is no failure of ours. A venue that breaks off
 * has the same code.
 */
const isClientGone = (error: Error & { code?: unknown }): boolean => error.code === CALLER_GONE

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
