/** What ends a command, as a sentence and an exit code. */
import { KontorError, NoAnswerError } from '../errors.ts'

const EXIT = {
  refused: 1,
  usage: 2,
  access: 3,
  absent: 4,
  unanswered: 5,
} as const

export class Problem extends Error {
  readonly exit: number
  constructor(exit: keyof typeof EXIT, message: string) {
    super(message)
    this.exit = EXIT[exit]
  }
}

const STATUS_EXITS: Readonly<Record<number, keyof typeof EXIT>> = {
  401: 'access',
  403: 'access',
  404: 'absent',
}

/** Lines for people, and the exit code. Throws what nobody expects. */
export function problemOf(error: unknown): { lines: string[]; exit: number } {
  if (error instanceof Problem) return { lines: [error.message], exit: error.exit }
  if (error instanceof NoAnswerError)
    return {
      lines: [
        error.message,
        ...(error.idempotency_key === undefined ? [] : [repeatWith(error.idempotency_key)]),
      ],
      exit: EXIT.unanswered,
    }
  if (!(error instanceof KontorError)) throw error
  const { error_details, request_id } = error
  const details = error_details.map(({ path, code, message }) =>
    `  ${path === '' ? '' : `${path}: `}${message} (${code})`.trimEnd(),
  )
  return {
    lines: [
      error.message,
      ...details,
      ...adviceOn(error),
      ...(request_id === undefined ? [] : [`request ${request_id}`]),
    ],
    exit: EXIT[STATUS_EXITS[error.status] ?? (error.status >= 500 ? 'unanswered' : 'refused')],
  }
}

function adviceOn(error: KontorError): string[] {
  // The detail says what is wrong with the key.
  if (error.is('MissingToken') && error.error_details.length > 0) return []
  if (error.is('MissingToken') || error.is('RefreshTokenInvalid'))
    return ['Log in with kontor login, or name an API key in KONTOR_API_KEY.']
  if (error.is('RequirePasswordChange')) return ['Log in to the console once to change it.']
  if (error.status >= 500 && error.idempotency_key !== undefined)
    return [repeatWith(error.idempotency_key)]
  return []
}

const repeatWith = (key: string): string =>
  `Whether it was done is not known. To repeat it once: --idempotency-key ${key}`
