/**
 * An endpoint as data: one declaration gives validation, types, serialisation, OpenAPI and the
 * client. Modules export arrays of endpoints; `buildServer` (server.ts) registers them.
 *
 * `effect` says how the work is done, and so where a repeat of the request is recognised:
 * - `read`: changes nothing;
 * - `transaction`: one ordinary transaction, handed in;
 * - `lane`: one change through the ledger's lane, which carries `call.idempotency`;
 * - `own`: one commit of the handler's own for what it has prepared outside; it carries
 *   `call.idempotency`;
 * - `venue`: intent → commit → call → record, by the handler's own steps, which may be taken again
 *   when no answer was stored;
 * - `list`: changes nothing and answers rows (`listEndpoint`);
 * - `file`: changes nothing and answers the bytes of a file (`fileEndpoint`);
 * - `stream`: changes nothing and reports what happens until the caller leaves (server-sent
 *   events).
 */
import { closed, Type } from './shapes.ts'
import { queryTag } from './query.ts'
import { tagCondition } from './tag-filter.ts'
import { assert } from '../core/assert.ts'
import type { Static, TObject, TSchema } from './shapes.ts'
import type { Json } from '../core/json.ts'
import type { Query } from '../store/sql.ts'
import type { ErrorName } from '../core/errors.ts'
import type { Tx } from '../store/db.ts'
import type { Caller, Idempotency, Principal, Source } from './caller.ts'
import type { Tag } from './openapi/tags.ts'

export type Call<P, Q, B> = {
  params: P
  query: Q
  body: B
  principal: Principal
  /** What a use case takes first. */
  caller: Caller
  /** Of the request's Idempotency-Key, for the lane. */
  idempotency: Idempotency | undefined
  request_id: string
  headers: Readonly<Record<string, string | string[] | undefined>>
  source: Source
  /** The caller came over HTTPS, to us or to a proxy that we trust. */
  https: boolean
  /** Sends a Set-Cookie header with this value. */
  setCookie(value: string): void
  /** The body byte by byte as it was sent, where a signature is checked over it. */
  sent: Buffer | undefined
}

/** `public`: no token. `authenticated`: any token. Otherwise the permission the caller needs. */
type Access = string

/** The interface specification has it, or we have it for this reason. */
type Origin = 'SPECIFIED' | { ours: string }

type Shape<S> = S extends TSchema ? Static<S> : undefined

/** By what the rows of a list are ordered, and so what its cursors look like. */
export type ListOrder = 'id' | 'sequence' | 'id and text' | 'sequence and text'

/** What an endpoint does for a call of somebody who was let in, and what stands around it. */
export type AnyCall = Call<unknown, unknown, unknown>
export type Work = (call: AnyCall) => Promise<Json> | Json
type Around = (call: AnyCall, work: Work) => Promise<Json> | Json

type Common<P, Q, B> = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** What generated clients call it: a verb and what it is done to. It never changes. */
  operation_id: string
  /** Relative to /api. */
  path: string
  origin: Origin
  tag: Tag
  summary: string
  description?: string
  permission: Access
  params?: P
  query?: Q
  body?: B
  /** Answers of its own, beside those that every endpoint has. */
  errors?: readonly ErrorName[]
  /** A user with a second factor must have shown it lately (CONFIRMED_MILLISECONDS). */
  confirmed?: true
  /** Also for a user who must set up a second factor first. */
  enrolling?: true
  /** Requests per minute and address; no limit when absent. */
  rate_limit?: number
  /** What a read costs that is no list, in rows of a list (bulk-reads.ts); free when absent. */
  read_cost?: number
  /** Why what it does has no entry in the audit trail; that it was refused has one. */
  unrecorded?: string
  /** It answers personal data, so that who reads it stands in the audit trail. */
  personal?: true
  /** What is done before its work and after, such as asking the policy; throws what refuses it. */
  around?: Around
  /** How large a body may be, where its schema does not say it. */
  body_bytes?: number
  /** It takes forms (application/x-www-form-urlencoded) too, where a standard prescribes them. */
  form?: true
  /** Of an endpoint that reads: its answer as a paper, for who accepts that (paper.ts). */
  papers?: Papers
}

/** `rows`: those that were read beyond what the endpoint costs by itself. */
export type PaperAnswer = { name: string; rows: number; pieces: AsyncIterable<Buffer> }
/** `data`: what the endpoint answers; of a list what it reads. Throws what refuses the request. */
export type PaperOf = (call: Call<never, never, never>, data: unknown) => Promise<PaperAnswer>
export type Papers = { pdf?: PaperOf; xml?: PaperOf; csv?: PaperOf }

/** A value as a caller writes it: ids are plain text, words and numbers any. */
type Written<T> = [Json] extends [T]
  ? T
  : T extends string
    ? string
    : T extends number
      ? number
      : T extends object
        ? { [K in keyof T]: Written<T[K]> }
        : T

/** Whoever takes a body shows one, and a test checks it against its schema. */
type Exemplified<B> = B extends TSchema ? { example: Written<Static<B>> } : { example?: undefined }

export type Endpoint = Common<TObject | undefined, TObject | undefined, TSchema | undefined> & {
  example?: unknown
  data: TSchema
} & (
    | {
        effect: 'read' | 'lane' | 'own' | 'venue'
        handle(call: Call<never, never, never>): unknown
      }
    | { effect: 'transaction'; handle(call: Call<never, never, never>, tx: Tx): Promise<unknown> }
    | {
        effect: 'list'
        ordered_by?: ListOrder
        list(call: Call<never, never, never>): Promise<ListQuery<Json>> | ListQuery<Json>
      }
    | {
        effect: 'file'
        pictures?: readonly string[]
        file(call: Call<never, never, never>): Promise<FileAnswer>
      }
    | {
        effect: 'stream'
        stream(
          call: Call<never, never, never>,
          leaving: AbortSignal,
        ): AsyncIterable<readonly Message[]>
      }
  )

/**
 * Declares an endpoint; the handler's types follow from the schemas. An answer that is frozen may
 * be given to many callers, and is turned into text once.
 */
export function endpoint<
  D extends TSchema,
  P extends TObject | undefined = undefined,
  Q extends TObject | undefined = undefined,
  B extends TSchema | undefined = undefined,
>(
  declaration: Common<P, Q, B> &
    Exemplified<B> & { data: D } & (
      | {
          effect: 'read' | 'lane' | 'own' | 'venue'
          handle(call: Call<Shape<P>, Shape<Q>, Shape<B>>): Promise<Static<D>> | Static<D>
        }
      | {
          effect: 'transaction'
          handle(call: Call<Shape<P>, Shape<Q>, Shape<B>>, tx: Tx): Promise<Static<D>>
        }
    ),
): Endpoint {
  return declaration as unknown as Endpoint
}

/**
 * What a list reads. `key` names the one column that orders it, newest first unless it says
 * otherwise. The column is unique within the result (an id or a sequence), and an index serves it
 * together with the conditions. With `second`, several rows may have the same key: this column of
 * text orders them, in the same direction.
 */
export type ListQuery<Item> = {
  /** `select … from …` without `where`. */
  select: Query
  /**
   * More of them, with the same columns. Each is read by itself, in the order of the list and up to
   * its limit; then the rows are merged.
   */
  merged?: readonly Query[]
  conditions: Query[]
  key: { column: string; type: 'uuid' | 'bigint'; order?: 'oldest first'; second?: string }
  /** Turns a row into the item; the row itself when absent. */
  item?(row: never): Item
  /** Fetches what belongs to a chunk of rows in one go (legs of bookings). */
  enrich?(rows: never[]): Promise<Item[]>
  /** Lines before the first row and after the last, beyond the limit of a page. */
  head?(): Promise<Item[]>
  tail?(): Promise<Item[]>
}

/**
 * Declares a list, filtered by `query`; paging, streaming and CSV come by themselves. `data` is the
 * item.
 */
export function listEndpoint<
  D extends TSchema,
  P extends TObject | undefined = undefined,
  Q extends TObject | undefined = undefined,
>(
  declaration: Omit<Common<P, Q, undefined>, 'method' | 'body'> & {
    data: D
    /** `id` when absent. */
    ordered_by?: ListOrder
    /** What notes call its records, which are then filtered by tag; some lists do it themselves. */
    tagged?: string
    list(
      call: Call<Shape<P>, Shape<Q>, undefined>,
    ): Promise<ListQuery<Static<D>>> | ListQuery<Static<D>>
  },
): Endpoint {
  const listed = { method: 'GET', effect: 'list', ...declaration } as unknown as Endpoint
  return declaration.tagged === undefined ? listed : withTagFilter(listed, declaration.tagged)
}

function withTagFilter(endpoint: Endpoint, kind: string): Endpoint {
  assert(endpoint.effect === 'list', `${endpoint.operation_id} is a list`)
  const { list, query } = endpoint
  return {
    ...endpoint,
    query: closed({ ...query?.properties, tag: queryTag() }),
    list: async (call: Call<never, { tag?: string }, never>) => {
      const listed = await list(call as never)
      const of = { workspace: call.principal.workspace, kind, id: listed.key.column }
      return { ...listed, conditions: [...listed.conditions, ...tagCondition(of, call.query.tag)] }
    },
  }
}

/**
 * A file as it is handed out: as a download, whatever stands in it. `picture`: the type of one that
 * was looked into and may be shown.
 */
export type FileAnswer = { name: string; content: Buffer; picture?: string }

/** Declares a download. */
export function fileEndpoint<P extends TObject | undefined = undefined>(
  declaration: Omit<Common<P, undefined, undefined>, 'method' | 'body' | 'query'> & {
    /** The types of its pictures, where it answers nothing else. */
    pictures?: readonly string[]
    file(call: Call<Shape<P>, undefined, undefined>): Promise<FileAnswer>
  },
): Endpoint {
  const data = Type.String({ title: 'File', format: 'binary' })
  return { method: 'GET', effect: 'file', data, ...declaration } as unknown as Endpoint
}

/**
 * One message of a stream; `data` is sent as JSON. The next stream begins after the `id` that a
 * caller names in Last-Event-ID.
 */
export type Message = { id: string; event: string; data: Json }

/**
 * Declares a stream of server-sent events. `stream` is read on only when the caller has
 * taken what it had. It yields nothing ([]) now and then as a sign of life, and ends by itself once
 * `leaving` is aborted.
 */
export function streamEndpoint<D extends TSchema, Q extends TObject | undefined = undefined>(
  declaration: Omit<Common<undefined, Q, undefined>, 'method' | 'body' | 'params'> & {
    data: D
    stream(
      call: Call<undefined, Shape<Q>, undefined>,
      leaving: AbortSignal,
    ): AsyncIterable<readonly Message[]>
  },
): Endpoint {
  return { method: 'GET', effect: 'stream', ...declaration } as unknown as Endpoint
}
