/** Times of day in a time zone. */
import { mustExist } from '../../core/assert.ts'
import { WEEKDAYS } from './policy.schema.ts'
import type { TimeOfDay, Weekday } from './policy.schema.ts'

const MINUTE_MILLISECONDS = 60_000
const DAY_MINUTES = 1_440

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(zone: string): Intl.DateTimeFormat {
  let known = formats.get(zone)
  if (known === undefined) {
    known = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    })
    formats.set(zone, known)
  }
  return known
}

type LocalTime = { minute: number; weekday: Weekday }

function localTime(zone: string, at: number): LocalTime {
  const parts = formatOf(zone).formatToParts(at)
  const part = (type: string): string =>
    mustExist(parts.find((one) => one.type === type)?.value, `a time has its ${type}`)
  return {
    minute: Number(part('hour')) * 60 + Number(part('minute')),
    weekday: part('weekday').toUpperCase() as Weekday,
  }
}

const minuteOf = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3))

const before = (day: Weekday): Weekday =>
  WEEKDAYS[(WEEKDAYS.indexOf(day) + WEEKDAYS.length - 1) % WEEKDAYS.length] ?? 'SUN'

/** The window that is open then, and when it ends; undefined when none is. */
export function windowAt(
  { from, to, zone, days = [...WEEKDAYS] }: TimeOfDay,
  at: number,
): { ends_at: number } | undefined {
  const [start, end] = [minuteOf(from), minuteOf(to)]
  const { minute, weekday } = localTime(zone, at)
  const crosses = end <= start
  const began = crosses && minute < end ? before(weekday) : weekday
  const isOpen = crosses ? minute >= start || minute < end : minute >= start && minute < end
  if (!isOpen || !days.includes(began)) return undefined
  return { ends_at: endOf(zone, at, end) }
}

/** A clock that is put forward or back in between moves the end. */
function endOf(zone: string, at: number, end: number): number {
  const begun = at - (at % MINUTE_MILLISECONDS)
  const left = (from: number) => (end - localTime(zone, from).minute + DAY_MINUTES) % DAY_MINUTES
  const guess = begun + (left(at) || DAY_MINUTES) * MINUTE_MILLISECONDS
  const late = left(guess)
  const wrong = late > DAY_MINUTES / 2 ? late - DAY_MINUTES : late
  return guess + wrong * MINUTE_MILLISECONDS
}
