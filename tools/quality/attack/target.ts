/**
 * What is attacked: a Kontor of its own as a process, with the limits that it has by default, over
 * a database and a sandbox of its own. It has two tenants with a user for each role.
 */
import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { createUser, createWorkspace, ROLES } from '../../../server/src/access/index.ts'
import type { Role } from '../../../server/src/access/index.ts'
import { openApp } from '../../../server/src/app.ts'
import { endpointsOf } from '../../../server/src/server.ts'
import type { App } from '../../../server/src/app.ts'
import { mustExist } from '../../../server/src/core/assert.ts'
import { systemClock } from '../../../server/src/core/clock.ts'
import { openServices, prepareDatabase } from '../../../server/src/core/service.testing.ts'
import { newId } from '../../../server/src/core/ids.ts'
import type { WorkspaceId } from '../../../server/src/core/ids.ts'
import { workerCaller } from '../../../server/src/http/index.ts'
import type { Endpoint } from '../../../server/src/http/index.ts'
import { openBooks, putAsset } from '../../../server/src/ledger/index.ts'
import type { Db } from '../../../server/src/store/db.ts'
import { sql } from '../../../server/src/store/sql.ts'
import { testDatabase } from '../../../server/src/store/testing.ts'
import { startSandbox } from '../../../server/src/venues/sandbox-process.testing.ts'
import type { SandboxProcess } from '../../../server/src/venues/sandbox-process.testing.ts'
import { COMPILE_CACHE } from '../../setup/setup.mjs'
import { Opened } from '../faults/opened.ts'
import { within } from '../faults/patience.ts'
import { residentMegabytes } from '../memory.mjs'
import { AttackClient, envelopeOf } from './client.ts'
import type { Ask } from './client.ts'

/** As the supervisor starts the service. */
const FLAGS = ['--max-semi-space-size=8', '--v8-pool-size=1']
export const PASSWORD = 'only for the attack 4711'
const ADMIN = 'first@home.example'
const START_MILLISECONDS = 180_000

/** One user for each role, and one who has all of them. */
const WHO = ['EVERY', ...ROLES] as const
export type Who = (typeof WHO)[number]

export type Person = {
  user_id: string
  email: string
  access_token: string
  refresh_token: string
  id_token: string
}

type Tenant = { workspace: WorkspaceId; people: Readonly<Record<Who, Person>> }

export type Target = {
  client: AttackClient
  db: Db
  /** Of the key that wraps the keys by which tokens are signed. */
  keyFile: string
  sandbox: SandboxProcess
  /** In this process: the declarations, and the key that tokens are signed with. */
  app: App
  /** All but streams. */
  endpoints: readonly Endpoint[]
  /** Has venues, customers and money. */
  home: Tenant
  /** Whose users attack the home. */
  other: Tenant
  /** A further user of the home. */
  newPerson(name: string, roles: readonly Role[]): Promise<Person>
  login(email: string, from?: string): Promise<Person>
  /** Of the home, as its user with every role. Throws what is refused. */
  call<Data = unknown>(method: string, path: string, body?: unknown): Promise<Data>
  /** Megabytes that the service has in memory now. */
  resident(): number
  /** Milliseconds of the processor that the service has used. */
  processor(): number
  /** Why the service did not survive; undefined while it lives and is ready. */
  dead(): Promise<string | undefined>
  close(): Promise<void>
}

export async function openTarget(): Promise<Target> {
  const opened = new Opened()
  try {
    return await openParts(opened)
  } catch (error) {
    await opened.close()
    throw error
  }
}

async function openParts(opened: Opened): Promise<Target> {
  const dir = await mkdtemp(join(tmpdir(), 'attack-'))
  opened.add(() => rm(dir, { recursive: true, force: true }))
  const database = await testDatabase({ maximumConnections: 4 })
  opened.add(() => database.drop())
  await prepareDatabase(database.url, { email: ADMIN, password: PASSWORD })
  // Exchanges count calls as they do for an account without an agreement.
  const sandbox = await startSandbox({ SANDBOX_TIER: 'STARTER' })
  opened.add(() => sandbox.stop())
  const keyFile = join(dir, 'kontor.key')
  const services = openServices(
    {
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      DATABASE_URL: database.url,
      KONTOR_CONFIG: join(sandbox.dir, 'kontor.json'),
      KONTOR_HISTORY: join(dir, 'history'),
      KONTOR_KEY_FILE: keyFile,
      LOG_LEVEL: process.env['ATTACK_LOG'] ?? 'silent',
    },
    FLAGS,
  )
  opened.add(() => services.killAll())
  const { child, ready } = services.start({})
  const { port } = await within('the start of the service', START_MILLISECONDS, ready)
  const app = await openApp({
    url: database.url,
    keyFile,
    role: 'kontor',
    clock: systemClock,
    log: pino({ level: 'silent' }),
    maximumConnections: 2,
    lease: { contends: false },
  })
  opened.add(() => app.close())
  const client = new AttackClient(port)
  opened.add(async () => {
    client.close()
  })
  const parts = { client, app, sandbox, child, keyFile, db: database.db }
  return targetOf(parts, () => opened.close())
}

type Parts = Pick<Target, 'client' | 'app' | 'sandbox' | 'db' | 'keyFile'> & { child: ChildProcess }

async function targetOf(parts: Parts, close: () => Promise<void>): Promise<Target> {
  const { client, app, sandbox, child, db, keyFile } = parts
  const login = loginOver(client)
  const home = await openTenant(db, await homeOf(db), 'home')
  const other = await openTenant(db, await newTenant(db), 'other')
  const people = async (tenant: WorkspaceId, name: string) => {
    const found: Partial<Record<Who, Person>> = {}
    for (const who of WHO) found[who] = await login(mailOf(who, name))
    return { workspace: tenant, people: found as Record<Who, Person> }
  }
  const tenants = { home: await people(home, 'home'), other: await people(other, 'other') }
  return {
    client,
    app,
    sandbox,
    db,
    keyFile,
    login,
    close,
    ...tenants,
    endpoints: endpointsOf(app).filter(({ effect }) => effect !== 'stream'),
    newPerson: async (name, roles) => {
      await addUser(db, home, mailOf(name, 'home'), roles)
      return login(mailOf(name, 'home'))
    },
    call: <Data>(method: string, path: string, body?: unknown) =>
      called<Data>(client, tenants.home.people.EVERY, { method, path, body }),
    resident: () => residentMegabytes(mustExist(child.pid, 'the id of a process that runs')),
    processor: () => processorOf(child),
    dead: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return 'the service has ended'
      const { status, text } = await client.ask({ method: 'GET', path: '/readyz' })
      return status === 200 ? undefined : `the service is not ready: ${text}`
    },
  }
}

async function homeOf(db: Db): Promise<WorkspaceId> {
  const [user] = await db.query<{ workspace: WorkspaceId }>(sql`
    select workspace
    from users
    where email = ${ADMIN}`)
  return mustExist(user, 'the first user').workspace
}

async function newTenant(db: Db): Promise<WorkspaceId> {
  const workspace = await db.tx(async (tx) => {
    const { id } = await createWorkspace(tx, systemClock, { name: 'Other' })
    await openBooks({ workspace: id, by: 'kontor' }, { tx, clock: systemClock })
    return id
  })
  for (const code of ['EUR', 'BTC'])
    await putAsset(db, workspace, {
      code,
      label: code,
      kind: code === 'EUR' ? 'FIAT' : 'CRYPTO',
      scale: code === 'EUR' ? 2 : 8,
      circulating_supply: null,
    })
  return workspace
}

const mailOf = (who: string, name: string) => `${who}@${name}.example`.toLowerCase()

async function openTenant(db: Db, workspace: WorkspaceId, name: string): Promise<WorkspaceId> {
  for (const who of WHO)
    await addUser(db, workspace, mailOf(who, name), who === 'EVERY' ? ROLES : [who])
  return workspace
}

async function addUser(
  db: Db,
  workspace: WorkspaceId,
  email: string,
  roles: readonly Role[],
): Promise<void> {
  await db.tx((tx) =>
    createUser(workerCaller(workspace, 'attack'), tx, systemClock, {
      email,
      roles: [...roles],
      password: PASSWORD,
      must_change_password: false,
    }),
  )
}

type Tokens = Pick<Person, 'access_token' | 'refresh_token' | 'id_token'>

const loginOver =
  (client: AttackClient) =>
  async (email: string, from?: string): Promise<Person> => {
    const answer = await client.ask({
      method: 'POST',
      path: '/api/auth/login',
      body: { email, password: PASSWORD },
      ...(from === undefined ? {} : { from }),
    })
    if (answer.status !== 200) throw new Error(`the login of ${email}: ${answer.text}`)
    const tokens = mustExist(envelopeOf<Tokens>(answer), 'tokens').data
    const { sub } = JSON.parse(
      Buffer.from(tokens.access_token.split('.')[1] ?? '', 'base64url').toString(),
    ) as { sub: string }
    return { email, user_id: sub, ...tokens }
  }

async function called<Data>(
  client: AttackClient,
  { access_token: token }: Person,
  { method, path, body }: Pick<Ask, 'method' | 'path' | 'body'>,
): Promise<Data> {
  const headers = method === 'GET' ? {} : { 'idempotency-key': newId() }
  const answer = await client.ask({ method, path: `/api${path}`, token, body, headers })
  const envelope = envelopeOf<Data>(answer)
  if (envelope?.success !== true) throw new Error(`${method} ${path}: ${answer.text}`)
  return envelope.data
}

/** Times of the kernel are in hundredths of a second. */
const TICK_MILLISECONDS = 10

function processorOf({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  const [user, system] = [fields[11], fields[12]]
  return (Number(user) + Number(system)) * TICK_MILLISECONDS
}
