/** Requests and answers of each path, read from the generated types. */
import type { paths } from './generated.ts'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** The paths that have this method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends { [method in M]: { responses: unknown } } ? P : never
}[keyof paths]

type Operation<M extends Method, P extends keyof paths> = paths[P] extends {
  [method in M]: infer O
}
  ? O
  : never

type ParamsOf<O> = O extends { parameters: { path: infer T } } ? { params: T } : { params?: never }
/** A parameter as it is meant, or as it stands in an address: a list with commas. */
type Written<T> = T extends boolean
  ? T | `${T}`
  : T extends number
    ? T | string
    : T extends readonly (infer Item)[]
      ? readonly Item[] | string
      : T
type Query<T> = { [Name in keyof T]: Written<T[Name]> }
type QueryOf<O> = O extends { parameters: { query: infer T } }
  ? { query: Query<T> }
  : O extends { parameters: { query?: infer T } }
    ? { query?: Query<Exclude<T, undefined>> }
    : { query?: never }
type BodyOf<O> = O extends { requestBody: { content: { 'application/json': infer T } } }
  ? { body: T }
  : { body?: never }

export type RequestOf<M extends Method, P extends keyof paths> = ParamsOf<Operation<M, P>> &
  QueryOf<Operation<M, P>> &
  BodyOf<Operation<M, P>> & {
    /**
     * Of a write; made when absent. Send the same key to repeat a request whose answer was lost.
     */
    idempotency_key?: string
    signal?: AbortSignal
    /** For each attempt; that of the client when absent, and 0 for no end. */
    timeout_ms?: number
    /** Those of the client when absent. */
    retries?: number
  }

/** The request may be left out where nothing in it is required. */
export type Rest<M extends Method, P extends keyof paths> =
  Record<never, never> extends RequestOf<M, P>
    ? [request?: RequestOf<M, P>]
    : [request: RequestOf<M, P>]

/** The `data` of the answer's envelope. */
export type DataOf<M extends Method, P extends keyof paths> =
  Operation<M, P> extends {
    responses: { 200: { content: { 'application/json': { data: infer D } } } }
  }
    ? D
    : never

/** What a path answers beside JSON: CSV, or a stream of events. */
export type AcceptOf<P extends PathOf<'get'>> =
  Operation<'get', P> extends { responses: { 200: { content: infer C } } }
    ? Exclude<keyof C, 'application/json'>
    : never

/** Paths whose answer is a paged list. */
export type ListPath = {
  [P in PathOf<'get'>]: Operation<'get', P> extends { parameters: { query?: { cursor?: string } } }
    ? P
    : never
}[PathOf<'get'>]

/** One row of a list. */
export type RowOf<P extends ListPath> =
  DataOf<'get', P> extends readonly (infer Row)[] ? Row : never
