/** The typed client against the real endpoints of this module: what every flow test and program relies on. */
import { mustExist } from '../core/assert.ts'
import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { connect, KontorError } from '@kontor/client'
import { manualClock } from '../core/clock.ts'
import { testServer } from '../http/testing.ts'
import { testDatabase } from '../store/testing.ts'
import { accessEndpoints, createFirstUser, createUser, openAccess } from './index.ts'

const clock = manualClock(Date.now())
const { db, drop } = await testDatabase()
const access = await openAccess(db, clock)
const { server, close } = await testServer({
  db,
  clock,
  authenticate: access.authenticate,
  endpoints: accessEndpoints({ db, clock, access }),
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
  assert.deepEqual(
    [wrong.status, wrong.error_code, wrong.error_message, wrong.error_details],
    [401, 3002, 'Wrong username or password', []],
  )
  const kontor = await connect({ base_url, email, password })
  const refused = await refusal(
    kontor.post('/users', {
      body: { email: 'x@example.com', roles: ['READER'], password: 'short' },
    }),
  )
  assert.deepEqual(
    [
      refused.status,
      refused.error_code,
      refused.error_message,
      refused.error_details[0]?.code,
      refused.error_details[0]?.path,
    ],
    [400, 3001, 'BadRequest', 'WEAK_PASSWORD', 'password'],
  )
  assert.match(refused.message, /3001 BadRequest: password needs/)
  assert.ok(refused.request_id !== undefined)
})

test('an expired token is refreshed once for all requests that met it, and after 30 days it logs in again', async () => {
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
    [count('POST /api/auth/refresh'), count('POST /api/auth/login'), count('GET /api/users')],
    [1, 1, 6],
  )
  clock.advance(30 * 24 * 3_600_000)
  await kontor.get('/users')
  assert.deepEqual([count('POST /api/auth/refresh'), count('POST /api/auth/login')], [2, 2])
})

test('every write carries a key of its own, the same when it is repeated after a refresh or by the caller', async () => {
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
      createUser(tx, clock, {
        workspace,
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
  assert.deepEqual(
    sizes.slice(0, -1).every((size) => size === 4),
    true,
  )
  assert.ok(sizes.length >= 2)
})

test('what is no answer of the service is told as it is', async () => {
  const kontor = await connect({
    base_url,
    email,
    password,
    fetch: async (request) =>
      request.method === 'GET'
        ? new Response('<h1>Bad gateway</h1>', { status: 502 })
        : fetch(request),
  })
  const error = await refusal(kontor.get('/users'))
  assert.deepEqual([error.status, error.error_code], [502, 0])
  await assert.rejects(connect({ base_url: 'http://127.0.0.1:1', email, password }), TypeError)
})
