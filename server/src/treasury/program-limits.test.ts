/** The limits of an API key hold on every way on which money leaves the treasury. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../core/ids.ts'
import type { Answer } from '../http/testing.ts'
import { refusalOf } from '../http/testing.ts'
import type { ApiKeyTestLimits } from '../store/api-keys.testing.ts'
import { openBatches } from './batches/batches.testing.ts'
import { openReturns } from './deposits/returns.testing.ts'
import { openJobs, outcome, QUARTER } from './jobs/jobs.testing.ts'
import type { Job } from './jobs/jobs.schema.ts'
import { movedBy, newProgram, revoke } from './testing/programs.testing.ts'
import { openWithdrawals } from './withdrawals/withdrawals.testing.ts'

const EXCEEDED = '403 1003 LIMIT_EXCEEDED '
const OVER_THE_DAY = '403 1003 DAILY_LIMIT_EXCEEDED '
const limits = (more: Partial<ApiKeyTestLimits> = {}): ApiKeyTestLimits => ({
  assets: null,
  routes: null,
  ...more,
})
const BTC = (per_transaction: string | null, per_day: string | null) =>
  limits({ assets: [{ asset: 'BTC', per_transaction, per_day }] })

describe('the limits of a program', () => {
  describe('for withdrawals', () => {
    let withdrawals: Awaited<ReturnType<typeof openWithdrawals>>
    before(async () => {
      withdrawals = await openWithdrawals()
    })
    after(() => withdrawals.place.close())

    const usual = () => withdrawals.routes.vaultToExchange.id
    /** From the vault to our own exchange: nobody's account is charged. */
    const send = (token: string, quantity: string, more: { key?: string; route?: string } = {}) =>
      withdrawals.place.call(
        'POST',
        `/treasury/wallets/routes/${more.route ?? usual()}/withdrawals`,
        { quantity, speed_level: 'DEFAULT' },
        { token, headers: more.key === undefined ? {} : { 'idempotency-key': more.key } },
      )

    it('count what is sent, of the house too, under who asked for it', async () => {
      const { place } = withdrawals
      const program = await newProgram(place, BTC('1', '1.5'))
      const sent = await send(program, '1')
      assert.equal(sent.status, 200, sent.text)
      assert.equal(sent.data['system_created_by'], program)
      assert.equal(refusalOf(await send(program, '1.1')), `${EXCEEDED}quantity`)
      assert.equal(refusalOf(await send(program, '0.6')), `${OVER_THE_DAY}quantity`)
      assert.equal((await send(program, '0.5')).status, 200)
      assert.deepEqual(await movedBy(place, program), ['1.5 BTC'])
    })

    it('let two at once not use the rest of a day twice', async () => {
      const { place } = withdrawals
      const program = await newProgram(place, BTC(null, '0.3'))
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => send(program, '0.1', { key: newId() })),
      )
      assert.deepEqual(
        answers.map(({ status }) => status).toSorted(),
        [200, 200, 200, 403, 403, 403],
      )
      assert.deepEqual(await movedBy(place, program), ['0.3 BTC'])
    })

    it('answer a repeat of what was sent before, at the limit too', async () => {
      const program = await newProgram(withdrawals.place, BTC(null, '0.1'))
      const key = newId()
      const first = await send(program, '0.1', { key })
      const again = await send(program, '0.1', { key })
      assert.equal(first.status, 200, first.text)
      assert.deepEqual(again.data, first.data)
    })

    it('name assets and routes', async () => {
      const { place, routes } = withdrawals
      const euros = limits({ assets: [{ asset: 'EUR', per_transaction: null, per_day: null }] })
      assert.equal(refusalOf(await send(await newProgram(place, euros), '0.1')), EXCEEDED)
      const program = await newProgram(place, limits({ routes: [routes.vaultToExchange.id] }))
      assert.equal((await send(program, '0.1')).status, 200)
      const other = await send(program, '0.1', { route: routes.exchangeToVault.id })
      assert.equal(refusalOf(other), EXCEEDED)
    })

    it('hold for nobody else', async () => {
      assert.equal((await send('ours', '0.1')).status, 200)
    })

    it('end with the key: a revoked one sends nothing, although it was let in', async () => {
      const { place } = withdrawals
      const program = await newProgram(place, limits())
      await revoke(place, program)
      const refused = await send(program, '0.1')
      assert.equal(`${refused.status} ${refused.error_code}`, '401 1001')
    })
  })

  describe('for batches', () => {
    let batches: Awaited<ReturnType<typeof openBatches>>
    before(async () => {
      batches = await openBatches()
    })
    after(() => batches.place.close())

    it('are judged when they are prepared, and counted when they are submitted', async () => {
      const { place } = batches
      const token = await newProgram(place, BTC('1', '1.5'))
      const prepare = (...quantities: string[]): Promise<Answer<object[]>> =>
        place.call<object[]>(
          'POST',
          '/treasury/withdrawals/batch/prepare',
          {
            withdrawals: quantities.map((quantity) => ({
              route_id: place.routes.vaultToExchange.id,
              quantity,
              speed_level: 'DEFAULT',
            })),
          },
          { token },
        )
      // Two payments to one destination are one withdrawal.
      assert.equal(refusalOf(await prepare('0.6', '0.5')), `${EXCEEDED}withdrawals`)
      const [first, second] = [await prepare('0.6', '0.4'), await prepare('0.6')]
      assert.deepEqual(await movedBy(place, token), [])
      assert.equal((await batches.submit(first.data, { token })).status, 200)
      assert.deepEqual(await movedBy(place, token), ['1 BTC'])
      assert.equal(refusalOf(await batches.submit(second.data, { token })), OVER_THE_DAY)
      assert.equal((await batches.submit(second.data)).status, 200)
    })
  })

  describe('for transfer jobs', () => {
    let jobs: Awaited<ReturnType<typeof openJobs>>
    before(async () => {
      jobs = await openJobs()
    })
    after(() => jobs.place.close())

    const create = (token: string, body: object) =>
      jobs.place.call<Job>('POST', '/treasury/jobs', body, { token })

    it('hold for each run, also once the key is revoked', async () => {
      const { conditional, lastRun, place } = jobs
      const program = await newProgram(place, BTC(null, '0.7'))
      const made = await create(program, conditional({ interval: 15 }))
      assert.equal(made.status, 200, made.text)
      await place.work()
      assert.equal(outcome(await lastRun(made.data.id)), 'TRANSFERRED 0.5')
      assert.deepEqual(await movedBy(place, program), ['0.5 BTC'])
      await revoke(place, program)
      await place.later(QUARTER)
      const run = await lastRun(made.data.id)
      assert.equal(outcome(run), 'FAILED REFUSED')
      assert.match(run.explanation, /at most 0\.7 BTC a day: 0\.5 moved today, 0\.5 asked/)
      assert.equal(run.withdrawal_id, null)
      assert.deepEqual(await movedBy(place, program), ['0.5 BTC'])
    })

    it('no longer hold once a person has written the job', async () => {
      const { conditional, lastRun, place, save } = jobs
      const program = await newProgram(place, BTC(null, '0.1'))
      const { data: job } = await create(program, conditional({ interval: 15 }))
      await place.work()
      assert.equal(outcome(await lastRun(job.id)), 'FAILED REFUSED')
      const taken = await save({ ...job, interval: 30 })
      assert.equal(taken.status, 200, taken.text)
      await place.later(2 * QUARTER)
      assert.equal(outcome(await lastRun(job.id)), 'TRANSFERRED 0.5')
    })

    it('name assets and routes when it is written', async () => {
      const { place, conditional } = jobs
      const euros = limits({ assets: [{ asset: 'EUR', per_transaction: null, per_day: null }] })
      const elsewhere = limits({ routes: [newId()] })
      for (const given of [euros, elsewhere])
        assert.equal(
          refusalOf(await create(await newProgram(place, given), conditional())),
          EXCEEDED,
        )
    })
  })

  describe('for deposits that go back', () => {
    let returns: Awaited<ReturnType<typeof openReturns>>
    before(async () => {
      returns = await openReturns()
    })
    after(() => returns.close())

    it('count what goes back; over no route it goes only where none is named', async () => {
      const { arrives, askReturn, place } = returns
      const deposit = await arrives('100')
      const EUR = { asset: 'EUR', per_transaction: '60', per_day: '90' }
      const routed = await newProgram(place, limits({ routes: [newId()] }))
      const token = await newProgram(place, limits({ assets: [EUR] }))
      const back = (quantity: string, by: string) =>
        askReturn(deposit.id, { quantity }, { token: by })
      assert.equal(refusalOf(await back('10', routed)), EXCEEDED)
      assert.equal(refusalOf(await back('61', token)), EXCEEDED)
      assert.equal((await back('60', token)).status, 200)
      assert.equal(refusalOf(await back('31', token)), OVER_THE_DAY)
      assert.deepEqual(await movedBy(place, token), ['60 EUR'])
    })
  })
})
