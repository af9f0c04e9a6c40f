/** What the house moves and what customers pay over one route to a wallet of ours leave as one. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import type { SettlementId } from '../../core/ids.ts'
import { refusalOf } from '../../http/testing.ts'
import { assignToSettlement } from '../reports/settlement-transfers.ts'
import { suspenseDifferences } from '../reports/suspense.ts'
import { depositsSince, pendingMovements, withdrawalsSince } from '../reports/today.ts'
import type { Withdrawal } from '../withdrawals/withdrawals.schema.ts'
import { departure, IBAN, movement } from '../testing/venue.fixture.ts'
import type { Deposit } from '../deposit-rows/deposits.schema.ts'
import type { DepositSuggestion } from './suggestions.schema.ts'
import { openSharedTransfers } from './shared-transfers.testing.ts'

describe('an own transfer that shares its payment with customers', () => {
  let world: Awaited<ReturnType<typeof openSharedTransfers>>
  before(async () => {
    world = await openSharedTransfers()
  })
  after(() => world.close())

  const payASettlement = ({ id, asset }: Deposit) =>
    assignToSettlement(world.place.app, world.place.workspace, id, {
      settlement_id: newId<SettlementId>(),
      asset,
      arrival: undefined,
    })
  const unexplained = () => world.place.db.query(suspenseDifferences(world.place.workspace))
  const reference = ({ external_id }: Withdrawal) => ({ carried_external_id: external_id })
  /** Whose it may be because this withdrawal arrives with it. */
  const suggested = async (id: string, of: string): Promise<string[]> => {
    const path = `/treasury/deposits/${id}/suggestions`
    const suggestions = (await world.place.call<DepositSuggestion[]>('GET', path)).data
    return suggestions
      .filter(({ withdrawal_id }) => withdrawal_id === of)
      .map(({ account_label }) => account_label)
      .toSorted()
  }

  it('leaves once: a transfer for the house, and a withdrawal for each of them', async () => {
    const { bob, carol, ends, place, read, sends, totals, changed, wire } = world
    const before = await totals()
    const sent = await sends('100', [
      [bob, '20'],
      [carol, '30'],
    ])
    assert.partialDeepStrictEqual(sent, {
      quantity: '150',
      transfer_quantity: '100',
      account_id: null,
    })
    assert.equal(await place.balance(bob.account_id, 'EUR'), '100000/20')
    const refused = await place.call('POST', `/treasury/withdrawals/${sent.id}/assignments`, [
      { account_id: bob.account_id, quantity: '1' },
    ])
    assert.equal(refusalOf(refused), '400 3001 SUM_MISMATCH ')
    assert.deepEqual(await pendingMovements(place.db, place.workspace), [
      { asset: 'EUR', direction: 'out', quantity: '50' },
    ])
    await ends(sent)
    assert.deepEqual(await withdrawalsSince(place.db, place.workspace, 0), [
      { asset: 'EUR', own_transfer: false, count: 1, quantity: '50' },
      { asset: 'EUR', own_transfer: true, count: 1, quantity: '100' },
    ])
    assert.deepEqual(await place.bookings(sent.id), [
      'TRANSFER EUR D transit 100, C exchange 100',
      'WITHDRAWAL EUR D Bob 20, D Carol 30, C exchange 50',
    ])
    assert.equal((await world.withdrawal(sent.id)).unassigned, false)
    assert.equal(await place.balance(bob.account_id, 'EUR'), '99980/0')

    const arrived = await read(await wire('150', reference(sent)))
    assert.partialDeepStrictEqual(arrived, {
      state: 'UNASSIGNED',
      own_transfer: true,
      related_withdrawal_id: sent.id,
      transfer_quantity: '100',
    })
    assert.deepEqual(await place.bookings(arrived.id), [
      'TRANSFER EUR D bank 100, C transit 100',
      'DEPOSIT EUR D bank 50, C suspense 50',
    ])
    assert.deepEqual(await unexplained(), [])
    assert.deepEqual(await depositsSince(place.db, place.workspace, 0), [
      { asset: 'EUR', count: 1, quantity: '50' },
    ])
    assert.deepEqual(await suggested(arrived.id, sent.id), ['Bob', 'Carol'])
    await assert.rejects(payASettlement(arrived), /is the arrival of withdrawal/)
    const parts = (quantity: string) => [{ account_id: bob.account_id, quantity }]
    assert.equal(
      refusalOf(await world.assign(arrived.id, parts('50.01'))),
      '400 3001 SUM_MISMATCH ',
    )
    assert.equal((await world.assign(arrived.id, parts('50'))).status, 200)
    assert.equal((await world.readById(arrived.id)).state, 'SUCCESSFUL')
    assert.deepEqual(await changed(before), {
      exchange: '-150',
      bank: '150',
      Bob: '30',
      Carol: '-30',
    })
    assert.equal(
      refusalOf(
        await place.call('POST', `/treasury/deposits/${arrived.id}/return`, { reason: 'no' }),
      ),
      '400 3001 STATE_NOT_ALLOWED ',
    )
  })

  it('arrives for whom the matchings name, and less is missing of the transfer first', async () => {
    const { bob, changed, ends, match, place, read, sends, totals, wire } = world
    const matched = await match(bob.account_id, 'DESTINATION_WITHOUT_REFERENCE', {
      destination_address: IBAN,
    })
    const before = await totals()
    const one = await sends('100', [[bob, '20']])
    await ends(one)
    const arrived = await read(await wire('115', reference(one)))
    assert.partialDeepStrictEqual(arrived, {
      state: 'SUCCESSFUL',
      transfer_quantity: '95',
      assigned_quantity: '20',
    })
    assert.deepEqual(await place.bookings(arrived.id), [
      'TRANSFER EUR D bank 95, C transit 95',
      'TRANSFER_FEE EUR D fee 5, C transit 5',
      'DEPOSIT EUR D bank 20, C suspense 20',
      'DEPOSIT_ASSIGNMENT EUR D suspense 20, C Bob 20',
    ])
    const two = await sends('3', [[bob, '20']])
    await ends(two)
    const smaller = await read(await wire('15', reference(two)))
    assert.deepEqual(await place.bookings(smaller.id), [
      'TRANSFER_FEE EUR D fee 3, C transit 3',
      'DEPOSIT EUR D bank 15, C suspense 15',
      'DEPOSIT_ASSIGNMENT EUR D suspense 15, C Bob 15',
    ])
    assert.deepEqual(await changed(before), {
      exchange: '-143',
      bank: '130',
      fee: '8',
      Bob: '-5',
    })
    await place.call('DELETE', `/accounts/matchings/${matched.data.id}`)
  })

  it('leaves nothing booked or blocked when it fails, and nothing free while unknown', async () => {
    const { bob, changed, ends, place, sends, totals } = world
    const free = await place.balance(bob.account_id, 'EUR')
    const before = await totals()
    place.models.exchange.mode = 'late'
    const unknown = await sends('100', [[bob, '20']])
    assert.equal((await world.withdrawal(unknown.id)).state, 'UNKNOWN')
    assert.equal(await place.balance(bob.account_id, 'EUR'), free.replace('/0', '/20'))
    place.models.exchange.mode = 'accept'
    await ends(unknown, { state: 'FAILED' })
    assert.equal((await world.withdrawal(unknown.id)).state, 'FAILED')
    assert.equal(await place.balance(bob.account_id, 'EUR'), free)
    assert.deepEqual(await changed(before), {})
    assert.deepEqual(await place.bookings(unknown.id), [])
  })

  it('belongs to the same owners when it leaves after it had failed', async () => {
    const { bob, changed, ends, place, read, sends, totals, wire } = world
    const { bankToExchange } = world.routes
    const before = await totals()
    const failed = await sends('100', [[bob, '20']], bankToExchange)
    await ends(failed, { state: 'REJECTED' })
    const debit = departure('late-shared', 'EUR', '120', {
      wallet: IBAN,
      external_id: failed.external_id,
      destination_address: failed.destination_address,
      fee: 0n,
      fee_asset: 'EUR',
    })
    await place.leaves(place.bank, debit)
    assert.deepEqual(await changed(before), { bank: '-120', transit: '100', Bob: '-20' })
    const back = await read(await wire('120', { related_external_id: failed.external_id }))
    assert.equal(back.state, 'SUCCESSFUL')
    assert.deepEqual(await changed(before), {})
  })

  it('comes back to its owners and to the house', async () => {
    const { bob, carol, changed, ends, place, read, sends, totals, wire } = world
    const before = await totals()
    const paid = await sends(
      '100',
      [
        [bob, '20'],
        [carol, '30'],
      ],
      world.routes.bankToExchange,
    )
    await ends(paid)
    const back = await read(await wire('150', { related_external_id: paid.external_id }))
    assert.partialDeepStrictEqual(back, { state: 'SUCCESSFUL', transfer_quantity: '100' })
    assert.deepEqual(await place.bookings(back.id), [
      'TRANSFER EUR D bank 100, C transit 100',
      'DEPOSIT EUR D bank 50, C suspense 50',
      'DEPOSIT_ASSIGNMENT EUR D suspense 20, C Bob 20',
      'DEPOSIT_ASSIGNMENT EUR D suspense 30, C Carol 30',
    ])
    assert.deepEqual(await changed(before), {})
    assert.equal(refusalOf(await world.unrelate(back.id)), '400 3001 STATE_NOT_ALLOWED ')
    for (const state of ['REVERSED', 'FINAL'] as const) {
      const more = { state, wallet: IBAN, related_external_id: paid.external_id }
      place.arrives(place.bank, movement(back.foreign_id, 'EUR', '150', more))
      await place.later(10_000)
    }
    assert.deepEqual(await changed(before), {})
  })

  it('comes back in two parts: accounts have theirs first', async () => {
    const { bob, changed, ends, read, sends, totals, wire } = world
    const before = await totals()
    const paid = await sends('100', [[bob, '20']], world.routes.bankToExchange)
    await ends(paid)
    for (const quantity of ['15', '105'])
      await read(await wire(quantity, { related_external_id: paid.external_id }))
    assert.deepEqual(await changed(before), {})
  })

  it('is related by a person while accounts have no more of it than they sent', async () => {
    const { bob, changed, ends, hasArrived, read, relate, sends, totals, unrelate, wire } = world
    const before = await totals()
    const sent = await sends('100', [[bob, '20']])
    await ends(sent)
    const { id } = await read(await wire('120'))
    const more = await read(await wire('120'))
    const parts = (quantity: string) => [{ account_id: bob.account_id, quantity }]
    await world.assign(id, parts('15'))
    await world.assign(more.id, parts('20.01'))
    assert.equal(
      refusalOf(await relate(more.id, { withdrawal_id: sent.id })),
      '400 3001 STATE_NOT_ALLOWED ',
    )
    assert.deepEqual(await world.suggestions(more.id), [])
    assert.deepEqual(
      (await world.suggestions(id)).map(({ of }) => of),
      [sent.id],
    )
    const related = await relate(id, { withdrawal_id: sent.id })
    assert.deepEqual(related.data, await world.readById(id))
    assert.partialDeepStrictEqual(related.data, {
      state: 'PARTIALLY_ASSIGNED',
      transfer_quantity: '100',
      assigned_quantity: '15',
    })
    assert.deepEqual(await unexplained(), [])
    assert.equal(
      refusalOf(await relate(id, { withdrawal_id: (await sends('1', [])).id })),
      '400 3001 CONFLICT ',
    )
    await world.assign(id, parts('5'))
    assert.equal(await hasArrived(sent.id), true)
    const back = await unrelate(id)
    assert.deepEqual(back.data, await world.readById(id))
    assert.partialDeepStrictEqual(back.data, {
      state: 'PARTIALLY_ASSIGNED',
      own_transfer: false,
      transfer_quantity: '0',
      assigned_quantity: '20',
    })
    assert.equal(await hasArrived(sent.id), false)
    assert.equal((await relate(id, { withdrawal_id: sent.id })).data.state, 'SUCCESSFUL')
    assert.deepEqual(await changed(before), {
      suspense: '99.99',
      exchange: '-120',
      bank: '240',
      Bob: '20.01',
    })
  })

  it('is in flight again when its arrival is recalled, and as before when it is back', async () => {
    const { bob, changed, ends, place, read, sends, totals } = world
    const before = await totals()
    const sent = await sends('100', [[bob, '20']])
    await ends(sent)
    const left = { exchange: '-120', transit: '100', Bob: '-20' }
    const wire = async (state: 'FINAL' | 'REVERSED', foreign_id: string) => {
      const more = { state, wallet: IBAN, ...reference(sent) }
      place.arrives(place.bank, movement(foreign_id, 'EUR', '120', more))
      await place.later(10_000)
      return read(foreign_id)
    }
    const { id } = await wire('FINAL', 'recalled')
    await world.assign(id, [{ account_id: bob.account_id, quantity: '20' }])
    const arrived = { exchange: '-120', bank: '120' }
    assert.deepEqual(await changed(before), arrived)
    assert.equal((await wire('REVERSED', 'recalled')).state, 'REVERSED')
    assert.deepEqual(await changed(before), left)
    assert.partialDeepStrictEqual(await wire('FINAL', 'recalled'), {
      state: 'SUCCESSFUL',
      transfer_quantity: '100',
      related_withdrawal_id: sent.id,
    })
    assert.deepEqual(await changed(before), arrived)
  })
})
