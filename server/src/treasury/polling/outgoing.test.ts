import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { format } from '../../core/decimal.ts'
import type { Answer } from '../../http/testing.ts'
import { balancesOf } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import type { Outgoing } from '../../venues/index.ts'
import type { WithdrawalAssignment } from '../assignments/assignments.schema.ts'
import { connectVenueTask } from '../opening/opening.ts'
import { CUSTOMERS_IBAN, openMovements } from '../testing/movements.testing.ts'
import {
  balance,
  BTC_ADDRESS,
  departure,
  IBAN,
  movement,
  openWorkplace,
  OTHER_BTC_ADDRESS,
} from '../testing/venue.fixture.ts'
import type { FakeVenue } from '../testing/fake-venue.testing.ts'
import { createWallet } from '../wallets/wallets.ts'
import type { Withdrawal } from '../withdrawals/withdrawals.schema.ts'

const SHOP = 'FR1420041010050500013M02606'

describe('what leaves a venue', () => {
  let place: Awaited<ReturnType<typeof openMovements>>
  before(async () => {
    place = await openMovements()
  })
  after(async () => {
    assert.deepEqual(await place.verify(), [])
    await place.close()
  })

  const code = (answer: Answer<unknown>) =>
    `${answer.status} ${answer.error_code} ${answer.error_details?.[0]?.code}`
  const leaves = async (fake: FakeVenue, ...movements: Outgoing[]) => {
    fake.outgoing.push(...movements)
    await place.later(10_000)
  }
  const debit = (foreign_id: string, quantity: string, more: Partial<Outgoing> = {}) =>
    departure(foreign_id, 'EUR', quantity, {
      wallet: IBAN,
      fee: 0n,
      fee_asset: 'EUR',
      destination_address: SHOP,
      recipient_name: 'Shop',
      ...more,
    })
  const externals = async (): Promise<Withdrawal[]> =>
    (await place.call<Withdrawal[]>('GET', '/treasury/withdrawals')).data.filter(
      (row) => row.origin === 'EXTERNAL',
    )
  const external = async (foreign_id: string): Promise<Withdrawal> => {
    const found = (await externals()).find((external) => external.foreign_id === foreign_id)
    assert.ok(found !== undefined, `${foreign_id} was integrated`)
    return found
  }
  const send = async (route: { id: string }, body: object) => {
    const made = await place.call<Withdrawal>(
      'POST',
      `/treasury/wallets/routes/${route.id}/withdrawals`,
      { speed_level: 'DEFAULT', ...body },
    )
    assert.equal(made.status, 200, made.text)
    await place.work()
    return made.data
  }
  const read = async (id: string) =>
    (await place.call<Withdrawal>('GET', `/treasury/withdrawals/${id}`)).data

  it('becomes an EXTERNAL withdrawal on SUSPENSE, once, and is assigned by hand', async () => {
    const bob = await place.customer('Bob')
    await place.fund(bob.account_id, 'EUR', '100')
    const before = await place.total(place.bank.accounts.VENUE)
    await leaves(place.bank, debit('D1', '40', { reference_text: 'lunch' }))
    const row = await external('D1')
    assert.deepEqual(
      [
        row.state,
        row.quantity,
        row.from_wallet_id,
        row.destination_address,
        row.reference_text,
        row.fee,
      ],
      ['SUCCESS', '40', place.wallets.bank.id, SHOP, 'lunch', '0'],
    )
    assert.deepEqual(await place.bookings(row.id), ['WITHDRAWAL EUR D suspense 40, C bank 40'])
    assert.deepEqual(await place.events(row.id), ['withdrawal.discovered', 'withdrawal.succeeded'])
    assert.equal(Number(before) - Number(await place.total(place.bank.accounts.VENUE)), 40)
    await place.db.query(sql`
      update outgoing_cursors
      set cursor = null`)
    await place.later(10_000)
    assert.deepEqual(
      (await externals()).map((external) => external.version),
      [row.version],
    )
    const url = `/treasury/withdrawals/${row.id}/assignments`
    assert.equal(
      code(await place.call('POST', url, [{ account_id: bob.account_id, quantity: '40.01' }])),
      '400 3001 SUM_MISMATCH',
    )
    const assigned = await place.call<WithdrawalAssignment>('POST', url, [
      { account_id: bob.account_id, quantity: '40' },
    ])
    assert.deepEqual(
      [assigned.data.status, assigned.data.source],
      ['SUCCESSFUL', 'MANUAL'],
      assigned.text,
    )
    assert.equal(await place.total(bob.account_id), '60')
    assert.deepEqual(
      (await place.bookings(row.id))[1],
      'WITHDRAWAL_ASSIGNMENT EUR D Bob 40, C suspense 40',
    )
  })

  it('is matched by the withdrawal matchings', async () => {
    const bob = await place.customer('Bob')
    await place.call('POST', '/accounts/matchings', {
      resource_id: bob.account_id,
      type: 'DESTINATION_WITH_REFERENCE',
      details: {
        asset: 'EUR',
        is_withdrawal_matching: true,
        destination_address: SHOP,
        reference: 'KD-9',
      },
    })
    await leaves(place.bank, debit('D2', '5', { reference_text: 'for KD-9' }))
    const row = await external('D2')
    assert.deepEqual(await place.bookings(row.id), [
      'WITHDRAWAL EUR D suspense 5, C bank 5',
      'WITHDRAWAL_ASSIGNMENT EUR D Bob 5, C suspense 5',
    ])
    assert.equal(await place.total(bob.account_id), '-5', 'a fact is booked')
  })

  it('is followed until it is final, and what fails leaves nothing behind', async () => {
    const pending = {
      state: 'PENDING' as const,
      left: false,
      sub_state: 'Initial',
      destination_address: CUSTOMERS_IBAN,
      fee: null,
      fee_asset: null,
    }
    await leaves(
      place.exchange,
      departure('X1', 'BTC', '0.1', pending),
      departure('X2', 'BTC', '0.2', pending),
      departure('X3', 'BTC', '0.3', { state: 'FAILED', left: false }),
    )
    assert.deepEqual(
      [(await external('X1')).state, await place.bookings((await external('X1')).id)],
      ['PENDING', []],
    )
    const finer = { fee: 10n ** 14n, fee_asset: 'BTC', transaction_hash: 'hx1' }
    await leaves(
      place.exchange,
      departure('X1', 'BTC', '0.1', finer),
      departure('X2', 'BTC', '0.2', { state: 'FAILED', left: false }),
      departure('X4', 'BTC', '0.123456789', finer),
    )
    assert.deepEqual(await place.bookings((await external('X1')).id), [
      'WITHDRAWAL BTC D suspense 0.1, C exchange 0.1',
      'WITHDRAWAL_FEE BTC D fee 0.0001, C exchange 0.0001',
    ])
    assert.deepEqual(
      [(await external('X2')).state, await place.bookings((await external('X2')).id)],
      ['FAILED', []],
    )
    assert.ok(!(await externals()).some((external) => external.foreign_id === 'X3'))
    assert.equal(
      (await place.bookings((await external('X4')).id))[0],
      'WITHDRAWAL BTC D suspense 0.12345678, D rounding 0.000000009, C exchange 0.123456789',
    )
  })

  it("is not doubled when it was sent from here, by our reference or by the venue's", async () => {
    const [count, suspense] = [(await externals()).length, await place.total(place.house.SUSPENSE)]
    const sent = await send(place.routes.bankToAlice, { quantity: '12' })
    await leaves(place.bank, debit('D3', '12', { external_id: sent.external_id }))
    place.models.bank.finish(sent.external_id, { fee: 0n, fee_asset: 'EUR' })
    await place.later(15_000)
    assert.equal((await read(sent.id)).state, 'SUCCESS')
    // The venue keeps no reference of ours, and its answer was lost: nobody knows yet whose this
    // is.
    place.models.exchange.mode = 'late'
    const lost = await send(place.routes.exchangeToVault, { quantity: '0.7' })
    place.models.exchange.down = true
    const foreign_id =
      place.models.exchange.accepted.get(lost.external_id)?.foreign_id ?? assert.fail()
    await leaves(
      place.exchange,
      departure(foreign_id, 'BTC', '0.7'),
      departure('X5', 'BTC', '0.01'),
    )
    assert.deepEqual(
      [(await externals()).length, (await external('X5')).state],
      [count + 1, 'SUCCESS'],
    )
    place.models.exchange.down = false
    await place.later(60_000)
    await place.later(10_000)
    assert.equal((await read(lost.id)).foreign_id, foreign_id)
    assert.equal((await externals()).length, count + 1)
    place.models.exchange.mode = 'accept'
    assert.equal(
      Number(await place.total(place.house.SUSPENSE)),
      Number(suspense) - 12,
      'the payment that nobody was named for',
    )
  })

  it('of one transaction each output is a withdrawal', async () => {
    const many = { wallet: '0', transaction_hash: 'many', fee_asset: 'BTC' }
    await leaves(
      place.vault,
      departure('T1:0', 'BTC', '0.1', { ...many, fee: 10n ** 14n }),
      departure('T1:1', 'BTC', '0.2', { ...many, fee: 0n }),
    )
    const rows = (await externals()).filter((external) => external.transaction_hash === 'many')
    assert.deepEqual(rows.map((row) => [row.foreign_id, row.quantity, row.fee]).toSorted(), [
      ['T1:0', '0.1', '0.0001'],
      ['T1:1', '0.2', '0'],
    ])
  })

  it('is an own transfer between two wallets of ours, also when it arrives early', async () => {
    const suspense = await place.total(place.house.SUSPENSE, 'BTC')
    await leaves(
      place.exchange,
      departure('X6', 'BTC', '1', {
        state: 'PENDING',
        sub_state: 'Settled',
        transaction_hash: 'own',
        destination_address: BTC_ADDRESS,
      }),
    )
    place.arrives(
      place.vault,
      movement('in-own', 'BTC', '1', {
        wallet: '0',
        protocol: 'BTC',
        transaction_hash: 'own',
        destination_address: BTC_ADDRESS,
        source_address: OTHER_BTC_ADDRESS,
      }),
    )
    await place.later(10_000)
    await leaves(
      place.exchange,
      departure('X6', 'BTC', '1', {
        transaction_hash: 'own',
        fee: 10n ** 14n,
        fee_asset: 'BTC',
        destination_address: BTC_ADDRESS,
      }),
    )
    assert.deepEqual(await place.bookings((await external('X6')).id), [
      'TRANSFER BTC D transit 1, C exchange 1',
      'WITHDRAWAL_FEE BTC D fee 0.0001, C exchange 0.0001',
    ])
    assert.equal(await place.total(place.house.SUSPENSE, 'BTC'), suspense)
    assert.equal(
      code(
        await place.call('POST', `/treasury/withdrawals/${(await external('X6')).id}/assignments`, [
          { account_id: place.alice.account_id, quantity: '1' },
        ]),
      ),
      '400 3001 STATE_NOT_ALLOWED',
    )
  })

  it('books a charge as the fee of its withdrawal, any other as a cost of the house', async () => {
    const charge = (id: string, external_id: string | null, quantity: string) =>
      debit(id, quantity, { kind: 'CHARGE', external_id, destination_address: null })
    const alice = place.alice
    await place.settings({ fee_borne_by: 'CUSTOMER' })
    place.bank.fee = 12n * 10n ** 18n
    await place.fund(alice.account_id, 'EUR', '1000')
    const start = Number(await place.total(alice.account_id))
    const sent = await send(place.routes.bankToAlice, {
      quantity: '100',
      account_id: alice.account_id,
    })
    assert.equal(await place.balance(alice.account_id, 'EUR'), `${start}/112`)
    await leaves(place.bank, charge('C1', sent.external_id, '12.5'))
    place.models.bank.finish(sent.external_id, {})
    await place.later(15_000)
    assert.deepEqual(
      [
        (await read(sent.id)).state,
        (await read(sent.id)).fee,
        await place.balance(alice.account_id, 'EUR'),
      ],
      ['SUCCESS', '12.5', `${start - 112.5}/0`],
    )
    await leaves(place.bank, charge('C2', sent.external_id, '0.5'))
    await place.db.query(sql`
      update outgoing_cursors
      set cursor = null`)
    await place.later(10_000)
    assert.equal((await read(sent.id)).fee, '13')
    assert.deepEqual(await place.bookings(sent.id), [
      'WITHDRAWAL EUR D Alice 100, C bank 100',
      'WITHDRAWAL_FEE EUR D Alice 12.5, C bank 12.5',
      'WITHDRAWAL_FEE EUR D Alice 0.5, C bank 0.5',
    ])
    assert.ok((await place.events(sent.id)).includes('withdrawal.fee_adjusted'))
    await place.settings({ fee_borne_by: 'HOUSE' })

    const refused = await send(place.routes.bankToAlice, { quantity: '7' })
    await leaves(place.bank, charge('C3', refused.external_id, '2'))
    place.models.bank.finish(refused.external_id, { state: 'REJECTED', sub_state: 'RJCT' })
    await place.later(15_000)
    assert.deepEqual(
      [
        (await read(refused.id)).state,
        (await read(refused.id)).fee,
        await place.bookings(refused.id),
      ],
      ['REJECTED', '2', ['WITHDRAWAL_FEE EUR D fee 2, C bank 2']],
    )

    // What is charged in another asset is a cost beside the fee, booked with the end or after it.
    const apart = await send(place.routes.bankToAlice, { quantity: '8' })
    const inBitcoin = (id: string) => ({ ...charge(id, apart.external_id, '0.5'), asset: 'BTC' })
    await leaves(place.bank, inBitcoin('C5'))
    place.models.bank.finish(apart.external_id, {})
    await place.later(15_000)
    await leaves(place.bank, inBitcoin('C6'), charge('C7', apart.external_id, '1'))
    assert.deepEqual([(await read(apart.id)).fee, (await read(apart.id)).fee_asset], ['1', 'EUR'])
    assert.deepEqual(await place.bookings(apart.id), [
      'WITHDRAWAL EUR D suspense 8, C bank 8',
      ...['BTC D fee 0.5, C bank 0.5', 'BTC D fee 0.5, C bank 0.5', 'EUR D fee 1, C bank 1'].map(
        (text) => `WITHDRAWAL_FEE ${text}`,
      ),
    ])

    await leaves(place.bank, charge('C4', null, '9'))
    const row = await external('C4')
    assert.deepEqual(await place.bookings(row.id), ['WITHDRAWAL_FEE EUR D fee 9, C bank 9'])
    assert.equal(
      code(
        await place.call('POST', `/treasury/withdrawals/${row.id}/assignments`, [
          { account_id: alice.account_id, quantity: '9' },
        ]),
      ),
      '400 3001 STATE_NOT_ALLOWED',
    )
  })
})

describe('what had left before a venue was connected', () => {
  it('is in the opening balance or integrated beside it, as integrate_from says', async () => {
    const place = await openWorkplace()
    const { vault, exchange, workspace, clock, db } = place
    try {
      const since = clock.now() - 1_000
      await db.tx((tx) =>
        createWallet(
          place.caller,
          { tx, clock },
          {
            type: 'VENUE',
            asset: 'BTC',
            address: BTC_ADDRESS,
            label: 'Vault BTC',
            service_id: vault.service_id,
            venue_id: vault.id,
            account_id: vault.accounts.VENUE,
            access_type: 'INTERNAL',
            configuration: { vault_id: '0', protocol: 'BTC' },
          },
          { key: 'vault-btc', declared_hash: 'x', reference_text: null, integrate_from: since },
        ),
      )
      const connect = (venue: FakeVenue) =>
        connectVenueTask(place.app)({
          workspace,
          kind: 'connect_venue',
          subject_id: venue.id,
          attempts: 1,
        })
      const booked = async (venue: FakeVenue) =>
        format(
          (await balancesOf(db, workspace, venue.accounts.VENUE)).find(
            (balance) => balance.asset === 'BTC',
          )?.total ?? 0n,
        )
      const counted = async (venue: FakeVenue) =>
        (
          await db.query<{ foreign_id: string }>(
            sql`
              select foreign_id
              from opening_movements
              where workspace = ${workspace}
                and venue_id = ${venue.id}
              order by foreign_id`,
          )
        ).map((row) => row.foreign_id)

      exchange.balances = [balance('BTC', '5')]
      exchange.outgoing = [
        departure('old', 'BTC', '1'),
        departure('held', 'BTC', '2', { state: 'PENDING', left: false }),
        departure('gone', 'BTC', '3', { state: 'PENDING', left: true }),
        departure('failed', 'BTC', '4', { state: 'FAILED' }),
      ]
      let moved = false
      exchange.onBalances = () => {
        if (moved) return
        moved = true
        exchange.outgoing.push(departure('between', 'BTC', '1'))
        exchange.balances = [balance('BTC', '4')]
      }
      assert.equal(await connect(exchange), 'done')
      assert.deepEqual(
        [await booked(exchange), await counted(exchange)],
        ['4', ['out:between', 'out:failed', 'out:gone', 'out:old']],
      )

      const at = { wallet: '0', protocol: 'BTC', fee: 10n ** 17n, fee_asset: 'BTC' }
      vault.balances = [balance('BTC', '3', { wallet: '0', protocol: 'BTC' })]
      vault.outgoing = [
        departure('before', 'BTC', '1', { ...at, occurred_at: since - 1 }),
        departure('since', 'BTC', '2', { ...at, occurred_at: since }),
      ]
      assert.equal(await connect(vault), 'done')
      assert.deepEqual([await booked(vault), await counted(vault)], ['5.1', ['out:before']])
    } finally {
      await place.close()
    }
  })
})
