/** When a mail goes out, to whom a correction goes, and how a customer reads it. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { newId } from '../core/ids.ts'
import type { EventDraft } from '../ledger/index.ts'
import { sql } from '../store/sql.ts'
import { RECIPIENTS } from './events.testing.ts'
import { mailFigures } from './index.ts'
import { openMailWorld, readable } from './mails.testing.ts'
import type { MailWorld } from './mails.testing.ts'

const [ADA = ''] = RECIPIENTS
const MINUTE = 60_000

/** A deposit that is assigned, and what may become of it. */
class Deposit {
  readonly id = newId()
  readonly #assignment = newId()
  readonly #customer: MailWorld['events']['customer']

  constructor(world: MailWorld) {
    this.#customer = world.events.customer
  }

  #part(quantity: string) {
    const { id: customer_id, account_id } = this.#customer
    return { assignment_id: this.#assignment, customer_id, account_id, quantity }
  }

  assigned(quantity: string): EventDraft {
    const data = { ...this.#part(quantity), asset: 'EUR' }
    return { type: 'deposit.assigned', resource_id: this.id, data }
  }

  rectified(quantity: string): EventDraft {
    const data = { rectification_id: newId(), origins: [this.#part(quantity)], targets: [] }
    return { type: 'deposit.rectified', resource_id: this.id, data }
  }

  reversed(): EventDraft {
    return { type: 'deposit.reversed', resource_id: this.id, data: { state: 'REVERSED' } }
  }
}

describe('a mail that may be wrong', () => {
  let world: MailWorld
  before(async () => {
    world = await openMailWorld()
  })
  beforeEach(async () => {
    await world.reset()
    await world.set({ mail_wait_minutes: 5, mail_language: 'en', mail_templates: {} })
  })
  after(() => world.close())

  /** As the alert reads it, in seconds. */
  const lateness = async () => {
    const figures = await mailFigures(world.events.db, world.clock).read()
    return figures['kontor_mail_age_seconds']?.[0]?.value
  }
  const statesOf = async () => (await world.storedMails()).map(({ state }) => state)

  it('about a deposit waits as long as the setting says', async () => {
    await world.events.publish([new Deposit(world).assigned('7')])
    await world.work()
    assert.deepEqual(world.mailServer.received, [])
    world.goTo(4 * MINUTE)
    assert.equal(await lateness(), 0)
    world.goTo(5 * MINUTE + 1_000)
    assert.equal(await lateness(), 1)
    await world.work()
    assert.match(world.textTo(ADA), /^7\.00 EUR has been booked to your account\.$/m)
  })

  it('is never sent when the assignment is corrected before', async () => {
    const deposit = new Deposit(world)
    await world.events.publish([deposit.assigned('7')])
    await world.work()
    await world.events.publish([deposit.rectified('7')])
    world.goTo(5 * MINUTE)
    await world.work()
    assert.deepEqual(world.mailServer.received, [])
    assert.deepEqual(await statesOf(), ['CANCELED', 'CANCELED'])
  })

  it('is corrected to those who got it, also when they are recipients no more', async () => {
    await world.set({ mail_wait_minutes: 0 })
    const deposit = new Deposit(world)
    await world.events.publish([deposit.assigned('7')])
    await world.work()
    await withRecipients([], async () => {
      world.mailServer.received.length = 0
      await world.events.publish([deposit.rectified('7')])
      await world.work()
      assert.deepEqual(
        world.mailServer.received.map(({ to }) => to).toSorted(),
        RECIPIENTS.toSorted(),
      )
      const text = world.textTo(ADA)
      assert.match(text, /^Subject: Correction: Deposit of 7\.00 EUR$/m)
      assert.match(text, /we wrote to you: “Deposit of 7\.00 EUR”\.$/m)
      assert.match(text, /The booking on your account has been reversed\.$/m)
    })
  })

  it('is corrected once, whatever becomes of the deposit after that', async () => {
    await world.set({ mail_wait_minutes: 0 })
    const deposit = new Deposit(world)
    await world.events.publish([deposit.assigned('7')])
    await world.work()
    await world.events.publish([deposit.rectified('7'), deposit.reversed()])
    await world.work()
    assert.equal(world.mailServer.received.length, 2 * RECIPIENTS.length)
  })

  it('is corrected when the server may have taken it', async () => {
    await world.set({ mail_wait_minutes: 0 })
    world.mailServer.state.answer = 'later'
    const deposit = new Deposit(world)
    await world.events.publish([deposit.assigned('7')])
    await world.work()
    world.mailServer.state.answer = 'take'
    await world.events.publish([deposit.reversed()])
    await world.work()
    world.goTo(MINUTE)
    await world.work()
    assert.match(world.textTo(ADA), /^Subject: Correction: Deposit of 7\.00 EUR$/m)
    assert.deepEqual(await statesOf(), ['CANCELED', 'CANCELED', 'SENT', 'SENT'])
  })

  it('leaves alone what was told of another assignment', async () => {
    await world.set({ mail_wait_minutes: 0 })
    const [one, other] = [new Deposit(world), new Deposit(world)]
    await world.events.publish([one.assigned('7'), other.assigned('8')])
    await world.work()
    world.mailServer.received.length = 0
    await world.events.publish([other.rectified('8')])
    await world.work()
    assert.match(world.textTo(ADA), /^Subject: Correction: Deposit of 8\.00 EUR$/m)
  })

  it('is in the language and time of the customer, and names no id', async () => {
    await world.set({ mail_wait_minutes: 0, brand: { name: 'Bank am See' } })
    await changed({ language: 'de', time_zone: 'Asia/Tokyo' }, async () => {
      const deposit = new Deposit(world)
      await world.events.publish([deposit.assigned('1234567.5')])
      await world.work()
      const text = world.textTo(ADA)
      const [, body = ''] = text.split(/\n\n(.*)/s)
      assert.match(body, /^Auf Ihrem Konto wurden 1\.234\.567,50 EUR gutgeschrieben\.$/m)
      assert.match(body, /^Zeit: .* GMT\+9$/m)
      assert.match(
        body,
        new RegExp(`^Unsere Referenz: D-${deposit.id.slice(-8).toUpperCase()}$`, 'm'),
      )
      assert.match(body, /^Bank am See$/m)
      assert.doesNotMatch(body, /[0-9a-f]{8}-[0-9a-f]{4}/i)
    })
  })

  it('has the words of the workspace, without the lines that do not apply', async () => {
    await world.set({
      mail_wait_minutes: 0,
      mail_templates: {
        en: {
          deposit_booked: {
            subject: 'Money for {customer}',
            body: 'You have {amount} more.\nChain: {transaction}\nYours',
          },
        },
      },
    })
    await world.events.publish([new Deposit(world).assigned('7')])
    await world.work()
    const text = world.textTo(ADA)
    assert.match(text, /^Subject: Money for Ada$/m)
    assert.match(text, /^You have 7\.00 EUR more\.\nYours$/m)
  })

  for (const [name, template, path] of [
    ['an unknown placeholder', { subject: 'x', body: '{balance}' }, 'body'],
    ['a subject of two lines', { subject: 'x\ny', body: 'x' }, 'subject'],
  ] as const)
    it(`refuses ${name} in a template`, async () => {
      await assert.rejects(
        world.set({ mail_templates: { de: { order_filled: template } } }),
        (error: { error_details?: { path: string }[]; details?: { path: string }[] }) =>
          JSON.stringify(error).includes(`settings.mail_templates.de.order_filled.${path}`),
      )
    })

  /** The customer as the columns say while `work` runs. */
  async function changed(
    columns: { language?: 'de'; time_zone?: string; notification_recipients?: string[] },
    work: () => Promise<void>,
  ): Promise<void> {
    const { language = null, time_zone = null, notification_recipients = RECIPIENTS } = columns
    const put = (...values: [string | null, string | null, readonly string[]]) =>
      world.events.db.query(sql`
        update customers
        set language = ${values[0]},
          time_zone = ${values[1]},
          notification_recipients = ${values[2]}::text[]
        where id = ${world.events.customer.id}`)
    await put(language, time_zone, notification_recipients)
    try {
      await work()
    } finally {
      await put(null, null, RECIPIENTS)
    }
  }

  const withRecipients = (notification_recipients: string[], work: () => Promise<void>) =>
    changed({ notification_recipients }, work)
})

it('a message is read as a person reads it', () => {
  assert.equal(readable('Stra=C3=9Fe =\r\n1'), 'Straße 1')
})
