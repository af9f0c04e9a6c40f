/** What is said in the name of a provider, and what a provider says of who has left. */
import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { SignJWT } from 'jose'
import type { JWTPayload } from 'jose'
import { CONFIRMED_MILLISECONDS, workerCaller } from '../../http/index.ts'
import { sql } from '../../store/sql.ts'
import { assertRefused, PASSWORD } from '../access.testing.ts'
import { createWorkspace, putSettings } from '../index.ts'
import { CLIENT, KID, ProviderBrowser } from './provider.testing.ts'
import { openSignInWorld } from './sign-in.testing.ts'

const world = await openSignInWorld()
const { admin, begin, call, clock, company, db, declare, finish, from, isLive } = world
const { lastRefusal, lies, logOut, newUser, people, provider, refused, signedIn } = world
const { workspace } = world

const seconds = (): number => Math.floor(Date.now() / 1000)
const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

const other = generateKeyPairSync('rsa', { modulusLength: 2048 })
/** Whatever it says of its key. */
const signedByOther = (claims: JWTPayload) =>
  new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: KID }).sign(other.privateKey)

people.set('otto', { email: 'otto@example.com', groups: ['desk'] })

test('a forged ID token lets nobody in', async () => {
  const claims = (nonce: string, more: object = {}) => ({
    iss: provider.issuer,
    aud: CLIENT.client_id,
    sub: 'otto',
    email: 'otto@example.com',
    groups: ['office'],
    iat: seconds(),
    exp: seconds() + 60,
    nonce,
    ...more,
  })
  const byTheClient = (nonce: string): string => {
    const text = `${encoded({ alg: 'HS256' })}.${encoded(claims(nonce))}`
    const mac = createHmac('sha256', CLIENT.client_secret).update(text).digest('base64url')
    return `${text}.${mac}`
  }
  const forged: Record<string, (nonce: string) => Promise<string> | string> = {
    'another key': (nonce) => signedByOther(claims(nonce)),
    'another issuer': (nonce) => provider.signed(claims(nonce, { iss: 'https://else.example' })),
    'a slash more': (nonce) => provider.signed(claims(nonce, { iss: `${provider.issuer}/` })),
    'another client': (nonce) => provider.signed(claims(nonce, { aud: 'another client' })),
    'another sign-in': () => provider.signed(claims('the nonce of another sign-in')),
    'no nonce': (nonce) => provider.signed(claims(nonce, { nonce: undefined })),
    'too old': (nonce) => provider.signed(claims(nonce, { iat: 1, exp: seconds() - 300 })),
    'no key': (nonce) => `${encoded({ alg: 'none' })}.${encoded(claims(nonce))}.`,
    'the secret of the client as key': byTheClient,
  }
  const sessions = () =>
    db.query(sql`
      select 1
      from sessions`)
  const { length } = await sessions()
  for (const [what, make] of Object.entries(forged)) {
    const { address, cookie } = await begin()
    const query = await new ProviderBrowser().signIn(address, 'otto')
    lies.id_token = await make(new URL(address).searchParams.get('nonce') ?? '')
    const answer = await finish(query, cookie)
    assert.equal(answer.error_details?.[0]?.code, 'SIGN_IN_REFUSED', `${what}: ${answer.text}`)
  }
  assert.equal((await sessions()).length, length)
  const { address, cookie } = await begin()
  const query = await new ProviderBrowser().signIn(address, 'otto')
  lies.id_token = await provider.signed(claims(new URL(address).searchParams.get('nonce') ?? ''))
  const taken = await finish(query, cookie)
  assert.equal(taken.status, 200, `the same without a fault is taken: ${taken.text}`)
  delete lies.id_token
})

test('an answer of another sign-in, or of a provider that is down, lets nobody in', async () => {
  const [mine, theirs] = [await begin(), await begin()]
  const query = await new ProviderBrowser().signIn(theirs.address, 'otto')
  // With the state of this browser the code of theirs is of no use, either: PKCE.
  const swapped = new URLSearchParams(query)
  swapped.set('state', new URL(mine.address).searchParams.get('state') ?? '')
  assertRefused(await finish(swapped.toString(), mine.cookie), 'BadRequest', 'SIGN_IN_REFUSED')
  const again = await begin()
  assertRefused(await finish(query, again.cookie), 'BadRequest', 'SIGN_IN_REFUSED')
  const down = await declare({ issuer: 'http://127.0.0.1:9', listed: false })
  const answer = await call('POST', `/auth/console/providers/${down.id}`, { address: from() })
  assertRefused(answer, 'BadRequest', 'SIGN_IN_REFUSED')
  assert.doesNotMatch(answer.text, /127\.0\.0\.1|ECONN/, 'nobody reads here what is inside')
  assert.match((await lastRefusal()).why ?? '', /127\.0\.0\.1:9/)
  const tried = await call('POST', `/sign-in-providers/${down.id}/test`, { token: admin })
  assert.equal(tried.data['reached'], false, tried.text)
})

test('an address of another workspace is nobody here', async () => {
  const other = await db.tx((tx) => createWorkspace(tx, clock, { name: 'Other' }))
  const theirs = await newUser(['ADMIN'], { workspace: other.id })
  const loose = await declare({ label: 'By address', links_by_email: true, listed: false })
  people.set('mallory', { email: theirs.email, email_verified: true, groups: ['desk'] })
  await refused('mallory', 'EMAIL_TAKEN', loose.id)
})

const logoutClaims = (more: object = {}): JWTPayload => ({
  iss: provider.issuer,
  aud: CLIENT.client_id,
  sub: 'otto',
  iat: seconds(),
  exp: seconds() + 60,
  jti: 'the first',
  events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
  ...more,
})

test('who has logged out at the provider is out here too', async () => {
  const sidOf = async (session_id: string): Promise<string> => {
    const [session] = await db.query<{ sid: string }>(sql`
      select provider_session as sid
      from sessions
      where id = ${session_id}`)
    return session?.sid ?? ''
  }
  const [one, other] = [await signedIn('otto'), await signedIn('otto')]
  await provider.logOut('otto', await sidOf(one.session_id))
  assert.deepEqual(
    [await isLive(one.access_token), await isLive(other.access_token)],
    [false, true],
    'the session there is named',
  )
  const token = (more: object = {}, header: object = { typ: 'logout+jwt' }) =>
    provider.signed(logoutClaims(more), header)
  const send = async (text: string) => logOut(company.id, `more=1&logout_token=${text}`)
  const good = await token()
  const wrong = [
    await token({ iss: 'https://else.example' }),
    await token({ aud: 'another client' }),
    await token({ iat: seconds() - 3_600, exp: seconds() + 60 }),
    await token({ exp: seconds() - 3_600 }),
    await token({ nonce: 'as an ID token has it' }),
    await token({ events: {} }),
    await token({ events: undefined }),
    await token({ sub: undefined }),
    await token({ jti: undefined }),
    await token({}, { typ: 'at+jwt' }),
    await signedByOther(logoutClaims()),
    `${encoded({ alg: 'none' })}.${good.split('.')[1]}.`,
    `${good.slice(0, -8)}AAAAAAAA`,
    'no token',
  ]
  for (const text of wrong) assertRefused(await send(text), 'BadRequest', 'FORMAT')
  assert.ok(await isLive(other.access_token), 'nothing that is wrong ends a session')
  const twice = await logOut(company.id, `logout_token=${good}&logout_token=${good}`)
  assertRefused(twice, 'BadRequest', 'DUPLICATE')
  const ended = await send(good)
  assert.deepEqual([ended.status, ended.data], [200, { ended: 1 }], ended.text)
  assert.equal(await isLive(other.access_token), false)
  // Replayed, it ends nothing that was begun since.
  clock.advance(60_000)
  const later = await signedIn('otto')
  assert.deepEqual((await send(good)).data, { ended: 0 })
  assert.ok(await isLive(later.access_token))
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const login = await call('POST', '/auth/login', { body: 'email=a', headers: form })
  assertRefused(login, 'BadRequest', 'FORMAT')
})

test('a dangerous command follows a sign-in at the provider, not an old one', async () => {
  const strict = await declare({ label: 'Strict', proves_second_factor: true, listed: false })
  people.set('nora', { email: 'nora@example.com', groups: ['office'] })
  const signed = await signedIn('nora', strict.id)
  const dangerous = (token: string) =>
    call('DELETE', `/sign-in-providers/${company.id}x`, { token })
  assertRefused(await dangerous(signed.access_token), 'BadRequest')
  // The clock stays: the provider signs what it says at this machine's time.
  await db.query(sql`
    update sessions
    set factor_at = factor_at - ${2 * CONFIRMED_MILLISECONDS}
    where id = ${signed.session_id}`)
  assertRefused(await dangerous(signed.access_token), 'ConfirmationRequired')
  const { address, cookie } = await begin(strict.id, '?again=true')
  const { searchParams } = new URL(address)
  assert.deepEqual([searchParams.get('prompt'), searchParams.get('max_age')], ['login', '0'])
  const again = await finish(await new ProviderBrowser().signIn(address, 'nora'), cookie, strict.id)
  assertRefused(await dangerous(again.data.access_token), 'BadRequest')
  assertRefused(await dangerous(signed.access_token), 'ConfirmationRequired')
})

test('passwords are left to administrators where the workspace says so', async () => {
  const { email } = await newUser(['READER'])
  const boss = await newUser(['ADMIN'])
  await db.tx((tx) =>
    putSettings(workerCaller(workspace, 'test'), tx, clock, { passwords: 'ADMINISTRATORS' }),
  )
  assertRefused(await world.login(email, PASSWORD), 'BadRequest', 'SIGN_IN_REFUSED')
  assertRefused(await world.login(email, 'another password'), 'WrongUserNamePassword')
  assert.equal((await world.login(boss.email, PASSWORD)).status, 200)
  await signedIn('otto')
})
