import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../core/ids.ts'
import { openDb } from '../store/db.ts'
import { sql } from '../store/sql.ts'
import { assertRefused, openAccessWorld, PASSWORD } from './access.testing.ts'
import { createWorkspace } from './index.ts'
import { SecurityLog } from './noted-entries.ts'
import type { SecurityEntry } from './security-log.schema.ts'

const { access, call, clock, db, login, newUser, tokensOf, tokenWith, url, workspace } =
  await openAccessWorld()

const auditor = await tokenWith('AUDITOR')

/** What was written so far, newest first. */
async function entries(query = ''): Promise<SecurityEntry[]> {
  await access.security.write()
  const answer = await call<SecurityEntry[]>('GET', `/security-log${query}`, { token: auditor })
  assert.equal(answer.status, 200, answer.text)
  return answer.data
}

const shown = ({ kind, user_id, email, actor, address, agent, count, details }: SecurityEntry) => ({
  kind,
  user_id,
  email,
  actor,
  address,
  agent,
  count,
  details,
})

const from = (address: string, agent: string) => ({ address, headers: { 'user-agent': agent } })

test('a sign-in is there with its account, address and program when it is answered', async () => {
  const { id, email } = await newUser(['READER'])
  const place = from('192.0.2.7', 'Trading Desk 1.0 \u00e9')
  await call('POST', '/auth/login', { body: { email, password: PASSWORD }, ...place })
  // Not by `entries`: nothing is left to be written.
  const { data } = await call<SecurityEntry[]>(
    'GET',
    `/security-log?user_id=${id}&kind=signed_in`,
    {
      token: auditor,
    },
  )
  assert.deepEqual(data.map(shown), [
    {
      kind: 'SIGNED_IN',
      user_id: id,
      email,
      actor: id,
      address: '192.0.2.7',
      agent: 'Trading Desk 1.0 ?',
      count: 1,
      details: { session: 'PROGRAM' },
    },
  ])
})

test('failed sign-ins that are alike are one entry with a count, by reason', async () => {
  const { id, email } = await newUser(['READER'], { must_change_password: true })
  const place = from('192.0.2.8', 'guesser')
  for (const password of ['first guess', 'second guess', PASSWORD])
    await call('POST', '/auth/login', { body: { email, password }, ...place })
  const failed = { kind: 'SIGN_IN_FAILED', user_id: id, email, actor: null }
  const found = await entries(`?user_id=${id}&kind=SIGN_IN_FAILED`)
  assert.deepEqual(
    found.map(shown).toSorted((one, other) => other.count - one.count),
    [
      {
        ...failed,
        address: '192.0.2.8',
        agent: 'guesser',
        count: 2,
        details: { reason: 'WRONG_PASSWORD' },
      },
      {
        ...failed,
        address: '192.0.2.8',
        agent: 'guesser',
        count: 1,
        details: { reason: 'PASSWORD_CHANGE_REQUIRED' },
      },
    ],
  )
})

test('what was typed is never kept, nor an address that is nobody’s', async () => {
  const secret = 'typed-into-the-wrong-field'
  await login(`${secret}@example.com`, secret)
  const { email } = await newUser(['READER'])
  await login(email, secret)
  await call('POST', `/auth/refresh`, { body: { access_token: secret, refresh_token: secret } })
  await call('GET', `/users?email=${secret}`, { token: secret })
  const all = await entries()
  assert.ok(!JSON.stringify(all).includes(secret))
  const unknown = all.find(({ details }) => details['reason' as never] === 'UNKNOWN_ACCOUNT')
  assert.deepEqual(
    { user_id: unknown?.user_id, email: unknown?.email },
    { user_id: null, email: null },
  )
})

test('a refusal names its user, what was asked for and why', async () => {
  const user = await newUser(['TRADER'])
  const { access_token: token } = await tokensOf(user.email)
  for (let times = 1; times <= 3; times += 1)
    assertRefused(
      await call('GET', `/users?email=${newId()}`, { token, ...from('192.0.2.9', 'curl/8') }),
      'PermissionDenied',
    )
  await call('POST', '/auth/logout', { token })
  assertRefused(await call('GET', '/probe', { token }), 'MissingToken')
  const found = await entries(`?user_id=${user.id}`)
  const { id, email } = user
  const by = { user_id: id, email, actor: id }
  assert.deepEqual(
    found.map(shown).filter(({ kind }) => kind !== 'SIGNED_IN' && kind !== 'USER_CREATED'),
    [
      {
        ...by,
        kind: 'TOKEN_REFUSED',
        address: '127.0.0.1',
        agent: 'lightMyRequest',
        count: 1,
        details: {
          method: 'GET',
          path: '/api/probe',
          reason: 'Authorization header missing or invalid',
        },
      },
      {
        ...by,
        kind: 'SESSION_ENDED',
        address: '127.0.0.1',
        agent: 'lightMyRequest',
        count: 1,
        details: { ended_session_id: found.find(({ kind }) => kind === 'SIGNED_IN')?.session_id },
      },
      {
        ...by,
        kind: 'PERMISSION_DENIED',
        address: '192.0.2.9',
        agent: 'curl/8',
        count: 3,
        details: {
          method: 'GET',
          path: '/api/users',
          reason: 'this needs the permission users.write',
        },
      },
    ],
  )
})

test('changes of a user, of roles and of passwords are told with who made them', async () => {
  const admin = await newUser(['ADMIN'])
  const { access_token: token } = await tokensOf(admin.email)
  const { id, email, name, state } = await newUser(['READER'])
  const put = (change: object) =>
    call('PUT', '/users', { token, body: { id, email, roles: ['READER'], state, ...change } })
  await put({})
  await put({ roles: ['TRADER'], password: `${PASSWORD} 2`, name: 'New Name' })
  assertRefused(await put({ roles: ['READER'], version: 1 }), 'BadRequest', 'STALE_VERSION')
  const changes = await entries(
    `?user_id=${id}&kind=USER_CHANGED,ROLES_CHANGED,PASSWORD_CHANGED&actor=${admin.id}`,
  )
  const changed = changes.map(({ kind, details }) => ({ kind, details }))
  assert.deepEqual(
    changed.toSorted((one, other) => one.kind.localeCompare(other.kind)),
    [
      { kind: 'PASSWORD_CHANGED', details: {} },
      { kind: 'ROLES_CHANGED', details: { before: ['READER'], after: ['TRADER'] } },
      {
        kind: 'USER_CHANGED',
        details: {
          before: { name, must_change_password: false },
          after: { name: 'New Name', must_change_password: true },
        },
      },
    ],
  )
  assert.equal(JSON.stringify(changes).includes(PASSWORD), false)
})

test('a change that is rolled back is not told', async () => {
  const before = await entries('?kind=USER_CREATED')
  const email = before[0]?.email ?? ''
  const token = await tokenWith('ADMIN')
  const body = { email, roles: ['READER'], password: PASSWORD }
  assertRefused(await call('POST', '/users', { token, body }), 'BadRequest', 'DUPLICATE')
  // The administrator alone is new.
  assert.equal((await entries('?kind=USER_CREATED')).length, before.length + 1)
})

test('nothing is changed or deleted, by the service’s own role least of all', async () => {
  const owner = openDb({ url })
  for (const attempt of [
    sql`
      update security_log
      set count = 2`,
    sql`delete from security_log`,
    sql`truncate security_log`,
  ]) {
    await assert.rejects(db.query(attempt), /permission denied/)
    await assert.rejects(owner.query(attempt), /never changed or deleted/)
  }
  await owner.close()
})

test('a flood of refusals takes a bounded number of rows, and is counted whole', async () => {
  let now = 0
  const log = new SecurityLog(db, clock, { now: () => now })
  const { id } = await newUser(['READER'])
  const flood = async (times: number) => {
    for (let index = 0; index < times; index += 1)
      log.note({
        kind: 'SIGN_IN_FAILED',
        workspace,
        user: { id },
        source: { address: `198.51.100.${index % 250}`, agent: `program ${index}` },
        details: { reason: 'WRONG_PASSWORD' },
      })
    await log.write()
  }
  for (let second = 0; second < 10; second += 1) {
    await flood(100)
    now += 1_000
  }
  const written = () => entries(`?user_id=${id}&kind=SIGN_IN_FAILED`)
  const total = (rows: SecurityEntry[]) => rows.reduce((sum, { count }) => sum + count, 0)
  assert.equal((await written()).length, 60)
  now += 60_000
  await log.write()
  const rows = await written()
  assert.deepEqual({ rows: rows.length, total: total(rows) }, { rows: 61, total: 1_000 })
  assert.deepEqual(
    rows.filter(({ count }) => count > 1).map(({ details, address }) => ({ details, address })),
    [{ details: { beyond_budget: true }, address: null }],
  )
  log.note({
    kind: 'PERMISSION_DENIED',
    workspace,
    user: { id },
    source: { address: '203.0.113.9' },
  })
  await log.write()
  const [denied] = await entries(`?user_id=${id}&kind=PERMISSION_DENIED`)
  assert.equal(denied?.address, '203.0.113.9', 'what else happens is still told')
  await flood(5)
  await log.close()
  assert.equal(total(await written()), 1_005, 'nothing is lost at the end')
})

test('refusals wait while the database takes nothing, and are written once', async () => {
  let fails = true
  const failing = {
    ...db,
    query: (async (query) => {
      if (fails) throw new Error('away')
      return db.query(query)
    }) as typeof db.query,
  }
  const reported: unknown[] = []
  const log = new SecurityLog(failing, clock, { report: (error) => reported.push(error) })
  const { id } = await newUser(['READER'])
  const attempt = { kind: 'REFRESH_REFUSED', workspace, user: { id } } as const
  log.note(attempt)
  await log.write()
  log.note(attempt)
  await log.write()
  assert.equal(reported.length, 2)
  fails = false
  await log.close()
  assert.deepEqual(
    (await entries(`?user_id=${id}&kind=REFRESH_REFUSED`)).map(({ count }) => count),
    [1, 1],
  )
})

test('it is read with audit.read, by time, in pages, and of the own workspace alone', async () => {
  for (const role of ['READER', 'COMPLIANCE'] as const)
    assertRefused(
      await call('GET', '/security-log', { token: await tokenWith(role) }),
      'PermissionDenied',
    )
  clock.advance(60_000)
  const since = clock.now()
  const { id } = await newUser(['READER'])
  const found = await entries(`?occurred_at_from=${since}&occurred_at_to=${since + 1}`)
  assert.deepEqual(
    found.map(({ user_id }) => user_id),
    [id],
  )
  const all = await entries()
  const first = await call<SecurityEntry[]>('GET', '/security-log?limit=2', { token: auditor })
  assert.deepEqual(first.data, all.slice(0, 2))

  await login('nobody@example.com', 'only one workspace is there')
  const here = (await entries('?kind=SIGN_IN_FAILED')).length
  const other = await db.tx((tx) => createWorkspace(tx, clock, { name: 'Other' }))
  const theirs = await newUser(['AUDITOR'], { workspace: other.id })
  await login('nobody@example.com', 'whose is it now')
  await login(theirs.email, 'wrong')
  assert.equal((await entries('?kind=SIGN_IN_FAILED')).length, here)
  const { access_token: token } = await tokensOf(theirs.email)
  const { data } = await call<SecurityEntry[]>('GET', '/security-log', { token })
  assert.deepEqual(new Set(data.map((entry) => entry.workspace)), new Set([other.id]))
  assert.deepEqual(new Set(data.map(({ email }) => email)), new Set([theirs.email]))
})
