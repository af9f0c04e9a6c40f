/**
 * Invented endpoints for the tests of this folder: some answer what they understood, some fail,
 * some write a row, and one lists things.
 */
import { ApiError, refuse } from '../core/errors.ts'
import type { Json } from '../core/json.ts'
import type { Db } from '../store/db.ts'
import { sql } from '../store/sql.ts'
import {
  closed,
  decimalText,
  endpoint,
  flag,
  id,
  listEndpoint,
  nullable,
  streamEndpoint,
  text,
  Type,
} from './index.ts'
import type { Endpoint } from './index.ts'
import { ECHOES, ours, PUBLIC_ECHO } from './invented-echoes.fixture.ts'

/** `work` is what the POSTs to /runs do, `read` what happens before a list is read. */
export type Hooks = { work(): Promise<void>; read?: (count: number) => Promise<void> | void }

const thing = closed(
  {
    id: id(),
    label: text(),
    amount: decimalText(),
    note: nullable(text()),
    details: closed({ color: nullable(text()) }),
  },
  { title: 'Thing' },
)

const DOORS: readonly Endpoint[] = [
  endpoint({
    ...ours,
    method: 'GET',
    operation_id: 'getGuarded',
    path: '/guarded',
    summary: 'Guarded',
    permission: 'things.write',
    data: flag(),
    effect: 'read',
    handle: async () => true,
  }),
  endpoint({
    ...ours,
    method: 'GET',
    operation_id: 'getPublic',
    path: '/public',
    summary: 'Public, three a minute',
    permission: 'public',
    rate_limit: 3,
    data: flag(),
    effect: 'read',
    handle: async () => true,
  }),
]

const FAILURES: readonly Endpoint[] = [
  endpoint({
    ...ours,
    method: 'GET',
    operation_id: 'getBroken',
    path: '/broken',
    summary: 'Fails inside',
    permission: 'authenticated',
    data: flag(),
    effect: 'read',
    handle: async () => {
      throw new Error('secret of the house')
    },
  }),
  endpoint({
    ...ours,
    method: 'GET',
    operation_id: 'getMisshapen',
    path: '/misshapen',
    summary: 'Answers against its schema',
    permission: 'authenticated',
    data: closed({ needed: text() }),
    effect: 'read',
    handle: async () => ({}) as never,
  }),
  endpoint({
    ...ours,
    method: 'GET',
    operation_id: 'getRefused',
    path: '/refused',
    summary: 'Refuses',
    permission: 'authenticated',
    data: flag(),
    effect: 'read',
    handle: async () => {
      throw refuse('INSUFFICIENT_BALANCE', 'legs[0].quantity', 'not enough')
    },
  }),
  endpoint({
    ...ours,
    method: 'GET',
    operation_id: 'getVenue',
    path: '/venue',
    summary: 'Needs a venue that is down',
    permission: 'authenticated',
    data: flag(),
    effect: 'read',
    handle: async () => {
      throw new ApiError('VenueUnreachable', 'the bank does not answer')
    },
  }),
]

const insertRun = (body: Json) => sql`
  insert into runs (body)
  values (${JSON.stringify(body)}::jsonb)
  returning id`

function runEndpoints(db: Db, hooks: Hooks): Endpoint[] {
  return [
    endpoint({
      ...ours,
      method: 'POST',
      operation_id: 'doRunsTransaction',
      path: '/runs/transaction',
      summary: 'In one transaction',
      permission: 'things.write',
      body: closed({ label: text() }),
      example: { label: 'Rent' },
      data: closed({ run: Type.Integer(), label: text() }),
      effect: 'transaction',
      async handle({ body }, tx) {
        const [row] = await tx.query<{ id: number }>(insertRun(body))
        await hooks.work()
        return { run: row?.id ?? 0, label: body.label }
      },
    }),
    endpoint({
      ...ours,
      method: 'POST',
      operation_id: 'doRunsSteps',
      path: '/runs/steps',
      summary: 'In steps',
      permission: 'things.write',
      body: closed({ label: text() }),
      example: { label: 'Rent' },
      data: closed({ run: Type.Integer(), label: text() }),
      effect: 'venue',
      async handle({ body }) {
        const [row] = await db.query<{ id: number }>(insertRun(body))
        await hooks.work()
        return { run: row?.id ?? 0, label: body.label }
      },
    }),
  ]
}

const THINGS = listEndpoint({
  ...ours,
  operation_id: 'getThings',
  path: '/things',
  summary: 'Things',
  permission: 'things.write',
  query: closed({ label: Type.Optional(text()) }),
  data: thing,
  list: ({ principal, query }) => ({
    select: sql`
      select id, label, amount, note
      from things`,
    conditions: [
      sql`workspace = ${principal.workspace}`,
      ...(query.label === undefined ? [] : [sql`label = ${query.label}`]),
    ],
    key: { column: 'id', type: 'uuid' },
    item: (row: { id: string; label: string; amount: string; note: string | null }) => ({
      ...row,
      details: { color: row.note === null ? null : 'red' },
    }),
  }),
})

const QUIET_STREAM = streamEndpoint({
  ...ours,
  operation_id: 'getQuiet',
  path: '/quiet',
  summary: 'Says nothing until the caller leaves',
  permission: 'authenticated',
  data: thing,
  async *stream(_call, leaving) {
    await new Promise((resolve) => {
      leaving.addEventListener('abort', resolve)
    })
    yield []
  },
})

/** All of them. */
export const inventedEndpoints = (db: Db, hooks: Hooks): readonly Endpoint[] => [
  ...ECHOES,
  ...DOORS,
  PUBLIC_ECHO,
  ...FAILURES,
  ...runEndpoints(db, hooks),
  THINGS,
  QUIET_STREAM,
]
