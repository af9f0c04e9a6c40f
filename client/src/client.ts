/**
 * Calls with the tokens of a session. Expired tokens are renewed, every write gets an
 * Idempotency-Key, and a refusal is thrown as KontorError.
 */
import createFetchClient from 'openapi-fetch'
import { KontorError } from './errors.ts'
import type { ErrorDetail } from './errors.ts'
import type { paths } from './generated.ts'
import type { DataOf, ListPath, Method, PathOf, Rest } from './types.ts'

const TOKEN_MISSING = 1001
const TOKEN_EXPIRED = 1005
const REFRESH_TOKEN_INVALID = 1006
const PAGE_ROWS = 1000

/** In a browser the refresh token is in a cookie, which no script reads. */
export type Tokens = { access_token: string; refresh_token?: string }

export type ServiceAddress = {
  /** Address of the service, e.g. http://localhost:4000; with or without /api. */
  base_url: string
  /** Replaces the global fetch. */
  fetch?: (request: Request) => Promise<Response>
}

type Session = ServiceAddress & {
  tokens: Tokens
  /** Receives each new pair of tokens, to store it. */
  renewed?(tokens: Tokens): void
  /**
   * Called when the session is over (1006 at a refresh, 1001 at a call). The call is repeated with
   * the tokens that it returns.
   */
  login_again(error: KontorError): Promise<Tokens>
}

export type Client = {
  get<P extends PathOf<'get'>>(path: P, ...rest: Rest<'get', P>): Promise<DataOf<'get', P>>
  post<P extends PathOf<'post'>>(path: P, ...rest: Rest<'post', P>): Promise<DataOf<'post', P>>
  put<P extends PathOf<'put'>>(path: P, ...rest: Rest<'put', P>): Promise<DataOf<'put', P>>
  patch<P extends PathOf<'patch'>>(path: P, ...rest: Rest<'patch', P>): Promise<DataOf<'patch', P>>
  del<P extends PathOf<'delete'>>(path: P, ...rest: Rest<'delete', P>): Promise<DataOf<'delete', P>>
  /** One page of a list; `next` is the cursor of the page after it. */
  page<P extends ListPath>(
    path: P,
    ...rest: Rest<'get', P>
  ): Promise<{ items: DataOf<'get', P>; next: string | undefined }>
  /** A list page by page, newest first. `query.limit` is the size of a page. */
  pages<P extends ListPath>(
    path: P,
    ...rest: Rest<'get', P>
  ): AsyncGenerator<DataOf<'get', P>, void, undefined>
  /** The plain response, where it is not JSON: CSV (`accept: 'text/csv'`), the event stream. */
  open<P extends PathOf<'get'>>(path: P, request: Opening<P>): Promise<Response>
  /** Ends the session. */
  logout(): Promise<void>
}

type Opening<P extends PathOf<'get'>> = (Rest<'get', P>[0] & object) & {
  accept: string
  last_event_id?: string
}

type Envelope = {
  success: boolean
  data?: unknown
  error_code?: number
  error_message?: string
  error_description?: string
  error_details?: ErrorDetail[]
  request_id?: string
}
/** A request to any path. */
type AnyRequest = {
  params?: object
  query?: object
  body?: unknown
  idempotency_key?: string
  signal?: AbortSignal
  accept?: string
  last_event_id?: string
}
type Answer = { data: unknown; response: Response }

type Send = (method: Method, path: string, request: AnyRequest, token?: string) => Promise<Answer>

/**
 * Returns the function that makes one call, without a session unless a token is passed. It throws
 * KontorError.
 */
export function sender({ base_url, fetch }: ServiceAddress): Send {
  const fetchClient = createFetchClient<paths>({
    baseUrl: apiUrl(base_url),
    querySerializer: { array: { style: 'form', explode: false } },
    ...(fetch === undefined ? {} : { fetch }),
  })

  // The methods of Client have checked the types of each path.
  const send = fetchClient.request as unknown as (
    method: Method,
    path: string,
    init: object,
  ) => Promise<{ data?: Envelope | ReadableStream; error?: Envelope | string; response: Response }>

  return async (method, path, request, token) => {
    const { data, error, response } = await send(method, path, {
      params: { path: request.params, query: request.query },
      ...(request.body === undefined ? {} : { body: request.body }),
      ...(request.signal === undefined ? {} : { signal: request.signal }),
      ...(request.accept === undefined ? {} : { parseAs: 'stream' }),
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(request.idempotency_key === undefined
          ? {}
          : { 'idempotency-key': request.idempotency_key }),
        ...(request.accept === undefined ? {} : { accept: request.accept }),
        ...(request.last_event_id === undefined ? {} : { 'last-event-id': request.last_event_id }),
      },
    })
    if (request.accept !== undefined && response.ok)
      return { data: undefined, response: new Response(data as ReadableStream, response) }
    const envelope = data as Envelope | undefined
    if (envelope?.success === true) return { data: envelope.data, response }
    const after = Number(response.headers.get('retry-after') ?? Number.NaN)
    throw new KontorError(
      response.status,
      typeof error === 'object' ? error : (envelope ?? {}),
      Number.isNaN(after) ? undefined : after,
    )
  }
}

export function openClient(session: Session): Client {
  const caller = new Caller(session)
  const call = caller.call.bind(caller)
  const method = (name: Method) => async (path: string, request?: AnyRequest) =>
    (await call(name, path, request)).data

  async function page(
    path: string,
    request: AnyRequest = {},
  ): Promise<{ items: unknown; next: string | undefined }> {
    const { data, response } = await call('get', path, request)
    return { items: data, next: nextCursor(response) }
  }

  async function* pages(
    path: string,
    request: AnyRequest = {},
  ): AsyncGenerator<unknown, void, undefined> {
    let query: object | undefined = { limit: String(PAGE_ROWS), ...request.query }
    while (query !== undefined) {
      const { items, next } = await page(path, { ...request, query })
      yield items
      query = next === undefined ? undefined : { ...query, cursor: next }
    }
  }

  return {
    get: method('get'),
    post: method('post'),
    put: method('put'),
    patch: method('patch'),
    del: method('delete'),
    page,
    pages,
    open: async (path: string, request: AnyRequest) => (await call('get', path, request)).response,
    logout: async () => {
      await call('post', '/auth/logout')
    },
  } as unknown as Client
}

/** Calls with the tokens of a session, which are renewed when they have expired. */
class Caller {
  readonly #session: Session
  readonly #send: Send
  #tokens: Tokens
  #renewal: Promise<void> | undefined

  constructor(session: Session) {
    this.#session = session
    this.#send = sender(session)
    this.#tokens = session.tokens
  }

  async call(method: Method, path: string, request: AnyRequest = {}): Promise<Answer> {
    const prepared =
      method === 'get' || request.idempotency_key !== undefined
        ? request
        : { ...request, idempotency_key: crypto.randomUUID() }
    const used = this.#tokens.access_token
    try {
      return await this.#send(method, path, prepared, used)
    } catch (error) {
      if (!hasCode(error, TOKEN_EXPIRED, TOKEN_MISSING)) throw error
      // Requests that met the same expired token share one renewal.
      if (used === this.#tokens.access_token)
        await (this.#renewal ??= this.#renew(error).finally(() => {
          this.#renewal = undefined
        }))
      return this.#send(method, path, prepared, this.#tokens.access_token)
    }
  }

  async #renew(cause: KontorError): Promise<void> {
    try {
      if (cause.error_code === TOKEN_MISSING) throw cause
      const { access_token, refresh_token } = this.#tokens
      const { data } =
        refresh_token === undefined
          ? await this.#send('post', '/auth/console/refresh', { body: { access_token } })
          : await this.#send('post', '/auth/refresh', { body: { access_token, refresh_token } })
      this.#tokens = { ...this.#tokens, access_token: (data as Tokens).access_token }
    } catch (error) {
      if (!hasCode(error, REFRESH_TOKEN_INVALID, TOKEN_MISSING)) throw error
      this.#tokens = await this.#session.login_again(error)
    }
    this.#session.renewed?.(this.#tokens)
  }
}

const hasCode = (error: unknown, ...codes: readonly number[]): error is KontorError =>
  error instanceof KontorError && codes.includes(error.error_code)

function apiUrl(base: string): string {
  const plain = base.replace(/\/+$/, '')
  return plain.endsWith('/api') ? plain : `${plain}/api`
}

function nextCursor(response: Response): string | undefined {
  const next = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
  return next === undefined
    ? undefined
    : (new URL(next, 'http://kontor').searchParams.get('cursor') ?? undefined)
}
