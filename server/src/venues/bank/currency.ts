/** Currencies and their decimals (ISO 4217, list one of its maintenance agency SIX). */
import { unitOf, type Decimal } from '../../core/decimal.ts'

const CODES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))
/** All others have two. Intl is no source of them: for some it says how prices are shown. */
const MINOR_UNITS: Record<string, number> = {
  ...minorUnits(0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'),
  ...minorUnits(3, 'BHD IQD JOD KWD LYD OMR TND'),
  ...minorUnits(4, 'CLF UYW'),
}
/** Digits of the greatest payment, as the SEPA schemes have them: 999999999.99 of a euro. */
const MAXIMUM_DIGITS = 11

function minorUnits(decimals: number, codes: string): Record<string, number> {
  return Object.fromEntries(codes.split(' ').map((code) => [code, decimals]))
}

export const isCurrency = (code: string): boolean => CODES.has(code)

export const decimalsOf = (currency: string): number => MINOR_UNITS[currency] ?? 2

/** The least and the most that one payment can be. */
export function paymentLimits(currency: string): { minimum: Decimal; maximum: Decimal } {
  const minimum = unitOf(decimalsOf(currency))
  return { minimum, maximum: (10n ** BigInt(MAXIMUM_DIGITS) - 1n) * minimum }
}
