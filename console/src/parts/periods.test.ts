import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isPeriod, offsetName, PERIODS, rangeOf } from './periods.ts'

const at = (year: number, month: number, day: number, hour = 0): number =>
  new Date(year, month - 1, day, hour).getTime()

describe('ranges of days', () => {
  it('begin and end at midnight of the desk', () => {
    const now = at(2026, 11, 29, 15)
    assert.deepEqual(rangeOf('today', now), { from: at(2026, 11, 29) })
    assert.deepEqual(rangeOf('yesterday', now), { from: at(2026, 11, 28), to: at(2026, 11, 29) })
    assert.deepEqual(rangeOf('this-month', now), { from: at(2026, 11, 1) })
    assert.deepEqual(rangeOf('last-month', now), { from: at(2026, 10, 1), to: at(2026, 11, 1) })
  })

  it('have weeks that begin on Monday', () => {
    for (const day of [23, 24, 29])
      assert.deepEqual(rangeOf('this-week', at(2026, 11, day, 23)), { from: at(2026, 11, 23) })
    assert.deepEqual(rangeOf('this-week', at(2026, 11, 30)), { from: at(2026, 11, 30) })
  })

  it('reach over the end of a month, a year, and a change of the clock', () => {
    const newYear = at(2027, 1, 1, 1)
    assert.deepEqual(rangeOf('yesterday', newYear), { from: at(2026, 12, 31), to: at(2027, 1, 1) })
    assert.deepEqual(rangeOf('last-month', newYear), { from: at(2026, 12, 1), to: at(2027, 1, 1) })
    // In much of Europe this day has 25 hours.
    assert.deepEqual(rangeOf('yesterday', at(2026, 10, 26, 12)), {
      from: at(2026, 10, 25),
      to: at(2026, 10, 26),
    })
  })

  it('are told from other words', () => {
    assert.ok(Object.keys(PERIODS).every(isPeriod))
    assert.ok(!isPeriod('tomorrow'))
    assert.ok(!isPeriod('toString'))
    assert.ok(!isPeriod(null))
  })
})

it('a time zone is named with its offset at that time', () => {
  const [winter, summer] = [Date.UTC(2026, 0, 15), Date.UTC(2026, 6, 15)]
  assert.equal(offsetName(winter, 'Europe/Vienna'), 'Vienna, GMT+1')
  assert.equal(offsetName(summer, 'Europe/Vienna'), 'Vienna, GMT+2')
  assert.equal(offsetName(winter, 'America/New_York'), 'New York, GMT-5')
  assert.equal(offsetName(winter, 'UTC'), 'UTC')
})
