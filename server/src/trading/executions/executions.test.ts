import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { decimal, format } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import { houseAccounts } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import { fillFor, report } from '../testing/trading.fixture.ts'
import type { Execution } from './executions.schema.ts'
import { ExecutionDesk } from './executions.testing.ts'
import type { Fill } from './fills.schema.ts'
import type { Order } from './orders.schema.ts'
import { executionById } from './rows.ts'

describe('executions', () => {
  let desk: ExecutionDesk
  before(async () => {
    desk = await ExecutionDesk.open()
  })
  after(() => desk.close())
  beforeEach(() => desk.reset())

  describe('an execution without a quote', () => {
    it('BUY: blocks the worst, books what was filled, frees the rest', async () => {
      const created = await desk.execute({ client_ref: 'first' })
      assert.equal(created.state, 'PROCESSING')
      // 1.5 × 60600 = 90900, fee 236.34, margin 455.69
      assert.deepEqual(await desk.openHolds(created.id), ['EUR 91592.03'])
      assert.deepEqual(
        created,
        await executionById(desk.world.database.db, desk.world.workspace, created.id),
      )
      desk.world.exchange.sends = [
        () => ({
          outcome: 'accepted',
          report: report('FILLED', [fillFor('T1', '60000', '1'), fillFor('T2', '60100', '0.5')]),
        }),
      ]
      const done = await desk.world.finish(created.id)
      const [order] = desk.world.exchange.sent
      assert.deepEqual(
        [
          order?.type,
          order?.tif_mode,
          format(order?.price ?? 0n),
          format(order?.quantity ?? 0n),
          order?.client_order_id.length,
        ],
        ['LIMIT', 'IOC', '60600', '1.5', 36],
      )
      assert.partialDeepStrictEqual(done, {
        state: 'DONE',
        filled_amount: '1.5',
        filled_volume: '90050',
        average_price: '60033.33333334',
        fee: '234.13',
        customers: [{ filled_volume: '90735.56' }],
        slippage: '0.00055556',
      })
      assert.deepEqual(await desk.openHolds(created.id), [])
      assert.deepEqual(await desk.world.balances(desk.alice.account_id), {
        BTC: '6.5',
        EUR: '409264.44',
      })
      assert.deepEqual(await desk.bookings(created.id), [
        'EXECUTION EUR: D Alice 90735.56, C Exchange trading 90050, C Fee 234.13, C Margin 451.43',
        'EXECUTION BTC: D Exchange trading 1.5, C Alice 1.5',
        'TRADING_FEE EUR: D Fee 234.13, C Exchange trading 234.13',
        'SETTLEMENT BTC: D Exchange 1.5, C Exchange trading 1.5',
        'SETTLEMENT EUR: D Exchange trading 90284.13, C Exchange 90284.13',
      ])
      const fills = (await desk.api.call<Fill[]>('GET', `/executions/${created.id}/orders/fills`))
        .data
      assert.deepEqual(
        fills.map((fill) => [fill.foreign_id, fill.price, fill.quantity, fill.settlement_state]),
        [
          ['T2', '60100', '0.5', 'SETTLED'],
          ['T1', '60000', '1', 'SETTLED'],
        ],
      )
      const [sent] = (await desk.api.call<Order[]>('GET', `/executions/${created.id}/orders`)).data
      assert.deepEqual(
        [sent?.state, sent?.filled_quantity, sent?.volume, sent?.foreign_id, sent?.client_order_id],
        ['FILLED', '1.5', '90050', 'OABC', order?.client_order_id],
      )
      assert.deepEqual(await desk.events(created.id), [
        'execution.created',
        'execution.filled',
        'execution.done',
      ])
      await desk.world.assertBooks()
    })

    it("SELL: blocks the amount, the venue's odd digits go to ROUNDING", async () => {
      const created = await desk.execute({ side: 'SELL', amount: '0.12345' })
      assert.deepEqual(await desk.openHolds(created.id), ['BTC 0.12345'])
      desk.world.exchange.sends = [
        () => ({
          outcome: 'accepted',
          report: report('FILLED', [fillFor('S1', '59999.9', '0.12345')]),
        }),
      ]
      const done = await desk.world.finish(created.id)
      // 7406.987655 → 7406.98, fee 19.26, margin 36.94
      assert.deepEqual([done.state, done.customers[0]?.filled_volume], ['DONE', '7350.78'])
      assert.deepEqual(await desk.bookings(created.id), [
        'EXECUTION EUR: D Exchange trading 7406.987655, C Alice 7350.78, ' +
          'C Fee 19.258167903, C Margin 36.94, C Rounding 0.009487097',
        'EXECUTION BTC: D Alice 0.12345, C Exchange trading 0.12345',
        'TRADING_FEE EUR: D Fee 19.25817, C Exchange trading 19.25817',
        'SETTLEMENT BTC: D Exchange trading 0.12345, C Exchange 0.12345',
        'SETTLEMENT EUR: D Exchange 7387.729485, C Exchange trading 7387.729485',
      ])
      await desk.world.assertBooks()
    })

    it('SIMPLE: one leg against TRADING, what it leaves there is MARGIN', async () => {
      desk.alice = await desk.world.customer({ booking_schema: 'SIMPLE' })
      const created = await desk.execute()
      desk.fillAll()
      const done = await desk.world.finish(created.id)
      const paid = done.customers[0]?.filled_volume
      assert.deepEqual(await desk.bookings(created.id), [
        `EXECUTION EUR: D Alice ${paid}, C Exchange trading ${paid}`,
        'EXECUTION BTC: D Exchange trading 1.5, C Alice 1.5',
        'SETTLEMENT BTC: D Exchange 1.5, C Exchange trading 1.5',
        'SETTLEMENT EUR: D Exchange trading 90234, C Exchange 90234',
        'EXECUTION EUR: D Exchange trading 451.17, C Margin 451.17',
      ])
      await desk.world.assertBooks()
    })

    it('filled in part: what was filled stays and is booked, the rest is freed', async () => {
      const created = await desk.execute()
      desk.world.exchange.sends = [
        () => ({
          outcome: 'accepted',
          report: report('CANCELED', [fillFor('P1', '60000', '0.7')]),
        }),
      ]
      const done = await desk.world.finish(created.id)
      assert.deepEqual(
        [done.state, done.reason_code, done.filled_amount],
        ['CANCELED', 'NO_LIQUIDITY', '0.7'],
      )
      assert.deepEqual(await desk.openHolds(created.id), [])
      assert.equal((await desk.world.balances(desk.alice.account_id))['BTC'], '5.7')
      await desk.world.assertBooks()
    })

    it('filled piece by piece costs the same; a fill reported twice is booked once', async () => {
      const created = await desk.execute({ side: 'SELL', amount: '1' })
      const pieces = [
        fillFor('Q1', '59999.97', '0.33333'),
        fillFor('Q2', '59950.11', '0.33333'),
        fillFor('Q3', '59900.3', '0.33334'),
      ]
      desk.world.exchange.sends = [
        () => ({ outcome: 'accepted', report: report('PARTIALLY_FILLED', pieces.slice(0, 1)) }),
      ]
      desk.world.exchange.finds = [
        () => ({ lookup: 'found', report: report('PARTIALLY_FILLED', pieces.slice(0, 1)) }),
        () => ({
          lookup: 'found',
          report: report('PARTIALLY_FILLED', [...pieces.slice(0, 2), ...pieces.slice(0, 2)]),
        }),
        () => ({ lookup: 'unknown', reason: 'not now' }),
        () => ({ lookup: 'found', report: report('FILLED', pieces.slice(1, 2), '1') }),
        () => ({ lookup: 'found', report: report('FILLED', pieces) }),
      ]
      const done = await desk.world.finish(created.id)
      const notional = pieces.reduce((total, piece) => total + piece.volume, 0n)
      assert.deepEqual(
        [done.state, done.filled_volume, done.filled_amount],
        ['DONE', format(notional), '1'],
      )
      const fills = (await desk.api.call<Fill[]>('GET', `/executions/${created.id}/orders/fills`))
        .data
      assert.deepEqual(fills.map((fill) => fill.foreign_id).toSorted(), ['Q1', 'Q2', 'Q3'])
      assert.equal(
        done.customers[0]?.filled_volume,
        format(
          decimal((await desk.world.balances(desk.alice.account_id))['EUR'] ?? '0') -
            decimal('500000'),
        ),
      )
      await desk.world.assertBooks()
    })

    it('nothing filled: CANCELED; refused: FAILED; both free everything', async () => {
      const unfilled = await desk.execute()
      desk.world.exchange.sends = [() => ({ outcome: 'accepted', report: report('EXPIRED', []) })]
      const canceled = await desk.world.finish(unfilled.id)
      assert.deepEqual(
        [
          canceled.state,
          canceled.reason_code,
          await desk.openHolds(unfilled.id),
          await desk.bookings(unfilled.id),
        ],
        ['CANCELED', 'NO_LIQUIDITY', [], []],
      )
      const turned = await desk.execute()
      desk.world.exchange.sends = [
        () => ({ outcome: 'refused', reason: 'EOrder:Insufficient funds', native: null }),
      ]
      const failed = await desk.world.finish(turned.id)
      assert.deepEqual(
        [failed.state, failed.reason_code, failed.reason, await desk.openHolds(turned.id)],
        ['FAILED', 'REFUSED_BY_VENUE', 'EOrder:Insufficient funds', []],
      )
      await desk.world.assertBooks()
    })

    it('POST_TRADE: the trade stays on TRADING until it is settled', async () => {
      desk.world.exchange.settlement = 'POST_TRADE'
      const created = await desk.execute({ amount: '1' })
      desk.fillAll()
      await desk.world.finish(created.id)
      assert.deepEqual(
        (await desk.bookings(created.id)).map((line) => line.split(':')[0]),
        ['EXECUTION EUR', 'EXECUTION BTC', 'TRADING_FEE EUR'],
      )
      await desk.world.assertBooks()
      // Settled by hand, so that the other cases find TRADING at 0.
      const [trading] = await desk.world.database.db.query<{ id: string; venue: string }>(
        sql`
          select t.id, v.id as venue
          from accounts t
          join accounts v on v.workspace = t.workspace
            and v.venue_id = t.venue_id
            and v.type = 'VENUE'
          where t.workspace = ${desk.world.workspace}
            and t.type = 'TRADING'`,
      )
      assert.ok(trading)
      for (const [asset, quantity] of [
        ['BTC', -decimal('1')],
        ['EUR', decimal('60156')],
      ] as const) {
        const [debit, credit] =
          quantity > 0n ? [trading.id, trading.venue] : [trading.venue, trading.id]
        const size = quantity > 0n ? quantity : -quantity
        await desk.world.app.lane.commit({
          workspace: desk.world.workspace,
          class: 'fact',
          by: 'test',
          ledger: [
            {
              step: 'book',
              booking: {
                id: newId(),
                type: 'SETTLEMENT',
                asset,
                legs: [
                  { account_id: debit, type: 'DEBIT', quantity: size },
                  { account_id: credit, type: 'CREDIT', quantity: size },
                ],
              },
            },
          ],
        })
      }
    })
  })

  it('lists by state, time, customer and client_ref; unknown ones are 4004', async () => {
    const [first, second] = [
      await desk.execute({ client_ref: 'ref-1' }),
      await desk.execute({ client_ref: 'ref-2', amount: '1' }),
    ]
    const ids = async (query: string) =>
      (await desk.api.call<Execution[]>('GET', `/executions?${query}`)).data.map(({ id }) => id)
    assert.deepEqual(await ids(`customer_id=${desk.alice.id}`), [second.id, first.id])
    assert.deepEqual(await ids('client_ref=ref-1'), [first.id])
    assert.deepEqual(await ids(`customer_id=${desk.alice.id}&state=done,canceled`), [])
    assert.deepEqual(
      await ids(
        `customer_id=${desk.alice.id}&state=processing&created_at_from=${desk.world.clock.now()}`,
      ),
      [second.id, first.id],
    )
    assert.deepEqual(
      await ids(`customer_id=${desk.alice.id}&created_at_to=${desk.world.clock.now()}`),
      [],
    )
    const sums = await desk.api.call('GET', `/executions/totals?client_ref=ref-2`)
    assert.partialDeepStrictEqual(sums.data, {
      rows: 1,
      complete: true,
      totals: [{ base_asset: 'BTC', side: 'BUY', state: 'PROCESSING', amount: '1' }],
    })
    const ofAlice = `/executions/totals?customer_id=${desk.alice.id}`
    assert.partialDeepStrictEqual((await desk.api.call('GET', ofAlice)).data, { rows: 2 })
    assert.equal((await desk.api.call('GET', '/executions?state=SLEEPING')).error_code, 3001)
    for (const path of ['', '/quote', '/orders', '/orders/fills'])
      assert.equal(
        (await desk.api.call('GET', `/executions/${newId()}${path}`)).error_code,
        4004,
        path,
      )
    assert.equal(
      (await desk.api.call<Execution & { quote: null }>('GET', `/executions/${first.id}/quote`))
        .data.quote,
      null,
    )
    desk.fillAll()
    await desk.world.finish(first.id)
    await desk.world.finish(second.id)
  })

  it('books a fee in the base asset where the venue takes it there', async () => {
    const created = await desk.execute({ amount: '1' })
    desk.world.exchange.sends = [
      () => ({
        outcome: 'accepted',
        report: report('FILLED', [
          fillFor('B1', '60000', '1', { fee: '0.0026', fee_asset: 'BTC' }),
        ]),
      }),
    ]
    await desk.world.finish(created.id)
    const { FEE } = await houseAccounts(desk.world.database.db, desk.world.workspace)
    assert.equal((await desk.world.balances(FEE))['BTC'], '0.0026')
    await desk.world.assertBooks()
  })
})
