/**
 * A venue gets another connection while withdrawals are in flight, and the process that sends is
 * killed: nothing is sent twice, whatever the new connection finds.
 */
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { until } from '../../core/testing.ts'
import { startSandbox } from '../../venues/sandbox-process.testing.ts'
import { openFaultWorld } from '../testing/faults.testing.ts'
import type { FaultWorld } from '../testing/faults.testing.ts'
import type { Withdrawal } from './withdrawals.schema.ts'

/** What had arrived at the venue when the process died. */
const POINTS = [
  ['withdrawal.send.before', 0],
  ['withdrawal.send.after', 1],
] as const

type File = {
  venues: { options: { base_url: string }; secrets: Record<string, { file: string }> }[]
}

describe('a venue that is changed under a withdrawal', { timeout: 500_000 }, () => {
  let world: FaultWorld
  /** Another vault, where nothing was ever sent. */
  let elsewhere: Awaited<ReturnType<typeof startSandbox>>
  let moved: string
  before(async () => {
    ;[world, elsewhere] = await Promise.all([openFaultWorld(), startSandbox()])
    const content = await readFile(world.config, 'utf8')
    const config = JSON.parse(content.replaceAll(world.sandbox.url, elsewhere.url)) as File
    for (const { secrets } of config.venues)
      for (const reference of Object.values(secrets))
        reference.file = join(elsewhere.dir, reference.file)
    moved = join(world.sandbox.dir, 'moved.json')
    await writeFile(moved, JSON.stringify(config))
  })
  after(async () => {
    await world?.close()
    await elsewhere?.stop()
  })

  const configure = async (file: string) => {
    await world.killApi()
    await world.startApi({ KONTOR_CONFIG: file })
  }
  const read = (id: string) => world.call<Withdrawal>('GET', `/treasury/withdrawals/${id}`)
  const reaches = (id: string, state: string) =>
    until(`${state} of ${id}`, async () => ((await world.stateOf(id)) === state ? true : undefined))

  for (const [point, received] of POINTS)
    it(`is UNKNOWN there and ends where it was sent, killed at ${point}`, async () => {
      const id = await world.withdraw()
      const killed = world.worker(point, id)
      assert.equal(await killed.exited, 'SIGKILL', `the worker dies at ${point}`)
      assert.equal((await world.facts(id)).received, received)

      await configure(moved)
      const there = world.worker()
      await reaches(id, 'UNKNOWN')
      assert.match((await read(id)).reason ?? '', /were changed after it was sent/)
      await world.kill(there)

      await configure(world.config)
      const back = world.worker()
      await reaches(id, 'SUCCESS')
      await world.kill(back)
      assert.partialDeepStrictEqual(await world.facts(id), {
        received: 1,
        arrived: 1,
        hold: 'captured',
      })
      assert.equal(await elsewhere.received('fireblocks', 'create_transaction'), 0)
      assert.deepEqual(await world.verify(), [])
    })

  it('sends what is new by the new connection, at once', async () => {
    await configure(moved)
    const id = await world.withdraw()
    const worker = world.worker()
    // The other vault does not know the address.
    await reaches(id, 'REJECTED')
    await world.kill(worker)
    assert.match((await read(id)).reason ?? '', /allow-list/)
    assert.equal((await world.facts(id)).received, 0)
    assert.deepEqual(await world.verify(), [])
  })
})
