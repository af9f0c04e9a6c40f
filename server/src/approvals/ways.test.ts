/** No way of sending leads around the policy: each is denied by it, waits, or is sent. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { refusalOf } from '../http/testing.ts'
import type { Answer } from '../http/testing.ts'
import { sql } from '../store/sql.ts'
import type { Withdrawal } from '../treasury/index.ts'
import { IBAN, movement } from '../treasury/testing/venue.fixture.ts'
import { openApprovals, TWO_OTHERS } from './approvals.testing.ts'

const DENIED = '403 1003 POLICY_DENIED'
const MINUTE = 60_000

const NOTHING_LEAVES = {
  name: 'nothing leaves',
  when: { commands: ['WITHDRAWAL' as const] },
  verdict: 'DENY' as const,
}

describe('the ways to send something', () => {
  let place: Awaited<ReturnType<typeof openApprovals>>
  let account_id: string
  before(async () => {
    place = await openApprovals()
    const customer = await place.customer('Bob')
    await place.belongsTo(customer, place.wallets.alice, place.wallets.aliceEur)
    await place.fund(customer.account_id, 'BTC', '3')
    await place.fund(customer.account_id, 'EUR', '1000')
    account_id = customer.account_id
  })
  after(() => place.close())

  const post = <T>(url: string, body: object) => place.as<T>(place.treasurer, 'POST', url, body)
  const made = async () =>
    place.db.query<Pick<Withdrawal, 'origin' | 'state'> & { judged: string; id: string }>(sql`
      select id, origin, state, policy_version::text as judged
      from withdrawals
      where workspace = ${place.workspace}
      order by id`)

  const ways: Record<string, () => Promise<Answer<unknown> | string>> = {
    MANUAL: () => place.ask('0.1', { account_id }),
    async BATCH() {
      const item = {
        route_id: place.routes.payout.id,
        quantity: '0.1',
        speed_level: 'DEFAULT',
        account_id,
      }
      const prepared = await post<object[]>('/treasury/withdrawals/batch/prepare', {
        withdrawals: [item, { ...item, quantity: '0.2' }],
      })
      assert.equal(prepared.status, 200, prepared.text)
      return post('/treasury/withdrawals/batch/submit', { withdrawals: prepared.data })
    },
    async JOB() {
      const job = await post<{ id: string }>('/treasury/jobs', {
        route: place.routes.vaultToExchange.id,
        condition_type: 'SWEEPING',
        active: true,
        interval: 15,
        speed_level: 'DEFAULT',
        min_quantity: '0.1',
        conditions: [{ target: '1' }],
      })
      assert.equal(job.status, 200, job.text)
      await place.later(MINUTE)
      const runs = await place.as<{ state: string; explanation: string }[]>(
        place.treasurer,
        'GET',
        `/treasury/jobs/${job.data.id}/runs`,
      )
      await place.db.query(sql`
        delete from tasks
        where kind = 'run_job'`)
      const [run] = runs.data
      return run?.state === 'TRANSFERRED' ? '200' : `${run?.state} ${run?.explanation}`
    },
    async RETURN() {
      const foreign_id = `wire-${place.clock.now()}`
      const wire = movement(foreign_id, 'EUR', '50', {
        wallet: IBAN,
        destination_address: IBAN,
        source_address: 'FR7630006000011234567890189',
        counterparty: { name: 'Payer', iban: 'FR7630006000011234567890189', bic: null },
        protocol: 'SEPA',
      })
      place.arrives(place.bank, wire)
      await place.later(10_000)
      const url = `/treasury/deposits?foreign_id=${foreign_id}`
      const { data } = await place.as<{ id: string }[]>(place.treasurer, 'GET', url)
      return post(`/treasury/deposits/${data[0]?.id}/return`, { reason: 'not ours' })
    },
    async PAYMENT() {
      const { data, text, status } = await post<{ id: string }>('/treasury/payments', {
        from_wallet_id: place.wallets.bank.id,
        protocol: 'SEPA',
        payee: {
          label: `Landlord ${place.clock.now()}`,
          address: 'AT611904300234573201',
          transfer: { to: { name: 'Landlord Ltd' } },
        },
        account_id,
        quantity: '10',
        reference: 'Rent',
      })
      assert.equal(status, 200, text)
      await place.later(MINUTE)
      const url = `/treasury/payments?id=${data.id}`
      const payments = await place.as<{ state: string; reason: string }[]>(
        place.treasurer,
        'GET',
        url,
      )
      const [payment] = payments.data
      return payment?.state === 'SENT' ? '200' : `${payment?.state} ${payment?.reason}`
    },
  }
  const outcome = (answer: Answer<unknown> | string): string => {
    if (typeof answer === 'string') return answer
    return answer.status === 200 ? '200' : refusalOf(answer)
  }

  for (const [way, take] of Object.entries(ways))
    it(`${way} is denied, waits, or is sent, as the policy says`, async () => {
      await place.policy([NOTHING_LEAVES])
      const before = await made()
      const denied = outcome(await take())
      assert.match(denied, new RegExp(`${DENIED}|nothing leaves`), denied)
      assert.deepEqual(await made(), before)

      const version = await place.policy([TWO_OTHERS])
      assert.equal(outcome(await take()), '200')
      const waiting = (await made()).slice(before.length)
      assert.ok(waiting.length > 0)
      for (const { id, state, judged } of waiting) {
        assert.deepEqual({ state, judged }, { state: 'PENDING_APPROVAL', judged: String(version) })
        const { approval_request_id, external_id } = await place.withdrawal(id)
        assert.equal((await place.request(approval_request_id)).record_id, id)
        await place.decide(place.approvers[0], approval_request_id, 'APPROVE')
        assert.equal(place.sends(external_id), 0)
        await place.decide(place.approvers[1], approval_request_id, 'APPROVE')
      }
      await place.later(MINUTE)
      for (const { id } of waiting) {
        const { state, submitted_at } = await place.withdrawal(id)
        assert.ok(state === 'PENDING' && submitted_at !== null, `${way}: ${state} ${submitted_at}`)
      }
    })

  it('is not stored by a way that does not ask', async () => {
    await assert.rejects(
      place.db.query(sql`
        update withdrawals
        set policy_version = null
        where origin <> 'EXTERNAL'`),
      /withdrawals_judged/,
    )
  })

  it('says beforehand what it would say, and counts nothing', async () => {
    const body = { treasury_route_id: place.routes.payout.id, quantity: '0.1', account_id }
    await place.policy([TWO_OTHERS])
    const before = await place.counted()
    const preview = await post('/policy/preview', body)
    assert.partialDeepStrictEqual(preview.data, {
      verdict: 'APPROVE',
      rule: 1,
      rule_name: 'two look at it',
      groups: [{ roles: ['APPROVER'], n: 2 }],
      within_hours: 24,
    })
    await place.policy([NOTHING_LEAVES])
    assert.partialDeepStrictEqual((await post('/policy/preview', body)).data, { verdict: 'DENY' })
    await place.policy([])
    assert.partialDeepStrictEqual((await post('/policy/preview', body)).data, { verdict: 'ALLOW' })
    assert.deepEqual(await place.counted(), before)
  })

  it('is tried on what has happened, as it would have been judged then', async () => {
    const small = {
      name: 'small',
      when: { commands: ['WITHDRAWAL'], assets: ['BTC'], amount_at_least: '0.15' },
      verdict: 'DENY',
    }
    const body = { rules: [small, TWO_OTHERS], otherwise: 'ALLOW', days: 30 }
    const all = await made()
    const trial = await place.as<{
      movements: number
      counts: Record<string, number>
      matched: number[]
      stopped: { withdrawal_id: string; verdict: string }[]
    }>(place.admin, 'POST', '/policy/try', body)
    assert.equal(trial.status, 200, trial.text)
    const { movements, counts, matched, stopped } = trial.data
    assert.equal(movements, all.length)
    assert.deepEqual(matched, [counts['DENY'], counts['APPROVE']])
    assert.equal(counts['ALLOW'], 0)
    assert.ok((counts['DENY'] ?? 0) > 0 && (counts['APPROVE'] ?? 0) > 0)
    assert.deepEqual(
      stopped.map((one) => one.withdrawal_id).toSorted(),
      all.map(({ id }) => id).toSorted(),
    )
  })
})
