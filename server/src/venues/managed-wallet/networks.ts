/** The custodian's figures, and what we call its networks. */
import { tryDecimal } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { ApiError } from '../../core/errors.ts'
import { isNetwork } from '../terms.ts'
import type { Term, Terms } from '../terms.ts'

/** Undefined for what we do not move there. */
export const termOn = ({ all }: Terms, asset: string, network: string): Term | undefined =>
  all.find((term) => term.native === asset && isNetwork(term, network))

export const assetOf = (terms: Terms, native: string): string =>
  terms.byNative(native)?.asset ?? native

export function figure(text: string, what: string): Decimal {
  const value = tryDecimal(text)
  if (value === undefined)
    throw new ApiError('VenueUnreachable', `custodian: ${what} cannot be read`)
  return value
}
