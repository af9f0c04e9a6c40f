/** A batch is given up, while each process that does it dies. */
import assert from 'node:assert/strict'
import type { FaultWorld } from '../testing/faults.testing.ts'
import type { Batch } from './batches.schema.ts'

/** The batch holds something of the world's customer; afterwards nothing does. */
export async function giveUpThroughKills(world: FaultWorld, batch_id: string): Promise<void> {
  const path = `/treasury/batches/${batch_id}`
  const held = async (): Promise<number> =>
    (await world.call<object[]>('GET', `/accounts/${world.customer.account_id}/holds`)).length
  const giveUp = (): Promise<Batch> =>
    world.call<Batch>('POST', `${path}/give-up`, {}, { 'idempotency-key': batch_id })
  assert.ok((await held()) > 0)
  for (const [point, state] of [
    ['batch.give_up.before', 'PREPARED'],
    ['batch.give_up.after', 'GIVEN_UP'],
  ] as const) {
    await world.killApi()
    await world.startApi({ KONTOR_FAILPOINT: point })
    await assert.rejects(giveUp())
    assert.equal(await world.api().exited, 'SIGKILL')
    await world.startApi()
    assert.equal((await world.call<Batch>('GET', path)).state, state)
  }
  assert.equal((await giveUp()).state, 'GIVEN_UP')
  assert.equal(await held(), 0)
  assert.deepEqual(await world.verify(), [])
}
