import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import { refusalOf } from '../../http/testing.ts'
import { sql } from '../../store/sql.ts'
import { CUSTOMERS_ADDRESS } from '../testing/movements.testing.ts'
import { BTC_ADDRESS, IBAN, movement } from '../testing/venue.fixture.ts'
import type { Deposit } from '../deposit-rows/deposits.schema.ts'
import { openDeposits, PAYER } from './deposits.testing.ts'

describe('deposits', () => {
  let deposits: Awaited<ReturnType<typeof openDeposits>>
  before(async () => {
    deposits = await openDeposits()
  })
  after(() => deposits.place.close())

  it('finds whose a wire is, books it, and sees it once', async () => {
    const { assignments, match, place, read, wire } = deposits
    const bob = await place.customer('Bob')
    const made = await match(bob.account_id, 'DESTINATION_WITH_REFERENCE', {
      destination_address: IBAN,
      reference: 'KD-100',
    })
    const seen = await wire('1234.56', { reference_text: 'Invoice 7, kd-100.' })
    const deposit = await read(seen)
    assert.partialDeepStrictEqual(deposit, {
      state: 'SUCCESSFUL',
      quantity: '1234.56',
      assigned_quantity: '1234.56',
      wallet_id: place.wallets.bank.id,
      counterparty: { name: 'Payer' },
    })
    assert.deepEqual(await place.bookings(deposit.id), [
      'DEPOSIT EUR D bank 1234.56, C suspense 1234.56',
      'DEPOSIT_ASSIGNMENT EUR D suspense 1234.56, C Bob 1234.56',
    ])
    const [assignment] = await assignments(deposit.id)
    assert.partialDeepStrictEqual(assignment, {
      status: 'SUCCESSFUL',
      source: 'MATCHING',
      matching_id: made.data.id,
      customer_id: bob.id,
    })
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
    assert.deepEqual(await everywhere(''), [
      { ...assignment, withdrawal_id: null, movement_state: 'SUCCESSFUL' },
    ])
    assert.equal((await everywhere(`&of=DEPOSIT&state=${assignment?.status}`)).length, 1)
    for (const other of ['&of=WITHDRAWAL', '&state=REJECTED'])
      assert.deepEqual(await everywhere(other), [], other)
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
    const { assign, match, place, read, wire } = deposits
    const bob = await place.customer('Bob')
    await match(bob.account_id, 'SOURCE_WITHOUT_REFERENCE', {
      source_address: 'AT611904300234573201',
    })
    const later = { source_address: 'AT611904300234573201' }
    const seen = await wire('10', { ...later, state: 'PENDING', confirmations: 0 })
    const before = await read(seen)
    assert.partialDeepStrictEqual(before, { state: 'PENDING', confirmations: 0 })
    assert.equal(
      refusalOf(await assign(before.id, [{ account_id: bob.account_id, quantity: '10' }])),
      '400 3001 STATE_NOT_ALLOWED ',
    )
    assert.equal(await place.total(bob.account_id), '0')
    place.arrives(
      place.bank,
      movement(seen, 'EUR', '10', { ...later, wallet: IBAN, confirmations: 3 }),
    )
    await place.later(10_000)
    assert.partialDeepStrictEqual(await read(seen), { state: 'SUCCESSFUL', confirmations: 3 })
    assert.equal(await place.total(bob.account_id), '10')
    const lost = await wire('11', { ...later, state: 'PENDING' })
    place.arrives(
      place.bank,
      movement(lost, 'EUR', '11', { ...later, wallet: IBAN, state: 'FAILED' }),
    )
    await place.later(10_000)
    const failed = await read(lost)
    assert.deepEqual(
      { state: failed.state, bookings: await place.bookings(failed.id) },
      { state: 'FAILED', bookings: [] },
    )
  })

  it("leaves alone what is nobody's or two people's", async () => {
    const { match, place, read, wire } = deposits
    const [bob, eve] = [await place.customer('Bob'), await place.customer('Eve')]
    await match(bob.account_id, 'SOURCE_WITH_REFERENCE', {
      source_address: PAYER,
      reference: 'one',
    })
    await match(eve.account_id, 'SOURCE_WITH_REFERENCE', {
      source_address: PAYER,
      reference: 'two',
    })
    assert.partialDeepStrictEqual(await read(await wire('1', { reference_text: 'one two' })), {
      state: 'UNASSIGNED',
      reason_code: 'AMBIGUOUS_MATCH',
    })
    assert.partialDeepStrictEqual(await read(await wire('1', { reference_text: 'three' })), {
      state: 'UNASSIGNED',
      reason_code: null,
    })
    assert.equal(
      await read(await wire('1', { reference_text: 'two' })).then((row) => row.state),
      'SUCCESSFUL',
    )
    assert.equal(await place.total(eve.account_id), '1')
  })

  it('follows the receiving customer wallet, before the source', async () => {
    const { place, read } = deposits
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
    assert.partialDeepStrictEqual(await read('coin-1'), {
      wallet_id: wallet.id,
      state: 'SUCCESSFUL',
      output_index: 0,
    })
    assert.deepEqual(
      {
        bob: await place.total(bob.account_id, 'BTC'),
        eve: await place.total(eve.account_id, 'BTC'),
      },
      { bob: '0.5', eve: '0.25' },
    )
  })

  it('reverses what the venue takes back, even when the customer has spent it', async () => {
    const { assign, match, place, read, wire } = deposits
    const bob = await place.customer('Bob')
    await match(bob.account_id, 'DESTINATION_WITH_REFERENCE', {
      destination_address: IBAN,
      reference: 'REV',
    })
    const seen = await wire('30', { reference_text: 'REV' })
    await place.spend(bob.account_id, 'EUR', '30')
    place.arrives(place.bank, movement(seen, 'EUR', '30', { wallet: IBAN, state: 'REVERSED' }))
    await place.later(10_000)
    const deposit = await read(seen)
    assert.deepEqual(
      {
        state: deposit.state,
        reason_code: deposit.reason_code,
        assigned_quantity: deposit.assigned_quantity,
        total: await place.total(bob.account_id),
      },
      { state: 'REVERSED', reason_code: 'REVERSED_BY_VENUE', assigned_quantity: '0', total: '-30' },
    )
    assert.deepEqual((await place.bookings(deposit.id)).slice(2), [
      'REVERSAL EUR C suspense 30, D Bob 30',
      'REVERSAL EUR C bank 30, D suspense 30',
    ])
    assert.ok((await place.events(bob.account_id)).includes('account.overdrawn'))
    assert.equal(
      refusalOf(await assign(deposit.id, [{ account_id: bob.account_id, quantity: '1' }])),
      '400 3001 STATE_NOT_ALLOWED ',
    )
    // Told again: nothing more happens.
    place.arrives(place.bank, movement(seen, 'EUR', '30', { wallet: IBAN, state: 'REVERSED' }))
    await place.later(10_000)
    assert.equal((await place.bookings(deposit.id)).length, 4)
  })

  it('keeps what is finer than the asset with the house', async () => {
    const { place, read } = deposits
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
    assert.partialDeepStrictEqual(deposit, {
      state: 'SUCCESSFUL',
      quantity: '1.0000019',
      wallet_id: null,
    })
    assert.deepEqual(await place.bookings(deposit.id), [
      'DEPOSIT XRP D vault 1.0000019, C suspense 1.000001, C rounding 0.0000009',
      'DEPOSIT_ASSIGNMENT XRP D suspense 1.000001, C Bob 1.000001',
    ])
  })

  it('is read at once when the venue says so, by its signature', async () => {
    const { place, read } = deposits
    place.clock.advance(1)
    place.arrives(place.bank, movement('pushed', 'EUR', '1', { wallet: IBAN }))
    const push = (signature: string, id = place.bank.id) =>
      place.call<{ read: boolean }>(
        'POST',
        `/venues/${id}/push`,
        { hello: 'there' },
        { headers: { signature } },
      )
    assert.equal(refusalOf(await push('wrong')), '401 1001 undefined undefined')
    assert.equal(refusalOf(await push('right', newId())), '404 4004 NOT_FOUND venue_id')
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
    const { place } = deposits
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
      refusalOf(await place.call('GET', '/treasury/deposits?state=LOST')),
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
