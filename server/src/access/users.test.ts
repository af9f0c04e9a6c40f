import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../core/ids.ts'
import { assertRefused, openAccessWorld, PASSWORD } from './access.testing.ts'
import { createFirstUser, createWorkspace, PERMISSIONS, PERMISSIONS_OF, ROLES } from './index.ts'
import type { User } from './index.ts'

const { call, clock, db, newUser, tokensOf, tokenWith, workspace } = await openAccessWorld()

test('the first start makes one workspace and one user with every role', async () => {
  assert.deepEqual(await createFirstUser(db, clock, { email: 'other@example.com' }), {
    created: false,
  })
  const { access_token } = await tokensOf('FIRST@example.COM')
  const users = await call<User[]>('GET', '/users?email=first%40example.com', {
    token: access_token,
  })
  assert.deepEqual(
    users.data.map(({ email, roles, state, workspace: home }) => ({ email, roles, state, home })),
    [{ email: 'first@example.com', roles: [...ROLES], state: 'ACTIVE', home: workspace }],
  )
  assert.ok(!users.text.includes('argon2'), 'no hash leaves the service')
})

test('ADMIN alone moves no money, and a missing permission is named', async () => {
  const answer = await call('POST', '/probe/bookings', { token: await tokenWith('ADMIN') })
  assertRefused(answer, 'PermissionDenied')
  assert.match(answer.error_description ?? '', /bookings\.create/)
  assertRefused(
    await call('GET', '/users', { token: await tokenWith('AUDITOR', 'TRADER') }),
    'PermissionDenied',
  )
  const accountant = await tokenWith('ACCOUNTANT')
  assert.equal((await call('POST', '/probe/bookings', { token: accountant })).status, 200)
  assert.equal(
    PERMISSIONS_OF.ADMIN.filter((permission) =>
      /create|decide|allow|^treasury|customers\.write|matchings\.write/.test(permission),
    ).length,
    0,
  )
  assert.deepEqual(
    new Set(ROLES.flatMap((role) => PERMISSIONS_OF[role])),
    new Set(Object.keys(PERMISSIONS)),
    'every permission belongs to a role',
  )
})

const body = {
  email: 'New.Person@Example.com',
  name: 'New Person',
  roles: ['TRADER'],
  password: PASSWORD,
}

test('a user is created; what is wrong is refused', async () => {
  const admin = await newUser(['ADMIN'])
  const { access_token: token } = await tokensOf(admin.email)
  const created = await call<User>('POST', '/users', { token, body })
  assert.equal(created.status, 200, created.text)
  const { email, must_change_password, version, system_created_by, last_login_at } = created.data
  assert.deepEqual(
    { email, must_change_password, version, system_created_by, last_login_at },
    {
      email: 'new.person@example.com',
      must_change_password: true,
      version: 1,
      system_created_by: admin.id,
      last_login_at: null,
    },
  )
  const refusals = [
    { change: { email: 'NEW.person@example.com' }, detail: 'DUPLICATE' },
    { change: { email: 'x@example.com', password: 'short' }, detail: 'WEAK_PASSWORD' },
    {
      change: { email: 'x@example.com', name: 'Mallory\n\nLog in at evil.test' },
      detail: 'FORMAT',
    },
    ...['1234567890', 'Password1!', 'iloveyou2024', 'Kontor-2026'].map((password) => ({
      change: { email: 'x@example.com', password },
      detail: 'WEAK_PASSWORD',
    })),
    { change: { email: 'no address' }, detail: 'FORMAT' },
    { change: { email: 'x@example.com', roles: ['KING'] }, detail: 'ENUM' },
    { change: { email: 'x@example.com', roles: [] }, detail: 'RANGE' },
  ]
  for (const { change, detail } of refusals)
    assertRefused(
      await call('POST', '/users', { token, body: { ...body, ...change } }),
      'BadRequest',
      detail,
    )
})

test('a user is changed; refusals change nothing', async () => {
  const admin = await newUser(['ADMIN'])
  const { access_token: token } = await tokensOf(admin.email)
  const put = (user: object) => call<User>('PUT', '/users', { token, body: user })
  const email = 'changed.person@example.com'
  const { data: user } = await call<User>('POST', '/users', { token, body: { ...body, email } })

  const changed = await put({ ...user, roles: ['READER'] })
  const { roles, version } = changed.data
  assert.deepEqual(
    { status: changed.status, roles, version },
    { status: 200, roles: ['READER'], version: 2 },
    changed.text,
  )
  assertRefused(await put({ ...user, roles: ['ADMIN'] }), 'BadRequest', 'STALE_VERSION')
  assertRefused(await put({ ...changed.data, email: admin.email }), 'BadRequest', 'DUPLICATE')
  assertRefused(await put({ ...changed.data, id: newId() }), 'NewResourceNotFound')
  assertRefused(await put({ ...changed.data, id: '7' }), 'BadRequest', 'MALFORMED_ID')
  const own = { ...admin, version: undefined }
  assertRefused(await put({ ...own, roles: [...ROLES] }), 'BadRequest', 'CONFLICT')
  assertRefused(await put({ ...own, state: 'DISABLED' }), 'BadRequest', 'CONFLICT')
  const listed = await call<User[]>('GET', `/users?email=${email}&state=active`, { token })
  assert.deepEqual(listed.data, [changed.data])
})

test('a repeated POST /users with the same key makes one user', async () => {
  const token = await tokenWith('ADMIN')
  const once = { email: 'once@example.com', roles: ['READER'], password: PASSWORD }
  const headers = { 'idempotency-key': 'once' }
  const [one, two] = [
    await call<User>('POST', '/users', { token, body: once, headers }),
    await call<User>('POST', '/users', { token, body: once, headers }),
  ]
  assert.deepEqual(one.data, two.data)
  assertRefused(
    await call('POST', '/users', { token, body: { ...once, roles: ['ADMIN'] }, headers }),
    'IdempotencyConflict',
  )
})

test('two workspaces see nothing of each other', async () => {
  const other = await db.tx((tx) => createWorkspace(tx, clock, { name: 'Other' }))
  await assert.rejects(
    db.tx((tx) => createWorkspace(tx, clock, { name: 'Other' })),
    { kind: 'BadRequest' },
  )
  const here = await newUser(['ADMIN'])
  const there = await newUser(['ADMIN'], { workspace: other.id })
  const { access_token: token } = await tokensOf(there.email)
  const listed = await call<User[]>('GET', '/users', { token })
  assert.deepEqual(
    listed.data.map((user) => user.id),
    [there.id],
  )
  assertRefused(
    await call('PUT', '/users', { token, body: { ...here, name: 'Mine now' } }),
    'NewResourceNotFound',
  )
})
