import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { decimal } from '../../core/decimal.ts'
import { balance, IBAN, movement } from '../testing/venue.fixture.ts'
import type { Withdrawal } from '../withdrawals/withdrawals.schema.ts'
import type { Job, JobRun } from './jobs.schema.ts'
import { MINUTE, openJobs, outcome, QUARTER } from './jobs.testing.ts'

describe('runs of transfer jobs', () => {
  let jobs: Awaited<ReturnType<typeof openJobs>>
  before(async () => {
    jobs = await openJobs()
  })
  after(() => jobs.place.close())

  describe('of a job that sweeps', () => {
    let job: Job
    let run: JobRun
    let sent: Withdrawal
    after(() => jobs.stopAll())

    it('transfer at once what is above the target', async () => {
      const { createAndRun, place, read, sweeping, withdrawal } = jobs
      const started = place.clock.now()
      ;({ job, run } = await createAndRun(sweeping()))
      assert.partialDeepStrictEqual(job, {
        next_run_at: started,
        last_run: null,
        fee: null,
        quantity: null,
      })
      assert.deepEqual(job.warnings, [])
      assert.equal(outcome(run), 'TRANSFERRED 5.9998')
      assert.partialDeepStrictEqual(run, {
        balance_from: '10',
        reserved: '0',
        balance_to: '5',
        in_flight: '0',
        fee_estimate: '0.0002',
        fee_asset: 'BTC',
        scheduled_at: started,
        reason: null,
      })
      sent = await withdrawal(run.withdrawal_id)
      assert.partialDeepStrictEqual(sent, {
        origin: 'JOB',
        job_id: job.id,
        job_run_id: run.id,
        quantity: '5.9998',
        account_id: null,
        system_created_by: 'treasury',
      })
      const now = await read(job.id)
      assert.deepEqual(
        { next_run_at: now.next_run_at, last_run: now.last_run, version: now.version },
        { next_run_at: started + QUARTER, last_run: run, version: 1 },
      )
    })

    it('count what was sent while the venue still shows ten', async () => {
      const { dryRun, place } = jobs
      // The venue answers nothing new: what was sent is known to us.
      place.models.vault.finish(sent.external_id, { state: 'PENDING' })
      const again = await dryRun(job.id)
      assert.equal(outcome(again), 'SKIPPED BALANCE_NOT_DUE')
      assert.partialDeepStrictEqual(again, {
        balance_from: '10',
        reserved: '6',
        in_flight: '5.9998',
      })
      assert.match(again.explanation, /the source has 4 of which 4 stay/)
    })

    it('count what is in flight until it has arrived', async () => {
      const { dryRun, lastRun, place, runs } = jobs
      place.vault.balances = [balance('BTC', '4', { wallet: '0', protocol: 'BTC' })]
      place.models.vault.finish(sent.external_id, {
        fee: decimal('0.0002'),
        fee_asset: 'BTC',
        transaction_hash: 'sweep',
      })
      await place.later(QUARTER)
      assert.deepEqual((await runs(job.id)).map(outcome), [
        'SKIPPED BALANCE_NOT_DUE',
        'TRANSFERRED 5.9998',
      ])
      assert.equal((await lastRun(job.id)).in_flight, '5.9998')
      place.arrives(
        place.exchange,
        movement('sweep-in', 'BTC', '5.9998', {
          transaction_hash: 'sweep',
          destination_address: place.wallets.exchange.address,
        }),
      )
      await place.later(MINUTE)
      // A venue's balances may be a moment behind: what has just arrived still counts.
      await place.later(MINUTE)
      assert.equal((await dryRun(job.id)).in_flight, '0')
      assert.deepEqual(await place.events(job.id), [
        'job.created',
        'job.transferred',
        'job.skipped',
      ])
      place.vault.balances = [balance('BTC', '10', { wallet: '0', protocol: 'BTC' })]
    })
  })

  describe('of every kind', () => {
    afterEach(() => jobs.stopAll())

    it('collapse missed ticks into one and keep their beat', async () => {
      const { createAndRun, place, read, runs, sweeping } = jobs
      const start = place.clock.now()
      const { job } = await createAndRun(sweeping({ conditions: [{ target: '100' }] }))
      await place.later(7 * QUARTER + MINUTE)
      const [second, first, ...more] = await runs(job.id)
      assert.deepEqual(more, [])
      assert.equal(first?.scheduled_at, start)
      assert.partialDeepStrictEqual(second, {
        scheduled_at: start + QUARTER,
        started_at: start + 7 * QUARTER + MINUTE,
      })
      assert.equal((await read(job.id)).next_run_at, start + 8 * QUARTER)
    })

    it('fill up once while money is in flight, and not from too little', async () => {
      const { createAndRun, dryRun, lastRun, place, provision, read, save, withdrawal } = jobs
      const { bank, exchange } = place
      const { job, run } = await createAndRun(provision({ conditions: [{ target: '130000' }] }))
      assert.equal(outcome(run), 'TRANSFERRED 30000')
      assert.partialDeepStrictEqual(run, { balance_to: '100000', in_flight: '0' })
      bank.balances = [balance('EUR', '50000', { wallet: IBAN })]
      await place.later(60 * MINUTE)
      assert.deepEqual(
        { outcome: outcome(await lastRun(job.id)), in_flight: (await lastRun(job.id)).in_flight },
        { outcome: 'SKIPPED BALANCE_NOT_DUE', in_flight: '30000' },
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
      assert.equal(outcome(await lastRun(job.id)), 'SKIPPED BALANCE_NOT_DUE')
      await save({ ...(await read(job.id)), conditions: [{ target: '150000.01' }] })
      assert.equal(outcome(await dryRun(job.id)), 'SKIPPED INSUFFICIENT_SOURCE')
      bank.balances = [balance('EUR', '50000', { wallet: IBAN })]
      exchange.balances = [balance('BTC', '5'), balance('EUR', '100000')]
    })

    it('count a payment that the bank has accepted and not executed', async () => {
      const { createAndRun, dryRun, place, provision, withdrawal } = jobs
      const { job, run } = await createAndRun(provision({ conditions: [{ target: '130000' }] }))
      await place.later(5 * MINUTE)
      assert.match((await withdrawal(run.withdrawal_id)).foreign_id ?? '', /^venue-/)
      assert.partialDeepStrictEqual(await dryRun(job.id), {
        balance_from: '50000',
        reserved: '30000.0002',
      })
    })

    it('move exactly the quantity when every condition holds', async () => {
      const { conditional, createAndRun, lastRun, place } = jobs
      const { job, run } = await createAndRun(
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
        outcome(await lastRun(job.id)),
        'SKIPPED CONDITION_NOT_MET',
        'half a coin is on the way: 10.5 is not less than 10.5',
      )
    })

    it("count each other's transfers when they share a wallet, also at the same time", async () => {
      const { create, lastRun, place, read, runAtOnce, sweeping, withdrawalsOf } = jobs
      const bodies = ['4', '4', '4', '7', '7'].map((target) =>
        sweeping({ conditions: [{ target }] }),
      )
      const made = await Promise.all(bodies.map(create))
      await runAtOnce(made)
      const records = await Promise.all(made.map((job) => lastRun(job.id)))
      assert.ok(records.some((record) => record.state === 'TRANSFERRED'))
      const all = await Promise.all(made.map((job) => withdrawalsOf(job.id)))
      const out = all
        .flat()
        .reduce((sum, row) => sum + decimal(row.quantity) + decimal(row.fee_estimate ?? '0'), 0n)
      assert.ok(out <= decimal('6'), 'nobody takes what the strictest of them leaves')
      assert.equal((await read(made[0]?.id ?? '')).warnings[0]?.code, 'SHARED_SOURCE')
      assert.equal((await read(made[0]?.id ?? '')).warnings[0]?.job_ids.length, 4)
      await place.work()
    })

    it('do not fill one wallet twice from two', async () => {
      const { create, lastRun, place, provision, runAtOnce } = jobs
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
      await runAtOnce(made)
      assert.deepEqual(
        (await Promise.all(made.map((job) => lastRun(job.id)))).map(outcome).toSorted(),
        ['SKIPPED BALANCE_NOT_DUE', 'TRANSFERRED 30000'],
      )
      place.bank.balances = [balance('EUR', '50000', { wallet: IBAN })]
      await place.work()
    })
  })
})
