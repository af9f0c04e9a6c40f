/** Days of venues, when the process dies that takes one, or in which a person signs. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import { repeat } from '../../core/service.testing.ts'
import { until } from '../../core/testing.ts'
import { sql } from '../../store/sql.ts'
import { openFaultWorld } from '../../treasury/testing/faults.testing.ts'
import type { FaultWorld } from '../../treasury/testing/faults.testing.ts'
import type { Day, ShownDay } from './days.schema.ts'

const DAY_MILLISECONDS = 86_400_000
const PATH = '/desk/reconciliation/days'

describe('days of venues outlive the processes', { timeout: 500_000 }, () => {
  let world: FaultWorld
  before(async () => {
    world = await openFaultWorld()
    await compare()
  })
  after(() => world.close())

  const compare = () => world.call('POST', '/desk/reconciliation/run')
  const days = () => world.call<Day[]>('GET', PATH)
  const show = (id: string) => world.call<ShownDay>('GET', `${PATH}/${id}`)

  /** An API process that dies there, and one that goes on. */
  async function dies(point: string, ask: () => Promise<unknown>): Promise<void> {
    await world.killApi()
    await world.startApi({ KONTOR_FAILPOINT: point })
    const dying = world.api()
    await assert.rejects(ask())
    assert.equal(await dying.exited, 'SIGKILL', point)
    await world.startApi()
  }

  /** As if a day had passed since the last comparison. */
  const dayPasses = () =>
    world.db.query(sql`
      update positions
      set compared_at = compared_at - ${DAY_MILLISECONDS}`)

  for (const [index, point] of ['reconciliation.day.before', 'reconciliation.day.after'].entries())
    it(`is taken once and whole, killed at ${point}`, async () => {
      await world.db.query(sql`delete from reconciliation_lines`)
      await world.db.query(sql`delete from reconciliation_days`)
      await dayPasses()
      await dies(point, compare)
      assert.deepEqual(await days(), [], `nothing is half there (${index})`)
      await compare()
      const [day, ...others] = await days()
      assert.ok(day)
      assert.deepEqual(others, [])
      const { lines } = await show(day.id)
      assert.ok(lines.length > 0)
      assert.equal(lines.length, day.line_count)
    })

  for (const [index, point] of ['daily-prices.take.before', 'daily-prices.take.after'].entries())
    it(`its prices are taken once, killed at ${point}`, async () => {
      const [venue] = await world.call<{ id: string }[]>('GET', '/venues')
      const midnight = Date.now() - (Date.now() % DAY_MILLISECONDS)
      await world.db.query(sql`
        insert into price_mids (venue_id, base_asset, quote_asset, bucket, mid)
        values (${venue?.id ?? ''}, ${`A${index}`}, 'EUR', ${midnight / 10_000 - 1}, 7)`)
      const taken = () =>
        world.call<object[]>('GET', `/market-data/daily-prices?base_asset=A${index}`)
      const dying = world.worker(point)
      assert.equal(await dying.exited, 'SIGKILL', point)
      assert.equal((await taken()).length, index)
      const next = world.worker()
      await until('the price', async () => ((await taken()).length === 1 ? true : undefined))
      await world.kill(next)
    })

  for (const point of ['reconciliation.sign.before', 'reconciliation.sign.after'])
    it(`is signed once, killed at ${point}`, async () => {
      const [day] = await days()
      const id = day?.id ?? assert.fail()
      const headers = { 'idempotency-key': newId() }
      const sign = () =>
        world.call<ShownDay>('POST', `${PATH}/${id}/sign-off`, { note: 'Agreed' }, headers)
      await dies(point, sign)
      const untouched = await show(id)
      assert.equal(untouched.state, 'OPEN')
      const signed = await repeat(sign)
      assert.equal(signed.state, 'SIGNED_OFF')
      assert.equal((await sign()).signatures.length, signed.signatures.length)
      assert.equal(signed.signatures.length, untouched.signatures.length + 1)
      await world.call('POST', `${PATH}/${id}/reopen`, { reason: 'For the next test' })
    })
})
