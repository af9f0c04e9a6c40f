/** What a mail says, and to whom. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { newId } from '../core/ids.ts'
import { RECIPIENTS } from './events.testing.ts'
import { openMailWorld, readable } from './mails.testing.ts'
import type { MailWorld } from './mails.testing.ts'

describe('a mail', () => {
  let world: MailWorld
  before(async () => {
    world = await openMailWorld()
  })
  beforeEach(() => world.reset())
  after(() => world.close())

  it('writes to every recipient of the customer once, and says what happened', async () => {
    await world.events.publish([
      world.events.depositAssigned('12.5'),
      {
        type: 'deposit.detected',
        resource_id: newId(),
        data: { customer_id: world.events.customer.id },
      },
    ])
    await world.work()
    await world.work()
    assert.deepEqual(
      world.mailServer.received.map(({ to }) => to).toSorted(),
      RECIPIENTS.toSorted(),
    )
    const [first] = world.mailServer.received
    assert.match(first?.message ?? '', /^From: Back Office <office@kontor.example>\r$/m)
    assert.match(first?.message ?? '', /^Subject: Deposit of 12\.50 EUR\r$/m)
    assert.match(first?.message ?? '', /^12\.50 EUR has been booked to your account\.\r$/m)
    assert.deepEqual(
      (await world.storedMails()).map(({ state, attempts }) => ({ state, attempts })),
      [
        { state: 'SENT', attempts: 1 },
        { state: 'SENT', attempts: 1 },
      ],
    )
  })

  it('says of a deposit that it is a payment that has come back', async () => {
    const assigned = world.events.depositAssigned('70')
    await world.events.publish([
      { ...assigned, data: { ...(assigned.data as object), came_back: true } },
    ])
    await world.work()
    const text = readable(world.mailServer.received[0]?.message ?? '')
    assert.match(text, /^70\.00 EUR has been booked to your account\.$/m)
    assert.match(text, /^It is an earlier payment that has come back\.$/m)
  })

  it('writes to each customer of an execution its own part, and names the reason', async () => {
    await world.events.publish([
      {
        type: 'execution.failed',
        resource_id: newId(),
        data: {
          side: 'BUY',
          amount: '2',
          symbol: 'BTC/EUR',
          reason: 'no liquidity',
          filled_amount: '1.5',
          filled_volume: '9',
          customers: [
            { customer_id: world.events.customer.id, filled_amount: '0.5', filled_volume: '3' },
          ],
        },
      },
    ])
    await world.work()
    assert.equal(world.mailServer.received.length, 2)
    const text = readable(world.mailServer.received[0]?.message ?? '')
    assert.match(text, /^Your order to buy 2 BTC against EUR has failed\.$/m)
    assert.match(text, /^Filled before: 0\.5 BTC for 3\.00 EUR in total\.$/m)
    assert.match(text, /^Reason: no liquidity$/m)
  })

  it('says the sum of several payments to a customer', async () => {
    const { id: customer_id } = world.events.customer
    await world.events.publish([
      {
        type: 'withdrawal.succeeded',
        resource_id: newId(),
        data: {
          asset: 'EUR',
          quantity: '4',
          destination_address: 'x',
          customers: [
            { customer_id, quantity: '1' },
            { customer_id, quantity: '3' },
          ],
        },
      },
    ])
    await world.work()
    assert.deepEqual(
      world.mailServer.received.map((mail) => mail.to).toSorted(),
      RECIPIENTS.toSorted(),
    )
    for (const { message } of world.mailServer.received)
      assert.match(message, /Your withdrawal of 4\.00 EUR to x has been sent/)
  })

  it('says of a return to the sender that it is one', async () => {
    await world.events.publish([
      {
        type: 'withdrawal.succeeded',
        resource_id: newId(),
        data: {
          asset: 'EUR',
          destination_address: 'x',
          returns_deposit_id: newId(),
          customers: [{ customer_id: world.events.customer.id, quantity: '5' }],
        },
      },
    ])
    await world.work()
    const [mail] = world.mailServer.received
    const text = mail?.message.replaceAll('=\r\n', '') ?? ''
    assert.match(text, /^Subject: Return of 5\.00 EUR has been sent\r$/m)
    assert.match(
      text,
      /The return of 5\.00 EUR to the sender of your deposit \(x\) has been sent\./,
    )
  })

  it('tells both customers of a transfer between them, each their side of it', async () => {
    const { id: customer_id } = world.events.customer
    const transfer = (gives: boolean) => ({
      type: 'book_transfer.done' as const,
      resource_id: newId(),
      data: {
        asset: 'EUR',
        quantity: '7',
        reason: 'Rent',
        customers: [{ customer_id, quantity: '7', gives }],
      },
    })
    for (const [gives, said] of [
      [true, /to another customer was booked from your account\.[^]*Reason: Rent/],
      [false, /from another customer was booked to your account\.[^]*Reason: Rent/],
    ] as const) {
      await world.reset()
      await world.events.publish([transfer(gives)])
      await world.work()
      const [mail] = world.mailServer.received
      assert.match(mail?.message.replaceAll('=\r\n', '') ?? '', said)
    }
  })

  it('cannot be led astray by what a reason or a label says', async () => {
    await world.events.publish([
      {
        type: 'withdrawal.rejected',
        resource_id: newId(),
        data: {
          asset: 'EUR\r\nBcc: thief@evil.example',
          destination_address: 'x',
          reason: 'a\r\n.\r\nMAIL FROM:<x>',
          customers: [{ customer_id: world.events.customer.id, quantity: '1' }],
        },
      },
    ])
    await world.work()
    assert.deepEqual(
      world.mailServer.received.map((mail) => mail.to).toSorted(),
      RECIPIENTS.toSorted(),
    )
    for (const { message } of world.mailServer.received)
      assert.doesNotMatch(message.slice(0, message.indexOf('\r\n\r\n')), /^Bcc:/m)
  })
})
