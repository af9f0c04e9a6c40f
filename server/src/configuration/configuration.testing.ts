/**
 * For tests: what applies a configuration, over a database and a sandbox of their own, and the file
 * that the sandbox writes.
 */
import { join } from 'node:path'
import { createFirstUser } from '../access/index.ts'
import { systemClock } from '../core/clock.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { until } from '../core/testing.ts'
import { openBooks, openLane } from '../ledger/index.ts'
import { testHistory } from '../store/history.testing.ts'
import { sql } from '../store/sql.ts'
import { runTasks } from '../store/task-runner.ts'
import type { TaskRunner } from '../store/task-runner.ts'
import { testDatabase } from '../store/testing.ts'
import type { TestDatabase } from '../store/testing.ts'
import { treasuryTasks } from '../treasury/index.ts'
import { startSandbox } from '../venues/sandbox-process.testing.ts'
import type { SandboxProcess } from '../venues/sandbox-process.testing.ts'
import { adapterFactories, openVenues, venuesTasks } from '../venues/index.ts'
import type { VenueRecord } from '../venues/index.ts'
import { HELD_LEASE } from '../venues/lease/lease.testing.ts'
import { readConfig } from './config-file.ts'
import { applyConfig, workspaceOf } from './configuration.ts'
import type { ConfigApp } from './configuration.ts'
import type { Config } from './configuration.schema.ts'

export async function openConfigurationWorld(): Promise<ConfigurationWorld> {
  const database = await testDatabase()
  const sandbox = await startSandbox()
  const { db } = database
  const problems: string[] = []
  const log = {
    error(details: object, message: string) {
      problems.push(`${message} ${JSON.stringify(details)}`)
    },
  }
  const app: ConfigApp = {
    db,
    clock: systemClock,
    venues: openVenues({
      db,
      log,
      lease: HELD_LEASE,
      adapters: adapterFactories(log, HELD_LEASE),
    }),
    lane: openLane(db, systemClock),
    history: testHistory(db, systemClock),
    workspace_tasks: [],
  }
  await createFirstUser(db, systemClock, { email: 'admin@example.com' })
  const workspace = await workspaceOf(db, await configIn(sandbox))
  await db.tx((tx) => openBooks({ workspace, by: 'test' }, { tx, clock: systemClock }))
  return new ConfigurationWorld({ database, sandbox, app, workspace, problems })
}

const configIn = (sandbox: SandboxProcess) => readConfig(join(sandbox.dir, 'kontor.json'), {})

type WorldParts = Pick<
  ConfigurationWorld,
  'database' | 'sandbox' | 'app' | 'workspace' | 'problems'
>

export class ConfigurationWorld {
  readonly database: TestDatabase
  readonly sandbox: SandboxProcess
  readonly app: ConfigApp
  readonly workspace: WorkspaceId
  /** What went wrong beside the test. */
  readonly problems: string[]
  #runner: TaskRunner | undefined

  constructor({ database, sandbox, app, workspace, problems }: WorldParts) {
    this.database = database
    this.sandbox = sandbox
    this.app = app
    this.workspace = workspace
    this.problems = problems
  }

  /** The file, as the sandbox wrote it. */
  config(): Promise<Config> {
    return configIn(this.sandbox)
  }

  async apply(config: Config): Promise<void> {
    await applyConfig(this.app, this.workspace, config)
  }

  /** From now on what is due is worked off. */
  startTasks(): void {
    this.#runner = runTasks(this.database.db, systemClock, {
      handlers: { ...venuesTasks(this.app), ...treasuryTasks(this.app) },
      poll_ms: 50,
      onError: (task, error) => {
        this.problems.push(`${task.kind}: ${String(error)}`)
      },
    })
  }

  wakeTasks(): void {
    this.#runner?.wake()
  }

  /** Of everything that the file declares, with its version. */
  async ids(): Promise<string> {
    const rows = await this.database.db.query(sql`
      select 'venue' as what, id::text, version
      from venues
      union all
      select 'wallet', id::text, version
      from wallets
      union all
      select 'route', id::text, version
      from treasury_routes
      union all
      select 'price', id::text, version
      from price_stream_routes
      order by 1, 2`)
    return JSON.stringify(rows)
  }

  /** What each entry of the security log says has changed, in their order. */
  async logged(): Promise<string[]> {
    const entries = await this.database.db.query<{ actor: string; changed: string[] }>(sql`
      select actor, details -> 'changed' as changed
      from security_log
      where workspace = ${this.workspace}
        and kind = 'CONFIGURATION_APPLIED'
      order by id`)
    return entries.map(({ actor, changed }) => `${actor}: ${changed.join(' ')}`)
  }

  settings(): Promise<object[]> {
    return this.database.db.query(sql`
      select settings
      from workspaces`)
  }

  venues(): Promise<VenueRecord[]> {
    return this.app.venues.list(this.workspace)
  }

  async venue(label: string): Promise<VenueRecord> {
    return (await this.venues()).find((venue) => venue.label === label) as VenueRecord
  }

  until(what: string, holds: () => Promise<boolean>): Promise<boolean> {
    return until(what, holds, () => this.problems.join('\n'))
  }

  async close(): Promise<void> {
    await this.#runner?.stop()
    await this.app.lane.close()
    await this.app.venues.close()
    await this.sandbox.stop()
    await this.database.drop()
  }
}
