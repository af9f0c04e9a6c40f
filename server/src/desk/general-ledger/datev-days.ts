/** Days and fiscal years, as DATEV's header has them. */

const DAY = { calendar: 'iso8601', year: 'numeric', month: '2-digit', day: '2-digit' } as const

/** `2026-03-02`, in this zone. */
export function dayWriter(timeZone: string): (at: number) => string {
  const days = new Intl.DateTimeFormat('en-CA', { ...DAY, timeZone })
  return (at) => days.format(at)
}

/** The first day of the fiscal year of this day. `start`: month and day, such as `07-01`. */
export function fiscalYearOf(day: string, start: string): string {
  const year = Number(day.slice(0, 4))
  return day.slice(5) < start ? `${year - 1}-${start}` : `${year}-${start}`
}
