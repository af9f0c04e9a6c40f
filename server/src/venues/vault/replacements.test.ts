/** Stuck transfers of the vault: what takes their place, and what becomes of them. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decimal, format } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import { until } from '../../core/testing.ts'
import type { Outgoing, TransferOrder, TransferReport } from '../contract.ts'
import { lookup, orderTo, PACE, VaultDesk } from './vault.testing.ts'

type Made = { id: string; tx_hash: string }

describe('stuck transfers of the vault', () => {
  const desk = new VaultDesk()

  const found = async (order: TransferOrder, foreign_id: string | null = null) => {
    const answer = await desk.venue.transfers.find({ ...lookup(order), foreign_id })
    assert.ok(answer.lookup === 'found')
    return answer.report
  }
  const untilFound = (
    what: string,
    order: TransferOrder,
    is: (report: TransferReport) => boolean,
  ): Promise<TransferReport> =>
    until(what, async () => {
      const report = await found(order)
      return is(report) ? report : undefined
    })
  /** In the mempool for an hour of the sandbox's time. */
  const stuck = async (asset: string, order = orderTo(desk.collection, { asset })) => {
    await desk.sandbox.fault('chain', 'confirm', 'LATE', { remaining: 1, delay_ms: 3_600_000 })
    assert.equal((await desk.venue.transfers.send(order)).outcome, 'accepted')
    const report = await untilFound('it is stuck', order, (one) => one.sub_state.startsWith('CONF'))
    await until('the fault is used', async () => {
      const faults = await desk.sandbox.control<unknown[]>('GET', 'faults')
      return faults.length === 0
    })
    return { order, report, hash: report.transaction_hash ?? '' }
  }
  const act = (id: string, what: string, body: object = {}) =>
    desk.sandbox.control<Made>('POST', `fireblocks/transactions/${id}${what}`, body)
  const movementsOf = async (order: TransferOrder): Promise<Outgoing[]> =>
    (await desk.venue.transfers.outgoing?.(null))?.movements.filter(
      (movement) => movement.external_id === order.external_id,
    ) ?? []

  test('a boost is the same transfer, before and after the first one has failed', async () => {
    const { order, report, hash } = await stuck('ETH')
    const { id } = await act(order.external_id, '/boost')
    const inMempool = await until('the boost is read', async () => {
      const [movement, ...more] = await movementsOf(order)
      assert.deepEqual(more, [], 'one movement')
      return movement?.foreign_id === id ? movement : undefined
    })
    assert.deepEqual(inMempool.former, [{ foreign_id: report.foreign_id, transaction_hash: hash }])
    const done = await untilFound('it ends', order, (one) => one.state === 'SUCCESS')
    assert.deepEqual(
      { id: done.foreign_id, former: done.former },
      { id, former: [{ foreign_id: report.foreign_id, transaction_hash: hash }] },
    )
    assert.notEqual(done.transaction_hash, hash)
    assert.ok((done.fee ?? 0n) > (report.fee ?? 0n), 'the fee is that of the one that confirmed')
    assert.equal((await found(order, id)).transaction_hash, done.transaction_hash)
    const movements = await movementsOf(order)
    assert.deepEqual(
      movements.map((one) => [one.state, one.foreign_id, format(one.quantity), one.fee]),
      [['SUCCESS', id, format(order.quantity), done.fee]],
    )
  })

  test('what failed after it was sent is UNKNOWN until its nonce is spent', async () => {
    const { order, hash } = await stuck('ETH')
    await desk.sandbox.control('POST', 'chain/drop', { transaction_hash: hash })
    const open = await untilFound('it is dropped', order, (one) => one.sub_state.startsWith('FAIL'))
    assert.deepEqual([open.state, open.fee], ['UNKNOWN', null])
    const other = orderTo(desk.collection, { asset: 'ETH' })
    await desk.venue.transfers.send(other)
    const ended = await untilFound('another payment has its nonce', order, (one) => {
      assert.match(one.state, /UNKNOWN|FAILED/)
      return one.state === 'FAILED'
    })
    assert.deepEqual([ended.transaction_hash, ended.fee], [hash, null])
    assert.equal((await found(other)).state, 'SUCCESS')
  })

  test('a boost that pays something else is a payment of its own', async () => {
    const { order, hash } = await stuck('ETH')
    const { id } = await act(order.external_id, '/boost', { amount: '0.02' })
    const ended = await untilFound('its nonce is spent', order, (one) => one.state === 'FAILED')
    assert.deepEqual([ended.transaction_hash, ended.former], [hash, []])
    const all = (await desk.venue.transfers.outgoing?.(null))?.movements ?? []
    const own = all.find((movement) => movement.foreign_id === id)
    assert.deepEqual(
      [own?.state, own?.external_id, format(own?.quantity ?? 0n)],
      ['SUCCESS', null, '0.02'],
    )
  })

  test('a boost is boosted and dropped; the payment of nothing ends it as CANCELED', async () => {
    const { order, hash } = await stuck('ETH')
    await desk.sandbox.fault('chain', 'confirm', 'LATE', { remaining: 1, delay_ms: 3_600_000 })
    const boost = await act(order.external_id, '/boost')
    const [replaced] = await until('the boost is in the mempool', async () => {
      const movements = await movementsOf(order)
      return movements[0]?.foreign_id === boost.id ? movements : undefined
    })
    await until('the fault is used', async () => {
      const faults = await desk.sandbox.control<unknown[]>('GET', 'faults')
      return faults.length === 0
    })
    const drop = await act(boost.id, '/drop')
    const ended = await untilFound('it ends', order, (one) => one.state === 'CANCELED')
    assert.deepEqual(
      [ended.foreign_id, ended.former?.map((one) => one.transaction_hash)],
      [drop.id, [hash, replaced?.transaction_hash]],
    )
    assert.ok((ended.fee ?? 0n) > 0n)
    const movements = await movementsOf(order)
    assert.deepEqual(
      movements.map((one) => [one.state, one.left, format(one.quantity), one.fee]),
      [['CANCELED', false, format(order.quantity), ended.fee]],
    )
  })

  /** Of 12.5 tokens to a stranger. */
  const tokenOrder = async () => {
    const { destination_address, transfer } = orderTo(desk.collection, { asset: 'ETH' })
    const token = { asset: 'USDC', protocol: 'ETH', destination_address, tag: null, transfer }
    if ((await desk.venue.allowlist.state(token)) === null)
      await desk.venue.allowlist.allow({ label: 'Tokens', external_id: newId(), ...token })
    await until(
      'it is approved',
      async () => (await desk.venue.allowlist.state(token)) === 'APPROVED',
    )
    return orderTo(desk.collection, { ...token, quantity: decimal('12.5') })
  }

  test('a boost of a token is the same transfer, and its fee is in ETH', async () => {
    const { order, report, hash } = await stuck('USDC', await tokenOrder())
    const { id } = await act(order.external_id, '/boost')
    const done = await untilFound('it ends', order, (one) => one.state === 'SUCCESS')
    assert.deepEqual(
      [done.foreign_id, done.former, done.fee_asset],
      [id, [{ foreign_id: report.foreign_id, transaction_hash: hash }], 'ETH'],
    )
    assert.ok((done.fee ?? 0n) > (report.fee ?? 0n))
    assert.deepEqual(
      (await movementsOf(order)).map((one) => [one.state, one.asset, format(one.quantity)]),
      [['SUCCESS', 'USDC', '12.5']],
    )
  })

  test('a payment of nothing in ETH ends a token as CANCELED, at a fee in ETH', async () => {
    const { order, hash } = await stuck('USDC', await tokenOrder())
    const { incoming } = desk.venue.transfers
    const before = await Promise.all(['USDC', 'ETH'].map((asset) => desk.total(asset)))
    const first = (await found(order)).fee ?? 0n
    const drop = await act(order.external_id, '/drop')
    const ended = await untilFound('it ends', order, (one) => one.state === 'CANCELED')
    assert.deepEqual(
      [ended.foreign_id, ended.fee_asset, ended.former?.map((one) => one.transaction_hash)],
      [drop.id, 'ETH', [hash]],
    )
    assert.deepEqual(await Promise.all(['USDC', 'ETH'].map((asset) => desk.total(asset))), [
      (before[0] ?? 0n) + order.quantity,
      (before[1] ?? 0n) + first - (ended.fee ?? 0n),
    ])
    assert.deepEqual(
      (await movementsOf(order)).map((one) => [one.state, one.asset, one.left, one.fee_asset]),
      [['CANCELED', 'USDC', false, 'ETH']],
    )
    const { movements } = await incoming(null)
    assert.ok(movements.every((movement) => !movement.foreign_id.startsWith(drop.id)))
  })

  test('a boost of bitcoin is charged for its parent, and is no movement of its own', async () => {
    const { order, report } = await stuck('BTC')
    const child = await act(order.external_id, '/boost')
    await untilFound('the parent confirms', order, (one) => one.state === 'SUCCESS')
    const charge = await until('the child is charged', async () =>
      (await movementsOf(order)).find((movement) => movement.kind === 'CHARGE'),
    )
    assert.deepEqual([charge.foreign_id, charge.state, charge.fee], [child.id, 'SUCCESS', null])
    const { movements } = await desk.venue.transfers.incoming(null)
    assert.ok(movements.every((movement) => !movement.foreign_id.startsWith(child.id)))
    const transfer = (await movementsOf(order)).find(({ kind }) => kind === 'TRANSFER')
    assert.deepEqual([transfer?.foreign_id, transfer?.fee], [report.foreign_id, report.fee])
  })

  test('what the exchange did not take has left, and is no success', async () => {
    const order = orderTo(desk.collection)
    await desk.sandbox.control('POST', 'clock', { pace: 0 })
    await desk.venue.transfers.send(order)
    await act(order.external_id, '', { action: '3RD_PARTY_FAILED' })
    await desk.sandbox.control('POST', 'clock', { pace: PACE })
    const report = await untilFound('it completes', order, (one) =>
      one.sub_state.startsWith('COMPLETED'),
    )
    assert.deepEqual([report.state, report.not_credited], ['UNKNOWN', true])
    const [movement] = await movementsOf(order)
    assert.deepEqual(
      [movement?.state, movement?.left, movement?.not_credited],
      ['UNKNOWN', true, true],
    )
  })

  test('a reading goes on, whatever is undecided before it', async () => {
    const { order, hash } = await stuck('ETH')
    await desk.sandbox.control('POST', 'chain/drop', { transaction_hash: hash })
    await untilFound('it is dropped', order, (one) => one.state === 'UNKNOWN')
    await desk.sandbox.control('POST', 'clock', { advance_ms: 3_600_000 })
    const later = orderTo(desk.collection, { asset: 'XRP' })
    await desk.venue.transfers.send(later)
    await untilFound('it ends', later, (one) => one.state === 'SUCCESS')
    const { cursor = null } = (await desk.venue.transfers.outgoing?.(null)) ?? {}
    const { movements = [] } = (await desk.venue.transfers.outgoing?.(cursor)) ?? {}
    const read = movements.map((movement) => movement.external_id)
    assert.deepEqual(
      [read.includes(later.external_id), read.includes(order.external_id)],
      [true, false],
    )
  })
})
