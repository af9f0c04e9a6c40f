import { refusalOf } from '../../http/testing.ts'
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import { sql } from '../../store/sql.ts'
import { openMovements, CUSTOMERS_ADDRESS } from '../testing/movements.testing.ts'
import { movement } from '../testing/venue.fixture.ts'
import type { Withdrawal } from './withdrawals.schema.ts'
import type { WithdrawalAssignment } from '../assignments/assignments.schema.ts'

describe('withdrawals', () => {
  let place: Awaited<ReturnType<typeof openMovements>>
  before(async () => {
    place = await openMovements()
  })
  after(() => place.close())

  const ask = (route: { id: string }, body: object, headers: Record<string, string> = {}) =>
    place.call<Withdrawal>(
      'POST',
      `/treasury/wallets/routes/${route.id}/withdrawals`,
      { quantity: '1', speed_level: 'DEFAULT', ...body },
      { headers },
    )
  const read = async (id: string) =>
    (await place.call<Withdrawal>('GET', `/treasury/withdrawals/${id}`)).data
  const assignments = async (id: string) =>
    (await place.call<WithdrawalAssignment[]>('GET', `/treasury/withdrawals/${id}/assignments`))
      .data
  const funded = async (quantity = '3') => {
    const customer = await place.customer('Bob')
    await place.fund(customer.account_id, 'BTC', quantity)
    return customer
  }

  it('blocks, sends once, follows and books', async () => {
    const { models } = place
    const bob = await funded()
    const made = await ask(place.routes.payout, {
      account: bob.account_id,
      quantity: '1.5',
      note: 'for Bob',
    })
    assert.equal(made.status, 200, made.text)
    assert.deepEqual(
      [
        made.data.state,
        made.data.account_id,
        made.data.fee_estimate,
        made.data.fee,
        made.data.origin,
        made.data.destination_address,
      ],
      ['PENDING', bob.account_id, '0.0002', null, 'MANUAL', CUSTOMERS_ADDRESS],
    )
    assert.equal(await place.balance(bob.account_id, 'BTC'), '3/1.5')
    assert.deepEqual(
      (await assignments(made.data.id)).map((assignment) => [
        assignment.status,
        assignment.source,
        assignment.quantity,
        assignment.booked_at,
      ]),
      [['PENDING', 'ROUTE', '1.5', null]],
    )
    await place.work()
    const sent = await read(made.data.id)
    assert.deepEqual(
      [sent.state, sent.sub_state, sent.foreign_id?.startsWith('venue-'), sent.submitted_at],
      ['PENDING', 'SUBMITTED', true, place.clock.now()],
    )
    models.vault.finish(sent.external_id, {
      fee: 150_000_000_000_000n,
      fee_asset: 'BTC',
      transaction_hash: 'aa',
      confirmations: 3,
    })
    await place.later(1000)
    const done = await read(made.data.id)
    assert.deepEqual(
      [done.state, done.fee, done.transaction_hash, done.confirmations, done.completed_at],
      ['SUCCESS', '0.00015', 'aa', 3, place.clock.now()],
    )
    assert.equal(await place.balance(bob.account_id, 'BTC'), '1.5/0')
    assert.deepEqual(await place.bookings(done.id), [
      'WITHDRAWAL BTC D Bob 1.5, C vault 1.5',
      'WITHDRAWAL_FEE BTC D fee 0.00015, C vault 0.00015',
    ])
    const [assignment] = await assignments(done.id)
    assert.deepEqual([assignment?.status, assignment?.booked_at], ['SUCCESSFUL', place.clock.now()])
    assert.deepEqual(
      (
        await place.call<WithdrawalAssignment[]>(
          'GET',
          `/treasury/account/${bob.account_id}/withdrawals/assignments`,
        )
      ).data,
      [assignment],
    )
    assert.equal(
      models.vault.sends.filter((send) => send.external_id === done.external_id).length,
      1,
    )
    assert.deepEqual(await place.events(done.id), [
      'withdrawal.created',
      'withdrawal.submitted',
      'withdrawal.succeeded',
    ])
    assert.deepEqual(await place.verify(), [])
  })

  it('stays blocked while the venue holds it for review, and goes on with its word', async () => {
    const bob = await funded()
    const held = async (end: object) => {
      const { data } = await ask(place.routes.payout, { account_id: bob.account_id })
      await place.work()
      place.models.vault.finish(data.external_id, {
        state: 'PENDING_REVIEW',
        sub_state: 'PENDING_AUTHORIZATION',
      })
      await place.later(1000)
      const review = await read(data.id)
      assert.deepEqual(
        [
          review.state,
          review.sub_state,
          refusalOf(await place.call('POST', `/treasury/withdrawals/${data.id}/cancel`, {})),
        ],
        ['PENDING_REVIEW', 'PENDING_AUTHORIZATION', '400 3001 STATE_NOT_ALLOWED '],
      )
      assert.match(await place.balance(bob.account_id, 'BTC'), /\/1$/)
      place.models.vault.finish(data.external_id, end)
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
    const { models } = place
    const bob = await funded()
    models.vault.mode = 'refuse'
    const refused = await ask(place.routes.payout, { account_id: bob.account_id })
    await place.work()
    assert.deepEqual(
      await read(refused.data.id).then((row) => [
        row.state,
        row.reason_code,
        row.reason,
        row.sub_state,
        row.completed_at,
      ]),
      ['REJECTED', 'REFUSED_BY_VENUE', 'not today', 'NOPE', place.clock.now()],
    )
    models.vault.mode = 'accept'
    for (const state of ['FAILED', 'CANCELED', 'REJECTED'] as const) {
      const made = await ask(place.routes.payout, { account_id: bob.account_id })
      await place.work()
      models.vault.finish(made.data.external_id, { state, sub_state: 'OVER', reason: 'no' })
      await place.later(1000)
      assert.deepEqual(
        await read(made.data.id).then((row) => [row.state, row.reason, row.sub_state]),
        [state, 'no', 'OVER'],
      )
      assert.equal((await assignments(made.data.id))[0]?.status, 'REJECTED')
      assert.deepEqual(await place.bookings(made.data.id), [])
    }
    assert.equal(await place.balance(bob.account_id, 'BTC'), '3/0')
  })

  it('releases nothing while UNKNOWN, and believes only the venue', async () => {
    const { models } = place
    const bob = await funded()
    models.vault.mode = 'late'
    const made = await ask(place.routes.payout, { account_id: bob.account_id })
    await place.work()
    models.vault.mode = 'accept'
    models.vault.down = true
    await place.later(60_000)
    assert.deepEqual(await read(made.data.id).then((row) => [row.state, row.reason_code]), [
      'UNKNOWN',
      'OUTCOME_UNKNOWN',
    ])
    assert.equal(await place.balance(bob.account_id, 'BTC'), '3/1')
    models.vault.down = false
    await place.later(60_000)
    assert.equal((await read(made.data.id)).state, 'PENDING')
    models.vault.finish(made.data.external_id, {})
    await place.later(60_000)
    assert.equal((await read(made.data.id)).state, 'SUCCESS')
    assert.equal(
      models.vault.sends.filter((send) => send.external_id === made.data.external_id).length,
      1,
    )
    assert.equal(await place.balance(bob.account_id, 'BTC'), '2/0')
  })

  it('sends again only what the venue certainly never received', async () => {
    const { models } = place
    const bob = await funded()
    models.vault.mode = 'lost'
    const made = await ask(place.routes.payout, { account_id: bob.account_id })
    await place.work()
    models.vault.mode = 'accept'
    const sends = () =>
      models.vault.sends.filter((send) => send.external_id === made.data.external_id).length
    await place.later(5_000)
    assert.deepEqual([(await read(made.data.id)).state, sends()], ['UNKNOWN', 1])
    await place.later(5_000)
    await place.later(5_000)
    assert.deepEqual(
      [(await read(made.data.id)).state, sends(), models.vault.accepted.has(made.data.external_id)],
      ['PENDING', 2, true],
    )
    models.vault.finish(made.data.external_id, {})
    await place.later(10_000)
    assert.equal(await place.balance(bob.account_id, 'BTC'), '2/0')
  })

  it('believes nobody who was overtaken while he sent or asked', async () => {
    const { vault } = place.models
    const { send, find } = vault
    const bob = await funded()
    const sent = (id: string) => vault.sends.filter((send) => send.external_id === id).length
    /** Meanwhile another process is told that it is absent, and sends it. */
    const overtaken = async () => {
      Object.assign(vault, { send, find })
      await place.later(11_000)
    }
    try {
      vault.send = async (order) => {
        vault.sends.push(order)
        await overtaken()
        return { outcome: 'unknown', reason: 'not sent: it took too long' }
      }
      const slow = await ask(place.routes.payout, { account_id: bob.account_id })
      await place.work()
      const after = await read(slow.data.id)
      assert.deepEqual(
        [after.state, after.foreign_id !== null, after.submitted_at, sent(slow.data.id)],
        ['PENDING', true, place.clock.now(), 2],
      )

      vault.mode = 'lost'
      const lost = await ask(place.routes.payout, { account_id: bob.account_id, quantity: '0.5' })
      await place.work()
      vault.mode = 'accept'
      vault.find = async () => {
        await overtaken()
        return { lookup: 'absent' }
      }
      await place.later(11_000)
      const found = await read(lost.data.id)
      assert.deepEqual(
        [found.state, found.foreign_id !== null, found.submitted_at !== null, sent(lost.data.id)],
        ['PENDING', true, true, 2],
      )
      for (const { data } of [slow, lost]) vault.finish(data.external_id, {})
      await place.later(60_000)
      assert.equal(await place.balance(bob.account_id, 'BTC'), '1.5/0')
    } finally {
      Object.assign(vault, { send, find, mode: 'accept' })
    }
  })

  it('does not send a twin while the venue cannot tell which of the two it has', async () => {
    const { models } = place
    models.exchange.mode = 'late'
    models.exchange.down = true
    const first = await ask(place.routes.exchangeToVault, { quantity: '0.7' })
    await place.work()
    const second = await ask(place.routes.exchangeToVault, { quantity: '0.7' })
    await place.later(20_000)
    assert.deepEqual(
      [(await read(first.data.id)).state, (await read(second.data.id)).submitted_at],
      ['UNKNOWN', null],
    )
    models.exchange.mode = 'accept'
    models.exchange.down = false
    await place.later(20_000)
    await place.later(20_000)
    for (const { data } of [first, second]) {
      assert.equal(
        models.exchange.sends.filter((send) => send.external_id === data.external_id).length,
        1,
      )
      models.exchange.finish(data.external_id, { transaction_hash: `twin ${data.id}` })
    }
    await place.later(20_000)
    assert.deepEqual(await place.bookings(second.data.id), [
      'TRANSFER BTC D transit 0.7, C exchange 0.7',
    ])
    place.arrives(
      place.vault,
      ...[first, second].map(({ data }) =>
        movement(`arrival ${data.id}`, 'BTC', '0.7', {
          wallet: '0',
          transaction_hash: `twin ${data.id}`,
        }),
      ),
    )
    await place.later(10_000)
    assert.equal(await place.balance(place.house.TRANSIT, 'BTC'), '0/0')
  })

  it('lets the customer bear the fee where the workspace says so', async () => {
    const { models } = place
    await place.settings({ fee_borne_by: 'CUSTOMER' })
    const bob = await funded('1.0003')
    assert.equal(
      refusalOf(await ask(place.routes.payout, { account_id: bob.account_id, quantity: '1.0002' })),
      '400 3001 INSUFFICIENT_BALANCE ',
    )
    const made = await ask(place.routes.payout, { account_id: bob.account_id })
    assert.equal(await place.balance(bob.account_id, 'BTC'), '1.0003/1.0002')
    await place.work()
    models.vault.finish(made.data.external_id, { fee: 100_000_000_000_000n, fee_asset: 'BTC' })
    await place.later(1000)
    assert.equal(await place.balance(bob.account_id, 'BTC'), '0.0002/0')
    assert.deepEqual(await place.bookings(made.data.id), [
      'WITHDRAWAL BTC D Bob 1, C vault 1',
      'WITHDRAWAL_FEE BTC D Bob 0.0001, C vault 0.0001',
    ])
    await place.settings({ fee_borne_by: 'HOUSE' })
  })

  it('keeps a withdrawal without an account on SUSPENSE, until matched or assigned', async () => {
    const { models } = place
    const finish = async () => {
      const made = await ask(place.routes.payout, {})
      await place.work()
      models.vault.finish(made.data.external_id, {})
      await place.later(1000)
      return made.data.id
    }
    const id = await finish()
    assert.deepEqual(await place.bookings(id), ['WITHDRAWAL BTC D suspense 1, C vault 1'])
    const poor = await funded('0.5')
    const bob = await funded()
    const assign = (body: unknown) =>
      place.call<WithdrawalAssignment>('POST', `/treasury/withdrawals/${id}/assignments`, body)
    assert.equal(
      refusalOf(await assign([{ account_id: poor.account_id, quantity: '0.6' }])),
      '400 3001 INSUFFICIENT_BALANCE ',
    )
    assert.equal(
      refusalOf(
        await assign([
          { account_id: bob.account_id, quantity: '0.6' },
          { account_id: bob.account_id, quantity: '0.6' },
        ]),
      ),
      '400 3001 SUM_MISMATCH ',
    )
    assert.equal(
      (await assign([{ account_id: bob.account_id, quantity: '0.6' }])).data.status,
      'SUCCESSFUL',
    )
    assert.equal(
      (
        await assign([
          { account_id: bob.account_id, quantity: '0.1' },
          { account_id: poor.account_id, quantity: '0.3' },
        ])
      ).status,
      200,
    )
    assert.equal(await place.balance(place.house.SUSPENSE, 'BTC'), '0/0')
    assert.equal(await place.balance(bob.account_id, 'BTC'), '2.3/0')

    const matching = await place.call('POST', '/accounts/matchings', {
      resource_id: bob.account_id,
      type: 'DESTINATION_WITHOUT_REFERENCE',
      details: {
        asset: 'BTC',
        is_withdrawal_matching: true,
        destination_address: CUSTOMERS_ADDRESS.toUpperCase(),
      },
    })
    assert.equal(matching.status, 200, matching.text)
    const matched = await finish()
    assert.deepEqual(await place.bookings(matched), [
      'WITHDRAWAL BTC D suspense 1, C vault 1',
      'WITHDRAWAL_ASSIGNMENT BTC D Bob 1, C suspense 1',
    ])
    assert.deepEqual(
      (await assignments(matched)).map((assignment) => [
        assignment.status,
        assignment.source,
        assignment.matching_id,
      ]),
      [['SUCCESSFUL', 'MATCHING', matching.data['id']]],
    )
    assert.equal(
      (await place.call('DELETE', `/accounts/matchings/${String(matching.data['id'])}`)).status,
      200,
    )
  })

  it('holds what is assigned in flight, and books it with the end', async () => {
    const { models } = place
    const bob = await funded()
    const made = await ask(place.routes.payout, { quantity: '2' })
    await place.work()
    const assigned = await place.call<WithdrawalAssignment>(
      'POST',
      `/treasury/withdrawals/${made.data.id}/assignments`,
      [{ account_id: bob.account_id, quantity: '1.5' }],
    )
    assert.deepEqual([assigned.data.status, assigned.data.decided_at], ['PENDING', null])
    assert.equal(await place.balance(bob.account_id, 'BTC'), '3/1.5')
    assert.equal(
      refusalOf(
        await place.call('PATCH', `/treasury/withdrawals/${made.data.id}/assignments`, {
          id: assigned.data.id,
          status: 'SUCCESSFUL',
        }),
      ),
      '400 3001 STATE_NOT_ALLOWED status',
    )
    models.vault.finish(made.data.external_id, {})
    await place.later(1000)
    assert.deepEqual(await place.bookings(made.data.id), [
      'WITHDRAWAL BTC D Bob 1.5, D suspense 0.5, C vault 2',
    ])
    assert.equal(await place.balance(bob.account_id, 'BTC'), '1.5/0')
    await place.call('POST', `/treasury/withdrawals/${made.data.id}/assignments`, [
      { account_id: bob.account_id, quantity: '0.5' },
    ])
    assert.equal(await place.balance(place.house.SUSPENSE, 'BTC'), '0/0')
  })

  it('moves own money by TRANSIT, a difference on arrival is a fee', async () => {
    const { models } = place
    const made = await ask(place.routes.vaultToExchange, { quantity: '2' })
    await place.work()
    models.vault.finish(made.data.external_id, {
      transaction_hash: 'own-1',
      fee: 20_000_000_000_000n,
      fee_asset: 'BTC',
    })
    await place.later(1000)
    assert.equal(await place.balance(place.house.TRANSIT, 'BTC'), '2/0')
    assert.equal(
      refusalOf(
        await place.call('POST', `/treasury/withdrawals/${made.data.id}/assignments`, [
          { account_id: place.alice.account_id, quantity: '1' },
        ]),
      ),
      '400 3001 STATE_NOT_ALLOWED ',
    )
    place.arrives(place.exchange, movement('in-1', 'BTC', '1.9', { transaction_hash: 'OWN-1' }))
    await place.later(10_000)
    const [deposit] = (
      await place.call<{ id: string; state: string; related_withdrawal_id: string }[]>(
        'GET',
        '/treasury/deposits?foreign_id=in-1',
      )
    ).data
    assert.deepEqual([deposit?.state, deposit?.related_withdrawal_id], ['SUCCESSFUL', made.data.id])
    assert.deepEqual(await place.bookings(deposit?.id ?? ''), [
      'TRANSFER BTC D exchange 1.9, C transit 1.9',
      'TRANSFER_FEE BTC D fee 0.1, C transit 0.1',
    ])
    assert.deepEqual(await place.bookings(made.data.id), [
      'TRANSFER BTC D transit 2, C vault 2',
      'WITHDRAWAL_FEE BTC D fee 0.00002, C vault 0.00002',
    ])
    assert.equal(await place.balance(place.house.TRANSIT, 'BTC'), '0/0')
  })

  it('waits for the transaction of an own transfer; at a bank it goes by the amount', async () => {
    const { models } = place
    const made = await ask(place.routes.vaultToExchange, { quantity: '1.25' })
    await place.work()
    place.arrives(place.exchange, movement('in-2', 'BTC', '1.25', { transaction_hash: 'own-2' }))
    await place.later(10_000)
    const state = async (foreign_id: string) =>
      (await place.call<{ state: string }[]>('GET', `/treasury/deposits?foreign_id=${foreign_id}`))
        .data[0]?.state
    assert.equal(await state('in-2'), 'PENDING')
    models.vault.finish(made.data.external_id, { transaction_hash: 'own-2' })
    await place.later(10_000)
    await place.later(10_000)
    assert.equal(await state('in-2'), 'SUCCESSFUL')

    const wire = await ask(place.routes.bankToExchange, { quantity: '250.5' })
    await place.work()
    models.bank.finish(wire.data.external_id, {})
    place.arrives(
      place.exchange,
      movement('in-3', 'EUR', '250.5', {
        source_address: place.wallets.bank.address,
        transaction_hash: 'refid',
      }),
      movement('in-4', 'EUR', '250.5', { source_address: 'FR1420041010050500013M02606' }),
    )
    await place.later(10_000)
    assert.deepEqual([await state('in-3'), await state('in-4')], ['SUCCESSFUL', 'UNASSIGNED'])
    assert.equal(await place.balance(place.house.TRANSIT, 'EUR'), '0/0')
  })

  it('gives a returned payment back to the accounts that paid it', async () => {
    const { models } = place
    const eve = await place.customer('Eve')
    await place.fund(eve.account_id, 'EUR', '100')
    const made = await ask(place.routes.bankToAlice, { account_id: eve.account_id, quantity: '80' })
    assert.equal(made.status, 200, made.text)
    await place.work()
    models.bank.finish(made.data.external_id, {})
    await place.later(1000)
    assert.equal(await place.balance(eve.account_id, 'EUR'), '20/0')
    place.arrives(
      place.bank,
      movement('return-1', 'EUR', '80', {
        wallet: place.wallets.bank.address,
        related_external_id: made.data.external_id,
      }),
    )
    await place.later(10_000)
    const [deposit] = (
      await place.call<{ id: string; state: string; related_withdrawal_id: string }[]>(
        'GET',
        '/treasury/deposits?foreign_id=return-1',
      )
    ).data
    assert.deepEqual([deposit?.state, deposit?.related_withdrawal_id], ['SUCCESSFUL', made.data.id])
    assert.equal(await place.balance(eve.account_id, 'EUR'), '100/0')
  })

  it('refuses what cannot be sent, and changes nothing', async () => {
    const bob = await funded('0.5')
    const other = await place.customer('Other')
    const { payout, exchangeToVault } = place.routes
    assert.equal(
      refusalOf(await ask(payout, { account_id: bob.account_id })),
      '400 3001 INSUFFICIENT_BALANCE ',
    )
    assert.equal(
      refusalOf(await ask(payout, { quantity: '0.123456789' })),
      '400 3001 SCALE quantity',
    )
    assert.equal(refusalOf(await ask(payout, { quantity: 1 })), '400 3001 TYPE quantity')
    assert.equal(refusalOf(await ask(payout, { quantity: '0' })), '400 3001 FORMAT quantity')
    assert.equal(refusalOf(await ask(payout, { speed_level: 'WARP' })), '400 3001 ENUM speed_level')
    assert.equal(
      refusalOf(await ask(payout, { account: bob.account_id, account_id: other.account_id })),
      '400 3001 CONFLICT account',
    )
    assert.equal(refusalOf(await ask(payout, { account: newId() })), '404 4004 NOT_FOUND account')
    assert.equal(
      refusalOf(await ask(payout, { account_id: place.house.FEE })),
      '400 3001 RANGE account_id',
    )
    assert.equal(refusalOf(await ask(payout, { fee: '0.5' })), '400 3001 FEE_MISMATCH fee')
    assert.equal(refusalOf(await ask(payout, { speed_level: 'CUSTOM' })), '400 3001 REQUIRED fee')
    assert.equal(
      refusalOf(await ask(exchangeToVault, { speed_level: 'CUSTOM', fee: '0.1' })),
      '400 3001 UNSUPPORTED_BY_VENUE speed_level',
    )
    assert.equal(refusalOf(await ask({ id: newId() }, {})), '404 4004 NOT_FOUND treasury_route_id')
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
    await place.db.query(
      sql`
        update treasury_routes
        set allowlist_state = 'PENDING_APPROVAL'
        where id = ${payout.id}`,
    )
    assert.equal(
      refusalOf(await ask(payout, { account_id: bob.account_id })),
      '400 3001 NOT_ALLOWLISTED treasury_route_id',
    )
    await place.db.query(
      sql`
        update treasury_routes
        set allowlist_state = 'APPROVED'
        where id = ${payout.id}`,
    )
    place.vault.down = true
    assert.equal(
      refusalOf(await ask(payout, { account_id: bob.account_id, quantity: '0.1' })),
      '503 2003 undefined undefined',
    )
    place.vault.down = false
    assert.equal(await place.balance(bob.account_id, 'BTC'), '0.5/0')
  })

  it('sends nothing from a venue whose opening balance is not booked yet', async () => {
    const bob = await funded()
    await place.db.query(sql`
      update venues
      set connected_at = null`)
    const answer = await ask(place.routes.payout, { account_id: bob.account_id })
    assert.deepEqual([answer.status, answer.error_code], [503, 2003])
    assert.match(answer.error_description ?? '', /not connected yet/)
    await place.db.query(sql`
      update venues
      set connected_at = 1`)
    assert.equal((await ask(place.routes.payout, { account_id: bob.account_id })).status, 200)
  })

  it('answers a repeated request once', async () => {
    const bob = await funded()
    const headers = { 'idempotency-key': newId() }
    const [first, again] = [
      await ask(place.routes.payout, { account_id: bob.account_id }, headers),
      await ask(place.routes.payout, { account_id: bob.account_id }, headers),
    ]
    assert.deepEqual(again.data, first.data)
    assert.equal(await place.balance(bob.account_id, 'BTC'), '3/1')
    place.vault.down = true
    assert.deepEqual(
      (await ask(place.routes.payout, { account_id: bob.account_id }, headers)).data,
      first.data,
    )
    place.vault.down = false
    assert.equal(
      refusalOf(
        await ask(place.routes.payout, { account_id: bob.account_id, quantity: '2' }, headers),
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
