/** Days as a desk counts them: from midnight to midnight in its time zone. */
import { refuse } from '../../core/errors.ts'

type Span = { from: number; to: number }
type Day = Span & { day: string }

const QUARTER_MILLISECONDS = 900_000
/** More than any day has, and less than two. */
const LONGEST_QUARTERS = 27 * 4
const HOUR_MILLISECONDS = 3_600_000
const DAY_MILLISECONDS = 86_400_000

/** What a caller asks for: so many days until this one, by default today in UTC. */
export type AskedDays = { day?: string; days?: number; time_zone?: string }

/**
 * The days, oldest first. The last one ends now when it is not over. Refuses RANGE for a day to
 * come, FORMAT for an unknown time zone.
 */
export function daysOf({ day, days = 1, time_zone = 'UTC' }: AskedDays, now: number): Day[] {
  const dayAt = calendarOf(time_zone)
  const last = day ?? dayAt(now)
  if (last > dayAt(now)) throw refuse('RANGE', 'day', `${last} lies in the future`)
  return Array.from({ length: days }, (_none, index) => {
    const name = new Date(Date.parse(last) - (days - 1 - index) * DAY_MILLISECONDS)
      .toISOString()
      .slice(0, 10)
    const [from, end] = [beginningOf(name, dayAt), endOf(name, dayAt)]
    return { day: name, from, to: Math.min(end, now) }
  })
}

/** The hours of a day, counted from its midnight; 23 to 25 of them, fewer while it goes on. */
export function hoursOf({ from, to }: Span): Span[] {
  return Array.from({ length: Math.ceil((to - from) / HOUR_MILLISECONDS) }, (_none, hour) => ({
    from: from + hour * HOUR_MILLISECONDS,
    to: Math.min(from + (hour + 1) * HOUR_MILLISECONDS, to),
  }))
}

/** Which day it is somewhere at a time, as 2026-03-02. */
function calendarOf(time_zone: string): (at: number) => string {
  try {
    const format = new Intl.DateTimeFormat('en-CA', {
      timeZone: time_zone,
      calendar: 'iso8601',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    })
    return (at) => format.format(at)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw refuse('FORMAT', 'time_zone', 'time_zone must be a time zone such as Europe/Berlin')
  }
}

const beginningOf = (day: string, dayAt: (at: number) => string): number =>
  firstQuarter(day, (name) => name >= day, dayAt)

const endOf = (day: string, dayAt: (at: number) => string): number =>
  firstQuarter(day, (name) => name > day, dayAt)

/**
 * The first quarter of an hour on a day of which this is true. Days begin with one in every zone,
 * and no clock that is set back at midnight makes the search miss it.
 */
function firstQuarter(
  day: string,
  isThere: (name: string) => boolean,
  dayAt: (at: number) => string,
): number {
  // Clocks differ from UTC by up to 14 hours.
  let [low, high] = [
    Date.parse(day) / QUARTER_MILLISECONDS - 15 * 4,
    Date.parse(day) / QUARTER_MILLISECONDS + 2 * LONGEST_QUARTERS,
  ]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (isThere(dayAt(middle * QUARTER_MILLISECONDS))) high = middle
    else low = middle + 1
  }
  return low * QUARTER_MILLISECONDS
}
