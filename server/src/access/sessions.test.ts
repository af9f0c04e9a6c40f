import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertRefused, HOUR, openAccessWorld, PASSWORD } from './access.testing.ts'
import type { TokenSet } from './access.testing.ts'
import { forgetOldAccess, openAccess } from './index.ts'

const DAY = 24 * HOUR
const { call, clock, db, login, newUser, startProcess, tokensOf, tokenWith } =
  await openAccessWorld()

test('an access token lives one hour, then 1005; a refresh token 30 days, then 1006', async () => {
  const user = await newUser(['READER'])
  assertRefused(await login('ghost@example.com', 'wrong'), 'WrongUserNamePassword')
  const { access_token, refresh_token } = await tokensOf(user.email)
  clock.advance(HOUR - 1000)
  assert.equal((await call('GET', '/probe', { token: access_token })).status, 200)
  clock.advance(1000)
  assertRefused(await call('GET', '/probe', { token: access_token }), 'TokenExpired')

  const refresh = (access: string, token = refresh_token) =>
    call<TokenSet>('POST', '/auth/refresh', {
      body: { access_token: access, refresh_token: token },
    })
  const answers = await Promise.all([
    refresh(access_token),
    refresh(access_token),
    refresh(access_token),
  ])
  for (const { data } of answers) {
    assert.deepEqual(Object.keys(data).toSorted(), ['access_token', 'id_token'])
    assert.equal((await call('GET', '/probe', { token: data.access_token })).status, 200)
  }
  assert.equal(new Set(answers.map(({ data }) => data.access_token)).size, 3)

  const other = await tokensOf(user.email)
  assertRefused(await refresh(other.access_token), 'RefreshTokenInvalid')
  assertRefused(await refresh(access_token, other.refresh_token), 'RefreshTokenInvalid')
  assertRefused(await refresh(answers[0].data.id_token), 'RefreshTokenInvalid')
  assertRefused(await refresh(`${access_token}x`), 'RefreshTokenInvalid')
  assertRefused(await refresh('nonsense', 'nonsense'), 'RefreshTokenInvalid')

  clock.advance(30 * DAY - HOUR - 1000)
  const late = await refresh(access_token)
  assert.equal(late.status, 200)
  clock.advance(1000)
  assertRefused(await refresh(late.data.access_token), 'RefreshTokenInvalid')
  clock.advance(1)
  const forgotten = await forgetOldAccess(db, clock)
  assert.equal(forgotten, 4, 'a session, and a failure of a caller, an account and a network')
  assert.equal(await forgetOldAccess(db, clock), 0)
})

test('logout ends one session, at once here and soon in another process', async () => {
  const user = await newUser(['READER'])
  const elsewhere = await startProcess()
  const tokens = await tokensOf(user.email)
  const other = await tokensOf(user.email)
  for (const process of [call, elsewhere.call])
    assert.equal((await process('GET', '/probe', { token: tokens.access_token })).status, 200)
  assert.equal((await call('POST', '/auth/logout', { token: tokens.access_token })).status, 200)
  assertRefused(await call('GET', '/probe', { token: tokens.access_token }), 'MissingToken')
  assertRefused(
    await call('POST', '/auth/refresh', {
      body: { access_token: tokens.access_token, refresh_token: tokens.refresh_token },
    }),
    'RefreshTokenInvalid',
  )
  assert.equal((await call('GET', '/probe', { token: other.access_token })).status, 200)
  const start = performance.now()
  for (
    let now = start;
    (await elsewhere.call('GET', '/probe', { token: tokens.access_token })).status === 200;
    now = performance.now()
  )
    assert.ok(now - start < 10_000, 'noticed within 10 s')
  assertRefused(
    await elsewhere.call('GET', '/probe', { token: tokens.access_token }),
    'MissingToken',
  )
  assert.equal((await elsewhere.call('GET', '/probe', { token: other.access_token })).status, 200)
})

test('other roles, a reset password and DISABLED end all sessions at once', async () => {
  const token = await tokenWith('ADMIN')
  const changes: Record<string, unknown>[] = [
    { roles: ['ADMIN', 'READER'] },
    { password: `${PASSWORD} 2` },
    { must_change_password: true },
    { state: 'DISABLED' },
  ]
  for (const change of changes) {
    const user = await newUser(['TRADER'])
    const session = await tokensOf(user.email)
    assert.equal((await call('GET', '/probe', { token: session.access_token })).status, 200)
    const record = { ...user, version: undefined }
    assert.equal(
      (await call('PUT', '/users', { token, body: { ...record, name: 'Only the name' } })).status,
      200,
    )
    assert.equal(
      (await call('GET', '/probe', { token: session.access_token })).status,
      200,
      'a name ends nothing',
    )
    assert.equal(
      (await call('PUT', '/users', { token, body: { ...record, ...change } })).status,
      200,
    )
    assertRefused(await call('GET', '/probe', { token: session.access_token }), 'MissingToken')
    assertRefused(
      await call('POST', '/auth/refresh', {
        body: { access_token: session.access_token, refresh_token: session.refresh_token },
      }),
      'RefreshTokenInvalid',
    )
  }
})

test('a thousand checks of one token cost no query', async () => {
  const access = await openAccess(db, clock)
  const header = `Bearer ${await tokenWith('READER')}`
  const rounds = 1_000
  const rates: number[] = []
  // One run of a thousand is enough: in another the machine may have done something else meanwhile.
  while (rates.length < 200 && !(Math.max(0, ...rates) > 15_000)) {
    await access.authenticate(header, { ip: '10.0.0.1' })
    const start = performance.now()
    let asynchronous = 0
    for (let round = 0; round < rounds; round += 1)
      if (access.authenticate(header, { ip: '10.0.0.1' }) instanceof Promise) asynchronous += 1
    rates.push(asynchronous > 0 ? 0 : rounds / ((performance.now() - start) / 1000))
  }
  assert.ok(Math.max(...rates) > 15_000, `${Math.round(Math.max(...rates))} a second`)
})
