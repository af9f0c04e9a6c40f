import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as settle } from 'node:timers/promises'
import { PasswordChecks } from './password-checks.ts'

/** Checks that end one after the other, when the test says so. */
function line() {
  const checks = new PasswordChecks()
  const started: string[] = []
  const running: (() => void)[] = []
  const ask = (name: string, network: string) =>
    checks.check(network, () => {
      started.push(name)
      return new Promise<void>((resolve) => {
        running.push(resolve)
      })
    })
  const end = async () => {
    running.shift()?.()
    await settle()
  }
  return { ask, end, started }
}

test('networks take turns, so that many of one do not hold up another', async () => {
  const { ask, end, started } = line()
  for (let index = 0; index < 6; index += 1) void ask(`a${index}`, 'a')
  void ask('b', 'b')
  assert.deepEqual(started, ['a0', 'a1'])
  await end()
  await end()
  assert.deepEqual(started, ['a0', 'a1', 'a2', 'b'])
  for (let rest = 0; rest < 5; rest += 1) await end()
  void ask('c', 'c')
  assert.equal(started.at(-1), 'c')
})

test('a network with too many waiting is refused, and no other', async () => {
  const { ask, end, started } = line()
  for (let index = 0; index < 102; index += 1) void ask('a', 'a')
  await assert.rejects(ask('a', 'a'), { kind: 'RateLimited', retryAfter: 5 })
  void ask('b', 'b')
  await end()
  await end()
  assert.ok(started.includes('b'))
})
