import assert from 'node:assert/strict'
import { test } from 'node:test'
import { workerCaller } from '../http/index.ts'
import type { Answer } from '../http/testing.ts'
import { sql } from '../store/sql.ts'
import { assertRefused, HOUR, openAccessWorld, PASSWORD } from './access.testing.ts'
import type { TokenSet } from './access.testing.ts'
import { enrol, shownCode } from './factors.testing.ts'
import type { Enrolled } from './factors.testing.ts'
import { createWorkspace, putSettings, resetFactorsByOperator, resetPassword } from './index.ts'
import type { Role } from './index.ts'

const { access, call, clock, db, newUser, startProcess, tokensOf, workspace } =
  await openAccessWorld({ wrapped: true })

const STEP = 30_000

let logins = 0
/** Each from another network address, so that only the limit of the factor is met. */
function logIn(email: string, code?: string, through = call): Promise<Answer<TokenSet>> {
  logins += 1
  return through<TokenSet>('POST', '/auth/login', {
    body: { email, password: PASSWORD, ...(code === undefined ? {} : { code }) },
    address: `10.8.${logins >> 8}.${logins & 255}`,
  })
}

/** Somebody with an app, whose last code is already used up. */
async function person(...roles: Role[]): Promise<Enrolled & { email: string; token: string }> {
  const { email } = await newUser(roles)
  const token = (await tokensOf(email)).access_token
  const enrolled = await enrol(call, clock, token)
  return { ...enrolled, email, token }
}

async function demand(roles: Role[], of = workspace): Promise<void> {
  await db.tx((tx) =>
    putSettings(workerCaller(of, 'test'), tx, clock, { second_factor_roles: roles }),
  )
}

async function until(what: () => Promise<boolean>): Promise<void> {
  const start = performance.now()
  while (!(await what())) assert.ok(performance.now() - start < 10_000, 'within 10 s')
}

test('with a factor a login needs a code, which works once, also in two processes', async () => {
  const { email, secret } = await person('READER')
  const elsewhere = await startProcess()
  assertRefused(await logIn(email), 'SecondFactorRequired')
  assertRefused(await logIn(email, shownCode(secret, clock)), 'SecondFactorRequired', 'WRONG_CODE')
  clock.advance(STEP)
  const code = shownCode(secret, clock)
  const answers = await Promise.all([logIn(email, code), logIn(email, code, elsewhere.call)])
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 401])
  assertRefused(await logIn(email, shownCode(secret, clock, -1)), 'SecondFactorRequired')
  // A telephone that is half a minute ahead.
  assert.equal((await logIn(email, shownCode(secret, clock, 1))).status, 200)
  assertRefused(await logIn(email, shownCode(secret, clock, 2)), 'SecondFactorRequired')
  assertRefused(await logIn(email, 'nonsense'), 'SecondFactorRequired', 'WRONG_CODE')
  clock.advance(HOUR)
})

test('the console gets its cookie only after both steps', async () => {
  const { email, secret } = await person('READER')
  clock.advance(STEP)
  const toConsole = (code?: string) =>
    call<{ must_set_up_second_factor: boolean }>('POST', '/auth/console/login', {
      body: { email, password: PASSWORD, ...(code === undefined ? {} : { code }) },
    })
  const first = await toConsole()
  assertRefused(first, 'SecondFactorRequired')
  assert.equal(first.headers['set-cookie'], undefined)
  const wrong = await toConsole('000000')
  assert.equal(wrong.headers['set-cookie'], undefined)
  const both = await toConsole(shownCode(secret, clock))
  assert.equal(both.status, 200, both.text)
  assert.match(String(both.headers['set-cookie']), /^kontor_session=/)
  clock.advance(HOUR)
})

test('guessing codes is slowed down, from wherever, and many at once guess no more', async () => {
  const { email, secret } = await person('READER')
  clock.advance(STEP)
  const guesses = await Promise.all(
    Array.from({ length: 40 }, (_, guess) => logIn(email, String(100_000 + guess))),
  )
  const looked = guesses.filter(({ status }) => status === 401).length
  assert.ok(looked <= 5, `${looked} were looked at`)
  const blocked = await logIn(email, shownCode(secret, clock))
  assertRefused(blocked, 'RateLimited')
  clock.advance(HOUR)
  assert.equal((await logIn(email, shownCode(secret, clock))).status, 200)
  clock.advance(HOUR)
})

test('a recovery code works once, also when two use it at once', async () => {
  const { email, recovery_codes } = await person('READER')
  const elsewhere = await startProcess()
  assert.equal(new Set(recovery_codes).size, 10)
  const [code = '', second = ''] = recovery_codes
  const answers = await Promise.all([logIn(email, code), logIn(email, code, elsewhere.call)])
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 401])
  assertRefused(await logIn(email, code), 'SecondFactorRequired', 'WRONG_CODE')
  const used = await db.query(sql`
    select 1
    from security_log
    where email = ${email}
      and kind = 'RECOVERY_CODE_USED'`)
  assert.equal(used.length, 1)
  const typed = await logIn(email, second.toUpperCase().replaceAll('-', ' '))
  assert.equal(typed.status, 200, typed.text)

  const renewed = await call<{ recovery_codes: string[] }>('POST', '/auth/factors/recovery-codes', {
    token: typed.data.access_token,
  })
  assert.equal(renewed.status, 200, renewed.text)
  assertRefused(await logIn(email, recovery_codes[2]), 'SecondFactorRequired', 'WRONG_CODE')
  assert.equal((await logIn(email, renewed.data.recovery_codes[0])).status, 200)
  clock.advance(HOUR)
})

test('setting up needs the password and a first code, and ends the other sessions', async () => {
  const { email } = await newUser(['READER'])
  const [first, other] = [await tokensOf(email), await tokensOf(email)]
  const begin = (password: string) =>
    call<{ id: string; secret: string; address: string }>('POST', '/auth/factors/totp', {
      body: { password },
      token: first.access_token,
    })
  assertRefused(await begin(`${PASSWORD}x`), 'WrongUserNamePassword')
  const { data } = await begin(PASSWORD)
  assert.match(data.address, /^otpauth:\/\/totp\/Kontor%20Main:user/)
  const confirm = (code: string) =>
    call('POST', `/auth/factors/${data.id}/confirm`, { body: { code }, token: first.access_token })
  assertRefused(await confirm('000000'), 'SecondFactorRequired', 'WRONG_CODE')
  assert.equal((await logIn(email)).status, 200, 'it does not count yet')
  assert.equal((await confirm(shownCode(data.secret, clock))).status, 200)
  assertRefused(await confirm(shownCode(data.secret, clock, 1)), 'BadRequest', 'STATE_NOT_ALLOWED')
  assert.equal((await call('GET', '/probe', { token: first.access_token })).status, 200)
  assertRefused(await call('GET', '/probe', { token: other.access_token }), 'MissingToken')
  assertRefused(
    await call('POST', '/auth/refresh', {
      body: { access_token: other.access_token, refresh_token: other.refresh_token },
    }),
    'RefreshTokenInvalid',
  )
  const stored = await db.query<{ secret: Buffer }>(sql`
    select secret
    from user_factors
    where id = ${data.id}`)
  assert.ok(!String(stored[0]?.secret).includes(data.secret), 'wrapped')
})

test('what the workspace demands holds every session that has shown no factor', async () => {
  const { email } = await newUser(['TRADER'])
  const reader = await newUser(['READER'])
  const elsewhere = await startProcess()
  const before = await tokensOf(email)
  const untouched = (await tokensOf(reader.email)).access_token
  for (const through of [call, elsewhere.call])
    assert.equal((await through('GET', '/probe', { token: before.access_token })).status, 200)
  await demand(['TRADER'])
  for (const through of [call, elsewhere.call])
    await until(
      async () => (await through('GET', '/probe', { token: before.access_token })).status === 403,
    )
  const refreshed = await call<TokenSet>('POST', '/auth/refresh', {
    body: { access_token: before.access_token, refresh_token: before.refresh_token },
  })
  const fresh = await logIn(email)
  for (const token of [refreshed.data.access_token, fresh.data.access_token]) {
    for (const path of ['/probe', '/probe/stream', '/users'])
      assertRefused(await call('GET', path, { token }), 'SecondFactorMissing')
    assertRefused(await call('POST', '/probe/bookings', { token }), 'SecondFactorMissing')
    const me = await call<{ permissions: string[]; must_set_up_second_factor: boolean }>(
      'GET',
      '/auth/me',
      { token },
    )
    assert.deepEqual([me.data.permissions, me.data.must_set_up_second_factor], [[], true])
  }
  assert.equal((await call('GET', '/probe', { token: untouched })).status, 200)
  const { id } = await enrol(call, clock, fresh.data.access_token)
  assert.equal((await call('GET', '/probe', { token: fresh.data.access_token })).status, 200)
  assertRefused(
    await call('DELETE', `/auth/factors/${id}`, { token: fresh.data.access_token }),
    'BadRequest',
    'CONFLICT',
  )
  await demand([])
  clock.advance(STEP)
  assert.equal(
    (await call('DELETE', `/auth/factors/${id}`, { token: fresh.data.access_token })).status,
    200,
  )
  assert.equal((await logIn(email)).status, 200, 'no factor, no code')
})

test('dangerous commands ask again after ten minutes, also in another process', async () => {
  const { secret, token } = await person('ADMIN')
  const elsewhere = await startProcess()
  const body = {
    email: 'new@example.com',
    roles: ['READER'],
    password: 'a long first password',
  }
  clock.advance(10 * 60_000)
  for (const through of [call, elsewhere.call])
    assertRefused(await through('POST', '/users', { token, body }), 'ConfirmationRequired')
  assert.equal((await call('GET', '/users', { token })).status, 200, 'reading does not ask')
  const confirm = (password: string, code: string) =>
    call('POST', '/auth/confirm', { token, body: { password, code } })
  assertRefused(await confirm(`${PASSWORD}x`, shownCode(secret, clock)), 'WrongUserNamePassword')
  assertRefused(await confirm(PASSWORD, '000000'), 'SecondFactorRequired', 'WRONG_CODE')
  assert.equal((await confirm(PASSWORD, shownCode(secret, clock))).status, 200)
  assert.equal((await elsewhere.call('POST', '/users', { token, body })).status, 200)
  const plain = (await tokensOf((await newUser(['ADMIN'])).email)).access_token
  clock.advance(11 * 60_000)
  const other = { ...body, email: 'other@example.com' }
  assert.equal((await call('POST', '/users', { token: plain, body: other })).status, 200)
})

test('no reset of a password takes the factor along', async () => {
  const { email, secret } = await person('READER')
  const { password } = await db.tx((tx) =>
    resetPassword(tx, clock, { email, by: 'operator test', enable: false }),
  )
  assertRefused(
    await call('POST', '/auth/login', { body: { email, password } }),
    'RequirePasswordChange',
  )
  const renew = (code?: string) =>
    call('POST', '/auth/password', {
      body: { email, old_password: password, new_password: PASSWORD, ...(code && { code }) },
    })
  assertRefused(await renew(), 'SecondFactorRequired')
  clock.advance(STEP)
  assert.equal((await renew(shownCode(secret, clock))).status, 200)
  assertRefused(await logIn(email), 'SecondFactorRequired')
})

test('an administrator takes factors of others, not their own and of no other tenant', async () => {
  const admin = await person('ADMIN')
  const lost = await person('READER')
  const users = await db.query<{ id: string; email: string }>(sql`
    select id, email
    from users
    where email = any(${[admin.email, lost.email]})`)
  const idOf = (email: string) => users.find((user) => user.email === email)?.id ?? ''
  const reset = (id: string, token = admin.token) =>
    call('DELETE', `/users/${id}/factors`, { token })
  assertRefused(await reset(idOf(admin.email)), 'BadRequest', 'CONFLICT')

  const other = await db.tx((tx) => createWorkspace(tx, clock, { name: 'Other' }))
  const stranger = await newUser(['ADMIN'], { workspace: other.id })
  const foreign = (await tokensOf(stranger.email)).access_token
  assertRefused(await reset(idOf(lost.email), foreign), 'NewResourceNotFound')
  const factors = await call<unknown[]>('GET', '/auth/factors', { token: foreign })
  assert.deepEqual(factors.data, [])
  assertRefused(
    await call('DELETE', `/auth/factors/${lost.id}`, { token: foreign }),
    'NewResourceNotFound',
  )
  assert.equal((await reset(idOf(lost.email))).status, 200)
  assertRefused(await call('GET', '/probe', { token: lost.token }), 'MissingToken')
  assert.equal((await logIn(lost.email)).status, 200)

  await db.tx((tx) =>
    resetFactorsByOperator(tx, clock, { email: admin.email, by: 'operator test' }),
  )
  assert.equal((await logIn(admin.email)).status, 200, 'the operator lets the last one in')
  await access.security.write()
  const told = await db.query<{ actor: string }>(sql`
    select actor
    from security_log
    where kind = 'FACTOR_REMOVED'
      and email = ${admin.email}`)
  assert.deepEqual(told, [{ actor: 'operator test' }])
})

test('without a key file nothing is set up', async () => {
  const bare = await openAccessWorld()
  const token = await bare.tokenWith('READER')
  assertRefused(
    await bare.call('POST', '/auth/factors/totp', { token, body: { password: PASSWORD } }),
    'BadRequest',
    'CONFLICT',
  )
})

test('the own password is changed with the old one alone', async () => {
  const { email, id, roles } = await newUser(['ADMIN'])
  const token = (await tokensOf(email)).access_token
  const body = { id, email, roles, state: 'ACTIVE', password: 'another long password' }
  assertRefused(await call('PUT', '/users', { token, body }), 'BadRequest', 'CONFLICT')
})
