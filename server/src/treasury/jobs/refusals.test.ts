/** Runs that move nothing, each with its reason, and how they go on when the reason is gone. */
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { refusalOf } from '../../http/testing.ts'
import { putHalt } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import { storeBalances } from '../../venues/index.ts'
import { MINUTE, openJobs, outcome, QUARTER } from './jobs.testing.ts'

describe('runs of transfer jobs, when something stands in the way', () => {
  let jobs: Awaited<ReturnType<typeof openJobs>>
  before(async () => {
    jobs = await openJobs()
  })
  after(() => jobs.place.close())
  afterEach(() => jobs.stopAll())

  const setAllowlistState = (route_id: string, state: string) =>
    jobs.place.db.query(sql`
      update treasury_routes
      set allowlist_state = ${state}
      where id = ${route_id}`)
  const setLimits = (min_withdrawal: string, max_withdrawal: string, decimals = 8) => {
    const { db, vault, workspace } = jobs.place
    const protocol = {
      protocol: 'BTC',
      native: 'BTC',
      decimals,
      tag_required: false,
      min_withdrawal,
      max_withdrawal,
      deposit: true,
      withdraw: true,
    }
    const protocols = JSON.stringify([{ asset: 'BTC', protocols: [protocol] }])
    return db.query(sql`
      insert into venue_snapshots (workspace, venue_id, protocols)
      values (${workspace}, ${vault.id}, ${protocols}::jsonb)
      on conflict (workspace, venue_id) do update set protocols = excluded.protocols`)
  }
  const forgetProtocols = () =>
    jobs.place.db.query(sql`
      update venue_snapshots
      set protocols = null
      where venue_id = ${jobs.place.vault.id}`)

  it('stop while the outcome of a transfer is not known, and go on when it is', async () => {
    const { createAndRun, dryRun, lastRun, place, sweeping, withdrawal, withdrawalsOf } = jobs
    place.models.vault.mode = 'late'
    place.models.vault.down = true
    const { job, run } = await createAndRun(sweeping({ conditions: [{ target: '9' }] }))
    await place.later(QUARTER)
    assert.equal((await withdrawal(run.withdrawal_id)).state, 'UNKNOWN')
    assert.equal(outcome(await lastRun(job.id)), 'SKIPPED IN_FLIGHT_UNKNOWN')
    assert.match((await dryRun(job.id)).explanation, new RegExp(run.withdrawal_id ?? 'none'))
    place.models.vault.down = false
    place.models.vault.mode = 'accept'
    place.models.vault.finish(run.withdrawal_id ?? '', { state: 'FAILED', sub_state: 'NO' })
    await place.later(MINUTE)
    await place.later(QUARTER)
    assert.equal(outcome(await lastRun(job.id)), 'TRANSFERRED 0.9998')
    assert.equal((await withdrawalsOf(job.id)).length, 2)
  })

  it('say when a venue is down, and take a fresh snapshot for the destination only', async () => {
    const { createAndRun, lastRun, place, provision, sweeping } = jobs
    const { exchange, vault, db, workspace, clock, app } = place
    vault.down = true
    const { job, run } = await createAndRun(sweeping({ conditions: [{ target: '9' }] }))
    assert.deepEqual(
      { outcome: outcome(run), balance_from: run.balance_from },
      { outcome: 'FAILED VENUE_UNAVAILABLE', balance_from: null },
    )
    vault.down = false
    exchange.down = true
    await place.later(QUARTER)
    const swept = await lastRun(job.id)
    assert.deepEqual(
      { outcome: outcome(swept), balance_to: swept.balance_to },
      { outcome: 'TRANSFERRED 0.9998', balance_to: null },
      'a sweep needs no figure of the destination',
    )
    const filling = await createAndRun(provision({ conditions: [{ target: '130000' }] }))
    assert.equal(outcome(filling.run), 'FAILED VENUE_UNAVAILABLE')
    await place.later(59 * MINUTE + 45_000)
    await storeBalances(app.db, { workspace, id: exchange.id }, exchange.balances, clock.now())
    await place.later(15_000)
    assert.deepEqual(
      {
        outcome: outcome(await lastRun(filling.job.id)),
        balance_to: (await lastRun(filling.job.id)).balance_to,
      },
      { outcome: 'TRANSFERRED 30000', balance_to: '100000' },
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

  it('are spent under a halt: nothing is made up when it is released', async () => {
    const { conditional, createAndRun, lastRun, place, runs, withdrawalsOf } = jobs
    const halt = (halted: boolean) =>
      place.db.tx((tx) =>
        putHalt(
          { workspace: place.workspace, by: 'test' },
          { tx, clock: place.clock },
          { action: 'WITHDRAWALS', halted, reason: 'a test' },
        ),
      )
    await halt(true)
    const { job, run } = await createAndRun(conditional({ interval: 15 }))
    assert.equal(outcome(run), 'SKIPPED HALTED')
    await halt(false)
    await place.later(14 * MINUTE)
    assert.deepEqual([(await runs(job.id)).length, await withdrawalsOf(job.id)], [1, []])
    await place.later(MINUTE)
    assert.equal(outcome(await lastRun(job.id)), 'TRANSFERRED 0.5')
  })

  it('take no fee that is too high, and nothing that is not allowed or too little', async () => {
    const { createAndRun, dryRun, place, read, runs, save, sweeping, withdrawalsOf } = jobs
    const { job, run } = await createAndRun(
      sweeping({ conditions: [{ target: '9.9985' }], min_quantity: '0' }),
    )
    assert.equal(outcome(run), 'SKIPPED FEE_TOO_HIGH')
    await place.settings({ job_fee_share: '0.2' })
    assert.equal(outcome(await dryRun(job.id)), 'TRANSFERRED 0.0013')
    await place.settings({ job_fee_share: '0.1' })
    const change = async (conditions: object[], more: object = {}) => {
      await save({ ...(await read(job.id)), conditions, ...more })
    }
    await change([{ target: '9.9999' }])
    assert.equal(outcome(await dryRun(job.id)), 'SKIPPED FEE_EXCEEDS_QUANTITY')
    await change([{ target: '9.9' }], { min_quantity: '0.1' })
    assert.equal(outcome(await dryRun(job.id)), 'SKIPPED BELOW_MIN_QUANTITY')
    await change([{ target: '5' }])
    await setAllowlistState(job.route, 'REMOVED')
    assert.equal(outcome(await dryRun(job.id)), 'FAILED NOT_ALLOWLISTED')
    await setAllowlistState(job.route, 'APPROVED')
    await setLimits('6', '7')
    assert.equal(outcome(await dryRun(job.id)), 'SKIPPED BELOW_VENUE_MINIMUM')
    await setLimits('0.1', '2')
    assert.equal(outcome(await dryRun(job.id)), 'TRANSFERRED 2')
    await setLimits('0.01', '20', 2)
    assert.equal(outcome(await dryRun(job.id)), 'TRANSFERRED 4.99')
    const { id } = jobs.place.routes.vaultToExchange
    const finer = { quantity: '0.001', speed_level: 'DEFAULT' }
    assert.equal(
      refusalOf(await jobs.place.call('POST', `/treasury/wallets/routes/${id}/withdrawals`, finer)),
      '400 3001 SCALE quantity',
    )
    await forgetProtocols()
    await change([{ target: '5' }], { speed_level: 'FAST' })
    assert.partialDeepStrictEqual(await dryRun(job.id), {
      fee_estimate: '0.0004',
      quantity: '4.9996',
    })
    await change([{ target: '5' }], { speed_level: 'CUSTOM', fee: '0.01' })
    assert.partialDeepStrictEqual(await dryRun(job.id), {
      fee_estimate: '0.01',
      quantity: '4.99',
    })
    assert.equal((await withdrawalsOf(job.id)).length, 0, 'a dry run sends nothing')
    assert.equal((await runs(job.id)).length, 1, 'and leaves no record')
    await place.later(QUARTER)
    assert.partialDeepStrictEqual((await withdrawalsOf(job.id))[0], {
      speed_level: 'CUSTOM',
      fee_estimate: '0.01',
    })
  })
})
