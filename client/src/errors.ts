export type ErrorDetail = { path: string; code: string; message: string }

/**
 * A refusal or failure that the service answered. `error_code` is 0 when something else answered,
 * such as a proxy.
 */
export class KontorError extends Error {
  readonly status: number
  readonly error_code: number
  readonly error_message: string
  readonly error_details: readonly ErrorDetail[]
  readonly request_id: string | undefined
  /** Seconds to wait before a repeat, when the service says so. */
  readonly retry_after: number | undefined

  constructor(
    status: number,
    answer: {
      error_code?: number
      error_message?: string
      error_description?: string
      error_details?: readonly ErrorDetail[]
      request_id?: string
    },
    retryAfter?: number,
  ) {
    const message = answer.error_message ?? `HTTP ${status}`
    const description =
      answer.error_description === undefined ? '' : `: ${answer.error_description}`
    super(`${answer.error_code ?? status} ${message}${description}`)
    this.name = 'KontorError'
    this.status = status
    this.error_code = answer.error_code ?? 0
    this.error_message = message
    this.error_details = answer.error_details ?? []
    this.request_id = answer.request_id
    this.retry_after = retryAfter
  }
}
