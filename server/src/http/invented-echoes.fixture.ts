/** Invented endpoints that answer what they understood. */
import type { Json } from '../core/json.ts'
import {
  closed,
  endpoint,
  flag,
  id,
  integer,
  notNegativeText,
  nullable,
  optional,
  optionalBlank,
  positiveText,
  queryFlag,
  queryId,
  queryTime,
  queryOneOf,
  READ_ONLY_FIELDS,
  requiredText,
  text,
  Type,
} from './index.ts'
import type { Endpoint } from './index.ts'

export const ours = { origin: { ours: 'for this test' }, tag: 'Overview' } as const

const echoBody = closed(
  {
    label: requiredText(20),
    amount: positiveText(),
    fee: optional(notNegativeText()),
    note: optional(text(50)),
    nullable_note: optional(nullable(text(50))),
    parent_id: optionalBlank(id()),
    tags: optional(Type.Array(text(10), { maxItems: 3, uniqueItems: true })),
    inner: optional(
      closed({ limit: notNegativeText(), note: optional(text(5)), count: integer(1, 5) }),
    ),
  },
  { title: 'Echo' },
)

export const ECHOES: readonly Endpoint[] = [
  endpoint({
    ...ours,
    method: 'POST',
    operation_id: 'doEcho',
    path: '/echo',
    summary: 'Answers what it understood',
    permission: 'authenticated',
    body: echoBody,
    example: { label: 'Rent', amount: '12.50' },
    data: Type.Unsafe<Json>({}),
    effect: 'read',
    handle: async ({ body }) => body as Json,
  }),
  endpoint({
    ...ours,
    method: 'PUT',
    operation_id: 'putEcho',
    path: '/echo',
    summary: 'Takes a whole record back',
    permission: 'authenticated',
    body: closed(
      { id: id(), label: text(), version: optional(integer(1, 100)) },
      { title: 'EchoChange', 'x-read-only': READ_ONLY_FIELDS },
    ),
    example: { id: '01a1fc75-ea2a-7589-aa8f-000000000001', label: 'Rent' },
    data: Type.Unsafe<Json>({}),
    effect: 'read',
    handle: async ({ body }) => body,
  }),
  endpoint({
    ...ours,
    method: 'POST',
    operation_id: 'doEchoBodyless',
    path: '/echo/bodyless',
    summary: 'Takes no body',
    permission: 'authenticated',
    data: flag(),
    effect: 'read',
    handle: async () => true,
  }),
  endpoint({
    ...ours,
    method: 'GET',
    operation_id: 'getEchoThingId',
    path: '/echo/:thing_id',
    summary: 'Path and query',
    permission: 'authenticated',
    params: closed({ thing_id: id() }),
    query: closed({
      from: queryTime(),
      flag: queryFlag(),
      state: queryOneOf(['OPEN', 'DONE']),
      other_id: queryId(),
    }),
    data: Type.Unsafe<Json>({}),
    effect: 'read',
    handle: async ({ params, query }) => ({ ...params, ...query }),
  }),
]

export const PUBLIC_ECHO = endpoint({
  ...ours,
  method: 'POST',
  operation_id: 'doPublicEcho',
  path: '/public/echo',
  summary: 'Takes a body from anybody',
  permission: 'public',
  body: echoBody,
  example: { label: 'Rent', amount: '12.50' },
  data: Type.Unsafe<Json>({}),
  effect: 'read',
  handle: async ({ body }) => body as Json,
})
