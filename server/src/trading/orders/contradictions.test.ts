/** What a venue reports against an outcome that a person has entered. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import { fillFor, report } from '../testing/trading.fixture.ts'
import { RESOLVE_AFTER_MILLISECONDS } from './deadlines.ts'
import {
  absent,
  filled,
  NEVER_PLACED,
  ResolvingDesk,
  trade,
  unanswered,
} from './resolution.testing.ts'
import { found } from './resting.testing.ts'

describe('an outcome that a person has entered and the venue contradicts', () => {
  let desk: ResolvingDesk
  before(async () => {
    desk = await ResolvingDesk.open()
  })
  after(() => desk.close())
  beforeEach(() => desk.begin())

  it('what the venue reports against it is shown and not booked; recheck takes it in', async () => {
    const { exchange, world } = { exchange: desk.world.exchange, world: desk.world }
    const unknown = await desk.unknown()
    await desk.resolve(unknown.id, NEVER_PLACED)
    exchange.finds = [() => found('FILLED', fillFor('L1', '60000', '1'))]
    assert.equal(await desk.work(unknown.id), 'done')
    const [order] = await desk.orders(unknown.id)
    assert.match(order?.contradiction ?? '', /reports FILLED with 1 filled in 1 trades; entered/)
    assert.deepEqual(
      [await desk.booked(unknown.id), await desk.needs('executions_contradicted')],
      [[], 1],
    )
    const listed = await desk.api.call<{ id: string }[]>('GET', '/executions?contradicted=true')
    assert.deepEqual(
      listed.data.map(({ id }) => id),
      [unknown.id],
    )
    assert.equal(await desk.work(unknown.id), 'done', 'it is not asked about any more')

    const taken = await desk.recheck(unknown.id)
    assert.deepEqual([taken.state, taken.filled_amount], ['FAILED', '1'])
    assert.deepEqual(
      [
        (await desk.orders(unknown.id))[0]?.contradiction,
        await desk.needs('executions_contradicted'),
      ],
      [null, 0],
    )
    assert.equal(
      (await desk.events(unknown.id)).slice(-3).join(),
      'resolution_contradicted,resolution_corrected,filled_late',
    )
    await world.assertBooks()
  })

  it('recheck reverses what was entered and is not listed so, and books the rest', async () => {
    const { exchange, world } = { exchange: desk.world.exchange, world: desk.world }
    for (const trades of [
      [fillFor('T1', '59000', '1')],
      [fillFor('N1', '59000', '0.5'), fillFor('N2', '59000', '0.5')],
    ]) {
      const entered = `${trades[0]?.foreign_id}-entered-${trades.length}`
      const unknown = await desk.unknown()
      const same = trades.length === 1 ? entered : newId()
      await desk.resolve(unknown.id, filled(trade({ foreign_id: same })))
      const listed = trades.map((fill) => ({
        ...fill,
        foreign_id: trades.length === 1 ? entered : fill.foreign_id,
      }))
      exchange.finds = [() => found('NEW')]
      await desk.work(unknown.id)
      assert.equal(await desk.recheckRefusal(unknown.id), 'CONFLICT ', 'it is open at the venue')
      exchange.finds = [() => ({ lookup: 'found', report: report('FILLED', listed) })]
      const corrected = await desk.recheck(unknown.id)
      assert.deepEqual(
        [corrected.state, corrected.filled_amount, corrected.average_price],
        ['DONE', '1', '59000'],
      )
      const fills = await desk.fillsOf(unknown.id)
      assert.deepEqual(
        fills.filter((fill) => !fill.busted).map((fill) => [fill.foreign_id, fill.entered_by]),
        listed.toReversed().map((fill) => [fill.foreign_id, null]),
      )
      await world.assertBooks()
    }
  })

  it('is looked for at every order that a person has resolved, for 30 days', async () => {
    const { exchange, world } = { exchange: desk.world.exchange, world: desk.world }
    world.ethMarket('0.05×10', '0.0499×10')
    const { id } = await desk.unknown({ route_id: world.two_hops.id, amount: '2' })
    const fill = { foreign_id: newId(), price: '0.05', quantity: '2', fee: '0.00026' }
    await desk.resolve(id, { state: 'FILLED', evidence: 'their mail', fills: [fill] })
    exchange.sends = [() => ({ outcome: 'unknown', reason: 'time-out' })]
    await desk.work(id)
    world.clock.advance(RESOLVE_AFTER_MILLISECONDS)
    await desk.resolve(id, NEVER_PLACED)
    exchange.finds = [unanswered, () => found('FILLED', fillFor('L2', '60000', '0.1'))]
    assert.notEqual(await desk.work(id), 'done')
    const contradicted = (await desk.orders(id)).map((order) => order.contradiction !== null)
    assert.deepEqual(contradicted.toSorted(), [false, true])
    world.clock.advance(31 * 86_400_000)
    exchange.finds = [unanswered]
    assert.equal(await desk.work(id), 'done', 'the other one is given up')
  })

  it('is found by our own reference, whatever id was typed for the order', async () => {
    const { exchange } = desk.world
    const unknown = await desk.unknown()
    await desk.resolve(unknown.id, { ...NEVER_PLACED, foreign_id: 'MISTYPED' })
    exchange.finds = [
      ({ foreign_id }) =>
        foreign_id === null ? found('FILLED', fillFor('L3', '60000', '1')) : unanswered(),
    ]
    assert.equal(await desk.work(unknown.id), 'done')
    assert.match((await desk.orders(unknown.id))[0]?.contradiction ?? '', /reports FILLED/)
  })

  it('what was entered is reversed when the venue never got the order', async () => {
    const { exchange, world } = { exchange: desk.world.exchange, world: desk.world }
    const before = await world.balances(desk.alice.account_id)
    const unknown = await desk.unknown()
    await desk.resolve(unknown.id, filled())
    exchange.finds = [absent]
    await desk.work(unknown.id)
    assert.match((await desk.orders(unknown.id))[0]?.contradiction ?? '', /never got the order/)
    const reversed = await desk.recheck(unknown.id)
    assert.deepEqual(
      [reversed.filled_amount, await world.balances(desk.alice.account_id)],
      ['0', before],
    )
    await world.assertBooks()
  })
})
