import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import type { Customer } from '../../customers/index.ts'
import { refusalOf } from '../../http/testing.ts'
import { sql } from '../../store/sql.ts'
import type { WithdrawalAssignment } from '../assignments/assignments.schema.ts'
import { CUSTOMERS_ADDRESS } from '../testing/movements.testing.ts'
import type { Withdrawal } from './withdrawals.schema.ts'
import { openWithdrawals } from './withdrawals.testing.ts'

describe('withdrawals', () => {
  let withdrawals: Awaited<ReturnType<typeof openWithdrawals>>
  before(async () => {
    withdrawals = await openWithdrawals()
  })
  after(() => withdrawals.place.close())

  const setAllowlistState = (route_id: string, state: string) =>
    withdrawals.place.db.query(sql`
      update treasury_routes
      set allowlist_state = ${state}
      where id = ${route_id}`)

  describe('of a customer to their own address', () => {
    let bob: Customer
    let made: Withdrawal

    it('blocks what is requested', async () => {
      const { assignments, funded, place, request, routes } = withdrawals
      bob = await funded()
      const answer = await request(routes.payout, {
        account: bob.account_id,
        quantity: '1.5',
        note: 'for Bob',
      })
      assert.equal(answer.status, 200, answer.text)
      made = answer.data
      assert.partialDeepStrictEqual(made, {
        state: 'PENDING',
        account_id: bob.account_id,
        fee_estimate: '0.0002',
        fee: null,
        origin: 'MANUAL',
        destination_address: CUSTOMERS_ADDRESS,
      })
      assert.equal(await place.balance(bob.account_id, 'BTC'), '3/1.5')
      assert.deepEqual(
        (await assignments(made.id)).map(({ status, source, quantity, booked_at }) => ({
          status,
          source,
          quantity,
          booked_at,
        })),
        [{ status: 'PENDING', source: 'ROUTE', quantity: '1.5', booked_at: null }],
      )
    })

    it('is sent, and followed to its success', async () => {
      const { models, place, read } = withdrawals
      await place.work()
      const sent = await read(made.id)
      assert.partialDeepStrictEqual(sent, {
        state: 'PENDING',
        sub_state: 'SUBMITTED',
        submitted_at: place.clock.now(),
      })
      assert.match(sent.foreign_id ?? '', /^venue-/)
      models.vault.finish(sent.external_id, {
        fee: 150_000_000_000_000n,
        fee_asset: 'BTC',
        transaction_hash: 'aa',
        confirmations: 3,
      })
      await place.later(1000)
      const done = await read(made.id)
      assert.partialDeepStrictEqual(done, {
        state: 'SUCCESS',
        fee: '0.00015',
        transaction_hash: 'aa',
        confirmations: 3,
        completed_at: place.clock.now(),
      })
    })

    it('is sent once, and booked to its account', async () => {
      const { assignments, models, place, sends } = withdrawals
      assert.equal(await place.balance(bob.account_id, 'BTC'), '1.5/0')
      assert.deepEqual(await place.bookings(made.id), [
        'WITHDRAWAL BTC D Bob 1.5, C vault 1.5',
        'WITHDRAWAL_FEE BTC D fee 0.00015, C vault 0.00015',
      ])
      const [assignment] = await assignments(made.id)
      assert.partialDeepStrictEqual(assignment, {
        status: 'SUCCESSFUL',
        booked_at: place.clock.now(),
      })
      assert.deepEqual(
        (
          await place.call<WithdrawalAssignment[]>(
            'GET',
            `/treasury/account/${bob.account_id}/withdrawals/assignments`,
          )
        ).data,
        [assignment],
      )
      assert.equal(sends(models.vault, made), 1)
      assert.deepEqual(await place.events(made.id), [
        'withdrawal.created',
        'withdrawal.submitted',
        'withdrawal.succeeded',
      ])
      assert.deepEqual(await place.verify(), [])
    })
  })

  it('stays blocked while the venue holds it for review, and goes on with its word', async () => {
    const { funded, models, place, read, request, routes } = withdrawals
    const bob = await funded()
    const held = async (end: object) => {
      const { data } = await request(routes.payout, { account_id: bob.account_id })
      await place.work()
      models.vault.finish(data.external_id, {
        state: 'PENDING_REVIEW',
        sub_state: 'PENDING_AUTHORIZATION',
      })
      await place.later(1000)
      const review = await read(data.id)
      assert.deepEqual(
        {
          state: review.state,
          sub_state: review.sub_state,
          refusalOf: refusalOf(
            await place.call('POST', `/treasury/withdrawals/${data.id}/cancel`, {}),
          ),
        },
        {
          state: 'PENDING_REVIEW',
          sub_state: 'PENDING_AUTHORIZATION',
          refusalOf: '400 3001 STATE_NOT_ALLOWED ',
        },
      )
      assert.match(await place.balance(bob.account_id, 'BTC'), /\/1$/)
      models.vault.finish(data.external_id, end)
      await place.later(5000)
      return [
        (await read(data.id)).state,
        await place.balance(bob.account_id, 'BTC'),
        (await place.events(data.id)).slice(1),
      ]
    }
    assert.deepEqual(await held({ state: 'REJECTED', sub_state: 'REJECTED_BY_USER' }), [
      'REJECTED',
      '3/0',
      ['withdrawal.submitted', 'withdrawal.review_started', 'withdrawal.rejected'],
    ])
    assert.deepEqual(await held({ fee: 0n, fee_asset: 'BTC' }), [
      'SUCCESS',
      '2/0',
      ['withdrawal.submitted', 'withdrawal.review_started', 'withdrawal.succeeded'],
    ])
  })

  it('releases what the venue refuses or ends, and books nothing', async () => {
    const { assignments, funded, models, place, read, request, routes } = withdrawals
    const bob = await funded()
    models.vault.mode = 'refuse'
    const refused = await request(routes.payout, { account_id: bob.account_id })
    await place.work()
    assert.partialDeepStrictEqual(await read(refused.data.id), {
      state: 'REJECTED',
      reason_code: 'REFUSED_BY_VENUE',
      reason: 'not today',
      sub_state: 'NOPE',
      completed_at: place.clock.now(),
    })
    models.vault.mode = 'accept'
    for (const state of ['FAILED', 'CANCELED', 'REJECTED'] as const) {
      const made = await request(routes.payout, { account_id: bob.account_id })
      await place.work()
      models.vault.finish(made.data.external_id, { state, sub_state: 'OVER', reason: 'no' })
      await place.later(1000)
      assert.deepEqual(
        await read(made.data.id).then((row) => ({
          state: row.state,
          reason: row.reason,
          sub_state: row.sub_state,
        })),
        { state, reason: 'no', sub_state: 'OVER' },
      )
      assert.equal((await assignments(made.data.id))[0]?.status, 'REJECTED')
      assert.deepEqual(await place.bookings(made.data.id), [])
    }
    assert.equal(await place.balance(bob.account_id, 'BTC'), '3/0')
  })

  it('refuses what cannot be sent, and changes nothing', async () => {
    const { funded, place, request, routes } = withdrawals
    const bob = await funded('0.5')
    const other = await place.customer('Other')
    const { payout, exchangeToVault } = routes
    for (const [route, body, expected] of [
      [payout, { account_id: bob.account_id }, '400 3001 INSUFFICIENT_BALANCE quantity'],
      [payout, { quantity: '0.123456789' }, '400 3001 SCALE quantity'],
      [payout, { quantity: 1 }, '400 3001 TYPE quantity'],
      [payout, { quantity: '0' }, '400 3001 FORMAT quantity'],
      [payout, { speed_level: 'WARP' }, '400 3001 ENUM speed_level'],
      [
        payout,
        { account: bob.account_id, account_id: other.account_id },
        '400 3001 CONFLICT account',
      ],
      [payout, { account: newId() }, '404 4004 NOT_FOUND account'],
      [payout, { account_id: place.house.FEE }, '400 3001 RANGE account_id'],
      [payout, { fee: '0.5' }, '400 3001 FEE_MISMATCH fee'],
      [payout, { speed_level: 'CUSTOM' }, '400 3001 REQUIRED fee'],
      [
        exchangeToVault,
        { speed_level: 'CUSTOM', fee: '0.1' },
        '400 3001 UNSUPPORTED_BY_VENUE speed_level',
      ],
      [{ id: newId() }, {}, '404 4004 NOT_FOUND treasury_route_id'],
    ] as [{ id: string }, object, string][])
      assert.equal(refusalOf(await request(route, body)), expected, JSON.stringify(body))
    assert.equal(
      refusalOf(
        await place.call(
          'POST',
          `/treasury/wallets/routes/${payout.id}/withdrawals`,
          { quantity: '1', speed_level: 'DEFAULT' },
          { token: 'stranger' },
        ),
      ),
      '404 4004 NOT_FOUND treasury_route_id',
    )
    await setAllowlistState(payout.id, 'PENDING_APPROVAL')
    assert.equal(
      refusalOf(await request(payout, { account_id: bob.account_id })),
      '400 3001 NOT_ALLOWLISTED treasury_route_id',
    )
    await setAllowlistState(payout.id, 'APPROVED')
    place.vault.down = true
    assert.equal(
      refusalOf(await request(payout, { account_id: bob.account_id, quantity: '0.1' })),
      '503 2003 undefined undefined',
    )
    place.vault.down = false
    assert.equal(await place.balance(bob.account_id, 'BTC'), '0.5/0')
  })

  it('sends nothing from a venue whose opening balance is not booked yet', async () => {
    const { funded, place, request, routes } = withdrawals
    const bob = await funded()
    await place.db.query(sql`
      update venues
      set connected_at = null`)
    const answer = await request(routes.payout, { account_id: bob.account_id })
    assert.partialDeepStrictEqual(answer, { status: 503, error_code: 2003 })
    assert.match(answer.error_description ?? '', /not connected yet/)
    await place.db.query(sql`
      update venues
      set connected_at = 1`)
    assert.equal((await request(routes.payout, { account_id: bob.account_id })).status, 200)
  })

  it('answers a repeated request once', async () => {
    const { funded, place, request, routes } = withdrawals
    const bob = await funded()
    const headers = { 'idempotency-key': newId() }
    const [first, again] = [
      await request(routes.payout, { account_id: bob.account_id }, headers),
      await request(routes.payout, { account_id: bob.account_id }, headers),
    ]
    assert.deepEqual(again.data, first.data)
    assert.equal(await place.balance(bob.account_id, 'BTC'), '3/1')
    place.vault.down = true
    assert.deepEqual(
      (await request(routes.payout, { account_id: bob.account_id }, headers)).data,
      first.data,
    )
    place.vault.down = false
    assert.equal(
      refusalOf(
        await request(routes.payout, { account_id: bob.account_id, quantity: '2' }, headers),
      ),
      '409 4091 undefined undefined',
    )
    const listed = await place.call<Withdrawal[]>(
      'GET',
      '/treasury/withdrawals?state=pending&limit=1',
    )
    assert.deepEqual(
      listed.data.map((row) => row.id),
      [first.data.id],
    )
    assert.deepEqual(await place.verify(), [])
  })
})
