/** By a provider nobody gets into another's account, and the log has all that is declared. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { workerCaller } from '../../http/index.ts'
import { sql } from '../../store/sql.ts'
import { assertRefused } from '../access.testing.ts'
import { PERMISSIONS_OF, putSettings } from '../index.ts'
import type { Role } from '../index.ts'
import { CLIENT, ProviderBrowser } from './provider.testing.ts'
import { DECLARED, openSignInWorld } from './sign-in.testing.ts'

const world = await openSignInWorld()
const { admin, begin, call, clock, company, db, declare, finish, isLive, lastRefusal } = world
const { changeOf, lies, newUser, people, provider, signedIn, tokensOf, workspace } = world

people.set('vera', { email: 'vera@example.com', groups: ['desk'] })

/** A provider that sends people on to another one, and keeps each code that it is shown. */
async function startDishonest() {
  const shown: string[] = []
  const server = createServer((request, response) => {
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    if (request.method === 'POST') shown.push(String(request.url))
    response.writeHead(200, { 'content-type': 'application/json' })
    // It does not say that it sends `iss`, and sends none.
    response.end(
      JSON.stringify({
        issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
      }),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  return { issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, shown }
}

test('a provider is never shown the code of another one', async () => {
  const { issuer, shown } = await startDishonest()
  const dishonest = await declare({ issuer, label: 'Dishonest', listed: false })
  const attack = await begin()
  const victim = await begin(dishonest.id)
  // Sent on to the honest one, with all of the attacker's own sign-in but the state.
  const there = new URL(attack.address)
  const state = new URL(victim.address).searchParams.get('state') ?? ''
  there.searchParams.set('state', state)
  const query = new URLSearchParams(await new ProviderBrowser().signIn(there.href, 'vera'))
  assert.equal(query.get('state'), state)
  query.delete('iss')
  const answer = await finish(query.toString(), victim.cookie, company.id)
  assertRefused(answer, 'BadRequest', 'SIGN_IN_REFUSED')
  assert.deepEqual([(await lastRefusal()).reason, shown], ['NOT_BEGUN', []])
})

test('a provider that is removed during a sign-in lets nobody in', async () => {
  const passing = await declare({ label: 'Passing', listed: false })
  const { address, cookie } = await begin(passing.id)
  const query = await new ProviderBrowser().signIn(address, 'vera')
  const removal = { token: admin }
  lies.meanwhile = () => call('DELETE', `/sign-in-providers/${passing.id}`, removal)
  const answer = await finish(query, cookie, passing.id)
  delete lies.meanwhile
  assertRefused(answer, 'BadRequest', 'SIGN_IN_REFUSED')
  assert.equal((await lastRefusal()).reason, 'NOT_BEGUN')
  assert.deepEqual(
    await db.query(sql`
      select 1
      from sessions
      where provider_id = ${passing.id}`),
    [],
  )
})

const demand = (second_factor_roles: Role[]) =>
  db.tx((tx) => putSettings(workerCaller(workspace, 'test'), tx, clock, { second_factor_roles }))

const link = (user_id: string, subject: string, token = admin) =>
  call('POST', `/users/${user_id}/identities`, {
    token,
    body: { provider_id: company.id, subject },
  })

const mailsTo = (user_id: string) =>
  db.query<{ kind: string }>(sql`
    select kind
    from account_mails
    where user_id = ${user_id}`)

test('where a second factor is demanded nobody is linked who has logged in', async () => {
  const [old, fresh] = [await newUser(['READER']), await newUser(['READER'])]
  await tokensOf(old.email)
  const before = await declare({ label: 'Of before', links_by_email: true, listed: false })
  await demand(['TREASURER'])
  assertRefused(await link(old.id, 'old'), 'BadRequest', 'CONFLICT')
  assert.deepEqual(await mailsTo(old.id), [])
  assert.equal((await link(fresh.id, 'fresh')).status, 200)
  assert.deepEqual(await mailsTo(fresh.id), [{ kind: 'IDENTITY_LINKED' }])
  const body = { ...DECLARED, issuer: provider.issuer, links_by_email: true }
  const declared = await call('POST', '/sign-in-providers', { token: admin, body })
  assertRefused(declared, 'BadRequest', 'CONFLICT')
  const change = (more: object) => changeOf(before, { links_by_email: true, ...more })
  assertRefused(
    await change({ issuer: 'https://own.example', client_secret: 'my own' }),
    'BadRequest',
    'CONFLICT',
  )
  assert.equal((await change({ label: 'As before' })).status, 200)
  assert.equal((await change({ links_by_email: false })).status, 200)
  assertRefused(await change({}), 'BadRequest', 'CONFLICT')
  await demand([])
  assert.equal((await link(old.id, 'old')).status, 200)
})

test('a program changes nothing that gives more than it has', async () => {
  const key = await call<{ secret: string }>('POST', '/auth/api-keys', {
    token: admin,
    body: { label: 'People', permissions: ['users.write', 'customers.read'] },
  })
  const token = key.data.secret
  const denied = async (answering: Promise<{ status: number; text: string }>) => {
    const answer = await answering
    assert.equal(answer.status, 403, answer.text)
  }
  const role_mapping = [{ value: 'none', role: 'READER' }]
  await denied(changeOf(company, { role_mapping }, token))
  await denied(call('DELETE', `/sign-in-providers/${company.id}`, { token }))
  const boss = await newUser(['ADMIN'])
  const linked = await call<{ id: string }>('POST', `/users/${boss.id}/identities`, {
    token: admin,
    body: { provider_id: company.id, subject: 'boss' },
  })
  await denied(call('DELETE', `/users/${boss.id}/identities/${linked.data.id}`, { token }))
})

test('a program declares no provider that lets people in by their addresses', async () => {
  const key = await call<{ secret: string }>('POST', '/auth/api-keys', {
    token: admin,
    body: { label: 'Readers', permissions: ['users.write', ...PERMISSIONS_OF.READER] },
  })
  const declareBy = (links_by_email: boolean) =>
    call('POST', '/sign-in-providers', {
      token: key.data.secret,
      body: {
        ...DECLARED,
        issuer: provider.issuer,
        listed: false,
        role_mapping: [{ value: 'desk', role: 'READER' }],
        links_by_email,
      },
    })
  assert.equal((await declareBy(true)).status, 403)
  assert.equal((await declareBy(false)).status, 200)
})

test('who is linked by an address is told by mail', async () => {
  const { email, id } = await newUser(['READER'])
  const linking = await declare({ label: 'By address', links_by_email: true, listed: false })
  people.set('by address', { email, email_verified: true, groups: ['desk'] })
  await signedIn('by address', linking.id)
  await signedIn('by address', linking.id)
  assert.deepEqual(await mailsTo(id), [{ kind: 'IDENTITY_LINKED' }])
})

test('the log has what was declared before and after, and that a secret was written', async () => {
  const declared = await declare({ label: 'Told', listed: false })
  const entry = async () => {
    const [last] = await db.query<{ details: Record<string, unknown> }>(sql`
      select details
      from security_log
      where record_id = ${declared.id}
      order by id desc
      limit 1`)
    return last?.details ?? {}
  }
  const terms = {
    label: 'Told',
    issuer: provider.issuer,
    client_id: CLIENT.client_id,
    client_authentication: 'BASIC',
    scopes: ['groups'],
    roles_claim: 'groups',
    role_mapping: DECLARED.role_mapping,
    listed: false,
    creates_users: true,
    links_by_email: false,
    proves_second_factor: false,
  }
  const common = { provider_id: declared.id }
  assert.deepEqual(await entry(), { what: 'CREATED', ...common, after: terms })
  await changeOf(declared, { roles_claim: 'roles' })
  const changed = { ...terms, roles_claim: 'roles' }
  assert.deepEqual(await entry(), { what: 'CHANGED', ...common, before: terms, after: changed })
  await changeOf(declared, { client_secret: 'another one' })
  assert.deepEqual(await entry(), {
    what: 'CHANGED',
    ...common,
    before: changed,
    after: terms,
    secret: true,
  })
  assert.equal(
    (await call('DELETE', `/sign-in-providers/${declared.id}`, { token: admin })).status,
    200,
  )
  assert.deepEqual(await entry(), { what: 'REMOVED', ...common, before: terms })
})

test('a logout token that names a session ends none that was begun after it', async () => {
  const browser = new ProviderBrowser()
  const signIn = async () => {
    const { address, cookie } = await begin()
    return (await finish(await browser.signIn(address, 'vera'), cookie)).data
  }
  const first = await signIn()
  const [session] = await db.query<{ sid: string }>(sql`
    select provider_session as sid
    from sessions
    where id = ${first.session_id}`)
  const iat = Math.floor(Date.now() / 1000)
  const token = await provider.signed(
    {
      iss: provider.issuer,
      aud: CLIENT.client_id,
      sid: session?.sid ?? '',
      iat,
      exp: iat + 60,
      jti: 'of the session',
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    },
    { typ: 'logout+jwt' },
  )
  const tell = async () => (await world.logOut(company.id, `logout_token=${token}`)).data
  assert.deepEqual(await tell(), { ended: 1 })
  clock.advance(60_000)
  const later = await signIn()
  assert.deepEqual(await tell(), { ended: 0 })
  assert.ok(await isLive(later.access_token))
  await signedIn('vera')
})
