/** A return is stored once and leaves once, wherever the process dies that does it. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import { repeat } from '../../core/service.testing.ts'
import { until } from '../../core/testing.ts'
import type { Deposit } from '../deposit-rows/deposits.schema.ts'
import type { Withdrawal } from '../withdrawals/withdrawals.schema.ts'
import { openFaultWorld } from '../testing/faults.testing.ts'
import type { FaultWorld } from '../testing/faults.testing.ts'

/** Of the sending, from the stored intent to the booking of what left. */
const POINTS = [
  'withdrawal.intent.before',
  'withdrawal.intent.after',
  'withdrawal.send.after',
  'withdrawal.find.after',
  'withdrawal.follow.before',
  'withdrawal.follow.after',
] as const

describe('a return outlives the processes that make it', { timeout: 500_000 }, () => {
  let world: FaultWorld
  let route_id: string
  before(async () => {
    world = await openFaultWorld()
    const [route] = await world.call<{ id: string }[]>('GET', '/treasury/wallets/routes')
    route_id = route?.id ?? assert.fail()
  })
  after(() => world.close())

  const read = (id: string) => world.call<Deposit>('GET', `/treasury/deposits/${id}`)
  const returnsOf = (id: string) =>
    world.call<Withdrawal[]>('GET', `/treasury/withdrawals?returns_deposit_id=${id}`)

  /** A coin of nobody, final and on SUSPENSE. */
  async function arrives(quantity: string): Promise<string> {
    const wallets = await world.call<{ address: string; access_type: string }[]>(
      'GET',
      '/treasury/wallets',
    )
    const wallet = wallets.find(({ access_type }) => access_type === 'INTERNAL')
    await world.sandbox.control('POST', 'chain/send', {
      asset: 'BTC',
      quantity,
      to_address: wallet?.address,
    })
    const worker = world.worker()
    const deposit = await until(`the deposit of ${quantity}`, async () =>
      (await world.call<Deposit[]>('GET', '/treasury/deposits')).find(
        (row) => row.quantity === quantity && row.state === 'UNASSIGNED',
      ),
    )
    await world.kill(worker)
    return deposit.id
  }

  for (const [index, point] of ['deposit.return.before', 'deposit.return.after'].entries())
    it(`is stored once, killed at ${point}`, async () => {
      const id = await arrives(`0.0${index + 1}1`)
      await world.killApi()
      await world.startApi({ KONTOR_FAILPOINT: point })
      const dying = world.api()
      const headers = { 'idempotency-key': newId() }
      const ask = () =>
        world.call<Withdrawal>(
          'POST',
          `/treasury/deposits/${id}/return`,
          { route_id, reason: 'killed' },
          headers,
        )
      await assert.rejects(ask())
      assert.equal(await dying.exited, 'SIGKILL', point)
      await world.startApi()
      const made = await repeat(ask)
      assert.deepEqual(
        (await returnsOf(id)).map((row) => row.id),
        [made.id],
      )
      assert.partialDeepStrictEqual(await read(id), {
        state: 'UNASSIGNED',
        returning_quantity: made.quantity,
      })
    })

  it('leaves once, wherever its worker dies', async () => {
    const id = await arrives('0.031')
    const made = await world.call<Withdrawal>('POST', `/treasury/deposits/${id}/return`, {
      route_id,
      reason: 'killed',
    })
    for (const point of POINTS) {
      const killed = world.worker(point, made.external_id)
      assert.equal(await killed.exited, 'SIGKILL', `the worker dies at ${point}`)
    }
    const worker = world.worker()
    await until('the end of the return', async () =>
      (await world.stateOf(made.id)) === 'SUCCESS' ? true : undefined,
    )
    await world.kill(worker)
    assert.partialDeepStrictEqual(await read(id), {
      state: 'RETURNED',
      returned_quantity: '0.031',
      returning_quantity: '0',
    })
    const facts = await world.facts(made.id)
    assert.partialDeepStrictEqual(facts, { received: 1, arrived: 1 })
    assert.equal(facts.bookings.filter((type) => type === 'WITHDRAWAL').length, 1)
    assert.deepEqual(await world.verify(), [])
  })
})
