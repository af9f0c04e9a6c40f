/**
 * Query parameters arrive as text. Each is declared here with the value it decodes to. Nothing is
 * coerced silently: text that does not decode is refused with the parameter's name.
 */
import { Type } from 'typebox'
import type { TOptional, TUnsafe } from 'typebox'
import { Compile } from 'typebox/compile'
import { decimal, format, NOT_NEGATIVE_PATTERN } from '../core/decimal.ts'
import { refuse } from '../core/errors.ts'
import { UUID_PATTERN } from '../core/ids.ts'
import { assetInAnyCase } from './shapes.ts'
import { MAXIMUM_TIME, readTime, TIME_TEXT } from './times.ts'

type Decoder = (text: string, name: string) => unknown
type Schema = Readonly<Record<string, unknown>>

/** `meaning`: what the text stands for, as the OpenAPI document says it. */
const kinds = new Map<string, { decode: Decoder; meaning: Schema }>()

type Parameter<T> = {
  kind: string
  /** What the text must be like before it is decoded. */
  takes?: Schema
  meaning: Schema
  /** A text that decodes to undefined counts as absent. */
  decode(text: string, name: string): T | undefined
}

function declare<T>(parameter: Parameter<T>): TOptional<TUnsafe<T>> {
  return Type.Optional(declareRequired(parameter))
}

function declareRequired<T>({ kind, takes, meaning, decode }: Parameter<T>): TUnsafe<T> {
  kinds.set(kind, { decode, meaning })
  return Type.Unsafe<T>({ type: 'string', 'x-decode': kind, ...takes })
}

const kindOf = (schema: Schema) => {
  const kind = schema['x-decode']
  return typeof kind === 'string' ? kinds.get(kind) : undefined
}

export const decoderOf = (schema: Schema): Decoder | undefined => kindOf(schema)?.decode

/** A list is written with commas. */
export const meaningOf = (schema: Schema): Schema => kindOf(schema)?.meaning ?? schema

const ID = { type: 'string', pattern: UUID_PATTERN, 'x-kind': 'id' }
const BLANK_OR_ID = {
  type: 'string',
  pattern: `^$|${UUID_PATTERN}`,
  description: 'An id; `""` counts as absence',
}

/** `""` means absent. */
export const queryId = <I extends string = string>() =>
  declare<I>({
    kind: 'id',
    takes: { pattern: BLANK_OR_ID.pattern, 'x-kind': 'id' },
    meaning: BLANK_OR_ID,
    decode: (text) => (text === '' ? undefined : (text as I)),
  })

export const requiredQueryId = <I extends string = string>() =>
  declareRequired<I>({
    kind: 'required-id',
    takes: { pattern: UUID_PATTERN, 'x-kind': 'id' },
    meaning: ID,
    decode: (text) => text as I,
  })

/** An id of somebody else's system, an address or a reference: `""` means absent. */
export const queryReference = (maximum = 200) =>
  declare<string>({
    kind: `reference${maximum}`,
    takes: { maxLength: maximum },
    meaning: { type: 'string', maxLength: maximum },
    decode: (text) => (text === '' ? undefined : text),
  })

export const MAXIMUM_TAG = 30

/** A tag of the records that are listed; tags are kept in lower case. `""` means absent. */
export const queryTag = () =>
  declare<string>({
    kind: 'tag',
    takes: { maxLength: MAXIMUM_TAG },
    meaning: {
      type: 'string',
      maxLength: MAXIMUM_TAG,
      description: 'Only records that carry this tag; `""` counts as absence',
    },
    decode: (text) => (text === '' ? undefined : text.toLowerCase()),
  })

export const queryText = (maximum = 200) => {
  const takes = { minLength: 1, maxLength: maximum }
  return declare({
    kind: `text${maximum}`,
    takes,
    meaning: { type: 'string', ...takes },
    decode: (text) => text,
  })
}

/** Text that is trimmed, and must then have so many characters. */
export const requiredQueryText = (minimum: number, maximum = 200) =>
  declareRequired({
    kind: `text from ${minimum} to ${maximum}`,
    takes: { maxLength: maximum },
    meaning: {
      type: 'string',
      minLength: minimum,
      maxLength: maximum,
      pattern: `\\S[\\s\\S]{${Math.max(0, minimum - 2)},}\\S`,
      description: `At least ${minimum} characters, not counting spaces around them`,
    },
    decode(text, name) {
      const words = text.trim()
      if (words.length >= minimum) return words
      throw refuse('RANGE', name, `${name} has at least ${minimum} characters`)
    },
  })

const QUANTITY = {
  type: 'string',
  pattern: NOT_NEGATIVE_PATTERN,
  maxLength: 40,
  'x-kind': 'decimal not below zero',
}

const MAXIMUM_CURSOR = 120

export const queryCursor = (pattern: string) =>
  declare({
    kind: `cursor ${pattern}`,
    takes: { minLength: 1, maxLength: MAXIMUM_CURSOR },
    meaning: {
      type: 'string',
      pattern,
      maxLength: MAXIMUM_CURSOR,
      description: 'Of the next page, from the Link header of the page before',
    },
    decode: (text) => text,
  })

/**
 * A point in time: ISO 8601, or an integer read by its size (10 digits s, 13 ms, 16 µs, 19 ns).
 * Decodes to milliseconds.
 */
export const queryTime = () =>
  declare({
    kind: 'time',
    takes: { maxLength: MAXIMUM_TIME },
    meaning: TIME_TEXT,
    decode: readTime,
  })

export function queryInteger(minimum: number, maximum: number) {
  const form = `must be a whole number from ${minimum} to ${maximum}`
  return declare({
    kind: `integer ${minimum} ${maximum}`,
    takes: { pattern: '^[0-9]{1,16}$', 'x-form': form },
    meaning: { type: 'integer', minimum, maximum },
    decode(text, name) {
      const value = Number(text)
      if (!Number.isSafeInteger(value) || value < minimum || value > maximum)
        throw refuse('RANGE', name, `${name} ${form}`)
      return value
    },
  })
}

/** Decimal text not below zero; decodes to its one spelling. */
export const queryQuantity = () =>
  declare<string>({
    kind: 'quantity',
    takes: QUANTITY,
    meaning: QUANTITY,
    decode: (text) => format(decimal(text)),
  })

export const queryFlag = () =>
  declare({
    kind: 'flag',
    takes: { enum: ['true', 'false'] },
    meaning: { type: 'boolean' },
    decode: (text) => text === 'true',
  })

/** A comma list of these words, case-insensitive. */
export function queryOneOf<const W extends readonly string[]>(
  words: W,
): TOptional<TUnsafe<W[number][]>> {
  const longest = Math.max(...words.map((word) => word.length))
  const maximum = Math.max(500, words.join().length)
  return declare({
    kind: `words ${words.join()}`,
    takes: { maxLength: maximum },
    meaning: {
      type: 'array',
      items: { type: 'string', enum: [...words] },
      minItems: 1,
      maxItems: Math.floor((maximum + 1) / (longest + 1)),
      description: 'A comma list, in any case',
    },
    decode: (text, name) =>
      text.split(',').map((part) => {
        const known = words.find(
          (candidate) => candidate.toUpperCase() === part.trim().toUpperCase(),
        )
        if (known === undefined)
          throw refuse(
            'ENUM',
            name,
            `${name} ${part.trim().slice(0, 40)} must be one of ${words.join(', ')}`,
          )
        return known as W[number]
      }),
  })
}

const MAXIMUM_ASSETS = 95

const ASSET = assetInAnyCase()
const ASSET_FORM = Compile(ASSET)

function assetCode(text: string, name: string, form: string): string {
  if (!ASSET_FORM.Check(text)) throw refuse('FORMAT', name, `${name} is ${form}`)
  return text.toUpperCase()
}

/** A comma list of asset codes, case-insensitive. */
export const queryAssets = () =>
  declare<string[]>({
    kind: 'assets',
    takes: { maxLength: 2000 },
    meaning: {
      type: 'array',
      items: ASSET,
      minItems: 1,
      maxItems: MAXIMUM_ASSETS,
      description: 'A comma list of assets, in any case',
    },
    decode: (text, name) =>
      text.split(',').map((part) => assetCode(part.trim(), name, 'a comma list of asset codes')),
  })

/** One asset, case-insensitive. */
export const queryAsset = () =>
  declare<string>({
    kind: 'asset',
    takes: { maxLength: 20 },
    meaning: { ...ASSET },
    decode: (text, name) => assetCode(text, name, 'the code of an asset'),
  })

const ZONE = {
  type: 'string',
  pattern: '^[A-Za-z][A-Za-z0-9_+/-]{1,63}$',
  maxLength: 64,
  'x-form': 'must be a time zone such as Europe/Berlin',
}

/** A name of the IANA time zone database; whoever uses it refuses one that no zone has. */
export const queryTimeZone = () =>
  declare<string>({
    kind: 'time-zone',
    takes: ZONE,
    meaning: {
      type: 'string',
      pattern: ZONE.pattern,
      maxLength: ZONE.maxLength,
      description: 'As Europe/Berlin',
      examples: ['Europe/Berlin'],
    },
    decode: (text) => text,
  })

/** `from` is inclusive, `to` exclusive. Refuses RANGE where nothing lies between them. */
export function assertPeriod({ from, to }: { from?: number; to?: number }): void {
  if (from !== undefined && to !== undefined && from >= to)
    throw refuse('RANGE', 'from', 'from must lie before to')
}

/** A day of the calendar; in which zone another parameter says. */
export const queryDay = () =>
  declare<string>({
    kind: 'day',
    takes: { maxLength: 10 },
    meaning: { type: 'string', format: 'date', 'x-kind': 'day' },
    decode(text, name) {
      const at = /^(19[7-9]|[2-9][0-9]{2})[0-9]-[0-9]{2}-[0-9]{2}$/.test(text)
        ? Date.parse(text)
        : NaN
      // The parser would take 30 February for 2 March.
      if (!Number.isNaN(at) && new Date(at).toISOString().startsWith(text)) return text
      throw refuse('FORMAT', name, `${name} must be a day such as 2026-03-02`)
    },
  })
