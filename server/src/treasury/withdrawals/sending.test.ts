import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { WITHDRAWAL_TASK } from '../tasks.ts'
import { movement } from '../testing/venue.fixture.ts'
import { withdrawalTask } from './sending.ts'
import { openWithdrawals } from './withdrawals.testing.ts'

describe('the sending of withdrawals', () => {
  let withdrawals: Awaited<ReturnType<typeof openWithdrawals>>
  before(async () => {
    withdrawals = await openWithdrawals()
  })
  after(async () => {
    assert.deepEqual(await withdrawals.place.verify(), [])
    await withdrawals.place.close()
  })

  it('releases nothing while UNKNOWN, and believes only the venue', async () => {
    const { funded, models, place, read, request, routes, sends } = withdrawals
    const bob = await funded()
    models.vault.mode = 'late'
    const made = await request(routes.payout, { account_id: bob.account_id })
    await place.work()
    models.vault.mode = 'accept'
    models.vault.down = true
    await place.later(60_000)
    assert.partialDeepStrictEqual(await read(made.data.id), {
      state: 'UNKNOWN',
      reason_code: 'OUTCOME_UNKNOWN',
      reason: 'down',
    })
    const events = await place.events(made.data.id)
    assert.equal(events.filter((type) => type === 'withdrawal.outcome_unknown').length, 1)
    assert.equal(await place.balance(bob.account_id, 'BTC'), '3/1')
    models.vault.down = false
    await place.later(60_000)
    assert.equal((await read(made.data.id)).state, 'PENDING')
    models.vault.finish(made.data.external_id, {})
    await place.later(60_000)
    assert.equal((await read(made.data.id)).state, 'SUCCESS')
    assert.equal(sends(models.vault, made.data), 1)
    assert.equal(await place.balance(bob.account_id, 'BTC'), '2/0')
  })

  it('sends again only what the venue certainly never received', async () => {
    const { funded, models, place, read, request, routes, sends } = withdrawals
    const bob = await funded()
    models.vault.mode = 'lost'
    const made = await request(routes.payout, { account_id: bob.account_id })
    await place.work()
    models.vault.mode = 'accept'
    await place.later(5_000)
    assert.deepEqual(
      { state: (await read(made.data.id)).state, sends: sends(models.vault, made.data) },
      { state: 'UNKNOWN', sends: 1 },
    )
    await place.later(5_000)
    await place.later(5_000)
    assert.deepEqual(
      {
        state: (await read(made.data.id)).state,
        sends: sends(models.vault, made.data),
        has: models.vault.accepted.has(made.data.external_id),
      },
      { state: 'PENDING', sends: 2, has: true },
    )
    models.vault.finish(made.data.external_id, {})
    await place.later(10_000)
    assert.equal(await place.balance(bob.account_id, 'BTC'), '2/0')
  })

  it('believes no process that was overtaken while it sent or asked', async () => {
    const { funded, models, place, read, request, routes, sends } = withdrawals
    const { vault } = models
    const { send, find } = vault
    const bob = await funded()
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
      const slow = await request(routes.payout, { account_id: bob.account_id })
      await place.work()
      const after = await read(slow.data.id)
      assert.partialDeepStrictEqual(after, { state: 'PENDING', submitted_at: place.clock.now() })
      assert.notEqual(after.foreign_id, null)
      assert.equal(sends(vault, after), 2)

      vault.mode = 'lost'
      const lost = await request(routes.payout, { account_id: bob.account_id, quantity: '0.5' })
      await place.work()
      vault.mode = 'accept'
      vault.find = async () => {
        await overtaken()
        return { lookup: 'absent' }
      }
      await place.later(11_000)
      const found = await read(lost.data.id)
      assert.equal(found.state, 'PENDING')
      assert.notEqual(found.foreign_id, null)
      assert.notEqual(found.submitted_at, null)
      assert.equal(sends(vault, found), 2)
      for (const { data } of [slow, lost]) vault.finish(data.external_id, {})
      await place.later(60_000)
      assert.equal(await place.balance(bob.account_id, 'BTC'), '1.5/0')
    } finally {
      Object.assign(vault, { send, find, mode: 'accept' })
    }
  })

  it('is not sent again where its venue was changed while it was sent', async () => {
    const { funded, models, place, read, request, routes, sends } = withdrawals
    const bob = await funded()
    const optionsWith = (change: Query) =>
      place.db.query(sql`
      update venues
      set config = jsonb_set(config, '{options}', (config -> 'options') ${change})
      where id = ${place.vault.id}`)
    const made = await request(routes.payout, { account_id: bob.account_id })
    const { app } = place
    // The old adapter is at hand when another account is declared; the intent is stored afterwards.
    const connect: typeof app.venues.connect = async (...of) => {
      const connected = await app.venues.connect(...of)
      await optionsWith(sql`|| '{"account_id": "another"}'::jsonb`)
      return connected
    }
    const task = { workspace: place.workspace, subject_id: made.data.id, kind: WITHDRAWAL_TASK }
    models.vault.mode = 'late'
    await withdrawalTask({ ...app, venues: { ...app.venues, connect } })(task as never)
    models.vault.mode = 'accept'
    const { accepted } = models.vault
    try {
      models.vault.accepted = new Map()
      await place.later(60_000)
      await place.later(60_000)
      assert.partialDeepStrictEqual(await read(made.data.id), { state: 'UNKNOWN' })
      assert.match((await read(made.data.id)).reason ?? '', /were changed after it was sent/)
    } finally {
      models.vault.accepted = accepted
    }
    await optionsWith(sql`- 'account_id'`)
    models.vault.finish(made.data.external_id, {})
    await place.later(60_000)
    assert.equal((await read(made.data.id)).state, 'SUCCESS')
    assert.equal(sends(models.vault, made.data), 1)
  })

  it('is sent once, whichever of its reads takes so long that another process sends', async () => {
    const { funded, models, place, request, routes, sends } = withdrawals
    const bob = await funded()
    const body = { account_id: bob.account_id, quantity: '0.1', purpose: 'savings' }
    let all = 0
    for (let slow = 0; slow <= all; slow += 1) {
      const { data } = await request(routes.payout, body)
      let reads = 0
      const query = async <Row>(statement: Query): Promise<Row[]> => {
        const rows = await place.db.query<Row>(statement)
        reads += 1
        if (reads === slow) await place.later(11_000)
        return rows
      }
      const send = withdrawalTask({ ...place.app, db: { ...place.db, query } })
      const { workspace } = place
      await send({ workspace, kind: WITHDRAWAL_TASK, subject_id: data.id, attempts: 1 })
      if (slow === 0) all = reads
      assert.equal(sends(models.vault, data), 1, `read ${slow} of ${all}`)
      models.vault.finish(data.external_id, {})
      await place.later(60_000)
    }
  })

  it('does not send a twin while the venue cannot tell which of the two it has', async () => {
    const { models, place, read, request, routes, sends } = withdrawals
    models.exchange.mode = 'late'
    models.exchange.down = true
    const first = await request(routes.exchangeToVault, { quantity: '0.7' })
    await place.work()
    const second = await request(routes.exchangeToVault, { quantity: '0.7' })
    await place.later(20_000)
    assert.deepEqual(
      {
        state: (await read(first.data.id)).state,
        submitted_at: (await read(second.data.id)).submitted_at,
      },
      { state: 'UNKNOWN', submitted_at: null },
    )
    models.exchange.mode = 'accept'
    models.exchange.down = false
    await place.later(20_000)
    await place.later(20_000)
    for (const { data } of [first, second]) {
      assert.equal(sends(models.exchange, data), 1)
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
})
