import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

/** What the service says that does not start. */
async function startedWith(env: Record<string, string>): Promise<{ code: number; stderr: string }> {
  const main = new URL('main.ts', import.meta.url).pathname
  return promisify(execFile)(process.execPath, [main], {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      DATABASE_URL: url,
      LOG_LEVEL: 'silent',
      PORT: '0',
      ...env,
    },
  }).then(
    () => assert.fail('it started'),
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, stderr }),
  )
}

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
  const none = {
    email: 'Admin@example.com',
    created: false,
    generated: undefined,
    configured: false,
  }
  assert.deepEqual([other, await prepareWith('short')], [none, none])
  assert.equal(await startFault(db), undefined)
})

test('it says whether somebody has configured the database', async () => {
  await db.query(sql`
    insert into venues (
      workspace, id, key, label, kind, settlement, state, config,
      system_created_at, system_updated_at
    )
    select id, id, 'bank', 'Bank', 'BANK', 'PREFUNDED', 'CONNECTING', '{}', 1, 1
    from workspaces`)
  assert.equal((await prepareWith()).configured, true)
})

test('what is wrong is said in sentences, without stacks, before anything is changed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kontor-start-'))
  const file = join(folder, 'kontor.json')
  const venue = {
    key: 'kraken',
    label: 'Kraken',
    kind: 'EXCHANGE',
    options: { exchange: 'kraken' },
  }
  const secrets = { api_key: { env: 'KRAKEN_KEY' }, api_secret: { env: 'KRAKEN_SECRET' } }
  const assets = [{ code: 'EUR', label: 'Euro', kind: 'FIAT', scale: 2 }]
  const config = { version: 1, assets, venues: [{ ...venue, secrets }] }
  await writeFile(file, JSON.stringify(config))
  await writeFile(join(folder, 'list'), '')
  const starts: [env: Record<string, string>, says: string[]][] = [
    [
      { LOG_LEVEL: 'loud', PORT: 'x' },
      ['LOG_LEVEL must be one of ', 'PORT must be a number from 0 to 65535, not x'],
    ],
    [
      { DATABASE_URL: 'postgres://u:hidden4711@127.0.0.1:1/kontor' },
      ['DATABASE_URL: no PostgreSQL'],
    ],
    [{ KONTOR_CONFIG: join(folder, 'none.json') }, ['configuration ', 'none.json cannot be read']],
    [
      { KONTOR_CONFIG: file },
      ['the configuration is not valid', 'has no KRAKEN_KEY', 'has no KRAKEN_SECRET'],
    ],
    [{ KONTOR_HISTORY: join(folder, 'list/history') }, ['KONTOR_HISTORY: ENOTDIR']],
    [{ HOST: '127.0.0.1', PORT: new URL(url).port }, ['PORT=', 'another program listens there']],
  ]
  for (const [env, says] of starts) {
    const { code, stderr } = await startedWith({ KONTOR_METRICS_PORT: 'off', ...env })
    assert.equal(code, 1, stderr)
    for (const words of says) assert.ok(stderr.includes(words), `${words} in ${stderr}`)
    assert.doesNotMatch(stderr, /\n\s+at |hidden4711/, 'no stack, no password')
  }
  assert.deepEqual(
    await db.query(sql`
    select code
    from assets`),
    [],
  )
  await rm(folder, { recursive: true })
})

test('the service does not migrate: on an older schema it ends with a sentence', async () => {
  const owner = new pg.Client({ connectionString: url })
  await owner.connect()
  await owner.query(
    'delete from schema_migrations where name = (select max(name) from schema_migrations)',
  )
  await owner.end()
  const ended = await startedWith({})
  assert.deepEqual([ended.code, ended.stderr.split('\n').length], [1, 2], ended.stderr)
  assert.match(
    ended.stderr,
    /^kontor: this database is of an older Kontor: npm run migrate brings /,
  )
})
