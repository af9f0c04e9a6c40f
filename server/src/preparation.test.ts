import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import pg from 'pg'
import { prepare, startFault } from './preparation.ts'
import { sql } from './store/sql.ts'
import { testDatabase } from './store/testing.ts'

const { db, url, drop } = await testDatabase({ maximumConnections: 2 })
after(() => drop())

const prepareWith = (password?: string) =>
  prepare({ url, ownerUrl: url, admin: { email: 'Admin@example.com', password } })

test('a first password that is given is judged, and refused with a reason', async () => {
  const refusals: [password: string, says: RegExp][] = [
    ['short', /^KONTOR_ADMIN_PASSWORD needs at least 10 characters$/],
    ['password2026', /^KONTOR_ADMIN_PASSWORD is one that many people use$/],
    ['admin@example.com', /^KONTOR_ADMIN_PASSWORD must not be the e-mail address$/],
  ]
  for (const [password, says] of refusals)
    await assert.rejects(prepareWith(password), ({ message }: Error) => says.test(message))
  assert.deepEqual(
    await db.query(sql`
      select
        (select count(*) from users)::int as users,
        (select count(*) from workspaces)::int as workspaces`),
    [{ users: 0, workspaces: 0 }],
  )
  assert.equal(
    await startFault(db),
    'this database has no user yet: npm run migrate makes the first one',
  )
})

test('without one it is made and answered, once; then the service may start', async () => {
  const [one, two] = await Promise.all([prepareWith(), prepareWith()])
  const [made, other] = one.created ? [one, two] : [two, one]
  assert.match(made.generated ?? '', /^\S{20}$/)
  const none = { email: 'Admin@example.com', created: false, generated: undefined }
  assert.deepEqual([other, await prepareWith('short')], [none, none])
  assert.equal(await startFault(db), undefined)
})

test('the service does not migrate: on an older schema it ends with a sentence', async () => {
  const owner = new pg.Client({ connectionString: url })
  await owner.connect()
  await owner.query(
    'delete from schema_migrations where name = (select max(name) from schema_migrations)',
  )
  await owner.end()
  const main = new URL('main.ts', import.meta.url).pathname
  const ended = await promisify(execFile)(process.execPath, [main], {
    env: { PATH: process.env['PATH'], DATABASE_URL: url, LOG_LEVEL: 'silent', PORT: '0' },
  }).then(
    () => assert.fail('it started'),
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, stderr }),
  )
  assert.deepEqual([ended.code, ended.stderr.split('\n').length], [1, 2], ended.stderr)
  assert.match(
    ended.stderr,
    /^kontor: this database is of an older Kontor: npm run migrate brings /,
  )
})
