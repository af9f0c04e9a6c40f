/** How Bitstamp's operations read a request, and how they refuse it. */
import { floored, tryFigure } from '../figures.ts'
import type { Figure } from '../figures.ts'
import type { Pair } from '../rules.ts'
import { findAsset, findPair } from './listing.ts'
import type { Asset } from './listing.ts'

/** What is answered instead of a result. */
export class Refusal extends Error {
  readonly status: number
  readonly body: object
  constructor(status: number, body: object) {
    super(JSON.stringify(body))
    this.status = status
    this.body = body
  }
}

export type Fields = Record<string, string | undefined>
/** `word` is the pair or currency of the path. */
export type Operation = (fields: Fields, word: string) => unknown

const PAGE = 1_000
const USUAL_PAGE = 100

/** The form's refusal: texts per field, `__all__` for the whole form. */
export function formRefusal(field: string, text: string): Refusal {
  return new Refusal(400, { status: 'error', reason: { [field]: [text] } })
}

export function tooManyDecimals(field: string, digits: number): Refusal {
  return formRefusal(field, `Ensure that there are no more than ${digits} decimal places.`)
}

export function wholeNumber(fields: Fields, name: string, otherwise: number): number {
  const text = fields[name] ?? String(otherwise)
  if (!/^[0-9]{1,9}$/.test(text)) throw formRefusal(name, 'Enter a whole number.')
  return Number(text)
}

/** The rows that `offset` and `limit` ask for. */
export function pageOf<Row>(fields: Fields, rows: Row[]): Row[] {
  const offset = wholeNumber(fields, 'offset', 0)
  return rows.slice(offset, offset + Math.min(wholeNumber(fields, 'limit', USUAL_PAGE), PAGE))
}

export function amountOf(fields: Fields, field: string, digits: number): Figure {
  const value = tryFigure(fields[field] ?? '')
  if (value === undefined || value === 0n) throw formRefusal(field, 'Enter a number.')
  if (floored(value, digits) !== value) throw tooManyDecimals(field, digits)
  return value
}

export function assetNamed(word: string): Asset {
  const found = findAsset(word)
  if (found === undefined)
    throw new Refusal(404, { status: 'error', reason: 'Currency not found.' })
  return found
}

export function pairNamed(word: string): Pair {
  const found = findPair(word)
  if (found === undefined)
    throw new Refusal(404, { status: 'error', reason: 'Invalid currency pair.' })
  return found
}
