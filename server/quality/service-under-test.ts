/**
 * For tests that treat the service as one thing: the whole app over a database of its own, two
 * workspaces, and callers of each. Requests go through the real server without a socket.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { pino } from 'pino'
import type { FastifyInstance } from 'fastify'
import { createUser, createWorkspace, ROLES } from '../src/access/index.ts'
import type { Role } from '../src/access/index.ts'
import { endpointsOf, openApp, serverOf, WORKSPACE_TASKS } from '../src/app.ts'
import type { App } from '../src/app.ts'
import { manualClock } from '../src/core/clock.ts'
import type { ManualClock } from '../src/core/clock.ts'
import type { WorkspaceId } from '../src/core/ids.ts'
import { workerCaller } from '../src/http/index.ts'
import type { Endpoint } from '../src/http/index.ts'
import { applyConfig } from '../src/configuration/index.ts'
import { openBooks, putAsset } from '../src/ledger/index.ts'
import { openRangeVenues, RANGE_CONFIG } from './simulated-venues.ts'
import { join, raw, sql } from '../src/store/sql.ts'
import { testDatabase } from '../src/store/testing.ts'
import { startWorker } from '../src/worker.ts'

export type Method = Endpoint['method'] | 'HEAD' | 'OPTIONS'

export type Sent = {
  method: Method
  url: string
  headers: Record<string, string>
  payload?: string | Buffer | undefined
  address?: string
}

export type Got = { status: number; text: string; type: string; headers: Record<string, unknown> }

export type Side = {
  workspace: WorkspaceId
  /** Access tokens of users with these roles; `all` has every role. */
  tokens: { all: string; READER: string; TRADER: string; ADMIN: string }
  refresh_token: string
  login: { email: string; password: string }
  /** Tokens that open nothing: of a session that was ended, past its hour, and the id token. */
  dead: { ended: string; expired: string; id: string }
  user_ids: readonly string[]
}

export type Range = {
  app: App
  clock: ManualClock
  server: FastifyInstance
  endpoints: Endpoint[]
  ours: Side
  theirs: Side
  send(request: Sent): Promise<Got>
  work(reference: string): Promise<void>
  fingerprint(workspace?: WorkspaceId): Promise<Map<string, string>>
  close(): Promise<void>
}

const PASSWORD = 'correct horse battery'
const HOUR_MILLISECONDS = 3_600_000
/** Domain time of one turn of work: so many turns fit into the hour of a token. */
const STEP_MILLISECONDS = 3_000
const WORK_LIMIT_MILLISECONDS = 60_000
const LOOK_MILLISECONDS = 5
const ASSETS = [
  ['EUR', 2],
  ['USD', 2],
  ['BTC', 8],
  ['ETH', 18],
  ['XRP', 6],
] as const

export async function openRange(): Promise<Range> {
  const { url, drop } = await testDatabase()
  const clock = manualClock(Date.now() - 2 * HOUR_MILLISECONDS)
  const venues = openRangeVenues(clock)
  const app = await openApp({
    url,
    role: 'kontor',
    clock,
    log: pino({ level: 'silent' }),
    maximumConnections: 10,
    adapters: venues.adapters,
  })
  const server = await serverOf(app)
  await server.ready()

  async function send({
    method,
    url: to,
    headers,
    payload,
    address = '127.0.0.1',
  }: Sent): Promise<Got> {
    const reply = await server.inject({
      method,
      url: to,
      headers,
      remoteAddress: address,
      ...(payload === undefined ? {} : { payload }),
    })
    return {
      status: reply.statusCode,
      text: reply.body,
      type: String(reply.headers['content-type'] ?? ''),
      headers: reply.headers,
    }
  }

  async function login(
    email: string,
  ): Promise<{ id_token: string; access_token: string; refresh_token: string }> {
    const answer = await send({
      method: 'POST',
      url: '/api/auth/login',
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify({ email, password: PASSWORD }),
    })
    if (answer.status !== 200) throw new Error(`login answered ${answer.text}`)
    return (JSON.parse(answer.text) as { data: Awaited<ReturnType<typeof login>> }).data
  }

  async function side(name: string): Promise<Side> {
    const mail = (who: string) => `${who}@${name}.example`.toLowerCase()
    const people: Record<string, readonly Role[]> = {
      all: ROLES,
      READER: ['READER'],
      TRADER: ['TRADER'],
      ADMIN: ['ADMIN'],
    }
    const { workspace, user_ids } = await app.db.tx(async (tx) => {
      const { id } = await createWorkspace(tx, clock, { name })
      await openBooks({ workspace: id, by: 'kontor' }, { tx, clock })
      const users = []
      for (const [who, roles] of Object.entries(people))
        users.push(
          await createUser(workerCaller(id, 'test'), tx, clock, {
            email: mail(who),
            roles: [...roles],
            password: PASSWORD,
            must_change_password: false,
          }),
        )
      return { workspace: id, user_ids: users.map((user) => user.id) }
    })
    for (const [code, scale] of ASSETS)
      await putAsset(app.db, workspace, {
        code,
        label: code,
        kind: scale === 2 ? 'FIAT' : 'CRYPTO',
        scale,
        circulating_supply: null,
      })
    // On one side a person decides about assignments.
    await applyConfig({ ...app, workspace_tasks: WORKSPACE_TASKS }, workspace, {
      ...RANGE_CONFIG,
      settings: { compliance: name === 'ours' },
    })
    const ended = (await login(mail('all'))).access_token
    await send({
      method: 'POST',
      url: '/api/auth/logout',
      headers: { authorization: `Bearer ${ended}` },
    })
    const early = await login(mail('all'))
    clock.advance(HOUR_MILLISECONDS + 1)
    const late = await login(mail('all'))
    const of = async (who: string) => (await login(mail(who))).access_token
    return {
      workspace,
      user_ids,
      refresh_token: late.refresh_token,
      login: { email: mail('all'), password: PASSWORD },
      tokens: {
        all: late.access_token,
        READER: await of('READER'),
        TRADER: await of('TRADER'),
        ADMIN: await of('ADMIN'),
      },
      dead: { ended, expired: early.access_token, id: late.id_token },
    }
  }

  /** Time passes, money arrives with this reference, and what is due is worked off. */
  async function work(reference: string): Promise<void> {
    venues.move(reference)
    clock.advance(STEP_MILLISECONDS)
    const worker = await startWorker(app)
    const limit = Date.now() + WORK_LIMIT_MILLISECONDS
    for (;;) {
      worker.wake()
      const [due] = await app.db.query<{ count: number }>(
        sql`
          select count(*) as count
          from tasks
          where due_at <= ${clock.now()}`,
      )
      if (due?.count === 0 || Date.now() > limit) break
      await pause(LOOK_MILLISECONDS)
    }
    await worker.stop()
  }

  /**
   * Per table its rows and the last transaction that wrote one: equal before and after means that
   * nothing was changed.
   */
  async function fingerprint(workspace?: WorkspaceId): Promise<Map<string, string>> {
    const tables = await app.db.query<{ name: string; owned: boolean }>(sql`
      select tablename as name,
        exists (
          select
          from information_schema.columns
          where table_schema = 'public'
            and table_name = tablename
            and column_name = 'workspace'
        ) as owned
      from pg_tables
      where schemaname = 'public'
        and tablename not in ('schema_migrations', 'price_mids')
      order by 1`)
    const each = tables
      .filter(({ owned }) => workspace === undefined || owned)
      .map(
        ({ name }) =>
          sql`
            select ${name}::text as name,
              count(*) || ' ' || coalesce(max(xmin::text::bigint), 0) as state
            from ${raw(name)}
            where ${workspace === undefined ? sql`true` : sql`workspace = ${workspace}`}`,
      )
    return new Map(
      (await app.db.query<{ name: string; state: string }>(join(each, ' union all '))).map(
        (row) => [row.name, row.state],
      ),
    )
  }

  const theirs = await side('theirs')
  const ours = await side('ours')
  // The hour that passed on our side passed on theirs too.
  const renewed = {
    all: (await login('all@theirs.example')).access_token,
    READER: (await login('reader@theirs.example')).access_token,
    TRADER: (await login('trader@theirs.example')).access_token,
    ADMIN: (await login('admin@theirs.example')).access_token,
  }
  await work('nothing')
  await app.followPrices()
  return {
    app,
    clock,
    server,
    work,
    fingerprint,
    ours,
    theirs: { ...theirs, tokens: renewed },
    send,
    // A stream has no end to wait for.
    endpoints: endpointsOf(app).filter((endpoint) => endpoint.effect !== 'stream'),
    async close() {
      await server.close()
      await app.close()
      await drop()
    },
  }
}
