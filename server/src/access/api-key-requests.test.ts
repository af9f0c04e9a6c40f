/** Which requests with an API key are let in: where from, until when, and what of it is seen. */
import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { describe, test } from 'node:test'
import { doorFrom } from '../http/index.ts'
import { assertRefused, HOUR } from './access.testing.ts'
import { DAY, openKeyDesk } from './api-keys.testing.ts'
import type { ApiKey, ApiKeyWithSecret } from './api-keys.schema.ts'
import { openAccess } from './index.ts'

describe('requests with an API key', async () => {
  const { adminToken, call, clock, db, newKey, probe, read, startProcess, terms } =
    await openKeyDesk()

  /** Waits until a process that did not do it has noticed. */
  async function untilRefused(token: string, through: typeof call): Promise<void> {
    const start = Date.now()
    while ((await probe(token, through)).status === 200)
      assert.ok(Date.now() - start < 10_000, 'noticed within 10 s')
    assertRefused(await probe(token, through), 'MissingToken')
  }

  test('who has no key, a mistyped or an unknown one gets 1001', async () => {
    const { secret } = await newKey()
    const mistyped = `${secret.slice(0, -1)}${secret.endsWith('x') ? 'y' : 'x'}`
    const { newSecret } = await import('./api-key-secrets.ts')
    for (const token of [mistyped, newSecret(), 'kontor_', `${secret}a`]) {
      const answer = await probe(token)
      assertRefused(answer, 'MissingToken')
      // A stranger learns nothing of why.
      assert.equal(answer.error_details ?? answer.error_description, undefined)
      assert.equal(answer.headers['www-authenticate'], 'Bearer realm="kontor"')
    }
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
    assertRefused(refused, 'MissingToken', 'API_KEY_EXPIRED')
    assert.match(String(refused.headers['www-authenticate']), /invalid_token/)
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
    assertRefused(await probe(key.secret), 'MissingToken', 'API_KEY_REVOKED')
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
    const start = Date.now()
    await answer.text()
    assert.ok(Date.now() - start < 10_000, 'within 10 s')
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
    const start = Date.now()
    while ((await book(elsewhere.call)).status === 200) assert.ok(Date.now() - start < 10_000)
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
    assertRefused(await probe(key.secret), 'MissingToken', 'API_KEY_ROTATED')
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
      assertRefused(answer, 'MissingToken', 'API_KEY_NETWORK')
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
})
