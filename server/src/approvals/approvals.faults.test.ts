/** What waits for approval goes on or ends once, wherever the process dies that decides it. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../core/ids.ts'
import { apiClient, repeat } from '../core/service.testing.ts'
import { until } from '../core/testing.ts'
import type { ApprovalRequest } from '../ledger/index.ts'
import { sql } from '../store/sql.ts'
import { openFaultWorld } from '../treasury/testing/faults.testing.ts'
import type { FaultWorld } from '../treasury/testing/faults.testing.ts'
import type { Withdrawal } from '../treasury/index.ts'

const APPROVER = { email: 'approver@example.com', password: 'only for these faults' }

describe('approvals outlive the processes that decide them', { timeout: 500_000 }, () => {
  let world: FaultWorld
  const approver = apiClient(APPROVER)
  before(async () => {
    world = await openFaultWorld()
    await world.call('POST', '/users', {
      ...APPROVER,
      roles: ['APPROVER'],
      must_change_password: false,
    })
    await world.call('PUT', '/policy', {
      rules: [
        {
          name: 'somebody else looks at it',
          when: { commands: ['WITHDRAWAL'] },
          verdict: 'APPROVE',
          approve: { groups: [{ roles: ['APPROVER'], n: 1 }], within_hours: 24 },
        },
        {
          name: 'nobody changes users alone',
          when: { commands: ['USER_CHANGE'] },
          verdict: 'APPROVE',
          approve: { groups: [{ roles: ['APPROVER'], n: 1 }], within_hours: 24 },
        },
      ],
      otherwise: 'ALLOW',
      version: 0,
    })
  })
  after(() => world.close())

  const restart = async (point?: string) => {
    await world.killApi()
    await world.startApi(point === undefined ? {} : { KONTOR_FAILPOINT: point })
    await approver.connect((await world.api().ready).port)
  }
  const read = (id: string) => world.call<Withdrawal>('GET', `/treasury/withdrawals/${id}`)
  const requestOf = async (id: string) =>
    world.call<ApprovalRequest>('GET', `/approvals/${(await read(id)).approval_request_id}`)
  /** The API dies there, and the same request is sent again to the next one. */
  async function dyingAt<T>(point: string, ask: () => Promise<T>): Promise<T> {
    await restart(point)
    const dying = world.api()
    await assert.rejects(ask())
    assert.equal(await dying.exited, 'SIGKILL', point)
    await restart()
    return repeat(ask)
  }
  const decision = async (id: string, word: 'APPROVE' | 'REJECT') => {
    const { approval_request_id } = await read(id)
    const headers = { 'idempotency-key': newId() }
    return () =>
      approver.call<ApprovalRequest>(
        'POST',
        `/approvals/${approval_request_id}/decision`,
        { decision: word },
        headers,
      )
  }

  for (const point of ['withdrawal.create.before', 'withdrawal.create.after'])
    it(`is asked for once, killed at ${point}`, async () => {
      const key = newId()
      const id = await dyingAt(point, () => world.withdraw(key, '0.0101'))
      assert.equal((await read(id)).state, 'PENDING_APPROVAL')
      const asked = await world.call<ApprovalRequest[]>('GET', `/approvals?record_id=${id}`)
      assert.equal(asked.length, 1)
      await (
        await decision(id, 'REJECT')
      )()
      assert.equal((await world.facts(id)).hold, 'released')
    })

  for (const point of ['approval.decide.before', 'approval.decide.after']) {
    it(`is sent once, killed at ${point}`, async () => {
      const id = await world.withdraw()
      const approved = await dyingAt(point, await decision(id, 'APPROVE'))
      assert.equal(approved.state, 'APPROVED')
      const worker = world.worker()
      await until('its end', async () =>
        (await world.stateOf(id)) === 'SUCCESS' ? true : undefined,
      )
      await world.kill(worker)
      const facts = await world.facts(id)
      assert.partialDeepStrictEqual(facts, { received: 1, arrived: 1, hold: 'captured' })
    })

    it(`is rejected once, killed at ${point}`, async () => {
      const id = await world.withdraw()
      const rejected = await dyingAt(point, await decision(id, 'REJECT'))
      assert.equal(rejected.state, 'REJECTED')
      const facts = await world.facts(id)
      assert.partialDeepStrictEqual(facts, { state: 'REJECTED', received: 0, hold: 'released' })
    })
  }

  for (const point of ['approval.expire.before', 'approval.expire.after'])
    it(`expires once, killed at ${point}`, async () => {
      const id = await world.withdraw()
      const { id: request } = await requestOf(id)
      await world.db.query(sql`
        update approval_requests
        set expires_at = 1
        where id = ${request}`)
      await world.db.query(sql`
        update tasks
        set due_at = 1
        where subject_id = ${request}`)
      const killed = world.worker(point, request)
      assert.equal(await killed.exited, 'SIGKILL', point)
      const worker = world.worker()
      await until('its end', async () =>
        (await requestOf(id)).state === 'EXPIRED' ? true : undefined,
      )
      await world.kill(worker)
      assert.partialDeepStrictEqual(await world.facts(id), {
        state: 'REJECTED',
        received: 0,
        hold: 'released',
      })
      assert.deepEqual(await world.verify(), [])
    })

  type Named = { id: string; email: string; name: string | null; roles: string[]; version: number }
  const approverOf = async () => {
    const users = await world.call<Named[]>('GET', '/users')
    const found = users.find(({ email }) => email === APPROVER.email)
    assert.ok(found !== undefined)
    return found
  }
  const rename = async (name: string) => {
    const { id, email, roles, version } = await approverOf()
    const body = { id, email, roles, state: 'ACTIVE', name, version }
    return () => world.call('PUT', '/users', body)
  }
  /** Of the request that a refusal names. */
  async function waiting(ask: () => Promise<unknown>): Promise<string> {
    const refusal = String(await ask().catch((error: unknown) => error))
    assert.match(refusal, /APPROVAL_REQUIRED/)
    return /"record_id":"([^"]+)"/.exec(refusal)?.[1] ?? ''
  }
  const approval = (id: string) => world.call<ApprovalRequest>('GET', `/approvals/${id}`)

  for (const point of ['approval.ask.before', 'approval.ask.after'])
    it(`a command is asked for once, killed at ${point}`, async () => {
      await restart(point)
      const ask = await rename(point)
      const dying = world.api()
      await assert.rejects(ask())
      assert.equal(await dying.exited, 'SIGKILL', point)
      await restart()
      const id = await waiting(ask)
      const open = await world.call<ApprovalRequest[]>(
        'GET',
        '/approvals?state=PENDING&command=USER_CHANGE',
      )
      assert.deepEqual(
        open.map((one) => one.id),
        [id],
      )
      await approver.call('POST', `/approvals/${id}/decision`, { decision: 'REJECT' })
      assert.notEqual((await approverOf()).name, point)
    })

  for (const point of ['approval.execute.before', 'approval.execute.after'])
    it(`a command is done once, killed at ${point}`, async () => {
      await restart()
      const before = await approverOf()
      const id = await waiting(await rename(point))
      await approver.call('POST', `/approvals/${id}/decision`, { decision: 'APPROVE' })
      const killed = world.worker(point, id)
      assert.equal(await killed.exited, 'SIGKILL', point)
      const worker = world.worker()
      await until('its end', async () =>
        (await approval(id)).state === 'APPROVED' ? undefined : true,
      )
      await world.kill(worker)
      const { state, failure, result_id } = await approval(id)
      const { name, version } = await approverOf()
      assert.deepEqual(
        { state, failure, result_id, name, version },
        {
          state: 'EXECUTED',
          failure: null,
          result_id: before.id,
          name: point,
          version: before.version + 1,
        },
      )
    })
})
