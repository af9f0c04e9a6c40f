/**
 * Each story against what was done: its steps in order, with who, why, and the bookings of each.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { bookTransfersEndpoints } from '../../customers/index.ts'
import type { Customer } from '../../customers/index.ts'
import { testServer } from '../../http/testing.ts'
import type { TestServer } from '../../http/testing.ts'
import { sql } from '../../store/sql.ts'
import { openMovements } from '../../treasury/testing/movements.testing.ts'
import { BTC_ADDRESS, movement } from '../../treasury/testing/venue.fixture.ts'
import { deskEndpoints } from '../index.ts'
import type { Timeline, TimelineStep } from './timeline.schema.ts'

type Place = Awaited<ReturnType<typeof openMovements>>
const ALL = [
  'customers.read',
  'bookings.read',
  'book-transfers.create',
  'treasury.deposits.read',
  'treasury.withdrawals.read',
  'treasury.jobs.read',
  'assignments.read',
  'settlements.read',
  'trading.executions.read',
]

describe('timelines', () => {
  let place: Place
  let api: TestServer
  let permissions: Set<string>
  let workspace: WorkspaceId
  let bob: Customer
  before(async () => {
    place = await openMovements()
    permissions = new Set(ALL)
    workspace = place.workspace
    api = await testServer({
      db: place.db,
      clock: place.clock,
      endpoints: [...deskEndpoints(place.app), ...bookTransfersEndpoints(place.app)],
      authenticate: async () => ({ ...place.principal, workspace, permissions }),
    })
    bob = await place.customer('Bob')
    await place.fund(place.alice.account_id, 'BTC', '5')
    await place.db.query(sql`
        insert into users (
          workspace, id, email, name, password_hash, roles, state, must_change_password,
          system_created_at, system_updated_at
        )
        values (
          ${workspace}, ${place.principal.user_id}, 'tess@desk.example', 'Tess', '', '{}', 'ACTIVE',
          false, 0, 0
        )`)
  })
  after(async () => {
    assert.deepEqual(await place.verify(), [])
    await api.close()
    await place.close()
  })
  const timeline = async (kind: string, id: string): Promise<Timeline> => {
    const answer = await api.call<Timeline>('GET', `/timeline/${kind}/${id}`)
    assert.equal(answer.status, 200, answer.text)
    return answer.data
  }
  const shortLeg = (leg: TimelineStep['bookings'][number]['legs'][number]) =>
    `${leg.type[0]} ${leg.account_label} ${leg.quantity}`
  const short = (steps: readonly TimelineStep[]) =>
    steps.map((step) =>
      [
        step.type,
        step.by_name ?? step.by,
        ...step.bookings.map(
          (booking) => `${booking.type} ${booking.legs.map(shortLeg).join(', ')}`,
        ),
      ].join(' | '),
    )
  const arrived = async (
    foreign_id: string,
    quantity: string,
    more: Parameters<typeof movement>[3] = {},
  ): Promise<string> => {
    place.arrives(
      place.vault,
      movement(foreign_id, 'BTC', quantity, {
        wallet: '0',
        destination_address: BTC_ADDRESS,
        ...more,
      }),
    )
    await place.later(60_000)
    const [row] = await place.db.query<{ id: string }>(
      sql`
        select id
        from deposits
        where workspace = ${place.workspace}
          and foreign_id = ${foreign_id}`,
    )
    assert.ok(row !== undefined)
    return row.id
  }

  it('a deposit of nobody: seen, final, assigned by somebody, rectified', async () => {
    const id = await arrived('story-1', '2')
    const assigned = await place.call<{ id: string }>(
      'POST',
      `/treasury/deposits/${id}/assignments`,
      [{ account_id: place.alice.account_id, quantity: '2' }],
    )
    assert.equal(assigned.status, 200, assigned.text)
    const rectified = await place.call('POST', `/treasury/deposits/${id}/rectifications`, {
      reason: 'WRONG_ACCOUNT',
      origins: [assigned.data.id],
      targets: [{ account_id: bob.account_id, quantity: '2' }],
    })
    assert.equal(rectified.status, 200, rectified.text)
    const { steps, truncated } = await timeline('deposit', id)
    assert.equal(truncated, false)
    assert.deepEqual(
      steps.map((step) => step.type),
      [
        'deposit.detected',
        'deposit.received',
        'deposit.assigned',
        'deposit.rectified',
        'deposit.assigned',
      ],
    )
    assert.equal(steps[1]?.reason, 'no matching names its destination, source or reference')
    assert.deepEqual(short(steps.slice(1, 3)), [
      'deposit.received | treasury | DEPOSIT D vault 2, C Suspense 2',
      'deposit.assigned | Tess | DEPOSIT_ASSIGNMENT D Suspense 2, C Alice 2',
    ])
    assert.equal(
      steps[2]?.title,
      'The deposit, or a part of it, was booked to an account: 2 BTC for ' +
        `Alice · …${place.alice.id.slice(-6)}`,
    )
    assert.equal(steps[3]?.reason, 'WRONG_ACCOUNT')
    assert.ok((steps[3]?.bookings.length ?? 0) > 0)
    assert.deepEqual((await timeline('assignment', assigned.data.id)).steps, steps)
  })

  it('a deposit that a matching gives to somebody says which and why', async () => {
    const matching = await place.call<{ id: string }>('POST', '/accounts/matchings', {
      resource_id: bob.account_id,
      type: 'DESTINATION_WITH_REFERENCE',
      details: {
        asset: 'BTC',
        is_withdrawal_matching: false,
        destination_address: BTC_ADDRESS,
        reference: 'BOB-7',
      },
    })
    assert.equal(matching.status, 200, matching.text)
    const id = await arrived('story-2', '0.5', { reference_text: 'for bob-7' })
    const steps = (await timeline('deposit', id)).steps.filter((step) => step.resource.id === id)
    const why =
      `DESTINATION_WITH_REFERENCE: matching for the destination ${BTC_ADDRESS} ` +
      `with the reference BOB-7 (${matching.data.id})`
    assert.deepEqual(
      steps.slice(-2).map((step) => [step.type, step.reason, step.by]),
      [
        ['deposit.received', why, 'treasury'],
        ['deposit.assigned', why, 'treasury'],
      ],
    )
  })

  it('a transfer by a job: the run and what it measured, the withdrawal, its arrival', async () => {
    const before = await arrived('story-3', '1')
    const made = await place.call<{ id: string }>('POST', '/treasury/jobs', {
      route: place.routes.vaultToExchange.id,
      condition_type: 'SWEEPING',
      interval: 15,
      speed_level: 'DEFAULT',
      min_quantity: '0.1',
      conditions: [{ target: '1' }],
      active: true,
    })
    assert.equal(made.status, 200, made.text)
    await place.work()
    const [run] = await place.db.query<{ id: string; withdrawal_id: string; explanation: string }>(
      sql`
        select id, withdrawal_id, explanation
        from job_runs
        where workspace = ${workspace}
          and job_id = ${made.data.id}
        order by id
        limit 1`,
    )
    assert.ok(run !== undefined)
    const { steps } = await timeline('job_run', run.id)
    assert.deepEqual(
      steps.slice(0, 2).map((step) => [step.type, step.resource.kind]),
      [
        ['job.transferred', 'job_run'],
        ['withdrawal.created', 'withdrawal'],
      ],
    )
    assert.equal(steps[0]?.reason, run.explanation)
    assert.deepEqual(
      (await timeline('withdrawal', run.withdrawal_id)).steps.map((step) => step.type),
      steps.map((step) => step.type),
    )
    const onward = (await timeline('deposit', before)).steps.find(
      (step) => step.resource.kind === 'job_run',
    )
    assert.equal(onward?.title, 'A transfer job moved money from the wallet that holds it')
  })

  it('a customer: what was lately done with its account', async () => {
    const { steps } = await timeline('customer', bob.id)
    assert.ok(
      steps.some((step) => step.resource.kind === 'deposit' && step.type === 'deposit.rectified'),
    )
    assert.ok(steps.some((step) => step.type === 'customer.created'))
    assert.deepEqual(
      steps.map((step) => step.at),
      steps.map((step) => step.at).toSorted((a, b) => a - b),
    )
  })

  it('a customer: what it gave to another, also what was canceled', async () => {
    const made = await api.call<{ id: string }>('POST', '/book-transfers', {
      body: {
        from_account_id: place.alice.account_id,
        to_account_id: bob.account_id,
        asset: 'BTC',
        quantity: '0.1',
        reason: 'Gift',
      },
    })
    assert.equal(made.status, 200, made.text)
    const canceled = await api.call('POST', `/book-transfers/${made.data.id}/cancel`, {
      body: { reason: 'made twice' },
    })
    assert.equal(canceled.status, 200, canceled.text)
    const end = (id: string) => id.slice(-6)
    const named = `0.1 BTC from Alice · …${end(place.alice.id)} to Bob · …${end(bob.id)}`
    for (const { id } of [place.alice, bob]) {
      const { steps } = await timeline('customer', id)
      assert.deepEqual(
        steps
          .filter((step) => step.resource.id === made.data.id)
          .map((step) => [step.type, step.title.split(': ').at(-1), step.reason]),
        [
          ['book_transfer.created', named, 'Gift'],
          ['book_transfer.canceled', named, 'Gift; made twice'],
        ],
      )
    }
  })

  it('needs the permission of the record, and leaves out what the caller may not see', async () => {
    const id = await arrived('story-4', '1')
    permissions = new Set(['treasury.deposits.read'])
    const { steps } = await timeline('deposit', id)
    assert.ok(
      steps.length >= 2 &&
        steps.every((step) => step.resource.kind === 'deposit' && step.bookings.length === 0),
    )
    permissions = new Set(['customers.read'])
    const refused = await api.call('GET', `/timeline/deposit/${id}`)
    assert.deepEqual(
      { status: refused.status, error_code: refused.error_code },
      { status: 403, error_code: 1003 },
    )
    permissions = new Set(ALL)
  })

  it('knows nothing of another workspace, nor of what is not there', async () => {
    const id = await arrived('story-5', '1')
    for (const [kind, of] of [
      ['deposit', id],
      ['customer', bob.id],
    ] as const) {
      workspace = newId()
      assert.equal((await api.call('GET', `/timeline/${kind}/${of}`)).error_code, 4004)
      workspace = place.workspace
    }
    const kinds = ['deposit', 'withdrawal', 'job_run', 'assignment', 'book_transfer', 'execution']
    for (const kind of [...kinds, 'customer'])
      assert.equal((await api.call('GET', `/timeline/${kind}/${newId()}`)).error_code, 4004, kind)
    assert.equal((await api.call('GET', `/timeline/wallet/${newId()}`)).error_code, 3001)
  })
})
