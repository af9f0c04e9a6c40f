/** What authorizes the calls: an API key, or the tokens of a session, which are renewed. */
import { KontorError } from './errors.ts'
import { isPassing } from './patience.ts'
import type { Send } from './send.ts'

/** An access token is renewed so long before its end. */
const EARLY_MILLISECONDS = 30_000

/** In a browser the refresh token is in a cookie, which no script reads. */
export type Tokens = { access_token: string; refresh_token?: string }

export type Session = {
  tokens: Tokens
  /** Receives each new pair of tokens, to store it. */
  renewed?(tokens: Tokens): void
  /**
   * Called when the session is over (1006 at a refresh, 1001 at a call). The call is repeated with
   * the tokens that it returns.
   */
  login_again(error: KontorError): Promise<Tokens>
  /**
   * Called when the second factor must be confirmed (1009) or set up (1008). Answers whether to
   * repeat the call.
   */
  second_factor?(error: KontorError): Promise<boolean>
}

export type Authorization = {
  /** For the next call. */
  token(): Promise<string>
  /** After a call with this token was refused. Answers whether to repeat the call. */
  renew(used: string, refusal: KontorError): Promise<boolean>
}

/** A key is not renewed: what is refused is refused. */
export const byKey = (api_key: string): Authorization => ({
  token: async () => api_key,
  renew: async () => false,
})

/** Requests that meet the same expired token share one renewal. */
export class SessionTokens implements Authorization {
  readonly #session: Session
  readonly #send: Send
  #tokens: Tokens
  #fresh_until: number
  #renewal: Promise<void> | undefined

  constructor(session: Session, send: Send) {
    this.#session = session
    this.#send = send
    this.#tokens = session.tokens
    this.#fresh_until = freshUntil(session.tokens)
  }

  async token(): Promise<string> {
    if (Date.now() >= this.#fresh_until || this.#renewal !== undefined) {
      // Tried once: when it fails for the moment, the refusal of a call renews.
      this.#fresh_until = Infinity
      await this.#renewOnce().catch((error: unknown) => {
        if (!isPassing(error)) throw error
      })
    }
    return this.#tokens.access_token
  }

  async renew(used: string, refusal: KontorError): Promise<boolean> {
    if (!refusal.is('TokenExpired') && !refusal.is('MissingToken')) return false
    if (used === this.#tokens.access_token) await this.#renewOnce(refusal)
    return true
  }

  #renewOnce(cause?: KontorError): Promise<void> {
    return (this.#renewal ??= this.#renew(cause).finally(() => {
      this.#renewal = undefined
    }))
  }

  async #renew(cause: KontorError | undefined): Promise<void> {
    try {
      if (cause?.is('MissingToken') === true) throw cause
      const { access_token, refresh_token } = this.#tokens
      const { data } =
        refresh_token === undefined
          ? await this.#send('post', '/auth/console/refresh', { body: { access_token } })
          : await this.#send('post', '/auth/refresh', { body: { access_token, refresh_token } })
      this.#tokens = { ...this.#tokens, access_token: (data as Tokens).access_token }
    } catch (error) {
      if (!(error instanceof KontorError)) throw error
      if (!error.is('RefreshTokenInvalid') && !error.is('MissingToken')) throw error
      this.#tokens = await this.#session.login_again(error)
    }
    this.#fresh_until = freshUntil(this.#tokens)
    this.#session.renewed?.(this.#tokens)
  }
}

/**
 * When to renew the token, by the clock of this machine: the clock of the service may differ, so
 * only how long the token lives is read from it.
 */
function freshUntil({ access_token }: Tokens): number {
  const [, payload = ''] = access_token.split('.')
  try {
    const base64 = payload.replaceAll('-', '+').replaceAll('_', '/')
    const { iat, exp } = JSON.parse(atob(base64)) as { iat?: unknown; exp?: unknown }
    if (typeof iat !== 'number' || typeof exp !== 'number') return Infinity
    return Date.now() + (exp - iat) * 1000 - EARLY_MILLISECONDS
  } catch {
    // Not a token that can be read: it is renewed when it is refused.
    return Infinity
  }
}
