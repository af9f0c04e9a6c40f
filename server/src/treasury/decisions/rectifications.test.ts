import { refusalOf } from '../../http/testing.ts'
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import { sql } from '../../store/sql.ts'
import type { DepositAssignment, WithdrawalAssignment } from '../assignments/assignments.schema.ts'
import type { Deposit } from '../deposits/deposits.schema.ts'
import { openMovements } from '../testing/movements.testing.ts'
import { BTC_ADDRESS, IBAN, movement } from '../testing/venue.fixture.ts'
import type {
  DepositRectification,
  Preview,
  WithdrawalRectification,
} from './rectifications.schema.ts'
import type { Withdrawal } from '../withdrawals/withdrawals.schema.ts'

describe('rectifications', () => {
  let place: Awaited<ReturnType<typeof openMovements>>
  before(async () => {
    place = await openMovements()
  })
  after(() => place.close())

  let count = 0
  /**
   * A final wire, assigned in these parts; answers the deposit and the assignments in their order.
   */
  async function wire(
    parts: { account_id: string; quantity: string }[],
    total = '100',
  ): Promise<{ id: string; foreign_id: string; origins: string[] }> {
    count += 1
    const foreign_id = `wire-${count}`
    place.arrives(
      place.bank,
      movement(foreign_id, 'EUR', total, { wallet: IBAN, destination_address: IBAN }),
    )
    await place.later(10_000)
    const [deposit] = (
      await place.call<Deposit[]>('GET', `/treasury/deposits?foreign_id=${foreign_id}`)
    ).data
    assert.ok(deposit !== undefined)
    const made = await place.call<DepositAssignment[] | DepositAssignment>(
      'POST',
      `/treasury/deposits/${deposit.id}/assignments`,
      parts,
    )
    assert.equal(made.status, 200, made.text)
    return { id: deposit.id, foreign_id, origins: [made.data].flat().map((row) => row.id) }
  }
  const ofDeposit = (id: string, body: object, query = '', headers: Record<string, string> = {}) =>
    place.call<DepositRectification>(
      'POST',
      `/treasury/deposits/${id}/rectifications${query}`,
      { reason: 'WRONG_ACCOUNT', ...body },
      { headers },
    )
  const ofWithdrawal = (id: string, body: object, query = '') =>
    place.call<WithdrawalRectification>(
      'POST',
      `/treasury/withdrawals/${id}/rectifications${query}`,
      { reason: 'WRONG_ACCOUNT', ...body },
    )
  const assignments = async (id: string) =>
    (await place.call<DepositAssignment[]>('GET', `/treasury/deposits/${id}/assignments`)).data

  it('reverses and books anew at once; a preview shows the same and changes nothing', async () => {
    const [bob, carol] = [await place.customer('Bob'), await place.customer('Carol')]
    const { id, origins, foreign_id } = await wire([
      { account_id: bob.account_id, quantity: '100' },
    ])
    const body = {
      origins,
      targets: [
        { account_id: carol.account_id, quantity: '60' },
        { account_id: bob.account_id, quantity: '40' },
      ],
      note: 'read the wire again',
    }
    const before = await place.bookings(id)
    const preview = await place.call<Preview>(
      'POST',
      `/treasury/deposits/${id}/rectifications?dry_run=true`,
      { reason: 'WRONG_ACCOUNT', ...body },
    )
    assert.equal(preview.status, 200, preview.text)
    assert.deepEqual(
      preview.data.bookings.map(
        (booking) =>
          `${booking.type} ${booking.legs.map((leg) => `${leg.type} ${leg.account_label} ${leg.quantity}`).join(', ')}`,
      ),
      [
        'REVERSAL DEBIT Bob 100, CREDIT Suspense 100',
        'RECTIFICATION DEBIT Suspense 60, CREDIT Carol 60',
        'RECTIFICATION DEBIT Suspense 40, CREDIT Bob 40',
      ],
    )
    assert.deepEqual(
      [
        await place.bookings(id),
        (await assignments(id)).length,
        (await place.call<object[]>('GET', `/treasury/deposits/${id}/rectifications`)).data,
      ],
      [before, 1, []],
    )
    const key = newId()
    const made = await ofDeposit(id, body, '', { 'idempotency-key': key })
    assert.equal(made.status, 200, made.text)
    assert.deepEqual(
      [made.data.deposit_id, made.data.reason, made.data.note, made.data.origins, made.data.state],
      [id, 'WRONG_ACCOUNT', 'read the wire again', origins, 'BOOKED'],
    )
    assert.deepEqual(
      made.data.targets.map((target) => [
        target.account_id,
        target.quantity,
        target.status,
        target.source,
        target.booked_at,
      ]),
      body.targets.map((target) => [
        target.account_id,
        target.quantity,
        'SUCCESSFUL',
        'RECTIFICATION',
        place.clock.now(),
      ]),
    )
    assert.deepEqual(await place.bookings(id), [
      ...before,
      'REVERSAL EUR D Bob 100, C suspense 100',
      'RECTIFICATION EUR D suspense 60, C Carol 60',
      'RECTIFICATION EUR D suspense 40, C Bob 40',
    ])
    const origin = (await assignments(id)).find((assignment) => assignment.id === origins[0])
    assert.deepEqual(
      [origin?.status, origin?.rectification_id, origin?.version],
      ['SUCCESSFUL', made.data.id, 2],
    )
    assert.deepEqual(
      (await place.call<object[]>('GET', `/treasury/deposits/${id}/rectifications`)).data,
      [made.data],
    )
    const deposit = (await place.call<Deposit>('GET', `/treasury/deposits/${id}`)).data
    assert.deepEqual([deposit.state, deposit.assigned_quantity], ['SUCCESSFUL', '100'])
    assert.deepEqual(
      [await place.total(bob.account_id), await place.total(carol.account_id)],
      ['40', '60'],
    )
    assert.deepEqual((await place.events(id)).slice(-3), [
      'deposit.rectified',
      'deposit.assigned',
      'deposit.assigned',
    ])
    assert.deepEqual((await ofDeposit(id, body, '', { 'idempotency-key': key })).data, made.data)

    // What was booked instead may be wrong too; a deposit that the venue takes back afterwards is
    // taken from whom it belongs to now.
    const again = await ofDeposit(id, {
      origins: made.data.targets.slice(0, 1).map((target) => target.id),
      targets: [{ account_id: bob.account_id, quantity: '60' }],
    })
    assert.equal(again.status, 200, again.text)
    assert.deepEqual(
      [await place.total(bob.account_id), await place.total(carol.account_id)],
      ['100', '0'],
    )
    place.arrives(
      place.bank,
      movement(foreign_id, 'EUR', '100', {
        state: 'REVERSED',
        wallet: IBAN,
        destination_address: IBAN,
      }),
    )
    await place.later(10_000)
    assert.deepEqual(
      [
        await place.total(bob.account_id),
        await place.total(carol.account_id),
        await place.total(place.house.SUSPENSE),
      ],
      ['0', '0', '0'],
    )
    assert.equal(
      refusalOf(
        await ofDeposit(id, {
          origins: again.data.targets.map((target) => target.id),
          targets: [{ account_id: carol.account_id, quantity: '60' }],
        }),
      ),
      '400 3001 STATE_NOT_ALLOWED ',
    )
    assert.deepEqual(await place.verify(), [])
  })

  it('refuses, each for its reason, and changes nothing', async () => {
    const [bob, carol, gone] = [
      await place.customer('Bob'),
      await place.customer('Carol'),
      await place.customer('Gone'),
    ]
    await place.db.query(sql`
      update customers
      set state = 'DELETED'
      where id = ${gone.id}`)
    const other = await wire([{ account_id: bob.account_id, quantity: '100' }])
    const { id, origins } = await wire([
      { account_id: bob.account_id, quantity: '70' },
      { account_id: carol.account_id, quantity: '30' },
    ])
    const [first = '', second = ''] = origins
    const to = (account_id: string, quantity: string) => [{ account_id, quantity }]
    const counted = async () =>
      (
        await place.db.query(
          sql`
            select (select count(*) from bookings) as bookings,
              (select count(*) from rectifications) as rectifications,
              (select count(*) from assignments) as assignments`,
        )
      )[0]
    const before = await counted()
    const refused: [object, string][] = [
      [
        { reason: 'BECAUSE', origins: [first], targets: to(carol.account_id, '70') },
        '400 3001 ENUM reason',
      ],
      [
        { reason: 'OTHER', origins: [first], targets: to(carol.account_id, '70') },
        '400 3001 REQUIRED note',
      ],
      [
        { reason: 'OTHER', note: '', origins: [first], targets: to(carol.account_id, '70') },
        '400 3001 REQUIRED note',
      ],
      [{ origins: [], targets: to(carol.account_id, '70') }, '400 3001 RANGE origins'],
      [{ origins: [first], targets: [] }, '400 3001 RANGE targets'],
      [
        { origins: [first, first], targets: to(carol.account_id, '140') },
        '400 3001 DUPLICATE origins[1]',
      ],
      [
        { origins: [newId()], targets: to(carol.account_id, '70') },
        '404 4004 NOT_FOUND origins[0]',
      ],
      [
        { origins: [first, ...other.origins], targets: to(carol.account_id, '170') },
        '404 4004 NOT_FOUND origins[1]',
      ],
      [
        { origins: [first], targets: to(carol.account_id, '69.99') },
        '400 3001 SUM_MISMATCH targets',
      ],
      [
        { origins: [first, second], targets: to(carol.account_id, '100.01') },
        '400 3001 SUM_MISMATCH targets',
      ],
      [
        { origins: [first], targets: to(carol.account_id, '70.001') },
        '400 3001 SCALE targets[0].quantity',
      ],
      [
        { origins: [first], targets: to(newId(), '70') },
        '404 4004 NOT_FOUND targets[0].account_id',
      ],
      [
        { origins: [first], targets: to(place.house.FEE, '70') },
        '400 3001 RANGE targets[0].account_id',
      ],
      [
        { origins: [first], targets: to(gone.account_id, '70') },
        '400 3001 NOT_ACTIVE targets[0].account_id',
      ],
    ]
    for (const [body, expected] of refused) {
      assert.equal(refusalOf(await ofDeposit(id, body)), expected, JSON.stringify(body))
      assert.equal(
        refusalOf(await ofDeposit(id, body, '?dry_run=true')),
        expected,
        `dry run of ${JSON.stringify(body)}`,
      )
    }
    assert.equal(
      refusalOf(
        await ofDeposit(newId(), { origins: [first], targets: to(carol.account_id, '70') }),
      ),
      '404 4004 NOT_FOUND deposit_id',
    )
    // Bob has spent it: the reversal would leave him with less than nothing.
    await place.app.lane.commit({
      workspace: place.workspace,
      class: 'fact',
      by: 'test',
      ledger: [
        {
          step: 'hold',
          hold: {
            id: newId(),
            kind: 'TRADING',
            account_id: bob.account_id,
            asset: 'EUR',
            quantity: 150n * 10n ** 18n,
            cause_type: 'test',
            cause_id: newId(),
          },
        },
      ],
    })
    const change = { origins: [first], targets: to(carol.account_id, '70') }
    assert.equal(refusalOf(await ofDeposit(id, change)), '400 3001 INSUFFICIENT_BALANCE ')
    assert.equal(
      refusalOf(await ofDeposit(id, change, '?dry_run=true')),
      '400 3001 INSUFFICIENT_BALANCE ',
    )
    assert.deepEqual(await counted(), before)
    // Only what he really loses counts.
    assert.equal(
      (
        await ofDeposit(id, {
          origins: [first],
          targets: [...to(bob.account_id, '50'), ...to(carol.account_id, '20')],
        })
      ).status,
      200,
    )
    assert.equal(refusalOf(await ofDeposit(id, change)), '400 3001 STATE_NOT_ALLOWED origins[0]')
    await place.db.query(sql`
      update accounts
      set overdraft = true
      where id = ${bob.account_id}`)
    await place.db.query(sql`
      update balances
      set floor = null
      where account_id = ${bob.account_id}`)
    await place.db.query(
      sql`
        update customers
        set ignore_balance_check = true
        where id = ${bob.account_id}
          or account_id = ${bob.account_id}`,
    )
    const overdrawn = { origins: other.origins, targets: to(carol.account_id, '100') }
    assert.equal((await ofDeposit(other.id, overdrawn, '?dry_run=true')).status, 200)
    assert.equal((await ofDeposit(other.id, overdrawn)).status, 200)
    assert.deepEqual(await place.verify(), [])
  })

  it('only successful ones, also where a decision waits', async () => {
    await place.settings({ compliance: true })
    const [bob, carol] = [await place.customer('Bob'), await place.customer('Carol')]
    const { id, origins } = await wire([{ account_id: bob.account_id, quantity: '100' }])
    const body = { origins, targets: [{ account_id: carol.account_id, quantity: '100' }] }
    assert.equal(refusalOf(await ofDeposit(id, body)), '400 3001 STATE_NOT_ALLOWED origins[0]')
    assert.equal(
      (
        await place.call('PATCH', `/treasury/deposits/${id}/assignments`, {
          id: origins[0],
          status: 'SUCCESSFUL',
        })
      ).status,
      200,
    )
    const made = await ofDeposit(id, body)
    assert.deepEqual(
      made.data.targets.map((target) => target.status),
      ['SUCCESSFUL'],
    )
    await place.settings({ compliance: false })
  })

  it('two at once: one rectifies, the other is refused', async () => {
    const [bob, carol] = [await place.customer('Bob'), await place.customer('Carol')]
    const { id, origins } = await wire([{ account_id: bob.account_id, quantity: '100' }])
    const answers = await Promise.all(
      [1, 2, 3].map(() =>
        ofDeposit(id, { origins, targets: [{ account_id: carol.account_id, quantity: '100' }] }),
      ),
    )
    assert.deepEqual(answers.map(refusalOf).toSorted(), [
      '200 undefined undefined undefined',
      '400 3001 STATE_NOT_ALLOWED origins[0]',
      '400 3001 STATE_NOT_ALLOWED origins[0]',
    ])
    assert.deepEqual(
      [await place.total(bob.account_id), await place.total(carol.account_id)],
      ['0', '100'],
    )
  })

  it('of a withdrawal: its account pays, in a shared booking and in its own', async () => {
    const [bob, carol] = [await place.customer('Bob'), await place.customer('Carol')]
    await place.fund(bob.account_id, 'BTC', '2')
    await place.fund(carol.account_id, 'BTC', '0.5')
    const made = await place.call<Withdrawal>(
      'POST',
      `/treasury/wallets/routes/${place.routes.payout.id}/withdrawals`,
      { quantity: '1', speed_level: 'DEFAULT', account_id: bob.account_id },
    )
    const { id, external_id } = made.data
    const list = async () =>
      (await place.call<WithdrawalAssignment[]>('GET', `/treasury/withdrawals/${id}/assignments`))
        .data
    const origins = (await list()).map((row) => row.id)
    assert.equal(
      refusalOf(
        await ofWithdrawal(id, {
          origins,
          targets: [{ account_id: carol.account_id, quantity: '1' }],
        }),
      ),
      '400 3001 STATE_NOT_ALLOWED ',
    )
    await place.work()
    place.models.vault.finish(external_id, {})
    await place.later(1000)
    assert.equal(
      refusalOf(
        await ofWithdrawal(id, {
          origins,
          targets: [{ account_id: carol.account_id, quantity: '1' }],
        }),
      ),
      '400 3001 INSUFFICIENT_BALANCE ',
    )
    const split = await ofWithdrawal(id, {
      origins,
      targets: [
        { account_id: carol.account_id, quantity: '0.4' },
        { account_id: bob.account_id, quantity: '0.6' },
      ],
    })
    assert.equal(split.status, 200, split.text)
    assert.deepEqual(
      [await place.balance(bob.account_id, 'BTC'), await place.balance(carol.account_id, 'BTC')],
      ['1.4/0', '0.1/0'],
    )
    const again = await ofWithdrawal(id, {
      reason: 'OTHER',
      note: 'it was Bob after all',
      origins: split.data.targets.slice(0, 1).map((target) => target.id),
      targets: [{ account_id: bob.account_id, quantity: '0.4' }],
    })
    assert.equal(again.status, 200, again.text)
    assert.deepEqual(
      [again.data.withdrawal_id, again.data.targets.map((target) => target.withdrawal_id)],
      [id, [id]],
    )
    assert.deepEqual(
      [await place.balance(bob.account_id, 'BTC'), await place.balance(carol.account_id, 'BTC')],
      ['1/0', '0.5/0'],
    )
    assert.deepEqual(await place.bookings(id), [
      'WITHDRAWAL BTC D Bob 1, C vault 1',
      'RECTIFICATION BTC D suspense 1, C Bob 1',
      'RECTIFICATION BTC D Carol 0.4, C suspense 0.4',
      'RECTIFICATION BTC D Bob 0.6, C suspense 0.6',
      'REVERSAL BTC D suspense 0.4, C Carol 0.4',
      'RECTIFICATION BTC D Bob 0.4, C suspense 0.4',
    ])
    assert.deepEqual(
      (
        await place.call<WithdrawalRectification[]>(
          'GET',
          `/treasury/withdrawals/${id}/rectifications`,
        )
      ).data.map((row) => row.id),
      [again.data.id, split.data.id],
    )
    assert.deepEqual(
      (await place.events(id)).filter((event) => event.endsWith('rectified')).length,
      2,
    )
    assert.deepEqual(await place.verify(), [])
  })

  it('not of an own transfer', async () => {
    place.arrives(
      place.vault,
      movement('own-1', 'BTC', '1', { wallet: '0', destination_address: BTC_ADDRESS }),
    )
    const made = await place.call<Withdrawal>(
      'POST',
      `/treasury/wallets/routes/${place.routes.vaultToExchange.id}/withdrawals`,
      { quantity: '1', speed_level: 'DEFAULT' },
    )
    assert.equal(
      refusalOf(
        await ofWithdrawal(made.data.id, {
          origins: [newId()],
          targets: [{ account_id: place.alice.account_id, quantity: '1' }],
        }),
      ),
      '400 3001 STATE_NOT_ALLOWED ',
    )
  })
})
