/**
 * For tests against the demo world's venues over their real protocols: the service without its HTTP
 * side, connected to a sandbox of its own.
 */
import { join } from 'node:path'
import { createFirstUser } from '../src/access/index.ts'
import { WORKSPACE_TASKS } from '../src/app.ts'
import { systemClock } from '../src/core/clock.ts'
import type { WorkspaceId } from '../src/core/ids.ts'
import { until } from '../src/core/testing.ts'
import { applyConfig, readConfig, workspaceOf } from '../src/configuration/index.ts'
import type { ConfigApp } from '../src/configuration/index.ts'
import { openBooks, openLane } from '../src/ledger/index.ts'
import { openPriceBook } from '../src/market-data/index.ts'
import { testHistory } from '../src/store/history.testing.ts'
import { runTasks } from '../src/store/task-runner.ts'
import type { TaskRunner } from '../src/store/task-runner.ts'
import { testDatabase } from '../src/store/testing.ts'
import type { TestDatabase } from '../src/store/testing.ts'
import { adapterFactories, openVenues } from '../src/venues/index.ts'
import { startSandbox } from '../src/venues/sandbox-process.testing.ts'
import { HELD_LEASE } from '../src/venues/lease/lease.testing.ts'
import type { SandboxProcess } from '../src/venues/sandbox-process.testing.ts'

type DemoApp = ConfigApp & { prices: ReturnType<typeof openPriceBook> }
type Handlers = Parameters<typeof runTasks>[2]['handlers']

export class DemoWorld {
  readonly database: TestDatabase
  readonly sandbox: SandboxProcess
  readonly app: DemoApp
  readonly workspace: WorkspaceId
  /** What went wrong beside the test. */
  readonly problems: string[]
  readonly #handlersOf: (app: DemoApp) => Handlers
  #runner: TaskRunner | undefined

  private constructor(
    parts: Pick<DemoWorld, 'database' | 'sandbox' | 'app' | 'workspace' | 'problems'>,
    handlersOf: (app: DemoApp) => Handlers,
  ) {
    this.database = parts.database
    this.sandbox = parts.sandbox
    this.app = parts.app
    this.workspace = parts.workspace
    this.problems = parts.problems
    this.#handlersOf = handlersOf
  }

  /** `beforeConnecting` happens at the venues while nobody looks. */
  static async open(
    handlersOf: (app: DemoApp) => Handlers,
    beforeConnecting: (sandbox: SandboxProcess) => Promise<void> = async () => undefined,
  ): Promise<DemoWorld> {
    const database = await testDatabase()
    const sandbox = await startSandbox()
    await beforeConnecting(sandbox)
    const problems: string[] = []
    const app = openParts(database, problems)
    const workspace = await configure(app, sandbox)
    const world = new DemoWorld({ database, sandbox, app, workspace, problems }, handlersOf)
    world.startTasks()
    await world.until('connection', async () =>
      (await app.venues.list(workspace)).every((venue) => venue.state === 'CONNECTED'),
    )
    return world
  }

  startTasks(): void {
    this.#runner = runTasks(this.database.db, systemClock, {
      handlers: this.#handlersOf(this.app),
      poll_ms: 50,
      onError: (task, error) => {
        this.problems.push(`${task.kind}: ${String(error)}`)
      },
    })
  }

  async stopTasks(): Promise<void> {
    await this.#runner?.stop()
  }

  wakeTasks(): void {
    this.#runner?.wake()
  }

  until(what: string, holds: () => Promise<boolean>): Promise<unknown> {
    return until(what, holds, () => this.problems.join('\n'))
  }

  async close(): Promise<void> {
    await this.stopTasks()
    await this.app.prices.close()
    await this.app.lane.close()
    await this.app.venues.close()
    await this.sandbox.stop()
    await this.database.drop()
  }
}

function openParts({ db }: TestDatabase, problems: string[]): DemoApp {
  const log = {
    error(details: object, message: string) {
      problems.push(`${message} ${JSON.stringify(details)}`)
    },
  }
  return {
    db,
    clock: systemClock,
    venues: openVenues({
      db,
      log,
      lease: HELD_LEASE,
      adapters: adapterFactories(log, HELD_LEASE),
    }),
    prices: openPriceBook(),
    lane: openLane(db, systemClock),
    history: testHistory(db, systemClock),
    workspace_tasks: WORKSPACE_TASKS,
  }
}

async function configure(app: DemoApp, sandbox: SandboxProcess): Promise<WorkspaceId> {
  await createFirstUser(app.db, systemClock, { email: 'admin@example.com' })
  const config = await readConfig(join(sandbox.dir, 'kontor.json'), {})
  const workspace = await workspaceOf(app.db, config)
  await app.db.tx((tx) => openBooks({ workspace, by: 'test' }, { tx, clock: systemClock }))
  await applyConfig(app, workspace, config)
  return workspace
}
