import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import { until } from '../../core/testing.ts'
import { sql } from '../../store/sql.ts'
import { putTasks } from '../../store/tasks.ts'
import type { HearVenue, News, VenueRecord } from '../../venues/index.ts'
import { EXECUTION_TASK } from '../executions/rows.ts'
import { LimitDesk } from '../orders/resting.testing.ts'
import { TRADES_TASK } from './account-trades.ts'
import { hearOrders } from './hearing.ts'

/** Until the turns of both tasks. */
const TURN_MILLISECONDS = 8_000

describe('what a venue says of orders', () => {
  let desk: LimitDesk
  let hear: HearVenue
  let venue: VenueRecord
  let every_ms: number | undefined
  before(async () => {
    desk = await LimitDesk.open()
    const [found] = await desk.world.app.venues.list(desk.world.workspace)
    assert.ok(found !== undefined)
    venue = found
  })
  after(() => desk.close())
  beforeEach(async () => {
    await desk.begin()
    every_ms = undefined
    const log = { error: (_details: object, text: string) => assert.fail(text) }
    hear = hearOrders({ db: desk.world.database.db, clock: desk.world.clock, log })
  })

  /** The turns of the execution and of the account's trades lie ahead; how far, in milliseconds. */
  async function openTurns(execution_id: string) {
    const { clock, database, workspace } = desk.world
    const turn = { workspace, due_at: clock.now() + TURN_MILLISECONDS }
    await database.db.query(sql`delete from tasks`)
    await putTasks(database.db, [
      { ...turn, kind: EXECUTION_TASK, subject_id: execution_id },
      { ...turn, kind: TRADES_TASK, subject_id: venue.services[0]?.id ?? '' },
    ])
    return async () => {
      const rows = await database.db.query<{ kind: string; due_at: number }>(sql`
        select kind, due_at
        from tasks
        order by kind`)
      const waits = new Map(rows.map(({ kind, due_at }) => [kind, due_at - clock.now()]))
      return { order: waits.get(EXECUTION_TASK), trades: waits.get(TRADES_TASK) }
    }
  }
  /** What becomes of both turns. */
  async function afterHearing(
    waits: Awaited<ReturnType<typeof openTurns>>,
    wanted: { order: number; trades: number },
    ...news: News[]
  ) {
    for (const one of news) hear(venue, one, every_ms)
    await until('the turns are as wanted', async () => {
      const { order, trades } = await waits()
      return order === wanted.order && trades === wanted.trades
    })
  }
  const named = (client_order_id: string | null): News => ({ about: 'ORDER', client_order_id })

  it('makes the order due that it names, and nothing else', async () => {
    const { id } = await desk.rest()
    const client_order_id = desk.world.exchange.sent[0]?.client_order_id ?? ''
    desk.world.clock.advance(2_000)
    const waits = await openTurns(id)
    await afterHearing(waits, { order: 0, trades: TURN_MILLISECONDS }, named(client_order_id))
  })

  it('makes an order due every two seconds at most, or as seldom as the venue wants', async () => {
    const { id } = await desk.rest()
    const news = named(desk.world.exchange.sent[0]?.client_order_id ?? '')
    desk.world.clock.advance(2_000)
    const trades = TURN_MILLISECONDS
    await afterHearing(await openTurns(id), { order: 0, trades }, news)
    await afterHearing(await openTurns(id), { order: 2_000, trades }, news)
    desk.world.clock.advance(4_000)
    every_ms = 5_000
    await afterHearing(await openTurns(id), { order: 0, trades }, news)
    await afterHearing(await openTurns(id), { order: 5_000, trades }, news)
    // Another one shows that it was heard: the order is looked up then anyway.
    const stranger = { order: TURN_MILLISECONDS, trades: 0 }
    await afterHearing(await openTurns(id), stranger, news, named(null))
  })

  it('leaves an order that was just sent to its own task', async () => {
    const { id } = await desk.rest()
    const client_order_id = desk.world.exchange.sent[0]?.client_order_id ?? ''
    desk.world.clock.advance(1_999)
    const waits = await openTurns(id)
    // The other one shows that this one has been followed.
    const wanted = { order: TURN_MILLISECONDS, trades: 0 }
    await afterHearing(waits, wanted, named(client_order_id), named(newId()))
  })

  it('makes the trades due for orders of others, every two seconds at most', async () => {
    const { id } = await desk.rest()
    const waits = await openTurns(id)
    const order = TURN_MILLISECONDS
    hear(venue, { about: 'TRANSFERS' })
    await afterHearing(waits, { order, trades: 0 }, named(null), named(newId()), { about: 'ALL' })
    const later = await openTurns(id)
    await afterHearing(later, { order, trades: 2_000 }, named(null))
  })

  it('makes the trades due no more often than the venue wants', async () => {
    const { id } = await desk.rest()
    every_ms = 5_000
    const order = TURN_MILLISECONDS
    await afterHearing(await openTurns(id), { order, trades: 0 }, named(null))
    await afterHearing(await openTurns(id), { order, trades: 5_000 }, named(newId()))
  })
})
