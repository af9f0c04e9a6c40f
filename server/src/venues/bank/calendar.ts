/** On which day a bank executes a payment: its calendar, and its cut-off time in its own zone. */
import { assert } from '../../core/assert.ts'

export type BankCalendar = {
  /** The closed days of the week, 0 for Sunday. */
  weekend: ReadonlySet<number>
  /** Also those on which the euro system is closed. */
  target2: boolean
  /** `2026-08-01`, or `08-01` for that day of every year. */
  holidays: ReadonlySet<string>
  /** `15:30`: from then on a payment waits for the next open day. Null: until the day ends. */
  cut_off: string | null
  time_zone: string
}

export const CALENDARS = ['TARGET2', 'LISTED'] as const
/** As `Date.getUTCDay` counts. */
export const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'] as const
const WEEKEND = 'SAT,SUN'
/** No day of the week. */
export const NO_DAY = 'NONE'
const TARGET2_ZONE = 'Europe/Berlin'
/** Where a bank with an account in the currency is assumed to be; elsewhere the day is UTC's. */
const CURRENCY_ZONES: ReadonlyMap<string, string> = new Map([
  ['AED', 'Asia/Dubai'],
  ['AUD', 'Australia/Sydney'],
  ['BRL', 'America/Sao_Paulo'],
  ['CAD', 'America/Toronto'],
  ['CHF', 'Europe/Zurich'],
  ['CNY', 'Asia/Shanghai'],
  ['CZK', 'Europe/Prague'],
  ['DKK', 'Europe/Copenhagen'],
  ['EUR', TARGET2_ZONE],
  ['GBP', 'Europe/London'],
  ['HKD', 'Asia/Hong_Kong'],
  ['HUF', 'Europe/Budapest'],
  ['ILS', 'Asia/Jerusalem'],
  ['INR', 'Asia/Kolkata'],
  ['JPY', 'Asia/Tokyo'],
  ['KRW', 'Asia/Seoul'],
  ['KWD', 'Asia/Kuwait'],
  ['MXN', 'America/Mexico_City'],
  ['NOK', 'Europe/Oslo'],
  ['NZD', 'Pacific/Auckland'],
  ['PLN', 'Europe/Warsaw'],
  ['RON', 'Europe/Bucharest'],
  ['SAR', 'Asia/Riyadh'],
  ['SEK', 'Europe/Stockholm'],
  ['SGD', 'Asia/Singapore'],
  ['THB', 'Asia/Bangkok'],
  ['TRY', 'Europe/Istanbul'],
  ['USD', 'America/New_York'],
  ['ZAR', 'Africa/Johannesburg'],
])
const DAY_MILLISECONDS = 86_400_000
/** More closed days than this one after the other are a mistake. */
const MAXIMUM_CLOSED_DAYS = 60

/** The day on which a payment that is handed over now is executed, as `2026-11-23`. */
export function executionDate(calendar: BankCalendar, now: number): string {
  const { date, time } = localTime(now, calendar.time_zone)
  const isLate = calendar.cut_off !== null && time >= calendar.cut_off
  return openDay(calendar, isLate ? dayAfter(date) : date)
}

/** The day that it is in the bank's zone. */
export const dayAt = ({ time_zone }: BankCalendar, now: number): string =>
  localTime(now, time_zone).date

function openDay(calendar: BankCalendar, from: string): string {
  let day = from
  for (let closed = 0; isClosed(calendar, day); closed += 1) {
    assert(closed < MAXIMUM_CLOSED_DAYS, `the bank is closed for long after ${from}`)
    day = dayAfter(day)
  }
  return day
}

function isClosed({ weekend, target2, holidays }: BankCalendar, day: string): boolean {
  if (weekend.has(new Date(day).getUTCDay())) return true
  if (target2 && isTarget2Holiday(day)) return true
  return holidays.has(day) || holidays.has(day.slice(5))
}

/**
 * Besides weekends: 1 January, Good Friday, Easter Monday, 1 May, 25 and 26 December (ECB, press
 * release of 14 December 2000).
 */
function isTarget2Holiday(day: string): boolean {
  if (['01-01', '05-01', '12-25', '12-26'].includes(day.slice(5))) return true
  const easter = Date.parse(easterSunday(Number(day.slice(0, 4))))
  const distance = (Date.parse(day) - easter) / DAY_MILLISECONDS
  return distance === -2 || distance === 1
}

/** By the Gregorian calendar (Meeus, Jones and Butcher). */
function easterSunday(year: number): string {
  const golden = year % 19
  const century = Math.floor(year / 100)
  const inCentury = year % 100
  const correction = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3)
  const epact = (19 * golden + century - Math.floor(century / 4) - correction + 15) % 30
  const weekday =
    (32 + 2 * (century % 4) + 2 * Math.floor(inCentury / 4) - epact - (inCentury % 4)) % 7
  const shift = Math.floor((golden + 11 * epact + 22 * weekday) / 451)
  const day = epact + weekday - 7 * shift + 114
  return dateText(Date.UTC(year, Math.floor(day / 31) - 1, (day % 31) + 1))
}

const dateText = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10)

const dayAfter = (day: string): string => dateText(Date.parse(day) + DAY_MILLISECONDS)

function localTime(now: number, timeZone: string): { date: string; time: string } {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(now)
  const part = (name: Intl.DateTimeFormatPartTypes) =>
    parts.find(({ type }) => type === name)?.value ?? ''
  return {
    date: `${part('year')}-${part('month')}-${part('day')}`,
    time: `${part('hour')}:${part('minute')}`,
  }
}

/**
 * From the options `calendar`, `weekend_days`, `holidays`, `cut_off` and `time_zone`. Throws
 * RangeError naming what is wrong.
 */
export function calendarOf(values: Record<string, string>, currency: string): BankCalendar {
  const name = values['calendar'] || (currency === 'EUR' ? 'TARGET2' : 'LISTED')
  if (!CALENDARS.some((known) => known === name))
    throw new RangeError(`the bank's calendar must be ${CALENDARS.join(' or ')}, not ${name}`)
  const target2 = name === 'TARGET2'
  const cut_off = values['cut_off'] || null
  if (cut_off !== null && !/^(?:[01]\d|2[0-3]):[0-5]\d$/.test(cut_off))
    throw new RangeError(`the bank's cut_off must be a time like 15:30, not ${cut_off}`)
  if (cut_off !== null && !values['time_zone'])
    throw new RangeError("the bank's cut_off needs its time_zone")
  const zone = target2 ? TARGET2_ZONE : CURRENCY_ZONES.get(currency)
  const calendar: BankCalendar = {
    weekend: weekendOf(values['weekend_days'] || WEEKEND),
    target2,
    holidays: holidaysOf(values['holidays'] ?? ''),
    cut_off,
    time_zone: zoneOf(values['time_zone'] || (zone ?? 'UTC')),
  }
  assertOpens(calendar)
  return calendar
}

/** In the years that `holidays` names and those beside them; one stands for every year. */
function assertOpens(calendar: BankCalendar): void {
  const days = [...calendar.holidays]
  const years = new Set(days.map((day) => (day.length === 5 ? '2028' : day.slice(0, 4))))
  for (const year of years) {
    let closed = 0
    for (let day = -366; day < 2 * 366; day += 1) {
      const date = dateText(Date.parse(`${year}-01-01`) + day * DAY_MILLISECONDS)
      closed = isClosed(calendar, date) ? closed + 1 : 0
      if (closed > MAXIMUM_CLOSED_DAYS)
        throw new RangeError(
          `the bank's holidays close it for more than ${MAXIMUM_CLOSED_DAYS} days until ${date}`,
        )
    }
  }
}

const namesIn = (text: string): string[] =>
  text.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]))

function weekendOf(text: string): Set<number> {
  if (text === NO_DAY) return new Set()
  const days = namesIn(text).map((name) => DAYS.findIndex((day) => day === name))
  const weekend = new Set(days)
  if (weekend.has(-1) || weekend.size === DAYS.length)
    throw new RangeError(
      `the bank's weekend_days must be some of ${DAYS.join(', ')}, or ${NO_DAY}, not ${text}`,
    )
  return weekend
}

function holidaysOf(text: string): Set<string> {
  const days = namesIn(text)
  const wrong = days.find((day) => !isDay(day))
  if (wrong !== undefined)
    throw new RangeError(`the bank's holidays must be like 2026-08-01 or 08-01, not ${wrong}`)
  return new Set(days)
}

/** `2026-08-01`, or `08-01`: in a leap year every day of a month exists. */
export function isDay(text: string): boolean {
  const day = text.length === 5 ? `2024-${text}` : text
  return (
    /^\d{4}-\d{2}-\d{2}$/.test(day) &&
    !Number.isNaN(Date.parse(day)) &&
    dateText(Date.parse(day)) === day
  )
}

function zoneOf(name: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new RangeError(`the bank's time_zone must be one like Europe/Berlin, not ${name}`, {
      cause: error,
    })
  }
}
