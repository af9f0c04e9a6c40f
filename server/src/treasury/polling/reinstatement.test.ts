/** A deposit that the venue took back and credits again is settled again. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from '../../store/sql.ts'
import type { Incoming } from '../../venues/index.ts'
import type { DepositAssignment } from '../assignments/assignments.schema.ts'
import type { Deposit } from '../deposit-rows/deposits.schema.ts'
import { openMovements } from '../testing/movements.testing.ts'
import { IBAN, movement } from '../testing/venue.fixture.ts'
import type { Withdrawal } from '../withdrawals/withdrawals.schema.ts'

describe('a deposit that the venue took back and credits again', () => {
  let place: Awaited<ReturnType<typeof openMovements>>
  before(async () => {
    place = await openMovements()
  })
  after(async () => {
    assert.deepEqual(await place.verify(), [])
    await place.close()
  })

  const deposits = async (query: string) =>
    (await place.call<Deposit[]>('GET', `/treasury/deposits?${query}`)).data
  const seen = async (
    foreign_id: string,
    state: Incoming['state'],
    quantity: string,
    more: Partial<Incoming> = {},
  ) => {
    place.arrives(
      place.bank,
      movement(foreign_id, 'EUR', quantity, { wallet: IBAN, state, ...more }),
    )
    await place.later(10_000)
    return (await deposits(`foreign_id=${foreign_id}`))[0] ?? assert.fail()
  }

  it('belongs to the same accounts each time, also after a rectification', async () => {
    const [bob, eve] = [await place.customer('Bob'), await place.customer('Eve')]
    const { id } = await seen('C1', 'FINAL', '70')
    await place.call<DepositAssignment>('POST', `/treasury/deposits/${id}/assignments`, [
      { account_id: bob.account_id, quantity: '40' },
    ])
    const [origin] = (
      await place.call<DepositAssignment[]>('GET', `/treasury/deposits/${id}/assignments`)
    ).data
    const rectified = await place.call('POST', `/treasury/deposits/${id}/rectifications`, {
      reason: 'WRONG_ACCOUNT',
      origins: [origin?.id],
      targets: [{ account_id: eve.account_id, quantity: '40' }],
    })
    assert.equal(rectified.status, 200, rectified.text)
    for (let turn = 0; turn < 2; turn += 1) {
      const reversed = await seen('C1', 'REVERSED', '70')
      assert.deepEqual(
        { state: reversed.state, total: await place.total(eve.account_id, 'EUR') },
        { state: 'REVERSED', total: '0' },
      )
      const back = await seen('C1', 'FINAL', '70')
      assert.partialDeepStrictEqual(back, {
        id,
        state: 'PARTIALLY_ASSIGNED',
        assigned_quantity: '40',
        reason_code: null,
      })
      assert.equal(await place.total(bob.account_id, 'EUR'), '0')
      assert.equal(await place.total(eve.account_id, 'EUR'), '40')
    }
    assert.deepEqual((await place.bookings(id)).slice(-2), [
      'DEPOSIT EUR D bank 70, C suspense 70',
      'DEPOSIT_ASSIGNMENT EUR D suspense 40, C Eve 40',
    ])
    assert.deepEqual((await place.events(id)).slice(-3), [
      'deposit.reversed',
      'deposit.reinstated',
      'deposit.received',
    ])
    assert.equal(
      (await seen('C1', 'FINAL', '70')).version,
      (await seen('C1', 'FINAL', '70')).version,
    )
    await place.call<DepositAssignment>('POST', `/treasury/deposits/${id}/assignments`, [
      { account_id: bob.account_id, quantity: '30' },
    ])
    const smaller = async () => [
      (await seen('C1', 'REVERSED', '70')).state,
      (await seen('C1', 'FINAL', '60')).state,
    ]
    assert.deepEqual(await smaller(), ['REVERSED', 'REVERSED'])
  })

  it('finds its owner anew where it had none, and its transfer where it is one', async () => {
    assert.equal((await seen('C2', 'FINAL', '80')).state, 'UNASSIGNED')
    await seen('C2', 'REVERSED', '80')
    assert.equal((await seen('C2', 'FINAL', '81')).quantity, '81')
    const sent = await place.call<Withdrawal>(
      'POST',
      `/treasury/wallets/routes/${place.routes.bankToExchange.id}/withdrawals`,
      { speed_level: 'DEFAULT', quantity: '90' },
    )
    await place.work()
    place.models.bank.finish(sent.data.external_id, {})
    await place.later(20_000)
    const transit = await place.total(place.house.TRANSIT, 'EUR')
    for (const state of ['FINAL', 'REVERSED', 'FINAL'] as const) {
      place.arrives(place.exchange, movement('C3', 'EUR', '90', { state }))
      await place.later(10_000)
      const [arrival] = await deposits('foreign_id=C3')
      assert.deepEqual(
        [arrival?.state, await place.total(place.house.TRANSIT, 'EUR')],
        state === 'FINAL' ? ['SUCCESSFUL', '0'] : ['REVERSED', transit],
      )
    }
  })

  it('is not what was asked before it was taken back', async () => {
    const { id, version } = await seen('C4', 'FINAL', '33')
    await seen('C4', 'REVERSED', '33')
    place.arrives(place.bank, movement('C4', 'EUR', '33', { wallet: IBAN }))
    // The reading began before the reversal was stored, and ended after it.
    await place.db.query(
      sql`
        update deposits
        set system_updated_at = ${place.clock.now() + 60_000}
        where id = ${id}`,
    )
    await place.later(10_000)
    const [row] = await deposits('foreign_id=C4')
    assert.deepEqual(
      { state: row?.state, version: row?.version },
      { state: 'REVERSED', version: version + 1 },
    )
  })
})
