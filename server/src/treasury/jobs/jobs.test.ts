import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import { refusalOf } from '../../http/testing.ts'
import type { Job } from './jobs.schema.ts'
import { MINUTE, openJobs } from './jobs.testing.ts'
import { movesBack } from './warnings.ts'

describe('transfer jobs', () => {
  let jobs: Awaited<ReturnType<typeof openJobs>>
  before(async () => {
    jobs = await openJobs()
  })
  after(() => jobs.place.close())
  afterEach(() => jobs.stopAll())

  it('is stopped, activated and changed by its version', async () => {
    const { create, place, read, runs, save, sweeping } = jobs
    const job = await create(sweeping({ active: false }))
    await place.work()
    assert.deepEqual(
      { active: job.active, next_run_at: job.next_run_at, runs: await runs(job.id) },
      { active: false, next_run_at: null, runs: [] },
    )
    const activated = await save({ ...job, active: true })
    assert.equal(activated.status, 200, activated.text)
    assert.partialDeepStrictEqual(activated.data, { next_run_at: place.clock.now(), version: 2 })
    assert.deepEqual(
      refusalOf(await save({ ...job, active: true })),
      '400 3001 STALE_VERSION version',
    )
    await place.work()
    const ran = await read(job.id)
    assert.equal(ran.version, 2, 'a run does not outdate what a person edits')
    const slower = await save({ ...ran, interval: 60 })
    assert.equal(slower.data.next_run_at, (ran.next_run_at ?? 0) + 45 * MINUTE)
    await save({ ...slower.data, active: false })
    await place.later(61 * MINUTE)
    assert.equal((await runs(job.id)).length, 1)
    assert.deepEqual(await place.events(job.id), [
      'job.created',
      'job.changed',
      'job.transferred',
      'job.changed',
      'job.changed',
    ])
  })

  it('is made once by a repeated request', async () => {
    const { place, sweeping } = jobs
    const key = newId()
    const twice = await Promise.all(
      [1, 2].map(() =>
        place.call<Job>('POST', '/treasury/jobs', sweeping({ active: false }), {
          headers: { 'idempotency-key': key },
        }),
      ),
    )
    const ids = twice.flatMap((answer) => (answer.status === 200 ? [answer.data.id] : []))
    assert.equal(new Set(ids).size, 1)
    assert.deepEqual(
      (
        await place.call<Job>('POST', '/treasury/jobs', sweeping({ active: false }), {
          headers: { 'idempotency-key': key },
        })
      ).data.id,
      ids[0],
    )
  })

  it('one tick is one run, whoever runs it', async () => {
    const { create, place, runAtOnce, runs, sweeping, withdrawalsOf } = jobs
    const job = await create(sweeping())
    await runAtOnce([job, job, job, job])
    assert.equal((await runs(job.id)).length, 1)
    assert.equal((await withdrawalsOf(job.id)).length, 1)
    await place.work()
  })

  it('warns of jobs that push money back and forth', async () => {
    const { conditional, create, read, save, sweeping } = jobs
    const one = await create(sweeping({ conditions: [{ target: '9' }] }))
    const two = await create(conditional())
    assert.deepEqual(
      two.warnings.map(({ code, job_ids }) => ({ code, job_ids })),
      [{ code: 'BACK_AND_FORTH', job_ids: [one.id] }],
    )
    assert.deepEqual(
      (await read(one.id)).warnings.map(({ code, job_ids }) => ({ code, job_ids })),
      [{ code: 'BACK_AND_FORTH', job_ids: [two.id] }],
    )
    await save({ ...(await read(two.id)), active: false })
    assert.deepEqual((await read(one.id)).warnings, [])
    const rule = (condition_type: 'SWEEPING' | 'PROVISION', target: string) => ({
      condition_type,
      conditions: [{ target }],
    })
    assert.equal(movesBack(rule('SWEEPING', '5'), rule('PROVISION', '5')), false)
    assert.equal(movesBack(rule('PROVISION', '6'), rule('SWEEPING', '5')), true)
    assert.equal(movesBack(rule('SWEEPING', '5'), rule('SWEEPING', '5')), true)
  })

  it('refuses what cannot be a job', async () => {
    const { conditional, place, provision, sweeping } = jobs
    const outside = await place.call<{ id: string }>('POST', '/treasury/wallets/routes', {
      label: 'out',
      from_wallet_id: place.wallets.bank.id,
      to_wallet_id: place.wallets.aliceEur.id,
      protocol: 'SEPA',
      transfer: { to: { name: 'A', reference: 'r' } },
    })
    const route = outside.status === 200 ? outside.data.id : place.routes.bankToAlice.id
    const rows: [string, object, string][] = [
      ['another interval', sweeping({ interval: 10 }), '400 3001 ENUM interval'],
      ['no condition', sweeping({ conditions: [] }), '400 3001 RANGE conditions'],
      [
        'two targets',
        sweeping({ conditions: [{ target: '1' }, { target: '2' }] }),
        '400 3001 CONFLICT conditions',
      ],
      ['no target', sweeping({ conditions: [{}] }), '400 3001 REQUIRED conditions[0].target'],
      [
        'a condition of another kind',
        sweeping({ conditions: [{ target: '1', predicate: 'GT' }] }),
        '400 3001 CONFLICT conditions[0].predicate',
      ],
      ['a quantity with SWEEPING', sweeping({ quantity: '1' }), '400 3001 CONFLICT quantity'],
      [
        'a target finer than the asset',
        sweeping({ conditions: [{ target: '1.000000001' }] }),
        '400 3001 SCALE conditions[0].target',
      ],
      [
        'a minimum finer than the asset',
        provision({ min_quantity: '0.001' }),
        '400 3001 SCALE min_quantity',
      ],
      [
        'CONDITIONAL without quantity',
        conditional({ quantity: null }),
        '400 3001 REQUIRED quantity',
      ],
      ['CONDITIONAL of nothing', conditional({ quantity: '0' }), '400 3001 RANGE quantity'],
      [
        'CONDITIONAL with a minimum above its quantity',
        conditional({ quantity: '0.5', min_quantity: '0.6' }),
        '400 3001 CONFLICT min_quantity',
      ],
      [
        'CONDITIONAL with a target',
        conditional({ conditions: [{ target: '1' }] }),
        '400 3001 REQUIRED conditions[0].balance_side',
      ],
      ['a fee without CUSTOM', sweeping({ fee: '0.1' }), '400 3001 CONFLICT fee'],
      ['CUSTOM without a fee', sweeping({ speed_level: 'CUSTOM' }), '400 3001 REQUIRED fee'],
      [
        'CUSTOM where the venue has none',
        conditional({ speed_level: 'CUSTOM', fee: '0.1' }),
        '400 3001 UNSUPPORTED_BY_VENUE speed_level',
      ],
      ['filling what nobody sees', provision({ route }), '400 3001 UNSUPPORTED_BY_VENUE route'],
      ['an unknown route', sweeping({ route: newId() }), '404 4004 NOT_FOUND route'],
    ]
    for (const [what, body, refusal] of rows)
      assert.equal(refusalOf(await place.call('POST', '/treasury/jobs', body)), refusal, what)
  })

  it('takes a field of another kind with its neutral value, and stores none', async () => {
    const { conditional, create, sweeping } = jobs
    const one = await create(sweeping({ active: false, fee: '0', quantity: '0.00' }))
    const other = await create(conditional({ active: false, fee: '0', min_quantity: '0.1' }))
    const stored = [one, other].map(({ fee, quantity, min_quantity }) => ({
      fee,
      quantity,
      min_quantity,
    }))
    assert.deepEqual(stored, [
      { fee: null, quantity: null, min_quantity: '0.1' },
      { fee: null, quantity: '0.5', min_quantity: null },
    ])
  })

  it('of others are not found', async () => {
    const { place, save, sweeping } = jobs
    assert.equal(refusalOf(await save({ ...sweeping(), id: newId() })), '404 4004 NOT_FOUND job_id')
    assert.equal((await place.call('GET', `/treasury/jobs/${newId()}/runs`)).error_code, 4004)
    assert.equal(
      (await place.call('GET', '/treasury/jobs', undefined, { token: 'stranger' })).text.includes(
        place.workspace,
      ),
      false,
    )
  })
})
