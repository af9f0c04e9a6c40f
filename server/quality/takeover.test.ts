/** One person with every permission takes nothing over, and what was approved is done once. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { User } from '../src/access/users.schema.ts'
import { mustExist } from '../src/core/assert.ts'
import { COMMAND_NAMES } from '../src/ledger/index.ts'
import type { ApprovalInDetail, Policy } from '../src/ledger/index.ts'
import { sql } from '../src/store/sql.ts'
import type { Withdrawal } from '../src/treasury/index.ts'
import { openPolicedService, rule } from './policed-service.testing.ts'
import type { At, Entry } from './policed-service.testing.ts'

const HOUR = 3_600_000

const { service, operations, ask, person, thief, other, request, decide, policy } =
  await openPolicedService()
after(() => service.close())

describe('a stolen token of somebody with every role', () => {
  /** Two others look at what leaves; one at whatever opens another way to it. */
  const RULES = [
    rule({ commands: ['WITHDRAWAL'] }, 'APPROVE', 2),
    rule({ commands: COMMAND_NAMES.filter((command) => command !== 'WITHDRAWAL') }),
  ]
  const moved = async () =>
    service.app.db.query(sql`
      select 'booked by hand' as what, count(*)
      from bookings
      where type = 'MANUAL'
      union all
      select 'sent', count(*)
      from withdrawals
      where system_created_by = ${thief.id}
        and submitted_at is not null
      union all
      select 'users', count(*)
      from users
      union all
      select 'programs', count(*)
      from api_keys
      union all
      select 'wallets', count(*)
      from wallets
      union all
      select 'routes', count(*)
      from treasury_routes
      union all
      select 'policies', count(*)
      from policies`)
  before(() => policy(RULES))
  after(() => policy([]))

  it('moves nothing, changes nothing, and all of it stands in the audit trail', async () => {
    const before = await moved()
    const current = (await ask<Policy>(thief.token, ['GET', '/policy'])).data
    const [wallet] = (await ask<{ id: string }[]>(thief.token, ['GET', '/treasury/wallets'])).data
    const [own] = (await ask<{ id: string }[]>(thief.token, ['GET', '/accounts'])).data
    const leg = { account_id: own?.id, quantity: '400000' }
    const steps: [string, At, object][] = [
      [
        'putPolicy',
        ['PUT', '/policy'],
        { rules: [], otherwise: 'ALLOW', version: current.version },
      ],
      ['createUser', ['POST', '/users'], { email: 'mule@ours.example', roles: ['APPROVER'] }],
      ['createApiKey', ['POST', '/auth/api-keys'], exampleOf('createApiKey')],
      ['createWallet', ['POST', '/treasury/wallets'], exampleOf('createWallet')],
      [
        'createTreasuryRoute',
        ['POST', '/treasury/wallets/routes'],
        { ...exampleOf('createTreasuryRoute'), from_wallet_id: wallet?.id },
      ],
      ['createTransferJob', ['POST', '/treasury/jobs'], exampleOf('createTransferJob')],
      [
        'createBooking',
        ['POST', '/bookings'],
        {
          asset: 'EUR',
          legs: [
            { ...leg, type: 'DEBIT' },
            { ...leg, type: 'CREDIT' },
          ],
        },
      ],
    ]
    for (const [name, at, body] of steps) {
      const answer = await ask(thief.token, at, body)
      assert.deepEqual([answer.status, answer.code], [409, 'APPROVAL_REQUIRED'], name)
      assert.equal((await decide(answer.record_id, 'APPROVE', thief.token)).status, 403, name)
    }
    const sent: Withdrawal[] = []
    const routes = await ask<{ id: string }[]>(thief.token, ['GET', '/treasury/wallets/routes'])
    for (const { id } of routes.data) {
      const url = `/treasury/wallets/routes/${id}/withdrawals`
      const body = { quantity: '0.01', speed_level: 'DEFAULT' }
      const answer = await ask<Withdrawal>(thief.token, ['POST', url], body)
      if (answer.status !== 200) continue
      sent.push(answer.data)
      const decided = await decide(answer.data.approval_request_id ?? '', 'APPROVE', thief.token)
      assert.equal(decided.status, 403)
    }
    assert.ok(sent.length > 0)
    assert.deepEqual([...new Set(sent.map(({ state }) => state))], ['PENDING_APPROVAL'])
    await service.work('a while later')
    assert.deepEqual(await moved(), before)

    await service.app.access.security.write()
    const trail = await ask<Entry[]>(other.token, ['GET', `/audit?actor=${thief.id}&limit=200`])
    const told = trail.data.map(({ operation }) => operation)
    for (const name of ['createWithdrawal', 'decideApproval']) assert.ok(told.includes(name), name)
    const asked = trail.data.filter(({ operation }) => operation === 'requestApproval')
    assert.ok(asked.length >= steps.length)
    const waiting = await ask<ApprovalInDetail[]>(other.token, ['GET', '/approvals?state=PENDING'])
    for (const [name] of steps)
      assert.ok(
        waiting.data.some(
          ({ operation, requested_by }) => operation === name && requested_by === thief.id,
        ),
        name,
      )
  })

  const exampleOf = (name: string) => mustExist(operations.get(name), name).example as object
})

describe('what was approved', () => {
  const waits = async (at: At, body: unknown, token = thief.token) => {
    const answer = await ask(token, at, body)
    assert.deepEqual([answer.status, answer.code], [409, 'APPROVAL_REQUIRED'], answer.text)
    return mustExist(answer.record_id, 'the request is named')
  }
  /** A user as a change takes it. */
  async function shown(id: string) {
    const found = mustExist(
      (await users()).find((one) => one.id === id),
      'the user',
    )
    const { email, roles, state, version } = found
    return { id, email, roles, state, version }
  }
  const users = async () => (await ask<User[]>(thief.token, ['GET', '/users'])).data

  before(() => policy([rule({ commands: ['USER_CHANGE', 'API_KEY_CHANGE', 'VENUE_CHANGE'] })]))
  after(() => policy([]))

  it('is done once, as it was asked for, by whom it was asked for', async () => {
    const { id: user } = await person('renamed', 'READER')
    const body = { ...(await shown(user)), name: 'Renamed' }
    const nameOf = async () => (await users()).find((one) => one.id === user)?.name
    const id = await waits(['PUT', '/users'], body)
    assert.equal(await waits(['PUT', '/users'], body), id)
    assert.equal(await nameOf(), null)
    assert.partialDeepStrictEqual(await request(id), {
      record_id: user,
      execution: 'BY_KONTOR',
      request: { params: {}, body },
    })
    assert.equal((await decide(id, 'APPROVE', thief.token)).status, 403)
    assert.equal((await decide(id, 'APPROVE')).data.state, 'APPROVED')
    await service.work('approved')
    const { state, result_id } = await request(id)
    assert.deepEqual(
      { state, result_id, name: await nameOf() },
      { state: 'EXECUTED', result_id: user, name: 'Renamed' },
    )
    await service.app.access.security.write()
    const trail = await ask<Entry[]>(thief.token, ['GET', `/audit?record_id=${user}`])
    assert.partialDeepStrictEqual(
      trail.data.filter(({ operation }) => operation === 'changeUser'),
      [{ outcome: 'DONE', actor: thief.id, request_id: id }],
    )
  })

  it('fails with the reason where the record was changed meanwhile', async () => {
    const { id: user } = await person('twice', 'READER')
    const before = await shown(user)
    const ids = [
      await waits(['PUT', '/users'], { ...before, name: 'One' }),
      await waits(['PUT', '/users'], { ...before, name: 'Two' }),
    ]
    for (const id of ids) await decide(id, 'APPROVE')
    await service.work('both')
    const ends = await Promise.all(ids.map(request))
    assert.deepEqual(ends.map(({ state }) => state).toSorted(), ['EXECUTED', 'FAILED'])
    assert.match(ends.find(({ state }) => state === 'FAILED')?.failure ?? '', /version is 2/)
  })

  it('fails for who may not do it any more', async () => {
    const leaver = await person('leaver', 'ADMIN')
    const body = { email: 'late@ours.example', roles: ['READER'] }
    const id = await waits(['POST', '/users'], body, leaver.token)
    await service.app.db.query(sql`
      update users
      set roles = array['READER']
      where id = ${leaver.id}`)
    await decide(id, 'APPROVE')
    await service.work('left')
    assert.partialDeepStrictEqual(await request(id), {
      state: 'FAILED',
      failure: 'who asked for it may not do it any more',
    })
    assert.equal(
      (await users()).some(({ email }) => email === body.email),
      false,
    )
  })

  it('is not done when it was rejected, withdrawn, or its time is over', async () => {
    const bodyOf = (name: string) => ({ email: `${name}@ours.example`, roles: ['READER'] })
    const [rejected, withdrawn, expired] = [
      await waits(['POST', '/users'], bodyOf('rejected')),
      await waits(['POST', '/users'], bodyOf('withdrawn')),
      await waits(['POST', '/users'], bodyOf('expired')),
    ]
    await decide(rejected, 'REJECT')
    await ask(thief.token, ['POST', `/approvals/${withdrawn}/withdraw`], {})
    await service.app.db.query(sql`
      update approval_requests
      set expires_at = ${service.clock.now()}
      where id = ${expired}`)
    await service.app.db.query(sql`
      update tasks
      set due_at = ${service.clock.now()}
      where subject_id = ${expired}`)
    await service.work('over')
    const states = await Promise.all([rejected, withdrawn, expired].map(request))
    assert.deepEqual(
      states.map(({ state }) => state),
      ['REJECTED', 'WITHDRAWN', 'EXPIRED'],
    )
    assert.equal(
      (await users()).some(({ email }) => /^(rej|with|exp)/.test(email)),
      false,
    )
  })

  it('is sent again by who asked where its answer is shown once', async () => {
    const body = {
      label: 'Reports',
      permissions: ['bookings.read'],
      expires_at: service.clock.now() + 24 * HOUR,
    }
    const create = () =>
      ask<{ id: string; secret: string }>(thief.token, ['POST', '/auth/api-keys'], body)
    const id = await waits(['POST', '/auth/api-keys'], body)
    await decide(id, 'APPROVE')
    await service.work('nothing')
    assert.partialDeepStrictEqual(await request(id), {
      state: 'APPROVED',
      execution: 'BY_REQUESTER',
    })
    const made = await create()
    assert.equal(made.status, 200, made.text)
    assert.match(made.data.secret, /\w{20}/)
    assert.partialDeepStrictEqual(await request(id), { state: 'EXECUTED', result_id: made.data.id })
    assert.notEqual(await waits(['POST', '/auth/api-keys'], body), id)
  })

  it('keeps no secret that was asked for', async () => {
    const body = {
      email: 'word@ours.example',
      roles: ['READER'],
      password: 'quite an unusual word',
    }
    const id = await waits(['POST', '/users'], body)
    const { password: _secret, ...kept } = body
    assert.deepEqual((await request(id)).request?.body, kept)
    const [row] = await service.app.db.query<{ text: string }>(sql`
      select to_jsonb(a)::text as text
      from approval_requests a
      where id = ${id}`)
    assert.equal(row?.text.includes(body.password), false)
    await decide(id, 'APPROVE')
    const asked = await ask(thief.token, ['POST', '/users'], {
      ...body,
      password: 'another one here',
    })
    assert.equal(asked.code, 'APPROVAL_REQUIRED')
    assert.equal((await ask(thief.token, ['POST', '/users'], body)).status, 200)
    assert.equal((await request(id)).state, 'EXECUTED')
  })

  it('belongs to its workspace', async () => {
    const id = await waits(['POST', '/users'], { email: 'own@ours.example', roles: ['READER'] })
    for (const at of [['GET', `/approvals/${id}`]] as At[])
      assert.equal((await ask(service.theirs.tokens.all, at)).status, 404)
  })
})
