/**
 * Against the demo world's venues over their real protocols: a coin that arrives from outside while
 * nobody reads deposits.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createFirstUser } from '../src/access/index.ts'
import { WORKSPACE_TASKS } from '../src/app.ts'
import { systemClock } from '../src/core/clock.ts'
import type { WorkspaceId } from '../src/core/ids.ts'
import { until as waitUntil } from '../src/core/testing.ts'
import { openBooks, openLane, verifyBooks } from '../src/ledger/index.ts'
import { sql } from '../src/store/sql.ts'
import { runTasks } from '../src/store/task-runner.ts'
import type { TaskRunner } from '../src/store/task-runner.ts'
import { putTasks } from '../src/store/tasks.ts'
import { testDatabase } from '../src/store/testing.ts'
import type { TestDatabase } from '../src/store/testing.ts'
import { treasuryTasks } from '../src/treasury/index.ts'
import { startSandbox } from '../src/venues/sandbox-process.ts'
import type { SandboxProcess } from '../src/venues/sandbox-process.ts'
import { adapterFactories, openVenues, venuesTasks } from '../src/venues/index.ts'
import { CONFIRM_MILLISECONDS } from '../src/desk/reconciliation/comparison.ts'
import { applyConfig, readConfig, workspaceOf } from '../src/configuration/index.ts'
import type { ConfigApp } from '../src/configuration/index.ts'
import type { Position } from '../src/desk/reconciliation/reconciliation.schema.ts'
import { reconcileNow } from '../src/desk/reconciliation/reconciliation.ts'

describe('reconciliation of the demo world', () => {
  let database: TestDatabase
  let sandbox: SandboxProcess
  let app: ConfigApp
  let workspace: WorkspaceId
  let runner: TaskRunner | undefined
  const problems: string[] = []
  const noLog = {
    error(details: object, message: string) {
      problems.push(`${message} ${JSON.stringify(details)}`)
    },
  }
  /** The same service at a time that stands still. */
  const at = (time: number) => ({ ...app, clock: { now: () => time } })

  before(async () => {
    database = await testDatabase()
    sandbox = await startSandbox()
    const { db } = database
    const venues = openVenues({
      db,
      clock: systemClock,
      log: noLog,
      adapters: adapterFactories(noLog),
    })
    app = {
      db,
      clock: systemClock,
      venues,
      lane: openLane(db, systemClock, { key_lifetime_ms: 86_400_000 }),
      workspace_tasks: WORKSPACE_TASKS,
    }
    await createFirstUser(db, systemClock, { email: 'admin@example.com' })
    const config = await readConfig(join(sandbox.dir, 'kontor.json'), {})
    workspace = await workspaceOf(db, config)
    await db.tx((tx) => openBooks({ workspace, by: 'test' }, { tx, clock: systemClock }))
    await applyConfig(app, workspace, config)
    start()
    await until('connection', async () =>
      (await venues.list(workspace)).every((each) => each.state === 'CONNECTED'),
    )
  })
  after(async () => {
    await runner?.stop()
    await app.lane.close()
    await app.venues.close()
    await sandbox.stop()
    await database.drop()
  })

  const start = () => {
    runner = runTasks(database.db, systemClock, {
      handlers: { ...venuesTasks(app), ...treasuryTasks(app) },
      poll_ms: 50,
      onError: (task, error) => {
        problems.push(`${task.kind}: ${String(error)}`)
      },
    })
  }
  const until = (what: string, holds: () => Promise<boolean>) =>
    waitUntil(what, holds, () => problems.join('\n'))
  const breaks = () =>
    database.db.query<{
      state: string
      wallet: string | null
      asset: string
      difference: string
      closed_reason: string | null
    }>(
      sql`
        select state, wallet, asset, difference, closed_reason
        from breaks
        where workspace = ${workspace}`,
    )

  it('finds every venue as it was opened', async () => {
    let positions: Position[] = []
    // A venue that did not answer in time is left out.
    await until('every venue to have answered', async () => {
      positions = await reconcileNow(app, workspace)
      return (
        new Set(positions.map((position) => position.venue_id)).size ===
        (await app.venues.list(workspace)).length
      )
    })
    assert.ok(positions.length >= 8, String(positions.length))
    assert.deepEqual(
      positions.filter((position) => position.state !== 'BALANCED'),
      [],
    )
    const kinds = new Map((await app.venues.list(workspace)).map((venue) => [venue.id, venue.kind]))
    for (const position of positions) {
      assert.equal(
        position.wallets.every(({ wallet }) => wallet === null),
        kinds.get(position.venue_id) === 'EXCHANGE',
        JSON.stringify(position),
      )
      assert.ok(
        position.wallets.every(({ ledger, total }) => ledger === total),
        JSON.stringify(position),
      )
    }
  })

  it('calls a coin that nobody has read a break, until its deposit is booked', async () => {
    await runner?.stop()
    const [vault] = await database.db.query<{
      venue_id: string
      address: string
      venue_wallet: string
    }>(sql`
      select w.venue_id, w.address, w.venue_wallet
      from wallets w
      join venues v on v.workspace = w.workspace
        and v.id = w.venue_id
      where v.kind = 'CUSTODY_VAULT'
        and w.asset = 'BTC'
      order by w.id
      limit 1`)
    assert.ok(vault)
    await sandbox.control('POST', 'chain/send', {
      asset: 'BTC',
      quantity: '0.4',
      to_address: vault.address,
    })
    const position = async (given = app) =>
      (await reconcileNow(given, workspace)).find(
        (each) => each.venue_id === vault.venue_id && each.asset === 'BTC',
      )
    const seen = Date.now()
    await until('arrival', async () => (await position(at(seen)))?.difference === '0.4')
    assert.equal((await position(at(seen)))?.state, 'CHECKING')
    await until(
      'the break',
      async () => (await position(at(seen + CONFIRM_MILLISECONDS)))?.state === 'BREAK',
    )
    assert.deepEqual(await breaks(), [
      {
        state: 'OPEN',
        wallet: vault.venue_wallet,
        asset: 'BTC',
        difference: '0.4',
        closed_reason: null,
      },
    ])

    start()
    await putTasks(database.db, [
      { workspace, kind: 'poll_venue', subject_id: vault.venue_id, due_at: 0 },
    ])
    runner?.wake()
    await until('the deposit is booked', async () => (await position())?.state === 'BALANCED')
    assert.deepEqual(await breaks(), [
      {
        state: 'CLOSED',
        wallet: vault.venue_wallet,
        asset: 'BTC',
        difference: '0.4',
        closed_reason: 'RESOLVED',
      },
    ])
    assert.deepEqual((await verifyBooks(database.db, workspace)).faults, [])
  })
})
