/** A clock that differs from the database's, told without a database. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '../core/clock.ts'
import { ClockWatch, watchClock } from './clock-watch.ts'
import type { Reader } from './db.ts'

const START = 1_800_000_000_000

/** `pass` is time that passes for all; the clock alone is set by `clock`. */
function world() {
  const clock = manualClock(START)
  const database = manualClock(START)
  const steady = manualClock(5_000)
  const logged: string[] = []
  let answerTakes = 0
  let asked = 0
  const pass = (milliseconds: number): void => {
    for (const time of [clock, database, steady]) time.advance(milliseconds)
  }
  const reader: Reader = {
    async query<Row>() {
      asked += 1
      pass(answerTakes / 2)
      const row = { now: database.now() }
      pass(answerTakes / 2)
      return [row] as Row[]
    },
  }
  const log = (_fields: object, message: string): void => {
    logged.push(message)
  }
  return {
    clock,
    steady,
    logged,
    reader,
    pass,
    asked: () => asked,
    answersWithin: (milliseconds: number) => {
      answerTakes = milliseconds
    },
    times: { clock, steady: () => steady.now() },
    log: { warn: log, error: log },
  }
}

async function watched() {
  const made = world()
  const watch = new ClockWatch(made.reader, made.times, made.log)
  await watch.compare()
  return { ...made, watch }
}

const FAR: readonly [number, boolean, string | undefined][] = [
  [2_000, true, undefined],
  [-2_000, true, undefined],
  [2_001, false, undefined],
  [-4_900, false, undefined],
  [5_000, false, undefined],
  [5_001, false, "the clock of this process is 5.0 s ahead of the database's"],
  [-86_400_000, false, "the clock of this process is 86400.0 s behind the database's"],
]
for (const [ahead, mayClaim, fault] of FAR)
  test(`a clock that jumps by ${ahead} ms: known at once, without asking`, async () => {
    const { watch, clock, asked } = await watched()
    clock.advance(ahead)
    assert.deepEqual([watch.mayClaim(), watch.fault(), asked()], [mayClaim, fault, 1])
  })

test('time that passes for all is no difference; the database is asked once a minute', async () => {
  const { watch, pass, asked } = await watched()
  pass(59_999)
  await watch.look()
  assert.deepEqual([watch.ahead(), asked()], [0, 1])
  pass(1)
  await watch.look()
  assert.deepEqual([watch.ahead(), asked()], [0, 2])
})

test('a clock that is set right again is trusted at once, and both are logged', async () => {
  const { watch, clock, logged } = await watched()
  clock.advance(10_000)
  await watch.look()
  clock.advance(-10_000)
  assert.equal(watch.fault(), undefined)
  await watch.look()
  clock.advance(3_000)
  await watch.look()
  assert.deepEqual(logged, [
    'the clock differs from the database’s: no work is claimed',
    'the clock agrees with the database’s again',
    'the clock differs from the database’s: no work is claimed',
  ])
})

test('a machine that slept is compared at once', async () => {
  const { watch, steady, pass } = await watched()
  pass(3_600_000)
  steady.advance(-3_600_000)
  assert.equal(watch.mayClaim(), false)
  await watch.look()
  assert.equal(watch.ahead(), 0)
})

test('an answer that takes long says only what is certain', async () => {
  const { watch, answersWithin, clock, reader, times, log } = await watched()
  answersWithin(20_000)
  await watch.compare()
  clock.advance(3_000)
  assert.equal(watch.mayClaim(), false, 'the better answer is kept')
  const first = new ClockWatch(reader, times, log)
  await first.compare()
  assert.equal(first.fault(), undefined, '3 s are less than it took')
})

test('a service does not start with a wrong clock', async () => {
  const { clock, reader, times, log } = world()
  clock.advance(-8_000)
  await assert.rejects(
    watchClock(reader, times, log),
    /clock of this process is 8.0 s behind the database's/,
  )
  clock.advance(8_000)
  ;(await watchClock(reader, times, log)).stop()
})
