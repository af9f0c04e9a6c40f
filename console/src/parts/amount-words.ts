/** Amounts and shares inside of texts, as this person writes numbers. Exact: by their digits. */
import { formatAmount } from '@kontor/client'
import { numbers } from './number-format.ts'

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

/** How many decimals a currency has; undefined of a coin, which has no usual number. */
export function currencyDecimals(code: string | null | undefined): number | undefined {
  if (code === null || code === undefined || !CURRENCIES.has(code)) return undefined
  const style = { style: 'currency', currency: code } as const
  return new Intl.NumberFormat('en', style).resolvedOptions().minimumFractionDigits
}

/** `1250.5`, `EUR` → `1,250.50 EUR`. */
export function amountWords(amount: string, asset?: string | null): string {
  if (!NUMBER.test(amount)) return [amount, asset].filter(Boolean).join(' ')
  const text = formatAmount(amount, numbers().format, { decimals: currencyDecimals(asset) ?? 0 })
  return [text, asset].filter(Boolean).join(' ')
}

/** `0.0123` → `1.23 %`. */
export function percent(factor: string | null | undefined): string | undefined {
  if (factor === null || factor === undefined) return undefined
  const [whole = '0', fraction = ''] = factor.replace('-', '').split('.')
  const digits = fraction.padEnd(2, '0')
  const [high, low] = [
    `${whole}${digits.slice(0, 2)}`.replace(/^0+(?=\d)/, ''),
    digits.slice(2).replace(/0+$/, ''),
  ]
  const size = formatAmount(low === '' ? high : `${high}.${low}`, numbers().format)
  return `${factor.startsWith('-') ? '−' : ''}${size} %`
}

const NUMBER = /^-?\d+(?:\.\d+)?$/
/** Nobody writes these signs: they mark digits until the whole sentence is said. */
const [AMOUNT, PERHAPS] = ['\uE000', '\uE001']
const ASSET = '[A-Z][A-Z0-9]{1,11}(?![\\w/-])'
const WRITTEN = new RegExp(
  `(?<![\\w.,:/#-])-?\\d+(?:\\.\\d+(?!\\.?[\\w:/-])(?! %)|(?= (?:${ASSET}|needed)))`,
  'g',
)
const MARKED = new RegExp(`([${AMOUNT}${PERHAPS}])(-?\\d+(?:\\.\\d+)?)(?: (${ASSET}))?`, 'g')
/** What forms of sentences call an amount. Other whole numbers count something. */
const AMOUNTS =
  /^(amount|available|balance|blocked|format|least|most|quantity|rest|target|volume)\d?$/

/** Marks the amounts of a text that is shown as it is. */
export const markAmounts = (text: string): string =>
  text.replaceAll(WRITTEN, (number) => `${AMOUNT}${number}`)

/** Marks a value of a sentence; undefined where it is no number. */
export function markValue(value: string, name: string): string | undefined {
  if (!NUMBER.test(value)) return undefined
  return `${value.includes('.') || AMOUNTS.test(name) ? AMOUNT : PERHAPS}${value}`
}

/** A whole number that is followed by an asset is an amount of it; another one stays as it is. */
export const writeAmounts = (text: string): string =>
  text.replaceAll(MARKED, (_all, mark: string, number: string, asset: string | undefined) =>
    mark === AMOUNT || asset !== undefined ? amountWords(number, asset) : number,
  )
