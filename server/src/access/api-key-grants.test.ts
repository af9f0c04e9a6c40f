import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertRefused, HOUR, openAccessWorld, PASSWORD } from './access.testing.ts'
import type { ApiKeyWithSecret } from './api-keys.schema.ts'
import { PERMISSIONS_OF } from './index.ts'
import type { User } from './index.ts'

const { call, clock, newUser, tokenWith } = await openAccessWorld()
const admin = await tokenWith('ADMIN')

const MANAGING = ['api-keys.write', 'users.write', 'bookings.read', 'bookings.create']
let labels = 0
const body = (permissions: readonly string[], more: object = {}) => ({
  label: `Key ${(labels += 1)}`,
  permissions,
  expires_at: clock.now() + HOUR,
  ...more,
})

const create = (token: string, permissions: readonly string[], more: object = {}) =>
  call<ApiKeyWithSecret>('POST', '/auth/api-keys', {
    token,
    body: body(permissions, more),
    address: '10.1.2.3',
  })

async function manager(more: object = {}): Promise<string> {
  const { status, text, data } = await create(admin, MANAGING, more)
  assert.equal(status, 200, text)
  return String(data.secret)
}

test('a person gives a key any permission, as they give users any role', async () => {
  assert.equal((await create(admin, ['treasury.withdrawals.create'])).status, 200)
})

test('a program gives a key no permission that it has not', async () => {
  const token = await manager()
  assert.equal((await create(token, ['bookings.read', 'bookings.create'])).status, 200)
  const refused = await create(token, ['bookings.read', 'audit.read'])
  assertRefused(refused, 'PermissionDenied')
  assert.match(refused.error_description ?? '', /audit\.read/)
})

test('nor a longer life, nor other networks', async () => {
  const token = await manager({ networks: ['10.1.0.0/16'] })
  const from = (...networks: string[]) => ({ networks })
  assert.equal((await create(token, ['bookings.read'], from('10.1.2.0/24'))).status, 200)
  assert.equal((await create(token, ['bookings.read'], from('10.1.9.9'))).status, 200)
  for (const more of [from(), from('10.0.0.0/8'), from('10.1.0.0/16', '10.2.0.1'), from('::1')])
    assertRefused(await create(token, ['bookings.read'], more), 'PermissionDenied')
  const longer = { ...from('10.1.2.0/24'), expires_at: clock.now() + HOUR + 1 }
  assertRefused(await create(token, ['bookings.read'], longer), 'PermissionDenied')
})

test('one with limits grants nothing but reading', async () => {
  const token = await manager({ limits: { assets: [{ asset: 'EUR', per_day: '10' }] } })
  assert.equal((await create(token, ['bookings.read'])).status, 200)
  assertRefused(await create(token, ['bookings.create']), 'PermissionDenied')
})

test('it neither changes nor rotates a key that may more than it; it may revoke it', async () => {
  const token = await manager()
  const { data: mighty } = await create(admin, ['treasury.withdrawals.create'])
  const path = `/auth/api-keys/${mighty.id}`
  for (const answer of [
    await call('PUT', path, { token, body: body(['bookings.read']) }),
    await call('POST', `${path}/rotate`, { token, body: {} }),
  ])
    assertRefused(answer, 'PermissionDenied')
  assert.equal((await call('DELETE', path, { token })).status, 200)
})

test('it makes no user, and sets no password of a user, who may more than it', async () => {
  const { data } = await create(admin, ['users.write', ...PERMISSIONS_OF.TRADER])
  const token = String(data.secret)
  const user = (roles: string[]) => ({
    email: `made${(labels += 1)}@example.com`,
    roles,
    password: PASSWORD,
  })
  assert.equal((await call('POST', '/users', { token, body: user(['TRADER']) })).status, 200)
  const more = await call('POST', '/users', { token, body: user(['ADMIN']) })
  assertRefused(more, 'PermissionDenied')

  const put = ({ id, email, state }: User, roles: string[]) =>
    call('PUT', '/users', { token, body: { id, email, state, roles, password: `${PASSWORD} 2` } })
  const trader = await newUser(['TRADER'])
  assert.equal((await put(trader, ['TRADER'])).status, 200)
  assertRefused(await put(trader, ['ADMIN']), 'PermissionDenied')
  assertRefused(await put(await newUser(['ADMIN']), ['TRADER']), 'PermissionDenied')
})

test('bound to networks it makes no user: a password is accepted everywhere', async () => {
  const reading = ['users.write', ...PERMISSIONS_OF.READER]
  const { data } = await create(admin, reading, { networks: ['10.1.0.0/16'] })
  const { id, email, state, roles } = await newUser(['READER'])
  for (const [method, body_] of [
    ['POST', { email: 'far@example.com', roles, password: PASSWORD }],
    ['PUT', { id, email, state, roles, password: `${PASSWORD} 2` }],
  ] as const) {
    const from = { token: String(data.secret), address: '10.1.2.3' }
    const refused = await call(method, '/users', { ...from, body: body_ })
    assertRefused(refused, 'PermissionDenied')
    assert.match(refused.error_description ?? '', /bound to networks/)
  }
})
