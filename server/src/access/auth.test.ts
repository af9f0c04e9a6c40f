import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { createSigner } from 'fast-jwt'
import { ERRORS } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import { sql } from '../store/sql.ts'
import { assertRefused, HOUR, openAccessWorld, PASSWORD } from './access.testing.ts'
import type { TokenSet } from './access.testing.ts'
import type { User } from './index.ts'
import { FAILURES_TO_LOCK } from './login-throttle.ts'

const { call, clock, db, login, newUser, startProcess, tokensOf, workspace } =
  await openAccessWorld()

test('login answers three tokens, of which only the access token opens', async () => {
  const user = await newUser(['READER'])
  const tokens = await tokensOf(user.email)
  const who = await call('GET', '/probe', { token: tokens.access_token })
  assert.deepEqual(who.data, { workspace, user_id: user.id })
  const foreign = createSigner({
    algorithm: 'EdDSA',
    key: generateKeyPairSync('ed25519', {
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    }).privateKey,
  })
  const [header = '', payload = '', signature = ''] = tokens.access_token.split('.')
  const kid = (JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid: string }).kid
  const noAlgorithm = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT', kid }))
  const unsigned = `${noAlgorithm.toString('base64url')}.${payload}.`
  const other = Buffer.from(payload, 'base64url').toString().replace(user.id, newId())
  for (const token of [
    tokens.id_token,
    tokens.refresh_token,
    'x',
    '',
    'a.b.c',
    foreign({ sub: user.id, sid: newId(), workspace }),
    unsigned,
    `${header}.${Buffer.from(other).toString('base64url')}.${signature}`,
    `${tokens.access_token}x`,
  ]) {
    assertRefused(await call('GET', '/probe', { token }), 'MissingToken')
  }
  assertRefused(await call('GET', '/probe'), 'MissingToken')
  assertRefused(
    await call('GET', '/probe', { headers: { authorization: `Basic ${tokens.access_token}` } }),
    'MissingToken',
  )
})

test('a wrong password, an unknown and a disabled address get one answer in one time', async () => {
  const disabled = await newUser(['READER'])
  await db.query(sql`
    update users
    set state = 'DISABLED'
    where id = ${disabled.id}`)
  const timed = async (email: string, password: string) => {
    const start = performance.now()
    const answer = await login(email, password)
    assertRefused(answer, 'WrongUserNamePassword')
    const { error_description, error_details } = answer
    assert.deepEqual(
      { error_description, error_details },
      { error_description: undefined, error_details: undefined },
    )
    return performance.now() - start
  }
  const known: number[] = []
  const unknown: number[] = []
  const alike = () =>
    Math.min(...unknown) > Math.min(...known) / 3 && Math.min(...known) > Math.min(...unknown) / 3
  // What a busy machine adds is not in all of them; a shorter way would be in each.
  for (let tries = 1; tries === 1 || (!alike() && tries <= 10); tries += 1) {
    const { email } = await newUser(['READER'])
    for (const round of [1, 2, 3, 4]) {
      known.push(await timed(email, `wrong ${round}`))
      unknown.push(await timed(`nobody${tries}@example.com`, `wrong ${round}`))
    }
  }
  await timed(disabled.email, PASSWORD)
  assert.ok(alike(), `${known} against ${unknown}`)
  assertRefused(
    await call('POST', '/auth/login', { body: { email: disabled.email } }),
    'BadRequest',
    'REQUIRED',
  )
  assertRefused(
    await call('POST', '/auth/login', { body: { email: disabled.email, password: 7 } }),
    'BadRequest',
    'TYPE',
  )
})

test('1004 until the password is changed, then only the new password opens', async () => {
  const user = await newUser(['READER'], { must_change_password: true })
  assertRefused(await login(user.email, PASSWORD), 'RequirePasswordChange')
  assertRefused(await login(user.email, 'wrong password'), 'WrongUserNamePassword')
  const change = (body: Record<string, unknown>, token?: string) =>
    call<User>('POST', '/auth/password', { body, token })
  const next = 'another long password'
  assertRefused(
    await change({ email: user.email, old_password: 'wrong password', new_password: next }),
    'WrongUserNamePassword',
  )
  assertRefused(
    await change({ email: user.email, old_password: PASSWORD, new_password: 'short' }),
    'BadRequest',
    'WEAK_PASSWORD',
  )
  assertRefused(
    await change({ email: user.email, old_password: PASSWORD, new_password: PASSWORD }),
    'BadRequest',
    'WEAK_PASSWORD',
  )
  assertRefused(
    await change({ old_password: PASSWORD, new_password: next }),
    'BadRequest',
    'REQUIRED',
  )
  const changed = await change({ email: user.email, old_password: PASSWORD, new_password: next })
  assert.equal(changed.status, 200, changed.text)
  assert.equal(changed.data.must_change_password, false)
  assertRefused(await login(user.email, PASSWORD), 'WrongUserNamePassword')

  const [mine, other] = [await login(user.email, next), await login(user.email, next)]
  assert.equal(
    (await change({ old_password: next, new_password: PASSWORD }, mine.data.access_token)).status,
    200,
  )
  assert.equal(
    (await call('GET', '/probe', { token: mine.data.access_token })).status,
    200,
    'the session that changed it goes on',
  )
  assertRefused(await call('GET', '/probe', { token: other.data.access_token }), 'MissingToken')
})

/** From the same place each time. */
const from = (address: string, through = call) => ({
  guess: (email: string, password = 'wrong', more = {}) =>
    through('POST', '/auth/login', { body: { email, password, ...more }, address }),
})

const failAs = (subject: string, failures: number) =>
  db.query(sql`
    update login_throttles
    set failures = ${failures}
    where subject = ${subject}`)

test('failures slow the caller down, known address or not, over processes', async () => {
  const user = await newUser(['READER'])
  const elsewhere = await startProcess()
  const pausesOf = async (email: string): Promise<number[]> => {
    const pauses: number[] = []
    const [here, there] = [from('192.0.2.1'), from('192.0.2.1', elsewhere.call)]
    for (let failure = 1; failure <= FAILURES_TO_LOCK + 1; failure += 1) {
      const place = failure % 2 === 0 ? here : there
      assertRefused(await place.guess(email), 'WrongUserNamePassword')
      if (failure < 5) continue
      const blocked = await here.guess(email, PASSWORD)
      assertRefused(blocked, 'RateLimited')
      pauses.push(Number(blocked.headers['retry-after']))
      clock.advance(Number(blocked.headers['retry-after']) * 1000)
    }
    return pauses
  }
  for (const email of [user.email, 'ghost@example.com'])
    assert.deepEqual(await pausesOf(email), [1, 2, 4, 8, 16, 900, 2])
  for (let round = 1; round <= 3; round += 1) {
    assert.equal(
      (await from('192.0.2.2').guess(user.email, PASSWORD)).status,
      200,
      'a right password starts the count anew',
    )
    for (let failure = 1; failure <= 4; failure += 1)
      assertRefused(await from('192.0.2.2').guess(user.email), 'WrongUserNamePassword')
  }
})

test('a guesser locks out nobody else, and by rare guesses not even the own place', async () => {
  const user = await newUser(['READER'])
  const guesser = from('192.0.2.10')
  for (let guess = 1; guess <= 12; guess += 1) {
    assertRefused(await guesser.guess(user.email), 'WrongUserNamePassword')
    clock.advance(15 * 60_000)
  }
  for (let failure = 1; failure <= 5; failure += 1) await guesser.guess(user.email)
  assertRefused(await guesser.guess(user.email, PASSWORD), 'RateLimited')
  assert.equal((await from('192.0.2.11').guess(user.email, PASSWORD)).status, 200)
})

test('guesses from many places hold up strangers, and no known network or device', async () => {
  const [user, other] = [await newUser(['READER']), await newUser(['READER'])]
  const home = from('198.51.100.1')
  const tokens = (await home.guess(user.email, PASSWORD)).data as TokenSet
  const foreign = (await home.guess(other.email, PASSWORD)).data as TokenSet
  await from('198.51.100.2').guess(user.email)
  await failAs(`account ${user.email}`, 100)
  assertRefused(await from('198.51.100.3').guess(user.email), 'WrongUserNamePassword')
  const stranger = from('198.51.100.4')
  const tries = { id_token: foreign.id_token }
  assertRefused(await stranger.guess(user.email, PASSWORD), 'RateLimited')
  assertRefused(await stranger.guess(user.email, PASSWORD, tries), 'RateLimited')
  assert.equal((await home.guess(user.email, PASSWORD)).status, 200)
  const { id_token } = tokens
  assert.equal((await stranger.guess(user.email, PASSWORD, { id_token })).status, 200)
  const { status } = await call('POST', '/auth/refresh', {
    address: '198.51.100.4',
    body: { access_token: tokens.access_token, refresh_token: tokens.refresh_token },
  })
  assert.equal(status, 200)
})

test('a device is known for 90 days, and counts its own failures', async () => {
  const user = await newUser(['READER'])
  const { id_token } = (await from('198.51.100.20').guess(user.email, PASSWORD)).data as TokenSet
  const crowded = from('198.51.100.21')
  const device = { id_token }
  for (let failure = 1; failure <= 5; failure += 1) await crowded.guess(user.email)
  assertRefused(await crowded.guess(user.email, PASSWORD), 'RateLimited')
  assert.equal((await crowded.guess(user.email, PASSWORD, device)).status, 200)
  for (let failure = 1; failure <= 5; failure += 1)
    assertRefused(await crowded.guess(user.email, 'wrong', device), 'WrongUserNamePassword')
  assertRefused(await crowded.guess(user.email, PASSWORD, device), 'RateLimited')
  clock.advance(91 * 24 * HOUR)
  for (let failure = 1; failure <= 5; failure += 1) await crowded.guess(user.email)
  assertRefused(await crowded.guess(user.email, PASSWORD, device), 'RateLimited')
})

test('a network is known for 90 days; strangers pause for a minute', async () => {
  const user = await newUser(['READER'])
  const home = from('198.51.100.30')
  assert.equal((await home.guess(user.email, PASSWORD)).status, 200)
  clock.advance(91 * 24 * HOUR)
  await from('198.51.100.31').guess(user.email)
  await failAs(`account ${user.email}`, 100)
  await from('198.51.100.32').guess(user.email)
  const answer = await home.guess(user.email, PASSWORD)
  assertRefused(answer, 'RateLimited')
  assert.equal(answer.headers['retry-after'], '60')
})

test('a network that guesses at many accounts holds up strangers there alone', async () => {
  const [user, stranger] = [await newUser(['READER']), await newUser(['READER'])]
  const office = from('203.0.113.1')
  assert.equal((await office.guess(user.email, PASSWORD)).status, 200)
  await office.guess('nobody@example.com')
  await failAs('network 203.0.113.1', 300)
  await office.guess('nobody2@example.com')
  assertRefused(await office.guess(stranger.email, PASSWORD), 'RateLimited')
  assert.equal((await office.guess(user.email, PASSWORD)).status, 200)
  assert.equal((await from('203.0.113.2').guess(stranger.email, PASSWORD)).status, 200)
})

test('requests that are no login hold up nobody behind the same proxy', async () => {
  const user = await newUser(['READER'])
  const address = '203.0.113.9'
  for (const path of ['/auth/login', '/auth/password', '/auth/refresh'])
    for (let count = 1; count <= 130; count += 1)
      assert.equal((await call('POST', path, { body: {}, address })).status, 400)
  assert.equal((await from(address).guess(user.email, PASSWORD)).status, 200)
})

test('a session that refreshes in a loop slows down itself alone', async () => {
  const user = await newUser(['READER'])
  const [busy, calm] = [await tokensOf(user.email), await tokensOf(user.email)]
  const renew = ({ access_token, refresh_token }: TokenSet) =>
    call('POST', '/auth/refresh', { body: { access_token, refresh_token } })
  const answers = await Promise.all(
    Array.from({ length: 700 }, () => renew({ ...busy, refresh_token: 'wrong' })),
  )
  assert.ok(answers.some(({ error_code }) => error_code === ERRORS.RateLimited.code))
  assert.equal((await renew(calm)).status, 200)
})

test('guesses in parallel gain nothing, right logins in parallel all pass', async () => {
  const user = await newUser(['READER'])
  const place = from('203.0.113.20')
  const right = await Promise.all(
    Array.from({ length: 8 }, () => place.guess(user.email, PASSWORD)),
  )
  assert.deepEqual(
    right.map((answer) => answer.status),
    Array.from({ length: 8 }, () => 200),
  )
  const wrong = await Promise.all(
    Array.from({ length: 12 }, (_, index) => place.guess(user.email, `wrong ${index}`)),
  )
  assert.equal(
    wrong.filter((answer) => answer.error_code === ERRORS.WrongUserNamePassword.code).length,
    5,
  )
  assertRefused(await place.guess(user.email, PASSWORD), 'RateLimited')
})
