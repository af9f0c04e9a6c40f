/**
 * Calls with an API key or the tokens of a session. Expired tokens are renewed, every write gets an
 * Idempotency-Key, and what fails for the moment is repeated with the same key.
 */
import { KontorError } from './errors.ts'
import { follow } from './events.ts'
import type { Event, Following } from './events.ts'
import { patiently } from './patience.ts'
import type { Patience } from './patience.ts'
import { sender } from './send.ts'
import type { Answer, AnyRequest, Send, ServiceAddress } from './send.ts'
import { byKey, SessionTokens } from './tokens.ts'
import type { Authorization, Session } from './tokens.ts'
import type { AcceptOf, DataOf, ListPath, Method, PathOf, Rest, RowOf } from './types.ts'

const PAGE_ROWS = 1000

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
  /** Every row of a list, newest first. `query.limit` is how many are read at once. */
  all<P extends ListPath>(
    path: P,
    ...rest: Rest<'get', P>
  ): AsyncGenerator<RowOf<P>, void, undefined>
  /**
   * What happens, as it happens. A stream that is cut is taken up after the last event that
   * arrived: none is missed, and none comes twice. Store `sequence`, and begin `after` it.
   */
  events(following?: Following): AsyncGenerator<Event, void, undefined>
  /** The plain response, where it is not JSON: CSV (`accept: 'text/csv'`), the event stream. */
  open<P extends PathOf<'get'>>(path: P, request: Opening<P>): Promise<Response>
  /** Ends the session. */
  logout(): Promise<void>
}

type Opening<P extends PathOf<'get'>> = (Rest<'get', P>[0] & object) & {
  accept: AcceptOf<P>
  last_event_id?: string
}

export type Opened = ServiceAddress & Patience & (Session | { api_key: string })

export function openClient(opened: Opened): Client {
  const caller = new Caller(opened)
  const call = caller.call.bind(caller)
  const method = (name: Method) => async (path: string, request?: AnyRequest) =>
    (await call(name, path, request)).data

  async function page(
    path: string,
    request: AnyRequest = {},
  ): Promise<{ items: unknown[]; next: string | undefined }> {
    const { data, response } = await call('get', path, request)
    return { items: data as unknown[], next: nextCursor(response) }
  }

  async function* pages(
    path: string,
    request: AnyRequest = {},
  ): AsyncGenerator<unknown[], void, undefined> {
    let query: object | undefined = { limit: PAGE_ROWS, ...request.query }
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
    async *all(path: string, request?: AnyRequest) {
      for await (const items of pages(path, request)) yield* items
    },
    events: (following: Following = {}) =>
      follow((path, request) => call('get', path, request), opened, following),
    open: async (path: string, request: AnyRequest) => (await call('get', path, request)).response,
    logout: async () => {
      await call('post', '/auth/logout')
    },
  } as unknown as Client
}

class Caller {
  readonly #authorization: Authorization
  readonly #send: Send
  readonly #patience: Patience
  readonly #secondFactor: Session['second_factor']

  constructor(opened: Opened) {
    const send = sender(opened)
    this.#send = send
    this.#patience = opened
    this.#secondFactor = 'api_key' in opened ? undefined : opened.second_factor
    // A refresh may be repeated; it is no write that a key would have to protect.
    const persistent: Send = (...call) => patiently(() => send(...call), opened)
    this.#authorization =
      'api_key' in opened ? byKey(opened.api_key) : new SessionTokens(opened, persistent)
  }

  async call(method: Method, path: string, request: AnyRequest = {}): Promise<Answer> {
    const prepared =
      method === 'get' || request.idempotency_key !== undefined
        ? request
        : { ...request, idempotency_key: crypto.randomUUID() }
    const { retries = this.#patience.retries } = request
    return patiently(
      () => this.#authorized(method, path, prepared),
      { ...this.#patience, ...(retries === undefined ? {} : { retries }) },
      request.signal,
    )
  }

  async #authorized(method: Method, path: string, request: AnyRequest): Promise<Answer> {
    const used = await this.#authorization.token()
    try {
      return await this.#send(method, path, request, used)
    } catch (error) {
      if (!(error instanceof KontorError)) throw error
      if (error.is('ConfirmationRequired') || error.is('SecondFactorMissing')) {
        if ((await this.#secondFactor?.(error)) !== true) throw error
        return this.#send(method, path, request, await this.#authorization.token())
      }
      if (error.status !== 401) throw error
      if (!(await this.#authorization.renew(used, error))) throw error
      return this.#send(method, path, request, await this.#authorization.token())
    }
  }
}

/** From the Link header of a page. */
export function nextCursor(response: Response): string | undefined {
  const next = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
  return next === undefined
    ? undefined
    : (new URL(next, 'http://kontor').searchParams.get('cursor') ?? undefined)
}
