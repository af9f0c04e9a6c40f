import assert from 'node:assert/strict'
import { test } from 'node:test'
import { workerCaller } from '../http/index.ts'
import { sql } from '../store/sql.ts'
import { assertRefused, HOUR, openAccessWorld, PASSWORD } from './access.testing.ts'
import type { TokenSet } from './access.testing.ts'
import { accountMail, createWorkspace, newInvitationToken, putSettings } from './index.ts'
import type { Role, User } from './index.ts'

const { call, clock, db, login, newUser, startProcess, tokensOf, tokenWith, workspace } =
  await openAccessWorld({ wrapped: true })

const OWN = 'chosen by nobody else'

async function demand(roles: Role[], of = workspace): Promise<void> {
  await db.tx((tx) =>
    putSettings(workerCaller(of, 'test'), tx, clock, { second_factor_roles: roles }),
  )
}

/** What stands in the newest mail to this user, handed over as the worker does. */
async function tokenFor({ id }: Pick<User, 'id'>): Promise<string> {
  const [row] = await db.query<{ id: string }>(sql`
    select id
    from account_mails
    where user_id = ${id}
    order by id desc
    limit 1`)
  const mail = await accountMail(db, workspace, row?.id ?? '')
  assert.ok(mail)
  return newInvitationToken(db, mail, { by: 'test', now: clock.now() })
}

const accept = (token: string, new_password = OWN, through = call) =>
  through('POST', '/auth/invitation', { body: { token, new_password } })

test('whoever is created without a password chooses it by a link that works once', async () => {
  const token = await tokenWith('ADMIN')
  const elsewhere = await startProcess()
  const created = await call<User>('POST', '/users', {
    token,
    body: { email: 'invited@example.com', roles: ['READER'] },
  })
  assert.equal(created.status, 200, created.text)
  const link = await tokenFor(created.data)
  const second = await tokenFor(created.data)
  assertRefused(await accept(`${link}x`), 'BadRequest', 'NOT_ACTIVE')
  assertRefused(await accept('nonsense'), 'BadRequest', 'NOT_ACTIVE')
  assertRefused(await accept(link, 'short'), 'BadRequest', 'WEAK_PASSWORD')
  const answers = await Promise.all([accept(link), accept(second, OWN, elsewhere.call)])
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 400])
  assertRefused(await accept(second), 'BadRequest', 'NOT_ACTIVE')
  assert.equal((await login('invited@example.com', OWN)).status, 200)

  const again = () => call('POST', `/users/${created.data.id}/invitation`, { token })
  assert.equal((await again()).status, 200)
  const old = await tokenFor(created.data)
  assert.equal((await again()).status, 200)
  assertRefused(await accept(old), 'BadRequest', 'NOT_ACTIVE')
  const late = await tokenFor(created.data)
  clock.advance(7 * 24 * HOUR)
  assertRefused(await accept(late), 'BadRequest', 'NOT_ACTIVE')
})

test('with a second factor demanded, nobody gets into the account of another person', async () => {
  const token = await tokenWith('ADMIN')
  const user = await newUser(['READER'])
  await tokensOf(user.email)
  await demand(['TRADER'])
  const body = { id: user.id, email: user.email, roles: user.roles, state: 'ACTIVE' }
  assertRefused(
    await call('PUT', '/users', { token, body: { ...body, password: OWN } }),
    'BadRequest',
    'CONFLICT',
  )
  assertRefused(
    await call('POST', '/users', {
      token,
      body: { email: 'with@example.com', roles: ['READER'], password: OWN },
    }),
    'BadRequest',
    'CONFLICT',
  )
  assertRefused(
    await call('PUT', '/users', { token, body: { ...body, email: 'mine@example.com' } }),
    'BadRequest',
    'CONFLICT',
  )
  assert.equal((await call('PUT', '/users', { token, body: { ...body, name: 'New' } })).status, 200)
  // Not logged in yet: the address may have been mistyped. A link to it is then worth nothing.
  const invited = await call<User>('POST', '/users', {
    token,
    body: { email: 'typo@example.com', roles: ['READER'] },
  })
  const link = await tokenFor(invited.data)
  const changed = await call('PUT', '/users', {
    token,
    body: { ...body, id: invited.data.id, email: 'right@example.com' },
  })
  assert.equal(changed.status, 200, changed.text)
  assertRefused(await accept(link), 'BadRequest', 'NOT_ACTIVE')

  const other = await db.tx((tx) => createWorkspace(tx, clock, { name: 'Elsewhere' }))
  const stranger = await newUser(['ADMIN'], { workspace: other.id })
  const foreign = (await tokensOf(stranger.email)).access_token
  assertRefused(
    await call('POST', `/users/${user.id}/invitation`, { token: foreign }),
    'NewResourceNotFound',
  )
  await demand([])
  assert.equal(
    (await call('PUT', '/users', { token, body: { ...body, password: PASSWORD } })).status,
    200,
  )
})

test('an invitation ends the sessions, and lets nobody in by itself', async () => {
  const token = await tokenWith('ADMIN')
  const user = await newUser(['READER'])
  const session = await tokensOf(user.email)
  await call('POST', `/users/${user.id}/invitation`, { token })
  const answer = await accept(await tokenFor(user))
  assert.deepEqual(answer.data, { email: user.email })
  assertRefused(await call('GET', '/probe', { token: session.access_token }), 'MissingToken')
  assertRefused(await login(user.email, PASSWORD), 'WrongUserNamePassword')
  const fresh = await call<TokenSet>('POST', '/auth/login', {
    body: { email: user.email, password: OWN },
  })
  assert.equal(fresh.status, 200)
})

test('without mail nobody is invited', async () => {
  const bare = await openAccessWorld()
  const token = await bare.tokenWith('ADMIN')
  assertRefused(
    await bare.call('POST', '/users', {
      token,
      body: { email: 'x@example.com', roles: ['READER'] },
    }),
    'BadRequest',
    'CONFLICT',
  )
})
