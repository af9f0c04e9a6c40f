import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { SMTPServer } from 'smtp-server'
import { openAccess } from '../../server/src/access/index.ts'
import { COMMANDS } from '../../server/src/commands.ts'
import { systemClock } from '../../server/src/core/clock.ts'
import { selfSigned, writePair } from '../../server/src/http/certificates.testing.ts'
import { setOwnHalts, WATCHES } from '../../server/src/ledger/index.ts'
import { prepare } from '../../server/src/preparation.ts'
import { freePort } from '../../server/src/store/ports.ts'
import { createKeyFile } from '../../server/src/store/key-files.ts'
import { sql } from '../../server/src/store/sql.ts'
import { testDatabase } from '../../server/src/store/testing.ts'
import { examine, runDoctor } from './doctor.ts'

const { db, url, drop } = await testDatabase({ maximumConnections: 3 })
const ELSEWHERE = `test_doctor_${process.pid}`
const root = await mkdtemp(join(tmpdir(), 'kontor-doctor-'))
const dataDir = join(root, 'data')
const file = join(root, 'kontor.json')
const mailbox = new SMTPServer({ authOptional: true, disabledCommands: ['STARTTLS'] })
const [mailPort, port, metricsPort] = [await freePort(), await freePort(), await freePort()]

/** An environment in which all is as it shall be. */
const good = {
  DATABASE_URL: url,
  DATA_DIR: dataDir,
  PORT: String(port),
  KONTOR_METRICS_PORT: String(metricsPort),
  KONTOR_CONFIG: file,
  KONTOR_SMTP_URL: `smtp://127.0.0.1:${mailPort}`,
}

before(async () => {
  await mkdir(dataDir, { mode: 0o700 })
  await mkdir(join(root, 'backups'))
  await writeFile(join(root, 'backups/today'), '')
  await configureWith([{ code: 'EUR', label: 'Euro', kind: 'FIAT', scale: 2 }])
  mailbox.listen(mailPort, '127.0.0.1')
  await prepare({ url, ownerUrl: url, admin: { email: 'a@example.com', password: undefined } })
  const access = await openAccess(db, systemClock, { key_file: join(dataDir, 'kontor.key') })
  await access.close()
  await configure([])
})
after(async () => {
  mailbox.close(() => undefined)
  await drop()
  await rm(root, { recursive: true })
})

/** Runs the command on the file. */
const configure = (said: string[]): Promise<number> | undefined =>
  COMMANDS['configure']?.run({
    db,
    clock: systemClock,
    args: [file],
    env: {},
    key_file: undefined,
    say: (line) => said.push(line),
    ask: async () => undefined,
    open: () => assert.fail('nothing is opened'),
  })

const configureWith = (assets: object[]) => writeFile(file, JSON.stringify({ version: 1, assets }))

/** What is not good, as `check verdict: words`. */
async function faultsWith(env: Record<string, string | undefined> = {}): Promise<string[]> {
  const found = await examine({
    env: { ...good, ...env },
    dataDir,
    backups: join(root, 'backups'),
  })
  return found
    .filter(({ verdict }) => verdict !== 'good')
    .map(({ check, verdict, says }) => `${check} ${verdict}: ${says}`)
}

/** Of every installation on the server of the tests: a small machine, one login, no power cuts. */
const OF_TESTS = /^(durability|secrets|settings|standby|archive|heads) /

async function assertFaults(env: Record<string, string | undefined>, ...says: RegExp[]) {
  const faults = (await faultsWith(env)).filter((fault) => !OF_TESTS.test(fault))
  assert.equal(faults.length, says.length, faults.join('\n'))
  for (const [index, words] of says.entries()) assert.match(faults[index] ?? '', words)
}

test('a good installation has only the faults of the tests, and nothing is made', async () => {
  const before = await readdir(root, { recursive: true })
  assert.deepEqual(
    (await faultsWith()).map((fault) => fault.replace(/:.*/, '')),
    [
      'secrets warning',
      'durability bad',
      'settings warning',
      'standby warning',
      'archive warning',
      'heads warning',
    ],
  )
  assert.deepEqual(await readdir(root, { recursive: true }), before)
})

test('it ends with 1 when something is bad, and speaks JSON', async () => {
  const lines: string[] = []
  const say = (line: string): void => void lines.push(line)
  const args = ['--backups', join(root, 'backups')]
  assert.equal(await runDoctor({ env: good, dataDir, args, say }), 1)
  assert.match(lines.join('\n'), /bad +durability +fsync is off.*\n +→ alter system set fsync = on/)
  assert.match(lines.at(-1) ?? '', /^\d+ good, 5 warnings, 1 bad$/)
  const json: string[] = []
  await runDoctor({ env: good, dataDir, args: [...args, '--json'], say: (line) => json.push(line) })
  const { good: isGood, findings } = JSON.parse(json.join('\n')) as {
    good: boolean
    findings: { check: string; verdict: string }[]
  }
  assert.equal(isGood, false)
  assert.deepEqual(
    findings.find(({ check }) => check === 'clock'),
    { check: 'clock', verdict: 'good', says: 'the clock agrees with that of the database' },
  )
  await assert.rejects(runDoctor({ env: good, dataDir, args: ['--loud'], say }), /Unknown option/)
})

test('settings of the environment: wrong ones, unknown ones, dangerous ones', async () => {
  await assertFaults(
    { PORT: 'x', LOG_LEVEL: 'loud' },
    /^environment bad: LOG_LEVEL/,
    /^environment bad: PORT/,
  )
  await assertFaults({ KONTOR_TRUSTED_PROXY: '::1' }, /^variables warning: .*KONTOR_TRUSTED_PROXY/)
  await assertFaults(
    { KONTOR_TRUSTED_PROXIES: '0.0.0.0/1,128.0.0.0/1' },
    /^door bad: .*everybody/,
    /^door bad: KONTOR_HOSTS is empty/,
  )
  await assertFaults(
    { HOST: '0.0.0.0', KONTOR_PLAIN_HTTP: 'on', KONTOR_HOSTS: 'localhost' },
    /^door warning: passwords/,
  )
  await assertFaults({ KONTOR_WEBHOOK_NETWORKS: '169.254.0.0/16' }, /^webhooks bad: .*credentials/)
  await assertFaults({ KONTOR_WEBHOOK_PLAIN: 'on' }, /^webhooks warning/)
  const secrets = await faultsWith({ KONTOR_OWNER_DATABASE_URL: url, KONTOR_ADMIN_PASSWORD: 'x' })
  assert.deepEqual(
    secrets.filter((fault) => fault.startsWith('secrets')).map((fault) => fault.split(' ')[2]),
    ['KONTOR_OWNER_DATABASE_URL', 'KONTOR_ADMIN_PASSWORD', 'the'],
  )
})

test('files and folders: those that others can write to or read, and a wrong key', async () => {
  const wrong = join(root, 'wrong.key')
  await createKeyFile(wrong)
  await assertFaults({ KONTOR_KEY_FILE: wrong }, /^key file bad: .*holds the key/)
  await assertFaults({ KONTOR_KEY_FILE: join(root, 'none') }, /^key file bad: .*is missing/)
  await chmod(wrong, 0o644)
  await assertFaults({ KONTOR_KEY_FILE: wrong }, /^key file bad: .*opened by others/)
  await assertFaults({ KONTOR_HEADS_KEY: wrong }, /^key of heads bad: .*opened by others/)
  await chmod(dataDir, 0o777)
  await assertFaults({}, /^folders bad: DATA_DIR: others may write/)
  await chmod(dataDir, 0o700)
  const files = await writePair(root, selfSigned(['localhost'], -1_000))
  const tls = { KONTOR_TLS_CERTIFICATE: files.certificate, KONTOR_TLS_KEY: files.key }
  await assertFaults({ ...tls, KONTOR_HOSTS: 'localhost' }, /^certificate bad: .*expired/)
})

test('the database: away, somebody else’s, of an older release', async () => {
  const nobody = `postgres://kontor:hidden4711@127.0.0.1:${await freePort()}/kontor`
  const [away] = await faultsWith({ DATABASE_URL: nobody })
  assert.match(away ?? '', /^database bad: DATABASE_URL: no PostgreSQL listens/)
  assert.ok(!(await faultsWith({ DATABASE_URL: nobody })).join().includes('hidden4711'))
  const owner = new pg.Client({ connectionString: url })
  await owner.connect()
  try {
    await owner.query(`create database ${ELSEWHERE}`)
    const elsewhere = new URL(url)
    elsewhere.pathname = `/${ELSEWHERE}`
    const other = new pg.Client({ connectionString: elsewhere.href })
    await other.connect()
    await other.query('create table orders (id int)')
    await other.end()
    const [foreign] = await faultsWith({ DATABASE_URL: elsewhere.href })
    assert.match(foreign ?? '', /^database bad: .*is not Kontor's.*public\.orders/)
    await owner.query(
      `create table last_migration as
      select *
      from schema_migrations
      order by name desc
      limit 1`,
    )
    await owner.query(
      `delete from schema_migrations
      where name in (select name from last_migration)`,
    )
    const older = await faultsWith()
    await owner.query('insert into schema_migrations table last_migration')
    await owner.query('drop table last_migration')
    assert.match(older[0] ?? '', /^database bad: .*of an older Kontor: npm run migrate/)
  } finally {
    await owner.query(`drop database if exists ${ELSEWHERE} with (force)`)
    await owner.end()
  }
})

test('what is beside it: a port, a mail server, backups', async () => {
  const taker = createServer((_request, response) => response.end('somebody else')).listen(0)
  await once(taker, 'listening')
  const taken = String((taker.address() as AddressInfo).port)
  try {
    await assertFaults({ PORT: taken }, /^port bad: another program/)
  } finally {
    taker.close()
  }
  const dead = `smtp://127.0.0.1:${await freePort()}`
  await assertFaults({ KONTOR_SMTP_URL: dead }, /^mail bad: .*ECONNREFUSED/)
  await assertFaults({ KONTOR_SMTP_URL: undefined }, /^mail warning: no mail/)
  const none = await examine({ env: good, dataDir, backups: join(root, 'nowhere') })
  assert.match(JSON.stringify(none), /"backups","verdict":"bad"/)
})

test('the work: a configuration that has changed or is wrong, venues, halts', async () => {
  await configureWith([{ code: 'USD', label: 'Dollar', kind: 'FIAT', scale: 2 }])
  await assertFaults({}, /^configuration warning: .*has changed since it was applied: assets/)
  await configureWith([{ code: 'USD', label: 'Dollar', kind: 'PAPER', scale: 2 }])
  await assertFaults({}, /^configuration bad: .*assets\[0\]\.kind/)
  await configureWith([{ code: '${NOWHERE}', label: 'Dollar', kind: 'PAPER', scale: -1 }])
  const lineOfEach = [
    /^configuration bad: assets\[0\]\.code names \$\{NOWHERE\}, which/,
    /^configuration bad: assets\[0\]\.kind .*FIAT/,
    /^configuration bad: assets\[0\]\.scale .*$/,
  ]
  await assertFaults({}, ...lineOfEach)
  const lines: string[] = []
  await runDoctor({ env: good, dataDir, args: [], say: (line) => lines.push(line) })
  const about = lines.findIndex((line) => line.includes('NOWHERE'))
  assert.deepEqual(
    lines.slice(about, about + 4).map((line) => line.trim().split(' ')[0]),
    ['bad', 'bad', 'bad', '→'],
  )
  await configureWith([{ code: 'EUR', label: 'Euro', kind: 'FIAT', scale: 2 }])
  await db.query(sql`
    insert into venues (
      workspace, id, key, label, kind, settlement, state, config, fault, fault_since,
      system_created_at, system_updated_at
    )
    select id, id, 'bank', 'House bank', 'BANK', 'PREFUNDED', 'CONNECTING', '{}',
      'wrong key', 1, 1, 1
    from workspaces`)
  await setOwnHalts({ db, clock: systemClock }, WATCHES.report, 'the disk is full')
  await assertFaults(
    {},
    /^venues warning: House bank is CONNECTING: wrong key$/,
    /^halts warning: \w+ are halted in Main: the disk is full/,
    /^halts warning/,
  )
})

test('configure refuses what a start refuses, and says what is not on this machine', async () => {
  const bank = (currency: string) => ({
    key: 'other',
    label: 'Other bank',
    kind: 'BANK',
    options: {
      outbox_dir: join(root, 'nowhere'),
      inbox_dir: root,
      name: 'House',
      iban: 'AT611904300234573201',
      bic: 'BKAUATWW',
      currency,
    },
  })
  const runWith = async (currency: string) => {
    await writeFile(file, JSON.stringify({ version: 1, venues: [bank(currency)] }))
    const said: string[] = []
    const code = await configure(said)
    return { code, said: said.join('\n') }
  }
  await assert.rejects(runWith('EURO'), /must be a code of ISO 4217, not EURO/)
  const { code, said } = await runWith('EUR')
  assert.equal(code, 0)
  assert.match(said, /^not on this machine: venues\[0\]\.options\.outbox_dir: there is no folder/)
  const venues = [bank('EURO'), { ...bank('EUR'), key: 'second', options: {} }]
  const wallets = [{ key: 'w', venue: 'none', asset: 'EUR', address: 'A', label: 'W' }]
  await writeFile(file, JSON.stringify({ version: 1, venues, wallets }))
  await assert.rejects(
    async () => configure([]),
    (error: Error) => {
      const lines = error.message.split('\n')
      for (const says of [/not EURO/, /venues\[1\]\.options/, /venue none is not in this file/])
        assert.ok(
          lines.some((line) => says.test(line)),
          `${says}: ${error.message}`,
        )
      return true
    },
  )
})
