/**
 * Ranges of days by name: today, this month. They are kept by name, so that a link or a saved view
 * says the same tomorrow. Days are those of the desk: they begin at midnight in the browser's zone,
 * weeks on Monday.
 */
import { useEffect, useState } from 'react'
import { t } from '../language/index.ts'

export const PERIODS = {
  today: t('Today'),
  yesterday: t('Yesterday'),
  'this-week': t('This week'),
  'this-month': t('This month'),
  'last-month': t('Last month'),
} as const

export type Period = keyof typeof PERIODS

export const isPeriod = (text: string | null): text is Period =>
  text !== null && Object.hasOwn(PERIODS, text)

/** The midnight with which a day begins, counted from the day of `now`; days may have 23 hours. */
function midnight(now: number, { days = 0, months }: { days?: number; months?: number }): number {
  const date = new Date(now)
  const [month, day] =
    months === undefined ? [date.getMonth(), date.getDate() + days] : [date.getMonth() + months, 1]
  return new Date(date.getFullYear(), month, day).getTime()
}

/** `from` is inclusive, `to` exclusive. What goes on has no end. */
export function rangeOf(period: Period, now: number): { from: number; to?: number } {
  switch (period) {
    case 'today':
      return { from: midnight(now, {}) }
    case 'yesterday':
      return { from: midnight(now, { days: -1 }), to: midnight(now, {}) }
    case 'this-week':
      return { from: midnight(now, { days: -((new Date(now).getDay() + 6) % 7) }) }
    case 'this-month':
      return { from: midnight(now, { months: 0 }) }
    case 'last-month':
      return { from: midnight(now, { months: -1 }), to: midnight(now, { months: 0 }) }
  }
}

/** `Vienna, GMT+1`: a zone, else that of the browser, with its offset at that time. */
export function offsetName(at: number, zone = zoneName()): string {
  const place = zone.split('/').at(-1)?.replaceAll('_', ' ') ?? ''
  const parts = new Intl.DateTimeFormat('en', {
    timeZone: zone,
    timeZoneName: 'shortOffset',
  }).formatToParts(at)
  const offset = parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
  return zone === 'UTC' ? zone : `${place}, ${offset}`
}

/** The day on which a time is at the desk, as `2026-11-29`. */
export function dayOf(at: number): string {
  const date = new Date(at)
  const two = (part: number): string => String(part).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

export const zoneName = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/** A timer holds no longer: browsers keep milliseconds in 31 bits, and sleeping ones wake late. */
const LOOK_AGAIN_MILLISECONDS = 60_000

/** The midnight before now; a page that is left open comes to the next day by itself. */
export function useDay(): number {
  const [day, setDay] = useState(() => midnight(Date.now(), {}))
  useEffect(() => {
    const timer = setInterval(() => {
      setDay(midnight(Date.now(), {}))
    }, LOOK_AGAIN_MILLISECONDS)
    return () => {
      clearInterval(timer)
    }
  }, [])
  return day
}
