import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ApiError, refuse } from '../../core/errors.ts'
import { assertVersion, retryOnStale } from './retry.ts'

describe('a change whose rows were changed meanwhile', () => {
  async function attempts(attempt: (number: number) => void): Promise<[number, string]> {
    let made = 0
    const ended = retryOnStale(async () => {
      made += 1
      attempt(made)
      return 'done'
    })
    const end = await ended.catch((error: unknown) =>
      error instanceof ApiError ? String(error.details[0]?.code) : assert.fail(String(error)),
    )
    return [made, end]
  }

  it('is decided anew', async () => {
    const stale = (number: number) => {
      if (number < 3) throw refuse('STALE_VERSION', 'version', 'row a has version 2, not 1')
    }
    assert.deepEqual(await attempts(stale), [3, 'done'])
  })

  it('is refused at once when the caller has seen another version', async () => {
    const seen = () => assertVersion('withdrawal', { id: 'a', version: 2 }, 1)
    assert.deepEqual(await attempts(seen), [1, 'STALE_VERSION'])
  })
})
