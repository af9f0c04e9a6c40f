/**
 * For tests that treat the service as one thing: the whole app over a database of its own, two
 * workspaces, and callers of each. Requests go through the real server without a socket.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pino } from 'pino'
import type { FastifyInstance } from 'fastify'
import { createUser, createWorkspace, ROLES } from '../src/access/index.ts'
import type { Role } from '../src/access/index.ts'
import { openApp, WORKSPACE_TASKS } from '../src/app.ts'
import { endpointsOf, serverOf } from '../src/server.ts'
import type { App } from '../src/app.ts'
import { manualClock } from '../src/core/clock.ts'
import type { ManualClock } from '../src/core/clock.ts'
import type { WorkspaceId } from '../src/core/ids.ts'
import { workerCaller } from '../src/http/index.ts'
import type { Endpoint } from '../src/http/index.ts'
import { applyConfig } from '../src/configuration/index.ts'
import { openBooks, putAsset } from '../src/ledger/index.ts'
import { sql } from '../src/store/sql.ts'
import { testDatabase } from '../src/store/testing.ts'
import { signInRulesFrom } from '../src/access/index.ts'
import { targetRulesFrom } from '../src/webhooks/index.ts'
import { startWorker } from '../src/worker.ts'
import { SIMULATED_CONFIG } from './simulated/config.ts'
import { SimulatedVenues } from './simulated/venues.ts'
import { fingerprint } from './fingerprint.ts'

export type Method = Endpoint['method'] | 'HEAD' | 'OPTIONS'

export type HttpRequest = {
  method: Method
  url: string
  headers: Record<string, string>
  payload?: string | Buffer | undefined
  address?: string
}

export type HttpAnswer = {
  status: number
  text: string
  type: string
  headers: Record<string, unknown>
}

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

export type ServiceUnderTest = {
  app: App
  clock: ManualClock
  server: FastifyInstance
  endpoints: Endpoint[]
  ours: Side
  theirs: Side
  send(request: HttpRequest): Promise<HttpAnswer>
  /** Time passes, money arrives with this reference, and what is due is worked off. */
  work(reference: string): Promise<void>
  /**
   * Per table its rows and the last transaction that wrote one: equal before and after means that
   * nothing was changed. Without what is written a while after the request that caused it.
   */
  fingerprint(workspace?: WorkspaceId): Promise<Map<string, string>>
  close(): Promise<void>
}

const PASSWORD = 'correct horse battery'
const HOUR_MILLISECONDS = 3_600_000
/** Domain time of one turn of work: short enough for many turns in the hour of a token. */
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

/** What is there before there is a workspace. */
type Rig = {
  app: App
  clock: ManualClock
  server: FastifyInstance
  venues: SimulatedVenues
  drop(): Promise<void>
}

export async function openServiceUnderTest(): Promise<ServiceUnderTest> {
  const rig = await openRig()
  const { app, clock, server } = rig
  const theirs = await openSide(rig, 'theirs')
  const ours = await openSide(rig, 'ours')
  // The hour that passed on our side passed on theirs too.
  const tokens = await loginEverybody(server, 'theirs')
  await work(rig, 'nothing')
  await app.followPrices()
  return {
    app,
    clock,
    server,
    work: (reference) => work(rig, reference),
    fingerprint: (workspace) => fingerprint(app.db, workspace),
    ours,
    theirs: { ...theirs, tokens },
    send: (request) => send(server, request),
    // A stream has no end to wait for.
    endpoints: endpointsOf(app).filter(({ effect }) => effect !== 'stream' && effect !== 'file'),
    async close() {
      await server.close()
      await app.close()
      await rig.drop()
    },
  }
}

async function openRig(): Promise<Rig> {
  const { url, drop } = await testDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'kontor-under-test-'))
  const clock = manualClock(Date.now() - 2 * HOUR_MILLISECONDS)
  const venues = new SimulatedVenues(clock)
  const app = await openApp({
    url,
    role: 'kontor',
    clock,
    log: pino({ level: 'silent' }),
    maximumConnections: 10,
    adapters: venues.adapters,
    keyFile: join(folder, 'kontor.key'),
    // No receiver is there, and no name server is asked for one.
    targets: { ...targetRulesFrom({}), resolve: async () => [] },
    signInTargets: { ...signInRulesFrom({}), resolve: async () => [] },
    consoleUrl: 'https://kontor.example',
  })
  const server = await serverOf(app)
  await server.ready()
  const end = async (): Promise<void> => {
    await drop()
    await rm(folder, { recursive: true })
  }
  return { app, clock, server, venues, drop: end }
}

async function send(
  server: FastifyInstance,
  { method, url, headers, payload, address = '127.0.0.1' }: HttpRequest,
): Promise<HttpAnswer> {
  const reply = await server.inject({
    method,
    url,
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

type Tokens = { id_token: string; access_token: string; refresh_token: string }

async function login(server: FastifyInstance, email: string): Promise<Tokens> {
  const answer = await send(server, {
    method: 'POST',
    url: '/api/auth/login',
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify({ email, password: PASSWORD }),
  })
  if (answer.status !== 200) throw new Error(`login answered ${answer.text}`)
  return (JSON.parse(answer.text) as { data: Tokens }).data
}

const mailOf = (who: string, side: string) => `${who}@${side}.example`.toLowerCase()

async function loginEverybody(server: FastifyInstance, side: string): Promise<Side['tokens']> {
  const tokenOf = async (who: string) => (await login(server, mailOf(who, side))).access_token
  return {
    all: await tokenOf('all'),
    READER: await tokenOf('READER'),
    TRADER: await tokenOf('TRADER'),
    ADMIN: await tokenOf('ADMIN'),
  }
}

async function openSide(rig: Rig, name: string): Promise<Side> {
  const { app, clock, server } = rig
  const { workspace, user_ids } = await openWorkspace(rig, name)
  // On one side a person decides about assignments.
  await applyConfig({ ...app, workspace_tasks: WORKSPACE_TASKS }, workspace, {
    ...SIMULATED_CONFIG,
    settings: { compliance: name === 'ours' },
  })
  const email = mailOf('all', name)
  const ended = (await login(server, email)).access_token
  await send(server, {
    method: 'POST',
    url: '/api/auth/logout',
    headers: { authorization: `Bearer ${ended}` },
  })
  const early = await login(server, email)
  clock.advance(HOUR_MILLISECONDS + 1)
  const late = await login(server, email)
  return {
    workspace,
    user_ids,
    refresh_token: late.refresh_token,
    login: { email, password: PASSWORD },
    tokens: { ...(await loginEverybody(server, name)), all: late.access_token },
    dead: { ended, expired: early.access_token, id: late.id_token },
  }
}

/** With its users and assets. */
async function openWorkspace(
  { app, clock }: Rig,
  name: string,
): Promise<Pick<Side, 'workspace' | 'user_ids'>> {
  const people: Record<string, readonly Role[]> = {
    all: ROLES,
    READER: ['READER'],
    TRADER: ['TRADER'],
    ADMIN: ['ADMIN'],
  }
  const opened = await app.db.tx(async (tx) => {
    const { id: workspace } = await createWorkspace(tx, clock, { name })
    await openBooks({ workspace, by: 'kontor' }, { tx, clock })
    const user_ids = []
    for (const [who, roles] of Object.entries(people)) {
      const { id } = await createUser(workerCaller(workspace, 'test'), tx, clock, {
        email: mailOf(who, name),
        roles: [...roles],
        password: PASSWORD,
        must_change_password: false,
      })
      user_ids.push(id)
    }
    return { workspace, user_ids }
  })
  for (const [code, scale] of ASSETS)
    await putAsset(app.db, opened.workspace, {
      code,
      label: code,
      kind: scale === 2 ? 'FIAT' : 'CRYPTO',
      scale,
      circulating_supply: null,
    })
  return opened
}

async function work({ app, clock, venues }: Rig, reference: string): Promise<void> {
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
