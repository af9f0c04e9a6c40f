import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect, KontorError, NoAnswerError, openClient } from './index.ts'
import type { AcceptOf, Client, Patience } from './index.ts'
import { answer, refuse, scripted, thrownBy } from './scripted.testing.ts'
import type { Scripted } from './scripted.testing.ts'

const QUICK: Patience = { pause_ms: 1 }
const api_key = 'kontor_key'
const withKey = ({ base_url }: Scripted, more: object = {}): Client =>
  openClient({ base_url, api_key, ...QUICK, ...more })

const BOOK = { body: { type: 'MANUAL' } as never }
const keysOf = ({ requests }: Scripted) => requests.map(({ headers }) => headers['idempotency-key'])

/** An access token that lives so long. */
function tokenFor(seconds: number, name: string): string {
  const claims = Buffer.from(JSON.stringify({ iat: 1000, exp: 1000 + seconds })).toString(
    'base64url',
  )
  return `head.${claims}.${name}`
}

test('a write to a busy, a dying and a broken service is repeated with its key', async (t) => {
  const service = await scripted(t, ({ nth }, response) => {
    if (nth === 0) return refuse(response, [503, 2004], { 'retry-after': '0' })
    if (nth === 1) return response.destroy()
    if (nth === 2) return refuse(response, [500, 2001])
    response.writeHead(200, { 'content-length': '100' })
    return response.write('{"succ', () => response.destroy())
  })
  const causes: unknown[] = []
  const kontor = openClient({
    base_url: service.base_url,
    api_key,
    ...QUICK,
    retrying: (cause) => causes.push(cause),
  })
  const last = await thrownBy(kontor.post('/bookings', { ...BOOK, retries: 3 }))
  assert.ok(last instanceof NoAnswerError && !last.timed_out)
  const [key, ...others] = keysOf(service)
  assert.match(key as string, /^[0-9a-f-]{36}$/)
  assert.deepEqual(others, [key, key, key])
  assert.deepEqual(
    causes.map((cause) => (cause as Error).name),
    ['KontorError', 'NoAnswerError', 'KontorError'],
  )
})

test('the answer of a repeat is the answer of the call', async (t) => {
  const service = await scripted(t, ({ nth }, response) =>
    nth === 0 ? response.destroy() : answer(response, { id: 'booked' }),
  )
  assert.deepEqual(await withKey(service).post('/bookings', BOOK), { id: 'booked' })
  assert.equal(service.requests.length, 2)
})

test('a repeat waits while the first request with its key is still running', async (t) => {
  const service = await scripted(t, ({ nth }, response) => {
    if (nth === 0) return response.destroy()
    return nth === 1 ? refuse(response, [409, 4092]) : answer(response, 'done')
  })
  assert.equal(await withKey(service).post('/bookings', BOOK), 'done')
})

test('it waits as long as the service says, and not for longer than a minute', async (t) => {
  const service = await scripted(t, ({ nth }, response) =>
    refuse(response, [429, 4291], { 'retry-after': nth === 0 ? '0' : '61' }),
  )
  const error = await thrownBy(withKey(service).get('/accounts'))
  assert.ok(error instanceof KontorError && error.is('RateLimited'))
  assert.equal(error.retry_after, 61)
  assert.equal(service.requests.length, 2)
})

test('a refusal is not repeated, and says all that the service said', async (t) => {
  const details = [{ path: 'legs[0].quantity', code: 'SCALE', message: 'too many digits' }]
  const service = await scripted(t, (_, response) => refuse(response, [400, 3001], {}, details))
  const error = await thrownBy(withKey(service).post('/bookings', BOOK))
  assert.ok(error instanceof KontorError)
  assert.equal(service.requests.length, 1)
  assert.equal(error.kind, 'BadRequest')
  assert.ok(error.is('BadRequest') && !error.is('RateLimited'))
  assert.deepEqual([error.status, error.error_code, error.request_id], [400, 3001, 'of-header'])
  assert.deepEqual(error.detail('SCALE'), details[0])
  assert.equal(error.detail('RANGE'), undefined)
  assert.equal(error.idempotency_key, service.requests[0]?.headers['idempotency-key'])
})

test('an error of a later version, or of a proxy, is Unknown', async (t) => {
  const service = await scripted(t, ({ line }, response) => {
    if (line === 'GET /api/users') return refuse(response, [418, 9999])
    return response.writeHead(404).end('<h1>Nothing here</h1>')
  })
  const kontor = withKey(service)
  const later = (await thrownBy(kontor.get('/users'))) as KontorError
  assert.deepEqual([later.kind, later.error_code], ['Unknown', 9999])
  const proxy = (await thrownBy(kontor.get('/accounts'))) as KontorError
  assert.deepEqual([proxy.kind, proxy.error_code, proxy.status], ['Unknown', 0, 404])
})

test('a service that is too slow gives NoAnswerError with the key of the write', async (t) => {
  const service = await scripted(t, () => undefined)
  const causes: unknown[] = []
  const error = await thrownBy(
    withKey(service, {
      timeout_ms: 20,
      retries: 1,
      retrying: (cause: unknown) => causes.push(cause),
    }).post('/bookings', BOOK),
  )
  assert.ok(error instanceof NoAnswerError && error.timed_out)
  assert.equal(error.request, 'POST /bookings')
  const [first, ...others] = causes
  assert.ok(first instanceof NoAnswerError && first.timed_out && others.length === 0)
  assert.equal(error.idempotency_key, first.idempotency_key)
  assert.ok(keysOf(service).every((key) => key === error.idempotency_key))
})

test('a signal ends a call, and the wait before a repeat', async (t) => {
  const leaving = new AbortController()
  const reason = new Error('the user has left')
  const service = await scripted(t, ({ line }, response) => {
    if (line === 'GET /api/users') return leaving.abort(reason)
    return refuse(response, [503, 2004], { 'retry-after': '50' })
  })
  const ended = await thrownBy(withKey(service).get('/users', { signal: leaving.signal }))
  assert.equal(ended, reason)
  const second = new AbortController()
  const kontor = withKey(service, { retrying: () => second.abort(reason) })
  assert.equal(await thrownBy(kontor.get('/accounts', { signal: second.signal })), reason)
})

test('what is opened as CSV is a list of the document that has it', async (t) => {
  const service = await scripted(t, ({ headers }, response) => response.end(headers.accept))
  const kontor = withKey(service)
  const list = await kontor.open('/treasury/deposits', { accept: 'text/csv' })
  assert.equal(await list.text(), 'text/csv')
  const recordIsNone: [AcceptOf<'/auth/me'>] extends [never] ? true : false = true
  assert.ok(recordIsNone)
})

test('an API key authorizes calls, and is not renewed', async (t) => {
  const service = await scripted(t, (_, response) => refuse(response, [401, 1001]))
  const kontor = await connect({ base_url: service.base_url, api_key })
  const error = await thrownBy(kontor.get('/accounts'))
  assert.ok(error instanceof KontorError && error.is('MissingToken'))
  assert.deepEqual(
    service.requests.map(({ line, headers }) => `${line} ${headers.authorization}`),
    ['GET /api/accounts Bearer kontor_key'],
  )
})

/** Logs in with the first of these tokens; each refresh answers the next. */
async function session(t: Parameters<typeof scripted>[0], tokens: readonly string[]) {
  let valid = tokens[0]
  const service = await scripted(t, ({ line, nth, headers }, response) => {
    if (line === 'POST /api/auth/login')
      return answer(response, { id_token: 'i', access_token: tokens[0], refresh_token: 'r' })
    if (line === 'POST /api/auth/refresh') {
      if (nth === 0) return refuse(response, [503, 2004])
      valid = tokens[1]
      return answer(response, { access_token: valid })
    }
    if (headers.authorization !== `Bearer ${valid}`) return refuse(response, [401, 1005])
    return answer(response, [])
  })
  const { base_url } = service
  const kontor = await connect({ base_url, email: 'a', password: 'b', ...QUICK })
  return {
    service,
    kontor,
    expire() {
      valid = 'another'
    },
  }
}

test('a token that the service refuses is renewed once for all calls', async (t) => {
  const { service, kontor, expire } = await session(t, ['opaque', 'second'])
  expire()
  await Promise.all([kontor.get('/accounts'), kontor.get('/accounts'), kontor.get('/users')])
  // The first refresh met a busy service.
  assert.equal(service.count('POST /api/auth/refresh'), 2)
  assert.equal(service.count('POST /api/auth/login'), 1)
  assert.deepEqual(service.requests.at(-1)?.headers.authorization, 'Bearer second')
})

test('a token is renewed before it ends, so that no call meets a refusal', async (t) => {
  const [old, fresh] = [tokenFor(20, 'old'), tokenFor(3600, 'fresh')]
  const { service, kontor } = await session(t, [old, fresh])
  await Promise.all([kontor.get('/accounts'), kontor.get('/accounts')])
  await kontor.get('/accounts')
  assert.equal(service.count('POST /api/auth/refresh'), 2)
  assert.deepEqual(
    new Set(
      service.requests
        .filter(({ line }) => line === 'GET /api/accounts')
        .map(({ headers }) => headers.authorization),
    ),
    new Set([`Bearer ${fresh}`]),
  )
})

test('all() reads every row over pages, and leaves when the loop does', async (t) => {
  const service = await scripted(t, ({ query }, response) => {
    const from = Number(query.get('cursor') ?? 0)
    const rows = [from, from + 1].filter((id) => id < 5).map((id) => ({ id }))
    const link = from + 2 < 5 ? { link: `</api/bookings?cursor=${from + 2}>; rel="next"` } : {}
    answer(response, rows, link as Record<string, string>)
  })
  const kontor = withKey(service)
  const seen: unknown[] = []
  const request = { query: { limit: 2, type: ['MANUAL', 'FEE'] } } as never
  for await (const { id } of kontor.all('/bookings', request)) seen.push(id)
  assert.deepEqual(seen, [0, 1, 2, 3, 4])
  assert.deepEqual(
    service.requests.map(({ query }) => query.toString()),
    ['', '&cursor=2', '&cursor=4'].map((more) => `limit=2&type=MANUAL%2CFEE${more}`),
  )
  for await (const row of kontor.all('/bookings', request)) {
    assert.ok(row)
    break
  }
  assert.equal(service.requests.length, 4)
})

test('parameters stand in the address as they are, and an empty one is refused', async (t) => {
  const service = await scripted(t, (_, response) => answer(response, {}))
  const kontor = withKey(service)
  await kontor.get('/accounts/{account_id}', { params: { account_id: 'a/b?c' } })
  assert.equal(service.requests[0]?.line, 'GET /api/accounts/a%2Fb%3Fc')
  const error = await thrownBy(kontor.get('/accounts/{account_id}', { params: { account_id: '' } }))
  assert.match(String(error), /needs account_id/)
  assert.equal(service.requests.length, 1)
})
