/**
 * The time of a sending says when it may be sent again. So nothing is sent by a wrong clock: one
 * that is behind would let another process send it twice.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { testHistory } from '../../store/history.testing.ts'
import { openMovements } from '../testing/movements.testing.ts'
import { decisionsAt } from './decisions.testing.ts'

const HOUR = 3_600_000

describe('a clock that is wrong while something is sent', () => {
  let place: Awaited<ReturnType<typeof openMovements>>
  let fault: string | undefined
  before(async () => {
    place = await openMovements()
    place.app.history = testHistory(place.db, place.clock, { clockFault: () => fault })
  })
  after(() => place.close())

  const { ask, read, funded, sends } = decisionsAt(() => place)

  it('stores no time of a sending, and nothing is sent until it is right', async () => {
    const bob = await funded()
    const made = await ask(bob.account_id)
    fault = "the clock of this process is 3600.0 s ahead of the database's"
    place.clock.advance(HOUR)
    await place.later(60_000)
    assert.deepEqual(
      { submitted_at: (await read(made.id)).submitted_at, sends: sends(made.external_id) },
      { submitted_at: null, sends: 0 },
    )
    fault = undefined
    await place.later(60_000)
    assert.equal(sends(made.external_id), 1)
    assert.notEqual((await read(made.id)).submitted_at, null)
  })
})
