/** What the security log has of sign-ins and passwords: who was kept out and why, what changed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../store/sql.ts'
import { assertRefused, openAccessWorld, PASSWORD } from './access.testing.ts'
import type { SecurityEntry } from './security-log.schema.ts'

const { access, call, db, newUser, tokensOf, tokenWith } = await openAccessWorld()

const auditor = await tokenWith('AUDITOR')
const PLACE = { address: '192.0.2.30', headers: { 'user-agent': 'a program' } }
const FROM = { address: PLACE.address, agent: 'a program' }
const NEW_PASSWORD = `${PASSWORD} anew`

/** Of this user and kind, newest first. */
async function entries(user_id: string, kind: SecurityEntry['kind']) {
  await access.security.write()
  const url = `/security-log?user_id=${user_id}&kind=${kind}`
  const { data } = await call<SecurityEntry[]>('GET', url, { token: auditor })
  assert.ok(!JSON.stringify(data).includes(PASSWORD))
  return data.map(({ actor, email, session_id, address, agent, count, details }) => ({
    actor,
    email,
    session_id,
    address,
    agent,
    count,
    details,
  }))
}

const login = (email: string, password = PASSWORD) =>
  call('POST', '/auth/login', { body: { email, password }, ...PLACE })

test('a password that its owner changes is told once, with where it was changed', async () => {
  const { id, email } = await newUser(['READER'], { must_change_password: true })
  const change = (old_password: string, new_password: string) =>
    call('POST', '/auth/password', { body: { email, old_password, new_password }, ...PLACE })
  assertRefused(await change('wrong', NEW_PASSWORD), 'WrongUserNamePassword')
  assertRefused(await change(PASSWORD, 'short'), 'BadRequest', 'WEAK_PASSWORD')
  assert.deepEqual(await entries(id, 'PASSWORD_CHANGED'), [])
  assert.equal((await change(PASSWORD, NEW_PASSWORD)).status, 200)
  const own = { actor: id, email, session_id: null, ...FROM, count: 1 }
  assert.deepEqual(await entries(id, 'PASSWORD_CHANGED'), [{ ...own, details: {} }])
  assert.deepEqual(await entries(id, 'SIGN_IN_FAILED'), [
    { ...own, actor: null, details: { reason: 'WRONG_PASSWORD' } },
  ])
})

test('in a session it is told with the session', async () => {
  const { id, email } = await newUser(['READER'])
  const { access_token: token } = await tokensOf(email)
  const [session_id] = (await entries(id, 'SIGNED_IN')).map((entry) => entry.session_id)
  const body = { old_password: PASSWORD, new_password: NEW_PASSWORD }
  assert.equal((await call('POST', '/auth/password', { body, token, ...PLACE })).status, 200)
  assert.deepEqual(await entries(id, 'PASSWORD_CHANGED'), [
    { actor: id, email, session_id, ...FROM, count: 1, details: {} },
  ])
})

test('a refresh that is refused is told with the account of the access token', async () => {
  const { id, email } = await newUser(['READER'])
  const { access_token, refresh_token } = await tokensOf(email)
  const [session_id] = (await entries(id, 'SIGNED_IN')).map((entry) => entry.session_id)
  const refresh = (secret: string) =>
    call('POST', '/auth/refresh', { body: { access_token, refresh_token: secret }, ...PLACE })
  assert.equal((await refresh(refresh_token)).status, 200)
  assert.deepEqual(await entries(id, 'REFRESH_REFUSED'), [])
  assertRefused(await refresh(`${refresh_token}x`), 'RefreshTokenInvalid')
  await call('POST', '/auth/logout', { token: access_token })
  assertRefused(await refresh(refresh_token), 'RefreshTokenInvalid')
  const found = await entries(id, 'REFRESH_REFUSED')
  assert.equal(
    found.reduce((sum, { count }) => sum + count, 0),
    2,
  )
  for (const entry of found)
    assert.deepEqual(
      { ...entry, count: 1 },
      { actor: null, email, session_id, ...FROM, count: 1, details: {} },
    )
})

test('who was disabled, and who is slowed down, is told from who typed wrongly', async () => {
  const [disabled, guessed] = [await newUser(['READER']), await newUser(['READER'])]
  await db.query(sql`
    update users
    set state = 'DISABLED'
    where id = ${disabled.id}`)
  assertRefused(await login(disabled.email), 'WrongUserNamePassword')
  const failed = { actor: null, session_id: null, ...FROM }
  assert.deepEqual(await entries(disabled.id, 'SIGN_IN_FAILED'), [
    { ...failed, email: disabled.email, count: 1, details: { reason: 'DISABLED' } },
  ])

  const WRONG = 5
  for (let times = 1; times <= WRONG; times += 1)
    assertRefused(await login(guessed.email, 'wrong'), 'WrongUserNamePassword')
  assertRefused(await login(guessed.email), 'RateLimited')
  const found = await entries(guessed.id, 'SIGN_IN_FAILED')
  assert.ok(found.every(({ email }) => email === guessed.email))
  const counts = Object.groupBy(found, ({ details }) => String(details['reason' as never]))
  assert.deepEqual(
    Object.entries(counts)
      .map(([reason, some = []]) => [reason, some.reduce((sum, { count }) => sum + count, 0)])
      .toSorted(),
    [
      ['SLOWED_DOWN', 1],
      ['WRONG_PASSWORD', WRONG],
    ],
  )
})
