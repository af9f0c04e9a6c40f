/** Days of a desk begin at midnight in its time zone, also when clocks change. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { daysOf, hoursOf } from './days.ts'

const HOUR = 3_600_000
const at = (text: string): number => Date.parse(text)

it('days are those of the zone, and the last one goes on', () => {
  const now = at('2026-03-30T10:20:00Z')
  const days = daysOf({ days: 3, time_zone: 'Europe/Berlin' }, now)
  assert.deepEqual(days, [
    { day: '2026-03-28', from: at('2026-03-27T23:00:00Z'), to: at('2026-03-28T23:00:00Z') },
    { day: '2026-03-29', from: at('2026-03-28T23:00:00Z'), to: at('2026-03-29T22:00:00Z') },
    { day: '2026-03-30', from: at('2026-03-29T22:00:00Z'), to: now },
  ])
  // Clocks go forward on the second one.
  assert.deepEqual(
    days.map((day) => hoursOf(day).length),
    [24, 23, 13],
  )
})

it('every zone has its midnights, each day once, without a gap', () => {
  const now = at('2027-01-15T11:07:00Z')
  const zones = [
    'UTC',
    'Asia/Kathmandu',
    'Pacific/Kiritimati',
    'Pacific/Niue',
    'America/Havana',
    'Australia/Lord_Howe',
    'Africa/Cairo',
  ]
  for (const time_zone of zones) {
    const days = daysOf({ days: 92, time_zone }, now)
    assert.equal(new Set(days.map(({ day }) => day)).size, 92)
    for (const [index, { from, to }] of days.entries()) {
      assert.equal(from % 900_000, 0, `${time_zone} ${index}`)
      assert.ok((to - from) / HOUR <= 25)
      const next = days[index + 1]
      if (next !== undefined) assert.equal(to, next.from, `${time_zone} ${index}`)
    }
    const names = new Intl.DateTimeFormat('en-CA', { timeZone: time_zone })
    for (const { day, from, to } of days)
      assert.deepEqual(
        [from - 1, from, to - 1].map((time) => names.format(time) === day),
        [false, true, true],
        `${time_zone} ${day}`,
      )
  }
})

it('a day to come and an unknown zone are refused', () => {
  const now = at('2026-03-30T23:30:00Z')
  assert.throws(() => daysOf({ day: '2026-03-31' }, now), /lies in the future/)
  assert.equal(daysOf({ day: '2026-03-31', time_zone: 'Asia/Tokyo' }, now).length, 1)
  assert.throws(() => daysOf({ time_zone: 'Mars/Olympus' }, now), /must be a time zone/)
})
