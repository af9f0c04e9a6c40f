/**
 * A settlement outlives the processes that work on it: killed before and after every step, what we
 * owe is sent once and what is owed is booked once. A part that did not leave is sent again; one
 * whose outcome is not known is not.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openSettlementWorld, partOf } from './settlements.testing.ts'
import type { Customer, SettlementWorld } from './settlements.testing.ts'
import type { Part, Settlement } from './settlements.schema.ts'

type Withdrawal = { id: string; settlement_id: string | null; state: string }

describe('settlements whose processes die', { timeout: 500_000 }, () => {
  let world: SettlementWorld
  let alice: Customer
  before(async () => {
    world = await openSettlementWorld()
    alice = await world.customer()
  })
  after(() => world.close())

  const repeated = <Data>(
    point: string,
    request: (headers: Record<string, string>) => Promise<Data>,
  ): Promise<Data> => world.repeated(point, request)
  const sent = async (id: string) =>
    (await world.call<Withdrawal[]>('GET', '/treasury/withdrawals')).filter(
      (withdrawal) => withdrawal.settlement_id === id,
    )

  for (const moment of ['before', 'after'] as const) {
    it(`${moment} each step`, async () => {
      await world.trade(alice, moment === 'before' ? 'BUY' : 'SELL', '0.01')
      const claimed = await repeated(`settlement.create.${moment}`, (headers) =>
        world.claim(headers),
      )
      assert.equal(
        (await world.call<Settlement[]>('GET', '/settlements?state=preparing')).length,
        1,
      )
      const ready = await repeated(`settlement.cover.${moment}`, (headers) =>
        world.cover(claimed.id, {}, headers),
      )
      assert.equal(ready.parts.length, 2)
      await world.dieAt(`settlement.progress.${moment}`)
      await repeated(`settlement.initiate.${moment}`, (headers) =>
        world.initiate(claimed.id, {}, headers),
      )
      await world.until(`the worker's death at settlement.progress.${moment}`, async () =>
        world.worker.child.signalCode === 'SIGKILL' ? true : undefined,
      )
      await world.restartWorker()
      const settled = await world.settled(claimed.id)
      assert.ok(settled.parts.every((part) => part.state === 'SUCCESS'))
      assert.equal((await sent(claimed.id)).length, 1)
      await world.assertAllSettled()
    })
  }

  it('netted again without a busted trade, before and after', async () => {
    await world.sandbox.control('POST', 'prime/payouts/automatic', { on: false })
    for (const moment of ['before', 'after'] as const) {
      const execution = await world.trade(alice, 'BUY', '0.01')
      const { id } = await world.claim()
      await world.cover(id)
      await world.initiate(id)
      await world.bust(execution)
      const { nets, corrections } = await repeated(`settlement.net_again.${moment}`, (headers) =>
        world.call<Settlement>('POST', `/settlements/${id}/net-again`, {}, headers),
      )
      const assets = new Set(corrections.map(({ asset }) => asset))
      assert.deepEqual({ nets, assets }, { nets: [], assets: new Set(['BTC', 'EUR']) })
      const { quantity } = partOf(await world.initiate(id), 'INCOMING')
      await world.until('its payment', () =>
        world.sandbox
          .control('POST', 'prime/payouts', { asset: 'EUR', quantity })
          .then(() => true as const)
          .catch(() => undefined),
      )
      await world.settled(id)
      assert.equal((await sent(id)).length, 1)
      await world.assertAllSettled()
    }
    await world.sandbox.control('POST', 'prime/payouts/automatic', { on: true })
  })

  it('what its venue refuses is initiated again', async () => {
    await world.trade(alice, 'SELL', '0.01')
    const claimed = await world.claim()
    await world.cover(claimed.id)
    await world.sandbox.fault('fireblocks', 'create_transaction', 'REFUSE', { remaining: -1 })
    await world.initiate(claimed.id)
    const failed = await world.until('the failed part', async () => {
      const settlement = await world.settlement(claimed.id)
      return settlement.parts.some((part) => part.state === 'FAILED') ? settlement : undefined
    })
    assert.equal(failed.state, 'TRANSFERRING', 'the other part is still waited for')
    await world.sandbox.control('DELETE', 'faults')
    await world.initiate(claimed.id)
    await world.settled(claimed.id)
    assert.deepEqual((await sent(claimed.id)).map((withdrawal) => withdrawal.state).toSorted(), [
      'REJECTED',
      'SUCCESS',
    ])
    await world.assertAllSettled()
  })

  it('what could not be paid is a need; covered anew it is paid', async () => {
    await world.trade(alice, 'SELL', '0.01')
    const claimed = await world.claim()
    const covered = await world.cover(claimed.id)
    const [out, back] = [partOf(covered, 'OUTGOING'), partOf(covered, 'INCOMING')]
    await world.sandbox.fault('fireblocks', 'create_transaction', 'REFUSE', { remaining: -1 })
    await world.initiate(claimed.id, { part_ids: [out.id] })
    await world.until('its failure', async () =>
      (await world.settlement(claimed.id)).state === 'FAILED' ? true : undefined,
    )
    assert.equal(await world.needed('settlements_failed'), 1)
    await world.sandbox.control('DELETE', 'faults')
    const again = ({ venue_id, asset, route_id }: Part, quantity: string) => ({
      venue_id,
      asset,
      quantity,
      route_id,
    })
    const none = await world.refusal('PUT', `/settlements/${claimed.id}/parts`, { parts: [] })
    assert.equal(none, '3001 SUM_MISMATCH', 'it does not go back to its fills any more')
    const anew = await world.cover(claimed.id, {
      parts: [again(out, '0.004'), again(out, '0.006'), again(back, back.quantity)],
    })
    const { state, nets, parts } = anew
    assert.deepEqual({ state, nets }, { state: 'TRANSFERRING', nets: claimed.nets })
    assert.deepEqual(
      parts.map((part) => part.state),
      ['OPEN', 'OPEN', 'OPEN'],
    )
    await world.initiate(claimed.id)
    await world.settled(claimed.id)
    assert.deepEqual((await sent(claimed.id)).map((withdrawal) => withdrawal.state).toSorted(), [
      'REJECTED',
      'SUCCESS',
      'SUCCESS',
    ])
    await world.assertAllSettled()
  })

  it('what may have left is not sent, confirmed or canceled before its outcome', async () => {
    await world.trade(alice, 'SELL', '0.01')
    const claimed = await world.claim()
    await world.cover(claimed.id)
    await world.sandbox.fault('fireblocks', 'create_transaction', 'TIMEOUT_AFTER_ACCEPT', {
      remaining: 1,
    })
    await world.sandbox
      .fault('fireblocks', 'find_transaction', 'DOWN', { remaining: -1 })
      .catch(() => undefined)
    const out = partOf(await world.initiate(claimed.id), 'OUTGOING')
    for (const [url, body] of [
      ['initiate', { part_ids: [out.id] }],
      [`parts/${out.id}/confirm`, { note: 'surely' }],
      ['cancel', {}],
    ] as const) {
      const refused = await world.refusal('POST', `/settlements/${claimed.id}/${url}`, body)
      assert.match(refused, /^3001 /, url)
    }
    await world.sandbox.control('DELETE', 'faults')
    await world.settled(claimed.id)
    assert.equal((await sent(claimed.id)).length, 1)
    await world.assertAllSettled()
  })

  it('money is named for one part and waited for no more with another, each once', async () => {
    type Deposit = { id: string; state: string; quantity: string }
    const begun = async (amount: string) => {
      await world.trade(alice, 'BUY', amount)
      const { id } = await world.claim()
      await world.cover(id)
      const { id: part_id } = partOf(await world.initiate(id), 'INCOMING')
      return { url: `/settlements/${id}/parts/${part_id}`, id }
    }
    for (const moment of ['before', 'after'] as const) {
      const [one, other] = [await begun('0.01'), await begun('0.005')]
      await world.sandbox.control('POST', 'prime/payouts', { asset: 'BTC', quantity: '0.015' })
      const deposit = await world.until('a deposit of nobody', async () =>
        (await world.call<Deposit[]>('GET', '/treasury/deposits?state=UNASSIGNED')).find(
          (deposit) => deposit.quantity === '0.015',
        ),
      )
      for (const { url } of [one, other])
        await world.call('POST', `${url}/confirm`, { note: 'their mail' })
      for (const { id } of [one, other]) await world.settled(id)
      const answer = (url: string, body: object) =>
        repeated(`settlement.arrival.${moment}`, (headers) =>
          world.call<Settlement>('POST', url, body, headers),
        )
      const named = await answer(`${one.url}/arrival`, {
        note: 'their mail',
        deposit_id: deposit.id,
      })
      const dropped = await answer(`${other.url}/drop`, { note: 'it came with the other' })
      assert.deepEqual(
        [named, dropped].map((settlement) => {
          const { arrival, deposit_id } = partOf(settlement, 'INCOMING')
          return { arrival, deposit_id }
        }),
        [
          { arrival: 'ARRIVED', deposit_id: deposit.id },
          { arrival: 'DROPPED', deposit_id: null },
        ],
      )
      assert.equal(
        (await world.call<Deposit>('GET', `/treasury/deposits/${deposit.id}`)).state,
        'SUCCESSFUL',
      )
      assert.deepEqual(await world.totals('SUSPENSE'), {})
      await world.assertAllSettled()
    }
  })
})
