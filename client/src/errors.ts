/** What a call throws: a refusal that the service answered, or that no answer came. */
import { ERROR_CODES } from './error-codes.ts'
import type { DetailCode } from './error-codes.ts'

/** Names of the errors, as docs/generated/errors.md lists them. */
export type ErrorName = keyof typeof ERROR_CODES

/**
 * `path` names the field (`withdrawals[0].quantity`), `message` is for people. A later version of
 * the service may have codes that this one does not know.
 */
export type ErrorDetail = {
  path: string
  code: DetailCode | (string & Record<never, never>)
  message: string
  /** The record that the message names, such as the approval request that waits. */
  record_id?: string
}

export type ErrorAnswer = {
  error_code?: number
  error_message?: string
  error_description?: string
  error_details?: readonly ErrorDetail[]
  request_id?: string
}

type Circumstances = {
  retry_after?: number | undefined
  idempotency_key?: string | undefined
}

const NAMES = new Map<number, ErrorName>(
  Object.entries(ERROR_CODES).map(([name, code]) => [code, name as ErrorName]),
)

/**
 * A refusal or failure that the service answered. `error_code` is 0 when something else answered,
 * such as a proxy.
 */
export class KontorError extends Error {
  readonly status: number
  readonly error_code: number
  readonly error_message: string
  readonly error_description: string | undefined
  readonly error_details: readonly ErrorDetail[]
  /** Name it when you ask whoever runs the service: the log has it. */
  readonly request_id: string | undefined
  /** Seconds to wait before a repeat, when the service says so. */
  readonly retry_after: number | undefined
  /** Of a write. After a 5xx it is the key with which to repeat it. */
  readonly idempotency_key: string | undefined

  constructor(
    status: number,
    answer: ErrorAnswer,
    { retry_after, idempotency_key }: Circumstances = {},
  ) {
    const message = answer.error_message ?? `HTTP ${status}`
    const description =
      answer.error_description === undefined ? '' : `: ${answer.error_description}`
    super(`${answer.error_code ?? status} ${message}${description}`)
    this.name = 'KontorError'
    this.status = status
    this.error_code = answer.error_code ?? 0
    this.error_message = message
    this.error_description = answer.error_description
    this.error_details = answer.error_details ?? []
    this.request_id = answer.request_id
    this.retry_after = retry_after
    this.idempotency_key = idempotency_key
  }

  /** The name of `error_code`: `RateLimited` for 4291. Unknown when this version has none. */
  get kind(): ErrorName | 'Unknown' {
    return NAMES.get(this.error_code) ?? 'Unknown'
  }

  is<Name extends ErrorName>(
    name: Name,
  ): this is KontorError & { kind: Name; error_code: (typeof ERROR_CODES)[Name] } {
    return this.error_code === ERROR_CODES[name]
  }

  /** The first detail with this code. */
  detail(code: DetailCode): ErrorDetail | undefined {
    return this.error_details.find((detail) => detail.code === code)
  }
}

/**
 * No answer came, or not all of it. Whether a write was made is not known: repeat it with
 * `idempotency_key`, and it is made once.
 */
export class NoAnswerError extends Error {
  /** E.g. `POST /bookings`. */
  readonly request: string
  /** The time was over (`timeout_ms`). */
  readonly timed_out: boolean
  readonly idempotency_key: string | undefined

  constructor(
    request: string,
    cause: unknown,
    { timed_out, idempotency_key }: { timed_out: boolean; idempotency_key: string | undefined },
  ) {
    super(`${request}: no answer${timed_out ? ' in time' : ''}${reasonOf(cause)}`, { cause })
    this.name = 'NoAnswerError'
    this.request = request
    this.timed_out = timed_out
    this.idempotency_key = idempotency_key
  }
}

/** The runtime says what happened in the cause of its own error. */
function reasonOf(error: unknown): string {
  const { cause } = error instanceof Error ? error : { cause: undefined }
  const reason = cause instanceof Error ? cause : error
  return reason instanceof Error && reason.message !== '' ? ` (${reason.message})` : ''
}
