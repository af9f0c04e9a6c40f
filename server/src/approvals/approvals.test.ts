/** What waits for approval: it holds its amount, and goes on or ends once, by those who may. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { newId } from '../core/ids.ts'
import { refusalOf } from '../http/testing.ts'
import { openApprovals, TWO_OTHERS } from './approvals.testing.ts'

const HOUR = 3_600_000
const DENIED = '403 1003 POLICY_DENIED '
const NOT_YOU = '403 1003 PERMISSION_REQUIRED '
const OVER = '400 3001 STATE_NOT_ALLOWED '

describe('withdrawals that wait for approval', () => {
  let place: Awaited<ReturnType<typeof openApprovals>>
  let account_id: string
  before(async () => {
    place = await openApprovals()
  })
  after(() => place.close())
  beforeEach(async () => {
    const customer = await place.customer('Bob')
    await place.belongsTo(customer, place.wallets.alice)
    await place.fund(customer.account_id, 'BTC', '3')
    account_id = customer.account_id
    await place.policy([TWO_OTHERS])
  })

  const ask = (quantity = '1', more = {}) => place.ask(quantity, { account_id, ...more })
  const waits = async (quantity = '1') => {
    const made = await ask(quantity)
    assert.equal(made.status, 200, made.text)
    assert.equal(made.data.state, 'PENDING_APPROVAL')
    return made.data
  }
  const balance = () => place.balance(account_id, 'BTC')

  it('hold their amount, say what is missing, and are sent as they were asked for', async () => {
    const made = await waits()
    assert.equal(await balance(), '3/1')
    await place.later(60_000)
    assert.equal(place.sends(made.external_id), 0)
    const [first, second] = place.approvers
    assert.partialDeepStrictEqual(await place.request(made.approval_request_id), {
      state: 'PENDING',
      record_id: made.id,
      rule_name: 'two look at it',
      missing: [2],
      requested_by: place.treasurer,
      decisions: [],
    })
    const once = await place.decide(first, made.approval_request_id, 'APPROVE', { note: 'seen' })
    assert.partialDeepStrictEqual(once.data, { state: 'PENDING', missing: [1] })
    assert.partialDeepStrictEqual(await place.request(made.approval_request_id), once.data)
    assert.equal((await place.withdrawal(made.id)).state, 'PENDING_APPROVAL')
    const twice = await place.decide(second, made.approval_request_id, 'APPROVE')
    assert.partialDeepStrictEqual(twice.data, { state: 'APPROVED', missing: [0] })
    assert.partialDeepStrictEqual(await place.request(made.approval_request_id), twice.data)
    await place.later(60_000)
    assert.equal(place.sends(made.external_id), 1)
    const { quantity, destination_address, state } = await place.withdrawal(made.id)
    assert.deepEqual(
      { quantity, destination_address, state },
      { quantity: '1', destination_address: made.destination_address, state: 'PENDING' },
    )
    assert.deepEqual((await place.events(made.approval_request_id ?? '')).toSorted(), [
      'approval.approved',
      'approval.decided',
      'approval.decided',
      'approval.requested',
    ])
    assert.deepEqual((await place.events(made.id)).slice(0, 2), [
      'withdrawal.created',
      'withdrawal.approved',
    ])
    place.models.vault.finish(made.external_id, {})
    await place.later(60_000)
    assert.equal((await place.withdrawal(made.id)).state, 'SUCCESS')
    assert.deepEqual(await place.verify(), [])
  })

  it('are not approved by who asked, twice by one, or by who is in no group', async () => {
    const both = await place.user('TREASURER', 'APPROVER')
    const made = await ask('1', { token: both })
    const id = made.data.approval_request_id
    assert.equal(refusalOf(await place.decide(both, id, 'APPROVE')), NOT_YOU)
    const other = await place.user('ADMIN', 'APPROVER')
    await place.policy([
      {
        ...TWO_OTHERS,
        approve: { groups: [{ users: [place.approvers[0]] as never, n: 1 }], within_hours: 1 },
      },
    ])
    const named = (await ask('1')).data.approval_request_id
    assert.equal(refusalOf(await place.decide(other, named, 'APPROVE')), NOT_YOU)
    assert.equal((await place.decide(place.approvers[0], named, 'APPROVE')).data.state, 'APPROVED')
    assert.equal((await place.decide(other, id, 'APPROVE')).status, 200)
    assert.equal(refusalOf(await place.decide(other, id, 'APPROVE')), '400 3001 DUPLICATE ')
    assert.deepEqual((await place.request(id)).missing, [1])
    assert.equal(refusalOf(await place.decide(place.treasurer, id, 'APPROVE')), NOT_YOU)
    await place.takeBack(both, id)
  })

  it('end with one rejection, and what they held is free again, once', async () => {
    const made = await waits()
    const [first] = place.approvers
    const no = await place.decide(first, made.approval_request_id, 'REJECT', { note: 'unknown' })
    assert.partialDeepStrictEqual(no.data, { state: 'REJECTED', ended_by: first, note: 'unknown' })
    assert.partialDeepStrictEqual(await place.withdrawal(made.id), {
      state: 'REJECTED',
      reason_code: 'NOT_APPROVED',
      reason: 'unknown',
    })
    assert.equal(await balance(), '3/0')
    const late = await place.decide(place.approvers[1], made.approval_request_id, 'APPROVE')
    assert.equal(refusalOf(late), OVER)
    await place.later(60_000)
    assert.equal(place.sends(made.external_id), 0)
  })

  it('are taken back by who asked alone, or canceled', async () => {
    const made = await waits()
    assert.equal(
      refusalOf(await place.takeBack(place.approvers[0], made.approval_request_id)),
      NOT_YOU,
    )
    const back = await place.takeBack(place.treasurer, made.approval_request_id)
    assert.equal(back.data.state, 'WITHDRAWN')
    assert.partialDeepStrictEqual(await place.withdrawal(made.id), {
      state: 'CANCELED',
      reason_code: 'APPROVAL_WITHDRAWN',
    })
    const other = await waits()
    const url = `/treasury/withdrawals/${other.id}/cancel`
    const canceled = await place.as(place.treasurer, 'POST', url, { reason: 'no' })
    assert.equal(canceled.status, 200, canceled.text)
    assert.equal((await place.request(other.approval_request_id)).state, 'WITHDRAWN')
    assert.equal(await balance(), '3/0')
  })

  it('expire', async () => {
    const made = await waits()
    const id = made.approval_request_id
    await place.expire(id)
    assert.equal((await place.request(id)).state, 'PENDING')
    place.clock.advance(24 * HOUR)
    assert.equal(refusalOf(await place.decide(place.approvers[0], id, 'APPROVE')), OVER)
    assert.equal(await place.expire(id), 'done')
    assert.equal(await place.expire(id), 'done')
    assert.equal((await place.request(id)).state, 'EXPIRED')
    assert.partialDeepStrictEqual(await place.withdrawal(made.id), {
      state: 'REJECTED',
      reason_code: 'APPROVAL_EXPIRED',
    })
    assert.equal(await balance(), '3/0')
  })

  it('go on once when two approve at once, or one approves as its time ends', async () => {
    const [first, second, third] = place.approvers
    for (let round = 0; round < 6; round += 1) {
      const made = await waits('0.1')
      const id = made.approval_request_id
      const answers = await Promise.all(
        [first, second, third].map((who) => place.decide(who, id, 'APPROVE')),
      )
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 200, 400])
      assert.equal((await place.request(id)).state, 'APPROVED')
    }
    for (let round = 0; round < 6; round += 1) {
      const made = await waits('0.1')
      const id = made.approval_request_id
      await place.decide(first, id, 'APPROVE')
      const [no, yes] = await Promise.all([
        place.takeBack(place.treasurer, id),
        place.decide(second, id, 'APPROVE'),
      ])
      const { state } = await place.withdrawal(made.id)
      assert.equal(Number(no.status === 200) + Number(yes.status === 200), 1)
      assert.equal(state, yes.status === 200 ? 'PENDING' : 'CANCELED')
    }
    await place.later(60_000)
    for (const { external_id } of place.models.vault.sends)
      assert.equal(place.sends(external_id), 1)
    assert.deepEqual(await place.verify(), [])
  })

  it('keep the version that judged them, and a repeat asks once', async () => {
    const headers = { 'idempotency-key': newId() }
    const made = await ask('1', { headers })
    const version = (await place.request(made.data.approval_request_id)).policy_version
    await place.policy([])
    assert.deepEqual((await ask('1', { headers })).data, made.data)
    assert.equal((await place.request(made.data.approval_request_id)).policy_version, version)
    assert.equal((await ask('0.5')).data.state, 'PENDING')
    const [first, second] = place.approvers
    await place.decide(first, made.data.approval_request_id, 'APPROVE')
    await place.decide(second, made.data.approval_request_id, 'APPROVE')
    assert.equal((await place.withdrawal(made.data.id)).state, 'PENDING')
  })

  it('are denied by a rule, which says why and when it will be possible', async () => {
    await place.policy([
      {
        name: 'a day of rest',
        when: { commands: ['WITHDRAWAL'], destination_younger_than_hours: 24 * 365 },
        verdict: 'DENY',
      },
    ])
    const denied = await ask()
    assert.equal(refusalOf(denied), DENIED)
    assert.match(
      denied.error_description ?? '',
      /"a day of rest".*less than 8760 hours.*possible from 20/,
    )
    assert.equal(await balance(), '3/0')
  })

  it('are not let around a policy that changes while they are composed', async () => {
    for (let round = 0; round < 4; round += 1) {
      const [made] = await Promise.all([ask('0.1'), place.policy([])])
      const version = (await place.as<{ version: number }>(place.admin, 'GET', '/policy')).data
      const waited = made.data.state === 'PENDING_APPROVAL'
      if (waited)
        assert.equal(
          (await place.request(made.data.approval_request_id)).policy_version,
          version.version - 1,
        )
      else assert.equal(made.data.state, 'PENDING')
      const [other] = await Promise.all([ask('0.1'), place.policy([TWO_OTHERS])])
      assert.ok(['PENDING', 'PENDING_APPROVAL'].includes(other.data.state), other.text)
    }
  })

  it('count towards every sum, never beyond a limit, and not after their end', async () => {
    place.clock.advance(24 * HOUR)
    const limit = { per: 'USER' as const, amount: '1.00000001' }
    await place.policy([
      {
        name: 'one a day',
        when: { commands: ['WITHDRAWAL'], assets: ['BTC'], amount_per_day_at_least: limit },
        verdict: 'DENY',
      },
      TWO_OTHERS,
    ])
    const asked = await Promise.all(Array.from({ length: 12 }, () => ask('0.25')))
    const made = asked.filter(({ status }) => status === 200)
    assert.equal(made.length, 4)
    for (const answer of asked) if (answer.status !== 200) assert.equal(refusalOf(answer), DENIED)
    assert.deepEqual((await place.counted()).slice(-2), ['USER BTC 1', 'WORKSPACE BTC 1'])
    const [one, other] = made.map(({ data }) => data)
    await place.decide(place.approvers[0], one?.approval_request_id ?? null, 'REJECT')
    await place.takeBack(place.treasurer, other?.approval_request_id ?? null)
    assert.deepEqual((await place.counted()).slice(-2), ['USER BTC 0.5', 'WORKSPACE BTC 0.5'])
    assert.equal((await ask('0.5')).data.state, 'PENDING_APPROVAL')
    const denied = await ask('0.1')
    assert.match(denied.error_description ?? '', /1 BTC moved .* for this user.*possible from/)
    place.clock.advance(24 * HOUR)
    assert.equal((await ask('0.1')).data.state, 'PENDING_APPROVAL')
  })
})
