import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import type { Customer } from '../../customers/index.ts'
import { refusalOf } from '../../http/testing.ts'
import type { DepositAssignment } from '../assignments/assignments.schema.ts'
import { IBAN } from '../testing/venue.fixture.ts'
import { openDeposits } from './deposits.testing.ts'

describe('the assignment of a deposit', () => {
  let deposits: Awaited<ReturnType<typeof openDeposits>>
  let bob: Customer
  let eve: Customer
  before(async () => {
    deposits = await openDeposits()
  })
  after(async () => {
    assert.deepEqual(await deposits.place.verify(), [])
    await deposits.place.close()
  })
  const part = (customer: Customer, quantity: string) => ({
    account_id: customer.account_id,
    quantity,
  })

  describe('by hand', () => {
    let id: string
    let first: DepositAssignment
    before(async () => {
      const { place, read, wire } = deposits
      bob = await place.customer('Bob')
      eve = await place.customer('Eve')
      ;({ id } = await read(await wire('100')))
    })

    it('is refused as a whole', async () => {
      const { assign } = deposits
      assert.equal(
        refusalOf(await assign(id, [part(bob, '60'), part(eve, '40.01')])),
        '400 3001 SUM_MISMATCH ',
      )
      assert.equal(refusalOf(await assign(id, [part(bob, '0.001')])), '400 3001 SCALE [0].quantity')
      assert.equal(refusalOf(await assign(id, [])), '400 3001 RANGE ')
      assert.equal(
        refusalOf(await assign(id, [part(bob, '1'), { account_id: newId(), quantity: '1' }])),
        '404 4004 NOT_FOUND [1].account_id',
      )
      assert.equal(
        refusalOf(await assign(newId(), [part(bob, '1')])),
        '404 4004 NOT_FOUND deposit_id',
      )
    })

    it('of one part is answered as a record, and a repeat answers the same', async () => {
      const { assign, place, readById } = deposits
      const headers = { 'idempotency-key': newId() }
      first = (await assign(id, [part(bob, '60')], headers)).data
      assert.partialDeepStrictEqual(first, {
        status: 'SUCCESSFUL',
        source: 'MANUAL',
        decided_by: place.principal.user_id,
        deposit_id: id,
      })
      assert.deepEqual((await assign(id, [part(bob, '60')], headers)).data, first)
      assert.partialDeepStrictEqual(await readById(id), {
        state: 'PARTIALLY_ASSIGNED',
        assigned_quantity: '60',
      })
    })

    it('of several parts is answered as a list', async () => {
      const { assign, assignments, decide, place, readById } = deposits
      const several = await assign<DepositAssignment[]>(id, [part(eve, '30'), part(bob, '10')])
      assert.deepEqual(
        several.data.map((row) => row.quantity),
        ['30', '10'],
      )
      assert.deepEqual(
        { bob: await place.total(bob.account_id), eve: await place.total(eve.account_id) },
        { bob: '70', eve: '30' },
      )
      assert.equal((await readById(id)).state, 'SUCCESSFUL')
      assert.deepEqual(
        (await assignments(id)).find((assignment) => assignment.id === first.id),
        first,
      )
      assert.equal(
        refusalOf(await decide(id, first.id, 'REJECTED')),
        '400 3001 STATE_NOT_ALLOWED status',
      )
    })
  })

  it('is never more than there is, however many ask at once', async () => {
    const { assign, place, read, wire } = deposits
    const rich = await place.customer('Rich')
    const { id } = await read(await wire('5'))
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => assign(id, [part(rich, '1')])),
    )
    assert.equal(answers.filter((answer) => answer.status === 200).length, 5)
    assert.deepEqual(
      new Set(answers.filter((answer) => answer.status !== 200).map(refusalOf)),
      new Set(['400 3001 SUM_MISMATCH ']),
    )
    assert.equal(await place.total(rich.account_id), '5')
  })

  describe('while compliance is on', () => {
    let id: string
    let first: DepositAssignment
    before(async () => {
      const { match, place } = deposits
      bob = await place.customer('Bob')
      eve = await place.customer('Eve')
      await place.settings({ compliance: true })
      await match(bob.account_id, 'DESTINATION_WITH_REFERENCE', {
        destination_address: IBAN,
        reference: 'C-1',
      })
    })
    after(() => deposits.place.settings({ compliance: false }))

    const stateNow = async () => (await deposits.readById(id)).state

    it('waits for a decision', async () => {
      const { assignments, decide, place, read, wire } = deposits
      const deposit = await read(await wire('50', { reference_text: 'C-1' }))
      id = deposit.id
      assert.equal(deposit.state, 'ASSIGNED')
      assert.deepEqual(await place.bookings(id), ['DEPOSIT EUR D bank 50, C suspense 50'])
      first = (await assignments(id))[0] ?? assert.fail()
      assert.partialDeepStrictEqual(first, { status: 'PENDING', decided_by: null })
      assert.equal(
        refusalOf(await decide(id, first.id, 'PENDING')),
        '400 3001 STATE_NOT_ALLOWED status',
      )
      assert.equal(refusalOf(await decide(id, newId(), 'SUCCESSFUL')), '404 4004 NOT_FOUND id')
    })

    it('is rejected, and accepted after all where there is enough left', async () => {
      const { assign, assignments, decide, place } = deposits
      const rejected = await decide(id, first.id, 'REJECTED')
      assert.partialDeepStrictEqual(rejected.data, { status: 'REJECTED', booked_at: null })
      assert.equal(await stateNow(), 'REJECTED')
      const other = await assign(id, [part(eve, '20')])
      assert.deepEqual(
        { assignment: other.data.status, deposit: await stateNow() },
        { assignment: 'PENDING', deposit: 'PARTIALLY_ASSIGNED' },
      )
      assert.equal(
        refusalOf(await decide(id, first.id, 'SUCCESSFUL')),
        '400 3001 SUM_MISMATCH status',
      )
      await decide(id, other.data.id, 'REJECTED')
      const accepted = await decide(id, first.id, 'SUCCESSFUL')
      assert.partialDeepStrictEqual(accepted.data, {
        status: 'SUCCESSFUL',
        decided_by: place.principal.user_id,
      })
      assert.deepEqual(
        { deposit: await stateNow(), bob: await place.total(bob.account_id) },
        { deposit: 'SUCCESSFUL', bob: '50' },
      )
      assert.deepEqual(
        (await assignments(id)).find((assignment) => assignment.id === accepted.data.id),
        accepted.data,
      )
    })

    it('is decided at its own deposit only', async () => {
      const { assign, decide, read, wire } = deposits
      const another = await read(await wire('1'))
      const foreign = await assign(another.id, [part(eve, '1')])
      assert.equal(
        refusalOf(await decide(id, foreign.data.id, 'SUCCESSFUL')),
        '404 4004 NOT_FOUND id',
      )
    })
  })
})
