import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import type { Customer } from '../../customers/index.ts'
import { refusalOf } from '../../http/testing.ts'
import type { Deposit } from '../deposit-rows/deposits.schema.ts'
import { IBAN, movement } from '../testing/venue.fixture.ts'
import type { DepositRectification, Preview } from './rectifications.schema.ts'
import { openRectifications, to } from './rectifications.testing.ts'
import type { Wire } from './rectifications.testing.ts'

describe('rectifications', () => {
  let world: Awaited<ReturnType<typeof openRectifications>>
  before(async () => {
    world = await openRectifications()
  })
  after(() => world.place.close())

  describe('of a deposit', () => {
    let bob: Customer
    let carol: Customer
    let deposit: Wire
    let body: {
      origins: string[]
      targets: { account_id: string; quantity: string }[]
      note: string
    }
    let bookingsBefore: string[]
    let made: DepositRectification
    const key = newId()

    before(async () => {
      const { place, wire } = world
      bob = await place.customer('Bob')
      carol = await place.customer('Carol')
      deposit = await wire(to(bob.account_id, '100'))
      body = {
        origins: deposit.origins,
        targets: [...to(carol.account_id, '60'), ...to(bob.account_id, '40')],
        note: 'read the wire again',
      }
      bookingsBefore = await place.bookings(deposit.id)
    })

    it('can be previewed, which changes nothing', async () => {
      const { assignments, place } = world
      const preview = await place.call<Preview>(
        'POST',
        `/treasury/deposits/${deposit.id}/rectifications?dry_run=true`,
        { reason: 'WRONG_ACCOUNT', ...body },
      )
      assert.equal(preview.status, 200, preview.text)
      const shown = preview.data.bookings.map(({ type, legs }) => {
        const sides = legs.map((leg) => `${leg.type} ${leg.account_label} ${leg.quantity}`)
        return `${type} ${sides.join(', ')}`
      })
      assert.deepEqual(shown, [
        'REVERSAL DEBIT Bob 100, CREDIT Suspense 100',
        'RECTIFICATION DEBIT Suspense 60, CREDIT Carol 60',
        'RECTIFICATION DEBIT Suspense 40, CREDIT Bob 40',
      ])
      assert.deepEqual(
        {
          bookings: await place.bookings(deposit.id),
          assignments: (await assignments(deposit.id)).length,
          rectifications: (await rectifications()).data,
        },
        { bookings: bookingsBefore, assignments: 1, rectifications: [] },
      )
    })

    it('reverses and books anew at once', async () => {
      const { ofDeposit, place, totals } = world
      const answer = await ofDeposit(deposit.id, body, '', { 'idempotency-key': key })
      assert.equal(answer.status, 200, answer.text)
      made = answer.data
      assert.partialDeepStrictEqual(made, {
        deposit_id: deposit.id,
        reason: 'WRONG_ACCOUNT',
        note: 'read the wire again',
        origins: deposit.origins,
        state: 'BOOKED',
      })
      assert.deepEqual(
        made.targets.map(({ account_id, quantity, status, source, booked_at }) => ({
          account_id,
          quantity,
          status,
          source,
          booked_at,
        })),
        body.targets.map((target) => ({
          ...target,
          status: 'SUCCESSFUL',
          source: 'RECTIFICATION',
          booked_at: place.clock.now(),
        })),
      )
      assert.deepEqual(await place.bookings(deposit.id), [
        ...bookingsBefore,
        'REVERSAL EUR D Bob 100, C suspense 100',
        'RECTIFICATION EUR D suspense 60, C Carol 60',
        'RECTIFICATION EUR D suspense 40, C Bob 40',
      ])
      assert.deepEqual(await totals(bob, carol), ['40', '60'])
    })

    it('links the assignments, keeps the deposit, and answers a repeat alike', async () => {
      const { assignments, ofDeposit, place } = world
      const { id, origins } = deposit
      const origin = (await assignments(id)).find((assignment) => assignment.id === origins[0])
      assert.ok(origin)
      assert.partialDeepStrictEqual(origin, {
        status: 'SUCCESSFUL',
        rectification_id: made.id,
        version: 2,
      })
      assert.deepEqual((await rectifications()).data, [made])
      const { data: now } = await place.call<Deposit>('GET', `/treasury/deposits/${id}`)
      assert.partialDeepStrictEqual(now, { state: 'SUCCESSFUL', assigned_quantity: '100' })
      assert.deepEqual((await place.events(id)).slice(-3), [
        'deposit.rectified',
        'deposit.assigned',
        'deposit.assigned',
      ])
      const repeated = await ofDeposit(id, body, '', { 'idempotency-key': key })
      assert.deepEqual(repeated.data, made)
    })

    it('may follow another; a reversal is taken from the owner of the moment', async () => {
      const { ofDeposit, place, totals } = world
      const again = await ofDeposit(deposit.id, {
        origins: made.targets.slice(0, 1).map((target) => target.id),
        targets: to(bob.account_id, '60'),
      })
      assert.equal(again.status, 200, again.text)
      assert.deepEqual(await totals(bob, carol), ['100', '0'])
      place.arrives(
        place.bank,
        movement(deposit.foreign_id, 'EUR', '100', {
          state: 'REVERSED',
          wallet: IBAN,
          destination_address: IBAN,
        }),
      )
      await place.later(10_000)
      const suspense = { account_id: place.house.SUSPENSE }
      assert.deepEqual(await totals(bob, carol, suspense), ['0', '0', '0'])
      const refused = await ofDeposit(deposit.id, {
        origins: again.data.targets.map((target) => target.id),
        targets: to(carol.account_id, '60'),
      })
      assert.equal(refusalOf(refused), '400 3001 STATE_NOT_ALLOWED ')
      assert.deepEqual(await place.verify(), [])
    })

    const rectifications = () =>
      world.place.call<object[]>('GET', `/treasury/deposits/${deposit.id}/rectifications`)
  })

  it('only successful ones, also where a decision waits', async () => {
    const { ofDeposit, place, wire } = world
    await place.settings({ compliance: true })
    const [bob, carol] = [await place.customer('Bob'), await place.customer('Carol')]
    const { id, origins } = await wire([{ account_id: bob.account_id, quantity: '100' }])
    const body = { origins, targets: [{ account_id: carol.account_id, quantity: '100' }] }
    assert.equal(refusalOf(await ofDeposit(id, body)), '400 3001 STATE_NOT_ALLOWED origins[0]')
    assert.equal(
      (
        await place.call('PATCH', `/treasury/deposits/${id}/assignments`, {
          id: origins[0],
          status: 'SUCCESSFUL',
        })
      ).status,
      200,
    )
    const made = await ofDeposit(id, body)
    assert.deepEqual(
      made.data.targets.map((target) => target.status),
      ['SUCCESSFUL'],
    )
    await place.settings({ compliance: false })
  })

  it('two at once: one rectifies, the other is refused', async () => {
    const { ofDeposit, place, wire } = world
    const [bob, carol] = [await place.customer('Bob'), await place.customer('Carol')]
    const { id, origins } = await wire([{ account_id: bob.account_id, quantity: '100' }])
    const answers = await Promise.all(
      [1, 2, 3].map(() =>
        ofDeposit(id, { origins, targets: [{ account_id: carol.account_id, quantity: '100' }] }),
      ),
    )
    assert.deepEqual(answers.map(refusalOf).toSorted(), [
      '200 undefined undefined undefined',
      '400 3001 STATE_NOT_ALLOWED origins[0]',
      '400 3001 STATE_NOT_ALLOWED origins[0]',
    ])
    assert.deepEqual(
      [await place.total(bob.account_id), await place.total(carol.account_id)],
      ['0', '100'],
    )
  })
})
