import assert from 'node:assert/strict'
import { it } from 'node:test'
import { isUnreachable, NotAsked } from '../time-limit.ts'
import { NotCalled } from './call-limiter.ts'
import { failuresOf } from './wire.ts'

it('a read that was never sent is told from one that the exchange did not answer', async () => {
  const { reading } = failuresOf('kraken', () => undefined)
  const failureOf = async (error: Error): Promise<unknown> => {
    try {
      return await reading(async () => {
        throw error
      })
    } catch (failure) {
      return failure
    }
  }
  const unsent = await failureOf(new NotCalled('kraken was not called'))
  assert.ok(unsent instanceof NotAsked && isUnreachable(unsent))
  assert.equal(unsent.message, 'kraken was not called')
  const unanswered = await failureOf(new Error('socket hang up'))
  assert.ok(isUnreachable(unanswered) && !(unanswered instanceof NotAsked))
})
