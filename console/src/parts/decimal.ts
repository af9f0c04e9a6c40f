/** Amounts are exact strings and stay so: grouped, compared and checked by their digits, never through a number. */

/** The digits before the point in groups of three, from the left; and the sign and what stands behind the point. */
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
  return x < y ? -1 : x > y ? 1 : 0
}

export function isZero(amount: string): boolean {
  return /^-?0*(\.0*)?$/.test(amount)
}

const SCALE = 18
const unitsOf = (amount: string): bigint => {
  const [whole = '0', fraction = ''] = amount.replace('-', '').split('.')
  const units = BigInt(whole + fraction.padEnd(SCALE, '0'))
  return amount.startsWith('-') ? -units : units
}

/** Exact; for sums and rests that a form shows. */
export function addAmounts(...amounts: readonly string[]): string {
  const sum = amounts.reduce((total, amount) => total + unitsOf(amount), 0n)
  return textOf(sum)
}

function textOf(units: bigint): string {
  const digits = (units < 0n ? -units : units).toString().padStart(SCALE + 1, '0')
  const fraction = digits.slice(-SCALE).replace(/0+$/, '')
  return `${units < 0n ? '-' : ''}${digits.slice(0, -SCALE)}${fraction === '' ? '' : `.${fraction}`}`
}

/** Exact, cut to 18 digits behind the point; for what a form shows beforehand. */
export function multiplyAmounts(a: string, b: string): string {
  return textOf((unitsOf(a) * unitsOf(b)) / 10n ** BigInt(SCALE))
}

export const negated = (amount: string): string =>
  isZero(amount) ? '0' : amount.startsWith('-') ? amount.slice(1) : `-${amount}`

/** What somebody typed or pasted (`1'250.50`, `1 250,5`, `.5`) as the API takes it; undefined when it is no amount. */
export function readAmount(typed: string): string | undefined {
  const plain = typed.trim().replaceAll(/[\s'’_  ]/g, '')
  const text = /^\d+,\d{1,2}$/.test(plain)
    ? plain.replace(',', '.')
    : plain.replaceAll(/,(?=\d{3}(\D|$))/g, '')
  const [, whole = '', fraction = ''] = /^(\d*)\.?(\d*)$/.exec(text) ?? []
  if (whole === '' && fraction === '') return undefined
  if (fraction.length > SCALE) return undefined
  const short = whole.replace(/^0+(?=\d)/, '') || '0'
  if (short.length > 20) return undefined
  return fraction === '' ? short : `${short}.${fraction}`
}
