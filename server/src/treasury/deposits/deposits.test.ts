import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import type { Answer } from '../../http/testing.ts'
import { sql } from '../../store/sql.ts'
import type { Incoming } from '../../venues/index.ts'
import type { DepositAssignment } from '../assignments/assignments.schema.ts'
import type { Deposit } from './deposits.schema.ts'
import { CUSTOMERS_ADDRESS, openMovements } from '../testing/movements.testing.ts'
import { BTC_ADDRESS, IBAN, movement } from '../testing/venue.fixture.ts'

const PAYER = 'FR1420041010050500013M02606'

describe('deposits', () => {
  let place: Awaited<ReturnType<typeof openMovements>>
  before(async () => {
    place = await openMovements()
  })
  after(() => place.close())

  const code = (answer: Answer<unknown>) =>
    `${answer.status} ${answer.error_code} ${answer.error_details?.[0]?.code} ` +
    `${answer.error_details?.[0]?.path}`
  let count = 0
  /** A wire to our bank, seen by the next reading. */
  const wire = async (quantity: string, more: Partial<Incoming> = {}): Promise<string> => {
    count += 1
    const foreign_id = `wire-${count}`
    place.arrives(
      place.bank,
      movement(foreign_id, 'EUR', quantity, {
        wallet: IBAN,
        destination_address: IBAN,
        source_address: PAYER,
        counterparty: { name: 'Payer', iban: PAYER, bic: null },
        ...more,
      }),
    )
    await place.later(10_000)
    return foreign_id
  }
  const read = async (foreign_id: string): Promise<Deposit> => {
    const [deposit] = (
      await place.call<Deposit[]>('GET', `/treasury/deposits?foreign_id=${foreign_id}`)
    ).data
    assert.ok(deposit !== undefined, `${foreign_id} was seen`)
    return deposit
  }
  const assignments = async (id: string) =>
    (await place.call<DepositAssignment[]>('GET', `/treasury/deposits/${id}/assignments`)).data
  const match = (resource_id: string, type: string, details: object) =>
    place.call<{ id: string }>('POST', '/accounts/matchings', {
      resource_id,
      type,
      details: { asset: 'EUR', is_withdrawal_matching: false, ...details },
    })
  const assign = (id: string, body: unknown, headers: Record<string, string> = {}) =>
    place.call<DepositAssignment>('POST', `/treasury/deposits/${id}/assignments`, body, { headers })
  const decide = (id: string, assignment: string, status: string) =>
    place.call<DepositAssignment>('PATCH', `/treasury/deposits/${id}/assignments`, {
      id: assignment,
      status,
    })

  it('takes matchings, tells duplicates, and forgets the deleted', async () => {
    const bob = await place.customer('Bob')
    const details = { destination_address: IBAN, reference: 'KD-1' }
    const made = await match(bob.account_id, 'DESTINATION_WITH_REFERENCE', details)
    assert.equal(made.status, 200, made.text)
    assert.deepEqual(
      (await place.call<object[]>('GET', `/accounts/matchings?account_id=${bob.account_id}`)).data,
      [made.data],
    )
    assert.equal(
      code(
        await match(bob.account_id, 'DESTINATION_WITH_REFERENCE', {
          ...details,
          reference: 'kd-1',
          destination_address: 'de89 3704 0044 0532 0130 00',
        }),
      ),
      '400 3001 DUPLICATE details',
    )
    assert.equal(
      code(
        await match(bob.account_id, 'DESTINATION_WITH_REFERENCE', { destination_address: IBAN }),
      ),
      '400 3001 REQUIRED details.reference',
    )
    assert.equal(
      code(
        await match(bob.account_id, 'SOURCE_WITHOUT_REFERENCE', {
          destination_address: IBAN,
          source_address: '',
        }),
      ),
      '400 3001 REQUIRED details.source_address',
    )
    assert.equal(
      code(await match(place.house.FEE, 'DESTINATION_WITHOUT_REFERENCE', details)),
      '400 3001 RANGE resource_id',
    )
    assert.equal(
      code(await match(newId(), 'DESTINATION_WITHOUT_REFERENCE', details)),
      '404 4004 NOT_FOUND resource_id',
    )
    assert.equal(
      code(
        await match(bob.account_id, 'DESTINATION_WITHOUT_REFERENCE', { ...details, asset: 'XYZ' }),
      ),
      '400 3001 UNKNOWN_ASSET details.asset',
    )
    assert.equal(
      (
        await match(bob.account_id, 'DESTINATION_WITH_REFERENCE', {
          ...details,
          is_withdrawal_matching: true,
        })
      ).status,
      200,
    )
    const changed = await place.call<{ version: number; details: { reference: string } }>(
      'PUT',
      '/accounts/matchings',
      {
        ...made.data,
        details: {
          asset: 'EUR',
          is_withdrawal_matching: false,
          destination_address: IBAN,
          source_address: null,
          reference: 'KD-2',
        },
      },
    )
    assert.deepEqual([changed.data.version, changed.data.details.reference], [2, 'KD-2'])
    assert.equal(
      code(await place.call('PUT', '/accounts/matchings', made.data)),
      '400 3001 STALE_VERSION version',
    )
    assert.equal(
      code(
        await place.call('DELETE', `/accounts/matchings/${made.data.id}`, undefined, {
          token: 'stranger',
        }),
      ),
      '404 4004 NOT_FOUND matching_id',
    )
    assert.equal(
      (await place.call<{ state: string }>('DELETE', `/accounts/matchings/${made.data.id}`)).data
        .state,
      'DELETED',
    )
    assert.equal(
      code(await place.call('DELETE', `/accounts/matchings/${made.data.id}`)),
      '404 4004 NOT_FOUND matching_id',
    )
    assert.equal(
      (await match(bob.account_id, 'DESTINATION_WITH_REFERENCE', { ...details, reference: 'KD-2' }))
        .status,
      200,
    )
  })

  it('finds whose a wire is, books it, and sees it once', async () => {
    const bob = await place.customer('Bob')
    const made = await match(bob.account_id, 'DESTINATION_WITH_REFERENCE', {
      destination_address: IBAN,
      reference: 'KD-100',
    })
    const seen = await wire('1234.56', { reference_text: 'Invoice 7, kd-100.' })
    const deposit = await read(seen)
    assert.deepEqual(
      [
        deposit.state,
        deposit.quantity,
        deposit.assigned_quantity,
        deposit.wallet_id,
        deposit.counterparty?.name,
      ],
      ['SUCCESSFUL', '1234.56', '1234.56', place.wallets.bank.id, 'Payer'],
    )
    assert.deepEqual(await place.bookings(deposit.id), [
      'DEPOSIT EUR D bank 1234.56, C suspense 1234.56',
      'DEPOSIT_ASSIGNMENT EUR D suspense 1234.56, C Bob 1234.56',
    ])
    const [assignment] = await assignments(deposit.id)
    assert.deepEqual(
      [assignment?.status, assignment?.source, assignment?.matching_id, assignment?.customer_id],
      ['SUCCESSFUL', 'MATCHING', made.data.id, bob.id],
    )
    assert.deepEqual(
      (
        await place.call<object[]>(
          'GET',
          `/treasury/account/${bob.account_id}/deposits/assignments`,
        )
      ).data,
      [assignment],
    )
    const everywhere = async (query: string) =>
      (
        await place.call<object[]>(
          'GET',
          `/treasury/assignments?account_id=${bob.account_id}${query}`,
        )
      ).data
    assert.deepEqual(await everywhere(''), [{ ...assignment, withdrawal_id: null }])
    assert.equal((await everywhere(`&of=DEPOSIT&state=${assignment?.status}`)).length, 1)
    assert.deepEqual(
      [await everywhere('&of=WITHDRAWAL'), await everywhere('&state=REJECTED')],
      [[], []],
    )
    assert.deepEqual(await place.events(deposit.id), [
      'deposit.detected',
      'deposit.received',
      'deposit.assigned',
    ])
    // The same again, as a venue that forgets the cursor would tell it.
    await place.db.query(sql`
      update incoming_cursors
      set cursor = null`)
    await place.later(10_000)
    assert.equal(await place.total(bob.account_id), '1234.56')
    assert.deepEqual((await read(seen)).version, deposit.version)
  })

  it('is PENDING until final, and can fail', async () => {
    const bob = await place.customer('Bob')
    await match(bob.account_id, 'SOURCE_WITHOUT_REFERENCE', {
      source_address: 'AT611904300234573201',
    })
    const later = { source_address: 'AT611904300234573201' }
    const seen = await wire('10', { ...later, state: 'PENDING', confirmations: 0 })
    const before = await read(seen)
    assert.deepEqual([before.state, before.confirmations], ['PENDING', 0])
    assert.equal(
      code(await assign(before.id, [{ account_id: bob.account_id, quantity: '10' }])),
      '400 3001 STATE_NOT_ALLOWED ',
    )
    assert.equal(await place.total(bob.account_id), '0')
    place.arrives(
      place.bank,
      movement(seen, 'EUR', '10', { ...later, wallet: IBAN, confirmations: 3 }),
    )
    await place.later(10_000)
    assert.deepEqual(await read(seen).then((row) => [row.state, row.confirmations]), [
      'SUCCESSFUL',
      3,
    ])
    assert.equal(await place.total(bob.account_id), '10')
    const lost = await wire('11', { ...later, state: 'PENDING' })
    place.arrives(
      place.bank,
      movement(lost, 'EUR', '11', { ...later, wallet: IBAN, state: 'FAILED' }),
    )
    await place.later(10_000)
    const failed = await read(lost)
    assert.deepEqual([failed.state, await place.bookings(failed.id)], ['FAILED', []])
  })

  it("leaves alone what is nobody's or two people's", async () => {
    const [bob, eve] = [await place.customer('Bob'), await place.customer('Eve')]
    await match(bob.account_id, 'SOURCE_WITH_REFERENCE', {
      source_address: PAYER,
      reference: 'one',
    })
    await match(eve.account_id, 'SOURCE_WITH_REFERENCE', {
      source_address: PAYER,
      reference: 'two',
    })
    assert.deepEqual(
      await read(await wire('1', { reference_text: 'one two' })).then((row) => [
        row.state,
        row.reason_code,
      ]),
      ['UNASSIGNED', 'AMBIGUOUS_MATCH'],
    )
    assert.deepEqual(
      await read(await wire('1', { reference_text: 'three' })).then((row) => [
        row.state,
        row.reason_code,
      ]),
      ['UNASSIGNED', null],
    )
    assert.equal(
      await read(await wire('1', { reference_text: 'two' })).then((row) => row.state),
      'SUCCESSFUL',
    )
    assert.equal(await place.total(eve.account_id), '1')
  })

  it('follows the receiving customer wallet, before the source', async () => {
    const [bob, eve] = [await place.customer('Bob'), await place.customer('Eve')]
    const wallet = await place.wallet({
      type: 'CUSTOMER',
      asset: 'BTC',
      address: '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy',
      venue_id: place.vault.id,
      service_id: place.vault.service_id,
      account_id: bob.account_id,
      customer_id: bob.id,
      configuration: { vault_id: '7', protocol: 'BTC' },
    })
    const matched = await place.call('POST', '/accounts/matchings', {
      resource_id: eve.account_id,
      type: 'SOURCE_WITHOUT_REFERENCE',
      details: { asset: 'BTC', is_withdrawal_matching: false, source_address: CUSTOMERS_ADDRESS },
    })
    assert.equal(matched.status, 200, matched.text)
    place.arrives(
      place.vault,
      movement('coin-1', 'BTC', '0.5', {
        wallet: '7',
        protocol: 'BTC',
        source_address: CUSTOMERS_ADDRESS,
        transaction_hash: 'c1',
        output_index: 0,
      }),
      movement('coin-2', 'BTC', '0.25', {
        wallet: '0',
        protocol: 'BTC',
        source_address: CUSTOMERS_ADDRESS,
        destination_address: BTC_ADDRESS,
        transaction_hash: 'c1',
        output_index: 1,
      }),
    )
    await place.later(10_000)
    assert.deepEqual(
      await read('coin-1').then((row) => [row.wallet_id, row.state, row.output_index]),
      [wallet.id, 'SUCCESSFUL', 0],
    )
    assert.deepEqual(
      [await place.total(bob.account_id, 'BTC'), await place.total(eve.account_id, 'BTC')],
      ['0.5', '0.25'],
    )
  })

  it('assigns by hand: atomic, never more than there is, one record or several', async () => {
    const [bob, eve] = [await place.customer('Bob'), await place.customer('Eve')]
    const { id } = await read(await wire('100'))
    assert.equal(
      code(
        await assign(id, [
          { account_id: bob.account_id, quantity: '60' },
          { account_id: eve.account_id, quantity: '40.01' },
        ]),
      ),
      '400 3001 SUM_MISMATCH ',
    )
    assert.equal(
      code(await assign(id, [{ account_id: bob.account_id, quantity: '0.001' }])),
      '400 3001 SCALE [0].quantity',
    )
    assert.equal(code(await assign(id, [])), '400 3001 RANGE ')
    assert.equal(
      code(
        await assign(id, [
          { account_id: bob.account_id, quantity: '1' },
          { account_id: newId(), quantity: '1' },
        ]),
      ),
      '404 4004 NOT_FOUND [1].account_id',
    )
    assert.equal(
      code(await assign(newId(), [{ account_id: bob.account_id, quantity: '1' }])),
      '404 4004 NOT_FOUND deposit_id',
    )
    const headers = { 'idempotency-key': newId() }
    const first = await assign(id, [{ account_id: bob.account_id, quantity: '60' }], headers)
    assert.deepEqual(
      [first.data.status, first.data.source, first.data.decided_by, first.data.deposit_id],
      ['SUCCESSFUL', 'MANUAL', place.principal.user_id, id],
    )
    assert.deepEqual(
      (await assign(id, [{ account_id: bob.account_id, quantity: '60' }], headers)).data,
      first.data,
    )
    assert.deepEqual(
      await place
        .call<Deposit>('GET', `/treasury/deposits/${id}`)
        .then(({ data }) => [data.state, data.assigned_quantity]),
      ['PARTIALLY_ASSIGNED', '60'],
    )
    const many = await place.call<DepositAssignment[]>(
      'POST',
      `/treasury/deposits/${id}/assignments`,
      [
        { account_id: eve.account_id, quantity: '30' },
        { account_id: bob.account_id, quantity: '10' },
      ],
    )
    assert.deepEqual(
      many.data.map((row) => row.quantity),
      ['30', '10'],
    )
    assert.deepEqual(
      [await place.total(bob.account_id), await place.total(eve.account_id)],
      ['70', '30'],
    )
    assert.equal(
      (await place.call<Deposit>('GET', `/treasury/deposits/${id}`)).data.state,
      'SUCCESSFUL',
    )
    assert.deepEqual(
      (await assignments(id)).find((assignment) => assignment.id === first.data.id),
      first.data,
    )
    assert.equal(
      code(await decide(id, first.data.id, 'REJECTED')),
      '400 3001 STATE_NOT_ALLOWED status',
    )
  })

  it('never assigns more than there is to many at once', async () => {
    const bob = await place.customer('Bob')
    const { id } = await read(await wire('5'))
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => assign(id, [{ account_id: bob.account_id, quantity: '1' }])),
    )
    assert.equal(answers.filter((answer) => answer.status === 200).length, 5)
    assert.deepEqual(
      new Set(answers.filter((answer) => answer.status !== 200).map(code)),
      new Set(['400 3001 SUM_MISMATCH ']),
    )
    assert.equal(await place.total(bob.account_id), '5')
  })

  it('waits for a decision while compliance is on', async () => {
    const [bob, eve] = [await place.customer('Bob'), await place.customer('Eve')]
    await place.settings({ compliance: true })
    await match(bob.account_id, 'DESTINATION_WITH_REFERENCE', {
      destination_address: IBAN,
      reference: 'C-1',
    })
    const { id, state } = await read(await wire('50', { reference_text: 'C-1' }))
    assert.equal(state, 'ASSIGNED')
    assert.deepEqual(await place.bookings(id), ['DEPOSIT EUR D bank 50, C suspense 50'])
    const [first] = await assignments(id)
    const stateNow = async () =>
      (await place.call<Deposit>('GET', `/treasury/deposits/${id}`)).data.state
    assert.deepEqual([first?.status, first?.decided_by], ['PENDING', null])
    assert.equal(
      code(await decide(id, first?.id ?? '', 'PENDING')),
      '400 3001 STATE_NOT_ALLOWED status',
    )
    assert.equal(code(await decide(id, newId(), 'SUCCESSFUL')), '404 4004 NOT_FOUND id')
    const rejected = await decide(id, first?.id ?? '', 'REJECTED')
    assert.deepEqual(
      [rejected.data.status, rejected.data.booked_at, await stateNow()],
      ['REJECTED', null, 'REJECTED'],
    )
    const other = await assign(id, [{ account_id: eve.account_id, quantity: '20' }])
    assert.deepEqual([other.data.status, await stateNow()], ['PENDING', 'PARTIALLY_ASSIGNED'])
    assert.equal(
      code(await decide(id, first?.id ?? '', 'SUCCESSFUL')),
      '400 3001 SUM_MISMATCH status',
    )
    await decide(id, other.data.id, 'REJECTED')
    const accepted = await decide(id, first?.id ?? '', 'SUCCESSFUL')
    assert.deepEqual(
      [
        accepted.data.status,
        accepted.data.decided_by,
        await stateNow(),
        await place.total(bob.account_id),
      ],
      ['SUCCESSFUL', place.principal.user_id, 'SUCCESSFUL', '50'],
    )
    assert.deepEqual(
      (await assignments(id)).find((assignment) => assignment.id === accepted.data.id),
      accepted.data,
    )
    const another = await read(await wire('1'))
    const foreign = await assign(another.id, [{ account_id: eve.account_id, quantity: '1' }])
    assert.equal(code(await decide(id, foreign.data.id, 'SUCCESSFUL')), '404 4004 NOT_FOUND id')
    await place.settings({ compliance: false })
  })

  it('reverses what the venue takes back, even when the customer has spent it', async () => {
    const bob = await place.customer('Bob')
    await match(bob.account_id, 'DESTINATION_WITH_REFERENCE', {
      destination_address: IBAN,
      reference: 'REV',
    })
    const seen = await wire('30', { reference_text: 'REV' })
    await place.app.lane.commit({
      workspace: place.workspace,
      class: 'command',
      by: 'test',
      ledger: [
        {
          step: 'book',
          booking: {
            id: newId(),
            type: 'MANUAL',
            asset: 'EUR',
            legs: [
              { account_id: bob.account_id, type: 'DEBIT', quantity: 30n * 10n ** 18n },
              { account_id: place.house.HOUSE, type: 'CREDIT', quantity: 30n * 10n ** 18n },
            ],
          },
        },
      ],
    })
    place.arrives(place.bank, movement(seen, 'EUR', '30', { wallet: IBAN, state: 'REVERSED' }))
    await place.later(10_000)
    const deposit = await read(seen)
    assert.deepEqual(
      [
        deposit.state,
        deposit.reason_code,
        deposit.assigned_quantity,
        await place.total(bob.account_id),
      ],
      ['REVERSED', 'REVERSED_BY_VENUE', '0', '-30'],
    )
    assert.deepEqual((await place.bookings(deposit.id)).slice(2), [
      'REVERSAL EUR C suspense 30, D Bob 30',
      'REVERSAL EUR C bank 30, D suspense 30',
    ])
    assert.ok((await place.events(bob.account_id)).includes('account.overdrawn'))
    assert.equal(
      code(await assign(deposit.id, [{ account_id: bob.account_id, quantity: '1' }])),
      '400 3001 STATE_NOT_ALLOWED ',
    )
    // Told again: nothing more happens.
    place.arrives(place.bank, movement(seen, 'EUR', '30', { wallet: IBAN, state: 'REVERSED' }))
    await place.later(10_000)
    assert.equal((await place.bookings(deposit.id)).length, 4)
  })

  it('keeps what is finer than the asset with the house', async () => {
    const bob = await place.customer('Bob')
    await place.call('POST', '/accounts/matchings', {
      resource_id: bob.account_id,
      type: 'DESTINATION_WITHOUT_REFERENCE',
      details: {
        asset: 'XRP',
        is_withdrawal_matching: false,
        destination_address: 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh',
      },
    })
    place.arrives(
      place.vault,
      movement('fine', 'XRP', '1.0000019', {
        destination_address: 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh',
      }),
    )
    await place.later(10_000)
    const deposit = await read('fine')
    assert.deepEqual(
      [deposit.state, deposit.quantity, deposit.wallet_id],
      ['SUCCESSFUL', '1.0000019', null],
    )
    assert.deepEqual(await place.bookings(deposit.id), [
      'DEPOSIT XRP D vault 1.0000019, C suspense 1.000001, C rounding 0.0000009',
      'DEPOSIT_ASSIGNMENT XRP D suspense 1.000001, C Bob 1.000001',
    ])
  })

  it('is read at once when the venue says so, by its signature', async () => {
    place.clock.advance(1)
    place.arrives(place.bank, movement('pushed', 'EUR', '1', { wallet: IBAN }))
    const push = (signature: string, id = place.bank.id) =>
      place.call<{ read: boolean }>(
        'POST',
        `/venues/${id}/push`,
        { hello: 'there' },
        { headers: { signature } },
      )
    assert.equal(code(await push('wrong')), '401 1001 undefined undefined')
    assert.equal(code(await push('right', newId())), '404 4004 NOT_FOUND venue_id')
    await place.work()
    assert.deepEqual(
      (await place.call<Deposit[]>('GET', '/treasury/deposits?foreign_id=pushed')).data,
      [],
    )
    assert.deepEqual((await push('right')).data, { read: true })
    await place.work()
    assert.equal((await read('pushed')).quantity, '1')
  })

  it('lists by time and state, and shows a stranger nothing', async () => {
    const all = (await place.call<Deposit[]>('GET', '/treasury/deposits')).data
    assert.ok(all.length > 10)
    const [newest] = all
    const at = newest?.system_created_at ?? 0
    assert.deepEqual(
      (
        await place.call<Deposit[]>(
          'GET',
          `/treasury/deposits?system_created_at_from=${at}&state=successful,unassigned`,
        )
      ).data.map((row) => row.id),
      [newest?.id],
    )
    assert.equal(
      (await place.call<Deposit[]>('GET', `/treasury/deposits?system_created_at_to=${at}`)).data
        .length,
      all.length - 1,
    )
    assert.equal(
      code(await place.call('GET', '/treasury/deposits?state=LOST')),
      '400 3001 ENUM state',
    )
    for (const url of [
      `/treasury/deposits/${newest?.id}`,
      `/treasury/deposits/${newest?.id}/assignments`,
      `/treasury/account/${place.alice.account_id}/deposits/assignments`,
    ]) {
      assert.equal(
        (await place.call('GET', url, undefined, { token: 'stranger' })).status,
        404,
        url,
      )
    }
    assert.deepEqual(
      (await place.call<Deposit[]>('GET', '/treasury/deposits', undefined, { token: 'stranger' }))
        .data,
      [],
    )
    assert.deepEqual(await place.verify(), [])
  })
})
