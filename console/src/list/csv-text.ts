/** Fields and lines of a CSV file that people open (RFC 4180). */
import { csvField } from '@kontor/client'

const CURRENCIES = new Set(Intl.supportedValuesOf('currency'))

/** As many as the currency has, and more where the amount has more. Coins have no usual number. */
export function withDecimals(amount: string, asset: string | null | undefined): string {
  if (asset === null || asset === undefined || !CURRENCIES.has(asset)) return amount
  const { minimumFractionDigits: decimals = 0 } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency: asset,
  }).resolvedOptions()
  const [whole = '', fraction = ''] = amount.split('.')
  return decimals === 0 && fraction === '' ? whole : `${whole}.${fraction.padEnd(decimals, '0')}`
}

export const lineOf = (fields: readonly string[]): string => fields.map(csvField).join(',')
