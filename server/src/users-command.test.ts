import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { pino } from 'pino'
import { createFirstUser } from './access/index.ts'
import { openApp } from './app.ts'
import type { App } from './app.ts'
import { runCommand } from './command.testing.ts'
import { manualClock } from './core/clock.ts'
import { until } from './core/testing.ts'
import { UsageError } from './core/usage.ts'
import { serverOf } from './server.ts'
import { sql } from './store/sql.ts'
import { testDatabase } from './store/testing.ts'
import { USERS } from './users-command.ts'

const { db, url, drop } = await testDatabase({ maximumConnections: 3 })
const clock = manualClock(Date.UTC(2027, 0, 1))
const EMAIL = 'admin@example.com'
const LOST = 'nobody remembers it'
let app: App
let server: Awaited<ReturnType<typeof serverOf>>
before(async () => {
  await createFirstUser(db, clock, { email: EMAIL, password: LOST })
  app = await openApp({ url, role: 'kontor', clock, log: pino({ level: 'silent' }) })
  server = await serverOf(app)
})
after(async () => {
  await server.close()
  await app.close()
  await drop()
})

/** Answers what it says. */
async function run(...args: string[]): Promise<string[]> {
  return (await runCommand(USERS, { db, clock, args })).lines
}

type Answer = { data?: { access_token: string }; error?: { code: number } }

async function post(path: string, payload: object): Promise<Answer & { status: number }> {
  const answer = await server.inject({ method: 'POST', url: `/api/auth/${path}`, payload })
  return { ...answer.json<Answer>(), status: answer.statusCode }
}

const statusWith = async (token: string): Promise<number> =>
  (await server.inject({ url: '/api/auth/me', headers: { authorization: `Bearer ${token}` } }))
    .statusCode

const passwordIn = (lines: readonly string[]): string =>
  /^password (\S{20}) \(shown only this once/.exec(lines.at(-1) ?? '')?.[1] ??
  assert.fail(lines.join('\n'))

const logged = () =>
  db.query<{ kind: string; actor: string; details: object }>(sql`
    select kind, actor, details
    from security_log
    where actor like 'operator %'
    order by id`)

test('a lost password: another one is shown once, must be changed, and ends sessions', async () => {
  const { data } = await post('login', { email: EMAIL, password: LOST })
  const { access_token } = data ?? assert.fail('it logs in')
  assert.equal(await statusWith(access_token), 200)
  const password = passwordIn(await run('reset', 'Admin@Example.com'))
  // A running service notices by itself.
  await until('the session ends', async () => (await statusWith(access_token)) === 401)
  assert.equal((await post('login', { email: EMAIL, password: LOST })).status, 401)
  const first = await post('login', { email: EMAIL, password })
  assert.notEqual(first.status, 200, 'it must be changed first')
  const own = 'chosen by its owner'
  assert.equal(
    (await post('password', { email: EMAIL, old_password: password, new_password: own })).status,
    200,
  )
  assert.equal((await post('login', { email: EMAIL, password: own })).status, 200)
  const entries = await logged()
  assert.deepEqual(
    entries.map(({ kind, details }) => [kind, details]),
    [['PASSWORD_CHANGED', { reset: true }]],
  )
  assert.ok(!JSON.stringify(entries).includes(password))
  assert.match(String(await run()), /^Main: admin@example\.com, ACTIVE, last logged in 2027-/)
})

test('one who is disabled stays so, unless asked for; a wrong call is said', async () => {
  await db.query(sql`
    update users
    set state = 'DISABLED'`)
  const wrong: [string[], RegExp][] = [
    [['reset', EMAIL], /disabled: --enable/],
    [['reset'], /takes the e-mail address/],
    [['reset', 'nobody@example.com'], /nobody@example\.com/],
    [['dance'], /does not know dance/],
    [['--enable'], /belongs to reset/],
  ]
  for (const [args, why] of wrong)
    await assert.rejects(run(...args), (error: Error) => {
      assert.ok(error instanceof UsageError, args.join(' '))
      assert.match(error.message, why)
      return true
    })
  passwordIn(await run('reset', EMAIL, '--enable'))
  assert.match(String(await run()), /ACTIVE/)
  assert.deepEqual(
    (await logged()).map(({ kind }) => kind),
    ['PASSWORD_CHANGED', 'PASSWORD_CHANGED', 'USER_CHANGED'],
  )
})
