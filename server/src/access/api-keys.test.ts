import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { newId } from '../core/ids.ts'
import { doorFrom } from '../http/index.ts'
import { raw, sql } from '../store/sql.ts'
import { assertRefused, HOUR, openAccessWorld } from './access.testing.ts'
import type { ApiKey, ApiKeyWithSecret } from './api-keys.schema.ts'
import { createWorkspace, openAccess, userNames } from './index.ts'
import type { SecurityEntry } from './security-log.schema.ts'

const DAY = 24 * HOUR
const { access, call, clock, db, newUser, startProcess, tokensOf, tokenWith, workspace } =
  await openAccessWorld()

const admin = await newUser(['ADMIN', 'ACCOUNTANT', 'AUDITOR'])
/** A session's token lives for an hour, and tests move the clock. */
const adminToken = async () => (await tokensOf(admin.email)).access_token

let labels = 0
const terms = (more: object = {}) => ({
  label: `Program ${(labels += 1)}`,
  permissions: ['bookings.read', 'bookings.create'],
  ...more,
})

async function newKey(more: object = {}): Promise<ApiKeyWithSecret & { secret: string }> {
  const answer = await call<ApiKeyWithSecret>('POST', '/auth/api-keys', {
    token: await adminToken(),
    body: terms(more),
  })
  assert.equal(answer.status, 200, answer.text)
  const { secret } = answer.data
  assert.ok(secret !== null)
  return { ...answer.data, secret }
}

const read = async (id: string) =>
  (await call<ApiKey>('GET', `/auth/api-keys/${id}`, { token: await adminToken() })).data

const probe = (token: string, through = call, address = '10.9.0.1') =>
  through<{ user_id: string }>('GET', '/probe', { token, address })

/** Waits until a process that did not do it has noticed. */
async function untilRefused(token: string, through: typeof call): Promise<void> {
  const start = performance.now()
  while ((await probe(token, through)).status === 200)
    assert.ok(performance.now() - start < 10_000, 'noticed within 10 s')
  assertRefused(await probe(token, through), 'MissingToken')
}

test('a program gets in with its secret, as a caller of its own', async () => {
  const key = await newKey()
  const answer = await probe(key.secret)
  assert.equal(answer.status, 200, answer.text)
  assert.equal(answer.data.user_id, key.id)
  const me = await call<{ user: null; api_key: { label: string }; permissions: string[] }>(
    'GET',
    '/auth/me',
    { token: key.secret },
  )
  assert.equal(me.data.user, null)
  assert.equal(me.data.api_key.label, key.label)
  assert.deepEqual(me.data.permissions, ['bookings.create', 'bookings.read'])
})

test('what it did is shown under its label', async () => {
  const { id, label } = await newKey()
  const names = await userNames(db, workspace, [id, admin.id, 'treasury'])
  assert.deepEqual(Object.fromEntries(names), { [id]: label, [admin.id]: admin.email })
})

test('it may do what it lists, and nothing else', async () => {
  const { secret } = await newKey({ permissions: ['bookings.read'] })
  assertRefused(await call('POST', '/probe/bookings', { token: secret }), 'PermissionDenied')
  assertRefused(await call('GET', '/users', { token: secret }), 'PermissionDenied')
  assertRefused(await call('GET', '/auth/api-keys', { token: secret }), 'PermissionDenied')
  assertRefused(
    await call('POST', '/auth/api-keys', { token: secret, body: terms() }),
    'PermissionDenied',
  )
  const { secret: able } = await newKey()
  assert.equal((await call('POST', '/probe/bookings', { token: able })).status, 200)
})

test('only who may manage keys sees and makes them', async () => {
  const others = await tokenWith('TREASURER', 'COMPLIANCE', 'AUDITOR')
  assertRefused(await call('GET', '/auth/api-keys', { token: others }), 'PermissionDenied')
  assertRefused(
    await call('POST', '/auth/api-keys', { token: others, body: terms() }),
    'PermissionDenied',
  )
})

test('the secret is shown once; the database has its hash alone', async () => {
  const key = await newKey()
  assert.match(key.secret, /^kontor_[0-9A-Za-z]{46}$/)
  const [own] = (await read(key.id)).secrets
  assert.equal(own?.hint, key.secret.slice(-4))
  assert.ok(!JSON.stringify(await read(key.id)).includes(key.secret))
  for (const table of ['api_keys', 'api_key_secrets', 'security_log', 'idempotency_keys']) {
    const rows = await db.query<object>(sql`
      select *
      from ${raw(table)}`)
    assert.ok(!JSON.stringify(rows).includes(key.secret), table)
  }
})

test('a repeat under the same Idempotency-Key makes nothing and shows no secret', async () => {
  const token = await adminToken()
  const request = { token, body: terms(), headers: { 'idempotency-key': newId() } }
  const first = await call<ApiKeyWithSecret>('POST', '/auth/api-keys', request)
  const again = await call<ApiKeyWithSecret>('POST', '/auth/api-keys', request)
  assert.equal(first.status, 200, first.text)
  assert.deepEqual(again.data, { ...first.data, secret: null })
  const stored = await db.query<{ reply: object }>(sql`
    select reply
    from idempotency_keys`)
  assert.ok(!JSON.stringify(stored).includes(String(first.data.secret)))
})

test('who has no key, a mistyped or an unknown one gets 1001', async () => {
  const { secret } = await newKey()
  const mistyped = `${secret.slice(0, -1)}${secret.endsWith('x') ? 'y' : 'x'}`
  const { newSecret } = await import('./api-key-secrets.ts')
  for (const token of [mistyped, newSecret(), 'kontor_', `${secret}a`])
    assertRefused(await probe(token), 'MissingToken')
})

test('unknown keys are slowed down by network address; known ones go on', async () => {
  const { newSecret } = await import('./api-key-secrets.ts')
  const { secret } = await newKey()
  const [flooder, neighbour] = ['203.0.113.66', '203.0.113.67']
  assert.equal((await probe(secret, call, flooder)).status, 200)
  let answer = await probe(newSecret(), call, flooder)
  for (let tries = 0; answer.status === 401 && tries < 2_000; tries += 1)
    answer = await probe(newSecret(), call, flooder)
  assertRefused(answer, 'RateLimited')
  assert.ok(Number(answer.headers['retry-after']) >= 1)
  assertRefused(await probe(newSecret(), call, neighbour), 'MissingToken')
  assert.equal((await probe(secret, call, flooder)).status, 200)
})

test('a key ends at its time; it may be given more', async () => {
  const key = await newKey({ expires_at: clock.now() + HOUR })
  clock.advance(HOUR - 1)
  assert.equal((await probe(key.secret)).status, 200)
  clock.advance(1)
  const refused = await probe(key.secret)
  assertRefused(refused, 'MissingToken')
  assert.match(refused.error_description ?? '', /expired/)
  const changed = await call('PUT', `/auth/api-keys/${key.id}`, {
    token: await adminToken(),
    body: { ...terms(), expires_at: clock.now() + DAY },
  })
  assert.equal(changed.status, 200, changed.text)
  assert.equal((await probe(key.secret)).status, 200)
})

test('a revoked key is refused at once here, soon elsewhere, and for good', async () => {
  const key = await newKey()
  const elsewhere = await startProcess()
  assert.equal((await probe(key.secret)).status, 200)
  assert.equal((await probe(key.secret, elsewhere.call)).status, 200)
  const token = await adminToken()
  const revoked = await call<ApiKey>('DELETE', `/auth/api-keys/${key.id}`, { token })
  assert.equal(revoked.data.state, 'REVOKED', revoked.text)
  assertRefused(await probe(key.secret), 'MissingToken')
  await untilRefused(key.secret, elsewhere.call)
  const body = { ...terms(), expires_at: clock.now() + DAY }
  for (const answer of [
    await call('PUT', `/auth/api-keys/${key.id}`, { token, body }),
    await call('POST', `/auth/api-keys/${key.id}/rotate`, { token, body: {} }),
    await call('DELETE', `/auth/api-keys/${key.id}`, { token }),
  ])
    assertRefused(answer, 'BadRequest', 'STATE_NOT_ALLOWED')
})

test('an open stream ends with the key, also where another process revoked it', async () => {
  const { id, secret } = await newKey()
  const { server } = await startProcess()
  await server.listen({ port: 0, host: '127.0.0.1' })
  const { port } = server.server.address() as AddressInfo
  const answer = await fetch(`http://127.0.0.1:${port}/api/probe/stream`, {
    headers: { authorization: `Bearer ${secret}` },
  })
  assert.equal(answer.status, 200)
  await call('DELETE', `/auth/api-keys/${id}`, { token: await adminToken() })
  const start = performance.now()
  await answer.text()
  assert.ok(performance.now() - start < 10_000, 'within 10 s')
})

test('fewer permissions take effect at once here and soon elsewhere', async () => {
  const key = await newKey()
  const elsewhere = await startProcess()
  const book = (through: typeof call) => through('POST', '/probe/bookings', { token: key.secret })
  assert.equal((await book(elsewhere.call)).status, 200)
  await call('PUT', `/auth/api-keys/${key.id}`, {
    token: await adminToken(),
    body: { ...terms({ permissions: ['bookings.read'] }), expires_at: key.expires_at },
  })
  assertRefused(await book(call), 'PermissionDenied')
  const start = performance.now()
  while ((await book(elsewhere.call)).status === 200) assert.ok(performance.now() - start < 10_000)
  assertRefused(await book(elsewhere.call), 'PermissionDenied')
})

test('after a rotation both secrets are accepted until the overlap ends', async () => {
  const key = await newKey()
  const rotate = async (body: object) => {
    const token = await adminToken()
    const answer = await call<ApiKeyWithSecret>('POST', `/auth/api-keys/${key.id}/rotate`, {
      token,
      body,
    })
    assert.equal(answer.status, 200, answer.text)
    return answer.data
  }
  const second = await rotate({ overlap_hours: 2 })
  assert.notEqual(second.secret, key.secret)
  assert.deepEqual(
    second.secrets.map(({ expires_at }) => expires_at),
    [clock.now() + 2 * HOUR, null],
  )
  clock.advance(2 * HOUR - 1)
  for (const secret of [key.secret, String(second.secret)])
    assert.equal((await probe(secret)).status, 200)
  clock.advance(1)
  assertRefused(await probe(key.secret), 'MissingToken')
  assert.equal((await probe(String(second.secret))).status, 200)
  const third = await rotate({ overlap_hours: 0 })
  assertRefused(await probe(String(second.secret)), 'MissingToken')
  assert.equal((await probe(String(third.secret))).status, 200)
  assert.equal((await read(key.id)).secrets.length, 1)
})

test('from a network that it does not name it is refused, and told from where', async () => {
  const key = await newKey({ networks: ['192.0.2.0/24', '2001:db8::/32'] })
  for (const address of ['192.0.2.200', '::ffff:192.0.2.1', '2001:db8:1::5'])
    assert.equal((await probe(key.secret, call, address)).status, 200, address)
  for (const address of ['192.0.3.1', '2001:db9::1']) {
    const answer = await probe(key.secret, call, address)
    assertRefused(answer, 'MissingToken')
    assert.match(answer.error_description ?? '', new RegExp(address.replaceAll('.', '\\.')))
  }
})

test('behind a proxy that we trust, the network is that of the caller', async () => {
  const door = doorFrom({ KONTOR_TRUSTED_PROXIES: '10.0.0.1', KONTOR_PLAIN_HTTP: 'on' })
  const behind = await startProcess(undefined, door)
  const { secret } = await newKey({ networks: ['192.0.2.0/24'] })
  const through = (address: string, forwarded: string) =>
    behind.call('GET', '/probe', {
      token: secret,
      address,
      headers: { 'x-forwarded-for': forwarded, 'x-forwarded-proto': 'https' },
    })
  assert.equal((await through('10.0.0.1', '192.0.2.7')).status, 200)
  assertRefused(await through('10.0.0.1', '198.51.100.1'), 'MissingToken')
  // Nobody else has a say about where a request comes from.
  assertRefused(await through('198.51.100.1', '192.0.2.7'), 'MissingToken')
})

test('the last use is shown, and stored at most once a minute', async () => {
  const key = await newKey()
  const { access: other, call: through } = await startProcess()
  const uses = async () => {
    await other.close()
    return (await read(key.id)).secrets.map((secret) => [
      secret.last_used_at,
      secret.last_used_address,
    ])
  }
  assert.deepEqual(await uses(), [[null, null]])
  const first = clock.now()
  await probe(key.secret, through, '192.0.2.1')
  assert.deepEqual(await uses(), [[first, '192.0.2.1']])
  clock.advance(59_999)
  await probe(key.secret, through, '192.0.2.2')
  assert.deepEqual(await uses(), [[first, '192.0.2.1']])
  clock.advance(1)
  await probe(key.secret, through, '192.0.2.3')
  assert.deepEqual(await uses(), [[first + 60_000, '192.0.2.3']])
  assert.equal((await read(key.id)).last_used_at, first + 60_000)
})

test('a thousand requests with one key cost no query', async () => {
  const fresh = await openAccess(db, clock)
  const header = `Bearer ${(await newKey()).secret}`
  const from = { ip: '10.0.0.1' }
  let asynchronous = 1
  // What the process knows is read again now and then, beside the requests.
  for (let run = 0; run < 50 && asynchronous > 0; run += 1) {
    await fresh.authenticate(header, from)
    asynchronous = 0
    for (let round = 0; round < 1_000; round += 1)
      if (fresh.authenticate(header, from) instanceof Promise) asynchronous += 1
  }
  assert.equal(asynchronous, 0)
  await fresh.close()
})

test('what is wrong with a key is refused', async () => {
  const token = await adminToken()
  const { label } = await newKey()
  const now = clock.now()
  const wrong: [object, string][] = [
    [{ label }, 'DUPLICATE'],
    [{ networks: ['10.0.0.0/40'] }, 'FORMAT'],
    [{ networks: ['0.0.0.0/0'] }, 'FORMAT'],
    [{ permissions: ['bookings.steal'] }, 'ENUM'],
    [{ permissions: [] }, 'RANGE'],
    [{ expires_at: now }, 'RANGE'],
    [{ expires_at: now + 5 * 365 * DAY + 1 }, 'RANGE'],
    [{ limits: { assets: [{ asset: 'EUR' }, { asset: 'eur' }] } }, 'DUPLICATE'],
  ]
  for (const [more, detail] of wrong)
    assertRefused(
      await call('POST', '/auth/api-keys', { token, body: terms(more) }),
      'BadRequest',
      detail,
    )
  const gone = newId()
  assertRefused(await call('GET', `/auth/api-keys/${gone}`, { token }), 'NewResourceNotFound')
})

test('a key may be sent back as it was read', async () => {
  const limits = { assets: [{ asset: 'EUR', per_day: '10' }] }
  for (const more of [{}, { limits, networks: ['10.0.0.0/8'] }]) {
    const { id } = await newKey(more)
    const before = await read(id)
    const token = await adminToken()
    const put = await call<ApiKey>('PUT', `/auth/api-keys/${id}`, { token, body: before })
    assert.equal(put.status, 200, put.text)
    const { version: _v, system_updated_at: _at, ...same } = put.data
    assert.partialDeepStrictEqual(before, same)
  }
})

test('the label of a revoked key is free again', async () => {
  const { id, label } = await newKey()
  await call('DELETE', `/auth/api-keys/${id}`, { token: await adminToken() })
  assert.equal((await newKey({ label })).label, label)
})

test('a key of another workspace does not exist', async () => {
  const { id } = await newKey()
  const other = await db.tx((tx) => createWorkspace(tx, clock, { name: `Other ${newId()}` }))
  const stranger = await newUser(['ADMIN'], { workspace: other.id })
  const { access_token: token } = await tokensOf(stranger.email)
  const list = await call<ApiKey[]>('GET', '/auth/api-keys', { token })
  assert.deepEqual(list.data, [])
  const body = { ...terms(), expires_at: clock.now() + DAY }
  for (const answer of [
    await call('GET', `/auth/api-keys/${id}`, { token }),
    await call('PUT', `/auth/api-keys/${id}`, { token, body }),
    await call('POST', `/auth/api-keys/${id}/rotate`, { token, body: {} }),
    await call('DELETE', `/auth/api-keys/${id}`, { token }),
  ])
    assertRefused(answer, 'NewResourceNotFound')
  assert.equal((await read(id)).workspace, workspace)
})

test('the security log tells of every change, and of what a key was refused', async () => {
  const key = await newKey({ networks: ['192.0.2.0/24'] })
  const token = await adminToken()
  const body = { ...terms({ networks: ['192.0.2.0/24'] }), expires_at: key.expires_at }
  await call('PUT', `/auth/api-keys/${key.id}`, { token, body })
  const rotated = await call<ApiKeyWithSecret>('POST', `/auth/api-keys/${key.id}/rotate`, {
    token,
    body: {},
  })
  await probe(key.secret, call, '198.51.100.9')
  await call('GET', '/users', { token: key.secret, address: '192.0.2.1' })
  await call('DELETE', `/auth/api-keys/${key.id}`, { token })
  await probe(key.secret)
  await access.security.write()
  const log = await call<SecurityEntry[]>('GET', `/security-log?user_id=${key.id}`, { token })
  const seen = log.data
    .map(({ kind, actor, address }) => [kind, actor === key.id ? 'key' : 'person', address])
    .toReversed()
  assert.deepEqual(
    seen.map(([kind, who]) => [kind, who]).toSorted(),
    [
      ['API_KEY_CREATED', 'person'],
      ['API_KEY_CHANGED', 'person'],
      ['API_KEY_ROTATED', 'person'],
      ['TOKEN_REFUSED', 'key'],
      ['PERMISSION_DENIED', 'key'],
      ['API_KEY_REVOKED', 'person'],
      ['TOKEN_REFUSED', 'key'],
    ].toSorted(),
  )
  assert.ok(!log.text.includes(key.secret))
  assert.ok(!log.text.includes(String(rotated.data.secret)))
})
