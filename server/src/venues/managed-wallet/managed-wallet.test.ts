import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { inspect } from 'node:util'
import { decimal, format } from '../../core/decimal.ts'
import { ApiError } from '../../core/errors.ts'
import { until } from '../../core/testing.ts'
import { contractSuite } from '../contract-suite/contract-suite.testing.ts'
import { oddRecordsOf } from '../contract-suite/odd-records.testing.ts'
import { startSandbox } from '../sandbox-process.testing.ts'
import type { SandboxProcess } from '../sandbox-process.testing.ts'
import {
  ended,
  heldWallet,
  lookup,
  mempoolOf,
  openAt,
  openHasty,
  orderFrom,
  OUTSIDE,
  PACE,
  walletOrder,
} from './managed-wallet.testing.ts'
import type { Managed } from './managed-wallet.testing.ts'

contractSuite('managed wallets', async () => {
  const sandbox = await startSandbox()
  await sandbox.control('POST', 'clock', { pace: PACE })
  const { wallet_id, address } = await heldWallet(sandbox, 'BTC')
  return {
    venue: await openAt(sandbox),
    hasty: await openHasty(sandbox),
    down: () => sandbox.kill(),
    up: () => sandbox.restart(),
    close: () => sandbox.stop(),
    transfers: {
      good: () => orderFrom(wallet_id),
      refused: () => orderFrom('mw_nowhere'),
      losesAnswer: () => sandbox.fault('managed', 'create_withdrawal', 'TIMEOUT_AFTER_ACCEPT'),
      received: () => sandbox.received('managed', 'create_withdrawal'),
      arrive: async () => {
        await sandbox.control('POST', 'chain/send', {
          asset: 'BTC',
          quantity: '0.123',
          to_address: address,
        })
        return (movement) =>
          movement.quantity === decimal('0.123') &&
          movement.destination_address === address &&
          movement.wallet === wallet_id
      },
      oddRecords: oddRecordsOf(sandbox, 'managed', ['list_deposits', 'list_withdrawals']),
      surprises: { mempool: mempoolOf(sandbox, wallet_id) },
    },
    wallets: {
      good: () => walletOrder(),
      refused: () => walletOrder({ customer_id: 'nobody' }),
      losesAnswer: () => sandbox.fault('managed', 'create_wallet', 'TIMEOUT_AFTER_ACCEPT'),
      received: () => sandbox.received('managed', 'create_wallet'),
    },
  }
})

describe('managed wallets', () => {
  let sandbox: SandboxProcess
  let venue: Managed
  let hasty: Managed
  before(async () => {
    sandbox = await startSandbox()
    await sandbox.control('POST', 'clock', { pace: PACE })
    venue = await openAt(sandbox)
    hasty = await openHasty(sandbox)
  })
  beforeEach(() => sandbox.control('DELETE', 'faults'))
  after(async () => {
    await venue.close()
    await hasty.close()
    await sandbox.stop()
  })

  const total = async (wallet: string) =>
    (await venue.balances()).find((balance) => balance.wallet === wallet)?.total ?? 0n

  test("balances and protocols to the last digit; no levels, no fee of one's own", async () => {
    assert.deepEqual(
      (await venue.balances()).map((balance) => ({
        asset: balance.asset,
        total: format(balance.total ?? 0n),
        used: balance.used,
      })),
      [
        { asset: 'BTC', total: '2', used: 0n },
        { asset: 'ETH', total: '15', used: 0n },
        { asset: 'USDC', total: '10000', used: 0n },
        { asset: 'LTC', total: '30', used: 0n },
      ],
    )
    assert.deepEqual(
      (await venue.protocols()).flatMap((protocol) =>
        protocol.protocols.map((one) => [one.native, one.decimals, one.tag_required]),
      ),
      [
        ['BTC/BTC', 8, false],
        ['ETH/ETH', 18, false],
        ['USDC/ETH', 6, false],
        ['LTC/LTC', 8, false],
      ],
    )
    assert.deepEqual(venue.transfers.fields('BTC', 'BTC'), { from: [], to: [] })
    const { custom, speed_levels } = await venue.transfers.estimateFee(orderFrom('mw'))
    assert.ok(!custom && speed_levels.SLOW === speed_levels.FAST && speed_levels.SLOW > 0n)
    const { wallet_id } = await heldWallet(sandbox, 'BTC')
    assert.equal(
      (await venue.transfers.send(orderFrom(wallet_id, { speed_level: 'CUSTOM' }))).outcome,
      'refused',
    )
    assert.equal((await venue.transfers.send(orderFrom(null))).outcome, 'refused')
  })

  test('the books agree after transfers, the fee on top, also between own wallets', async () => {
    const { wallet_id } = await heldWallet(sandbox, 'ETH')
    const other = walletOrder({ asset: 'ETH', protocol: 'ETH' })
    await venue.wallets.create(other)
    const place = await until('the wallet is made', async () => {
      const found = await venue.wallets.find(other)
      return found.lookup === 'found' && found.report.state === 'ACTIVE' ? found.report : undefined
    })
    let left = await total(wallet_id)
    for (const destination_address of [OUTSIDE['ETH'] ?? '', place.address]) {
      const order = orderFrom(wallet_id, {
        asset: 'ETH',
        quantity: decimal('1.000000000000000123'),
        destination_address,
      })
      assert.equal((await venue.transfers.send(order)).outcome, 'accepted')
      const report = await ended(venue, order)
      assert.deepEqual(
        { state: report.state, sub_state: report.sub_state, fee_asset: report.fee_asset },
        { state: 'SUCCESS', sub_state: 'COMPLETED', fee_asset: 'ETH' },
      )
      left -= order.quantity + (report.fee ?? 0n)
      assert.equal(format(await total(wallet_id)), format(left))
    }
    await until(
      'the coins are there',
      async () => (await total(place.wallet)) === decimal('1.000000000000000123'),
    )
    const { movements } = await venue.transfers.incoming(null)
    assert.ok(
      movements.some((movement) => movement.wallet === place.wallet && movement.state === 'FINAL'),
    )
  })

  test('accepted is not done: what completes with an error has moved nothing', async () => {
    const { wallet_id } = await heldWallet(sandbox, 'BTC')
    const before = await total(wallet_id)
    const poor = orderFrom(wallet_id, { quantity: decimal('1000') })
    assert.equal((await venue.transfers.send(poor)).outcome, 'accepted')
    assert.deepEqual(
      await ended(venue, poor).then((transferReport) => [
        transferReport.state,
        transferReport.sub_state,
        transferReport.transaction_hash,
      ]),
      ['FAILED', 'COMPLETED/INSUFFICIENT_FUNDS', null],
    )
    await sandbox.fault('managed', 'broadcast', 'REFUSE')
    const failing = orderFrom(wallet_id)
    await venue.transfers.send(failing)
    assert.equal((await ended(venue, failing)).sub_state, 'COMPLETED/BROADCAST_FAILED')
    await sandbox.control('POST', 'clock', { pace: 0 })
    for (const [decision, state] of [
      ['COMPLIANCE_REJECTED', 'REJECTED'],
      ['CANCELLED', 'CANCELED'],
    ] as const) {
      const order = orderFrom(wallet_id)
      await venue.transfers.send(order)
      await sandbox.control('POST', `managed/requests/${order.external_id}`, { decision: 'hold' })
      const held = await venue.transfers.find(lookup(order))
      assert.ok(held.lookup === 'found' && held.report.state === 'PENDING_REVIEW')
      await sandbox.control('POST', `managed/requests/${order.external_id}`, { decision })
      assert.equal((await ended(venue, order)).state, state)
    }
    await sandbox.control('POST', 'clock', { pace: PACE })
    assert.equal(await total(wallet_id), before)
    await sandbox.fault('managed', 'provision', 'REFUSE')
    const order = walletOrder()
    assert.equal((await venue.wallets.create(order)).outcome, 'accepted')
    const report = await until('the wallet is not made', async () => {
      const found = await venue.wallets.find(order)
      return found.lookup === 'found' && found.report.state === 'FAILED' ? found.report : undefined
    })
    assert.match(report.reason, /^PROVISIONING_FAILED/)
  })

  test('what was dropped is UNKNOWN; sent again it is the same withdrawal', async () => {
    const { wallet_id } = await heldWallet(sandbox, 'BTC')
    await sandbox.fault('chain', 'confirm', 'REFUSE')
    const order = orderFrom(wallet_id)
    await venue.transfers.send(order)
    const dropped = await until('it is dropped', async () => {
      const found = await venue.transfers.find(lookup(order))
      return found.lookup === 'found' && found.report.state === 'UNKNOWN' ? found.report : undefined
    })
    assert.equal(dropped.sub_state, 'COMPLETED/DROPPED_BY_NETWORK')
    const movementNow = async () =>
      (await venue.transfers.outgoing?.(null))?.movements.find(
        (movement) => movement.external_id === order.external_id,
      )
    const undecided = await movementNow()
    assert.deepEqual([undecided?.state, undecided?.left], ['UNKNOWN', false])
    await sandbox.control('POST', `managed/requests/${order.external_id}`, { decision: 'boost' })
    const done = await until('it is sent again', async () => {
      const found = await venue.transfers.find(lookup(order))
      return found.lookup === 'found' && found.report.state === 'SUCCESS' ? found.report : undefined
    })
    assert.equal(done.foreign_id, dropped.foreign_id)
    assert.notEqual(done.transaction_hash, dropped.transaction_hash)
    const left = await movementNow()
    assert.deepEqual([left?.state, left?.transaction_hash], ['SUCCESS', done.transaction_hash])
  })

  test("what was withdrawn at the custodian's own desk is outgoing under one id", async () => {
    const { wallet_id } = await heldWallet(sandbox, 'BTC')
    const { cursor } = (await venue.transfers.outgoing?.(null)) ?? { cursor: null }
    const { request_id, reference } = await sandbox.control<{
      request_id: string
      reference: string
    }>('POST', 'managed/withdrawals', { wallet_id, amount: '0.0777', address: OUTSIDE['BTC'] })
    const left = await until('it has left', async () =>
      (await venue.transfers.outgoing?.(cursor))?.movements.find(
        (movement) => movement.state === 'SUCCESS',
      ),
    )
    assert.deepEqual(
      [
        left.foreign_id,
        left.external_id,
        left.left,
        left.wallet,
        format(left.quantity),
        left.destination_address,
        left.fee !== null && left.fee > 0n,
      ],
      [request_id, reference, true, wallet_id, '0.0777', OUTSIDE['BTC'], true],
    )
  })

  test('every fault of sending: nothing is sent twice, no refusal is a guess', async () => {
    const { wallet_id } = await heldWallet(sandbox, 'BTC')
    const cases = [
      ['REFUSE', 'refused', 'absent'],
      ['TIMEOUT_AFTER_ACCEPT', 'unknown', 'found'],
      ['LATE', 'unknown', 'found'],
      ['DOWN', 'unknown', 'absent'],
    ] as const
    for (const [kind, outcome, expected] of cases) {
      const order = orderFrom(wallet_id)
      const arrived = async () =>
        (
          await sandbox.control<{ received: unknown[] }>(
            'GET',
            `chain/addresses/${order.destination_address}`,
          )
        ).received.length
      const earlier = await arrived()
      await sandbox.fault('managed', 'create_withdrawal', kind, { delay_ms: 6_000 * PACE })
      const answer = await (expected === 'found' ? hasty : venue).transfers.send(order)
      assert.equal(answer.outcome, outcome, `${kind} ${inspect(answer)}`)
      assert.equal((await venue.transfers.find(lookup(order))).lookup, expected, kind)
      assert.equal((await venue.transfers.send(order)).outcome, 'accepted', kind)
      assert.equal((await ended(venue, order)).state, 'SUCCESS')
      assert.equal(await arrived(), earlier + 1, kind)
    }
    const order = orderFrom(wallet_id)
    await venue.transfers.send(order)
    const twin = await venue.transfers.send({ ...order, quantity: decimal('0.02') })
    assert.ok(
      twin.outcome === 'accepted' && (await venue.transfers.find(lookup(order))).lookup === 'found',
      'a used reference never sends something else',
    )
    assert.equal((await ended(venue, order)).state, 'SUCCESS')
  })

  test('a wrong secret is refused and reads nothing; lists told twice are the same', async () => {
    const stranger = await openAt(sandbox, { api_secret: '00' })
    await assert.rejects(
      stranger.balances(),
      (error) =>
        error instanceof ApiError &&
        error.kind === 'VenueUnreachable' &&
        /signature/.test(error.message),
    )
    assert.equal((await stranger.transfers.send(orderFrom('mw'))).outcome, 'unknown')
    await stranger.close()
    const { movements } = await venue.transfers.incoming(null)
    await sandbox.fault('managed', 'list_deposits', 'TWICE')
    const twice = await venue.transfers.incoming(null)
    assert.equal(
      new Set(twice.movements.map((movement) => movement.foreign_id)).size,
      new Set(movements.map((movement) => movement.foreign_id)).size,
    )
    for (const operation of ['list_wallets', 'list_deposits', 'list_assets', 'get_fees']) {
      await sandbox.fault('managed', operation, 'DOWN')
    }
    for (const read of [
      () => venue.balances(),
      () => venue.transfers.incoming(null),
      () => venue.protocols(),
      () => venue.transfers.estimateFee(orderFrom('mw')),
    ]) {
      await assert.rejects(
        read(),
        (error) => error instanceof ApiError && error.kind === 'VenueUnreachable',
      )
    }
  })
})
