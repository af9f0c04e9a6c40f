/** Transfers of the vault, from the request to the chain. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { inspect } from 'node:util'
import { decimal, format } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import {
  allowBtc,
  arrived,
  ended,
  lookup,
  orderTo,
  OUTSIDE,
  PACE,
  VaultDesk,
} from './vault.testing.ts'

/** By how much a fee of our own is above the estimate. */
const MORE_THAN_DEFAULT: Record<string, Decimal> = {
  ETH: decimal('0.000000000000000007'),
  XRP: decimal('0.000003'),
}

describe('transfers of the vault', () => {
  const desk = new VaultDesk()

  test('the books agree with the chain, every asset at every speed, the fee on top', async () => {
    for (const asset of ['BTC', 'ETH', 'XRP']) {
      const estimate = await desk.venue.transfers.estimateFee(orderTo(desk.collection, { asset }))
      assert.equal(estimate.asset, asset)
      const { SLOW, DEFAULT, FAST } = estimate.speed_levels
      assert.ok(0n < SLOW && SLOW < DEFAULT && DEFAULT < FAST)
      let left = await desk.total(asset)
      const custom = DEFAULT + (MORE_THAN_DEFAULT[asset] ?? 0n)
      for (const speed_level of ['SLOW', 'DEFAULT', 'FAST', 'CUSTOM'] as const) {
        const quantity = asset === 'ETH' ? decimal('0.000000000000000123') : decimal('0.0123')
        const order = orderTo(desk.collection, { asset, speed_level, quantity, fee: custom })
        assert.equal((await desk.venue.transfers.send(order)).outcome, 'accepted')
        const report = await ended(desk.venue, order)
        assert.deepEqual(
          { state: report.state, sub_state: report.sub_state, fee_asset: report.fee_asset },
          { state: 'SUCCESS', sub_state: 'COMPLETED/CONFIRMED', fee_asset: asset },
        )
        assert.ok(report.fee !== null && report.transaction_hash !== null)
        left -= quantity + report.fee
        assert.equal(format(await desk.total(asset)), format(left))
        if (speed_level === 'CUSTOM')
          assert.ok(
            near(report.fee, custom, asset === 'BTC' ? decimal('0.00000002') : 0n),
            `${format(report.fee)} for ${format(custom)}`,
          )
      }
      const received = await arrived(desk.sandbox, asset)
      assert.equal(received.length, 4)
      assert.ok(received.every(({ tag }) => tag === OUTSIDE[asset]?.tag))
    }
  })

  test('a memo is that of the allow-list; with another, or none, nothing is sent', async () => {
    const order = orderTo(desk.collection, { asset: 'XLM', quantity: decimal('25.0000001') })
    for (const tag of [null, '89']) {
      const refused = await desk.venue.transfers.send({ ...order, tag })
      assert.ok(refused.outcome === 'refused', String(tag))
      assert.match(refused.reason, /another tag/)
    }
    const before = await desk.total('XLM')
    assert.equal((await desk.venue.transfers.send(order)).outcome, 'accepted')
    const { state, fee } = await ended(desk.venue, order)
    assert.deepEqual([state, fee], ['SUCCESS', decimal('0.00001')])
    assert.deepEqual(
      (await arrived(desk.sandbox, 'XLM')).map(({ tag }) => tag),
      ['88'],
    )
    assert.equal(before - (await desk.total('XLM')), order.quantity + decimal('0.00001'))
  })

  test('one transaction pays two destinations, and the chain shows both', async () => {
    const { address } = await desk.sandbox.control<{ address: string }>('POST', 'chain/addresses', {
      protocol: 'BTC',
    })
    const other = await allowBtc(desk.venue, address)
    const order = {
      ...orderTo(desk.collection),
      further_outputs: [{ ...other, quantity: decimal('0.07') }],
    }
    const single = (await desk.venue.transfers.estimateFee(orderTo(desk.collection))).speed_levels
      .DEFAULT
    assert.ok((await desk.venue.transfers.estimateFee(order)).speed_levels.DEFAULT > single)
    const before = await desk.total('BTC')
    assert.equal((await desk.venue.transfers.send(order)).outcome, 'accepted')
    const report = await ended(desk.venue, order)
    assert.equal(report.state, 'SUCCESS')
    const chain = await desk.sandbox.control<{
      outputs: { to_address: string; quantity: string; fee: string }[]
    }>('GET', `chain/transactions/${report.transaction_hash}`)
    assert.deepEqual(
      chain.outputs.map((output) => ({
        to_address: output.to_address,
        quantity: output.quantity,
        fee: output.fee,
      })),
      [
        { to_address: order.destination_address, quantity: '0.01', fee: format(report.fee ?? 0n) },
        { to_address: address, quantity: '0.07', fee: '0' },
      ],
    )
    assert.equal(before - (await desk.total('BTC')), decimal('0.08') + (report.fee ?? 0n))
  })

  test('destinations that cannot share a transaction are refused before it is sent', async () => {
    const { address } = await desk.sandbox.control<{ address: string }>('POST', 'chain/addresses', {
      protocol: 'BTC',
    })
    const other = await allowBtc(desk.venue, address)
    assert.equal(
      desk.venue.transfers.output_group?.(orderTo(desk.collection, { asset: 'ETH' })),
      null,
    )
    const received = await desk.sandbox.received('fireblocks', 'create_transaction')
    const from = (id: string) => ({
      ...other,
      quantity: decimal('0.07'),
      transfer: {
        ...other.transfer,
        from: { ...other.transfer.from, source_vault_account_id: id },
      },
    })
    const order = {
      ...orderTo(desk.collection),
      further_outputs: [from('1')],
    }
    const ether = {
      ...orderTo(desk.collection, { asset: 'ETH' }),
      further_outputs: [{ ...other, quantity: decimal('0.07') }],
    }
    for (const refused of [order, ether])
      assert.equal((await desk.venue.transfers.send(refused)).outcome, 'refused')
    assert.equal(await desk.sandbox.received('fireblocks', 'create_transaction'), received)
  })

  test('every fault of sending: nothing is sent twice, no refusal is a guess', async () => {
    const cases = [
      ['REFUSE', 'refused', 'absent'],
      ['TIMEOUT_AFTER_ACCEPT', 'unknown', 'found'],
      ['LATE', 'unknown', 'found'],
      ['DOWN', 'unknown', 'absent'],
    ] as const
    for (const [kind, outcome, expected] of cases) {
      const order = orderTo(desk.collection)
      const earlier = (await arrived(desk.sandbox, 'BTC')).length
      await desk.sandbox.fault('fireblocks', 'create_transaction', kind, { delay_ms: 6_000 * PACE })
      const answer = await (expected === 'found' ? desk.hasty : desk.venue).transfers.send(order)
      assert.equal(answer.outcome, outcome, `${kind} ${inspect(answer)}`)
      const found = await desk.venue.transfers.find(lookup(order))
      assert.equal(found.lookup, expected, kind)
      const again = await desk.venue.transfers.send(order)
      assert.equal(again.outcome, 'accepted', `${kind} ${inspect(again)}`)
      assert.equal((await ended(desk.venue, order)).state, 'SUCCESS')
      assert.equal((await arrived(desk.sandbox, 'BTC')).length, earlier + 1, kind)
    }
    // A reference that is taken is answered by what it stands for, also when the vault no longer
    // remembers the request.
    const order = orderTo(desk.collection)
    assert.equal((await desk.venue.transfers.send(order)).outcome, 'accepted')
    await desk.sandbox.control('POST', 'clock', { advance_ms: 25 * 3_600_000 })
    const again = await desk.venue.transfers.send(order)
    assert.ok(again.outcome === 'accepted' && again.report.state !== 'UNKNOWN', inspect(again))
    assert.equal((await ended(desk.venue, order)).state, 'SUCCESS')
    await desk.sandbox.fault('fireblocks', 'get_transaction_by_external_id', 'DOWN')
    assert.equal((await desk.venue.transfers.find(lookup(order))).lookup, 'unknown')
    await desk.sandbox.fault('fireblocks', 'get_external_address', 'DOWN')
    assert.equal((await desk.venue.transfers.send(orderTo(desk.collection))).outcome, 'unknown')
  })

  test('how it ends: without funds, rejected, blocked, cancelled, held, failed', async () => {
    const poor = orderTo(desk.collection, { quantity: decimal('1000') })
    assert.equal((await desk.venue.transfers.send(poor)).outcome, 'accepted')
    const { state, sub_state, fee } = await ended(desk.venue, poor)
    assert.deepEqual(
      { state, sub_state, fee },
      { state: 'FAILED', sub_state: 'FAILED/INSUFFICIENT_FUNDS', fee: null },
    )
    // With the clock standing still nothing is broadcast before the decision.
    await desk.sandbox.control('POST', 'clock', { pace: 0 })
    try {
      for (const [action, expected] of [
        ['hold', 'PENDING_REVIEW'],
        ['REJECTED', 'REJECTED'],
        ['BLOCKED', 'REJECTED'],
        ['CANCELLED', 'CANCELED'],
        ['FAILED', 'FAILED'],
      ] as const) {
        const order = orderTo(desk.collection)
        assert.equal((await desk.venue.transfers.send(order)).outcome, 'accepted')
        await desk.sandbox.control('POST', `fireblocks/transactions/${order.external_id}`, {
          action,
        })
        const found = await desk.venue.transfers.find(lookup(order))
        assert.ok(found.lookup === 'found' && found.report.state === expected, inspect(found))
      }
    } finally {
      await desk.sandbox.control('POST', 'clock', { pace: PACE })
    }
  })
})

function near(one: Decimal, other: Decimal, by: Decimal): boolean {
  return one - other <= by && other - one <= by
}
