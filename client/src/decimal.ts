/**
 * Amounts are exact strings. They are grouped, compared and added by their digits, never as
 * numbers.
 */

/**
 * The parts of an amount: its sign, the digits before the point in groups of three, and the rest.
 */
export function groupsOf(amount: string): { sign: string; groups: string[]; fraction: string } {
  const [whole = '', fraction = ''] = amount.replace(/^-/, '').split('.')
  const groups: string[] = []
  for (let end = whole.length; end > 0; end -= 3)
    groups.unshift(whole.slice(Math.max(0, end - 3), end))
  return { sign: amount.startsWith('-') ? '−' : '', groups, fraction }
}

/** Negative when a < b, 0 when equal, positive when a > b. */
export function compareAmounts(a: string, b: string): number {
  const [aNegative, bNegative] = [a.startsWith('-'), b.startsWith('-')]
  if (isZero(a) && isZero(b)) return 0
  if (aNegative !== bNegative) return aNegative ? -1 : 1
  return aNegative ? compareSizes(b.slice(1), a.slice(1)) : compareSizes(a, b)
}

function compareSizes(a: string, b: string): number {
  const [aWhole = '', aFraction = ''] = a.split('.')
  const [bWhole = '', bFraction = ''] = b.split('.')
  if (aWhole.length !== bWhole.length) return aWhole.length - bWhole.length
  const length = Math.max(aFraction.length, bFraction.length)
  const [x, y] = [aWhole + aFraction.padEnd(length, '0'), bWhole + bFraction.padEnd(length, '0')]
  if (x === y) return 0
  return x < y ? -1 : 1
}

export function isZero(amount: string): boolean {
  return /^-?0*(\.0*)?$/.test(amount)
}

/** The most digits of an amount, behind the point and before it. */
export const SCALE = 18
export const WHOLE_DIGITS = 20
const unitsOf = (amount: string): bigint => {
  const [whole = '0', fraction = ''] = amount.replace('-', '').split('.')
  const units = BigInt(whole + fraction.padEnd(SCALE, '0'))
  return amount.startsWith('-') ? -units : units
}

/** The exact sum. */
export function addAmounts(...amounts: readonly string[]): string {
  const sum = amounts.reduce((total, amount) => total + unitsOf(amount), 0n)
  return textOf(sum)
}

function textOf(units: bigint): string {
  const digits = (units < 0n ? -units : units).toString().padStart(SCALE + 1, '0')
  const fraction = digits.slice(-SCALE).replace(/0+$/, '')
  const amount = `${units < 0n ? '-' : ''}${digits.slice(0, -SCALE)}`
  return fraction === '' ? amount : `${amount}.${fraction}`
}

/** `a` less `b`, exactly. */
export function subtractAmounts(a: string, b: string): string {
  return textOf(unitsOf(a) - unitsOf(b))
}

/**
 * The amount with at most so many digits behind the point. `DOWN` cuts, towards zero; `HALF_UP`
 * takes the nearest, and of two the one away from zero.
 */
export function roundAmount(amount: string, digits: number, mode: 'DOWN' | 'HALF_UP'): string {
  if (!Number.isInteger(digits) || digits < 0 || digits > SCALE)
    throw new RangeError(`an amount has 0 to ${SCALE} digits behind the point`)
  const units = unitsOf(amount)
  const step = 10n ** BigInt(SCALE - digits)
  const size = units < 0n ? -units : units
  const kept = (mode === 'DOWN' ? size : size + step / 2n) / step
  return textOf((units < 0n ? -kept : kept) * step)
}

/** The exact product, cut to 18 digits behind the point. */
export function multiplyAmounts(a: string, b: string): string {
  return textOf((unitsOf(a) * unitsOf(b)) / 10n ** BigInt(SCALE))
}

export function negated(amount: string): string {
  if (isZero(amount)) return '0'
  return amount.startsWith('-') ? amount.slice(1) : `-${amount}`
}
