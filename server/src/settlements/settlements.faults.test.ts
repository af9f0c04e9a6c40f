/**
 * A settlement outlives the processes that work on it: killed before and after every step, what we
 * owe is sent once and what is owed is booked once. A part that did not leave is sent again; one
 * whose outcome is not known is not.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../core/ids.ts'
import { repeat } from '../core/service.testing.ts'
import { openSettlementWorld } from './settlements.testing.ts'
import type { Customer, SettlementWorld } from './settlements.testing.ts'
import type { Settlement } from './settlements.schema.ts'

type Withdrawal = { id: string; settlement_id: string | null; state: string }

describe('settlements whose processes die', { timeout: 500_000 }, () => {
  let world: SettlementWorld
  let alice: Customer
  before(async () => {
    world = await openSettlementWorld()
    alice = await world.customer()
  })
  after(() => world.close())

  /**
   * The request dies at this point with the process, and is repeated with its key at the next one.
   */
  async function repeated<Data>(
    point: string,
    request: (headers: Record<string, string>) => Promise<Data>,
  ): Promise<Data> {
    await world.dieAt(point)
    const headers = { 'idempotency-key': newId() }
    await assert.rejects(request(headers))
    assert.equal(await world.api().exited, 'SIGKILL', point)
    await world.startApi()
    return repeat(() => request(headers))
  }
  const sent = async (id: string) =>
    (await world.call<Withdrawal[]>('GET', '/treasury/withdrawals')).filter(
      (withdrawal) => withdrawal.settlement_id === id,
    )
  const whole = async () => {
    assert.deepEqual(
      [
        await world.totals('TRADING', world.prime.id),
        await world.totals('VENUE', world.prime.id),
        await world.totals('TRANSIT'),
        await world.openHolds(),
      ],
      [{}, {}, {}, 0],
    )
    assert.deepEqual(await world.verify(), [])
  }

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
        world.call<Settlement>('PUT', `/settlements/${claimed.id}/parts`, {}, headers),
      )
      assert.equal(ready.parts.length, 2)
      await world.dieAt(`settlement.progress.${moment}`)
      await repeated(`settlement.initiate.${moment}`, (headers) =>
        world.call<Settlement>('POST', `/settlements/${claimed.id}/initiate`, {}, headers),
      )
      await world.until(`the worker's death at settlement.progress.${moment}`, async () =>
        world.worker().child.signalCode === 'SIGKILL' ? true : undefined,
      )
      await world.restartWorker()
      const settled = await world.settled(claimed.id)
      assert.ok(settled.parts.every((part) => part.state === 'SUCCESS'))
      assert.equal((await sent(claimed.id)).length, 1)
      await whole()
    })
  }

  it('what its venue refuses is initiated again', async () => {
    await world.trade(alice, 'SELL', '0.01')
    const claimed = await world.claim()
    await world.call('PUT', `/settlements/${claimed.id}/parts`, {})
    await world.sandbox.fault('fireblocks', 'create_transaction', 'REFUSE', { remaining: -1 })
    await world.call('POST', `/settlements/${claimed.id}/initiate`, {})
    const stateOf = () => world.call<Settlement>('GET', `/settlements/${claimed.id}`)
    const failed = await world.until('the failed part', async () => {
      const settlement = await stateOf()
      return settlement.parts.some((part) => part.state === 'FAILED') ? settlement : undefined
    })
    assert.equal(failed.state, 'TRANSFERRING', 'the other part is still waited for')
    await world.sandbox.control('DELETE', 'faults')
    await world.call('POST', `/settlements/${claimed.id}/initiate`, {})
    await world.settled(claimed.id)
    assert.deepEqual((await sent(claimed.id)).map((withdrawal) => withdrawal.state).toSorted(), [
      'REJECTED',
      'SUCCESS',
    ])
    await whole()
  })

  it('what could not be paid makes it FAILED, where a person sees it; covered anew it is paid', async () => {
    await world.trade(alice, 'SELL', '0.01')
    const claimed = await world.claim()
    const { parts } = await world.call<Settlement>('PUT', `/settlements/${claimed.id}/parts`, {})
    const [out, back] = [
      parts.find((part) => part.direction === 'OUTGOING'),
      parts.find((part) => part.direction === 'INCOMING'),
    ]
    await world.sandbox.fault('fireblocks', 'create_transaction', 'REFUSE', { remaining: -1 })
    await world.call('POST', `/settlements/${claimed.id}/initiate`, { part_ids: [out?.id] })
    await world.until('its failure', async () =>
      (await world.call<Settlement>('GET', `/settlements/${claimed.id}`)).state === 'FAILED'
        ? true
        : undefined,
    )
    const { needs } = await world.call<{ needs: { kind: string; count: number }[] }>(
      'GET',
      '/overview',
    )
    assert.equal(needs.find((need) => need.kind === 'settlements_failed')?.count, 1)
    await world.sandbox.control('DELETE', 'faults')
    const way = (part: typeof out, quantity?: string) => ({
      venue_id: part?.venue_id,
      asset: part?.asset,
      quantity: quantity ?? part?.quantity,
      route_id: part?.route_id,
    })
    assert.equal(
      (await world.ask('PUT', `/settlements/${claimed.id}/parts`, { parts: [] })).error_details?.[0]
        ?.code,
      'SUM_MISMATCH',
      'it does not go back to its fills any more',
    )
    const anew = await world.call<Settlement>('PUT', `/settlements/${claimed.id}/parts`, {
      parts: [way(out, '0.004'), way(out, '0.006'), way(back)],
    })
    assert.deepEqual(
      [anew.state, anew.nets, anew.parts.map((part) => part.state)],
      ['TRANSFERRING', claimed.nets, ['OPEN', 'OPEN', 'OPEN']],
    )
    await world.call('POST', `/settlements/${claimed.id}/initiate`, {})
    await world.settled(claimed.id)
    assert.deepEqual((await sent(claimed.id)).map((withdrawal) => withdrawal.state).toSorted(), [
      'REJECTED',
      'SUCCESS',
      'SUCCESS',
    ])
    await whole()
  })

  it('what may have left is not sent again, not confirmed and not canceled before its outcome is known', async () => {
    await world.trade(alice, 'SELL', '0.01')
    const claimed = await world.claim()
    await world.call('PUT', `/settlements/${claimed.id}/parts`, {})
    await world.sandbox.fault('fireblocks', 'create_transaction', 'TIMEOUT_AFTER_ACCEPT', {
      remaining: 1,
    })
    await world.sandbox
      .fault('fireblocks', 'find_transaction', 'DOWN', { remaining: -1 })
      .catch(() => undefined)
    const begun = await world.call<Settlement>('POST', `/settlements/${claimed.id}/initiate`, {})
    const out = begun.parts.find((part) => part.direction === 'OUTGOING')
    for (const [url, body] of [
      ['initiate', { part_ids: [out?.id] }],
      [`parts/${out?.id}/confirm`, { note: 'surely' }],
      ['cancel', {}],
    ] as const) {
      assert.equal(
        (await world.ask('POST', `/settlements/${claimed.id}/${url}`, body)).error_code,
        3001,
        url,
      )
    }
    await world.sandbox.control('DELETE', 'faults')
    await world.settled(claimed.id)
    assert.equal((await sent(claimed.id)).length, 1)
    await whole()
  })

  it('the money of two parts that were confirmed by hand is named as the one and waited for as the other no more, each once', async () => {
    type Deposit = { id: string; state: string; quantity: string }
    const begun = async (amount: string) => {
      await world.trade(alice, 'BUY', amount)
      const { id } = await world.claim()
      await world.call('PUT', `/settlements/${id}/parts`, {})
      const { parts } = await world.call<Settlement>('POST', `/settlements/${id}/initiate`, {})
      return { id, part_id: parts.find((part) => part.direction === 'INCOMING')?.id }
    }
    for (const moment of ['before', 'after'] as const) {
      const both = [await begun('0.01'), await begun('0.005')] as const
      await world.sandbox.control('POST', 'prime/payouts', { asset: 'BTC', quantity: '0.015' })
      const deposit = await world.until('a deposit of nobody', async () =>
        (await world.call<Deposit[]>('GET', '/treasury/deposits?state=UNASSIGNED')).find(
          (deposit) => deposit.quantity === '0.015',
        ),
      )
      for (const { id, part_id } of both)
        await world.call('POST', `/settlements/${id}/parts/${part_id}/confirm`, {
          note: 'their mail',
        })
      for (const { id } of both) await world.settled(id)
      const [named, dropped] = [
        await repeated(`settlement.arrival.${moment}`, (headers) =>
          world.call<Settlement>(
            'POST',
            `/settlements/${both[0].id}/parts/${both[0].part_id}/arrival`,
            { note: 'their mail', deposit_id: deposit.id },
            headers,
          ),
        ),
        await repeated(`settlement.arrival.${moment}`, (headers) =>
          world.call<Settlement>(
            'POST',
            `/settlements/${both[1].id}/parts/${both[1].part_id}/drop`,
            { note: 'it came with the other' },
            headers,
          ),
        ),
      ].map((settlement) => settlement.parts.find((part) => part.direction === 'INCOMING'))
      assert.deepEqual(
        [named?.arrival, named?.deposit_id, dropped?.arrival, dropped?.deposit_id],
        ['ARRIVED', deposit.id, 'DROPPED', null],
      )
      assert.equal(
        (await world.call<Deposit>('GET', `/treasury/deposits/${deposit.id}`)).state,
        'SUCCESSFUL',
      )
      assert.deepEqual(await world.totals('SUSPENSE'), {})
      await whole()
    }
  })
})
