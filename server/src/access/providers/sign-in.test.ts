import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { workerCaller } from '../../http/index.ts'
import { sql } from '../../store/sql.ts'
import { assertRefused } from '../access.testing.ts'
import { forgetOldAccess, putSettings } from '../index.ts'
import type { Role } from '../index.ts'
import { ProviderBrowser } from './provider.testing.ts'
import { openSignInWorld } from './sign-in.testing.ts'

const world = await openSignInWorld()
const { admin, begin, call, clock, company, db, declare, entriesOf, finish, from, isLive } = world
const { lastRefusal, lies, newUser, people, provider, refused, rolesOf, signedIn } = world
const { tokensOf, workspace } = world

test('a person who is new signs in with the roles of the claim, taken anew each time', async () => {
  people.set('nora', {
    email: 'Nora@Example.com',
    email_verified: true,
    name: 'Nora',
    groups: ['desk'],
  })
  const first = await signedIn('nora')
  assert.equal(first.email, 'nora@example.com')
  assert.deepEqual(await rolesOf('nora@example.com'), ['READER', 'TRADER'])
  const second = await signedIn('nora')
  assert.ok(await isLive(first.access_token), 'nothing has changed')
  people.set('nora', { ...people.get('nora'), groups: ['desk', 'office', 'canteen'] })
  const third = await signedIn('nora')
  assert.deepEqual(await rolesOf('nora@example.com'), ['ADMIN', 'READER', 'TRADER'])
  assert.deepEqual(
    await Promise.all([second, first, third].map(({ access_token }) => isLive(access_token))),
    [false, false, true],
  )
  assert.deepEqual(
    (await entriesOf('nora@example.com')).map(({ kind }) => kind),
    ['USER_CREATED', 'IDENTITY_LINKED', 'SIGNED_IN', 'SIGNED_IN', 'ROLES_CHANGED', 'SIGNED_IN'],
  )
  // Without a role there is no session left, and the roles stand until they are given anew.
  people.set('nora', { ...people.get('nora'), groups: ['canteen'] })
  assert.match(await refused('nora', 'NO_ROLE'), /the claim groups has none of the values/)
  assert.equal(await isLive(third.access_token), false)
})

test('the page has a button for what is listed, and other addresses work, too', async () => {
  const quiet = await declare({ label: 'Auditors', listed: false })
  const listed = await call<{ label: string }[]>('GET', '/auth/providers')
  assert.deepEqual(listed.data, [{ id: company.id, label: 'Company account' }])
  assert.equal(quiet.redirect_uri, `https://kontor.example/signed-in/${quiet.id}`)
  assert.equal(quiet.sign_in_address, `https://kontor.example/sign-in/${quiet.id}`)
  people.set('ada', { email: 'ada@example.com', groups: ['desk'] })
  const { access_token } = await signedIn('ada', quiet.id)
  const removed = await call('DELETE', `/sign-in-providers/${quiet.id}`, { token: admin })
  assert.equal(removed.status, 200, removed.text)
  assert.equal(await isLive(access_token), false)
  const gone = await call('POST', `/auth/console/providers/${quiet.id}`, { address: from() })
  assertRefused(gone, 'NewResourceNotFound')
})

test('a sign-in is of the browser that began it, once, and for ten minutes', async () => {
  people.set('otto', { email: 'otto@example.com', groups: ['desk'] })
  const [one, other] = [await begin(), await begin()]
  const { address, cookie, answer } = one
  assert.match(
    String(answer.headers['set-cookie']),
    /; Path=\/api\/auth\/console; HttpOnly; SameSite=Strict; Secure; Max-Age=600$/,
  )
  const asked = new URL(address).searchParams
  assert.equal(asked.get('code_challenge_method'), 'S256')
  assert.ok(asked.has('nonce') && asked.has('state'))
  const query = await new ProviderBrowser().signIn(address, 'otto')
  assertRefused(await finish(query, ''), 'BadRequest', 'SIGN_IN_REFUSED')
  assertRefused(await finish(query, other.cookie), 'BadRequest', 'SIGN_IN_REFUSED')
  const answers = await Promise.all([finish(query, cookie), finish(query, cookie)])
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 400])
  const late = await begin()
  const lateQuery = await new ProviderBrowser().signIn(late.address, 'otto')
  clock.advance(10 * 60_000)
  assertRefused(await finish(lateQuery, late.cookie), 'BadRequest', 'SIGN_IN_REFUSED')
  await forgetOldAccess(db, clock)
  assert.deepEqual(
    await db.query(sql`
      select 1
      from begun_sign_ins`),
    [],
  )
})

test('what the provider does not say, or others say in its name, lets nobody in', async () => {
  assert.match(await refused('', 'PROVIDER'), /access_denied: nobody was named/)
  const { address, cookie } = await begin()
  const query = new URLSearchParams(await new ProviderBrowser().signIn(address, 'otto'))
  query.set('iss', 'https://another.example')
  assertRefused(await finish(query.toString(), cookie), 'BadRequest', 'SIGN_IN_REFUSED')
  const forged = await declare({ label: 'With other keys', listed: false })
  const keys = await (await fetch(`${provider.issuer}/jwks`)).json()
  const { n } = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({
    format: 'jwk',
  })
  lies.keys = { keys: (keys as { keys: object[] }).keys.map((key) => ({ ...key, n })) }
  // What the provider says at its own place is not told to everybody.
  assert.match(await refused('otto', 'PROVIDER', forged.id), /the security log has the reason/)
  assert.match((await lastRefusal()).why ?? '', /signature/)
  delete lies.keys
})

test('a user of before is linked by an administrator, or by a verified address', async () => {
  const { email, id } = await newUser(['READER'])
  people.set('lena', { email, groups: ['desk'] })
  assert.match(await refused('lena', 'EMAIL_TAKEN'), /an administrator can link it/)
  const strict = await declare({ label: 'Nobody new', creates_users: false, links_by_email: true })
  await refused('lena', 'UNKNOWN_PERSON', strict.id)
  const link = (subject: string) =>
    call<{ id: string }>('POST', `/users/${id}/identities`, {
      token: admin,
      body: { provider_id: strict.id, subject },
    })
  const linked = await link('lena')
  assert.equal(linked.status, 200, linked.text)
  assertRefused(await link('lena'), 'BadRequest', 'DUPLICATE')
  const { access_token } = await signedIn('lena', strict.id)
  assert.deepEqual(await rolesOf(email), ['READER', 'TRADER'])
  await tokensOf(email)
  const parted = `/users/${id}/identities/${linked.data.id}`
  assert.equal((await call('DELETE', parted, { token: admin })).status, 200)
  assert.equal(await isLive(access_token), false)
  people.set('lena', { email, email_verified: true, groups: ['desk'] })
  await signedIn('lena', strict.id)
  // The address has passed to somebody else there.
  people.set('lena the younger', { email, email_verified: true, groups: ['desk'] })
  await refused('lena the younger', 'OTHER_PERSON', strict.id)
})

test('who is disabled, or needs a second factor that nobody asks for, stays out', async () => {
  people.set('paul', { email: 'paul@example.com', groups: ['desk'] })
  await signedIn('paul')
  await db.query(sql`
    update users
    set state = 'DISABLED'
    where email = 'paul@example.com'`)
  await refused('paul', 'DISABLED')
  const change = (second_factor_roles: Role[]) =>
    db.tx((tx) =>
      putSettings(workerCaller(workspace, 'test'), tx, clock, {
        second_factor_roles,
      }),
    )
  await change(['TRADER'])
  await refused('otto', 'SECOND_FACTOR')
  const demanding = await declare({ label: 'With factors', proves_second_factor: true })
  const { access_token } = await signedIn('otto', demanding.id)
  assert.ok(await isLive(access_token))
  await change([])
})

test('the provider does not take the last administrator away', async () => {
  await db.query(sql`
    update users
    set state = 'DISABLED'
    where workspace = ${workspace}
      and 'ADMIN' = any(roles)
      and email <> 'nora@example.com'`)
  people.set('nora', { ...people.get('nora'), groups: ['desk'] })
  await refused('nora', 'LAST_ADMINISTRATOR')
  assert.deepEqual(await rolesOf('nora@example.com'), ['ADMIN', 'READER', 'TRADER'])
})
