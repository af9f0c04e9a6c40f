/** Calls with tokens at hand: refreshed when they expire, each write with its Idempotency-Key, refusals thrown. */
import createFetchClient from 'openapi-fetch'
import { KontorError } from './errors.ts'
import type { ErrorDetail } from './errors.ts'
import type { paths } from './generated.ts'
import type { DataOf, ListPath, Method, PathOf, Rest } from './types.ts'

const TOKEN_MISSING = 1001
const TOKEN_EXPIRED = 1005
const REFRESH_TOKEN_INVALID = 1006
const PAGE_ROWS = 1000

export type Tokens = { access_token: string; refresh_token: string }

export type Place = {
  /** Address of the service, e.g. http://localhost:4000; with or without /api. */
  base_url: string
  /** Instead of the global one. */
  fetch?: (request: Request) => Promise<Response>
}

export type Session = Place & {
  tokens: Tokens
  /** Told of each new pair, to keep it. */
  renewed?(tokens: Tokens): void
  /** Asked when the session is over (1006 at a refresh, 1001 at a call): new tokens with which the call is repeated, or a rejection. */
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
  /** The answer as it comes, for what is no JSON: CSV (`accept: 'text/csv'`) and the stream of events. */
  open<P extends PathOf<'get'>>(path: P, request: Opening<P>): Promise<Response>
  /** Ends the session. */
  logout(): Promise<void>
}

export type Opening<P extends PathOf<'get'>> = (Rest<'get', P>[0] & object) & {
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
type Anything = {
  params?: object
  query?: object
  body?: unknown
  idempotency_key?: string
  signal?: AbortSignal
  accept?: string
  last_event_id?: string
}
type Answer = { data: unknown; response: Response }

/** One call without a session, or with the token given. Throws KontorError. */
export function sender({
  base_url,
  fetch,
}: Place): (method: Method, path: string, given: Anything, token?: string) => Promise<Answer> {
  const fetchClient = createFetchClient<paths>({
    baseUrl: apiUrl(base_url),
    ...(fetch === undefined ? {} : { fetch }),
  })

  // One call below for all paths: the types that belong to each were checked at the methods of Client.
  const request = fetchClient.request as unknown as (
    method: Method,
    path: string,
    init: object,
  ) => Promise<{ data?: Envelope | ReadableStream; error?: Envelope | string; response: Response }>

  return async (method, path, given, token) => {
    const { data, error, response } = await request(method, path, {
      params: { path: given.params, query: given.query },
      ...(given.body === undefined ? {} : { body: given.body }),
      ...(given.signal === undefined ? {} : { signal: given.signal }),
      ...(given.accept === undefined ? {} : { parseAs: 'stream' }),
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(given.idempotency_key === undefined
          ? {}
          : { 'idempotency-key': given.idempotency_key }),
        ...(given.accept === undefined ? {} : { accept: given.accept }),
        ...(given.last_event_id === undefined ? {} : { 'last-event-id': given.last_event_id }),
      },
    })
    if (given.accept !== undefined && response.ok)
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
  const send = sender(session)
  let tokens = session.tokens
  let renewing: Promise<void> | undefined

  async function renew(met: KontorError): Promise<void> {
    try {
      if (met.error_code === TOKEN_MISSING) throw met
      const { data } = await send('post', '/auth/refresh', {
        body: { access_token: tokens.access_token, refresh_token: tokens.refresh_token },
      })
      tokens = { ...tokens, access_token: (data as Tokens).access_token }
    } catch (error) {
      if (
        !(error instanceof KontorError) ||
        (error.error_code !== REFRESH_TOKEN_INVALID && error.error_code !== TOKEN_MISSING)
      )
        throw error
      tokens = await session.login_again(error)
    }
    session.renewed?.(tokens)
  }

  async function call(method: Method, path: string, given: Anything = {}): Promise<Answer> {
    const prepared =
      method === 'get' || given.idempotency_key !== undefined
        ? given
        : { ...given, idempotency_key: crypto.randomUUID() }
    const used = tokens.access_token
    try {
      return await send(method, path, prepared, used)
    } catch (error) {
      if (
        !(error instanceof KontorError) ||
        (error.error_code !== TOKEN_EXPIRED && error.error_code !== TOKEN_MISSING)
      )
        throw error
      // Requests that met the same end of a token share one refresh.
      if (used === tokens.access_token)
        await (renewing ??= renew(error).finally(() => {
          renewing = undefined
        }))
      return send(method, path, prepared, tokens.access_token)
    }
  }

  const caller = (method: Method) => async (path: string, given?: Anything) =>
    (await call(method, path, given)).data

  async function page(
    path: string,
    given: Anything = {},
  ): Promise<{ items: unknown; next: string | undefined }> {
    const { data, response } = await call('get', path, given)
    return { items: data, next: nextCursor(response) }
  }

  async function* pages(
    path: string,
    given: Anything = {},
  ): AsyncGenerator<unknown, void, undefined> {
    let query: object | undefined = { limit: String(PAGE_ROWS), ...given.query }
    while (query !== undefined) {
      const { items, next } = await page(path, { ...given, query })
      yield items
      query = next === undefined ? undefined : { ...query, cursor: next }
    }
  }

  return {
    get: caller('get'),
    post: caller('post'),
    put: caller('put'),
    patch: caller('patch'),
    del: caller('delete'),
    page,
    pages,
    open: async (path: string, given: Anything) => (await call('get', path, given)).response,
    logout: async () => {
      await call('post', '/auth/logout')
    },
  } as unknown as Client
}

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
