import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Readiness } from './readiness.ts'

const rows = (read_only: string) => async () => [{ read_only }]
const ready = (query: () => Promise<unknown>, fault: () => string | undefined = () => undefined) =>
  new Readiness({ query: query as never }, fault)

test('a process serves while the database takes writes', async () => {
  assert.equal(await ready(rows('off')).missing(), undefined)
  assert.equal(await ready(rows('on')).missing(), 'the database takes no writes')
})

test('what it knows to be wrong by itself comes first, without a question', async () => {
  const asked = () => assert.fail('it is not asked')
  assert.equal(await ready(asked, () => 'the clock is wrong').missing(), 'the clock is wrong')
})

test('however many ask a database that hangs: one question, and an answer in time', async () => {
  let questions = 0
  const hangs = ready(() => {
    questions += 1
    return new Promise(() => undefined)
  })
  const began = performance.now()
  const answers = await Promise.all(Array.from({ length: 20 }, () => hangs.missing()))
  assert.ok(performance.now() - began < 2_000)
  assert.deepEqual([...new Set(answers)], ['the database does not answer'])
  assert.equal(questions, 1)
})

test('a database that fails does not answer, and is asked again', async () => {
  let fails = true
  const restarts = ready(async () => {
    if (fails) throw new Error('connect ECONNREFUSED')
    return [{ read_only: 'off' }]
  })
  assert.equal(await restarts.missing(), 'the database does not answer')
  fails = false
  assert.equal(await restarts.missing(), undefined)
})
