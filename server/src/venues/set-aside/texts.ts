/**
 * What the books take of a venue's texts and figures. An objection is a sentence without its
 * subject, which the caller names; undefined when there is none.
 */
import { absolute, FRACTION_DIGITS, INTEGER_DIGITS } from '../../core/decimal.ts'

const LONGEST_TEXT = 500
/** What a payment says to its receiver may be long. */
export const LONGEST_REFERENCE = 10_000

const BEYOND_THE_BOOKS = 10n ** BigInt(INTEGER_DIGITS + FRACTION_DIGITS)
const LARGEST_COUNT = 2_147_483_647
export const LATEST_TIME = 8_640_000_000_000_000
/** Control characters but tab and the ends of lines, and halves of surrogate pairs. */
const UNSTORABLE = /[^\P{Cc}\t\n\r]|\p{Cs}/u
const EVERY_UNSTORABLE = new RegExp(UNSTORABLE.source, 'gu')

export function objectionToText(value: unknown, longest = LONGEST_TEXT): string | undefined {
  if (typeof value !== 'string') return `is no text but ${kindOf(value)}`
  const [found] = UNSTORABLE.exec(value) ?? []
  if (found !== undefined) return `holds the character ${codeOf(found)}, which cannot be stored`
  if (value.length > longest) return `has ${value.length} characters; at most ${longest} are stored`
  return undefined
}

export function objectionToAmount(value: unknown): string | undefined {
  if (typeof value !== 'bigint') return `is no amount but ${kindOf(value)}`
  if (absolute(value) < BEYOND_THE_BOOKS) return undefined
  const digits = String(absolute(value)).length - FRACTION_DIGITS
  return `has ${digits} digits before the point; the books take at most ${INTEGER_DIGITS}`
}

export const objectionToCount = (value: unknown): string | undefined =>
  objectionToInteger(value, LARGEST_COUNT, 'a count')

export const objectionToTime = (value: unknown): string | undefined =>
  objectionToInteger(value, LATEST_TIME, 'a time')

/** As `2026-11-23`. */
export function objectionToDay(value: unknown): string | undefined {
  const isDay =
    typeof value === 'string' &&
    /^\d{4}-\d{2}-\d{2}$/.test(value) &&
    objectionToTime(Date.parse(value)) === undefined
  return isDay ? undefined : `is not a day: ${shown(value)}`
}

function objectionToInteger(value: unknown, largest: number, what: string): string | undefined {
  const fits = Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= largest
  return fits ? undefined : `is not ${what}: ${shown(value)}`
}

/** The text as the database takes it: what it cannot store is written as `\u0000` is. */
export const storableText = (text: string): string =>
  text.replaceAll(EVERY_UNSTORABLE, (character) => `\\u${hexOf(character)}`)

/** The same, and not longer than this. */
export function shortText(text: string, longest = LONGEST_TEXT): string {
  const storable = storableText(text)
  return storable.length > longest ? `${storable.slice(0, longest - 1)}…`.toWellFormed() : storable
}

const codeOf = (character: string): string => `U+${hexOf(character).toUpperCase()}`

const hexOf = (character: string): string => character.charCodeAt(0).toString(16).padStart(4, '0')

const kindOf = (value: unknown): string => (value === null ? 'null' : typeof value)

const shown = (value: unknown): string =>
  typeof value === 'number' ? String(value) : kindOf(value)
