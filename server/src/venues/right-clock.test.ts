/** What is absent is sent again, so only a right clock may say so. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Lookup, Venue } from './contract.ts'
import { withRightClock } from './right-clock.ts'

const WRONG = "the clock of this process is 3600.0 s ahead of the database's"
const ABSENT = { lookup: 'absent' } as const

describe('a lookup', () => {
  for (const part of ['transfers', 'trading', 'wallets'] as const) {
    /** What it answers when the clock says this before and after it. */
    const answer = (lookup: Lookup<never>, ...faults: (string | undefined)[]) => {
      const venue = { [part]: { find: async () => lookup } } as unknown as Venue
      return withRightClock(venue, () => faults.shift())[part]?.find({} as never)
    }

    test(`of ${part} is absent while the clock is right`, async () => {
      assert.deepEqual(await answer(ABSENT), ABSENT)
    })

    test(`of ${part} is unknown when the clock is wrong before or after it`, async () => {
      const unknown = { lookup: 'unknown', reason: WRONG }
      assert.deepEqual(await answer(ABSENT, WRONG, undefined), unknown)
      assert.deepEqual(await answer(ABSENT, undefined, WRONG), unknown)
    })

    test(`of ${part} answers by any clock what does not follow from the time`, async () => {
      const early = { lookup: 'unknown', reason: 'the list cannot be read' } as const
      assert.deepEqual(await answer(early, WRONG, WRONG), early)
    })
  }
})
