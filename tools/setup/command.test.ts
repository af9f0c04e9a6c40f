import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import pg from 'pg'
import { pino } from 'pino'
import { ROLES } from '../../server/src/access/index.ts'
import { openApp } from '../../server/src/app.ts'
import { serverOf } from '../../server/src/server.ts'
import { systemClock } from '../../server/src/core/clock.ts'
import { stopEmbedded, startEmbedded } from '../../server/src/store/embedded.ts'
import { migrate } from '../../server/src/store/migrate.ts'
import { sql } from '../../server/src/store/sql.ts'
import { testDatabase } from '../../server/src/store/testing.ts'
import { ROOT } from './setup.mjs'

const dataDir = await mkdtemp(join(tmpdir(), 'kontor-command-'))
const { db, url, drop } = await testDatabase()
after(async () => {
  await drop()
  await stopEmbedded(join(dataDir, 'postgres'))
  await rm(dataDir, { recursive: true, force: true })
})

type CommandResult = { code: number; out: string; err: string }

/** One command in a process of its own, as npm runs it. */
async function run(args: readonly string[], env: Record<string, string>): Promise<CommandResult> {
  const { DATABASE_URL: _, ...outer } = process.env
  const child = spawn(process.execPath, [join(ROOT, 'tools/setup/command.mjs'), ...args], {
    env: { ...outer, INIT_CWD: dataDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [out, err] = ['', '']
  child.stdout.on('data', (chunk) => (out += chunk))
  child.stderr.on('data', (chunk) => (err += chunk))
  const code = await new Promise<number>((done, fail) =>
    child.once('error', fail).once('close', (status) => {
      done(status ?? -1)
    }),
  )
  return { code, out, err }
}

const env = { DATABASE_URL: url }

test('a workspace by command: its user logs in, its books verify', async () => {
  const result = await run(['workspace', 'Second Bank', 'Admin@Second.example'], env)
  assert.equal(result.code, 0, result.err)
  const password = /password (\S+) \(shown only this once\)/.exec(result.out)?.[1] ?? ''
  assert.ok(password.length >= 20)
  const app = await openApp({
    url,
    role: 'kontor',
    clock: systemClock,
    log: pino({ level: 'silent' }),
  })
  try {
    const server = await serverOf(app)
    const login = await server.inject({
      method: 'POST',
      url: '/api/auth/login',
      payload: { email: 'admin@second.example', password },
    })
    const { access_token } = login.json<{ data: { access_token: string } }>().data
    const users = await server.inject({
      url: '/api/users',
      headers: { authorization: `Bearer ${access_token}` },
    })
    assert.deepEqual(
      users
        .json<{ data: { email: string; roles: string[] }[] }>()
        .data.map((user) => [user.email, user.roles]),
      [['admin@second.example', [...ROLES]]],
    )
    await server.close()
  } finally {
    await app.close()
  }
  const verified = await run(['verify', '--workspace', 'Second Bank'], env)
  assert.equal(verified.code, 0, verified.err)
  const [workspace = '', ...rest] = verified.out.split('\n')
  assert.match(
    workspace,
    /^Second Bank \([0-9a-f-]{36}\): 0 bookings in 0 batches, last hash [0-9a-f]{64}, 0 faults$/,
  )
  assert.deepEqual(rest, ['1 workspace verified: the books are correct', ''])
})

test('what is wrong with the call is said in a sentence, and nothing is made', async () => {
  const refusals: [args: string[], env: Record<string, string>, says: RegExp][] = [
    [
      ['workspace', 'Second Bank', 'other@second.example'],
      env,
      /a workspace named Second Bank exists\nusage: npm run workspace/,
    ],
    [
      ['workspace', 'Third Bank', 'admin@second.example'],
      env,
      /a user with this e-mail address exists/,
    ],
    [['workspace', 'Third Bank'], env, /it takes the name/],
    [['workspace', 'Third Bank', 'nobody'], env, /nobody is not a valid e-mail address/],
    [['verify', '--workspace', 'Nowhere'], env, /no workspace named Nowhere/],
    [['verify', '--everything'], env, /usage: npm run verify/],
    [['verify'], { DATA_DIR: join(dataDir, 'nothing') }, /there is no database in/],
    [['dance'], env, /there is no command dance/],
  ]
  for (const [args, env, says] of refusals) {
    const { code, err } = await run(args, env)
    assert.equal(code, 1, err)
    assert.match(err, says)
    assert.doesNotMatch(err, /\n\s+at /, 'no stack')
  }
  assert.equal(
    (
      await db.query<{ count: number }>(sql`
      select count(*) as count
      from workspaces`)
    )[0]?.count,
    1,
  )
  assert.ok(!existsSync(join(dataDir, 'nothing')))
})

test('verify finds what was changed behind its back and exits with 1', async () => {
  const owner = new pg.Client({ connectionString: url })
  await owner.connect()
  await owner.query('update lanes set booking_sequence = booking_sequence + 1')
  const { code, out } = await run(['verify'], env)
  await owner.query('update lanes set booking_sequence = booking_sequence - 1')
  await owner.end()
  assert.equal(code, 1, out)
  assert.match(out, /1 fault\n {2}the lane stands at booking 1/)
  assert.match(out, /1 workspace verified: 1 fault found/)
})

test('without DATABASE_URL the embedded server is started, or used as it runs', async () => {
  const dir = join(dataDir, 'postgres')
  const server = await startEmbedded({ dir, durable: false })
  await migrate(server.ownerUrl)
  assert.equal(
    (await run(['workspace', 'Beside', 'a@beside.example'], { DATA_DIR: dataDir })).code,
    0,
  )
  assert.doesNotThrow(() => process.kill(server.pid, 0), 'a running server is left alone')
  await server.stop()
  const { code, out, err } = await run(['verify'], { DATA_DIR: dataDir })
  assert.equal(code, 0, err)
  assert.match(out, /^Beside /)
  assert.ok(!existsSync(join(dir, 'cluster/postmaster.pid')), 'it was stopped again')
})
