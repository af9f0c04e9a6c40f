/** Fields and lines of a CSV file that people open (RFC 4180). */
import { csvField } from '@kontor/client'
import { currencyDecimals } from '../parts/amount-words.ts'

/** As many as the currency has, and more where the amount has more. Coins have no usual number. */
export function withDecimals(amount: string, asset: string | null | undefined): string {
  const decimals = currencyDecimals(asset)
  if (decimals === undefined) return amount
  const [whole = '', fraction = ''] = amount.split('.')
  return decimals === 0 && fraction === '' ? whole : `${whole}.${fraction.padEnd(decimals, '0')}`
}

export const lineOf = (fields: readonly string[]): string => fields.map(csvField).join(',')
