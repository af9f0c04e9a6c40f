import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { liveBalances } from './balances.ts'
import type { Venue } from './contract.ts'

/** A venue whose balances are counted. */
function venue() {
  let calls = 0
  let down = false
  const adapter = {
    balances: async () => {
      calls += 1
      if (down) throw new ApiError('VenueUnreachable', 'it is down')
      return []
    },
  } as unknown as Venue
  return {
    ask: () => liveBalances(manualClock(1), 'bank', adapter),
    fail: () => {
      down = true
    },
    get calls() {
      return calls
    },
  }
}

test('who asks while a venue is answering gets that answer', async () => {
  const asked = venue()
  await Promise.all(Array.from({ length: 30 }, () => asked.ask()))
  assert.equal(asked.calls, 1)
  await asked.ask()
  assert.equal(asked.calls, 2)
})

test('a loop asks a venue a few times and then gets its last answer', async () => {
  const asked = venue()
  for (let count = 0; count < 50; count += 1) await asked.ask()
  assert.equal(asked.calls, 10)
})

test('a venue that does not answer is not asked more often either', async () => {
  const asked = venue()
  asked.fail()
  for (let count = 0; count < 50; count += 1)
    await assert.rejects(asked.ask(), { kind: 'VenueUnreachable' })
  assert.equal(asked.calls, 10)
})
