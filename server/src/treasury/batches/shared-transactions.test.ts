import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { decimal, format } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import { refusalOf } from '../../http/testing.ts'
import { sql } from '../../store/sql.ts'
import { feeParts } from '../bookings.ts'
import { departure, movement, OTHER_BTC_ADDRESS } from '../testing/venue.fixture.ts'
import type { Withdrawal } from '../withdrawals/withdrawals.schema.ts'
import type { BatchRequest } from './batches.schema.ts'
import type { Item } from './batches.testing.ts'
import {
  BOBS,
  BOBS_OTHER,
  CAROLS,
  first,
  openSharedTransactions,
} from './shared-transactions.testing.ts'
import type { Payers } from './shared-transactions.testing.ts'

it('the parts of a fee are its sum, whatever the quantities', () => {
  for (const [fee, quantities, parts] of [
    ['0.0001', ['1', '1', '1'], ['0.00003334', '0.00003333', '0.00003333']],
    ['0.00000001', ['1', '2'], ['0.00000001', '0']],
    ['0', ['1', '2'], ['0', '0']],
    ['0.000012345678', ['0.5', '0.25', '0.25'], ['0.000006185678', '0.00000308', '0.00000308']],
    ['7', ['3'], ['7']],
  ] as const)
    assert.deepEqual(feeParts(decimal(fee), quantities.map(decimal), 8).map(format), parts)
})

describe('withdrawals that share a transaction', () => {
  let shared: Awaited<ReturnType<typeof openSharedTransactions>>
  let payers: Payers
  before(async () => {
    shared = await openSharedTransactions()
  })
  beforeEach(async () => {
    payers = await shared.newPayers()
  })
  after(() => shared.place.close())

  describe('pay several destinations', () => {
    let requests: BatchRequest[]
    let rows: Withdrawal[]
    let paid: Payers
    const destinations = [BOBS, BOBS_OTHER, CAROLS, OTHER_BTC_ADDRESS]

    it('by one request, and one withdrawal for each', async () => {
      const { place, prepared, submit } = shared
      const { bob, carol } = payers
      requests = await prepared(payers.four())
      assert.deepEqual(
        requests.map(({ bundled, quantity, destination_wallet_id, fee_estimate, stakes }) => ({
          bundled,
          quantity,
          destination_wallet_id,
          fee_estimate,
          payments: stakes.map((stake) => `${stake.quantity} ${stake.destination}`),
        })),
        [
          {
            bundled: true,
            quantity: '1',
            destination_wallet_id: null,
            fee_estimate: '0.0002',
            payments: [
              `0.5 ${BOBS}`,
              `0.25 ${BOBS_OTHER}`,
              `0.125 ${CAROLS}`,
              `0.125 ${OTHER_BTC_ADDRESS}`,
            ],
          },
        ],
      )
      assert.deepEqual(await payers.balances(), ['3/0.75', '3/0.125'])
      const answer = await submit(requests)
      assert.equal(answer.status, 200, answer.text)
      rows = answer.data
      assert.deepEqual(
        rows.map(({ quantity, account_id, note, fee_estimate }) => ({
          quantity,
          account_id,
          note,
          fee_estimate,
        })),
        [
          { quantity: '0.5', account_id: bob.account_id, note: 'first', fee_estimate: '0.0001' },
          { quantity: '0.25', account_id: bob.account_id, note: null, fee_estimate: '0.00005' },
          { quantity: '0.125', account_id: carol.account_id, note: null, fee_estimate: '0.000025' },
          { quantity: '0.125', account_id: null, note: null, fee_estimate: '0.000025' },
        ],
      )
      assert.deepEqual(
        rows.map((row) => row.destination_address),
        destinations,
      )
      for (const row of rows)
        assert.deepEqual(
          { state: row.state, stakes: row.stakes?.length, external_id: row.external_id },
          { state: 'PENDING', stakes: 1, external_id: first(rows).id },
        )
      assert.equal(new Set(rows.map((row) => row.id)).size, 4)
      assert.deepEqual((await submit(requests)).data, rows)
      assert.deepEqual(await payers.balances(), ['3/0.75', '3/0.125'])
      await place.work()
      paid = payers
    })

    it('in one order to the venue', () => {
      const orders = shared.sends(rows)
      assert.equal(orders.length, 1)
      const { quantity, destination_address, further_outputs = [] } = first(orders)
      assert.deepEqual(
        [{ quantity, destination_address }, ...further_outputs].map((output) => ({
          quantity: format(output.quantity),
          to: output.destination_address,
        })),
        ['0.5', '0.25', '0.125', '0.125'].map((amount, index) => ({
          quantity: amount,
          to: destinations[index],
        })),
      )
    })

    it('and end together, each with its part of the fee', async () => {
      const { all, place } = shared
      place.models.vault.finish(first(rows).external_id, {
        fee: decimal('0.0003'),
        fee_asset: 'BTC',
        transaction_hash: 'many',
      })
      // What the venue lists as left is recognised by our reference, output by output.
      place.vault.outgoing = rows.map((row, output) =>
        departure(`many:${output}`, 'BTC', row.quantity, {
          external_id: row.external_id,
          wallet: '0',
          transaction_hash: 'many',
        }),
      )
      // Another output of the same transaction reaches the same wallet: only the one of the right
      // quantity is the transfer.
      const output = (id: string, quantity: string, output_index: number) =>
        movement(id, 'BTC', quantity, {
          transaction_hash: 'many',
          output_index,
          destination_address: OTHER_BTC_ADDRESS,
        })
      place.arrives(place.exchange, output('a', '0.07', 5), output('b', '0.125', 2))
      await place.later(60_000)
      const done = await all(rows)
      assert.deepEqual(
        done.map(({ state, fee, transaction_hash }) => ({ state, fee, transaction_hash })),
        ['0.00015', '0.000075', '0.0000375', '0.0000375'].map((fee) => ({
          state: 'SUCCESS',
          fee,
          transaction_hash: 'many',
        })),
      )
      assert.equal(new Set(done.map((row) => row.foreign_id)).size, 1)
    })

    it('and are booked one by one; our own arrival is known by its output', async () => {
      const { count, place, submit } = shared
      const [one, , , own] = rows as [Withdrawal, Withdrawal, Withdrawal, Withdrawal]
      assert.deepEqual(await place.bookings(one.id), [
        'WITHDRAWAL BTC D Bob 0.5, C vault 0.5',
        'WITHDRAWAL_FEE BTC D fee 0.00015, C vault 0.00015',
      ])
      assert.deepEqual(await place.bookings(own.id), [
        'TRANSFER BTC D transit 0.125, C vault 0.125',
        'WITHDRAWAL_FEE BTC D fee 0.0000375, C vault 0.0000375',
      ])
      const arrived = await place.db.query(sql`
        select quantity, state, related_withdrawal_id, output_index
        from deposits
        where transaction_hash = 'many'
        order by quantity`)
      assert.deepEqual(arrived, [
        { quantity: '0.07', state: 'UNASSIGNED', related_withdrawal_id: null, output_index: 5 },
        { quantity: '0.125', state: 'SUCCESSFUL', related_withdrawal_id: own.id, output_index: 2 },
      ])
      assert.equal(await count(sql`origin = 'EXTERNAL'`), 0)
      assert.deepEqual(await place.events(own.id), [
        'withdrawal.created',
        'withdrawal.submitted',
        'withdrawal.succeeded',
      ])
      assert.deepEqual(await paid.balances(), ['2.25/0', '2.875/0'])
      assert.deepEqual(await place.verify(), [])
      assert.deepEqual(
        (await submit(requests)).data.map(({ id, state }) => ({ id, state })),
        rows.map(({ id }) => ({ id, state: 'SUCCESS' })),
      )
    })
  })

  it('keeps apart what cannot share: other speed, same address, single-payment venue', async () => {
    const { prepared, routes, sharing } = shared
    const shown = async (items: Item[]) =>
      (await prepared(items)).map((row) => row.stakes.map((stake) => stake.quantity).join(' + '))
    const items: Item[] = [
      { route_id: routes.bob, quantity: '0.1' },
      { route_id: routes.carol, quantity: '0.2' },
      { route_id: routes.bobToo, quantity: '0.3', speed_level: 'FAST' },
      { route_id: routes.bob, quantity: '0.4' },
    ]
    assert.deepEqual(await shown(items), ['0.1 + 0.4 + 0.2', '0.3'])
    const own: Item[] = [
      { route_id: routes.bob, quantity: '0.1' },
      { route_id: routes.exchange, quantity: '0.2' },
      { route_id: routes.exchange, quantity: '0.3', account_id: payers.bob.account_id },
      { route_id: routes.exchange, quantity: '0.05', third_party: true },
      { route_id: routes.carol, quantity: '0.4' },
    ]
    assert.deepEqual(await shown(own), ['0.1 + 0.2 + 0.3 + 0.4', '0.05'])
    sharing.group = null
    assert.deepEqual(await shown(items), ['0.1 + 0.4', '0.2', '0.3'])
  })

  describe('are submitted', () => {
    let request: BatchRequest
    let made: Withdrawal[]
    beforeEach(async () => {
      ;[request] = (await shared.prepared(payers.four())) as [BatchRequest]
    })

    it('unchanged only, and each destination must still qualify', async () => {
      const { place, routes, sharing, submit } = shared
      const [one, ...others] = request.stakes
      for (const change of [
        { stakes: others },
        { stakes: [...others, one] },
        { stakes: [{ ...one, destination: CAROLS }, ...others] },
        { destination_wallet_id: newId() },
        { bundled: false },
      ])
        assert.equal(
          refusalOf(await submit([{ ...request, ...change }])),
          '400 3001 CONFLICT withdrawals[0]',
        )
      const setAllowed = (state: string) =>
        place.db.query(sql`
          update treasury_routes
          set allowlist_state = ${state}
          where id = ${routes.carol}`)
      await setAllowed('REMOVED')
      assert.equal(
        refusalOf(await submit([request])),
        '400 3001 NOT_ALLOWLISTED withdrawals[0].route_id',
      )
      await setAllowed('APPROVED')
      sharing.group = 'another'
      assert.equal(refusalOf(await submit([request])), '400 3001 CONFLICT withdrawals[0].route_id')
    })

    it('once, however many ask at the same time', async () => {
      const { count, submit } = shared
      const headers = { 'idempotency-key': newId() }
      const answers = await Promise.all([
        submit([request]),
        submit([request]),
        submit([request], { headers }),
        submit([request], { headers }),
      ])
      made = answers.find((answer) => answer.status === 200)?.data ?? []
      const ids = made.map((row) => row.id)
      for (const answer of answers)
        if (answer.status === 200)
          assert.deepEqual(
            answer.data.map((row) => row.id),
            ids,
          )
        else assert.equal(answer.error_code, 4092, answer.text)
      assert.equal(await count(sql`external_id = ${first(made).external_id}`), 4)
      await cancelAll()
    })

    /** Nothing is left to do. */
    async function cancelAll(): Promise<void> {
      const { act, place, sends } = shared
      for (const row of made) assert.equal((await act(row.id, 'cancel')).status, 200)
      await place.work()
      const tasks = await place.db.query(sql`
        select 1
        from tasks
        where subject_id = ${first(made).id}`)
      assert.deepEqual(
        { sends: sends(made), tasks, faults: await place.verify() },
        { sends: [], tasks: [], faults: [] },
      )
      assert.deepEqual(await payers.balances(), ['3/0', '3/0'])
    }
  })
})
