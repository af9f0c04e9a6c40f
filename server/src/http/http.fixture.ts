/** A server with invented endpoints over a table of things, for the tests of this folder. */
import type { KeyObject } from 'node:crypto'
import pg from 'pg'
import { pino } from 'pino'
import { manualClock } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { sql, statement } from '../store/sql.ts'
import { testDatabase } from '../store/testing.ts'
import type { Certificate, Door, Principal } from './index.ts'
import { inventedEndpoints } from './invented-endpoints.fixture.ts'
import type { Hooks } from './invented-endpoints.fixture.ts'
import type { Limits } from './limits.ts'
import { testServer } from './testing.ts'

const user = (...permissions: string[]): Principal => ({
  workspace: newId<WorkspaceId>(),
  user_id: newId(),
  session_id: newId(),
  permissions: new Set(permissions),
})

/** Each in a workspace of its own. */
export const USERS: Readonly<Record<string, Principal>> = {
  all: user('things.write'),
  other: user('things.write'),
  none: user(),
  wide: user('things.write'),
}

type Settings = {
  request_key?: KeyObject
  drain_ms?: number
  limits?: Partial<Limits>
  door?: Door
  certificate?: Certificate
}

const ALL_RUNS = sql`
  select 1
  from runs`

/**
 * A server whose tokens are the names in USERS, with its own database. `work` is what the POSTs to
 * /runs do, `logged` every line of an error.
 */
export async function fixture({ drain_ms = 10_000, ...settings }: Settings = {}) {
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
    endpoints: inventedEndpoints(db, hooks),
    drain_ms,
    ...settings,
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
