/** Points in time as callers write them: ISO 8601, or an integer that is read by its size. */
import { Type } from 'typebox'
import type { TUnsafe } from 'typebox'
import { refuse } from '../core/errors.ts'

export const MAXIMUM_TIME = 40

const UNITS: Readonly<Record<number, (digits: bigint) => bigint>> = {
  10: (digits) => digits * 1000n,
  13: (digits) => digits,
  16: (digits) => digits / 1000n,
  19: (digits) => digits / 1_000_000n,
}
const ISO =
  /^(\d{4}-\d{2}-\d{2})(T(?:[01]\d|2[0-3]):\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/

/** What `timeOf` reads, as one pattern: days that are in the calendar, from 1970 on. */
function patternOfTimes(): string {
  const year = '(19[7-9][0-9]|[2-9][0-9]{3})'
  const leap = '(19(7[26]|8[048]|9[26])|[2-9][0-9]([2468][048]|[13579][26]|0[48])|[2468][048]00)'
  const day = [
    '(0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])',
    '(0[469]|11)-(0[1-9]|[12][0-9]|30)',
    '02-(0[1-9]|1[0-9]|2[0-8])',
  ].join('|')
  const hour = '([01][0-9]|2[0-3])'
  const clock = `T${hour}:[0-5][0-9](:[0-5][0-9](\\.[0-9]{1,9})?)?(Z|[+-]${hour}:[0-5][0-9])?`
  const digits = '[0-9]{10}|[0-9]{13}|[0-9]{16}|[0-9]{19}'
  return `^((${year}-(${day})|${leap}-02-29)(${clock})?|${digits})$`
}

/** Milliseconds, or undefined when the text is no time. Without an offset ISO text is UTC. */
export function timeOf(text: string): number | undefined {
  if (/^[0-9]+$/.test(text)) {
    const unit = UNITS[text.length]
    return unit === undefined ? undefined : Number(unit(BigInt(text)))
  }
  const date = ISO.exec(text)?.[1]
  // The parser would take 30 February for 2 March.
  if (
    date === undefined ||
    Number.isNaN(Date.parse(date)) ||
    !new Date(date).toISOString().startsWith(date)
  )
    return undefined
  const zoned = /(Z|[+-]\d{2}:\d{2})$/.test(text) || !text.includes('T') ? text : `${text}Z`
  const value = Date.parse(zoned)
  return Number.isNaN(value) || value < 0 ? undefined : value
}

/** For the OpenAPI document. */
export const TIME_TEXT = {
  type: 'string',
  title: 'TimeText',
  maxLength: MAXIMUM_TIME,
  pattern: patternOfTimes(),
  description: 'ISO 8601, or an integer: 10 digits are seconds, 13 ms, 16 µs, 19 ns',
  examples: ['2026-03-02T09:30:00Z', '1772443800000'],
}

/** The integers that are read as seconds, milliseconds and microseconds; more are not exact. */
const INTEGERS = [
  { type: 'integer', minimum: 1_000_000_000, maximum: 9_999_999_999 },
  { type: 'integer', minimum: 1_000_000_000_000, maximum: 9_999_999_999_999 },
  { type: 'integer', minimum: 1_000_000_000_000_000, maximum: Number.MAX_SAFE_INTEGER },
]

/** In a body; `readTime` reads it. */
export const timeInput = (description: string): TUnsafe<number | string> =>
  Type.Unsafe<number | string>({
    anyOf: [
      { type: 'integer', minimum: 0 },
      { type: 'string', maxLength: MAXIMUM_TIME },
    ],
    'x-means': {
      anyOf: [...INTEGERS, TIME_TEXT],
    },
    description,
  })

/** Milliseconds. Throws 3001 FORMAT. */
export function readTime(value: number | string, path: string): number {
  const time = timeOf(String(value))
  if (time !== undefined) return time
  const forms = 'give ISO 8601 or an integer of 10 (s), 13 (ms), 16 (µs) or 19 (ns) digits'
  throw refuse('FORMAT', path, `${path} is not a valid time: ${forms}`)
}
