/** What can be canceled: what has not left, once, and never what may have. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import { refusalOf } from '../../http/testing.ts'
import { testHistory } from '../../store/history.testing.ts'
import { sql } from '../../store/sql.ts'
import { openMovements } from '../testing/movements.testing.ts'
import { decisionsAt, NOT_ALLOWED } from './decisions.testing.ts'

describe('canceling withdrawals', () => {
  let place: Awaited<ReturnType<typeof openMovements>>
  before(async () => {
    place = await openMovements()
  })
  after(() => place.close())

  const { ask, read, act, funded, sends, unknown, orphans } = decisionsAt(() => place)

  it('cancels what has not left, once, and it is never sent', async () => {
    const bob = await funded()
    const made = await ask(bob.account_id)
    assert.equal(await place.balance(bob.account_id, 'BTC'), '3/1')
    const key = newId()
    const canceled = await act(
      made.id,
      'cancel',
      { reason: 'typed the wrong amount' },
      { 'idempotency-key': key },
    )
    assert.equal(canceled.status, 200, canceled.text)
    assert.partialDeepStrictEqual(canceled.data, {
      state: 'CANCELED',
      reason_code: 'CANCELED_ON_REQUEST',
      reason: 'typed the wrong amount',
      completed_at: place.clock.now(),
    })
    assert.deepEqual(await read(made.id), canceled.data)
    assert.deepEqual(
      (
        await act(
          made.id,
          'cancel',
          { reason: 'typed the wrong amount' },
          { 'idempotency-key': key },
        )
      ).data,
      canceled.data,
    )
    assert.equal(await place.balance(bob.account_id, 'BTC'), '3/0')
    await place.later(60_000)
    assert.equal(sends(made.external_id), 0)
    assert.deepEqual(await place.events(made.id), ['withdrawal.created', 'withdrawal.canceled'])
    for (const [what, body] of [
      ['cancel', {}],
      ['resolve', { state: 'FAILED', evidence: 'none' }],
      ['recheck', undefined],
    ] as const)
      assert.equal(refusalOf(await act(made.id, what, body)), NOT_ALLOWED)
    assert.equal(refusalOf(await act(newId(), 'cancel', {})), '404 4004 NOT_FOUND withdrawal_id')
    assert.equal(
      refusalOf(
        await place.call(
          'POST',
          `/treasury/withdrawals/${made.id}/cancel`,
          {},
          { token: 'stranger' },
        ),
      ),
      '404 4004 NOT_FOUND withdrawal_id',
    )
  })

  it('not once sending has begun; the guard decides a race with the sender', async () => {
    const bob = await funded('12')
    const sent = await ask(bob.account_id)
    await place.work()
    assert.equal(refusalOf(await act(sent.id, 'cancel', {})), NOT_ALLOWED)
    const late = await unknown(bob.account_id)
    assert.equal(refusalOf(await act(late.id, 'cancel', {})), NOT_ALLOWED)
    for (let round = 0; round < 8; round += 1) {
      const made = await ask(bob.account_id)
      const [answer] = await Promise.all([act(made.id, 'cancel', {}), place.work()])
      const row = await read(made.id)
      assert.equal(row.state, answer.status === 200 ? 'CANCELED' : 'PENDING')
      assert.equal(sends(made.external_id), answer.status === 200 ? 0 : 1)
      if (answer.status !== 200) place.models.vault.finish(made.external_id, {})
      await place.later(60_000)
    }
    assert.deepEqual(await orphans(), [])
    assert.deepEqual(await place.verify(), [])
  })

  it('cancels again what the venue never got', async () => {
    const bob = await funded()
    const lost = await unknown(bob.account_id, 'lost')
    place.clock.advance(20_000)
    place.models.vault.mode = 'lost'
    // The venue says that it never got it; before it is sent again somebody is faster.
    await place.db.query(
      sql`
        update withdrawals
        set state = 'PENDING', submitted_at = null, version = version + 1
        where id = ${lost.id}`,
    )
    assert.equal((await act(lost.id, 'cancel', {})).status, 200)
    await place.later(60_000)
    place.models.vault.mode = 'accept'
    assert.deepEqual(
      { sends: sends(lost.external_id), balance: await place.balance(bob.account_id, 'BTC') },
      { sends: 1, balance: '3/0' },
    )
  })

  it('cancels nothing as never sent while no worker is at work that would know', async () => {
    const bob = await funded()
    const before = await ask(bob.account_id)
    place.clock.advance(1)
    const worker = testHistory(place.db, place.clock)
    await worker.start()
    await worker.close()
    const made = await ask(bob.account_id)
    const cancel = async (id: string) => refusalOf(await act(id, 'cancel', {}))
    assert.equal(await cancel(before.id), NOT_ALLOWED)
    await place.db.query(sql`
      update history
      set worked_at = worked_at - interval '1 minute'`)
    assert.equal(await cancel(made.id), NOT_ALLOWED)
    await place.db.query(sql`
      update history
      set worked_at = clock_timestamp()`)
    assert.equal((await act(made.id, 'cancel', {})).status, 200)
  })
})
