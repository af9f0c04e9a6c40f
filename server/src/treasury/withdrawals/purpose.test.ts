import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { BatchRequest } from '../batches/batches.schema.ts'
import { openMovements } from '../testing/movements.testing.ts'
import type { Withdrawal } from './withdrawals.schema.ts'

describe('purpose', () => {
  let place: Awaited<ReturnType<typeof openMovements>>
  before(async () => {
    place = await openMovements()
  })
  after(() => place.close())

  const ask = async (purpose: string) => {
    const bob = await place.customer('Bob')
    await place.belongsTo(bob, place.wallets.alice)
    await place.fund(bob.account_id, 'BTC', '3')
    return place.call<Withdrawal>(
      'POST',
      `/treasury/wallets/routes/${place.routes.payout.id}/withdrawals`,
      { quantity: '1', speed_level: 'DEFAULT', account_id: bob.account_id, purpose },
    )
  }

  it('is stored, answered, listed, and handed to the venue', async () => {
    const purpose = 'p'.repeat(140)
    const made = await ask(purpose)
    assert.equal(made.status, 200, made.text)
    assert.equal(made.data.purpose, purpose)
    const listed = await place.call<Withdrawal[]>('GET', '/treasury/withdrawals')
    assert.equal(listed.data.find((row) => row.id === made.data.id)?.purpose, purpose)
    await place.work()
    const sent = place.models.vault.sends.find((send) => send.external_id === made.data.external_id)
    assert.equal(sent?.purpose, purpose)
  })

  it('is not sent to a wallet at a venue of ours, whoever pays', async () => {
    const bob = await place.customer('Bob')
    await place.fund(bob.account_id, 'BTC', '1')
    const pay = (owner: { account_id?: string }) =>
      place.call<Withdrawal>(
        'POST',
        `/treasury/wallets/routes/${place.routes.vaultToExchange.id}/withdrawals`,
        { quantity: '0.5', speed_level: 'DEFAULT', purpose: 'savings', ...owner },
      )
    const made = [await pay({ account_id: bob.account_id }), await pay({})]
    await place.later(60_000)
    for (const { data, status, text } of made) {
      assert.equal(status, 200, text)
      const sent = place.models.vault.sends.filter((send) => send.external_id === data.external_id)
      assert.deepEqual(
        { stored: data.purpose, sent: sent.map((order) => order.purpose) },
        { stored: 'savings', sent: [null] },
      )
    }
  })

  it('has at most 140 characters, and blank is absence', async () => {
    const long = await ask('p'.repeat(141))
    assert.equal(long.status, 400)
    assert.equal(long.error_details?.[0]?.path, 'purpose')
    assert.equal((await ask('')).data.purpose, null)
  })

  it('keeps payments of a batch apart that have different ones', async () => {
    const route_id = place.routes.payout.id
    const payment = { route_id, quantity: '0.1', speed_level: 'DEFAULT' }
    const prepared = await place.call<BatchRequest[]>(
      'POST',
      '/treasury/withdrawals/batch/prepare',
      {
        withdrawals: [
          { ...payment, purpose: 'rent' },
          { ...payment, purpose: 'rent' },
          { ...payment, purpose: 'wages' },
          payment,
        ],
      },
    )
    assert.equal(prepared.status, 200, prepared.text)
    const purposes = prepared.data.map(({ stakes }) => stakes.map((stake) => stake.purpose))
    assert.deepEqual(purposes, [['rent', 'rent'], ['wages'], [undefined]])
    const made = await place.call<Withdrawal[]>('POST', '/treasury/withdrawals/batch/submit', {
      withdrawals: prepared.data,
    })
    assert.equal(made.status, 200, made.text)
    assert.deepEqual(
      made.data.map((withdrawal) => withdrawal.purpose),
      ['rent', 'wages', null],
    )
  })
})
