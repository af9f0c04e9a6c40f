/** Invented endpoints over a table of things, for the tests of this folder. */
import pg from 'pg'
import { pino } from 'pino'
import { manualClock } from '../core/clock.ts'
import { ApiError, refuse } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'
import type { Json } from '../core/json.ts'
import type { Db } from '../store/db.ts'
import { sql, statement } from '../store/sql.ts'
import { testDatabase } from '../store/testing.ts'
import {
  closed,
  decimalText,
  endpoint,
  flag,
  id,
  integer,
  listEndpoint,
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
import type { Endpoint, Principal } from './index.ts'
import { testServer } from './testing.ts'

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

export const USERS: Readonly<Record<string, Principal>> = {
  all: {
    workspace: newId<WorkspaceId>(),
    user_id: newId(),
    session_id: newId(),
    permissions: new Set(['things.write']),
  },
  other: {
    workspace: newId<WorkspaceId>(),
    user_id: newId(),
    session_id: newId(),
    permissions: new Set(['things.write']),
  },
  none: {
    workspace: newId<WorkspaceId>(),
    user_id: newId(),
    session_id: newId(),
    permissions: new Set(),
  },
  wide: {
    workspace: newId<WorkspaceId>(),
    user_id: newId(),
    session_id: newId(),
    permissions: new Set(['things.write']),
  },
}

type Hooks = { work(): Promise<void>; read?: (count: number) => Promise<void> | void }

const ECHOES: readonly Endpoint[] = [
  endpoint({
    method: 'POST',
    path: '/echo',
    origin: { ours: 'for this test' },
    tag: 'Test',
    summary: 'Answers what it understood',
    permission: 'authenticated',
    body: echoBody,
    example: { label: 'Rent', amount: '12.50' },
    data: Type.Unsafe<Json>({}),
    effect: 'read',
    handle: async ({ body }) => body as Json,
  }),
  endpoint({
    method: 'PUT',
    path: '/echo',
    origin: { ours: 'for this test' },
    tag: 'Test',
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
    method: 'POST',
    path: '/echo/bodyless',
    origin: { ours: 'for this test' },
    tag: 'Test',
    summary: 'Takes no body',
    permission: 'authenticated',
    data: flag(),
    effect: 'read',
    handle: async () => true,
  }),
  endpoint({
    method: 'GET',
    path: '/echo/:thing_id',
    origin: { ours: 'for this test' },
    tag: 'Test',
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

const DOORS: readonly Endpoint[] = [
  endpoint({
    method: 'GET',
    path: '/guarded',
    origin: { ours: 'for this test' },
    tag: 'Test',
    summary: 'Guarded',
    permission: 'things.write',
    data: flag(),
    effect: 'read',
    handle: async () => true,
  }),
  endpoint({
    method: 'GET',
    path: '/public',
    origin: { ours: 'for this test' },
    tag: 'Test',
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
    method: 'GET',
    path: '/broken',
    origin: { ours: 'for this test' },
    tag: 'Test',
    summary: 'Fails inside',
    permission: 'authenticated',
    data: flag(),
    effect: 'read',
    handle: async () => {
      throw new Error('secret of the house')
    },
  }),
  endpoint({
    method: 'GET',
    path: '/misshapen',
    origin: { ours: 'for this test' },
    tag: 'Test',
    summary: 'Answers against its schema',
    permission: 'authenticated',
    data: closed({ needed: text() }),
    effect: 'read',
    handle: async () => ({}) as never,
  }),
  endpoint({
    method: 'GET',
    path: '/refused',
    origin: { ours: 'for this test' },
    tag: 'Test',
    summary: 'Refuses',
    permission: 'authenticated',
    data: flag(),
    effect: 'read',
    handle: async () => {
      throw refuse('INSUFFICIENT_BALANCE', 'legs[0].quantity', 'not enough')
    },
  }),
  endpoint({
    method: 'GET',
    path: '/venue',
    origin: { ours: 'for this test' },
    tag: 'Test',
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

const ALL_RUNS = sql`
  select 1
  from runs`

function runEndpoints(db: Db, hooks: Hooks): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: '/runs/transaction',
      origin: { ours: 'for this test' },
      tag: 'Test',
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
      method: 'POST',
      path: '/runs/steps',
      origin: { ours: 'for this test' },
      tag: 'Test',
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
  path: '/things',
  origin: { ours: 'for this test' },
  tag: 'Test',
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

/**
 * A server whose tokens are the names in USERS, with its own database. `work` is what the POSTs to
 * /runs do, `logged` every line of an error.
 */
export async function fixture({ drain_ms = 10_000 } = {}) {
  const { db, url, drop } = await testDatabase()
  await createTables(url)
  const clock = manualClock(1_800_000_000_000)
  const logged: Record<string, unknown>[] = []
  const hooks: Hooks = { work: async () => undefined }
  let reads = 0
  // Lists read through this, so that a test can count their queries and let one fail.
  const watched: typeof db = {
    ...db,
    async query<Row>(query: Parameters<typeof db.query>[0]) {
      const { text: read } = statement(query)
      if (read.trimStart().startsWith('select id, label')) await hooks.read?.(++reads)
      return db.query<Row>(query)
    },
  }
  const server = await testServer({
    db: watched,
    clock,
    endpoints: [...ECHOES, ...DOORS, ...FAILURES, ...runEndpoints(db, hooks), THINGS],
    drain_ms,
    log: logInto(logged),
    authenticate(header) {
      const principal = USERS[header?.replace(/^Bearer /, '') ?? '']
      if (principal === undefined) throw new ApiError('MissingToken')
      return principal
    },
  })
  return {
    ...server,
    db,
    clock,
    hooks,
    logged,
    runs: async () => (await db.query(ALL_RUNS)).length,
    async close() {
      await server.close()
      await drop()
    },
  }
}

async function createTables(url: string): Promise<void> {
  const owner = new pg.Client({ connectionString: url })
  await owner.connect()
  await owner.query(`
    create table things (
      workspace uuid,
      id uuid,
      label text,
      amount numeric(38,18),
      note text,
      primary key (workspace, id)
    )`)
  await owner.query('create table runs (id bigint generated always as identity, body jsonb)')
  await owner.query('grant select, insert on things, runs to kontor')
  await owner.end()
}

function logInto(logged: Record<string, unknown>[]) {
  return pino(
    { level: 'error' },
    {
      write: (line: string) => {
        logged.push(JSON.parse(line) as Record<string, unknown>)
      },
    },
  )
}
