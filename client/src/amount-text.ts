/**
 * Amounts as people write and read them. Every text is read by its digits. A text that can mean two
 * amounts is never decided here: both are offered.
 */
import { compareAmounts, groupsOf, SCALE, WHOLE_DIGITS } from './decimal.ts'

export type NumberFormat = { readonly decimal: '.' | ','; readonly group: string }

/** Thousands of the fourth are apart by a narrow space that does not break. */
export const NUMBER_FORMATS = {
  point: { decimal: '.', group: ',' },
  comma: { decimal: ',', group: '.' },
  apostrophe: { decimal: '.', group: '’' },
  space: { decimal: ',', group: '\u202f' },
} as const satisfies Record<string, NumberFormat>
export type NumberFormatName = keyof typeof NUMBER_FORMATS

export type AmountProblem =
  | 'EMPTY'
  | 'CHARACTERS'
  | 'NEGATIVE'
  | 'TWO_DECIMALS'
  | 'GROUPS'
  | 'TOO_LONG'

export type Reading =
  | { amount: string }
  /** What the text can mean; a person has to say which. */
  | { choices: readonly string[] }
  | { problem: AmountProblem }

/**
 * Reads a typed or pasted amount. `sure`: the person has chosen this format. Otherwise it is a
 * guess, and a text that means something else in another format is not read by it.
 */
export function readAmount(typed: string, format: NumberFormat, sure: boolean): Reading {
  const text = typed
    .trim()
    .replaceAll(/[\u00a0\u2009\u202f]/g, ' ')
    .replaceAll('’', "'")
  if (text === '') return { problem: 'EMPTY' }
  if (/^[-−]/.test(text)) return { problem: 'NEGATIVE' }
  if (!/^[0-9.,' ]*[0-9][0-9.,' ]*$/.test(text)) return { problem: 'CHARACTERS' }
  const own = readBy(text, format.decimal, groupsIn(format))
  if (sure && 'amount' in own) return own
  const other = format.decimal === '.' ? ',' : '.'
  const readings = [readBy(text, format.decimal), readBy(text, other)]
  const [first, ...more] = readings.flatMap((reading) =>
    'amount' in reading ? [reading.amount] : [],
  )
  if (first === undefined) return readings[0] as Reading
  const choices = [first, ...more.filter((amount) => compareAmounts(amount, first) !== 0)]
  return !sure && choices.length === 1 ? { amount: first } : { choices }
}

/** Spaces and apostrophes part thousands in every format: nothing else is meant by them. */
const NEUTRAL = "' "
const groupsIn = ({ group }: NumberFormat): string =>
  group === '.' || group === ',' ? `${group}${NEUTRAL}` : NEUTRAL

function readBy(
  text: string,
  decimal: '.' | ',',
  groups = `${decimal === '.' ? ',' : '.'}${NEUTRAL}`,
): { amount: string } | { problem: AmountProblem } {
  const [whole = '', fraction = '', ...rest] = text.split(decimal)
  if (rest.length > 0) return { problem: 'TWO_DECIMALS' }
  const separator = /[^0-9]/.exec(whole)?.[0]
  const grouped = separator === undefined || (groups.includes(separator) && isGrouped(whole))
  if (!grouped || !/^[0-9]*$/.test(fraction)) return { problem: 'GROUPS' }
  const digits = whole.replaceAll(/[^0-9]/g, '').replace(/^0+(?=[0-9])/, '') || '0'
  if (digits.length > WHOLE_DIGITS || fraction.length > SCALE) return { problem: 'TOO_LONG' }
  return { amount: fraction === '' ? digits : `${digits}.${fraction}` }
}

/** Groups of three after the first, all parted by one sign. */
const isGrouped = (whole: string): boolean =>
  /^[1-9][0-9]{0,2}([^0-9])[0-9]{3}(\1[0-9]{3})*$/.test(whole)

/** An exact amount in this format, with at least so many digits behind the separator. */
export function formatAmount(
  amount: string,
  { decimal, group }: NumberFormat,
  { decimals = 0, grouped = true }: { decimals?: number; grouped?: boolean } = {},
): string {
  const { sign, groups, fraction } = groupsOf(amount)
  const digits = fraction.padEnd(decimals, '0')
  const whole = groups.join(grouped ? group : '')
  return `${sign}${whole}${digits === '' ? '' : `${decimal}${digits}`}`
}

/** The text itself when it is an amount as the API takes it. */
export const plainAmount = (text: string | null | undefined): string | undefined =>
  isAmount(text) ? text : undefined

/** Whether the text is an amount as the API takes it, not below zero. */
export const isAmount = (text: string | null | undefined): text is string =>
  typeof text === 'string' && /^[0-9]{1,20}(\.[0-9]{1,18})?$/.test(text)
