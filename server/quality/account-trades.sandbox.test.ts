/**
 * Against the demo world's exchanges over their real protocols: orders that a person places there,
 * before and after the first connection.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { reconcileNow } from '../src/desk/reconciliation/reconciliation.ts'
import { verifyBooks } from '../src/ledger/index.ts'
import { sql } from '../src/store/sql.ts'
import { putTasks } from '../src/store/tasks.ts'
import { TRADES_TASK, tradingTasks } from '../src/trading/index.ts'
import { treasuryTasks } from '../src/treasury/index.ts'
import { venuesTasks } from '../src/venues/index.ts'
import type { SandboxProcess } from '../src/venues/sandbox-process.testing.ts'
import { DemoWorld } from './demo-world.testing.ts'

const EXCHANGES = ['kraken', 'bitstamp'] as const

describe("trades made at the exchange's own desk", () => {
  let world: DemoWorld

  before(async () => {
    world = await DemoWorld.open(
      (app) => ({ ...venuesTasks(app), ...treasuryTasks(app), ...tradingTasks(app) }),
      // In the account before anybody connects: in the opening balance.
      async (sandbox) => {
        for (const name of EXCHANGES) await trade(sandbox, name, 'buy', '0.25')
      },
    )
  })
  after(() => world.close())

  const trade = (sandbox: SandboxProcess, name: string, side: string, volume: string) =>
    sandbox.control<{ trades: { id: string; trade_id: number }[] }>('POST', `${name}/orders`, {
      pair: 'BTC/EUR',
      side,
      type: 'market',
      volume,
    })
  const look = async () => {
    const services = await world.database.db.query<{ id: string }>(
      sql`
        select id
        from services
        where workspace = ${world.workspace}
          and type = 'TOMS'`,
    )
    await putTasks(
      world.database.db,
      services.map(({ id }) => ({
        workspace: world.workspace,
        kind: TRADES_TASK,
        subject_id: id,
        due_at: 0,
      })),
    )
    world.wakeTasks()
  }
  const fills = () =>
    world.database.db.query<{ foreign_id: string; busted: boolean; execution_id: string | null }>(
      sql`
        select foreign_id, busted, execution_id
        from fills
        where workspace = ${world.workspace}
        order by id`,
    )
  /** A venue that did not answer in time is compared again. */
  const agree = () =>
    world.until('the books say what the venues say', async () =>
      (await reconcileNow(world, world.app)).every(({ difference }) => difference === '0'),
    )

  it('before the first connection are in the opening balance and nowhere else', async () => {
    await look()
    await world.until(
      'the first reading',
      async () =>
        (
          await world.database.db.query(sql`
          select 1
          from trade_cursors
          where workspace = ${world.workspace}`)
        ).length >= EXCHANGES.length,
    )
    assert.deepEqual(await fills(), [])
    await agree()
  })

  it('afterwards are booked once, so that the books say what the exchanges say', async () => {
    const trades = new Set<string>()
    for (const name of EXCHANGES) {
      for (const side of ['buy', 'sell', 'buy'])
        for (const exchangeTrade of (await trade(world.sandbox, name, side, '0.3')).trades)
          trades.add(name === 'kraken' ? exchangeTrade.id : String(exchangeTrade.trade_id))
    }
    await look()
    await world.until('all are booked', async () => (await fills()).length >= trades.size)
    await look()
    assert.deepEqual(new Set((await fills()).map((fill) => fill.foreign_id)), trades)
    assert.equal((await fills()).length, trades.size)
    await agree()
    assert.deepEqual((await verifyBooks(world.database.db, world.workspace)).faults, [])
  })

  it('and taken back are reversed', async () => {
    for (const name of EXCHANGES) {
      const [one] = (await trade(world.sandbox, name, 'sell', '0.01')).trades
      const foreign_id = name === 'kraken' ? one?.id : String(one?.trade_id)
      await look()
      await world.until('it is booked', async () =>
        (await fills()).some((fill) => fill.foreign_id === foreign_id),
      )
      await world.sandbox.control('POST', `${name}/trades/${foreign_id}/bust`, {})
      await look()
      await world.until('it is reversed', async () =>
        (await fills()).some((fill) => fill.foreign_id === foreign_id && fill.busted),
      )
    }
    await agree()
    assert.deepEqual((await verifyBooks(world.database.db, world.workspace)).faults, [])
    assert.deepEqual(world.problems, [])
  })
})
