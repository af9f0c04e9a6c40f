import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import { refusalOf } from '../../http/testing.ts'
import { releaseExpiredHolds } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import type { WithdrawalAssignment } from '../assignments/assignments.schema.ts'
import { CUSTOMERS_ADDRESS } from '../testing/movements.testing.ts'
import type { Withdrawal } from '../withdrawals/withdrawals.schema.ts'
import type { BatchRequest } from './batches.schema.ts'
import { openBatches, shown } from './batches.testing.ts'
import type { Item } from './batches.testing.ts'

describe('batches', () => {
  let batches: Awaited<ReturnType<typeof openBatches>>
  before(async () => {
    batches = await openBatches()
  })
  after(() => batches.place.close())

  it('give each name of a caller a withdrawal of its own, which the list finds by it', async () => {
    const { finish, funded, place, prepared, submit } = batches
    const { account_id } = await funded('Named')
    const route_id = place.routes.payout.id
    const item = { route_id, quantity: '0.1', account_id }
    const requests = await prepared([
      { ...item, client_ref: 'named-1' },
      { ...item, client_ref: 'named-2' },
    ])
    const { data: made } = await submit(requests)
    for (const client_ref of ['named-1', 'named-2']) {
      const { data } = await place.call<Withdrawal[]>(
        'GET',
        `/treasury/withdrawals?client_ref=${client_ref}`,
      )
      assert.deepEqual(
        data.map((row) => [row.client_ref, row.quantity, row.stakes?.length]),
        [[client_ref, '0.1', 1]],
      )
    }
    await finish(made)
  })

  describe('that bundle what goes the same way', () => {
    type Funded = Awaited<ReturnType<typeof batches.funded>>
    const key = newId()
    let bob: Funded
    let carol: Funded
    let items: Item[]
    let requests: BatchRequest[]
    let made: Withdrawal[]
    const balances = () => batches.balances(bob, carol)

    before(async () => {
      bob = await batches.funded('Bob')
      carol = await batches.funded('Carol')
      const route_id = batches.place.routes.payout.id
      items = [
        { route_id, quantity: '0.5', account_id: bob.account_id, note: 'first' },
        { route_id, quantity: '0.25', account_id: carol.account_id },
        { route_id, quantity: '0.1', account_id: bob.account_id, speed_level: 'FAST', note: 'now' },
        { route_id, quantity: '0.25', note: 'of nobody' },
      ].map((item) => ({ ...item, third_party: true }))
    })

    it('are prepared as one request for each way, and block what they name', async () => {
      const { place, prepare } = batches
      const answer = await prepare(items, { 'idempotency-key': key })
      assert.equal(answer.status, 200, answer.text)
      requests = answer.data
      assert.deepEqual(shown(requests), [
        '1 BTC DEFAULT bundled: 0.5 first, 0.25, 0.25 of nobody',
        '0.1 BTC FAST alone: 0.1 now',
      ])
      const [first, second] = requests as [BatchRequest, BatchRequest]
      assert.equal(first.prepare_id, second.prepare_id)
      const { expires_at, source_wallet_id, protocol, stakes } = first
      assert.deepEqual(
        { expires_at, source_wallet_id, protocol, stake: stakes[0] },
        {
          expires_at: place.clock.now() + 600_000,
          source_wallet_id: place.wallets.vault.id,
          protocol: 'BTC',
          stake: {
            route_id: place.routes.payout.id,
            destination: CUSTOMERS_ADDRESS,
            quantity: '0.5',
            account_id: bob.account_id,
            note: 'first',
            third_party: true,
          },
        },
      )
      assert.deepEqual((await prepare(items, { 'idempotency-key': key })).data, requests)
      assert.deepEqual(await balances(), ['3/0.6', '3/0.25'])
    })

    it('become withdrawals with the holds that were there, once', async () => {
      const { openHolds, submit } = batches
      const answer = await submit(requests)
      assert.equal(answer.status, 200, answer.text)
      made = answer.data
      assert.deepEqual(
        made.map(({ state, origin, quantity, account_id, note, stakes }) => ({
          state,
          origin,
          quantity,
          account_id,
          note,
          stakes,
        })),
        [
          {
            state: 'PENDING',
            origin: 'BATCH',
            quantity: '1',
            account_id: null,
            note: null,
            stakes: requests[0]?.stakes,
          },
          {
            state: 'PENDING',
            origin: 'BATCH',
            quantity: '0.1',
            account_id: bob.account_id,
            note: 'now',
            stakes: requests[1]?.stakes,
          },
        ],
      )
      assert.deepEqual(await balances(), ['3/0.6', '3/0.25'])
      const holds = await openHolds()
      assert.deepEqual(
        holds.filter((hold) => hold.cause_type === 'prepare'),
        [],
      )
      assert.deepEqual((await submit(requests)).data, made)
    })

    it('leave once, and each payment is booked to its account', async () => {
      const { finish, openHolds, place, submit } = batches
      await finish(made, { fee: 200_000_000_000_000n, fee_asset: 'BTC' })
      const [bundle] = made as [Withdrawal]
      const sends = place.models.vault.sends.filter(
        (send) => send.external_id === bundle.external_id,
      )
      assert.equal(sends.length, 1)
      assert.deepEqual(await place.bookings(bundle.id), [
        'WITHDRAWAL BTC D Bob 0.5, D Carol 0.25, D suspense 0.25, C vault 1',
        'WITHDRAWAL_FEE BTC D fee 0.0002, C vault 0.0002',
      ])
      const assignments = await place.call<WithdrawalAssignment[]>(
        'GET',
        `/treasury/withdrawals/${bundle.id}/assignments`,
      )
      const booked = new Map(assignments.data.map((row) => [row.account_id, row]))
      const expected = { status: 'SUCCESSFUL', source: 'ROUTE' }
      for (const [account_id, quantity] of [
        [bob.account_id, '0.5'],
        [carol.account_id, '0.25'],
      ] as const)
        assert.partialDeepStrictEqual(booked.get(account_id), { ...expected, quantity })
      assert.equal(assignments.data.length, 2)
      // A later repeat answers the same withdrawals as they are by now.
      assert.deepEqual(
        (await submit(requests)).data.map(({ id, state }) => ({ id, state })),
        made.map(({ id }) => ({ id, state: 'SUCCESS' })),
      )
      assert.deepEqual(await balances(), ['2.4/0', '2.75/0'])
      assert.deepEqual(
        { open: await openHolds(), faults: await place.verify() },
        { open: [], faults: [] },
      )
    })
  })

  it('keeps apart what differs in anything a payment has', async () => {
    const { funded, place, prepared, submit } = batches
    const { routes, wallets } = place
    const other = await place.route(wallets.bank, wallets.aliceEur, 'SEPA', {
      to: { name: 'Alice', reference: 'other' },
    })
    const same = await place.route(wallets.bank, wallets.aliceEur, 'SEPA', {
      to: { name: 'Alice', reference: 'thanks' },
    })
    const bob = await funded('Bob')
    const requests = await prepared([
      { route_id: routes.bankToAlice.id, quantity: '1' },
      { route_id: other.id, quantity: '2' },
      { route_id: same.id, quantity: '3' },
      { route_id: routes.bankToExchange.id, quantity: '4' },
      { route_id: routes.vaultToExchange.id, quantity: '0.1' },
      { route_id: routes.vaultToExchange.id, quantity: '0.2', account_id: bob.account_id },
      { route_id: routes.payout.id, quantity: '0.3' },
    ])
    assert.deepEqual(shown(requests), [
      '4 EUR DEFAULT bundled: 1, 3',
      '2 EUR DEFAULT alone: 2',
      '4 EUR DEFAULT alone: 4',
      '0.3 BTC DEFAULT bundled: 0.1, 0.2',
      '0.3 BTC DEFAULT alone: 0.3',
    ])
    // A part of what was prepared together may be submitted, the rest later or never.
    const [one] = (await submit(requests.slice(3, 4))).data
    assert.deepEqual(
      [one?.quantity, one?.transfer_quantity, one?.to_wallet_id],
      ['0.3', '0.1', wallets.exchange.id],
    )
    assert.deepEqual(
      (await submit(requests.slice(3, 5))).data.map((row) => [row.id === one?.id, row.quantity]),
      [
        [true, '0.3'],
        [false, '0.3'],
      ],
    )
    place.clock.advance(600_000)
    await releaseExpiredHolds(place.app)
    assert.equal(await place.balance(bob.account_id, 'BTC'), '3/0.2')
  })

  it('prepare refuses all for one item, and blocks nothing', async () => {
    const { funded, openHolds, place, prepare } = batches
    const bob = await funded('Bob', '1')
    const payout = place.routes.payout.id
    const good = { route_id: payout, quantity: '0.5', account_id: bob.account_id }
    const unlisted = await place.route(place.wallets.vault, place.wallets.alice, 'BTC')
    await place.db.query(
      sql`
        update treasury_routes
        set allowlist_state = 'NOT_REQUESTED'
        where id = ${unlisted.id}`,
    )
    const before = (await openHolds()).length
    for (const [items, expected] of [
      [[], '400 3001 RANGE withdrawals'],
      [[good, { ...good, speed_level: 'CUSTOM' }], '400 3001 ENUM withdrawals[1].speed_level'],
      [[good, { ...good, fee: '1' }], '400 3001 UNKNOWN_FIELD withdrawals[1].fee'],
      [[good, { ...good, route_id: newId() }], '404 4004 NOT_FOUND withdrawals[1].route_id'],
      [[good, { ...good, quantity: '0.000000001' }], '400 3001 SCALE withdrawals[1].quantity'],
      [[good, { ...good, account_id: newId() }], '404 4004 NOT_FOUND withdrawals[1].account_id'],
      [
        [good, { ...good, account_id: place.house.FEE }],
        '400 3001 RANGE withdrawals[1].account_id',
      ],
      [
        [good, { ...good, route_id: unlisted.id }],
        '400 3001 NOT_ALLOWLISTED withdrawals[1].route_id',
      ],
      [[good, { ...good, quantity: '0.6' }], '400 3001 INSUFFICIENT_BALANCE withdrawals'],
    ] as [Item[], string][])
      assert.equal(refusalOf(await prepare(items)), expected, JSON.stringify(items.at(-1)))
    assert.deepEqual(
      [(await openHolds()).length, await place.balance(bob.account_id, 'BTC')],
      [before, '1/0'],
    )
  })

  it('leaves nothing behind when one item or one withdrawal is refused', async () => {
    const { funded, place, prepare } = batches
    const bob = await funded('Bob', '1')
    const { payout, exchangeToVault } = place.routes
    const stored = () =>
      place.db.query(
        sql`
          select (select count(*) from fee_estimates) as estimates,
            (select count(*) from batch_requests) as requests,
            (select count(*) from holds) as holds,
            (select count(*) from withdrawals) as withdrawals`,
      )
    const before = await stored()
    place.exchange.down = true
    const refused = await prepare([
      { route_id: payout.id, quantity: '0.5', account_id: bob.account_id },
      { route_id: exchangeToVault.id, quantity: '0.5' },
    ])
    place.exchange.down = false
    assert.deepEqual([refused.status, refused.error_code], [503, 2003])
    assert.equal(
      refusalOf(
        await place.call('POST', `/treasury/wallets/routes/${payout.id}/withdrawals`, {
          speed_level: 'DEFAULT',
          quantity: '2',
          account_id: bob.account_id,
        }),
      ),
      '400 3001 INSUFFICIENT_BALANCE quantity',
    )
    assert.deepEqual(await stored(), before)
  })
})
