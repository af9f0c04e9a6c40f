/** A client that repeats what was not answered with the same key, as an integrator does. */
import { setTimeout as pause } from 'node:timers/promises'
import { newId } from '../../../server/src/core/ids.ts'
import { PATIENCE_MILLISECONDS } from './patience.ts'

const REPEAT_MILLISECONDS = 200

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
type Request = { method: Method; path: string; body?: unknown; key: string }
type Answer = { status: number; body: { success: boolean; data: unknown } }

export class RepeatingClient {
  readonly #port: number
  readonly #login: { email: string; password: string }
  #token = ''

  constructor(port: number, login: { email: string; password: string }) {
    this.#port = port
    this.#login = login
  }

  /** Throws when it is refused, or not answered in time. */
  async call<Data>(
    method: Method,
    path: string,
    body?: unknown,
    key: string = newId(),
  ): Promise<Data> {
    const end = Date.now() + PATIENCE_MILLISECONDS
    for (;;) {
      const answer = await this.#ask({ method, path, body, key })
      if (answer?.status === 401 && path !== '/auth/login') await this.#renew()
      else if (answer !== undefined && isFinal(answer)) {
        if (!answer.body.success)
          throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
        return answer.body.data as Data
      } else if (Date.now() > end)
        throw new Error(`${method} ${path} was not answered: ${JSON.stringify(answer?.body)}`)
      await pause(REPEAT_MILLISECONDS)
    }
  }

  async #renew(): Promise<void> {
    const tokens = await this.call<{ access_token: string }>('POST', '/auth/login', this.#login)
    this.#token = tokens.access_token
  }

  /** Undefined when nobody answers. */
  async #ask({ method, path, body, key }: Request): Promise<Answer | undefined> {
    const headers = {
      ...(this.#token === '' ? {} : { authorization: `Bearer ${this.#token}` }),
      ...(method === 'GET' || path === '/auth/login' ? {} : { 'idempotency-key': key }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    }
    try {
      const response = await fetch(`http://127.0.0.1:${this.#port}/api${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      return { status: response.status, body: (await response.json()) as Answer['body'] }
    } catch {
      return undefined
    }
  }
}

const isFinal = ({ status }: Answer): boolean => status < 500 && status !== 409
