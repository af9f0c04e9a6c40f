/**
 * The typed client against the real endpoints of this module: what every flow test and program
 * relies on.
 */
import { mustExist } from '../core/assert.ts'
import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { connect, KontorError, NoAnswerError } from '@kontor/client'
import { manualClock } from '../core/clock.ts'
import { workerCaller } from '../http/index.ts'
import { testServer } from '../http/testing.ts'
import { testDatabase } from '../store/testing.ts'
import {
  accessEndpoints,
  createFirstUser,
  createUser,
  openAccess,
  signInRulesFrom,
} from './index.ts'

const clock = manualClock(Date.now())
const { db, drop } = await testDatabase()
const access = await openAccess(db, clock)
const { server, close } = await testServer({
  db,
  clock,
  authenticate: access.authenticate,
  endpoints: accessEndpoints({ db, clock, access, signInTargets: signInRulesFrom({}) }),
})
await server.listen({ port: 0, host: '127.0.0.1' })
after(async () => {
  await close()
  await drop()
})

const base_url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`
const [email, password] = ['first@example.com', 'correct horse battery']
const first = await createFirstUser(db, clock, { email, password })
const workspace = mustExist(first.workspace, 'the first start')

/** What went over the wire. */
function recorder() {
  const requests: { line: string; key: string | null }[] = []
  return {
    requests,
    fetch(request: Request) {
      requests.push({
        line: `${request.method} ${new URL(request.url).pathname}`,
        key: request.headers.get('idempotency-key'),
      })
      return fetch(request)
    },
    count: (line: string) => requests.filter((request) => request.line === line).length,
  }
}

async function refusal(work: Promise<unknown>): Promise<KontorError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof KontorError, String(error))
  return error
}

test('it logs in, calls, and logs out; the address may end in /api or not', async () => {
  for (const url of [base_url, `${base_url}/`, `${base_url}/api`]) {
    const kontor = await connect({ base_url: url, email, password })
    const users = await kontor.get('/users', { query: { email } })
    assert.deepEqual(
      users.map((user) => user.email),
      [email],
    )
    await kontor.logout()
    assert.equal((await refusal(kontor.get('/users'))).error_code, 1001)
  }
})

test('a refusal is a KontorError with all that the service said', async () => {
  const wrong = await refusal(connect({ base_url, email, password: 'wrong' }))
  const { status, error_code, error_message, error_details } = wrong
  assert.deepEqual(
    { status, error_code, error_message, error_details },
    {
      status: 401,
      error_code: 3002,
      error_message: 'Wrong username or password',
      error_details: [],
    },
  )
  const kontor = await connect({ base_url, email, password })
  const refused = await refusal(
    kontor.post('/users', {
      body: { email: 'x@example.com', roles: ['READER'], password: 'short' },
    }),
  )
  const [detail] = refused.error_details
  assert.deepEqual(
    {
      status: refused.status,
      error_code: refused.error_code,
      error_message: refused.error_message,
      detail: { code: detail?.code, path: detail?.path },
    },
    {
      status: 400,
      error_code: 3001,
      error_message: 'BadRequest',
      detail: { code: 'WEAK_PASSWORD', path: 'password' },
    },
  )
  assert.match(refused.message, /3001 BadRequest: password needs/)
  assert.ok(refused.request_id !== undefined)
})

test('an expired token is refreshed once for all requests; after 30 days it logs in', async () => {
  const { fetch: recorded, count } = recorder()
  const kontor = await connect({ base_url, email, password, fetch: recorded })
  clock.advance(3_600_000)
  const answers = await Promise.all([
    kontor.get('/users'),
    kontor.get('/users'),
    kontor.get('/users'),
  ])
  assert.equal(answers.length, 3)
  assert.deepEqual(
    {
      refreshes: count('POST /api/auth/refresh'),
      logins: count('POST /api/auth/login'),
      reads: count('GET /api/users'),
    },
    { refreshes: 1, logins: 1, reads: 6 },
  )
  clock.advance(30 * 24 * 3_600_000)
  await kontor.get('/users')
  assert.deepEqual(
    { refreshes: count('POST /api/auth/refresh'), logins: count('POST /api/auth/login') },
    { refreshes: 2, logins: 2 },
  )
})

test('every write carries a key of its own, which a repeat keeps', async () => {
  const { fetch: recorded, requests } = recorder()
  const kontor = await connect({ base_url, email, password, fetch: recorded })
  clock.advance(3_600_000)
  const body = { email: 'written@example.com', roles: ['READER' as const], password }
  await kontor.post('/users', { body })
  const keys = requests
    .filter((request) => request.line === 'POST /api/users')
    .map((request) => request.key)
  assert.equal(keys.length, 2)
  assert.ok(keys[0] !== null && keys[0] === keys[1])
  assert.equal((await refusal(kontor.post('/users', { body }))).error_details[0]?.code, 'DUPLICATE')
  const again = { body: { ...body, email: 'again@example.com' }, idempotency_key: 'mine' }
  assert.deepEqual(await kontor.post('/users', again), await kontor.post('/users', again))
  assert.equal(requests.find((request) => request.line === 'GET /api/users')?.key ?? null, null)
})

test('pages walk a whole list', async () => {
  for (let index = 0; index < 7; index += 1)
    await db.tx((tx) =>
      createUser(workerCaller(workspace, 'test'), tx, clock, {
        email: `paged${index}@example.com`,
        roles: ['READER'],
        password,
      }),
    )
  const kontor = await connect({ base_url, email, password })
  const all = await kontor.get('/users')
  const sizes: number[] = []
  const seen: string[] = []
  for await (const users of kontor.pages('/users', { query: { limit: '4' } })) {
    sizes.push(users.length)
    seen.push(...users.map((user) => user.id))
  }
  assert.deepEqual(
    seen,
    all.map((user) => user.id),
  )
  assert.ok(sizes.slice(0, -1).every((size) => size === 4))
  assert.ok(sizes.length >= 2)
})

test('an answer that is not of the service becomes an error with its status', async () => {
  const kontor = await connect({
    base_url,
    email,
    password,
    retries: 0,
    fetch: async (request) =>
      request.method === 'GET'
        ? new Response('<h1>Bad gateway</h1>', { status: 502 })
        : fetch(request),
  })
  const error = await refusal(kontor.get('/users'))
  assert.deepEqual(
    { status: error.status, error_code: error.error_code },
    { status: 502, error_code: 0 },
  )
  await assert.rejects(connect({ base_url: 'http://127.0.0.1:1', email, password }), NoAnswerError)
})
