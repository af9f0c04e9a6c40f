import { refusalOf } from '../../http/testing.ts'
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import { releaseExpiredHolds } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import type { WithdrawalAssignment } from '../assignments/assignments.schema.ts'
import type { BatchRequest } from './batches.schema.ts'
import { CUSTOMERS_ADDRESS, openMovements } from '../testing/movements.testing.ts'
import type { Withdrawal } from '../withdrawals/withdrawals.schema.ts'

describe('batches', () => {
  let place: Awaited<ReturnType<typeof openMovements>>
  before(async () => {
    place = await openMovements()
  })
  after(() => place.close())

  type Item = {
    route_id: string
    quantity: string
    speed_level?: string
    account_id?: string
    note?: string
  }
  const prepare = (items: Item[], headers: Record<string, string> = {}) =>
    place.call<BatchRequest[]>(
      'POST',
      '/treasury/withdrawals/batch/prepare',
      { withdrawals: items.map((item) => ({ speed_level: 'DEFAULT', ...item })) },
      { headers },
    )
  const submit = (
    withdrawals: object[],
    more: { headers?: Record<string, string>; token?: string } = {},
  ) => place.call<Withdrawal[]>('POST', '/treasury/withdrawals/batch/submit', { withdrawals }, more)
  const prepared = async (items: Item[]): Promise<BatchRequest[]> => {
    const answer = await prepare(items)
    assert.equal(answer.status, 200, answer.text)
    return answer.data
  }
  const read = async (id: string) =>
    (await place.call<Withdrawal>('GET', `/treasury/withdrawals/${id}`)).data
  const funded = async (label: string, quantity = '3') => {
    const customer = await place.customer(label)
    await place.fund(customer.account_id, 'BTC', quantity)
    return customer
  }
  const shown = (requests: BatchRequest[]) =>
    requests.map(
      (request) =>
        `${request.quantity} ${request.asset} ${request.speed_level} ${request.bundled ? 'bundled' : 'alone'}: ${request.stakes.map((stake) => `${stake.quantity}${stake.note === null ? '' : ` ${stake.note}`}`).join(', ')}`,
    )
  const openHolds = () =>
    place.db.query<{ cause_type: string }>(sql`
      select cause_type
      from holds
      where state = 'OPEN'`)
  /** Everything under way succeeds, or what is given happens to it. */
  async function finish(
    rows: readonly Withdrawal[],
    report: Parameters<typeof place.models.vault.finish>[1] = {},
  ): Promise<void> {
    await place.work()
    for (const row of rows)
      (row.venue_id === place.bank.id
        ? place.models.bank
        : row.venue_id === place.exchange.id
          ? place.models.exchange
          : place.models.vault
      ).finish(row.external_id, report)
    await place.later(60_000)
  }

  it('bundles what goes the same way, sends it once and books each payment', async () => {
    const [bob, carol] = [await funded('Bob'), await funded('Carol')]
    const payout = place.routes.payout.id
    const key = newId()
    const items = [
      { route_id: payout, quantity: '0.5', account_id: bob.account_id, note: 'first' },
      { route_id: payout, quantity: '0.25', account_id: carol.account_id },
      {
        route_id: payout,
        quantity: '0.1',
        account_id: bob.account_id,
        speed_level: 'FAST',
        note: 'now',
      },
      { route_id: payout, quantity: '0.25', note: 'of nobody' },
    ]
    const answer = await prepare(items, { 'idempotency-key': key })
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(shown(answer.data), [
      '1 BTC DEFAULT bundled: 0.5 first, 0.25, 0.25 of nobody',
      '0.1 BTC FAST alone: 0.1 now',
    ])
    const [first, second] = answer.data as [BatchRequest, BatchRequest]
    assert.deepEqual(
      [
        first.prepare_id === second.prepare_id,
        first.expires_at,
        first.source_wallet_id,
        first.protocol,
        first.stakes[0],
      ],
      [
        true,
        place.clock.now() + 600_000,
        place.wallets.vault.id,
        'BTC',
        {
          route_id: payout,
          destination: CUSTOMERS_ADDRESS,
          quantity: '0.5',
          account_id: bob.account_id,
          note: 'first',
        },
      ],
    )
    assert.deepEqual((await prepare(items, { 'idempotency-key': key })).data, answer.data)
    assert.deepEqual(
      [await place.balance(bob.account_id, 'BTC'), await place.balance(carol.account_id, 'BTC')],
      ['3/0.6', '3/0.25'],
    )

    const made = await submit(answer.data)
    assert.equal(made.status, 200, made.text)
    assert.deepEqual(
      made.data.map((row) => [
        row.state,
        row.origin,
        row.quantity,
        row.account_id,
        row.note,
        row.stakes,
      ]),
      [
        ['PENDING', 'BATCH', '1', null, null, first.stakes],
        ['PENDING', 'BATCH', '0.1', bob.account_id, 'now', second.stakes],
      ],
    )
    assert.deepEqual(
      [await place.balance(bob.account_id, 'BTC'), await place.balance(carol.account_id, 'BTC')],
      ['3/0.6', '3/0.25'],
    )
    assert.deepEqual(
      (await openHolds()).filter((openHold) => openHold.cause_type === 'prepare'),
      [],
    )
    assert.deepEqual((await submit(answer.data)).data, made.data)
    await finish(made.data, { fee: 200_000_000_000_000n, fee_asset: 'BTC' })
    const [bundle] = made.data as [Withdrawal]
    assert.equal(
      place.models.vault.sends.filter((send) => send.external_id === bundle.external_id).length,
      1,
    )
    assert.deepEqual(await place.bookings(bundle.id), [
      'WITHDRAWAL BTC D Bob 0.5, D Carol 0.25, D suspense 0.25, C vault 1',
      'WITHDRAWAL_FEE BTC D fee 0.0002, C vault 0.0002',
    ])
    const list = (
      await place.call<WithdrawalAssignment[]>(
        'GET',
        `/treasury/withdrawals/${bundle.id}/assignments`,
      )
    ).data
    assert.deepEqual(
      list.map((row) => [row.account_id, row.quantity, row.status, row.source]).toSorted(),
      [
        [bob.account_id, '0.5', 'SUCCESSFUL', 'ROUTE'],
        [carol.account_id, '0.25', 'SUCCESSFUL', 'ROUTE'],
      ].toSorted(),
    )
    // A later repeat answers the same withdrawals as they are by now.
    assert.deepEqual(
      (await submit(answer.data)).data.map((row) => [row.id, row.state]),
      made.data.map((row) => [row.id, 'SUCCESS']),
    )
    assert.deepEqual(
      [await place.balance(bob.account_id, 'BTC'), await place.balance(carol.account_id, 'BTC')],
      ['2.4/0', '2.75/0'],
    )
    assert.deepEqual([await openHolds(), await place.verify()], [[], []])
  })

  it('keeps apart what differs in anything a payment has', async () => {
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
      '0.1 BTC DEFAULT alone: 0.1',
      '0.2 BTC DEFAULT alone: 0.2',
      '0.3 BTC DEFAULT alone: 0.3',
    ])
    // A part of what was prepared together may be submitted, the rest later or never.
    const [one] = (await submit(requests.slice(3, 4))).data
    assert.deepEqual([one?.quantity, one?.to_wallet_id], ['0.1', wallets.exchange.id])
    assert.deepEqual(
      (await submit(requests.slice(3, 5))).data.map((row) => [row.id === one?.id, row.account_id]),
      [
        [true, null],
        [false, bob.account_id],
      ],
    )
    place.clock.advance(600_000)
    await releaseExpiredHolds(place.app)
    assert.equal(await place.balance(bob.account_id, 'BTC'), '3/0.2')
  })

  it('prepare refuses all for one item, and blocks nothing', async () => {
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
      [[good, { ...good, quantity: '0.6' }], '400 3001 INSUFFICIENT_BALANCE '],
    ] as [Item[], string][])
      assert.equal(refusalOf(await prepare(items)), expected, JSON.stringify(items.at(-1)))
    assert.deepEqual(
      [(await openHolds()).length, await place.balance(bob.account_id, 'BTC')],
      [before, '1/0'],
    )
  })

  it('submits only what was answered, unchanged, while it lives', async () => {
    const bob = await funded('Bob')
    const [request] = (await prepared([
      { route_id: place.routes.payout.id, quantity: '0.5', account_id: bob.account_id },
    ])) as [BatchRequest]
    const [stake] = request.stakes
    const changed: object[] = [
      { quantity: '0.4' },
      { quantity: '0.50' },
      { prepare_id: newId() },
      { expires_at: request.expires_at + 1 },
      { speed_level: 'FAST' },
      { bundled: true },
      { fee_estimate: '0' },
      { source_wallet_id: newId() },
      { stakes: [{ ...stake, account_id: null }] },
      { stakes: [{ ...stake, account_id: place.alice.account_id }] },
      { stakes: [{ ...stake, destination: 'elsewhere' }] },
      { stakes: [stake, stake] },
      { stakes: [{ ...stake, note: 'more' }] },
    ]
    for (const change of changed)
      assert.equal(
        refusalOf(await submit([{ ...request, ...change }])),
        '400 3001 CONFLICT withdrawals[0]',
        JSON.stringify(change),
      )
    assert.equal(
      refusalOf(await submit([{ ...request, id: newId() }])),
      '404 4004 NOT_FOUND withdrawals[0].id',
    )
    assert.equal(
      refusalOf(await submit([request], { token: 'stranger' })),
      '404 4004 NOT_FOUND withdrawals[0].id',
    )
    assert.equal(refusalOf(await submit([request, request])), '400 3001 DUPLICATE withdrawals[1]')
    assert.equal(refusalOf(await submit([])), '400 3001 RANGE withdrawals')
    await place.db.query(
      sql`
        update treasury_routes
        set allowlist_state = 'REMOVED'
        where id = ${place.routes.payout.id}`,
    )
    assert.equal(
      refusalOf(await submit([request])),
      '400 3001 NOT_ALLOWLISTED withdrawals[0].route_id',
    )
    await place.db.query(
      sql`
        update treasury_routes
        set allowlist_state = 'APPROVED'
        where id = ${place.routes.payout.id}`,
    )
    await place.db.query(
      sql`
        update treasury_routes
        set transfer = jsonb_set(transfer, '{to,tag}', '"7"')
        where id = ${place.routes.payout.id}`,
    )
    assert.equal(refusalOf(await submit([request])), '400 3001 CONFLICT withdrawals[0].route_id')
    await place.db.query(
      sql`
        update treasury_routes
        set transfer = transfer #- '{to,tag}'
        where id = ${place.routes.payout.id}`,
    )
    place.clock.advance(599_999)
    await releaseExpiredHolds(place.app)
    assert.equal(await place.balance(bob.account_id, 'BTC'), '3/0.5')
    const [late] = (await prepared([
      { route_id: place.routes.payout.id, quantity: '0.7', account_id: bob.account_id },
    ])) as [BatchRequest]
    place.clock.advance(1)
    assert.equal(refusalOf(await submit([request])), '400 3001 STATE_NOT_ALLOWED withdrawals[0]')
    assert.equal(
      refusalOf(await submit([late, request])),
      '400 3001 STATE_NOT_ALLOWED withdrawals[1]',
    )
    await releaseExpiredHolds(place.app)
    assert.equal(await place.balance(bob.account_id, 'BTC'), '3/0.7')
    assert.equal(
      (
        await place.db.query(sql`
        select 1
        from withdrawals
        where account_id = ${bob.account_id}`)
      ).length,
      0,
    )
    const key = newId()
    const answers = await Promise.all([
      submit([late]),
      submit([late]),
      submit([late], { headers: { 'idempotency-key': key } }),
      submit([late], { headers: { 'idempotency-key': key } }),
    ])
    assert.deepEqual(
      new Set(
        answers.map((answer) =>
          answer.status === 200
            ? answer.data[0]?.id
            : answer.error_code === 4092
              ? answers.find((one) => one.status === 200)?.data[0]?.id
              : answer.text,
        ),
      ).size,
      1,
    )
    assert.equal(
      (
        await place.db.query(sql`
        select 1
        from withdrawals
        where account_id = ${bob.account_id}`)
      ).length,
      1,
    )
    await finish(answers.find((answer) => answer.status === 200)?.data ?? [])
    assert.equal(await place.balance(bob.account_id, 'BTC'), '2.3/0')
    assert.deepEqual(await place.verify(), [])
  })

  it('answers a repeat of a key as before, and refuses it for another request', async () => {
    const bob = await funded('Bob')
    const [one, other] = (await prepared([
      { route_id: place.routes.payout.id, quantity: '0.1', account_id: bob.account_id },
      {
        route_id: place.routes.payout.id,
        quantity: '0.2',
        account_id: bob.account_id,
        speed_level: 'FAST',
      },
    ])) as [BatchRequest, BatchRequest]
    const keys = [newId(), newId()].map((key) => ({ headers: { 'idempotency-key': key } }))
    const made = await submit([one])
    const answers = await Promise.all(keys.map((key) => submit([one], key)))
    for (const answer of answers) assert.deepEqual(answer.data, made.data)
    await place.db.query(
      sql`
        update withdrawals
        set sub_state = 'ELSEWHERE', version = version + 1
        where id = ${made.data[0]?.id ?? ''}`,
    )
    for (const key of keys) {
      assert.deepEqual((await submit([one], key)).data, made.data)
      assert.equal((await submit([other], key)).error_code, 4091)
    }
    assert.equal((await submit([one])).data[0]?.sub_state, 'ELSEWHERE')
  })

  it('shares the fee by parts where customers bear it; what fails is free again', async () => {
    await place.settings({ fee_borne_by: 'CUSTOMER' })
    const [bob, carol] = [await funded('Bob'), await funded('Carol')]
    const payout = place.routes.payout.id
    const items = [
      { route_id: payout, quantity: '1', account_id: bob.account_id },
      { route_id: payout, quantity: '2', account_id: carol.account_id },
    ]
    const requests = await prepared(
      items.map((item) => ({ ...item, quantity: item.quantity === '2' ? '0.5' : '1' })),
    )
    assert.deepEqual(
      [
        requests[0]?.fee_estimate,
        await place.balance(bob.account_id, 'BTC'),
        await place.balance(carol.account_id, 'BTC'),
      ],
      ['0.0002', '3/1.00013333', '3/0.50006666'],
    )
    const failed = await submit(requests)
    await finish(failed.data, { state: 'FAILED', reason: 'no' })
    assert.deepEqual(
      [await place.balance(bob.account_id, 'BTC'), await place.balance(carol.account_id, 'BTC')],
      ['3/0', '3/0'],
    )
    const made = (await submit(await prepared(items))).data
    await finish(made, { fee: 100_000_000_000_000n, fee_asset: 'BTC' })
    assert.deepEqual((await place.bookings(made[0]?.id ?? '')).slice(1), [
      'WITHDRAWAL_FEE BTC D Bob 0.00003333, D Carol 0.00006666, D fee 0.00000001, C vault 0.0001',
    ])
    assert.deepEqual(
      [await place.balance(bob.account_id, 'BTC'), await place.balance(carol.account_id, 'BTC')],
      ['1.99996667/0', '0.99993334/0'],
    )
    assert.equal((await read(made[0]?.id ?? '')).state, 'SUCCESS')
    await place.settings({ fee_borne_by: 'HOUSE' })
    assert.deepEqual(await place.verify(), [])
  })

  it('leaves books that verify and no open hold, whatever is prepared and submitted', async () => {
    const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000)
    let state = seed
    const below = (limit: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
      return Math.floor(state / 65_536) % limit
    }
    const customers = await Promise.all(['A', 'B', 'C'].map((label) => funded(label, '5')))
    const kept: BatchRequest[] = []
    for (let turn = 0; turn < 25; turn += 1) {
      if (below(2) === 0) {
        const answer = await prepare(
          Array.from({ length: 1 + below(4) }, () => ({
            route_id: place.routes.payout.id,
            quantity: `0.${1 + below(9)}`,
            speed_level: below(2) === 0 ? 'FAST' : 'SLOW',
            ...(below(4) === 0 ? {} : { account_id: customers[below(3)]?.account_id ?? '' }),
          })),
        )
        if (answer.status === 200) kept.push(...answer.data)
        else assert.equal(refusalOf(answer), '400 3001 INSUFFICIENT_BALANCE ')
      } else if (kept.length > 0) {
        const answer = await submit(
          Array.from(
            { length: 1 + below(2) },
            () => kept[below(kept.length)] as BatchRequest,
          ).filter((row, index, all) => all.indexOf(row) === index),
        )
        if (answer.status !== 200)
          assert.equal(
            refusalOf(answer).slice(0, 26),
            '400 3001 STATE_NOT_ALLOWED',
            `SEED=${seed} ${answer.text}`,
          )
        else
          for (const row of answer.data.filter(
            (row) => row.submitted_at === null && row.state === 'PENDING',
          ))
            if (below(3) === 0)
              await place.call('POST', `/treasury/withdrawals/${row.id}/cancel`, {})
      }
      place.models.vault.mode = below(8) === 0 ? 'refuse' : 'accept'
      if (below(2) === 0) await place.work()
      place.models.vault.mode = 'accept'
      if (below(4) === 0) {
        place.clock.advance(300_000)
        await releaseExpiredHolds(place.app)
      }
    }
    const live = async () =>
      (
        await place.call<Withdrawal[]>(
          'GET',
          '/treasury/withdrawals?state=pending,pending_review,unknown',
        )
      ).data
    for (let rounds = 0; rounds < 20 && (await live()).length > 0; rounds += 1) {
      await place.later(60_000)
      const rows = (await live()).filter((row) => row.foreign_id !== null)
      await finish(rows, below(3) === 0 ? { state: 'FAILED' } : {})
    }
    place.clock.advance(600_000)
    await releaseExpiredHolds(place.app)
    assert.deepEqual(
      [(await live()).length, await openHolds(), await place.verify()],
      [0, [], []],
      `SEED=${seed}`,
    )
  })

  it('leaves nothing behind when one item or one withdrawal is refused', async () => {
    const bob = await funded('Bob', '1')
    const { payout, exchangeToVault } = place.routes
    const stored = () =>
      place.db.query(
        sql`
          select (select count(*) from fee_estimates) as estimates,
            (select count(*) from batch_requests) as requests,
            (select count(*) from holds) as holds, (select count(*) from withdrawals) as withdrawals`,
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
      '400 3001 INSUFFICIENT_BALANCE ',
    )
    assert.deepEqual(await stored(), before)
  })
})
