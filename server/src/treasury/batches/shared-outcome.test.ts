import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { decimal } from '../../core/decimal.ts'
import { refusalOf } from '../../http/testing.ts'
import type { BatchRequest } from './batches.schema.ts'
import { BOBS_OTHER, first, openSharedTransactions } from './shared-transactions.testing.ts'
import type { Payers } from './shared-transactions.testing.ts'

describe('the outcome of a shared transaction', () => {
  let shared: Awaited<ReturnType<typeof openSharedTransactions>>
  let payers: Payers
  before(async () => {
    shared = await openSharedTransactions()
  })
  beforeEach(async () => {
    payers = await shared.newPayers()
  })
  after(() => shared.place.close())

  it('succeeds or fails whole: refused, failed, found, lost and sent again', async () => {
    const { act, place, sends, states, submitted } = shared
    for (const [mode, ends] of [
      ['refuse', 'REJECTED'],
      ['accept', 'FAILED'],
      ['late', 'SUCCESS'],
      ['lost', 'SUCCESS'],
    ] as const) {
      place.models.vault.mode = mode
      const rows = await submitted(payers.four().slice(0, 3))
      await place.work()
      if (mode === 'late' || mode === 'lost') {
        assert.deepEqual(await states(rows), ['UNKNOWN', 'UNKNOWN', 'UNKNOWN'])
        assert.equal((await act(rows[1]?.id ?? '', 'cancel')).status, 400)
      }
      place.models.vault.mode = 'accept'
      if (mode === 'lost') await place.later(60_000)
      if (mode !== 'refuse')
        place.models.vault.finish(first(rows).external_id, {
          state: ends === 'FAILED' ? 'FAILED' : 'SUCCESS',
          fee: ends === 'FAILED' ? null : decimal('0.0001'),
          fee_asset: 'BTC',
          transaction_hash: `as a whole ${mode}`,
        })
      if (mode === 'late') {
        const asked = await act(rows[2]?.id ?? '', 'recheck')
        assert.equal(asked.data?.state, 'SUCCESS', asked.text)
      } else await place.later(60_000)
      assert.deepEqual(
        [mode, await states(rows), sends(rows).length],
        [mode, [ends, ends, ends], mode === 'lost' ? 2 : 1],
      )
    }
    assert.deepEqual([await payers.balances(), await place.verify()], [['1.5/0', '2.75/0'], []])
  })

  it('leaves out one that is canceled before it leaves; the others go', async () => {
    const { act, all, late, listed, place, sends, submitted } = shared
    const rows = await submitted(payers.four())
    assert.equal((await act(first(rows).id, 'cancel')).data.state, 'CANCELED')
    await place.work()
    const [order] = sends(rows)
    assert.deepEqual(
      [
        sends(rows).length,
        order?.external_id,
        order?.destination_address,
        order?.further_outputs?.length,
        order?.fee,
      ],
      [1, first(rows).id, BOBS_OTHER, 2, decimal('0.0001')],
    )
    place.models.vault.finish(first(rows).external_id, { fee: decimal('0.0001'), fee_asset: 'BTC' })
    await place.later(60_000)
    assert.deepEqual(
      (await all(rows)).map((row) => [row.state, row.fee]),
      [
        ['CANCELED', null],
        ['SUCCESS', '0.00005'],
        ['SUCCESS', '0.000025'],
        ['SUCCESS', '0.000025'],
      ],
    )
    // What the venue lists of it is what was sent, not what was canceled; the fee that it tells in
    // the end is that of those that left.
    await listed(rows.slice(1), { fee: decimal('0.0002'), fee_asset: 'BTC' })
    assert.deepEqual(
      (await all(rows)).map((row) => [row.state, row.fee]),
      [
        ['CANCELED', null],
        ['SUCCESS', '0.0001'],
        ['SUCCESS', '0.00005'],
        ['SUCCESS', '0.00005'],
      ],
    )
    assert.deepEqual(
      [await late(rows), await payers.balances(), await place.verify()],
      [[], ['2.75/0', '2.875/0'], []],
    )
  })

  it('tells a canceled one from its like, and books what left late to each owner', async () => {
    const { act, late, listed, place, routes, states, submitted } = shared
    const items = [
      { route_id: routes.bob, quantity: '0.125', account_id: payers.bob.account_id },
      { route_id: routes.bobToo, quantity: '0.125', account_id: payers.bob.account_id },
      { route_id: routes.carol, quantity: '0.125', account_id: payers.carol.account_id },
    ]
    const rows = await submitted(items)
    await act(first(rows).id, 'cancel')
    await place.work()
    place.models.vault.finish(first(rows).external_id, { state: 'FAILED' })
    await place.later(60_000)
    assert.deepEqual(
      [await states(rows), await payers.balances()],
      [
        ['CANCELED', 'FAILED', 'FAILED'],
        ['3/0', '3/0'],
      ],
    )
    await listed(rows.slice(1), { fee: 0n, fee_asset: 'BTC' })
    assert.deepEqual(
      [await late(rows), await payers.balances(), await place.verify()],
      [[rows[1]?.id, rows[2]?.id], ['2.875/0', '2.875/0'], []],
    )
  })

  it('is resolved once for all of it, with one fee', async () => {
    const { act, all, place, read, sends, submitted } = shared
    place.models.vault.mode = 'lost'
    place.models.vault.down = true
    const rows = await submitted(payers.four())
    await place.work()
    place.models.vault.mode = 'accept'
    const other = rows[2]?.id ?? ''
    const told = await act(other, 'resolve', {
      state: 'SUCCESS',
      evidence: 'the explorer',
      transaction_hash: 'seen',
      foreign_id: 'V-seen',
      fee: '0.0004',
    })
    assert.deepEqual(
      [told.status, told.data.fee, told.data.state],
      [200, '0.00005', 'SUCCESS'],
      told.text,
    )
    assert.deepEqual(
      (await all(rows)).map((row) => [row.state, row.fee, row.foreign_id, row.evidence]),
      ['0.0002', '0.0001', '0.00005', '0.00005'].map((fee) => [
        'SUCCESS',
        fee,
        'V-seen',
        'the explorer',
      ]),
    )
    assert.deepEqual(await read(other), told.data)
    assert.equal(
      refusalOf(await act(other, 'resolve', { state: 'FAILED', evidence: 'no' })),
      '400 3001 STATE_NOT_ALLOWED ',
    )
    place.models.vault.down = false
    await place.later(120_000)
    assert.deepEqual(
      [sends(rows).length, await payers.balances(), await place.verify()],
      [1, ['2.25/0', '2.875/0'], []],
    )
  })

  it('divides the fee exactly; a frozen account keeps the whole transaction back', async () => {
    const { all, place, prepared, sends, setFrozen, submit } = shared
    await place.settings({ fee_borne_by: 'CUSTOMER' })
    const items = payers.four().slice(0, 3)
    const [request] = (await prepared(items)) as [BatchRequest]
    const blocked = await payers.balances()
    assert.deepEqual(blocked, ['3/0.75017143', '3/0.12502857'])
    const rows = (await submit([request])).data
    assert.deepEqual(await payers.balances(), blocked)
    await setFrozen(payers.carol.account_id, true)
    await place.work()
    assert.deepEqual(
      [sends(rows).length, (await all(rows)).map((row) => row.reason_code)],
      [0, ['FROZEN', 'FROZEN', 'FROZEN']],
    )
    await setFrozen(payers.carol.account_id, false)
    await place.later(2_000)
    assert.equal(sends(rows).length, 1)
    place.models.vault.finish(first(rows).external_id, { fee: decimal('0.0001'), fee_asset: 'BTC' })
    await place.later(60_000)
    assert.deepEqual(
      (await all(rows)).map((row) => row.fee),
      ['0.00005715', '0.00002857', '0.00001428'],
    )
    assert.deepEqual(await payers.balances(), ['2.24991428/0', '2.87498572/0'])
    await place.settings({ fee_borne_by: 'HOUSE' })
    assert.deepEqual(await place.verify(), [])
  })
})
