/** Times that people type otherwise than they are shown: a day alone, or as German writes it. */

import { localTime } from './local-time.ts'

const YEAR_FIRST = /^(?<year>\d{4})-(?<month>\d{1,2})-(?<day>\d{1,2})$/
const DAY_FIRST =
  /^(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>\d{4})(?:,? +(?<hour>\d{1,2}):(?<minute>\d{2}))?$/

/** Local time; a day alone is its beginning. Undefined for what is no such day, or another form. */
export function typedTime(text: string): number | undefined {
  const typed = text.trim()
  const found = (YEAR_FIRST.exec(typed) ?? DAY_FIRST.exec(typed))?.groups
  if (found === undefined) return undefined
  const { year = '', month = '', day = '', hour = '', minute = '00' } = found
  const date = [year, two(month), two(day)].join('-')
  const time = `${two(hour)}:${minute}`
  const at = Date.parse(`${date}T${time}`)
  // A day that its month does not have is another one.
  return Number.isNaN(at) || !localTime(at).startsWith(`${date} ${time}`) ? undefined : at
}

const two = (digits: string): string => digits.padStart(2, '0')
