import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import { refusalOf } from '../../http/testing.ts'
import { releaseExpiredHolds } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import type { Withdrawal } from '../withdrawals/withdrawals.schema.ts'
import type { BatchRequest } from './batches.schema.ts'
import { openBatches } from './batches.testing.ts'

describe('batches', () => {
  let batches: Awaited<ReturnType<typeof openBatches>>
  before(async () => {
    batches = await openBatches()
  })
  after(() => batches.place.close())

  describe('are submitted', () => {
    const pay = (quantity: string, account_id: string) => ({
      route_id: batches.place.routes.payout.id,
      quantity,
      account_id,
    })
    const NOT_LIVE = '400 3001 STATE_NOT_ALLOWED'

    it('only unchanged, known and once', async () => {
      const { funded, place, prepared, submit } = batches
      const bob = await funded('Bob')
      const [request] = (await prepared([pay('0.5', bob.account_id)])) as [BatchRequest]
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
      const unknown = '404 4004 NOT_FOUND withdrawals[0].id'
      assert.equal(refusalOf(await submit([{ ...request, id: newId() }])), unknown)
      assert.equal(refusalOf(await submit([request], { token: 'stranger' })), unknown)
      assert.equal(refusalOf(await submit([request, request])), '400 3001 DUPLICATE withdrawals[1]')
      assert.equal(refusalOf(await submit([])), '400 3001 RANGE withdrawals')
    })

    it('only on a route that is still allow-listed and unchanged', async () => {
      const { funded, place, prepared, submit } = batches
      const bob = await funded('Bob')
      const [request] = (await prepared([pay('0.5', bob.account_id)])) as [BatchRequest]
      const setRoute = (assignment: Query) =>
        place.db.query(sql`
          update treasury_routes
          set ${assignment}
          where id = ${place.routes.payout.id}`)
      await setRoute(sql`allowlist_state = 'REMOVED'`)
      const refused = refusalOf(await submit([request]))
      assert.equal(refused, '400 3001 NOT_ALLOWLISTED withdrawals[0].route_id')
      await setRoute(sql`allowlist_state = 'APPROVED'`)
      await setRoute(sql`transfer = jsonb_set(transfer, '{to,tag}', '"7"')`)
      assert.equal(refusalOf(await submit([request])), '400 3001 CONFLICT withdrawals[0].route_id')
      await setRoute(sql`transfer = transfer #- '{to,tag}'`)
    })

    it('only while the request lives, however many ask at once', async () => {
      const { finish, funded, place, prepared, submit } = batches
      const bob = await funded('Bob')
      const withdrawals = async () =>
        (
          await place.db.query(sql`
            select 1
            from withdrawals
            where account_id = ${bob.account_id}`)
        ).length
      const [request] = (await prepared([pay('0.5', bob.account_id)])) as [BatchRequest]
      place.clock.advance(599_999)
      await releaseExpiredHolds(place.app)
      assert.equal(await place.balance(bob.account_id, 'BTC'), '3/0.5')
      const [late] = (await prepared([pay('0.7', bob.account_id)])) as [BatchRequest]
      place.clock.advance(1)
      assert.equal(refusalOf(await submit([request])), `${NOT_LIVE} withdrawals[0].expires_at`)
      assert.equal(
        refusalOf(await submit([late, request])),
        `${NOT_LIVE} withdrawals[1].expires_at`,
      )
      await releaseExpiredHolds(place.app)
      assert.equal(await place.balance(bob.account_id, 'BTC'), '3/0.7')
      assert.equal(await withdrawals(), 0)
      const headers = { 'idempotency-key': newId() }
      const answers = await Promise.all([
        submit([late]),
        submit([late]),
        submit([late], { headers }),
        submit([late], { headers }),
      ])
      const made = answers.find((answer) => answer.status === 200)?.data ?? []
      assert.equal(made.length, 1)
      for (const answer of answers)
        if (answer.status === 200) assert.equal(answer.data[0]?.id, made[0]?.id)
        else assert.equal(answer.error_code, 4092, answer.text)
      assert.equal(await withdrawals(), 1)
      await finish(made)
      assert.equal(await place.balance(bob.account_id, 'BTC'), '2.3/0')
      assert.deepEqual(await place.verify(), [])
    })
  })

  it('answers a repeat of a key as before, and refuses it for another request', async () => {
    const { funded, place, prepared, submit } = batches
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
    const { finish, funded, place, prepared, read, submit } = batches
    await place.settings({ fee_borne_by: 'CUSTOMER' })
    const [bob, carol] = [await funded('Bob'), await funded('Carol')]
    const payout = place.routes.payout.id
    const items = [
      { route_id: payout, quantity: '1', account_id: bob.account_id },
      { route_id: payout, quantity: '2', account_id: carol.account_id },
    ].map((item) => ({ ...item, third_party: true }))
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

  const byThirdParty = () => ({ route_id: batches.place.routes.payout.id, third_party: true })

  it('leaves books that verify and no open hold, whatever is prepared and submitted', async () => {
    const { finish, funded, openHolds, place, prepare, submit } = batches
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
            ...byThirdParty(),
            quantity: `0.${1 + below(9)}`,
            speed_level: below(2) === 0 ? 'FAST' : 'SLOW',
            ...(below(4) === 0 ? {} : { account_id: customers[below(3)]?.account_id ?? '' }),
          })),
        )
        if (answer.status === 200) kept.push(...answer.data)
        else assert.equal(refusalOf(answer), '400 3001 INSUFFICIENT_BALANCE withdrawals')
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
})
