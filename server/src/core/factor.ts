import { decimal, ONE } from './decimal.ts'
import type { Decimal } from './decimal.ts'
import { refuse } from './errors.ts'

/**
 * A margin, a risk or a slippage. A factor of 1 or more would take all of a sale, or let a price
 * fall to nothing. Throws 3001 RANGE.
 */
export function factorOf(text: string | undefined, path: string): Decimal | undefined {
  if (text === undefined) return undefined
  const factor = decimal(text)
  if (factor >= ONE) throw refuse('RANGE', path, `${path} is a factor below 1: 0.005 is 0.5 %`)
  return factor
}
