/**
 * A client as an integrator writes it: what was not answered is asked again with the same key,
 * where there are several processes at the next one, until somebody answers.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { newId } from '../../../server/src/core/ids.ts'
import { PATIENCE_MILLISECONDS } from './patience.ts'

const AGAIN_MILLISECONDS = 200
/** A process that hangs holds its caller no longer. */
const ANSWER_MILLISECONDS = 15_000
const IN_PROGRESS = 4092

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
export type Call = <Data>(
  method: Method,
  path: string,
  body?: unknown,
  key?: string,
) => Promise<Data>
type Login = { email: string; password: string }
type Request = { method: Method; path: string; body: unknown; key: string }
type Body = {
  success: boolean
  data: unknown
  error_code?: number
  error_message?: string
  error_description?: string
  error_details?: { code: string }[]
}
type Answer = { status: number; body: Body }

/** The service has said no: nothing has happened. */
export class Refusal extends Error {
  readonly codes: readonly string[]

  constructor({ method, path }: Request, { status, body }: Answer) {
    const { error_code, error_message, error_description, error_details = [] } = body
    const codes = error_details.map(({ code }) => code)
    super(
      `${method} ${path}: ${status} ${error_code} ${error_message} ${codes.join()} ` +
        (error_description ?? ''),
    )
    this.codes = codes
  }
}

export class RepeatingClient {
  readonly #ports: readonly number[]
  readonly #login: Login
  readonly #leaving = new AbortController()
  #token = ''
  #asked = 0

  constructor(ports: readonly number[], login: Login) {
    this.#ports = ports
    this.#login = login
  }

  /** Throws Refusal; and Error when nobody answers for minutes, which is wrong in itself. */
  readonly call: Call = async <Data>(
    method: Method,
    path: string,
    body?: unknown,
    key: string = newId(),
  ): Promise<Data> => {
    const request = { method, path, body, key }
    const end = Date.now() + PATIENCE_MILLISECONDS
    for (;;) {
      const answer = await this.#ask(request)
      if (answer !== undefined && answer.status === 401 && path !== '/auth/login')
        this.#token = await this.token()
      else if (answer !== undefined && isFinal(answer)) {
        if (!answer.body.success) throw new Refusal(request, answer)
        return answer.body.data as Data
      } else if (Date.now() > end || this.#leaving.signal.aborted)
        throw new Error(`${method} ${path} was not answered: ${JSON.stringify(answer?.body)}`)
      await pause(AGAIN_MILLISECONDS)
    }
  }

  async token(): Promise<string> {
    const tokens = await this.call<{ access_token: string }>('POST', '/auth/login', this.#login)
    return tokens.access_token
  }

  /** Asks nothing again. */
  leave(): void {
    this.#leaving.abort()
  }

  /** Undefined when nobody answers. */
  async #ask({ method, path, body, key }: Request): Promise<Answer | undefined> {
    this.#asked += 1
    const port = this.#ports[this.#asked % this.#ports.length]
    const hasKey = method !== 'GET' && path !== '/auth/login'
    try {
      const response = await fetch(`http://127.0.0.1:${port}/api${path}`, {
        method,
        headers: {
          ...(this.#token === '' ? {} : { authorization: `Bearer ${this.#token}` }),
          ...(hasKey ? { 'idempotency-key': key } : {}),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.any([AbortSignal.timeout(ANSWER_MILLISECONDS), this.#leaving.signal]),
      })
      return { status: response.status, body: (await response.json()) as Body }
    } catch {
      return undefined
    }
  }
}

const isFinal = ({ status, body }: Answer): boolean =>
  status < 500 && status !== 429 && body.error_code !== IN_PROGRESS
