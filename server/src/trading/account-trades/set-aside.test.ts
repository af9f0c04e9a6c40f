/** One trade that cannot be read or booked waits for a person, and the others are booked. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { decimal } from '../../core/decimal.ts'
import type { AccountTrade, SetAsideRecord } from '../../venues/index.ts'
import { outsideTrade, TradeDesk } from './account-trades.testing.ts'

const rowOf = ({ foreign_id }: AccountTrade): SetAsideRecord => ({
  foreign_id,
  direction: null,
  reason: 'the pair of the trade is not known',
  raw: JSON.stringify({ id: foreign_id, price: 'much' }),
  occurred_at: null,
})

describe('account trades that are set aside', () => {
  let desk: TradeDesk
  before(async () => {
    desk = await TradeDesk.open()
  })
  after(() => desk.close())
  beforeEach(() => {
    desk.exchange.trades = []
    desk.exchange.unread = []
  })

  const tradeNow = (more: Partial<AccountTrade> = {}) =>
    outsideTrade({ executed_at: desk.world.clock.now() + 1_000, ...more })
  const isBooked = async ({ foreign_id }: AccountTrade) =>
    (await desk.fills()).some((fill) => fill.foreign_id === foreign_id)

  it('resolves one that is listed in a form that is understood, and books it once', async () => {
    const [good, late] = [tradeNow(), tradeNow()]
    desk.exchange.trades = [good]
    desk.exchange.unread = [rowOf(late)]
    await desk.observe()
    await desk.observe()
    assert.deepEqual([await isBooked(good), await isBooked(late)], [true, false])
    assert.deepEqual(await desk.events(late.foreign_id), ['set_aside_item.opened'])
    desk.exchange.trades = [good, late]
    desk.exchange.unread = []
    await desk.observe()
    await desk.observe()
    assert.deepEqual(await desk.events(late.foreign_id), [
      'set_aside_item.opened',
      'fill.recorded',
      'set_aside_item.resolved',
    ])
  })

  it('sets one aside that the books cannot take, and books the others', async () => {
    const most = decimal('99999999999999999999')
    const bad = tradeNow({ volume: most, fee: most })
    const [before_it, after_it] = [tradeNow(), tradeNow()]
    desk.exchange.trades = [before_it, bad, after_it]
    await desk.observe()
    assert.deepEqual(await Promise.all([before_it, bad, after_it].map(isBooked)), [
      true,
      false,
      true,
    ])
    assert.deepEqual(await desk.events(bad.foreign_id), ['set_aside_item.opened'])
  })

  it('leaves one to a person that the opening balance may contain', async () => {
    const early = tradeNow({ executed_at: desk.world.clock.now() - 1_000 })
    desk.exchange.unread = [rowOf(early)]
    await desk.observe()
    desk.exchange.trades = [early]
    desk.exchange.unread = []
    await desk.observe()
    assert.equal(await isBooked(early), false)
    assert.deepEqual(await desk.events(early.foreign_id), ['set_aside_item.opened'])
  })
})
