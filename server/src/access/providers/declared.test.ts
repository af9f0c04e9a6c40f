/** What is declared of a provider, and what follows from it when people sign in. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../store/sql.ts'
import { assertRefused, openAccessWorld } from '../access.testing.ts'
import { DECLARED, openSignInWorld } from './sign-in.testing.ts'

const world = await openSignInWorld()
const { changeOf, company, db, declare, lastRefusal, logOut, people, provider } = world
const { refused, rolesOf, signedIn } = world

test('only public addresses over HTTPS hold providers, where no others are named', async () => {
  const { call, tokenWith } = await openAccessWorld({ wrapped: true })
  const token = await tokenWith('ADMIN')
  const declareAt = (issuer: string) =>
    call('POST', '/sign-in-providers', { token, body: { ...DECLARED, issuer } })
  const wrong = [
    'http://login.example.com',
    'https://10.0.0.1',
    'https://127.0.0.1:8443/realms/staff',
    'https://[::1]',
    'https://localhost',
    'https://169.254.169.254',
    'https://kontor@login.example.com',
  ]
  for (const issuer of wrong) assertRefused(await declareAt(issuer), 'BadRequest', 'FORMAT')
  assert.equal((await declareAt('https://login.example.com')).status, 200)
})

test('a change is of the version that was read, and counts from the next sign-in on', async () => {
  people.set('rosa', { email: 'rosa@example.com', groups: ['desk', 'audit'] })
  const { access_token } = await signedIn('rosa')
  assert.deepEqual(await rolesOf('rosa@example.com'), ['READER', 'TRADER'])
  const role_mapping = [{ value: 'audit', role: 'AUDITOR' }]
  const version = company.version + 1
  assertRefused(await changeOf(company, { role_mapping, version }), 'BadRequest', 'STALE_VERSION')
  const changed = await changeOf(company, { role_mapping, version: company.version })
  assert.equal(changed.status, 200, changed.text)
  assert.ok(await world.isLive(access_token))
  await signedIn('rosa')
  assert.deepEqual(await rolesOf('rosa@example.com'), ['AUDITOR'])
  await changeOf(company, {})
})

test('a secret is of one issuer and client: another one needs another secret', async () => {
  const issuer = 'https://login.example.com'
  assertRefused(await changeOf(company, { issuer }), 'BadRequest', 'REQUIRED')
  assertRefused(await changeOf(company, { client_id: 'another' }), 'BadRequest', 'REQUIRED')
  const moving = await declare({ label: 'Moving', listed: false })
  const moved = await changeOf(moving, { issuer, client_secret: 'of the other one' })
  assert.equal(moved.status, 200, moved.text)
})

test('a provider that calls itself otherwise is none', async () => {
  const slash = await declare({ issuer: `${provider.issuer}/`, listed: false })
  const answer = await world.call('POST', `/auth/console/providers/${slash.id}`)
  assertRefused(answer, 'BadRequest', 'SIGN_IN_REFUSED')
  assert.match((await lastRefusal()).why ?? '', /calls itself|issuer/)
})

test('roles may lie in an object of the claims', async () => {
  const nested = await declare({ roles_claim: 'realm_access.roles', listed: false })
  people.set('carl', { email: 'carl@example.com', realm_access: { roles: ['desk'] } })
  await signedIn('carl', nested.id)
  assert.deepEqual(await rolesOf('carl@example.com'), ['READER', 'TRADER'])
})

test('nobody is made a user without an e-mail address', async () => {
  people.set('nobody', { groups: ['desk'] })
  await refused('nobody', 'EMAIL_MISSING')
  people.set('nobody', { email: 'no@example.com', email_verified: false, groups: ['desk'] })
  await refused('nobody', 'EMAIL_MISSING')
})

test('who has set up a second factor is not let in by a provider that proves none', async () => {
  people.set('frida', { email: 'frida@example.com', groups: ['desk'] })
  await signedIn('frida')
  await db.query(sql`
    update users
    set second_factor = true
    where email = 'frida@example.com'`)
  await refused('frida', 'SECOND_FACTOR')
  const proving = await declare({ proves_second_factor: true, listed: false })
  await signedIn('frida', proving.id)
})

test('a logout token that is none stands in the log', async () => {
  assertRefused(await logOut(company.id, 'logout_token=none'), 'BadRequest', 'FORMAT')
  assert.equal((await lastRefusal()).reason, 'LOGOUT_TOKEN')
})
