/** For the tests of this folder: processes of the service, users, and their tokens. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { mustExist } from '../core/assert.ts'
import { manualClock } from '../core/clock.ts'
import type { Clock } from '../core/clock.ts'
import { ERRORS } from '../core/errors.ts'
import type { ErrorName } from '../core/errors.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { closed, endpoint, flag, id, streamEndpoint, workerCaller } from '../http/index.ts'
import type { Door, Endpoint } from '../http/index.ts'
import { testServer } from '../http/testing.ts'
import type { Answer, TestServer } from '../http/testing.ts'
import type { Db } from '../store/db.ts'
import { testDatabase } from '../store/testing.ts'
import type { AccessApp } from './access.ts'
import {
  accessEndpoints,
  createFirstUser,
  createUser,
  openAccess,
  signInRulesFrom,
} from './index.ts'
import type { Access, Role, SessionLimits, User } from './index.ts'

export const HOUR = 3_600_000
export const PASSWORD = 'correct horse battery'

export type TokenSet = { id_token: string; access_token: string; refresh_token: string }

const probes: Endpoint[] = [
  streamEndpoint({
    path: '/probe/stream',
    origin: { ours: 'for this test' },
    tag: 'Overview',
    operation_id: 'streamProbe',
    summary: 'Until the caller may no longer',
    permission: 'authenticated',
    data: closed({}),
    async *stream(_call, leaving) {
      yield []
      await once(leaving, 'abort')
    },
  }),
  endpoint({
    method: 'GET',
    operation_id: 'getProbe',
    path: '/probe',
    origin: { ours: 'for this test' },
    tag: 'Overview',
    summary: 'Who am I',
    permission: 'authenticated',
    data: closed({ workspace: id<WorkspaceId>(), user_id: id() }),
    effect: 'read',
    handle: async ({ principal }) => ({
      workspace: principal.workspace,
      user_id: principal.user_id,
    }),
  }),
  endpoint({
    method: 'POST',
    operation_id: 'doProbeBookings',
    path: '/probe/bookings',
    origin: { ours: 'for this test' },
    tag: 'Overview',
    summary: 'Needs bookings.create',
    permission: 'bookings.create',
    data: closed({ booked: flag() }),
    effect: 'read',
    handle: async () => ({ booked: true }),
  }),
]

/** One workspace with its first user, and one process. Closes itself after the tests. */
/** `wrapped`: with a key file, so that second factors can be set up. */
export async function openAccessWorld({
  wrapped = false,
  signInTargets = signInRulesFrom({}),
}: { wrapped?: boolean } & Partial<Pick<AccessApp, 'signInTargets'>> = {}) {
  const clock = manualClock(Date.now())
  const { db, drop, url } = await testDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'kontor-access-'))
  const mails = wrapped ? { mailer: {}, console_url: 'https://kontor.example' } : {}
  const keys = wrapped ? { key_file: join(folder, 'kontor.key') } : {}
  const servers: TestServer[] = []
  after(async () => {
    await Promise.all(servers.map((server) => server.close()))
    await drop()
    await rm(folder, { recursive: true })
  })

  /** One process of the service: its own caches on the common database. */
  async function startProcess(
    limits?: SessionLimits,
    door?: Door,
  ): Promise<TestServer & { access: Access }> {
    const access = await openAccess(db, clock, {
      ...keys,
      ...(limits === undefined ? {} : { limits }),
    })
    const process = await testServer({
      db,
      clock,
      authenticate: access.authenticate,
      onRefused: access.refused,
      endpoints: [...accessEndpoints({ db, clock, access, signInTargets, ...mails }), ...probes],
      ...(door === undefined ? {} : { door }),
    })
    servers.push(process)
    return { ...process, access }
  }

  const { call, access } = await startProcess()
  const first = await createFirstUser(db, clock, { email: 'First@Example.com', password: PASSWORD })
  const workspace = mustExist(first.workspace, 'the first start')

  let logins = 0
  /** Each from another network address, so that only the limit by e-mail address is met. */
  const login = (email: string, password: string, through = call) => {
    logins += 1
    return through<TokenSet>('POST', '/auth/login', {
      body: { email, password },
      address: `10.0.${logins >> 8}.${logins & 255}`,
    })
  }

  async function tokensOf(email: string): Promise<TokenSet> {
    const answer = await login(email, PASSWORD)
    assert.equal(answer.status, 200, answer.text)
    return answer.data
  }

  const newUser = userMaker(db, clock, workspace)

  /** The access token of a new user with these roles. */
  async function tokenWith(...roles: Role[]): Promise<string> {
    return (await tokensOf((await newUser(roles)).email)).access_token
  }

  const people = { login, tokensOf, newUser, tokenWith }
  return { access, call, clock, db, startProcess, url, workspace, ...people }
}

/** Makes users, each with another address. */
function userMaker(db: Db, clock: Clock, workspace: WorkspaceId) {
  let users = 0
  return function newUser(
    roles: Role[],
    more: { must_change_password?: boolean; workspace?: WorkspaceId } = {},
  ): Promise<User> {
    users += 1
    const { must_change_password = false } = more
    const email = `user${users}@example.com`
    const caller = workerCaller(more.workspace ?? workspace, 'test')
    return db.tx((tx) =>
      createUser(caller, tx, clock, { email, roles, password: PASSWORD, must_change_password }),
    )
  }
}

export function assertRefused(answer: Answer<unknown>, name: ErrorName, detail?: string): void {
  const { code, status, message } = ERRORS[name]
  const { success, error_code, error_message } = answer
  assert.deepEqual(
    { status: answer.status, success, error_code, error_message },
    { status, success: false, error_code: code, error_message: message },
    answer.text,
  )
  if (detail !== undefined) assert.equal(answer.error_details?.[0]?.code, detail, answer.text)
}
