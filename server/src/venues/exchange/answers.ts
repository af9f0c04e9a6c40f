/**
 * Reading an exchange's answers, in which a field that is not as documented means that we did not
 * understand it.
 */
import { tryDecimal } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { ApiError } from '../../core/errors.ts'

export type Row = Record<string, unknown>

export function rows(result: unknown): Row[] {
  if (!Array.isArray(result)) throw unreadableAnswer('a list')
  return result.map(row)
}

export function row(value: unknown): Row {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw unreadableAnswer('an object')
  return value as Row
}

export function text(of: Row, field: string): string {
  const value = of[field]
  if (typeof value !== 'string') throw unreadableAnswer(field)
  return value
}

/** An id or a code that some answers write as a number. */
export function word(of: Row, field: string): string {
  const value = of[field]
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : text(of, field)
}

export function optionalText(of: Row, field: string): string | null {
  const value = of[field]
  return typeof value === 'string' && value !== '' ? value : null
}

export function exact(of: Row, field: string): Decimal {
  const value = of[field]
  const figure = typeof value === 'number' ? String(value) : value
  const parsed = typeof figure === 'string' ? tryDecimal(figure) : undefined
  if (parsed === undefined) throw unreadableAnswer(field)
  return parsed
}

export function unreadableAnswer(field: string): ApiError {
  return new ApiError(
    'VenueUnreachable',
    `the exchange answered something else than expected (${field})`,
  )
}
