/**
 * Fields of the Annex of Commission Delegated Regulation (EU) 2025/1140 (OJ L, 2025/1140,
 * 10.6.2025, http://data.europa.eu/eli/reg_del/2025/1140/oj): what MiCA has crypto-asset service
 * providers record of orders (Table 2) and of transactions (Table 3).
 */
import { absolute, decimal, format, round } from '../../core/decimal.ts'
import { nullable, text } from '../../http/index.ts'
import type { Asset } from '../../ledger/index.ts'

/** The Annex numbers its fields from 1 without a gap: field n stands at index n − 1. */
export type Field<Row> = readonly [
  key: string,
  name: string,
  /** How the field is filled, or why Kontor has nothing to fill it with. */
  what: ((row: Row) => string | null) | string,
]

export const NOT_APPLICABLE = 'NOAP'

const MOST = 2_000
const keyOf = (index: number, key: string): string =>
  `f${String(index + 1).padStart(2, '0')}_${key}`

export function shapesOf<Row>(table: string, fields: readonly Field<Row>[]) {
  return Object.fromEntries(
    fields.map(([key, name, what], index) => {
      const said = `${table}, field ${index + 1}: ${name}.`
      const reason = typeof what === 'string' ? ` Always null: ${what}` : ''
      return [keyOf(index, key), nullable(text(MOST, `${said}${reason}`))]
    }),
  )
}

export function valuesOf<Row>(
  fields: readonly Field<Row>[],
  row: Row,
): Record<string, string | null> {
  return Object.fromEntries(
    fields.map(([key, , what], index) => [
      keyOf(index, key),
      typeof what === 'string' ? null : what(row),
    ]),
  )
}

/** {DATE_TIME_FORMAT}: six decimals of a second, of which Kontor stores three. */
export const timeOf = (milliseconds: number): string =>
  new Date(milliseconds).toISOString().replace('Z', '000Z')

const DIGITS = 18

/** {DECIMAL-18/`fraction`}: digits in total and behind the point; rounded, not cut. */
export function decimalOf(value: string, fraction: number): string {
  const exact = decimal(value)
  const [whole = ''] = format(absolute(exact)).split('.')
  return format(round(exact, Math.max(0, Math.min(fraction, DIGITS - whole.length)), 'half_even'))
}

export const UNITS_FRACTION = 17
export const MONEY_FRACTION = 5
export const PRICE_FRACTION = 13

/** {CURRENCYCODE_3}: the code of a currency. A coin's would be its DTI, which Kontor has not. */
export const currencyOf = ({ code, kind }: Asset): string | null =>
  kind === 'FIAT' && /^[A-Z]{3}$/.test(code) ? code : null

/** Why fields are empty. The words stand in the OpenAPI document and in docs/records.md. */
export const EMPTY = {
  person: 'Kontor stores no LEI and no national identifier with customers and users.',
  birth: 'Kontor stores no dates of birth with customers.',
  decision: 'Kontor does not know who decided, the customer or somebody for them.',
  capacity: 'Kontor does not know in which capacity the service provider trades.',
  country: 'Kontor stores no branches, and no countries with customers.',
  token: 'Kontor stores no digital token identifier of an asset.',
  class: 'Kontor stores no classification of an asset, and no CFI code.',
  platform: 'Kontor stores no MIC and no LEI of a venue.',
  transmission: 'Kontor does not know of transmissions between service providers.',
  auction: 'Kontor takes part in no auctions.',
  feature: 'Kontor has no such instruction.',
  provider: 'Kontor stores no LEI of the service provider itself.',
  mica: 'Kontor does not know whether the service provider is authorised under MiCA.',
  derivative: 'Kontor trades no derivatives and no complex trades.',
  units: 'only for a nominal or monetary value; Kontor states units.',
} as const
