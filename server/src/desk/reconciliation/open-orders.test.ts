import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { decimal } from '../../core/decimal.ts'
import type { BreakId } from '../../core/ids.ts'
import { venueAccounts } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import { found, LimitDesk } from '../../trading/orders/resting.testing.ts'
import { fillFor } from '../../trading/testing/trading.fixture.ts'
import { CONFIRM_MILLISECONDS } from './comparison.ts'
import { closeBreak } from './breaks.ts'
import { reconcileNow } from './reconciliation.ts'
import type { ReconciliationApp } from './reconciliation.ts'
import type { Position } from './reconciliation.schema.ts'

const TEN_MINUTES = 600_000

describe('reconciliation while an order is open', () => {
  let desk: LimitDesk
  /** What the exchange holds beyond the books. */
  let more: Record<string, string>
  before(async () => {
    desk = await LimitDesk.open()
  })
  after(() => desk.close())
  beforeEach(async () => {
    await desk.begin()
    more = {}
    await look()
  })

  async function reconciling(): Promise<ReconciliationApp> {
    const { app, exchange, workspace, venue_id, balances } = desk.world
    const { VENUE } = await venueAccounts(app.db, workspace, venue_id)
    const booked = await balances(VENUE)
    const held = Object.entries(booked).map(([asset, total]) => ({
      asset,
      wallet: null,
      protocol: null,
      free: null,
      used: null,
      total: decimal(total) + decimal(more[asset] ?? '0'),
    }))
    return {
      db: app.db,
      clock: app.clock,
      venues: {
        list: app.venues.list,
        connect: async (owner, id) => ({
          ...(await app.venues.connect(owner, id)),
          adapter: { ...exchange.adapter, balances: async () => held },
        }),
      },
    }
  }

  async function positions(): Promise<Position[]> {
    const { workspace } = desk.world
    return reconcileNow({ workspace }, await reconciling())
  }

  /** State, in flight and difference of each asset. */
  async function look(): Promise<Record<string, string>> {
    return Object.fromEntries(
      (await positions()).map(({ asset, state, on_the_way, difference }) => [
        asset,
        `${state} ${on_the_way} ${difference}`,
      ]),
    )
  }

  /** What differs when it was seen for long enough. */
  async function confirmed(): Promise<Record<string, string>> {
    await look()
    desk.world.clock.advance(CONFIRM_MILLISECONDS)
    return look()
  }

  async function fill(id: string, foreign_id: string, price: string): Promise<void> {
    desk.world.exchange.finds = [() => found('FILLED', fillFor(foreign_id, price, '1'))]
    await desk.world.finish(id)
    more = {}
    assert.deepEqual(await confirmed(), { BTC: 'BALANCED 0 0', EUR: 'BALANCED 0 0' })
  }

  it('goes on where it is known how much the order can move', async () => {
    const { id } = await desk.rest()
    assert.deepEqual(await look(), { BTC: 'BALANCED 0 0', EUR: 'BALANCED 0 0' })
    more = { BTC: '1', EUR: '-59701.42' }
    assert.deepEqual(await look(), { BTC: 'BALANCED 1 0', EUR: 'BALANCED -59701.42 0' })
    more = { BTC: '1.5', EUR: '7' }
    assert.deepEqual(await confirmed(), { BTC: 'BREAK 1 0.5', EUR: 'BREAK 0 7' })
    more = {}
    await confirmed()
    await fill(id, 'R1', '59546.6')
  })

  it('forgets no difference that was accepted, though the order might explain it', async () => {
    const { app, workspace } = desk.world
    more = { EUR: '-7' }
    assert.deepEqual(await confirmed(), { BTC: 'BALANCED 0 0', EUR: 'BREAK 0 -7' })
    const [open] = await app.db.query<{ id: BreakId }>(sql`
      select id
      from breaks
      where workspace = ${workspace}
        and state = 'OPEN'`)
    const { id } = open ?? assert.fail()
    const { clock } = app
    await app.db.tx((tx) => closeBreak({ workspace, by: 'test' }, { tx, clock }, id, 'a fee'))
    desk.world.market()
    const order = await desk.rest()
    const accepted = { BTC: 'BALANCED 0 0', EUR: 'ACCEPTED 0 -7' }
    assert.deepEqual(await confirmed(), accepted)
    desk.world.exchange.finds = [() => found('FILLED', fillFor('R4', '59546.6', '1'))]
    await desk.world.finish(order.id)
    assert.deepEqual(await confirmed(), accepted)
    more = {}
    await confirmed()
  })

  it('says which asset it does not compare, why, and until when', async () => {
    const { id } = await desk.rest({ side: 'SELL', price: '60000' })
    const [order] = await desk.orders(id)
    more = { EUR: '7', BTC: '2' }
    const [BTC, EUR] = await positions()
    assert.deepEqual([BTC?.state, BTC?.not_compared, BTC?.difference], ['CHECKING', null, '2'])
    assert.deepEqual(
      [EUR?.state, EUR?.not_compared, EUR?.difference],
      [
        'NOT_COMPARED',
        {
          order_id: order?.id,
          reason:
            `order ${order?.id} is open and may be filled at this moment, ` +
            'for an amount of EUR that is not known before',
          until: (order?.sent_at ?? 0) + TEN_MINUTES,
        },
        '0',
      ],
    )
    assert.deepEqual(await confirmed(), { BTC: 'BREAK 0 2', EUR: 'NOT_COMPARED 0 0' })
    desk.world.clock.advance(TEN_MINUTES)
    desk.world.market()
    assert.deepEqual(await confirmed(), { BTC: 'BREAK 0 2', EUR: 'BREAK 0 7' })
    more = {}
    await confirmed()
    await fill(id, 'R2', '61000')
  })

  it('says so also of an asset that it has never compared', async () => {
    const { world } = desk
    await world.app.db.query(sql`
      delete from positions
      where workspace = ${world.workspace}`)
    const { id } = await desk.rest({ side: 'SELL', price: '60000' })
    assert.deepEqual(await look(), { BTC: 'BALANCED 0 0', EUR: 'NOT_COMPARED 0 0' })
    await fill(id, 'R3', '61000')
  })
})
