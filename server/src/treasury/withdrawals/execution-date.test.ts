/** The day on which a bank is expected to execute a withdrawal. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { FeeEstimateRecord } from '../routes/routes.schema.ts'
import { openWithdrawals } from './withdrawals.testing.ts'

const DAY_MILLISECONDS = 86_400_000
const dayOf = (now: number) => new Date(now).toISOString().slice(0, 10)

describe('the execution date', () => {
  let withdrawals: Awaited<ReturnType<typeof openWithdrawals>>
  before(async () => {
    withdrawals = await openWithdrawals()
  })
  after(() => withdrawals.place.close())

  it('is none where a venue executes at once', async () => {
    const { funded, place, read, request, routes } = withdrawals
    const bob = await funded()
    const { data } = await request(routes.payout, { account: bob.account_id })
    assert.equal(data.execution_date, null)
    await place.work()
    assert.equal((await read(data.id)).execution_date, null)
  })

  it('is told before the request, stored with it, and asked for as of the sending', async () => {
    const { funded, models, place, read, request, routes } = withdrawals
    const asked: string[] = []
    place.vault.executionDate = ({ asset, protocol }, now) => {
      asked.push(`${asset} ${protocol}`)
      return dayOf(now + DAY_MILLISECONDS)
    }
    const bob = await funded()
    const expected = dayOf(place.clock.now() + DAY_MILLISECONDS)
    const estimate = await place.call<FeeEstimateRecord>(
      'POST',
      `/treasury/wallets/routes/${routes.payout.id}/estimate-fee`,
      { quantity: '1' },
    )
    const { data } = await request(routes.payout, { account: bob.account_id })
    assert.deepEqual(
      [estimate.data.execution_date, data.execution_date, (await read(data.id)).execution_date],
      [expected, expected, expected],
    )
    place.clock.advance(2 * DAY_MILLISECONDS)
    await place.work()
    const late = dayOf(place.clock.now() + DAY_MILLISECONDS)
    const sent = models.vault.sends.filter((send) => send.external_id === data.external_id)
    assert.deepEqual(
      [sent.map((order) => order.execution_date), (await read(data.id)).execution_date],
      [[late], late],
    )
    assert.deepEqual([...new Set(asked)], ['BTC BTC'])
  })
})
