/** What becomes of withdrawals of which the venue says nothing: by evidence, or asked again. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Customer } from '../../customers/index.ts'
import { refusalOf } from '../../http/testing.ts'
import { openMovements } from '../testing/movements.testing.ts'
import { decisionsAt, NOT_ALLOWED } from './decisions.testing.ts'
import type { Withdrawal } from './withdrawals.schema.ts'

describe('deciding about withdrawals', () => {
  let place: Awaited<ReturnType<typeof openMovements>>
  before(async () => {
    place = await openMovements()
  })
  after(() => place.close())

  const { ask, read, act, funded, sends, unknown, orphans } = decisionsAt(() => place)

  describe('resolves an UNKNOWN one', () => {
    let bob: Customer
    let left: Withdrawal
    let other: Withdrawal
    const body = {
      state: 'SUCCESS',
      evidence: 'block 901,223, seen by two explorers',
      foreign_id: 'V-1',
      transaction_hash: 'cafe',
      fee: '0.0001',
    }
    before(async () => {
      bob = await funded()
      place.models.vault.down = true
      left = await unknown(bob.account_id)
    })

    it('only with evidence', async () => {
      for (const [refused, expected] of [
        [{ state: 'SUCCESS' }, '400 3001 REQUIRED evidence'],
        [{ state: 'SUCCESS', evidence: ' ' }, '400 3001 FORMAT evidence'],
        [{ state: 'CANCELED', evidence: 'said so' }, '400 3001 ENUM state'],
        [{ state: 'SUCCESS', evidence: 'said so', fee: '-1' }, '400 3001 FORMAT fee'],
      ] as const)
        assert.equal(
          refusalOf(await act(left.id, 'resolve', refused)),
          expected,
          JSON.stringify(refused),
        )
    })

    it('only as it was seen', async () => {
      const { version } = await read(left.id)
      const refused = await act(left.id, 'resolve', { ...body, version: version - 1 })
      assert.equal(refusalOf(refused), '400 3001 STALE_VERSION version')
      assert.equal((await read(left.id)).state, 'UNKNOWN')
    })

    it('as SUCCESS, booked as the venue would', async () => {
      const { version } = await read(left.id)
      const done = await act(left.id, 'resolve', { ...body, version })
      assert.equal(done.status, 200, done.text)
      assert.deepEqual(
        {
          state: done.data.state,
          evidence: done.data.evidence,
          resolved_by: done.data.resolved_by,
          resolved_at: done.data.resolved_at,
          foreign_id: done.data.foreign_id,
          fee: done.data.fee,
        },
        {
          state: 'SUCCESS',
          evidence: body.evidence,
          resolved_by: place.principal.user_id,
          resolved_at: place.clock.now(),
          foreign_id: 'V-1',
          fee: '0.0001',
        },
      )
      assert.deepEqual(await read(left.id), done.data)
      assert.deepEqual(await place.bookings(left.id), [
        'WITHDRAWAL BTC D Bob 1, C vault 1',
        'WITHDRAWAL_FEE BTC D fee 0.0001, C vault 0.0001',
      ])
      assert.equal(await place.balance(bob.account_id, 'BTC'), '2/0')
      assert.equal(refusalOf(await act(left.id, 'resolve', body)), NOT_ALLOWED)
    })

    it('as FAILED, and releases what it blocked', async () => {
      other = await unknown(bob.account_id)
      assert.equal(refusalOf(await act(other.id, 'resolve', body)), '400 3001 DUPLICATE foreign_id')
      const failed = await act(other.id, 'resolve', {
        state: 'FAILED',
        evidence: "the venue's support, ticket 4711",
      })
      assert.equal(failed.status, 200, failed.text)
      assert.deepEqual(await read(other.id), failed.data)
      assert.deepEqual(
        {
          state: failed.data.state,
          reason_code: failed.data.reason_code,
          bookings: await place.bookings(other.id),
          balance: await place.balance(bob.account_id, 'BTC'),
        },
        { state: 'FAILED', reason_code: 'RESOLVED_BY_HAND', bookings: [], balance: '2/0' },
      )
      assert.deepEqual((await place.events(other.id)).at(-1), 'withdrawal.failed')
    })

    it('and the venue changes nothing of it afterwards', async () => {
      place.models.vault.down = false
      await place.later(60_000)
      assert.equal(sends(left.external_id), 1)
      assert.equal(sends(other.external_id), 1)
      assert.equal(await place.balance(bob.account_id, 'BTC'), '2/0')
      assert.deepEqual(await orphans(), [])
      assert.deepEqual(await place.verify(), [])
    })

    it('and no other', async () => {
      const pending = await ask(bob.account_id)
      assert.equal(
        refusalOf(await act(pending.id, 'resolve', { state: 'FAILED', evidence: 'none' })),
        NOT_ALLOWED,
      )
      assert.equal((await act(pending.id, 'cancel', {})).status, 200)
    })
  })

  it('resolves what a bank holds for review once the day of the payment is over', async () => {
    const bob = await funded()
    const canceled = { state: 'FAILED', evidence: 'the bank confirms that it is canceled' }
    const held = async (executionDate: string | null) => {
      place.vault.executionDate = () => executionDate
      const made = await ask(bob.account_id)
      await place.work()
      place.models.vault.finish(made.external_id, { state: 'PENDING_REVIEW', sub_state: 'RVNM' })
      await place.later(1000)
      const row = await read(made.id)
      assert.deepEqual(
        { state: row.state, execution_date: row.execution_date },
        { state: 'PENDING_REVIEW', execution_date: executionDate },
      )
      return row
    }
    const dayOf = (now: number) => new Date(now).toISOString().slice(0, 10)
    const atCustodian = await held(null)
    const atBank = await held(dayOf(place.clock.now() + 86_400_000))
    for (const { id } of [atCustodian, atBank])
      assert.equal(refusalOf(await act(id, 'resolve', canceled)), NOT_ALLOWED)
    // The day after it begins everywhere 36 hours after the day itself began by UTC.
    const over = Date.parse(atBank.execution_date ?? '') + 36 * 3_600_000
    place.clock.advance(over - 1 - place.clock.now())
    assert.equal(refusalOf(await act(atBank.id, 'resolve', canceled)), NOT_ALLOWED)
    place.clock.advance(1)
    assert.equal(await place.balance(bob.account_id, 'BTC'), '3/2')
    const done = await act(atBank.id, 'resolve', canceled)
    assert.partialDeepStrictEqual(
      { ...done.data },
      { state: 'FAILED', reason_code: 'RESOLVED_BY_HAND', evidence: canceled.evidence },
      done.text,
    )
    assert.equal(await place.balance(bob.account_id, 'BTC'), '3/1')
    assert.equal(refusalOf(await act(atCustodian.id, 'resolve', canceled)), NOT_ALLOWED)
    place.vault.executionDate = () => null
    assert.deepEqual(await orphans(), [])
    assert.deepEqual(await place.verify(), [])
  })

  it('ends a decision about a payee with the next finding of the bank', async () => {
    const made = await ask((await funded()).account_id)
    await place.work()
    const finds = async (code: string, payee: string | null) => {
      const payee_check = { code, payee }
      const report = { state: 'PENDING_REVIEW', sub_state: code, payee_check } as const
      place.models.vault.finish(made.external_id, report)
      await place.later(60_000)
    }
    await finds('RVMC', 'Robert')
    const decided = { decision: 'RELEASE', payee_check: 'RVMC', reason: 'called' }
    assert.equal((await act(made.id, 'review-decision', decided)).status, 200)
    await finds('RVNM', null)
    assert.partialDeepStrictEqual(
      { ...(await read(made.id)) },
      { payee_check: 'RVNM', payee_name: null, review_decision: null, review_decided_by: null },
    )
    place.models.vault.finish(made.external_id, {})
    await place.later(60_000)
  })

  it('asks the venue now, and leaves sending to the sender', async () => {
    const bob = await funded()
    const late = await unknown(bob.account_id)
    const found = await act(late.id, 'recheck')
    assert.equal(found.status, 200, found.text)
    assert.equal(found.data.state, 'PENDING')
    assert.match(found.data.foreign_id ?? '', /^venue-/)
    place.models.vault.finish(late.external_id, {})
    const [first, second] = await Promise.all([act(late.id, 'recheck'), act(late.id, 'recheck')])
    assert.deepEqual(
      [
        first.status,
        second.status === 200 ? second.data.state : 'SUCCESS',
        (await read(late.id)).state,
      ],
      [200, 'SUCCESS', 'SUCCESS'],
    )
    assert.deepEqual((await place.bookings(late.id)).length, 1)

    const lost = await unknown(bob.account_id, 'lost')
    assert.deepEqual(
      { state: (await act(lost.id, 'recheck')).data.state, sends: sends(lost.external_id) },
      { state: 'UNKNOWN', sends: 1 },
    )
    place.clock.advance(15_000)
    assert.equal((await act(lost.id, 'recheck')).data.state, 'UNKNOWN')
    await place.work()
    assert.deepEqual(
      { state: (await read(lost.id)).state, sends: sends(lost.external_id) },
      { state: 'PENDING', sends: 2 },
    )
    place.models.vault.finish(lost.external_id, {})
    await place.later(60_000)
    assert.equal(await place.balance(bob.account_id, 'BTC'), '1/0')
    assert.deepEqual(await place.verify(), [])
  })

  it('answers whether somebody must still say whose it was', async () => {
    const { vault } = place.models
    vault.mode = 'late'
    const made = await place.call<Withdrawal>(
      'POST',
      `/treasury/wallets/routes/${place.routes.payout.id}/withdrawals`,
      { quantity: '1', speed_level: 'DEFAULT' },
    )
    await place.work()
    vault.mode = 'accept'
    const resolved = await act(made.data.id, 'resolve', { state: 'SUCCESS', evidence: 'explorer' })
    assert.equal(resolved.data.unassigned, true)
    assert.deepEqual(await read(made.data.id), resolved.data)
  })

  it('tells the stuck ones by their age', async () => {
    const bob = await funded()
    const old = await unknown(bob.account_id)
    place.models.vault.down = true
    place.clock.advance(3_599_999)
    const stuck = async (flag: boolean) =>
      (await place.call<Withdrawal[]>('GET', `/treasury/withdrawals?stuck=${flag}`)).data.map(
        (row) => row.id,
      )
    assert.equal((await stuck(true)).includes(old.id), false)
    const fresh = await ask(bob.account_id)
    place.clock.advance(1)
    assert.equal((await stuck(true)).includes(old.id), true)
    assert.equal((await stuck(true)).includes(fresh.id), false)
    assert.equal((await stuck(false)).includes(old.id), false)
    assert.equal((await stuck(false)).includes(fresh.id), true)
    assert.equal(
      refusalOf(await place.call('GET', '/treasury/withdrawals?stuck=maybe')),
      '400 3001 ENUM stuck',
    )
    place.models.vault.down = false
  })
})
