import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { decimal, format, sum } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import type { Customer } from '../../customers/index.ts'
import { openDesk } from '../testing/desk.testing.ts'
import type { Desk } from '../testing/desk.testing.ts'
import { fillFor, report } from '../testing/trading.fixture.ts'
import { executeAtMarket, resetWithCustomers } from './splits.testing.ts'

describe('splits', () => {
  let desk: Desk
  let alice: Customer
  let bob: Customer
  before(async () => {
    desk = await openDesk()
  })
  after(() => desk.close())
  beforeEach(async () => {
    ;({ alice, bob } = await resetWithCustomers(desk))
  })
  const market = (more: Record<string, unknown> = {}) => executeAtMarket(desk, alice, more)

  it('a split in pieces: each customer has a hold and a margin at one price', async () => {
    const { world } = desk
    const created = await market({
      customers: [{ customer_id: alice.id, quantity_absolute: '0.33333' }, { customer_id: bob.id }],
    })
    assert.deepEqual(
      [
        created.customers.map((customer) => [customer.quantity_absolute, customer.margin]),
        (await desk.held(created.id)).length,
      ],
      [
        [
          ['0.33333', '0.005'],
          [null, '0.001'],
        ],
        2,
      ],
    )
    const pieces = [fillFor('A', '60000', '0.5'), fillFor('B', '60010.1', '0.5')]
    world.exchange.sends = [
      () => ({ outcome: 'accepted', report: report('PARTIALLY_FILLED', pieces.slice(0, 1)) }),
    ]
    world.exchange.finds = [() => ({ lookup: 'found', report: report('FILLED', pieces) })]
    const done = await world.finish(created.id)
    assert.deepEqual(
      [
        done.state,
        done.customers.map((customer) => customer.filled_amount),
        await desk.held(created.id),
      ],
      ['DONE', ['0.33333', '0.66667'], []],
    )
    // 60005.05 each: 20001.49 + 52.01 + 100.27; 40003.57 + 104.01 + 40.11
    assert.deepEqual(
      done.customers.map((customer) => customer.filled_volume),
      ['20153.77', '40147.69'],
    )
    assert.equal(
      (await world.balances(bob.account_id))['EUR'],
      format(decimal('500000') - decimal('40147.69')),
    )
    await world.assertBooks()
  })

  it("the request's margin and risk hold for each, in holds and bookings", async () => {
    const created = await market({
      amount: '3',
      margin: '0.01',
      risk: '0.00079',
      customers: [{ customer_id: alice.id, quantity_absolute: '1.5' }, { customer_id: bob.id }],
    })
    // 90900, fee 236.34, risk 72.00, margin 911.37
    assert.deepEqual(
      [created.margin, created.risk, await desk.held(created.id)],
      ['0.01', '0.00079', ['EUR 92119.71', 'EUR 92119.71']],
    )
    desk.world.exchange.sends = [desk.fills('60000')]
    const done = await desk.world.finish(created.id)
    assert.deepEqual(
      done.customers.map((customer) => [customer.margin, customer.risk, customer.filled_volume]),
      [
        ['0.01', '0.00079', '91207.63'],
        ['0.01', '0.00079', '91207.63'],
      ],
    )
    assert.equal(
      (await desk.booked(created.id))[0],
      'EXECUTION EUR: D Alice 91207.63, C Exchange trading 90000, C Fee 234, ' +
        'C Risk 71.29, C Margin 902.34',
    )
    await desk.world.assertBooks()
  })

  it('three customers share by largest remainder; a SELL gives each their total', async () => {
    const { world } = desk
    const carol = await world.customer()
    const created = await market({
      side: 'SELL',
      amount: '1',
      customers: [
        { customer_id: alice.id, quantity_absolute: '0.33333' },
        { customer_id: bob.id, quantity_absolute: '0.33333' },
        { customer_id: carol.id, quantity_absolute: '0.33334' },
      ],
    })
    world.exchange.sends = [
      () => ({
        outcome: 'accepted',
        report: report('CANCELED', [fillFor('T', '60000', '0.10000001')]),
      }),
    ]
    const done = await world.finish(created.id)
    assert.deepEqual(
      [done.state, done.customers.map((customer) => customer.filled_amount)],
      ['CANCELED', ['0.033333', '0.033333', '0.03333401']],
    )
    assert.equal(
      format(sum(done.customers.map((customer) => decimal(customer.filled_amount)))),
      done.filled_amount,
    )
    assert.deepEqual(await desk.held(created.id), [])
    await world.assertBooks()
  })

  it('one refusal refuses the whole: nothing is blocked, nothing is sent', async () => {
    const poor = await desk.world.customer({}, { EUR: '100' })
    const before = await desk.world.balances(alice.account_id)
    assert.deepEqual(
      (
        await desk.refused('POST', '/executions', {
          execution_type: 'MARKET',
          side: 'BUY',
          amount: '1',
          customers: [
            { customer_id: alice.id, quantity_absolute: '0.5' },
            { customer_id: poor.id },
          ],
        })
      ).slice(0, 3),
      [400, 3001, 'INSUFFICIENT_BALANCE'],
    )
    assert.deepEqual(
      (
        await desk.refused('POST', '/executions', {
          execution_type: 'LIMIT',
          side: 'BUY',
          amount: '1',
          price: '60000',
          customers: [
            { customer_id: alice.id, quantity_absolute: '0.5' },
            { customer_id: newId() },
          ],
        })
      ).slice(0, 3),
      [404, 4004, 'NOT_FOUND'],
    )
    assert.deepEqual(
      [await desk.world.balances(alice.account_id), desk.world.exchange.sent],
      [before, []],
    )
  })

  it("a LIMIT for several goes out at the price that keeps the dearest one's", async () => {
    const created = await desk.execute({
      execution_type: 'LIMIT',
      side: 'BUY',
      amount: '1',
      price: '60000',
      customers: [{ customer_id: bob.id, quantity_absolute: '0.5' }, { customer_id: alice.id }],
    })
    desk.world.exchange.sends = [desk.fills('59546.6')]
    const done = await desk.world.finish(created.id)
    assert.equal(format(desk.world.exchange.sent[0]?.price ?? 0n), '59546.6')
    assert.ok(
      done.customers.every((customer) => decimal(customer.filled_volume) <= decimal('30000')),
    )
    await desk.world.assertBooks()
  })
})
