import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { decimal } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import type { Answer } from '../../http/testing.ts'
import { sql } from '../../store/sql.ts'
import { storeBalances } from '../../venues/index.ts'
import { treasuryTasks } from '../index.ts'
import { movesBack } from './warnings.ts'
import type { DryRun, Job, JobRun } from './jobs.schema.ts'
import { openMovements } from '../testing/movements.testing.ts'
import { balance, IBAN, movement } from '../testing/venue.fixture.ts'
import type { Withdrawal } from '../withdrawals/withdrawals.schema.ts'

const MINUTE = 60_000
const QUARTER = 15 * MINUTE

describe('transfer jobs', () => {
  let place: Awaited<ReturnType<typeof openMovements>>
  before(async () => {
    place = await openMovements()
  })
  after(() => place.close())
  afterEach(async () => {
    // Each test leaves venues that answer, and no job that still runs.
    for (const fake of [place.vault, place.exchange, place.bank]) fake.down = false
    for (const model of Object.values(place.models))
      Object.assign(model, { mode: 'accept', down: false })
    const live = (
      await place.call<Withdrawal[]>('GET', '/treasury/withdrawals?state=pending,unknown')
    ).data
    for (const [external_id] of live.flatMap((row) =>
      row.submitted_at === null ? [] : [[row.external_id]],
    )) {
      for (const model of Object.values(place.models))
        if (external_id !== undefined && model.accepted.has(external_id))
          model.finish(external_id, { state: 'FAILED', sub_state: 'OVER' })
    }
    for (const job of await jobs()) if (job.active) await put({ ...job, active: false })
    await place.later(MINUTE)
  })

  const code = (answer: Answer<unknown>) =>
    `${answer.error_code} ${answer.error_details?.[0]?.code} ${answer.error_details?.[0]?.path}`
  const jobs = async () => (await place.call<Job[]>('GET', '/treasury/jobs')).data
  const read = async (id: string) => (await jobs()).find((job) => job.id === id) as Job
  const put = (body: object) => place.call<Job>('PUT', '/treasury/jobs', body)
  const runs = async (id: string) =>
    (await place.call<JobRun[]>('GET', `/treasury/jobs/${id}/runs`)).data
  const last = async (id: string) => {
    const [run] = await runs(id)
    assert.ok(run !== undefined, 'it has run')
    return run
  }
  const outcome = ({ state, reason, quantity }: JobRun | DryRun) =>
    state === 'TRANSFERRED' ? `${state} ${quantity}` : `${state} ${reason}`
  const withdrawal = async (id: string | null) =>
    (await place.call<Withdrawal>('GET', `/treasury/withdrawals/${id}`)).data
  const dry = async (id: string) =>
    (await place.call<DryRun>('POST', `/treasury/jobs/${id}/dry-run`)).data
  const ofJob = async (id: string) =>
    (await place.call<Withdrawal[]>('GET', '/treasury/withdrawals')).data.filter(
      (row) => row.job_id === id,
    )
  const sweeping = (more: object = {}) => ({
    route: place.routes.vaultToExchange.id,
    condition_type: 'SWEEPING',
    active: true,
    interval: 15,
    speed_level: 'DEFAULT',
    min_quantity: '0.1',
    conditions: [{ target: '4' }],
    ...more,
  })
  const provision = (more: object = {}) => ({
    route: place.routes.bankToExchange.id,
    condition_type: 'PROVISION',
    active: true,
    interval: 60,
    speed_level: 'DEFAULT',
    conditions: [{ target: '150000' }],
    ...more,
  })
  const conditional = (more: object = {}) => ({
    route: place.routes.exchangeToVault.id,
    condition_type: 'CONDITIONAL',
    active: true,
    interval: 240,
    speed_level: 'DEFAULT',
    quantity: '0.5',
    conditions: [{ balance_side: 'from', predicate: 'GT', quantity: '4' }],
    ...more,
  })
  async function create(body: object): Promise<Job> {
    const answer = await place.call<Job>('POST', '/treasury/jobs', body)
    assert.equal(answer.status, 200, answer.text)
    return answer.data
  }
  const created = async (body: object): Promise<{ job: Job; run: JobRun }> => {
    const job = await create(body)
    await place.work()
    return { job, run: await last(job.id) }
  }

  it('sweeps at once and every interval, and counts what the venue does not show yet', async () => {
    const { vault, models, clock } = place
    const started = clock.now()
    const { job, run } = await created(sweeping())
    assert.deepEqual(
      [job.next_run_at, job.last_run, job.warnings, job.fee, job.quantity],
      [started, null, [], null, null],
    )
    assert.equal(outcome(run), 'TRANSFERRED 5.9998')
    assert.deepEqual(
      [
        run.balance_from,
        run.reserved,
        run.balance_to,
        run.in_flight,
        run.fee_estimate,
        run.fee_asset,
        run.scheduled_at,
        run.reason,
      ],
      ['10', '0', '5', '0', '0.0002', 'BTC', started, null],
    )
    const sent = await withdrawal(run.withdrawal_id)
    assert.deepEqual(
      [
        sent.origin,
        sent.job_id,
        sent.job_run_id,
        sent.quantity,
        sent.account_id,
        sent.system_created_by,
      ],
      ['JOB', job.id, run.id, '5.9998', null, 'treasury'],
    )
    const now = await read(job.id)
    assert.deepEqual([now.next_run_at, now.last_run, now.version], [started + QUARTER, run, 1])

    // The venue still shows ten, and answers nothing new: what was sent is known to us.
    models.vault.finish(sent.external_id, { state: 'PENDING' })
    const again = await dry(job.id)
    assert.deepEqual(
      [outcome(again), again.balance_from, again.reserved, again.in_flight],
      ['SKIPPED BALANCE_NOT_DUE', '10', '6', '5.9998'],
    )
    assert.match(again.explanation, /the source has 4 of which 4 stay/)

    vault.balances = [balance('BTC', '4', { wallet: '0', protocol: 'BTC' })]
    models.vault.finish(sent.external_id, {
      fee: decimal('0.0002'),
      fee_asset: 'BTC',
      transaction_hash: 'sweep',
    })
    await place.later(QUARTER)
    assert.deepEqual((await runs(job.id)).map(outcome), [
      'SKIPPED BALANCE_NOT_DUE',
      'TRANSFERRED 5.9998',
    ])
    assert.equal((await last(job.id)).in_flight, '5.9998')
    place.arrives(
      place.exchange,
      movement('sweep-in', 'BTC', '5.9998', {
        transaction_hash: 'sweep',
        destination_address: place.wallets.exchange.address,
      }),
    )
    await place.later(MINUTE)
    // A venue's balances may be a moment behind: what has just arrived still counts as on the way.
    await place.later(MINUTE)
    assert.equal((await dry(job.id)).in_flight, '0')
    assert.deepEqual(await place.events(job.id), ['job.created', 'job.transferred', 'job.skipped'])
    vault.balances = [balance('BTC', '10', { wallet: '0', protocol: 'BTC' })]
  })

  it('collapses missed ticks into one and keeps its beat', async () => {
    const start = place.clock.now()
    const { job } = await created(sweeping({ conditions: [{ target: '100' }] }))
    await place.later(7 * QUARTER + MINUTE)
    const [second, first, ...more] = await runs(job.id)
    assert.deepEqual(
      [first?.scheduled_at, second?.scheduled_at, second?.started_at, more.length],
      [start, start + QUARTER, start + 7 * QUARTER + MINUTE, 0],
    )
    assert.equal((await read(job.id)).next_run_at, start + 8 * QUARTER)
  })

  it('fills up once while money is in flight, and not when the source has too little', async () => {
    const { bank, exchange } = place
    const { job, run } = await created(provision({ conditions: [{ target: '130000' }] }))
    assert.equal(outcome(run), 'TRANSFERRED 30000')
    assert.deepEqual([run.balance_to, run.in_flight], ['100000', '0'])
    bank.balances = [balance('EUR', '50000', { wallet: IBAN })]
    await place.later(60 * MINUTE)
    assert.deepEqual(
      [outcome(await last(job.id)), (await last(job.id)).in_flight],
      ['SKIPPED BALANCE_NOT_DUE', '30000'],
    )
    const sent = await withdrawal(run.withdrawal_id)
    place.models.bank.finish(sent.external_id, { fee: 0n, fee_asset: 'EUR' })
    await place.later(MINUTE)
    place.arrives(
      exchange,
      movement('provided', 'EUR', '30000', {
        destination_address: place.wallets.exchangeEur.address,
      }),
    )
    await place.later(MINUTE)
    exchange.balances = [balance('BTC', '5'), balance('EUR', '130000')]
    bank.balances = [balance('EUR', '20000', { wallet: IBAN })]
    await place.later(60 * MINUTE)
    assert.equal(outcome(await last(job.id)), 'SKIPPED BALANCE_NOT_DUE')
    await put({ ...(await read(job.id)), conditions: [{ target: '150000.01' }] })
    assert.equal(outcome(await dry(job.id)), 'SKIPPED INSUFFICIENT_SOURCE')
    bank.balances = [balance('EUR', '50000', { wallet: IBAN })]
    exchange.balances = [balance('BTC', '5'), balance('EUR', '100000')]
  })

  it('counts a payment that the bank has accepted and not executed', async () => {
    const { job, run } = await created(provision({ conditions: [{ target: '130000' }] }))
    await place.later(5 * MINUTE)
    assert.equal((await withdrawal(run.withdrawal_id)).foreign_id?.startsWith('venue-'), true)
    assert.deepEqual(
      [(await dry(job.id)).balance_from, (await dry(job.id)).reserved],
      ['50000', '30000.0002'],
    )
  })

  it('moves exactly the quantity when every condition holds', async () => {
    const { job, run } = await created(
      conditional({
        conditions: [
          { balance_side: 'from', predicate: 'GT', quantity: '4' },
          { balance_side: 'to', predicate: 'LT', quantity: '10.5' },
        ],
      }),
    )
    assert.equal(outcome(run), 'TRANSFERRED 0.5')
    await place.later(240 * MINUTE)
    assert.equal(
      outcome(await last(job.id)),
      'SKIPPED CONDITION_NOT_MET',
      'half a coin is on the way: 10.5 is not less than 10.5',
    )
  })

  it('stops while the outcome of its transfer is not known, and goes on when it is', async () => {
    place.models.vault.mode = 'late'
    place.models.vault.down = true
    const { job, run } = await created(sweeping({ conditions: [{ target: '9' }] }))
    await place.later(QUARTER)
    assert.equal((await withdrawal(run.withdrawal_id)).state, 'UNKNOWN')
    assert.equal(outcome(await last(job.id)), 'SKIPPED IN_FLIGHT_UNKNOWN')
    assert.match((await dry(job.id)).explanation, new RegExp(run.withdrawal_id ?? 'none'))
    place.models.vault.down = false
    place.models.vault.mode = 'accept'
    place.models.vault.finish(run.withdrawal_id ?? '', { state: 'FAILED', sub_state: 'NO' })
    await place.later(MINUTE)
    await place.later(QUARTER)
    assert.equal(outcome(await last(job.id)), 'TRANSFERRED 0.9998')
    assert.equal((await ofJob(job.id)).length, 2)
  })

  it('says when a venue is down, and takes a fresh snapshot for the destination only', async () => {
    const { exchange, vault, db, workspace, clock, app } = place
    vault.down = true
    const { job, run } = await created(sweeping({ conditions: [{ target: '9' }] }))
    assert.deepEqual([outcome(run), run.balance_from], ['FAILED VENUE_UNAVAILABLE', null])
    vault.down = false
    exchange.down = true
    await place.later(QUARTER)
    const swept = await last(job.id)
    assert.deepEqual(
      [outcome(swept), swept.balance_to],
      ['TRANSFERRED 0.9998', null],
      'a sweep needs no figure of the destination',
    )
    const filling = await created(provision({ conditions: [{ target: '130000' }] }))
    assert.equal(outcome(filling.run), 'FAILED VENUE_UNAVAILABLE')
    await place.later(59 * MINUTE + 45_000)
    await storeBalances(app.db, { workspace, id: exchange.id }, exchange.balances, clock.now())
    await place.later(15_000)
    assert.deepEqual(
      [outcome(await last(filling.job.id)), (await last(filling.job.id)).balance_to],
      ['TRANSFERRED 30000', '100000'],
    )
    assert.equal(
      (
        await db.query(
          sql`
            select 1
            from job_runs
            where workspace = ${workspace}
              and state = 'FAILED'`,
        )
      ).length,
      2,
    )
  })

  it('takes no fee that is too high, and nothing that is not allowed or too little', async () => {
    const { vault, db, workspace } = place
    const { job, run } = await created(
      sweeping({ conditions: [{ target: '9.9985' }], min_quantity: '0' }),
    )
    assert.equal(outcome(run), 'SKIPPED FEE_TOO_HIGH')
    await place.settings({ job_fee_share: '0.2' })
    assert.equal(outcome(await dry(job.id)), 'TRANSFERRED 0.0013')
    await place.settings({ job_fee_share: '0.1' })
    const change = async (conditions: object[], more: object = {}) => {
      await put({ ...(await read(job.id)), conditions, ...more })
    }
    await change([{ target: '9.9999' }])
    assert.equal(outcome(await dry(job.id)), 'SKIPPED FEE_EXCEEDS_QUANTITY')
    await change([{ target: '9.9' }], { min_quantity: '0.1' })
    assert.equal(outcome(await dry(job.id)), 'SKIPPED BELOW_MIN_QUANTITY')
    await change([{ target: '5' }])
    await db.query(
      sql`
        update treasury_routes
        set allowlist_state = 'REMOVED'
        where id = ${job.route}`,
    )
    assert.equal(outcome(await dry(job.id)), 'FAILED NOT_ALLOWLISTED')
    await db.query(
      sql`
        update treasury_routes
        set allowlist_state = 'APPROVED'
        where id = ${job.route}`,
    )
    const limits = (min_withdrawal: string, max_withdrawal: string) =>
      db.query(sql`
        insert into venue_snapshots (workspace, venue_id, protocols)
        values (
          ${workspace}, ${vault.id},
          ${JSON.stringify([{ asset: 'BTC', protocols: [{ protocol: 'BTC', native: 'BTC', decimals: 8, tag_required: false, min_withdrawal, max_withdrawal, deposit: true, withdraw: true }] }])}::jsonb
        )
        on conflict (workspace, venue_id) do update set protocols = excluded.protocols`)
    await limits('6', '7')
    assert.equal(outcome(await dry(job.id)), 'SKIPPED BELOW_VENUE_MINIMUM')
    await limits('0.1', '2')
    assert.equal(outcome(await dry(job.id)), 'TRANSFERRED 2')
    await db.query(sql`
      update venue_snapshots
      set protocols = null
      where venue_id = ${vault.id}`)
    await change([{ target: '5' }], { speed_level: 'FAST' })
    assert.deepEqual(
      [(await dry(job.id)).fee_estimate, (await dry(job.id)).quantity],
      ['0.0004', '4.9996'],
    )
    await change([{ target: '5' }], { speed_level: 'CUSTOM', fee: '0.01' })
    assert.deepEqual(
      [(await dry(job.id)).fee_estimate, (await dry(job.id)).quantity],
      ['0.01', '4.99'],
    )
    assert.equal((await ofJob(job.id)).length, 0, 'a dry run sends nothing')
    assert.equal((await runs(job.id)).length, 1, 'and leaves no record')
    await place.later(QUARTER)
    assert.deepEqual(
      [(await ofJob(job.id))[0]?.speed_level, (await ofJob(job.id))[0]?.fee_estimate],
      ['CUSTOM', '0.01'],
    )
  })

  it("count each other's transfers when they share a wallet, also at the same time", async () => {
    const bodies = ['4', '4', '4', '7', '7'].map((target) => sweeping({ conditions: [{ target }] }))
    const made = await Promise.all(bodies.map(create))
    const run = treasuryTasks(place.app)['run_job']
    const { workspace } = place
    await Promise.all(
      made.map((job) => run?.({ workspace, kind: 'run_job', subject_id: job.id, attempts: 1 })),
    )
    const records = await Promise.all(made.map((job) => last(job.id)))
    assert.ok(records.some((record) => record.state === 'TRANSFERRED'))
    const all = await Promise.all(made.map((job) => ofJob(job.id)))
    const out = all
      .flat()
      .reduce((sum, row) => sum + decimal(row.quantity) + decimal(row.fee_estimate ?? '0'), 0n)
    assert.ok(out <= decimal('6'), 'nobody takes what the strictest of them leaves')
    assert.equal((await read(made[0]?.id ?? '')).warnings[0]?.code, 'SHARED_SOURCE')
    assert.equal((await read(made[0]?.id ?? '')).warnings[0]?.job_ids.length, 4)
    await place.work()
  })

  it('jobs that fill one wallet from two do not fill it twice', async () => {
    const other = await place.venueWallet(place.bank, 'EUR', 'GB29NWBK60161331926819', {
      customer_account_number: 'second',
    })
    place.bank.balances = [
      balance('EUR', '50000', { wallet: IBAN }),
      balance('EUR', '50000', { wallet: 'second' }),
    ]
    const second = await place.route(other, place.wallets.exchangeEur, 'SEPA', {
      to: { name: 'Exchange', reference: 'two' },
    })
    const body = provision({ conditions: [{ target: '130000' }] })
    const made = await Promise.all([body, { ...body, route: second.id }].map(create))
    const run = treasuryTasks(place.app)['run_job']
    await Promise.all(
      made.map((job) =>
        run?.({ workspace: place.workspace, kind: 'run_job', subject_id: job.id, attempts: 1 }),
      ),
    )
    assert.deepEqual((await Promise.all(made.map((job) => last(job.id)))).map(outcome).toSorted(), [
      'SKIPPED BALANCE_NOT_DUE',
      'TRANSFERRED 30000',
    ])
    place.bank.balances = [balance('EUR', '50000', { wallet: IBAN })]
    await place.work()
  })

  it('one tick is one run, whoever runs it', async () => {
    const job = await create(sweeping())
    const run = treasuryTasks(place.app)['run_job']
    await Promise.all(
      Array.from({ length: 4 }, () =>
        run?.({ workspace: place.workspace, kind: 'run_job', subject_id: job.id, attempts: 1 }),
      ),
    )
    assert.equal((await runs(job.id)).length, 1)
    assert.equal((await ofJob(job.id)).length, 1)
    await place.work()
  })

  it('is stopped, activated and changed by its version', async () => {
    const job = await create(sweeping({ active: false }))
    await place.work()
    assert.deepEqual([job.active, job.next_run_at, await runs(job.id)], [false, null, []])
    const activated = await put({ ...job, active: true })
    assert.deepEqual(
      [activated.status, activated.data.next_run_at, activated.data.version],
      [200, place.clock.now(), 2],
    )
    assert.deepEqual(code(await put({ ...job, active: true })), '3001 STALE_VERSION version')
    await place.work()
    const ran = await read(job.id)
    assert.equal(ran.version, 2, 'a run does not outdate what a person edits')
    const slower = await put({ ...ran, interval: 60 })
    assert.equal(slower.data.next_run_at, (ran.next_run_at ?? 0) + 45 * MINUTE)
    await put({ ...slower.data, active: false })
    await place.later(61 * MINUTE)
    assert.equal((await runs(job.id)).length, 1)
    assert.deepEqual(await place.events(job.id), [
      'job.created',
      'job.changed',
      'job.transferred',
      'job.changed',
      'job.changed',
    ])
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

  it('warns of jobs that push money back and forth', async () => {
    const one = await create(sweeping({ conditions: [{ target: '9' }] }))
    const two = await create(conditional())
    assert.deepEqual(
      two.warnings.map((warning) => [warning.code, warning.job_ids]),
      [['BACK_AND_FORTH', [one.id]]],
    )
    assert.deepEqual(
      (await read(one.id)).warnings.map((warning) => [warning.code, warning.job_ids]),
      [['BACK_AND_FORTH', [two.id]]],
    )
    await put({ ...(await read(two.id)), active: false })
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
    const outside = await place.call<{ id: string }>('POST', '/treasury/wallets/routes', {
      label: 'out',
      from_wallet_id: place.wallets.bank.id,
      to_wallet_id: place.wallets.aliceEur.id,
      protocol: 'SEPA',
      transfer: { to: { name: 'A', reference: 'r' } },
    })
    const route = outside.status === 200 ? outside.data.id : place.routes.bankToAlice.id
    const rows: [string, object, string][] = [
      ['another interval', sweeping({ interval: 10 }), '3001 ENUM interval'],
      ['no condition', sweeping({ conditions: [] }), '3001 RANGE conditions'],
      [
        'two targets',
        sweeping({ conditions: [{ target: '1' }, { target: '2' }] }),
        '3001 CONFLICT conditions',
      ],
      ['no target', sweeping({ conditions: [{}] }), '3001 REQUIRED conditions[0].target'],
      [
        'a condition of another kind',
        sweeping({ conditions: [{ target: '1', predicate: 'GT' }] }),
        '3001 CONFLICT conditions[0].predicate',
      ],
      ['a quantity with SWEEPING', sweeping({ quantity: '1' }), '3001 CONFLICT quantity'],
      [
        'a target finer than the asset',
        sweeping({ conditions: [{ target: '1.000000001' }] }),
        '3001 SCALE conditions[0].target',
      ],
      [
        'a minimum finer than the asset',
        provision({ min_quantity: '0.001' }),
        '3001 SCALE min_quantity',
      ],
      ['CONDITIONAL without quantity', conditional({ quantity: null }), '3001 REQUIRED quantity'],
      [
        'CONDITIONAL with min_quantity',
        conditional({ min_quantity: '1' }),
        '3001 CONFLICT min_quantity',
      ],
      [
        'CONDITIONAL with a target',
        conditional({ conditions: [{ target: '1' }] }),
        '3001 REQUIRED conditions[0].balance_side',
      ],
      ['a fee without CUSTOM', sweeping({ fee: '0.1' }), '3001 CONFLICT fee'],
      ['CUSTOM without a fee', sweeping({ speed_level: 'CUSTOM' }), '3001 REQUIRED fee'],
      [
        'CUSTOM where the venue has none',
        conditional({ speed_level: 'CUSTOM', fee: '0.1' }),
        '3001 UNSUPPORTED_BY_VENUE speed_level',
      ],
      ['filling what nobody sees', provision({ route }), '3001 UNSUPPORTED_BY_VENUE route'],
      ['an unknown route', sweeping({ route: newId() }), '4004 NOT_FOUND route'],
    ]
    for (const [what, body, refusal] of rows)
      assert.equal(code(await place.call('POST', '/treasury/jobs', body)), refusal, what)
    assert.equal(code(await put({ ...sweeping(), id: newId() })), '4004 NOT_FOUND job_id')
    assert.equal((await place.call('GET', `/treasury/jobs/${newId()}/runs`)).error_code, 4004)
    assert.equal(
      (await place.call('GET', '/treasury/jobs', undefined, { token: 'stranger' })).text.includes(
        place.workspace,
      ),
      false,
    )
  })
})
