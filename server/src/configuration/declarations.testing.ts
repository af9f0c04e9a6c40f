/** For tests: declarations over HTTP and from a file, and venues of a sandbox that answer. */
import { createSecretKey, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { createWorkspace } from '../access/index.ts'
import { mustExist } from '../core/assert.ts'
import { systemClock } from '../core/clock.ts'
import { newId } from '../core/ids.ts'
import type { UserId, WorkspaceId } from '../core/ids.ts'
import type { TargetRules } from '../core/targets.ts'
import type { Principal } from '../http/index.ts'
import { testServer } from '../http/testing.ts'
import type { TestServer } from '../http/testing.ts'
import { ledgerEndpoints, openBooks, openLane } from '../ledger/index.ts'
import { testHistory } from '../store/history.testing.ts'
import { raw, sql } from '../store/sql.ts'
import { testDatabase } from '../store/testing.ts'
import { WrappingKey } from '../store/wrapping-key.ts'
import { adapterFactories, openVenues, venuesEndpoints } from '../venues/index.ts'
import { HELD_LEASE } from '../venues/lease/lease.testing.ts'
import { startSandbox } from '../venues/sandbox-process.testing.ts'
import { applyConfig, declarationsEndpoints, readConfig } from './index.ts'
import type { Config, SettingDrift } from './index.ts'

const clock = systemClock
const newKey = () => new WrappingKey({ bytes: randomBytes(32), id: newId() })

/** As an operator who has venues on this machine. */
const RULES: TargetRules = {
  isAllowed: (address) => address === '127.0.0.1',
  plain: true,
  variable: 'KONTOR_VENUE_NETWORKS',
}

type Served = {
  key?: 'the same' | 'another' | 'none'
  rules?: TargetRules
  bankFolders?: string | undefined
}

export class DeclarationsWorld {
  /** What the server has logged. */
  logged = ''
  readonly #parts: Awaited<ReturnType<typeof openParts>>
  readonly #principals = new Map<string, Principal>()

  constructor(parts: Awaited<ReturnType<typeof openParts>>) {
    this.#parts = parts
  }

  static async open(): Promise<DeclarationsWorld> {
    return new DeclarationsWorld(await openParts())
  }

  get db() {
    return this.#parts.db
  }
  get sandbox() {
    return this.#parts.sandbox
  }

  /** The file that the sandbox has written. */
  file(): Promise<Config> {
    return readConfig(join(this.sandbox.dir, 'kontor.json'), {})
  }

  async newWorkspace(name: string): Promise<WorkspaceId> {
    return this.db.tx(async (tx) => {
      const { id } = await createWorkspace(tx, clock, { name })
      await openBooks({ workspace: id, by: 'test' }, { tx, clock })
      return id
    })
  }

  /** A token of somebody with these permissions. */
  caller(workspace: WorkspaceId, ...permissions: string[]): string {
    const token = newId()
    this.#principals.set(`Bearer ${token}`, {
      workspace,
      user_id: newId<UserId>(),
      session_id: newId(),
      permissions: new Set(permissions),
    })
    return token
  }

  /** A process of its own: what it knows, it reads. `key`: that in the operator's file. */
  async serve({
    key = 'the same',
    rules = RULES,
    bankFolders = undefined,
  }: Served = {}): Promise<TestServer> {
    const { db, wrapping: usual, lane, history } = this.#parts
    const keys = { 'the same': usual, another: newKey(), none: undefined }
    const wrapping = keys[key]
    const venues = this.#venues(wrapping, rules, bankFolders)
    const app = { db, clock, venues, wrapping, bankFolders, venueTargets: rules, lane, history }
    const stream = new Writable({
      write: (chunk, _encoding, done) => {
        this.logged += String(chunk)
        done()
      },
    })
    const server = await testServer({
      db,
      clock,
      log: pino({ level: 'trace' }, stream),
      request_key: createSecretKey(randomBytes(32)),
      endpoints: [
        ...declarationsEndpoints(app),
        ...venuesEndpoints(app),
        ...ledgerEndpoints({ ...app, openPeriod: async () => ({ from: null, to: null }) }),
      ],
      authenticate: (token) => mustExist(this.#principals.get(token ?? ''), 'the test made it'),
    })
    return {
      ...server,
      async close() {
        await server.close()
        await venues.close()
      },
    }
  }

  #venues(wrapping: WrappingKey | undefined, targets: TargetRules, bankFolders?: string) {
    const log = { error: (details: object) => (this.logged += JSON.stringify(details)) }
    const adapters = adapterFactories(log, HELD_LEASE)
    const parts = { db: this.db, log, lease: HELD_LEASE, adapters, wrapping }
    return openVenues({ ...parts, targets, bankFolders })
  }

  async apply(
    workspace: WorkspaceId,
    config: Config,
    options?: { overwrite_declarations?: boolean },
  ): Promise<SettingDrift[]> {
    const { db, lane, history, wrapping } = this.#parts
    const venues = this.#venues(wrapping, RULES)
    const app = { db, clock, lane, venues, history, workspace_tasks: [] }
    try {
      return await applyConfig(app, workspace, config, options)
    } finally {
      await venues.close()
    }
  }

  /** Tables that hold this text, in any column of any kind. */
  async tablesWith(text: string): Promise<string[]> {
    const tables = await this.db.query<{ name: string }>(sql`
      select table_name as name
      from information_schema.tables
      where table_schema = 'public'
        and table_type = 'BASE TABLE'
      order by table_name`)
    const found: string[] = []
    const hex = Buffer.from(text).toString('hex')
    for (const { name } of tables) {
      const rows = await this.db.query(sql`
        select 1
        from ${raw(name)} as t
        where strpos(t::text, ${text}) > 0
          or strpos(t::text, ${hex}) > 0
        limit 1`)
      if (rows.length > 0) found.push(name)
    }
    return found
  }

  async close(): Promise<void> {
    const { lane, sandbox, drop } = this.#parts
    await lane.close()
    await sandbox.stop()
    await drop()
  }
}

async function openParts() {
  const { db, drop } = await testDatabase()
  const sandbox = await startSandbox()
  const lane = openLane(db, clock)
  return { db, drop, sandbox, lane, history: testHistory(db, clock), wrapping: newKey() }
}
