/** Bank money: whole cents as bigint, two decimals at the edge. */
const PLAIN = /^(0|[1-9][0-9]{0,15})(\.[0-9]{1,2}0*)?$/

/**
 * Cents of a plain amount that is above 0 and no finer than a cent; undefined when it is anything
 * else.
 */
export function tryCents(text: string): bigint | undefined {
  if (!PLAIN.test(text)) return undefined
  const [whole = '0', fraction = ''] = text.split('.')
  const cents = BigInt(whole) * 100n + BigInt(fraction.slice(0, 2).padEnd(2, '0'))
  return cents > 0n ? cents : undefined
}

/** `1234n` is `12.34`; always two decimals, as payment messages write it. */
export function formatCents(cents: bigint): string {
  const size = cents < 0n ? -cents : cents
  return `${cents < 0n ? '-' : ''}${size / 100n}.${(size % 100n).toString().padStart(2, '0')}`
}

/** Plain notation without padding zeros, as the other parts write quantities. */
export function decimalOf(cents: bigint): string {
  const fraction = (cents % 100n).toString().padStart(2, '0').replace(/0+$/, '')
  return fraction === '' ? `${cents / 100n}` : `${cents / 100n}.${fraction}`
}
