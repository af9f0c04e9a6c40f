/** What venues report of a payment that the house and customers share, after it had ended here. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { departure, IBAN, movement } from '../testing/venue.fixture.ts'
import type { Withdrawal } from '../withdrawals/withdrawals.schema.ts'
import { openSharedTransfers } from './shared-transfers.testing.ts'

describe('an own transfer that shared its payment with customers, later', () => {
  let world: Awaited<ReturnType<typeof openSharedTransfers>>
  before(async () => {
    world = await openSharedTransfers()
  })
  after(() => world.close())

  /** The bank books a debit for a payment that it had called failed. */
  const leavesLate = (foreign_id: string, quantity: string, failed: Withdrawal) =>
    world.place.leaves(
      world.place.bank,
      departure(foreign_id, 'EUR', quantity, {
        wallet: IBAN,
        external_id: failed.external_id,
        destination_address: failed.destination_address,
        fee: 0n,
        fee_asset: 'EUR',
      }),
    )

  it('is still settled by what is left when one of two returned parts is recalled', async () => {
    const { bob, changed, ends, hasArrived, place, read, sends, totals } = world
    const before = await totals()
    const paid = await sends('100', [[bob, '20']], world.routes.bankToExchange)
    await ends(paid)
    const parts = { first: '15', second: '105' }
    const reports = async (state: 'FINAL' | 'REVERSED', ...names: (keyof typeof parts)[]) => {
      const more = { state, wallet: IBAN, related_external_id: paid.external_id }
      const found = names.map((name) => movement(name, 'EUR', parts[name], more))
      place.arrives(place.bank, ...found)
      await place.later(10_000)
    }
    await reports('FINAL', 'first')
    await reports('FINAL', 'second')
    assert.deepEqual(await changed(before), {})
    await reports('REVERSED', 'first')
    assert.deepEqual(await changed(before), { bank: '-15', Bob: '-15' })
    assert.equal(await hasArrived(paid.id), true)
    const { id } = await read('second')
    assert.equal(
      (await place.bookings(id)).at(-1),
      'TRANSFER_FEE EUR D fee 100, C transit 100',
      'it takes the transfer from TRANSIT in its place',
    )
    await reports('FINAL', 'first')
    assert.deepEqual(await changed(before), {})
    await reports('REVERSED', 'first', 'second')
    assert.deepEqual(await changed(before), { bank: '-120', transit: '100', Bob: '-20' })
    assert.equal(await hasArrived(paid.id), false)
  })

  it('is still settled by what came back when its arrival is taken back by a person', async () => {
    const { bob, changed, ends, hasArrived, place, read, relate, sends, totals, wire } = world
    const before = await totals()
    const paid = await sends('100', [[bob, '20']])
    await ends(paid)
    const { id } = await read(await wire('120', { protocol: 'SEPA' }))
    const related = await relate(id, { withdrawal_id: paid.id })
    assert.equal(related.status, 200, related.text)
    const back = { state: 'FINAL', related_external_id: paid.external_id } as const
    place.arrives(place.exchange, movement('comes-back', 'EUR', '120', back))
    await place.later(10_000)
    const taken = await place.call('POST', `/treasury/deposits/${id}/unrelate`, {
      reason: "A customer's wire of the same amount",
    })
    assert.equal(taken.status, 200, taken.text)
    assert.equal(await hasArrived(paid.id), true)
    const { transit, fee } = { transit: '0', fee: '0', ...(await changed(before)) }
    assert.deepEqual({ transit, fee }, { transit: '0', fee: '0' })
  })

  it('waits on SUSPENSE when it left after it had failed, in another amount', async () => {
    const { bob, changed, ends, place, sends, totals } = world
    const before = await totals()
    const failed = await sends('100', [[bob, '20']], world.routes.bankToExchange)
    await ends(failed, { state: 'REJECTED' })
    await leavesLate('late-less', '119', failed)
    const late = (await place.call<Withdrawal[]>('GET', '/treasury/withdrawals')).data.find(
      ({ related_withdrawal_id }) => related_withdrawal_id === failed.id,
    )
    assert.partialDeepStrictEqual(late, {
      state: 'SUCCESS',
      transfer_quantity: '0',
      unassigned: true,
    })
    assert.deepEqual(await changed(before), { bank: '-119', suspense: '-119' })
    const assigned = await place.call('POST', `/treasury/withdrawals/${late?.id}/assignments`, [
      { account_id: bob.account_id, quantity: '20' },
    ])
    assert.equal(assigned.status, 200, assigned.text)
    assert.deepEqual(await changed(before), { bank: '-119', suspense: '-99', Bob: '-20' })
  })

  it('leaves nothing of its arrival when a return that had failed left after all', async () => {
    const { bob, changed, ends, place, read, readById, relate, sends, totals, wire } = world
    const before = await totals()
    const { id } = await read(await wire('120', { protocol: 'SEPA' }))
    const asked = await place.call<Withdrawal>('POST', `/treasury/deposits/${id}/return`, {
      quantity: '20',
      reason: 'not for us',
    })
    assert.equal(asked.status, 200, asked.text)
    await place.work()
    await ends(asked.data, { state: 'FAILED', reason: 'AC04' })
    const sent = await sends('100', [[bob, '20']])
    await ends(sent)
    assert.equal((await relate(id, { withdrawal_id: sent.id })).data.state, 'UNASSIGNED')
    await leavesLate('late-return', '20', asked.data)
    assert.partialDeepStrictEqual(await readById(id), {
      state: 'RETURNED',
      transfer_quantity: '100',
      returned_unassigned: '20',
    })
    assert.deepEqual(await changed(before), { exchange: '-120', bank: '100', Bob: '-20' })
  })
})
