import assert from 'node:assert/strict'
import { test } from 'node:test'
import { doorFrom } from '../http/index.ts'
import { assertRefused, HOUR, openAccessWorld, PASSWORD } from './access.testing.ts'
import type { TokenSet } from './access.testing.ts'

const MINUTE = 60_000
const { call, clock, newUser, startProcess, tokensOf } = await openAccessWorld()

type ConsoleTokens = { access_token: string; email: string; session_id: string; idle_ms: number }

async function loginToConsole(email: string, origin = 'https://kontor.example') {
  const answer = await call<ConsoleTokens>('POST', '/auth/console/login', {
    body: { email, password: PASSWORD },
    headers: { origin, 'user-agent': 'a browser' },
  })
  assert.equal(answer.status, 200, answer.text)
  const cookie = String(answer.headers['set-cookie'])
  return { ...answer.data, cookie, sent: cookie.split(';')[0] ?? '', text: answer.text }
}

const refresh = (cookie: string, access_token?: string) =>
  call<ConsoleTokens>('POST', '/auth/console/refresh', {
    body: access_token === undefined ? {} : { access_token },
    headers: { cookie: `other=1; ${cookie}` },
  })

const probe = (token: string, through = call) => through('GET', '/probe', { token })

test('the refresh token of the console is in a cookie for one address alone', async () => {
  const { email } = await newUser(['READER'])
  const { cookie, sent, text, session_id, access_token } = await loginToConsole(email)
  assert.match(
    cookie,
    /^kontor_session=[^;]+; Path=\/api\/auth\/console; HttpOnly; SameSite=Strict; Secure$/,
  )
  const secret = sent.split('.')[1] ?? ''
  assert.ok(secret.length > 40 && !text.includes(secret) && !text.includes('refresh_token'))
  const plain = await loginToConsole(email, 'http://localhost:4000')
  assert.doesNotMatch(plain.cookie, /Secure/)

  const answers = await Promise.all([
    refresh(sent),
    refresh(sent, access_token),
    refresh(sent, access_token),
  ])
  for (const { data } of answers) {
    assert.equal(data.session_id, session_id)
    assert.equal((await probe(data.access_token)).status, 200)
  }
  const program = { access_token, refresh_token: secret }
  assertRefused(await call('POST', '/auth/refresh', { body: program }), 'RefreshTokenInvalid')
})

test('the cookie is for HTTPS alone where a trusted proxy says that it was HTTPS', async () => {
  const { email } = await newUser(['READER'])
  const behind = await startProcess(undefined, doorFrom({ KONTOR_TRUSTED_PROXIES: '127.0.0.1' }))
  const cookieWith = async (headers: Record<string, string>) => {
    const body = { email, password: PASSWORD }
    const answer = await behind.call('POST', '/auth/console/login', { body, headers })
    return String(answer.headers['set-cookie'])
  }
  const origin = 'http://localhost:4000'
  assert.match(await cookieWith({ origin, 'x-forwarded-proto': 'https' }), /; Secure$/)
  assert.doesNotMatch(await cookieWith({ origin }), /Secure/)
})

test('without the cookie, or as another user, a page does not go on', async () => {
  const [one, other] = [await newUser(['READER']), await newUser(['READER'])]
  const [mine, theirs] = [await loginToConsole(one.email), await loginToConsole(other.email)]
  const { access_token, refresh_token } = await tokensOf(one.email)
  const { session_id } = mine
  for (const answer of [
    await refresh(''),
    await refresh(`kontor_session=${'-'.repeat(36)}.x`),
    await refresh(`kontor_session=${session_id}.wrong`),
    await refresh(`kontor_session=${session_id}.${refresh_token}`),
    await refresh(theirs.sent, mine.access_token),
    await refresh(mine.sent, 'nonsense'),
  ])
    assertRefused(answer, 'RefreshTokenInvalid')
  assert.equal((await refresh(mine.sent, access_token)).status, 200)
})

test('a session in the console ends an hour after its last use', async () => {
  const { email } = await newUser(['READER'])
  const { sent, access_token, idle_ms } = await loginToConsole(email)
  assert.equal(idle_ms, HOUR)
  const program = await tokensOf(email)
  clock.advance(30 * MINUTE)
  assert.equal((await probe(access_token)).status, 200)
  clock.advance(59 * MINUTE)
  const next = await refresh(sent)
  assert.equal(next.status, 200, 'it was used since')
  assert.equal((await probe(next.data.access_token)).status, 200)
  clock.advance(59 * MINUTE)
  assert.equal((await probe(next.data.access_token)).status, 200)
  clock.advance(HOUR)
  assertRefused(await refresh(sent), 'RefreshTokenInvalid')
  const { refresh_token } = program
  const body = { access_token: program.access_token, refresh_token }
  assert.equal((await call('POST', '/auth/refresh', { body })).status, 200, 'a program may wait')
})

test('an access token does not outlive the idle time of its session', async () => {
  const { email } = await newUser(['READER'])
  const short = await startProcess({ idle_ms: 10 * MINUTE, longest_ms: 12 * HOUR })
  const { access_token } = await loginToConsole(email)
  clock.advance(9 * MINUTE)
  assert.equal((await probe(access_token, short.call)).status, 200)
  clock.advance(10 * MINUTE)
  assertRefused(await probe(access_token, short.call), 'MissingToken')
})

test('however much it is used, a session in the console ends after 12 hours', async () => {
  const { email } = await newUser(['READER'])
  const { sent } = await loginToConsole(email)
  for (let minutes = 45; minutes < 12 * 60; minutes += 45) {
    clock.advance(45 * MINUTE)
    const { status, data } = await refresh(sent)
    assert.equal(status, 200)
    assert.equal((await probe(data.access_token)).status, 200)
  }
  const last = (await refresh(sent)).data.access_token
  clock.advance(45 * MINUTE)
  assertRefused(await refresh(sent), 'RefreshTokenInvalid')
  assertRefused(await probe(last), 'MissingToken')
})

type Session = { id: string; kind: string; agent: string; address: string; is_current: boolean }

test('the own sessions are listed, and each can be ended', async () => {
  const [user, other] = [await newUser(['READER']), await newUser(['READER'])]
  const browser = await loginToConsole(user.email)
  const program = (
    await call<TokenSet>('POST', '/auth/login', {
      body: { email: user.email, password: PASSWORD },
      headers: { 'user-agent': 'a program' },
      address: '192.0.2.20',
    })
  ).data
  const theirs = await loginToConsole(other.email)
  const list = async () =>
    (await call<Session[]>('GET', '/auth/sessions', { token: program.access_token })).data
  const listed = await list()
  assert.deepEqual(
    listed.map(({ kind, agent, address, is_current }) => ({ kind, agent, address, is_current })),
    [
      { kind: 'PROGRAM', agent: 'a program', address: '192.0.2.20', is_current: true },
      { kind: 'CONSOLE', agent: 'a browser', address: '127.0.0.1', is_current: false },
    ],
  )
  const end = (session_id: string) =>
    call('DELETE', `/auth/sessions/${session_id}`, { token: program.access_token })
  assertRefused(await end(theirs.session_id), 'NewResourceNotFound')
  assert.equal((await probe(theirs.access_token)).status, 200)
  assert.equal((await end(browser.session_id)).status, 200)
  assertRefused(await probe(browser.access_token), 'MissingToken')
  assertRefused(await refresh(browser.sent), 'RefreshTokenInvalid')
  assertRefused(await end(browser.session_id), 'NewResourceNotFound')
  assert.deepEqual(
    (await list()).map(({ id }) => id),
    listed.slice(0, 1).map(({ id }) => id),
  )
})
