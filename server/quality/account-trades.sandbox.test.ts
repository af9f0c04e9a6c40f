/**
 * Against the demo world's exchanges over their real protocols: orders that a person places there,
 * before and after the first connection.
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
import { openPriceBook } from '../src/market-data/index.ts'
import { sql } from '../src/store/sql.ts'
import { runTasks } from '../src/store/task-runner.ts'
import type { TaskRunner } from '../src/store/task-runner.ts'
import { putTasks } from '../src/store/tasks.ts'
import { testDatabase } from '../src/store/testing.ts'
import type { TestDatabase } from '../src/store/testing.ts'
import { TRADES_TASK, tradingTasks } from '../src/trading/index.ts'
import { treasuryTasks } from '../src/treasury/index.ts'
import { startSandbox } from '../src/venues/sandbox-process.ts'
import type { SandboxProcess } from '../src/venues/sandbox-process.ts'
import { adapterFactories, openVenues, venuesTasks } from '../src/venues/index.ts'
import { applyConfig, readConfig, workspaceOf } from '../src/configuration/index.ts'
import type { ConfigApp } from '../src/configuration/index.ts'
import { reconcileNow } from '../src/desk/reconciliation/reconciliation.ts'

const EXCHANGES = ['kraken', 'bitstamp'] as const

describe("trades made at the exchange's own desk", () => {
  let database: TestDatabase
  let sandbox: SandboxProcess
  let app: ConfigApp & { prices: ReturnType<typeof openPriceBook> }
  let workspace: WorkspaceId
  let runner: TaskRunner | undefined
  const problems: string[] = []
  const noLog = {
    error(details: object, message: string) {
      problems.push(`${message} ${JSON.stringify(details)}`)
    },
  }

  before(async () => {
    database = await testDatabase()
    sandbox = await startSandbox()
    // In the account before anybody connects: in the opening balance.
    for (const name of EXCHANGES) await trade(name, 'buy', '0.25')
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
      prices: openPriceBook(),
      lane: openLane(db, systemClock, { key_lifetime_ms: 86_400_000 }),
      workspace_tasks: WORKSPACE_TASKS,
    }
    await createFirstUser(db, systemClock, { email: 'admin@example.com' })
    const config = await readConfig(join(sandbox.dir, 'kontor.json'), {})
    workspace = await workspaceOf(db, config)
    await db.tx((tx) => openBooks({ workspace, by: 'test' }, { tx, clock: systemClock }))
    await applyConfig(app, workspace, config)
    runner = runTasks(db, systemClock, {
      handlers: { ...venuesTasks(app), ...treasuryTasks(app), ...tradingTasks(app) },
      poll_ms: 50,
      onError: (task, error) => {
        problems.push(`${task.kind}: ${String(error)}`)
      },
    })
    await until('connection', async () =>
      (await venues.list(workspace)).every((each) => each.state === 'CONNECTED'),
    )
  })
  after(async () => {
    await runner?.stop()
    await app.prices.close()
    await app.lane.close()
    await app.venues.close()
    await sandbox.stop()
    await database.drop()
  })

  const until = (what: string, holds: () => Promise<boolean>) =>
    waitUntil(what, holds, () => problems.join('\n'))
  const trade = (name: string, side: string, volume: string) =>
    sandbox.control<{ trades: { id: string; trade_id: number }[] }>('POST', `${name}/orders`, {
      pair: 'BTC/EUR',
      side,
      type: 'market',
      volume,
    })
  const look = async () => {
    const services = await database.db.query<{ id: string }>(
      sql`
        select id
        from services
        where workspace = ${workspace}
          and type = 'TOMS'`,
    )
    await putTasks(
      database.db,
      services.map(({ id }) => ({ workspace, kind: TRADES_TASK, subject_id: id, due_at: 0 })),
    )
    runner?.wake()
  }
  const fills = () =>
    database.db.query<{ foreign_id: string; busted: boolean; execution_id: string | null }>(
      sql`
        select foreign_id, busted, execution_id
        from fills
        where workspace = ${workspace}
        order by id`,
    )
  /** A venue that did not answer in time is compared again. */
  const agree = () =>
    until('the books say what the venues say', async () =>
      (await reconcileNow(app, workspace)).every((each) => each.difference === '0'),
    )

  it('before the first connection are in the opening balance and nowhere else', async () => {
    await look()
    await until(
      'the first reading',
      async () =>
        (
          await database.db.query(sql`
          select 1
          from trade_cursors
          where workspace = ${workspace}`)
        ).length >= EXCHANGES.length,
    )
    assert.deepEqual(await fills(), [])
    await agree()
  })

  it('afterwards are booked once, so that the books say what the exchanges say', async () => {
    const made = new Set<string>()
    for (const name of EXCHANGES) {
      for (const side of ['buy', 'sell', 'buy'])
        for (const each of (await trade(name, side, '0.3')).trades)
          made.add(name === 'kraken' ? each.id : String(each.trade_id))
    }
    await look()
    await until('all are booked', async () => (await fills()).length >= made.size)
    await look()
    assert.deepEqual(new Set((await fills()).map((fill) => fill.foreign_id)), made)
    assert.equal((await fills()).length, made.size)
    await agree()
    assert.deepEqual((await verifyBooks(database.db, workspace)).faults, [])
  })

  it('and taken back are reversed', async () => {
    for (const name of EXCHANGES) {
      const [one] = (await trade(name, 'sell', '0.01')).trades
      const foreign_id = name === 'kraken' ? one?.id : String(one?.trade_id)
      await look()
      await until('it is booked', async () =>
        (await fills()).some((fill) => fill.foreign_id === foreign_id),
      )
      await sandbox.control('POST', `${name}/trades/${foreign_id}/bust`, {})
      await look()
      await until('it is reversed', async () =>
        (await fills()).some((fill) => fill.foreign_id === foreign_id && fill.busted),
      )
    }
    await agree()
    assert.deepEqual((await verifyBooks(database.db, workspace)).faults, [])
    assert.deepEqual(problems, [])
  })
})
