import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newId } from '../core/ids.ts'
import { raw, sql } from '../store/sql.ts'
import { assertRefused } from './access.testing.ts'
import { DAY, openKeyDesk } from './api-keys.testing.ts'
import type { ApiKey, ApiKeyWithSecret } from './api-keys.schema.ts'
import { createWorkspace, userNames } from './index.ts'
import type { SecurityEntry } from './security-log.schema.ts'

describe('API keys', async () => {
  const {
    access,
    admin,
    adminToken,
    call,
    clock,
    db,
    newKey,
    newUser,
    probe,
    read,
    terms,
    tokensOf,
    tokenWith,
    workspace,
  } = await openKeyDesk()

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
})
