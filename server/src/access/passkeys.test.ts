import assert from 'node:assert/strict'
import { test } from 'node:test'
import { workerCaller } from '../http/index.ts'
import type { Answer } from '../http/testing.ts'
import { sql } from '../store/sql.ts'
import { assertRefused, HOUR, openAccessWorld, PASSWORD } from './access.testing.ts'
import type { TokenSet } from './access.testing.ts'
import { enrol } from './factors.testing.ts'
import { createWorkspace, forgetOldAccess, putSettings } from './index.ts'
import type { Role } from './index.ts'
import { passkeySite } from './passkey-proof.ts'
import { beginPasskey, enrolPasskey, SoftAuthenticator } from './passkeys.testing.ts'
import type { Kept } from './passkeys.testing.ts'
import type { PasskeyProof, RequestOptions } from './passkeys.schema.ts'

const { access, call, clock, db, newUser, startProcess, tokensOf, workspace } =
  await openAccessWorld({ wrapped: true })

let logins = 0
/** Each from another network address, so that only the limit of the factor is met. */
const from = () => {
  logins += 1
  return `10.9.${logins >> 8}.${logins & 255}`
}

const logIn = (
  email: string,
  shown: { passkey?: PasskeyProof; code?: string } = {},
  through = call,
): Promise<Answer<TokenSet>> =>
  through<TokenSet>('POST', '/auth/login', {
    body: { email, password: PASSWORD, ...shown },
    address: from(),
  })

async function ask(email: string): Promise<RequestOptions> {
  const asked = await call<{ options: RequestOptions | null }>('POST', '/auth/passkeys', {
    body: { email, password: PASSWORD },
    address: from(),
  })
  assert.equal(asked.status, 200, asked.text)
  assert.ok(asked.data.options !== null)
  return asked.data.options
}

async function person(role: Role, more: Parameters<typeof newUser>[1] = {}) {
  const { email, id: user_id } = await newUser([role], more)
  const token = (await tokensOf(email)).access_token
  return { email, user_id, token, ...(await enrolPasskey(call, token)) }
}

const wrong = (answer: Answer<unknown>) => {
  assertRefused(answer, 'SecondFactorRequired', 'WRONG_PASSKEY')
}

async function reasonsOf(email: string): Promise<string[]> {
  await access.security.write()
  const rows = await db.query<{ reason: string }>(sql`
    select details ->> 'reason' as reason
    from security_log
    where kind = 'SIGN_IN_FAILED'
      and email = ${email}
    order by id`)
  return rows.map(({ reason }) => reason)
}

test('a login is answered by a passkey, once, also in two processes', async () => {
  const { email, device, recovery_codes } = await person('READER')
  assert.equal(recovery_codes.length, 10)
  assertRefused(await logIn(email), 'SecondFactorRequired')
  const options = await ask(email)
  assert.deepEqual(options.allowCredentials, [
    { type: 'public-key', id: device.id, transports: ['internal'] },
  ])
  assert.equal(options.rpId, 'kontor.example')
  const passkey = device.get(options)
  const elsewhere = await startProcess()
  const answers = await Promise.all([
    logIn(email, { passkey }),
    logIn(email, { passkey }, elsewhere.call),
  ])
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 401])
  wrong(await logIn(email, { passkey }))
  assert.equal((await logIn(email, { code: recovery_codes[0] ?? '' })).status, 200)
  const factors = await db.query(sql`
    select last_used_at = ${clock.now()} as used, counter::int
    from user_factors
    where credential_id = ${device.id}`)
  assert.deepEqual(factors, [{ used: true, counter: 1 }])
  const signed = await db.query(sql`
    select details ->> 'factor' as factor
    from security_log
    where kind = 'SIGNED_IN'
      and email = ${email}
      and details ? 'factor'
    order by id`)
  assert.deepEqual(signed, [{ factor: 'PASSKEY' }, { factor: 'RECOVERY_CODE' }])
  clock.advance(HOUR)
})

test('what is signed for another page, challenge or time is refused', async () => {
  const { email, device } = await person('READER')
  const { rpId } = await ask(email)
  const other = Object.assign(new SoftAuthenticator(), { id: device.id })
  const faults: Array<[string, () => Promise<PasskeyProof>]> = [
    [
      'WRONG_PASSKEY',
      async () => {
        device.origin = 'https://kontor.example.evil'
        return device.get(await ask(email))
      },
    ],
    [
      'WRONG_PASSKEY',
      async () => {
        device.rp_id = 'evil.example'
        return device.get(await ask(email))
      },
    ],
    ['WRONG_PASSKEY', async () => other.get(await ask(email))],
    ['PASSKEY_CHALLENGE', async () => device.get({ challenge: 'bm90aGluZw', rpId })],
    [
      'PASSKEY_CHALLENGE',
      async () => {
        const late = await ask(email)
        clock.advance(5 * 60_000)
        return device.get(late)
      },
    ],
    ['UNKNOWN_PASSKEY', async () => new SoftAuthenticator().get(await ask(email))],
  ]
  for (const [, make] of faults) {
    const passkey = await make()
    wrong(await logIn(email, { passkey }))
    Object.assign(device, { origin: 'https://kontor.example', rp_id: undefined })
    clock.advance(HOUR)
  }
  assert.deepEqual(
    await reasonsOf(email),
    faults.map(([reason]) => reason),
  )
  assert.equal((await logIn(email, { passkey: device.get(await ask(email)) })).status, 200)
  clock.advance(HOUR)
})

test('a counter that has not grown tells of a copy', async () => {
  const { email, device } = await person('READER')
  device.counter = 7
  assert.equal((await logIn(email, { passkey: device.get(await ask(email)) })).status, 200)
  for (const counter of [7, 3]) {
    device.counter = counter
    wrong(await logIn(email, { passkey: device.get(await ask(email)) }))
  }
  device.counter = -1
  wrong(await logIn(email, { passkey: device.get(await ask(email)) }))
  const copied = Array.from({ length: 3 }, () => 'PASSKEY_COPIED')
  assert.deepEqual(await reasonsOf(email), copied)
  device.counter = 8
  assert.equal((await logIn(email, { passkey: device.get(await ask(email)) })).status, 200)
  clock.advance(HOUR)
})

test('nobody gets in by the passkey of another person, tenant or session', async () => {
  const [one, two] = [await person('READER'), await person('READER')]
  wrong(await logIn(one.email, { passkey: two.device.get(await ask(one.email)) }))
  wrong(await logIn(one.email, { passkey: one.device.get(await ask(two.email)) }))
  const elsewhere = await db.tx((tx) => createWorkspace(tx, clock, { name: 'Other' }))
  const stranger = await person('READER', { workspace: elsewhere.id })
  wrong(await logIn(one.email, { passkey: stranger.device.get(await ask(stranger.email)) }))
  const { id, options } = await beginPasskey(call, stranger.token)
  const taken = await call('POST', `/auth/factors/${id}/passkey`, {
    body: { credential: one.device.create(options) },
    token: stranger.token,
  })
  assertRefused(taken, 'BadRequest', 'DUPLICATE')
  const foreign = { body: { label: 'mine' }, token: stranger.token }
  assertRefused(await call('PUT', `/auth/factors/${one.id}`, foreign), 'NewResourceNotFound')

  const passkey = one.device.get(await ask(one.email))
  const body = { password: PASSWORD, passkey }
  wrong(await call('POST', '/auth/confirm', { token: one.token, body }))
  clock.advance(HOUR)
})

test('dangerous commands ask again, and a passkey answers', async () => {
  const { device, token } = await person('ADMIN')
  const begin = () =>
    call('POST', '/auth/factors/passkeys', { token, body: { password: PASSWORD } })
  clock.advance(10 * 60_000)
  assertRefused(await begin(), 'ConfirmationRequired')
  const asked = await call<{ options: RequestOptions }>('POST', '/auth/confirm/passkey', { token })
  assert.equal(asked.status, 200, asked.text)
  const body = { password: PASSWORD, passkey: device.get(asked.data.options) }
  assert.equal((await call('POST', '/auth/confirm', { token, body })).status, 200)
  wrong(await call('POST', '/auth/confirm', { token, body }))
  assert.equal((await begin()).status, 200)
  assertRefused(
    await call('POST', '/auth/confirm', { token, body: { password: PASSWORD } }),
    'SecondFactorRequired',
  )
  clock.advance(HOUR)
})

test('a passkey is set up by what its authenticator made, here and in time', async () => {
  const { email } = await newUser(['READER'])
  const token = (await tokensOf(email)).access_token
  const other = (await tokensOf(email)).access_token
  const device = new SoftAuthenticator()
  const confirm = (id: string, credential = {}, by = token) =>
    call<Kept>('POST', `/auth/factors/${id}/passkey`, { body: { credential }, token: by })
  const first = await beginPasskey(call, token)
  wrong(await confirm(first.id, device.create(first.options), other))
  device.origin = 'https://evil.example'
  wrong(await confirm(first.id, device.create(first.options)))
  device.origin = 'https://kontor.example'
  wrong(await confirm(first.id, device.create({ ...first.options, challenge: 'AAAA' })))
  const garbage = device.create(first.options)
  wrong(
    await confirm(first.id, {
      ...garbage,
      response: { ...garbage.response, attestationObject: 'AAAA' },
    }),
  )
  const second = await beginPasskey(call, token, 'Laptop')
  assertRefused(await confirm(first.id, device.create(first.options)), 'NewResourceNotFound')
  clock.advance(5 * 60_000)
  wrong(await confirm(second.id, device.create(second.options)))
  assert.equal((await logIn(email)).status, 200, 'it does not count yet')
  const third = await beginPasskey(call, token, 'Laptop')
  assert.equal((await confirm(third.id, device.create(third.options))).status, 200)
  assertRefused(await call('GET', '/probe', { token: other }), 'MissingToken')
  const more = await beginPasskey(call, token)
  assert.deepEqual(
    more.options.excludeCredentials.map(({ id }) => id),
    [device.id],
  )
  const renamed = await call<{ label: string }>('PUT', `/auth/factors/${third.id}`, {
    token,
    body: { label: 'Old laptop' },
  })
  assert.equal(renamed.data.label, 'Old laptop', renamed.text)
  clock.advance(HOUR)
})

test('a demand is met by a passkey, the last factor stays, and a reset takes it', async () => {
  const admin = (await tokensOf((await newUser(['ADMIN'])).email)).access_token
  await db.tx((tx) =>
    putSettings(workerCaller(workspace, 'test'), tx, clock, { second_factor_roles: ['TRADER'] }),
  )
  const { email, id, token, user_id } = await person('TRADER')
  assert.equal((await call('GET', '/probe', { token })).status, 200)
  const remove = (factor_id: string) => call('DELETE', `/auth/factors/${factor_id}`, { token })
  assertRefused(await remove(id), 'BadRequest', 'CONFLICT')
  const app = await enrol(call, clock, token)
  assert.equal((await remove(id)).status, 200)
  assertRefused(await remove(app.id), 'BadRequest', 'CONFLICT')
  await enrolPasskey(call, token)
  assert.equal((await call('DELETE', `/users/${user_id}/factors`, { token: admin })).status, 200)
  assert.equal((await logIn(email)).status, 200)
  const told = await db.query<{ kind: string; factor: string | null }>(sql`
    select kind, details ->> 'kind' as factor
    from security_log
    where user_id = ${user_id}
      and kind in ('FACTOR_ADDED', 'FACTOR_REMOVED')
    order by id`)
  assert.deepEqual(
    told.map(({ kind, factor }) => [kind, factor]),
    [
      ['FACTOR_ADDED', 'PASSKEY'],
      ['FACTOR_ADDED', 'TOTP'],
      ['FACTOR_REMOVED', 'PASSKEY'],
      ['FACTOR_ADDED', 'PASSKEY'],
      ['FACTOR_REMOVED', null],
    ],
  )
  clock.advance(HOUR)
  await forgetOldAccess(db, clock)
  const left = await db.query(sql`
    select 1
    from passkey_challenges`)
  assert.deepEqual(left, [])
})

test('passkeys need the address of the console, as browsers take it', async () => {
  const bare = await openAccessWorld()
  const token = await bare.tokenWith('READER')
  const body = { password: PASSWORD }
  const refused = await bare.call('POST', '/auth/factors/passkeys', { token, body })
  assertRefused(refused, 'BadRequest', 'CONFLICT')
  assert.match(refused.text, /KONTOR_CONSOLE_URL must be set/)
  for (const url of ['https://127.0.0.1:8080', 'https://[::1]', 'http://kontor.example'])
    assert.throws(() => passkeySite({ console_url: url }), { kind: 'BadRequest' }, url)
  assert.deepEqual(passkeySite({ console_url: 'http://localhost:8080/kontor' }), {
    origin: 'http://localhost:8080',
    rp_id: 'localhost',
  })
})
