/**
 * Query parameters arrive as text. Each is declared here with the value it decodes to. Nothing is
 * coerced silently: text that does not decode is refused with the parameter's name.
 */
import { Type } from 'typebox'
import type { TOptional, TUnsafe } from 'typebox'
import { refuse } from '../core/errors.ts'
import { UUID_PATTERN } from '../core/ids.ts'

type Decoder = (text: string, name: string) => unknown

const decoders = new Map<string, Decoder>()

/** A parameter whose text decodes to undefined counts as absent. */
function declare<T>(
  kind: string,
  schema: Record<string, unknown>,
  decode: (text: string, name: string) => T | undefined,
): TOptional<TUnsafe<T>> {
  decoders.set(kind, decode)
  return Type.Optional(Type.Unsafe<T>({ type: 'string', 'x-decode': kind, ...schema }))
}

export function decoderOf(schema: Record<string, unknown>): Decoder | undefined {
  const kind = schema['x-decode']
  return typeof kind === 'string' ? decoders.get(kind) : undefined
}

/** `""` means absent. */
export const queryId = <I extends string = string>() =>
  declare<I>('id', { pattern: `^$|${UUID_PATTERN}`, 'x-kind': 'id' }, (text) =>
    text === '' ? undefined : (text as I),
  )

/** An id of somebody else's system, an address or a reference: `""` means absent. */
export const queryReference = (maximum = 200) =>
  declare<string>(`reference${maximum}`, { maxLength: maximum }, (text) =>
    text === '' ? undefined : text,
  )

export const queryText = (maximum = 200) =>
  declare(`text${maximum}`, { minLength: 1, maxLength: maximum }, (text) => text)

/**
 * A point in time: ISO 8601, or an integer read by its size (10 digits s, 13 ms, 16 µs, 19 ns).
 * Decodes to milliseconds.
 */
export const queryTime = () =>
  declare(
    'time',
    {
      maxLength: 40,
      description: 'ISO 8601, or an integer: 10 digits are seconds, 13 ms, 16 µs, 19 ns',
    },
    (text, name) => {
      const value = timeOf(text)
      if (value === undefined)
        throw refuse(
          'FORMAT',
          name,
          `${name} is not a valid time: give ISO 8601 or an integer of ` +
            '10 (s), 13 (ms), 16 (µs) or 19 (ns) digits',
        )
      return value
    },
  )

export const queryInteger = (minimum: number, maximum: number) =>
  declare(
    `integer ${minimum} ${maximum}`,
    { pattern: '^[0-9]{1,16}$', description: `${minimum} to ${maximum}` },
    (text, name) => {
      const value = Number(text)
      if (!Number.isSafeInteger(value) || value < minimum || value > maximum)
        throw refuse('RANGE', name, `${name} must be ${minimum} to ${maximum}`)
      return value
    },
  )

export const queryFlag = () =>
  declare('flag', { enum: ['true', 'false'] }, (text) => text === 'true')

/** A comma list of these words, case-insensitive. */
export function queryOneOf<const W extends readonly string[]>(
  words: W,
): TOptional<TUnsafe<W[number][]>> {
  return declare(
    `words ${words.join()}`,
    { maxLength: 500, description: `comma list of ${words.join(', ')}` },
    (text, name) =>
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
  )
}

/** A comma list of asset codes, case-insensitive. */
export const queryAssets = () =>
  declare<string[]>(
    'assets',
    { maxLength: 2000, description: 'comma list of assets' },
    (text, name) =>
      text.split(',').map((part) => {
        const code = part.trim().toUpperCase()
        if (!/^[A-Z0-9][A-Z0-9._-]{0,19}$/.test(code))
          throw refuse('FORMAT', name, `${name} is a comma list of asset codes`)
        return code
      }),
  )

const UNITS: Readonly<Record<number, (digits: bigint) => bigint>> = {
  10: (digits) => digits * 1000n,
  13: (digits) => digits,
  16: (digits) => digits / 1000n,
  19: (digits) => digits / 1_000_000n,
}
const ISO =
  /^(\d{4}-\d{2}-\d{2})(T(?:[01]\d|2[0-3]):\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/

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
