/**
 * A typed client of Kontor.
 *
 *     const kontor = await connect({ base_url: 'http://localhost:4000', email, password })
 *     const accounts = await kontor.get('/accounts')
 *     for await (const bookings of kontor.pages('/bookings')) …
 *
 * It logs in, refreshes an expired access token (and logs in again when the session has run out), gives every write an
 * Idempotency-Key, and throws KontorError for what the service refuses.
 */
import createFetchClient from 'openapi-fetch'
import { KontorError } from './errors.ts'
import type { ErrorDetail } from './errors.ts'
import type { paths } from './generated.ts'
import type { DataOf, ListPath, Method, PathOf, Rest } from './types.ts'

export { KontorError } from './errors.ts'
export type { ErrorDetail } from './errors.ts'
export type { components, paths } from './generated.ts'
export type { DataOf, ListPath, Method, PathOf, RequestOf } from './types.ts'

const TOKEN_EXPIRED = 1005
const REFRESH_TOKEN_INVALID = 1006
const PAGE_ROWS = 1000

export type Options = {
  /** Address of the service, e.g. http://localhost:4000; with or without /api. */
  base_url: string
  email: string
  password: string
  /** Instead of the global one. */
  fetch?: (request: Request) => Promise<Response>
}

export type Client = {
  get<P extends PathOf<'get'>>(path: P, ...rest: Rest<'get', P>): Promise<DataOf<'get', P>>
  post<P extends PathOf<'post'>>(path: P, ...rest: Rest<'post', P>): Promise<DataOf<'post', P>>
  put<P extends PathOf<'put'>>(path: P, ...rest: Rest<'put', P>): Promise<DataOf<'put', P>>
  patch<P extends PathOf<'patch'>>(path: P, ...rest: Rest<'patch', P>): Promise<DataOf<'patch', P>>
  del<P extends PathOf<'delete'>>(path: P, ...rest: Rest<'delete', P>): Promise<DataOf<'delete', P>>
  /** A list page by page, newest first. `query.limit` is the size of a page. */
  pages<P extends ListPath>(path: P, ...rest: Rest<'get', P>): AsyncGenerator<DataOf<'get', P>, void, undefined>
  /** Ends the session. */
  logout(): Promise<void>
}

type Tokens = { access_token: string; refresh_token: string }
type Envelope = { success: boolean; data?: unknown; error_code?: number; error_message?: string; error_description?: string; error_details?: ErrorDetail[]; request_id?: string }
type Anything = { params?: object; query?: object; body?: unknown; idempotency_key?: string; signal?: AbortSignal }

/** Logs in. Throws KontorError: 3002 wrong address or password, 1004 when the password must be changed first. */
export async function connect(options: Options): Promise<Client> {
  const fetchClient = createFetchClient<paths>({ baseUrl: apiUrl(options.base_url), ...(options.fetch === undefined ? {} : { fetch: options.fetch }) })

  // One call below for all paths: the types that belong to each were checked at the methods of Client.
  const request = fetchClient.request as unknown as (method: Method, path: string, init: object) => Promise<{ data?: Envelope; error?: Envelope | string; response: Response }>

  async function send(method: Method, path: string, given: Anything, token?: string): Promise<{ data: unknown; response: Response }> {
    const { data, error, response } = await request(method, path, {
      params: { path: given.params, query: given.query },
      ...(given.body === undefined ? {} : { body: given.body }),
      ...(given.signal === undefined ? {} : { signal: given.signal }),
      headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...(given.idempotency_key === undefined ? {} : { 'idempotency-key': given.idempotency_key }) },
    })
    if (data?.success === true) return { data: data.data, response }
    const after = Number(response.headers.get('retry-after') ?? Number.NaN)
    throw new KontorError(response.status, typeof error === 'object' ? error : data ?? {}, Number.isNaN(after) ? undefined : after)
  }

  const login = async () => (await send('post', '/auth/login', { body: { email: options.email, password: options.password } })).data as Tokens

  let tokens = await login()
  let renewing: Promise<void> | undefined

  async function renew(): Promise<void> {
    try {
      const { data } = await send('post', '/auth/refresh', { body: { access_token: tokens.access_token, refresh_token: tokens.refresh_token } })
      tokens = { ...tokens, access_token: (data as Tokens).access_token }
    } catch (error) {
      if (!(error instanceof KontorError) || error.error_code !== REFRESH_TOKEN_INVALID) throw error
      tokens = await login()
    }
  }

  async function call(method: Method, path: string, given: Anything = {}): Promise<{ data: unknown; response: Response }> {
    const prepared = method === 'get' || given.idempotency_key !== undefined ? given : { ...given, idempotency_key: crypto.randomUUID() }
    const used = tokens.access_token
    try {
      return await send(method, path, prepared, used)
    } catch (error) {
      if (!(error instanceof KontorError) || error.error_code !== TOKEN_EXPIRED) throw error
      // Requests that met the same expiry share one refresh.
      if (used === tokens.access_token) await (renewing ??= renew().finally(() => { renewing = undefined }))
      return send(method, path, prepared, tokens.access_token)
    }
  }

  const caller = (method: Method) => async (path: string, given?: Anything) => (await call(method, path, given)).data

  async function* pages(path: string, given: Anything = {}): AsyncGenerator<unknown, void, undefined> {
    let query: object | undefined = { limit: String(PAGE_ROWS), ...given.query }
    while (query !== undefined) {
      const { data, response } = await call('get', path, { ...given, query })
      yield data
      const cursor = nextCursor(response)
      query = cursor === undefined ? undefined : { ...query, cursor }
    }
  }

  return {
    get: caller('get'), post: caller('post'), put: caller('put'), patch: caller('patch'), del: caller('delete'), pages,
    logout: async () => { await call('post', '/auth/logout') },
  } as unknown as Client
}

function apiUrl(base: string): string {
  const plain = base.replace(/\/+$/, '')
  return plain.endsWith('/api') ? plain : `${plain}/api`
}

function nextCursor(response: Response): string | undefined {
  const next = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
  return next === undefined ? undefined : new URL(next, 'http://kontor').searchParams.get('cursor') ?? undefined
}
