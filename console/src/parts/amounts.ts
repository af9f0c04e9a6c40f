/** How amounts are shown, and what is said about those that cannot be taken. */
import {
  compareAmounts,
  formatAmount,
  groupsOf,
  isAmount,
  isZero,
  readAmount,
} from '@kontor/client'
import type { AmountProblem, NumberFormat } from '@kontor/client'
import type { Asset } from '../api/assets.tsx'
import { t } from '../language/index.ts'
import type { Numbers } from './number-format.ts'

/** More digits behind the point are cut in a column, which would become too wide, and marked. */
const MOST_DECIMALS = 8

/** The decimals that an amount of this asset has at least: those of a currency. */
export const leastDecimals = (asset: Asset | undefined): number =>
  asset?.kind === 'FIAT' ? asset.scale : 0

/** `zeros` fill up, `cut` is there and not shown, `blanks` keep the point in its column. */
type ShownFraction = { shown: string; zeros: number; cut: string; blanks: number }

type Looks = {
  /** Shown in full in a column, too. */
  price: boolean
  /** Of the column, in a table. */
  room?: number | undefined
}

/** Digits up to the first that says something: what is below a cent is not shown as nothing. */
const significant = (fraction: string): number => fraction.search(/[1-9]/) + 1

export function fractionOf(
  amount: string,
  asset: Asset | undefined,
  { price, room }: Looks,
): ShownFraction {
  const { groups, fraction } = groupsOf(amount)
  const fitting =
    room === undefined || price ? fraction.length : Math.min(fraction.length, MOST_DECIMALS)
  const isNothing = !/[1-9]/.test(`${groups.join('')}${fraction.slice(0, fitting)}`)
  const shown = fraction.slice(0, isNothing ? Math.max(fitting, significant(fraction)) : fitting)
  const zeros = Math.max(0, leastDecimals(asset) - shown.length)
  return {
    shown,
    zeros,
    cut: fraction.slice(shown.length),
    blanks: Math.max(0, (room ?? 0) - shown.length - zeros),
  }
}

/** The normal form of an amount that is typed or confirmed: `1,250.00`. */
export function normalForm(
  amount: string,
  { format }: Pick<Numbers, 'format'>,
  asset: Asset | undefined,
): string {
  return formatAmount(amount, format, { decimals: leastDecimals(asset) })
}

const example = (format: NumberFormat, grouped = false): string =>
  formatAmount('1250.5', format, { decimals: 2, grouped })

/** What is wrong with a text, in words. An empty one is not wrong: it may be left out. */
function problemWords(problem: AmountProblem, format: NumberFormat): string {
  switch (problem) {
    case 'EMPTY':
      return t('Enter an amount')
    case 'CHARACTERS':
      return t('Enter a number such as {{format}}', { format: example(format) })
    case 'NEGATIVE':
      return t('Enter an amount greater than 0')
    case 'TWO_DECIMALS':
      return t('An amount has one decimal sign, for example {{format}}', {
        format: example(format),
      })
    case 'GROUPS':
      return t('Thousands are in groups of three digits, for example {{format}}', {
        format: example(format, true),
      })
    case 'TOO_LONG':
      return t('An amount has at most 20 digits before the decimal sign and 18 behind it')
  }
}

/** What a field takes. */
export type AmountTerms = {
  asset?: Asset | undefined
  /** Zero is allowed. */
  zero?: boolean | undefined
  /** So are zero and what is below it. */
  negative?: boolean | undefined
  /** No more than this. */
  available?: string | undefined
}

/** A text that was not read as an amount; nothing takes it for one. */
const UNREAD = '?'
export const unread = (typed: string): string => `${UNREAD}${typed}`
export const typedOf = (value: string): string | undefined =>
  value.startsWith(UNREAD) ? value.slice(UNREAD.length) : undefined

/** Why this value of a field cannot be sent, in words; undefined when it can. */
export function faultOf(value: string, terms: AmountTerms, numbers: Numbers): string | undefined {
  if (value === '') return undefined
  if (terms.negative === true) {
    const positive = { ...terms, negative: false, zero: true }
    return faultOf(value.replace(/^-/, ''), positive, numbers)
  }
  const typed = typedOf(value) ?? (isAmount(value) ? undefined : value)
  if (typed === undefined) return faultOfAmount(value, terms, numbers)
  const reading = readAmount(typed, numbers.format, numbers.sure)
  return 'problem' in reading
    ? problemWords(reading.problem, numbers.format)
    : t('Choose which amount you mean')
}

function faultOfAmount(
  amount: string,
  { asset, zero = false, available }: AmountTerms,
  numbers: Numbers,
): string | undefined {
  const scale = asset?.scale ?? amount.length
  if (groupsOf(amount).fraction.length > scale)
    return scale === 0
      ? t('{{code}} has no decimals', { code: asset?.code })
      : t('{{code}} has {{count}} decimals; enter no more', { code: asset?.code, count: scale })
  if (!zero && isZero(amount)) return t('Enter an amount greater than 0')
  if (available === undefined || compareAmounts(amount, available) <= 0) return undefined
  const left = normalForm(available, numbers, asset)
  return t('Only {{amount}} are available', {
    amount: asset === undefined ? left : `${left} ${asset.code}`,
  })
}

/** The amounts that a text can mean and that the asset can have; all when it can have none. */
export function possible(choices: readonly string[], asset: Asset | undefined): readonly string[] {
  const short = choices.map(withoutZeros)
  const fitting = short.filter((one) => groupsOf(one).fraction.length <= (asset?.scale ?? 18))
  return fitting.length === 0 ? short : fitting
}

const withoutZeros = (amount: string): string =>
  amount.includes('.') ? amount.replace(/\.?0+$/, '') : amount
