import { refusalOf } from '../../http/testing.ts'
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { decimal, format } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import { freezeAccount } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import type { BatchRequest } from './batches.schema.ts'
import { feeParts } from '../bookings.ts'
import { openMovements } from '../testing/movements.testing.ts'
import { departure, movement, OTHER_BTC_ADDRESS } from '../testing/venue.fixture.ts'
import type { Withdrawal } from '../withdrawals/withdrawals.schema.ts'

const BOBS = '1BoatSLRHtKNngkdXEeobR76b53LETtpyT'
const BOBS_OTHER = '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy'
const CAROLS = '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'

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
  let place: Awaited<ReturnType<typeof openMovements>>
  let routes: Record<'bob' | 'bobToo' | 'carol' | 'exchange', string>
  let bob: { id: string; account_id: string }
  let carol: { id: string; account_id: string }
  let group: string | null
  before(async () => {
    place = await openMovements()
    const { adapter } = await place.app.venues.connected(place.workspace, place.vault.id)
    assert.ok(adapter.transfers)
    adapter.transfers.output_group = () => group
    const owner = await place.customer('Owner')
    const to = async (address: string) =>
      (
        await place.route(
          place.wallets.vault,
          await place.wallet({
            type: 'CUSTOMER',
            asset: 'BTC',
            address,
            customer_id: owner.id,
            account_id: owner.account_id,
          }),
          'BTC',
        )
      ).id
    routes = {
      bob: await to(BOBS),
      bobToo: await to(BOBS_OTHER),
      carol: await to(CAROLS),
      exchange: place.routes.vaultToExchange.id,
    }
  })
  beforeEach(async () => {
    group = 'vault account 0'
    place.models.vault.mode = 'accept'
    ;[bob, carol] = [await funded('Bob'), await funded('Carol')]
  })
  after(() => place.close())

  type Item = {
    route_id: string
    quantity: string
    speed_level?: string
    account_id?: string
    note?: string
  }
  async function funded(label: string) {
    const customer = await place.customer(label)
    await place.fund(customer.account_id, 'BTC', '3')
    return customer
  }
  async function prepared(items: Item[]): Promise<BatchRequest[]> {
    const answer = await place.call<BatchRequest[]>('POST', '/treasury/withdrawals/batch/prepare', {
      withdrawals: items.map((item) => ({ speed_level: 'DEFAULT', ...item })),
    })
    assert.equal(answer.status, 200, answer.text)
    return answer.data
  }
  const submit = (withdrawals: object[], headers: Record<string, string> = {}) =>
    place.call<Withdrawal[]>(
      'POST',
      '/treasury/withdrawals/batch/submit',
      { withdrawals },
      { headers },
    )
  async function submitted(items: Item[]): Promise<Withdrawal[]> {
    const answer = await submit(await prepared(items))
    assert.equal(answer.status, 200, answer.text)
    return answer.data
  }
  /** Two payments of Bob to two addresses, one of Carol, and one to a wallet of our own. */
  const four = (): Item[] => [
    { route_id: routes.bob, quantity: '0.5', account_id: bob.account_id, note: 'first' },
    { route_id: routes.bobToo, quantity: '0.25', account_id: bob.account_id },
    { route_id: routes.carol, quantity: '0.125', account_id: carol.account_id },
    { route_id: routes.exchange, quantity: '0.125' },
  ]
  const read = async (id: string) =>
    (await place.call<Withdrawal>('GET', `/treasury/withdrawals/${id}`)).data
  const all = (rows: readonly Withdrawal[]) => Promise.all(rows.map((row) => read(row.id)))
  const states = async (rows: readonly Withdrawal[]) => (await all(rows)).map((row) => row.state)
  const act = (
    id: string,
    what: string,
    body: object | undefined = what === 'recheck' ? undefined : {},
  ) => place.call<Withdrawal>('POST', `/treasury/withdrawals/${id}/${what}`, body)
  const sends = (rows: readonly Withdrawal[]) =>
    place.models.vault.sends.filter((send) => send.external_id === rows[0]?.external_id)
  const balances = async () => [
    await place.balance(bob.account_id, 'BTC'),
    await place.balance(carol.account_id, 'BTC'),
  ]
  const first = (rows: readonly Withdrawal[]) => {
    assert.ok(rows[0])
    return rows[0]
  }

  it('pays several destinations in one transaction, each by its own withdrawal', async () => {
    const requests = await prepared(four())
    assert.deepEqual(
      requests.map((request) => [
        request.bundled,
        request.quantity,
        request.destination_wallet_id,
        request.fee_estimate,
        request.stakes.map((stake) => `${stake.quantity} ${stake.destination}`),
      ]),
      [
        [
          true,
          '1',
          null,
          '0.0002',
          [`0.5 ${BOBS}`, `0.25 ${BOBS_OTHER}`, `0.125 ${CAROLS}`, `0.125 ${OTHER_BTC_ADDRESS}`],
        ],
      ],
    )
    assert.deepEqual(await balances(), ['3/0.75', '3/0.125'])
    const made = await submit(requests)
    assert.equal(made.status, 200, made.text)
    const rows = made.data
    assert.deepEqual(
      rows.map((row) => [
        row.state,
        row.quantity,
        row.account_id,
        row.note,
        row.fee_estimate,
        row.stakes?.length,
        row.destination_address,
      ]),
      [
        ['PENDING', '0.5', bob.account_id, 'first', '0.0001', 1, BOBS],
        ['PENDING', '0.25', bob.account_id, null, '0.00005', 1, BOBS_OTHER],
        ['PENDING', '0.125', carol.account_id, null, '0.000025', 1, CAROLS],
        ['PENDING', '0.125', null, null, '0.000025', 1, OTHER_BTC_ADDRESS],
      ],
    )
    assert.deepEqual(
      [new Set(rows.map((row) => row.id)).size, [...new Set(rows.map((row) => row.external_id))]],
      [4, [first(rows).id]],
    )
    assert.deepEqual(
      [(await submit(requests)).data, await balances()],
      [rows, ['3/0.75', '3/0.125']],
    )

    await place.work()
    const [order] = sends(rows)
    assert.deepEqual(
      [
        sends(rows).length,
        order?.quantity,
        order?.destination_address,
        order?.further_outputs?.map((furtherOutput) => [
          format(furtherOutput.quantity),
          furtherOutput.destination_address,
        ]),
      ],
      [
        1,
        decimal('0.5'),
        BOBS,
        [
          ['0.25', BOBS_OTHER],
          ['0.125', CAROLS],
          ['0.125', OTHER_BTC_ADDRESS],
        ],
      ],
    )
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
    place.arrives(
      place.exchange,
      ...[
        ['a', '0.07', 5],
        ['b', '0.125', 2],
      ].map(([id, quantity, output_index]) =>
        movement(String(id), 'BTC', String(quantity), {
          transaction_hash: 'many',
          output_index: Number(output_index),
          destination_address: OTHER_BTC_ADDRESS,
        }),
      ),
    )
    await place.later(60_000)
    const done = await all(rows)
    assert.deepEqual(
      done.map((row) => [row.state, row.fee, row.transaction_hash]),
      [
        ['SUCCESS', '0.00015', 'many'],
        ['SUCCESS', '0.000075', 'many'],
        ['SUCCESS', '0.0000375', 'many'],
        ['SUCCESS', '0.0000375', 'many'],
      ],
    )
    assert.equal(new Set(done.map((row) => row.foreign_id)).size, 1)
    const [one, , , own] = rows as [Withdrawal, Withdrawal, Withdrawal, Withdrawal]
    assert.deepEqual(await place.bookings(one.id), [
      'WITHDRAWAL BTC D Bob 0.5, C vault 0.5',
      'WITHDRAWAL_FEE BTC D fee 0.00015, C vault 0.00015',
    ])
    assert.deepEqual(await place.bookings(own.id), [
      'TRANSFER BTC D transit 0.125, C vault 0.125',
      'WITHDRAWAL_FEE BTC D fee 0.0000375, C vault 0.0000375',
    ])
    const arrived = await place.db.query<{
      quantity: string
      state: string
      related_withdrawal_id: string | null
      output_index: number
    }>(
      sql`
        select quantity, state, related_withdrawal_id, output_index
        from deposits
        where transaction_hash = 'many'
        order by quantity`,
    )
    assert.deepEqual(arrived, [
      { quantity: '0.07', state: 'UNASSIGNED', related_withdrawal_id: null, output_index: 5 },
      { quantity: '0.125', state: 'SUCCESSFUL', related_withdrawal_id: own.id, output_index: 2 },
    ])
    assert.equal(
      (
        await place.db.query(sql`
        select 1
        from withdrawals
        where origin = 'EXTERNAL'`)
      ).length,
      0,
    )
    assert.deepEqual(
      [await place.events(own.id), await balances(), await place.verify()],
      [
        ['withdrawal.created', 'withdrawal.submitted', 'withdrawal.succeeded'],
        ['2.25/0', '2.875/0'],
        [],
      ],
    )
    assert.deepEqual(
      (await submit(requests)).data.map((row) => [row.id, row.state]),
      rows.map((row) => [row.id, 'SUCCESS']),
    )
  })

  it('keeps apart what cannot share: other speed, same address, single-payment venue', async () => {
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
      { route_id: routes.exchange, quantity: '0.3', account_id: bob.account_id },
      { route_id: routes.carol, quantity: '0.4' },
    ]
    assert.deepEqual(await shown(own), ['0.1 + 0.2 + 0.4', '0.3'])
    group = null
    assert.deepEqual(await shown(items), ['0.1 + 0.4', '0.2', '0.3'])
  })

  it('is submitted unchanged only, and each destination must still qualify', async () => {
    const [request] = (await prepared(four())) as [BatchRequest]
    const [one, ...others] = request.stakes
    for (const change of [
      { stakes: others },
      { stakes: [...others, one] },
      { stakes: [{ ...one, destination: CAROLS }, ...others] },
      { destination_wallet_id: newId() },
      { bundled: false },
    ]) {
      assert.equal(
        refusalOf(await submit([{ ...request, ...change }])),
        '400 3001 CONFLICT withdrawals[0]',
      )
    }
    await place.db.query(
      sql`
        update treasury_routes
        set allowlist_state = 'REMOVED'
        where id = ${routes.carol}`,
    )
    assert.equal(
      refusalOf(await submit([request])),
      '400 3001 NOT_ALLOWLISTED withdrawals[0].route_id',
    )
    await place.db.query(
      sql`
        update treasury_routes
        set allowlist_state = 'APPROVED'
        where id = ${routes.carol}`,
    )
    group = 'another'
    assert.equal(refusalOf(await submit([request])), '400 3001 CONFLICT withdrawals[0].route_id')
    group = 'vault account 0'
    const key = newId()
    const answers = await Promise.all([
      submit([request]),
      submit([request]),
      submit([request], { 'idempotency-key': key }),
      submit([request], { 'idempotency-key': key }),
    ])
    const made = answers.find((answer) => answer.status === 200)?.data ?? []
    for (const answer of answers)
      if (answer.status === 200)
        assert.deepEqual(
          answer.data.map((row) => row.id),
          made.map((row) => row.id),
        )
      else assert.equal(answer.error_code, 4092, answer.text)
    assert.equal(
      (
        await place.db.query(
          sql`
            select 1
            from withdrawals
            where external_id = ${first(made).external_id}`,
        )
      ).length,
      4,
    )
    for (const row of made) assert.equal((await act(row.id, 'cancel')).status, 200)
    await place.work()
    assert.deepEqual(
      [sends(made).length, await balances(), await place.verify()],
      [0, ['3/0', '3/0'], []],
    )
    assert.equal(
      (
        await place.db.query(sql`
        select 1
        from tasks
        where subject_id = ${first(made).id}`)
      ).length,
      0,
    )
  })

  it('succeeds or fails whole: refused, failed, found, lost and sent again', async () => {
    for (const [mode, ends] of [
      ['refuse', 'REJECTED'],
      ['accept', 'FAILED'],
      ['late', 'SUCCESS'],
      ['lost', 'SUCCESS'],
    ] as const) {
      place.models.vault.mode = mode
      const rows = await submitted(four().slice(0, 3))
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
    assert.deepEqual([await balances(), await place.verify()], [['1.5/0', '2.75/0'], []])
  })

  it('one that is canceled before it leaves is left out; the others go', async () => {
    const rows = await submitted(four())
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
      [await late(rows), await balances(), await place.verify()],
      [[], ['2.75/0', '2.875/0'], []],
    )
  })

  it('tells a canceled one from its like, and books what left late to each owner', async () => {
    const items = [
      { route_id: routes.bob, quantity: '0.125', account_id: bob.account_id },
      { route_id: routes.bobToo, quantity: '0.125', account_id: bob.account_id },
      { route_id: routes.carol, quantity: '0.125', account_id: carol.account_id },
    ]
    const rows = await submitted(items)
    await act(first(rows).id, 'cancel')
    await place.work()
    place.models.vault.finish(first(rows).external_id, { state: 'FAILED' })
    await place.later(60_000)
    assert.deepEqual(
      [await states(rows), await balances()],
      [
        ['CANCELED', 'FAILED', 'FAILED'],
        ['3/0', '3/0'],
      ],
    )
    await listed(rows.slice(1), { fee: 0n, fee_asset: 'BTC' })
    assert.deepEqual(
      [await late(rows), await balances(), await place.verify()],
      [[rows[1]?.id, rows[2]?.id], ['2.875/0', '2.875/0'], []],
    )
  })

  it('its unknown outcome is told once for all of it, with one fee', async () => {
    place.models.vault.mode = 'lost'
    place.models.vault.down = true
    const rows = await submitted(four())
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
      [sends(rows).length, await balances(), await place.verify()],
      [1, ['2.25/0', '2.875/0'], []],
    )
  })

  it('divides the fee exactly; a frozen account keeps the whole transaction back', async () => {
    await place.settings({ fee_borne_by: 'CUSTOMER' })
    const items = four().slice(0, 3)
    const [request] = (await prepared(items)) as [BatchRequest]
    const blocked = await balances()
    assert.deepEqual(blocked, ['3/0.75017143', '3/0.12502857'])
    const rows = (await submit([request])).data
    assert.deepEqual(await balances(), blocked)
    await setFrozen(carol.account_id, true)
    await place.work()
    assert.deepEqual(
      [sends(rows).length, (await all(rows)).map((row) => row.reason_code)],
      [0, ['FROZEN', 'FROZEN', 'FROZEN']],
    )
    await setFrozen(carol.account_id, false)
    await place.later(2_000)
    assert.equal(sends(rows).length, 1)
    place.models.vault.finish(first(rows).external_id, { fee: decimal('0.0001'), fee_asset: 'BTC' })
    await place.later(60_000)
    assert.deepEqual(
      (await all(rows)).map((row) => row.fee),
      ['0.00005715', '0.00002857', '0.00001428'],
    )
    assert.deepEqual(await balances(), ['2.24991428/0', '2.87498572/0'])
    await place.settings({ fee_borne_by: 'HOUSE' })
    assert.deepEqual(await place.verify(), [])
  })

  /** The vault lists each of these as an output of its transaction, the fee with the first. */
  async function listed(
    rows: readonly Withdrawal[],
    fee: { fee: bigint; fee_asset: string },
  ): Promise<void> {
    const id = newId()
    place.vault.outgoing = [
      ...place.vault.outgoing,
      ...rows.map((row, output) =>
        departure(`${id}:${output}`, 'BTC', row.quantity, {
          external_id: row.external_id,
          output,
          wallet: '0',
          transaction_hash: id,
          occurred_at: place.clock.now(),
          ...fee,
          ...(output === 0 ? {} : { fee: 0n }),
        }),
      ),
    ]
    await place.later(60_000)
  }
  /** Which of these left after they had ended. */
  const late = async (rows: readonly Withdrawal[]) =>
    (
      await place.db.query<{ related_withdrawal_id: string }>(sql`
        select related_withdrawal_id
        from withdrawals
        where related_withdrawal_id = any(${rows.map((row) => row.id)}::uuid[])
        order by id`)
    ).map((row) => row.related_withdrawal_id)
  const setFrozen = (account_id: string, frozen: boolean) =>
    place.db.tx((tx) =>
      freezeAccount(
        { workspace: place.workspace, by: 'test' },
        { tx, clock: place.clock },
        account_id,
        { frozen, reason: 'a court said so' },
      ),
    )
})
