/** Times as people type them: as they are shown, a day alone, or as German writes it. */

import { t } from '../language/index.ts'
import { localTime } from './local-time.ts'

/** The value of a field whose text is not read as a time. */
export const UNREAD = Number.NaN
export const UNREAD_WORDS = t('Enter a date such as {{example}}', { example: '2026-12-31 09:00' })

const TIME = String.raw`(?:(?:T|,? +)(?<hour>\d{1,2}):(?<minute>\d{2}))?$`
const FORMS = [
  new RegExp(String.raw`^(?<year>\d{4})-(?<month>\d{1,2})-(?<day>\d{1,2})${TIME}`),
  new RegExp(String.raw`^(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>\d{4})${TIME}`),
]

/** Local time; a day alone is its beginning. Undefined for what is no such day, or another form. */
export function typedTime(text: string): number | undefined {
  const typed = text.trim()
  const found = FORMS.map((form) => form.exec(typed)?.groups).find((groups) => groups)
  if (found === undefined) return undefined
  const { year = '', month = '', day = '', hour = '', minute = '00' } = found
  const date = [year, two(month), two(day)].join('-')
  const time = `${two(hour)}:${minute}`
  const at = Date.parse(`${date}T${time}`)
  // A day that its month does not have is another one.
  return Number.isNaN(at) || !localTime(at).startsWith(`${date} ${time}`) ? undefined : at
}

const two = (digits: string): string => digits.padStart(2, '0')
